//! Signature help: the function whose arguments are being written, and which of them it is.
//!
//! ```text
//! take("abc", ¦        take : ([a], int) -> [a]      the second
//! ```
//!
//! What is being written seldom parses, so tokens are read backwards to the parenthesis that is
//! still open.

use crate::features::hover;
use crate::server::View;
use gen_lsp_types::{
    ActiveParameter, Documentation, MarkupContent, MarkupKind, ParameterInformation,
    ParameterInformationLabel, Position, SignatureHelp, SignatureInformation,
};
use stdlib::documentation;
use syntax::{SyntaxKind, SyntaxToken};
use types::tree::{Definition, Program};
use types::{Type, show_scheme, show_type_within};

/// What is known of the function around a place.
pub(crate) fn signature(view: &View, position: Position) -> Option<SignatureHelp> {
    let offset = view.analysis.text.offset(position);
    let (function, argument) = called(view, offset)?;
    let name = function.text().to_ascii_lowercase();
    let definition = hover::definition_of(view, &name, view.analysis.span(&function))?;
    let Type::Fun(param, _) = &definition.scheme.ty else { return None };
    let program = view.library.program();
    let (label, parameters) = labels(view, program, &name, definition, param);
    let last = parameters.len().saturating_sub(1) as u32;
    let text = documentation(&name, definition).map(|doc| doc.lines().join("\n"));
    let documentation = text.filter(|text| !text.is_empty()).map(|value| {
        Documentation::MarkupContent(MarkupContent { kind: MarkupKind::PlainText, value })
    });
    let active = Some(ActiveParameter::Int(argument.min(last)));
    let signature = SignatureInformation {
        label,
        documentation,
        parameters: Some(parameters),
        active_parameter: None,
    };
    Some(SignatureHelp {
        signatures: vec![signature],
        active_signature: Some(0),
        active_parameter: active,
    })
}

/// The name before the innermost parenthesis that is open at a place, and how many commas follow.
fn called(view: &View, offset: u32) -> Option<(SyntaxToken, u32)> {
    let root = view.analysis.tree.root();
    let mut token = root.token_at_offset(offset.into()).left_biased();
    let (mut closed, mut commas) = (0, 0);
    while let Some(at) = token {
        let before = previous(&at);
        let behind = u32::from(at.text_range().end()) > offset;
        match at.kind() {
            _ if behind => {}
            SyntaxKind::RightParen | SyntaxKind::RightBracket | SyntaxKind::RightBrace => {
                closed += 1;
            }
            SyntaxKind::LeftParen | SyntaxKind::LeftBracket | SyntaxKind::LeftBrace
                if closed > 0 =>
            {
                closed -= 1;
            }
            SyntaxKind::LeftParen => match before {
                Some(name) if name.kind() == SyntaxKind::Ident => return Some((name, commas)),
                _ => commas = 0,
            },
            SyntaxKind::LeftBracket | SyntaxKind::LeftBrace => commas = 0,
            SyntaxKind::Comma if closed == 0 => commas += 1,
            kind if kind.is_terminator() => return None,
            _ => {}
        }
        token = before;
    }
    None
}

/// The token before another that is not white space or a comment.
fn previous(token: &SyntaxToken) -> Option<SyntaxToken> {
    std::iter::successors(token.prev_token(), SyntaxToken::prev_token)
        .find(|token| !token.kind().is_trivia())
}

/// The name with its type, and the places of the parameters in that.
fn labels(
    view: &View,
    program: &Program,
    name: &str,
    definition: &Definition,
    param: &Type,
) -> (String, Vec<ParameterInformation>) {
    let head = format!("{name} : ");
    let scheme = show_scheme(program, &definition.scheme);
    let mut parts = Vec::new();
    let mut rest = param;
    while let Type::Pair(first, others) = rest {
        parts.push(first.as_ref());
        rest = others;
    }
    parts.push(rest);
    let shown: Vec<String> =
        parts.iter().map(|ty| show_type_within(program, &definition.scheme, ty)).collect();
    let label = format!("{head}{scheme}");
    let open = if shown.len() > 1 { "(" } else { "" };
    if !scheme.starts_with(&format!("{open}{}", shown.join(", "))) {
        return (label, Vec::new());
    }
    let text = &view.analysis.text;
    let mut at = text.units(&head) + open.len() as u32;
    let parameter = |part: &String| {
        let end = at + text.units(part);
        let label = ParameterInformationLabel::Tuple((at, end));
        at = end + 2;
        ParameterInformation { label, documentation: None }
    };
    (label, shown.iter().map(parameter).collect())
}
