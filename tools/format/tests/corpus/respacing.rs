//! Where lines ended before has no influence: texts with other white space are formatted alike.
//!
//! Kept are only the ends of lines beside comments, which say what a comment belongs to, and empty
//! lines between forms.

use crate::{formatted, tree};
use syntax::SyntaxKind::{self, *};
use testkit::random::Random;
use testkit::texts::{Text, texts};

/// A token or comment, and the white space before it.
struct Lexeme {
    kind: SyntaxKind,
    space: Vec<u8>,
    text: Vec<u8>,
}

fn lexemes(text: &[u8]) -> Vec<Lexeme> {
    let tree = tree(text);
    let mut lexemes = Vec::new();
    let mut space = Vec::new();
    for token in tree.root().descendants_with_tokens().filter_map(|part| part.into_token()) {
        let text = tree.bytes(token.text_range()).to_vec();
        if token.kind() == Space {
            space = text;
        } else {
            let space = std::mem::take(&mut space);
            lexemes.push(Lexeme { kind: token.kind(), space, text });
        }
    }
    lexemes.push(Lexeme { kind: End, space, text: Vec::new() });
    lexemes
}

/// Whether no white space is needed beside it.
fn stands_alone(kind: SyntaxKind) -> bool {
    matches!(kind, Comma | LeftParen | RightParen | LeftBracket | RightBracket | LeftBrace)
        || matches!(kind, RightBrace | Semicolon | Dollar)
}

/// The text with other white space.
fn respaced(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    let mut before = None;
    for Lexeme { kind, space, text } in lexemes(text) {
        let sides = [before.unwrap_or(End), kind];
        let ends = space.iter().filter(|byte| **byte == b'\n').count();
        let kept = before.is_none() || sides.iter().any(|it| matches!(it, Comment | End));
        let ends = match sides[0] {
            _ if kept => ends.min(2),
            Semicolon | Dollar if ends > 1 => 2 + random.below(2),
            Semicolon | Dollar => random.below(2),
            _ => random.below(4).saturating_sub(1),
        };
        let free = space.is_empty() || sides.iter().any(|it| stands_alone(*it));
        for _ in 0..ends {
            blanks(&mut out, 0, random);
            out.push(b'\n');
        }
        blanks(&mut out, usize::from(ends == 0 && !free), random);
        out.extend_from_slice(&text);
        before = Some(kind);
    }
    out
}

/// At least so many blanks and tabs.
fn blanks(out: &mut Vec<u8>, least: usize, random: &mut Random) {
    for _ in 0..least + random.below(3) {
        out.push(*random.pick(b" \t"));
    }
}

#[test]
fn other_white_space_gives_the_same() {
    let mut random = Random::new(1);
    for Text { name, text } in texts() {
        let expected = formatted(&text);
        for _ in 0..8 {
            let other = respaced(&text, &mut random);
            let given = formatted(&other);
            let [other, given] = [&other, &given].map(|text| String::from_utf8_lossy(text));
            assert!(given.as_bytes() == expected, "{name}\n{other}\n-- gives\n{given}");
        }
    }
}

/// The text with comments between some tokens.
fn commented(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    for Lexeme { kind: _, space, text } in lexemes(text) {
        out.extend_from_slice(&space);
        while random.chance(10) {
            out.extend_from_slice(random.pick(&[" ", "\n", "\n\n  "]).as_bytes());
            out.extend_from_slice(random.pick(&["% c %", "% c\n d %", "%%"]).as_bytes());
            out.extend_from_slice(random.pick(&[" ", "", "\n", " \n\n "]).as_bytes());
        }
        out.extend_from_slice(&text);
    }
    out
}

#[test]
fn comments_stay_where_they_are() {
    let mut random = Random::new(2);
    for Text { name, text } in texts() {
        for _ in 0..4 {
            let text = commented(&text, &mut random);
            let once = formatted(&text);
            let again = formatted(&once);
            let [text, shown] = [&text, &once].map(|text| String::from_utf8_lossy(text));
            assert!(again == once, "{name}\n{text}\n-- gives\n{shown}");
            let same = ends_beside(&text) == ends_beside(&shown);
            assert!(same, "{name}\n{text}\n-- gives\n{shown}");
        }
    }
}

/// Of each comment whether a line ends behind it, and if so, whether one ends before it, too.
fn ends_beside(text: &str) -> Vec<Option<bool>> {
    let lexemes = lexemes(text.as_bytes());
    let ends = |it: &Lexeme| it.kind == End || it.space.contains(&b'\n');
    let pairs = lexemes.iter().zip(&lexemes[1..]).enumerate();
    let comments = pairs.filter(|(_, (comment, _))| comment.kind == Comment);
    comments.map(|(at, (it, next))| ends(next).then(|| at == 0 || ends(it))).collect()
}
