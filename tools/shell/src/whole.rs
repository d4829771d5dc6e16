//! Whether what was typed is whole.
//!
//! The grammar decides: a text is unfinished if its last form stops being read at the end of the
//! text.  So brackets, `let` without `in`, `if` without `else`, and the missing `;` need no rules
//! of their own.  What is wrong before its end is finished: more text would not make it right.
//!
//! ```text
//! let x = 1; y = 2;         unfinished: `in` may follow
//! {x + y : x in a; y in b   unfinished
//! f(1));                    finished, and wrong
//! "abc                      unfinished: strings may contain newlines
//! ```

use crate::tree;
use syntax::SyntaxKind;

/// Whether the text can be run.
pub fn is_complete(text: &str) -> bool {
    let tree = tree(text);
    let tokens = tree.root().descendants_with_tokens().filter_map(|part| part.into_token());
    let last = tokens.filter(|token| token.kind() != SyntaxKind::Space).last();
    let open = last.is_some_and(|token| {
        token.kind() == SyntaxKind::Error && token.text().starts_with(['%', '"'])
    });
    // Only the end of a text is a place without extent.
    let errors = tree.errors().last().into_iter().flatten();
    let mut places = errors.filter_map(|error| error.primary.as_ref());
    !open && !places.any(|place| place.span.start == place.span.end)
}

/// Whether nothing is missing but the terminator.
pub fn lacks_terminator(text: &str) -> bool {
    !is_complete(text) && tree(&format!("{text};")).errors().iter().all(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], expected: bool) {
        for text in texts {
            assert_eq!(is_complete(text), expected, "{text}");
        }
    }

    #[test]
    fn whole_forms() {
        check(&["", "  \n", "1;", "1 + 1 $", "1; 2; % done %", "g(x) = % why % 3;"], true);
        check(&["function g(x) = let a = x; b = 2 in a + b;", "help;", "% only this %"], true);
        check(&["function f(a) : a -> a :: (a in number; b in any) = a;"], true);
    }

    #[test]
    fn what_needs_more() {
        check(&["1", "1 +", "1; 2", "f(", "[1, 2", "{x : x in a;", "{x : x in a; y in b"], false);
        check(&["let x = 1;", "let x = 1; y = 2;", "let x = 1 in", "if a", "if a then b"], false);
        check(&["if a then b else", "function g(x)", "function g(x) =", "datatype p(int"], false);
    }

    #[test]
    fn open_strings_and_comments() {
        check(&["\"abc", "\"abc;", "print(\"a\\\";", "% why", "1; % why", "1; % a % % b;"], false);
        check(&["\"abc\";", "% 100 \" % 1;", "\"50%\";", "`%;"], true);
    }

    /// They are told at once.
    #[test]
    fn mistakes_are_whole() {
        check(&["f(1));", "1 + ;", "if a then b;", "[1, 2;", "let 1;", ";", "1 ) 2"], true);
    }

    #[test]
    fn only_the_terminator_is_missing() {
        let lacks = ["1 + 1", "1; 2\n", "f(x) % so %", "set print_length 3"];
        lacks.iter().for_each(|text| assert!(lacks_terminator(text), "{text}"));
        let others = ["", "1;", "f(", "let x = 1", "\"a", "1 )"];
        others.iter().for_each(|text| assert!(!lacks_terminator(text), "{text}"));
    }
}
