//! The comment directly above a definition, which documents it.
//!
//! ```text
//! x = 1;  % about x %       behind a form: of nothing below
//!
//! % The mean of a
//!   sequence. %             directly above: of `mean`
//! function mean(s) = ...
//! ```
//!
//! Several comments on lines without an empty one between them are one.

use crate::kind::{SyntaxKind, SyntaxNode, SyntaxToken};

/// The text of the comments that end on the line above a node.
pub(super) fn above(node: &SyntaxNode) -> Option<String> {
    let mut texts = Vec::new();
    let mut below = node.first_token()?;
    while let Some(comment) = directly_above(&below) {
        texts.push(text(comment.text()));
        below = comment;
    }
    texts.reverse();
    texts.retain(|text| !text.is_empty());
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The comment that ends on the line above a token, or directly before another comment, if only
/// comments begin on its line.
fn directly_above(below: &SyntaxToken) -> Option<SyntaxToken> {
    let mut comment = below.prev_token()?;
    if comment.kind() == SyntaxKind::Space {
        if comment.text().matches('\n').count() != 1 {
            return None;
        }
        comment = comment.prev_token()?;
    } else if below.kind() != SyntaxKind::Comment {
        return None;
    }
    let before = std::iter::successors(comment.prev_token(), SyntaxToken::prev_token);
    let mut same_line = before.take_while(|token| !token.text().contains('\n'));
    let alone = same_line.all(|token| token.kind().is_trivia());
    (comment.kind() == SyntaxKind::Comment && alone).then_some(comment)
}

/// The lines of a comment without its signs, and without lines of ornament at its ends.
fn text(comment: &str) -> String {
    let lines: Vec<&str> = comment.trim_matches('%').lines().map(str::trim).collect();
    let says = |line: &&str| line.contains(char::is_alphanumeric);
    let first = lines.iter().position(says);
    let last = lines.iter().rposition(says);
    match (first, last) {
        (Some(first), Some(last)) => lines[first..=last].join("\n"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use base::Id;

    fn check(text: &str, expected: Option<&str>) {
        let group = crate::parse(Id::new(0), text.as_bytes());
        let last = group.forms.last().unwrap();
        assert_eq!(last.comment.as_deref(), expected, "{text}");
    }

    #[test]
    fn comments_directly_above_document() {
        check("% The mean. %\nfunction g(x) = x;", Some("The mean."));
        check("x = 1;\n  % of x,\n    and y %\r\n(x, y) = (1, 2);", Some("of x,\nand y"));
        check("% one %\n% two %\ndatatype p(int, int);", Some("one\ntwo"));
        check("%%%%%%\n% Box %\n%%%%%%\nfunction g(x) = x;", Some("Box"));
        check("% ----\n  Box\n  ---- %\nfunction g(x) = x;", Some("Box"));
    }

    #[test]
    fn other_comments_do_not() {
        check("% The mean. % function g(x) = x;", None);
        check("% The licence. %\n\nfunction g(x) = x;", None);
        check("x = 1; % of x %\nfunction g(x) = x;", None);
        check("x = 1 % of x %\n; function g(x) = x;", None);
        check("% ---- %\nfunction g(x) = x;", None);
        check("function g(x) = % body %\nx;", None);
        check("% of no definition %\n1 + 1;", None);
    }
}
