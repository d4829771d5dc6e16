//! Inlay hints: the types of definitions that are written without one, and of what `let` binds.
//!
//! ```text
//! function double(s)⟨: [a] -> [a] :: (a in number)⟩ = let n⟨: int⟩ = #s in {x + x : x in s};
//! rows⟨: [[int]]⟩ = [[1, 2], []];
//! ```

use crate::names::{SymbolId, SymbolKind};
use crate::server::View;
use base::Span;
use gen_lsp_types::{InlayHint, InlayHintKind, Range};
use syntax::SyntaxNode;
use syntax::ast::{FormKind, Pattern, PatternKind};
use types::{show_scheme, show_type_within};

/// The types to be shown in a range.
pub(crate) fn hints(view: &View, range: Range) -> Option<Vec<InlayHint>> {
    let analysis = view.analysis;
    let wanted = analysis.text.span(analysis.file, range);
    let forms = analysis.group.forms.iter().zip(analysis.tree.root().children());
    let shown =
        forms.filter(|(form, _)| form.span.start <= wanted.end && wanted.start <= form.span.end);
    let mut hints = Vec::new();
    for (form, node) in shown {
        match &form.kind {
            FormKind::Function(function) if function.ty.is_none() => {
                let end = header_end(&node);
                hints.extend(end.and_then(|end| hint(view, function.name.span, end)));
            }
            FormKind::Binding(pattern, _) => bound(view, pattern, &mut hints),
            _ => {}
        }
    }
    hints.extend(lets(view, wanted));
    hints.sort_by_key(|hint| hint.position);
    Some(hints)
}

/// The types of what `let` binds in a part of the text.
fn lets(view: &View, wanted: Span) -> impl Iterator<Item = InlayHint> {
    let (program, analysis) = (view.library.program(), view.analysis);
    let symbols = analysis.names.symbols.values();
    let places = symbols.filter(|it| it.kind == SymbolKind::Let).flat_map(|it| &it.places);
    let shown = places.filter(move |it| it.start <= wanted.end && wanted.start <= it.end);
    shown.filter_map(|place| {
        let typed = analysis.typed_name(program, *place)?;
        Some(shown_at(view, place.end, &show_type_within(program, &typed.scheme, &typed.ty)))
    })
}

/// Where the parameters of a function end.
fn header_end(form: &SyntaxNode) -> Option<u32> {
    let ends = [syntax::SyntaxKind::Equal, syntax::SyntaxKind::Doc];
    let parts = form.children_with_tokens().filter(|part| !part.kind().is_trivia());
    let header = parts.take_while(|part| !ends.contains(&part.kind()));
    header.last().map(|part| part.text_range().end().into())
}

fn bound(view: &View, pattern: &Pattern, hints: &mut Vec<InlayHint>) {
    match &pattern.kind {
        PatternKind::Name(_) => {
            let name = view.analysis.names.at(pattern.span.end);
            hints.extend(name.and_then(|name| hint(view, name.span, name.span.end)));
        }
        PatternKind::Pair(a, b) => {
            bound(view, a, hints);
            bound(view, b, hints);
        }
        PatternKind::Construct(_, fields) => bound(view, fields, hints),
        PatternKind::Wildcard | PatternKind::Invalid(_) => {}
    }
}

/// The type of the name that is defined at a place.
fn hint(view: &View, place: Span, end: u32) -> Option<InlayHint> {
    let (program, analysis) = (view.library.program(), view.analysis);
    let symbol: SymbolId = analysis.names.at_span(place)?.symbol?;
    let definition = analysis.defined_at(program, symbol, place)?;
    Some(shown_at(view, end, &show_scheme(program, &definition.scheme)))
}

/// A type behind what ends at a byte.
fn shown_at(view: &View, end: u32, ty: &str) -> InlayHint {
    InlayHint {
        position: view.analysis.text.position(end),
        label: format!(": {ty}").into(),
        kind: Some(InlayHintKind::Type),
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}
