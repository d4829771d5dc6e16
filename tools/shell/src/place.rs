//! The names and signs that a place in a text is about: what stands there, and the functions
//! whose arguments stand around it, innermost first.
//!
//! ```text
//! take(plus_sc|an(a), 3)       plus_scan, take
//! take(plus_scan(a), 3|)       3, take
//! take(plus_scan(a),| 3)       take, `,`
//! {x + y| : x in a}            y
//! ```

use crate::tree;
use syntax::SyntaxKind;

/// A token that is no blank and no comment.
struct Token {
    kind: SyntaxKind,
    start: usize,
    end: usize,
    text: String,
}

/// The names and signs at a place, which is an offset in bytes.
pub fn names_at(text: &str, at: usize) -> Vec<String> {
    let tokens = tokens(text);
    let there = tokens.iter().find(|token| token.start <= at && at < token.end);
    // Behind a word the cursor still points to it, rather than to the sign that follows.
    let before = tokens.iter().find(|token| token.end == at);
    let chosen = match (before, there) {
        (Some(word), _) if is_word(word) => Some(word),
        (before, there) => there.or(before),
    };
    let mut names = functions_around(&tokens, at);
    if let Some(chosen) = chosen {
        // Among arguments a bracket or comma says less than the function.
        let is_between = ["(", ")", "[", "]", ",", ";"].contains(&chosen.text.as_str());
        names.insert(if is_between { names.len() } else { 0 }, chosen.text.clone());
    }
    names
}

fn tokens(text: &str) -> Vec<Token> {
    let tree = tree(text);
    let tokens = tree.root().descendants_with_tokens().filter_map(|part| part.into_token());
    let tokens = tokens.filter(|token| !token.kind().is_trivia()).map(|token| {
        let range = token.text_range();
        let (start, end) = (range.start().into(), range.end().into());
        // The tree may have a stand-in for a character.
        let text = text.get(start..end).unwrap_or_default().to_ascii_lowercase();
        Token { kind: token.kind(), start, end, text }
    });
    tokens.collect()
}

fn is_word(token: &Token) -> bool {
    token.text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// The functions in the brackets of whose arguments the place lies.
fn functions_around(tokens: &[Token], at: usize) -> Vec<String> {
    let mut closed = 0_usize;
    let mut functions = Vec::new();
    let before = tokens.iter().take_while(|token| token.end <= at).count();
    for (n, token) in tokens[..before].iter().enumerate().rev() {
        match token.text.as_str() {
            ")" | "]" | "}" => closed += 1,
            "(" | "[" | "{" if closed > 0 => closed -= 1,
            "(" => {
                let name = n.checked_sub(1).map(|n| &tokens[n]);
                let name = name.filter(|name| name.kind == SyntaxKind::Ident);
                functions.extend(name.map(|name| name.text.clone()));
            }
            _ if token.kind.is_terminator() => break,
            _ => {}
        }
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place is where `|` stands.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let at = text.find('|').unwrap();
        assert_eq!(names_at(&text.replacen('|', "", 1), at), expected, "{text}");
    }

    #[test]
    fn words_and_signs() {
        check("plus_sc|an(a);", &["plus_scan"]);
        check("SUM|(a);", &["sum"]);
        check("a |-> b;", &["->"]);
        check("1; {x : x in a; y in b|}", &["b"]);
        check("|", &[]);
    }

    #[test]
    fn functions_whose_arguments_stand_there() {
        check("take(plus_sc|an(a), 3);", &["plus_scan", "take"]);
        check("take(plus_scan(a), 3|", &["3", "take"]);
        check("sum(a); take({x : x in v},| ", &["take", ","]);
        check("g(1, (2 + 3) * |", &["g"]);
        check("h(a); g|", &["g"]);
    }
}
