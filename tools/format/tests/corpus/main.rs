//! Every NESL text of the repository, formatted: what must hold whatever the layout is.

mod respacing;

use base::Id;
use format::{WIDTH, format};
use syntax::{SyntaxElement, SyntaxKind, Tree};
use testkit::texts::{Text, texts};

/// A text that parses, formatted.
fn formatted(text: &[u8]) -> Vec<u8> {
    let bytes = String::from_utf8_lossy(text);
    format(base::FileId::new(0), text, WIDTH).unwrap_or_else(|errors| panic!("{errors:?}: {bytes}"))
}

fn tree(text: &[u8]) -> Tree {
    syntax::parse_tree(base::FileId::new(0), text)
}

/// Kinds of nodes and texts of tokens in order of the text, white space aside.
fn outline(text: &[u8]) -> Vec<(SyntaxKind, Vec<u8>)> {
    let tree = tree(text);
    let parts = tree.root().descendants_with_tokens();
    let parts = parts.filter(|part| part.kind() != SyntaxKind::Space);
    // Comments do not belong to a node: which one is around them may change.
    let (comments, parts): (Vec<_>, Vec<_>) =
        parts.partition(|part| part.kind() == SyntaxKind::Comment);
    let shown = |part: &SyntaxElement| match part {
        SyntaxElement::Node(node) => (node.kind(), Vec::new()),
        SyntaxElement::Token(token) => (token.kind(), tree.bytes(token.text_range()).to_vec()),
    };
    parts.iter().chain(&comments).map(shown).collect()
}

/// Whether this line, a part of the text, stands in a comment or string that began before it.
fn inside_comment(text: &str, line: &str) -> bool {
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let tree = tree(text.as_bytes());
    let mut tokens = tree.root().descendants_with_tokens().filter_map(|it| it.into_token());
    tokens.any(|token| {
        let range = token.text_range();
        !matches!(token.kind(), SyntaxKind::Space)
            && usize::from(range.start()) < start
            && usize::from(range.end()) > start
    })
}

#[test]
fn only_white_space_changes() {
    for Text { name, text } in texts() {
        assert!(outline(&formatted(&text)) == outline(&text), "{name}");
    }
}

#[test]
fn what_is_formatted_stays() {
    for Text { name, text } in texts() {
        let once = formatted(&text);
        let again = formatted(&once);
        assert!(once == again, "{name}: {}", String::from_utf8_lossy(&again));
    }
}

#[test]
fn lines_fit_and_end_well() {
    for Text { name, text } in texts() {
        let text = formatted(&text);
        let text = String::from_utf8_lossy(&text);
        for line in text.lines() {
            // Nothing ends the lines of comments.
            let ours = !line.contains('%');
            let comment = inside_comment(&text, line);
            assert!(!ours || comment || line.chars().count() <= WIDTH, "{name}: {line}");
            assert!(comment || !line.ends_with(' ') || line.ends_with("` "), "{name}: {line:?}");
        }
        assert!(text.is_empty() || text.ends_with('\n') && !text.ends_with("\n\n"), "{name}");
    }
}

#[test]
fn the_library_is_formatted() {
    let mut files = 0;
    for Text { name, text } in texts().into_iter().filter(|it| it.name.contains("/stdlib/")) {
        files += 1;
        assert!(formatted(&text) == text, "{name}: format it with `nesl fmt`");
    }
    assert!(files > 10, "{files} files of the library are too few");
}
