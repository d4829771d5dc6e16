//! The names that a form defines.  Of one that does not parse, those that it seems to define are
//! found among its tokens, so that it is no error of its own when they are missing.

use crate::ast::{FormKind, PatternKind};
use crate::grammar::habits::defining_word;
use crate::kind::{SyntaxKind, SyntaxNode, SyntaxToken};

/// The names that a form is to define.
pub(super) fn names(form: &FormKind, node: &SyntaxNode) -> Vec<String> {
    match form {
        FormKind::Function(function) => vec![function.name.text.clone()],
        FormKind::Datatype(datatype) => vec![datatype.name.text.clone()],
        FormKind::Binding(pattern, _) => {
            let mut names = Vec::new();
            pattern.walk(&mut |part| match &part.kind {
                PatternKind::Name(name) => names.push(name.clone()),
                // `g(x) = x + 1` was to define `g`, if there is no datatype of this name.
                PatternKind::Construct(name, _) => names.push(name.text.clone()),
                _ => {}
            });
            // What cannot be bound may begin behind what was to be a comment.
            if names.is_empty() { announced(node) } else { names }
        }
        FormKind::Exp(_) => vec!["it".to_owned()],
        FormKind::Command(..) => Vec::new(),
        FormKind::Error(_) => announced(node),
    }
}

/// The names behind `function` and `datatype`, and those that lines begin to bind: where a
/// terminator is missing, one form seems to define all that several were to define.  A `let` that
/// begins a form and has no `in` was to define its names, too.
fn announced(node: &SyntaxNode) -> Vec<String> {
    let mut names = Vec::new();
    let mut line: Vec<SyntaxToken> = Vec::new();
    let mut defines = false;
    let mut first = None;
    let tokens = node.descendants_with_tokens().filter_map(|part| part.into_token());
    for token in tokens {
        match token.kind() {
            SyntaxKind::Space if token.text().contains('\n') => line.clear(),
            kind if kind.is_trivia() => {}
            SyntaxKind::Let | SyntaxKind::Semicolon
                if *first.get_or_insert(token.kind()) == SyntaxKind::Let =>
            {
                line.clear();
            }
            kind => {
                first.get_or_insert(kind);
                if defines {
                    names.push(text(&token));
                }
                if kind == SyntaxKind::Equal && line.iter().all(is_of_pattern) {
                    let bound = line.iter().filter(|token| is_name(token));
                    names.extend(bound.map(text));
                }
                defines = matches!(kind, SyntaxKind::Function | SyntaxKind::Datatype)
                    || line.is_empty() && defining_word(&text(&token)).is_some();
                line.push(token);
            }
        }
    }
    names
}

fn text(token: &SyntaxToken) -> String {
    token.text().to_ascii_lowercase()
}

/// Whether a token is a name, or a letter that somebody may take for one.
fn is_name(token: &SyntaxToken) -> bool {
    matches!(token.kind(), SyntaxKind::Ident | SyntaxKind::True | SyntaxKind::False)
}

/// Whether a token may stand in a pattern of names.
fn is_of_pattern(token: &SyntaxToken) -> bool {
    let brackets = matches!(token.kind(), SyntaxKind::LeftParen | SyntaxKind::RightParen);
    brackets || is_name(token) || matches!(token.kind(), SyntaxKind::Wildcard | SyntaxKind::Comma)
}
