//! Texts that are read again after changes are as if they were read for the first time.

use crate::ast::Group;
use crate::{Tree, group, parse_again, parse_tree};
use base::{FileId, Id};

/// Reads each version after the one before it; gives how many forms of each were kept.
fn versions(texts: &[&str]) -> Vec<(usize, usize)> {
    let file = FileId::new(0);
    let mut last: Option<(Tree, Group)> = None;
    let mut counts = Vec::new();
    for text in texts {
        let tree = parse_tree(file, text.as_bytes());
        let forms = group(file, &tree);
        let again = match last.take() {
            None => (tree, forms),
            Some(last) => {
                let (now, now_forms, kept) = parse_again(file, last, text.as_bytes());
                assert!(now.green() == tree.green(), "{text}");
                assert!(now.tokens() == tree.tokens(), "{text}");
                assert!(now.errors() == tree.errors(), "{text}");
                assert!(now.mistakes().eq(tree.mistakes()), "{text}");
                let shown = [&now_forms, &forms].map(|forms| format!("{forms:?}"));
                assert!(shown[0] == shown[1], "{text}");
                counts.push((kept.before, kept.after));
                (now, now_forms)
            }
        };
        last = Some(again);
    }
    counts
}

const TEXT: &str = "\
% é %
function first(a, b := 2) \"doc\" : (int, [a]) -> int :: (a in any) = a + b;
datatype pair(int, float); x = 1; (y, _) = ([1:2:3], [] int);
% above %
function g(s) =
{x + (if x == 1 then y[0] else -2) : x in s; y | x > 0};
let a = 1; b = (x => x) in a + b; load \"file\"; describe g; g({x}) $
function last(pair(a, b)) : pair -> int;
z = #z -> [`a, 1.5];
";

/// The text with a piece in place of some bytes.
fn changed(text: &str, start: usize, end: usize, piece: &str) -> String {
    format!("{}{piece}{}", &text[..start], &text[end..])
}

#[test]
fn only_forms_around_a_change_are_read() {
    let text = "a = 1; b = 2; c = 3; d = 4; e = 5;";
    let inside = text.replace('3', "33");
    let open = text.replace('3', "[3");
    let counts = versions(&[text, text, &inside, text, &open, text, &text.replace("; e", "e")]);
    assert_eq!(counts, [(4, 0), (1, 2), (1, 2), (1, 2), (1, 2), (2, 0)]);
    assert_eq!(versions(&[text, &format!("% c %\n{text}"), text]), [(0, 4), (0, 4)]);
}

#[test]
fn any_change_anywhere_reads_as_a_new_text() {
    let pieces =
        ["", ";", "(", "}", "\"", "%", "\n", " in ", "let ", "function ", "é", "\r\n% c %\n", "1"];
    let starts: Vec<usize> = TEXT.char_indices().map(|(at, _)| at).chain([TEXT.len()]).collect();
    for (turn, &start) in starts.iter().enumerate() {
        for piece in pieces {
            let ends = [start, start + 1 + turn % 7, start + 90];
            for end in ends.into_iter().filter(|end| TEXT.is_char_boundary(*end)) {
                if end <= TEXT.len() {
                    versions(&[TEXT, &changed(TEXT, start, end, piece), TEXT]);
                }
            }
        }
    }
}

#[test]
fn errors_elsewhere_stay_what_they_are() {
    let wrong = format!("{{x * : x in a; y in b}}; 1 § 2; {TEXT} f(; {{1 + ; 2}}; {TEXT} ) = ;");
    for (start, _) in wrong.char_indices().step_by(3) {
        for piece in ["", ";", "}", "{", "function h(a) = (", "\n", "%"] {
            let once = changed(&wrong, start, start, piece);
            versions(&[&wrong, &once, &wrong]);
        }
    }
}

#[test]
fn what_is_no_text_is_found_again() {
    let strange = "\u{1}".repeat(9);
    let text = format!("a = 1; b = {strange}; c = 3;");
    versions(&[&text, &text.replace("c = 3", &strange), &text, "", &text, "\u{feff}a;", &text]);
}
