//! Document symbols: the definitions of a text, in its order, with their types.

use crate::names::{Symbol, SymbolId};
use crate::server::View;
use base::Span;
use gen_lsp_types::{DocumentSymbol, DocumentSymbolResponse, SymbolKind};
use types::show_scheme;

/// The definitions.
pub(crate) fn symbols(view: &View) -> Option<DocumentSymbolResponse> {
    let names = &view.analysis.names;
    let mut found: Vec<(Span, SymbolId)> = Vec::new();
    for form in &view.analysis.group.forms {
        let inside = |place: &Span| {
            let form = form.span;
            place.file == form.file && form.start <= place.start && place.end <= form.end
        };
        let global = |(_, symbol): &(SymbolId, &Symbol)| kind(symbol).is_some();
        for (id, symbol) in names.symbols.iter().filter(global) {
            found.extend(symbol.places.iter().copied().filter(inside).map(|place| (place, id)));
        }
    }
    found.sort();
    let symbols: Vec<DocumentSymbol> =
        found.into_iter().filter_map(|(place, id)| symbol(view, place, id)).collect();
    Some(symbols.into())
}

fn kind(symbol: &Symbol) -> Option<SymbolKind> {
    use crate::names::SymbolKind as Kind;
    match symbol.kind {
        Kind::Function => Some(SymbolKind::Function),
        Kind::Value => Some(SymbolKind::Variable),
        Kind::Datatype => Some(SymbolKind::Struct),
        Kind::Parameter | Kind::Let | Kind::Element => None,
    }
}

fn symbol(view: &View, place: Span, id: SymbolId) -> Option<DocumentSymbol> {
    let (program, analysis) = (view.library.program(), view.analysis);
    let known = &analysis.names.symbols[id];
    let around = |span: Span| span.start <= place.start && place.end <= span.end;
    let form = analysis.group.forms.iter().find(|form| around(form.span))?;
    let definition = analysis.defined_at(program, id, place);
    #[expect(deprecated, reason = "the protocol has no other constructor for this structure")]
    Some(DocumentSymbol {
        name: known.name.clone(),
        detail: definition.map(|definition| show_scheme(program, &definition.scheme)),
        kind: kind(known)?,
        tags: None,
        deprecated: None,
        range: analysis.text.range(form.span),
        selection_range: analysis.text.range(place),
        children: None,
    })
}
