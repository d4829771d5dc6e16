//! Hover: the type of what stands at a place, and the documentation of a top-level name, which is
//! its documentation string or the comment above it.
//!
//! ```text
//! plus_scan : [a] -> [a] :: (a in number)
//! ---
//! prefix sums
//! work n, depth 1
//! ---
//! plus_scan([3, 1, 4, 1]) ==> [0, 3, 4, 8]
//! ```

use crate::names::{Occurrence, SymbolKind};
use crate::server::View;
use base::Span;
use gen_lsp_types::{Hover, MarkupContent, MarkupKind, Position};
use stdlib::{Example, documentation};
use syntax::SyntaxKind;
use types::tree::Definition;
use types::{show_scheme, show_type_within};

/// What is known of a place.
pub(crate) fn hover(view: &View, position: Position) -> Option<Hover> {
    let analysis = view.analysis;
    let offset = analysis.text.offset(position);
    let (span, value) = match analysis.names.at(offset) {
        Some(name) => (name.span, name_text(view, name)?),
        None => {
            let token = analysis.token_at(offset).filter(|token| !token.kind().is_trivia())?;
            let span = analysis.span(&token);
            (span, token_text(view, token.kind(), span)?)
        }
    };
    let contents = MarkupContent { kind: MarkupKind::Markdown, value }.into();
    Some(Hover { contents, range: Some(analysis.text.range(span)) })
}

/// What is said of a name.
fn name_text(view: &View, name: &Occurrence) -> Option<String> {
    let (program, analysis) = (view.library.program(), view.analysis);
    let known = name.symbol.map(|symbol| &analysis.names.symbols[symbol]);
    if known.is_some_and(|it| it.scope.is_some() || it.kind == SymbolKind::Parameter) {
        let typed = analysis.typed_name(program, name.span)?;
        let ty = show_type_within(program, &typed.scheme, &typed.ty);
        return Some(code(&format!("{} : {ty}", name.name)));
    }
    let definition = definition_of(view, &name.name, name.span)?;
    Some(definition_text(view, &name.name, definition))
}

/// The definition of a top-level name that stands at a place.
pub(crate) fn definition_of<'v>(view: &'v View, name: &str, place: Span) -> Option<&'v Definition> {
    let (program, analysis) = (view.library.program(), view.analysis);
    let used = analysis.typed_name(program, place).and_then(|typed| typed.global);
    let Some(symbol) = analysis.names.at_span(place).and_then(|it| it.symbol) else {
        // In a form that does not parse no name has a symbol.
        let own = analysis.definitions.named(name).last().copied();
        let global = used.or(own).or_else(|| view.library.lookup(name))?;
        return Some(&program.globals[global]);
    };
    let used = used.map(|global| &program.globals[global]);
    analysis
        .defined_at(program, symbol, place)
        .or(used.filter(|used| used.name == name))
        .or_else(|| analysis.definition(program, symbol))
}

/// What is said of a token that is no name: an operator's function, or an expression's type.
fn token_text(view: &View, kind: SyntaxKind, span: Span) -> Option<String> {
    let program = view.library.program();
    let typed = view.analysis.typed_at(program, span)?;
    let operator = kind.text().and_then(|sign| {
        let global = view.library.lookup(sign)?;
        Some(definition_text(view, sign, &program.globals[global]))
    });
    let ty = || code(&format!(": {}", show_type_within(program, &typed.scheme, &typed.ty)));
    Some(operator.unwrap_or_else(ty))
}

/// What is said of a definition.
fn definition_text(view: &View, name: &str, definition: &Definition) -> String {
    let scheme = show_scheme(view.library.program(), &definition.scheme);
    let mut text = code(&format!("{name} : {scheme}"));
    let Some(doc) = documentation(name, definition) else { return text };
    let cost = doc.cost.map(|cost| cost.to_string());
    for part in std::iter::once(doc.text).chain(cost).filter(|part| !part.is_empty()) {
        text += "\n\n";
        text += &part;
    }
    if !doc.examples.is_empty() {
        let examples: Vec<String> = doc.examples.iter().map(Example::to_string).collect();
        text += "\n\n";
        text += &code(&examples.join("\n"));
    }
    text
}

fn code(text: &str) -> String {
    format!("```nesl\n{text}\n```")
}
