//! Semantic tokens: what each word of a text is, for its colour.
//!
//! Kinds of the lexer decide about all but names; what the name stands for decides about those.
//! A token of the protocol ends with its line, so comments and strings are cut.

use crate::analysis::Analysis;
use crate::names::SymbolKind;
use crate::server::View;
use base::Span;
use gen_lsp_types::{
    Range, SemanticToken, SemanticTokens, SemanticTokensLegend, SemanticTokensOptions,
};
use syntax::{SyntaxElement, SyntaxKind, SyntaxToken};
use types::{Class, Type};

/// Kinds of token, as the legend numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Comment,
    String,
    Number,
    Keyword,
    Operator,
    Function,
    Variable,
    Parameter,
    Type,
    TypeParameter,
}

/// The names of the kinds, in their order.
const LEGEND: [&str; 10] = [
    "comment",
    "string",
    "number",
    "keyword",
    "operator",
    "function",
    "variable",
    "parameter",
    "type",
    "typeParameter",
];

/// The bit of names of the library.
const LIBRARY: u32 = 1;

/// What the server says about its tokens.
pub(crate) fn options() -> SemanticTokensOptions {
    let legend = SemanticTokensLegend {
        token_types: LEGEND.map(str::to_owned).to_vec(),
        token_modifiers: vec!["defaultLibrary".to_owned()],
    };
    SemanticTokensOptions {
        legend,
        full: Some(true.into()),
        range: Some(true.into()),
        ..SemanticTokensOptions::default()
    }
}

/// The tokens of a text, or of a part of it.
pub(crate) fn tokens(view: &View, range: Option<Range>) -> Option<SemanticTokens> {
    let analysis = view.analysis;
    let wanted = range.map(|range| analysis.text.span(analysis.file, range));
    let is_wanted = |element: &SyntaxElement| {
        let range = element.text_range();
        let (start, end) = (u32::from(range.start()), u32::from(range.end()));
        wanted.is_none_or(|wanted| start < wanted.end && wanted.start < end)
    };
    let forms = analysis.tree.root().children_with_tokens().filter(is_wanted);
    let elements = forms.flat_map(|element| match element {
        SyntaxElement::Node(node) => node.descendants_with_tokens().collect(),
        SyntaxElement::Token(_) => vec![element],
    });
    let elements = elements.filter(is_wanted);
    let mut data = Vec::new();
    let (mut line, mut start) = (0, 0);
    for token in elements.filter_map(|element| element.into_token()) {
        let Some((kind, modifiers)) = kind(view, &token) else { continue };
        for part in lines(analysis, analysis.span(&token)) {
            let range = analysis.text.range(part);
            let at = range.start;
            let before = if at.line == line { start } else { 0 };
            data.push(SemanticToken {
                delta_line: at.line - line,
                delta_start: at.character - before,
                length: range.end.character - at.character,
                token_type: kind as u32,
                token_modifiers_bitset: modifiers,
            });
            (line, start) = (at.line, at.character);
        }
    }
    Some(SemanticTokens { result_id: None, data })
}

/// The parts of a span that lie on one line each.
fn lines(analysis: &Analysis, span: Span) -> Vec<Span> {
    let mut start = span.start;
    let mut parts = Vec::new();
    for line in analysis.text.at(span).split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\r', '\n']).len() as u32;
        if start < end {
            parts.push(Span::new(span.file, start, end));
        }
        start += line.len() as u32;
    }
    parts
}

fn kind(view: &View, token: &SyntaxToken) -> Option<(Kind, u32)> {
    let kind = match token.kind() {
        SyntaxKind::Comment => Kind::Comment,
        SyntaxKind::Str | SyntaxKind::Char => Kind::String,
        SyntaxKind::Int | SyntaxKind::Float => Kind::Number,
        SyntaxKind::Ident => return name(view, token),
        other => {
            let text = other.text()?;
            let is_bracket = |c: char| "()[]{},;:|$_".contains(c);
            match text {
                _ if text.chars().all(is_bracket) && text != "||" => return None,
                _ if text.starts_with(|c: char| c.is_ascii_alphabetic()) => Kind::Keyword,
                _ => Kind::Operator,
            }
        }
    };
    Some((kind, 0))
}

/// What a name stands for, and whether it is the library's.
fn name(view: &View, token: &SyntaxToken) -> Option<(Kind, u32)> {
    let analysis = view.analysis;
    let span = analysis.span(token);
    let occurrence = analysis.names.at_span(span);
    if let Some(symbol) = occurrence.and_then(|occurrence| occurrence.symbol) {
        let kind = match analysis.names.symbols[symbol].kind {
            SymbolKind::Function => Kind::Function,
            SymbolKind::Datatype => Kind::Type,
            SymbolKind::Parameter => Kind::Parameter,
            SymbolKind::Value | SymbolKind::Let | SymbolKind::Element => Kind::Variable,
        };
        return Some((kind, 0));
    }
    let text = token.text().to_ascii_lowercase();
    if occurrence.is_none() {
        return match token.parent()?.kind() {
            SyntaxKind::NameType if base_type(&text) => Some((Kind::Type, LIBRARY)),
            SyntaxKind::ClassBound if Class::parse(&text).is_some() => Some((Kind::Type, LIBRARY)),
            SyntaxKind::NameType | SyntaxKind::ClassBound => Some((Kind::TypeParameter, 0)),
            SyntaxKind::CommandForm => Some((Kind::Keyword, 0)),
            _ => None,
        };
    }
    let global = view.library.lookup(&text)?;
    match view.library.program().globals[global].scheme.ty {
        Type::Fun(..) => Some((Kind::Function, LIBRARY)),
        _ => Some((Kind::Variable, LIBRARY)),
    }
}

fn base_type(name: &str) -> bool {
    types::Base::ALL.into_iter().any(|base| types::base_name(base) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_all_kinds() {
        assert_eq!(LEGEND[Kind::Comment as usize], "comment");
        assert_eq!(LEGEND[Kind::Parameter as usize], "parameter");
        assert_eq!(LEGEND[Kind::TypeParameter as usize], "typeParameter");
    }
}
