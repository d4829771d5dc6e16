//! The call hierarchy: who uses a function, and which functions it uses, over all texts that are
//! open.
//!
//! ```text
//! f ◀─ g ◀─ main       incoming calls of f: g; of g: main
//! ```

use crate::features::library_text;
use crate::names::{SymbolId, SymbolKind};
use crate::server::{Server, View};
use base::Span;
use gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Position, Range, Uri,
};
use std::collections::BTreeMap;
use syntax::ast::{Form, FormKind};
use types::{Type, show_scheme};

/// The function at a place.
pub(crate) fn prepare(view: &mut View, position: Position) -> Option<Vec<CallHierarchyItem>> {
    let name = view.analysis.names.at(view.analysis.text.offset(position))?;
    let item = match name.symbol {
        Some(symbol) => of_symbol(view, symbol)?,
        None => of_library(view, &name.name)?,
    };
    Some(vec![item])
}

/// A function that a text defines, or one that it loads.
fn of_symbol(view: &View, symbol: SymbolId) -> Option<CallHierarchyItem> {
    let analysis = view.analysis;
    let known = &analysis.names.symbols[symbol];
    if known.kind != SymbolKind::Function {
        return None;
    }
    let place = *known.places.last()?;
    let around = match analysis.form_at(place).filter(|_| place.file == analysis.file) {
        Some(form) => analysis.group.forms[form].span,
        None => place,
    };
    let definition = analysis.definition(view.library.program(), symbol);
    let location = analysis.location(view.uri, place)?;
    Some(CallHierarchyItem {
        name: known.name.to_string(),
        kind: gen_lsp_types::SymbolKind::Function,
        tags: None,
        detail: definition.map(|it| show_scheme(view.library.program(), &it.scheme)),
        uri: location.uri,
        range: analysis.location(view.uri, around)?.range,
        selection_range: location.range,
        data: None,
    })
}

/// A function of the library that has a text.
fn of_library(view: &View, name: &str) -> Option<CallHierarchyItem> {
    let program = view.library.program();
    let definition = &program.globals[view.library.lookup(name)?];
    let Type::Fun(..) = definition.scheme.ty else { return None };
    let place = library_text::name_in(definition.span, name);
    Some(CallHierarchyItem {
        name: name.to_owned(),
        kind: gen_lsp_types::SymbolKind::Function,
        tags: None,
        detail: Some(show_scheme(program, &definition.scheme)),
        uri: view.analysis.location(view.uri, definition.span)?.uri,
        range: view.analysis.location(view.uri, definition.span)?.range,
        selection_range: view.analysis.location(view.uri, place)?.range,
        data: None,
    })
}

/// The forms of all open texts that use a function.
pub(crate) fn incoming(
    server: &mut Server,
    open: &[Uri],
    item: &CallHierarchyItem,
) -> Vec<CallHierarchyIncomingCall> {
    let mut calls = Vec::new();
    for uri in open {
        let Some(view) = server.view(uri) else { continue };
        let mut by_form: BTreeMap<usize, Vec<Range>> = BTreeMap::new();
        for place in uses(&view, item) {
            if let Some(form) = view.analysis.form_at(place) {
                by_form.entry(form).or_default().push(view.analysis.text.range(place));
            }
        }
        for (form, from_ranges) in by_form {
            let from = caller(&view, &view.analysis.group.forms[form]);
            calls.push(CallHierarchyIncomingCall { from, from_ranges });
        }
    }
    calls
}

/// Where a text uses a function, definitions excluded.
fn uses(view: &View, item: &CallHierarchyItem) -> Vec<Span> {
    let (analysis, names) = (view.analysis, &view.analysis.names);
    let is_item = |place: &Span| {
        let location = analysis.location(view.uri, *place);
        location.is_some_and(|it| it.uri == item.uri && it.range == item.selection_range)
    };
    let candidates = names.symbols.iter().filter(|(_, known)| *known.name == *item.name);
    let symbol =
        candidates.filter(|(_, known)| known.places.iter().any(is_item)).map(|it| it.0).next();
    let is_library = item.uri.0.starts_with(library_text::SCHEME);
    let used = names.occurrences.iter().filter(|it| match symbol {
        Some(symbol) => {
            it.symbol == Some(symbol) && !names.symbols[symbol].places.contains(&it.span)
        }
        None => is_library && it.symbol.is_none() && *it.name == *item.name,
    });
    used.map(|it| it.span).collect()
}

/// A form that uses a function: a function itself, or one that is evaluated.
fn caller(view: &View, form: &Form) -> CallHierarchyItem {
    let analysis = view.analysis;
    if let FormKind::Function(function) = &form.kind
        && let Some(symbol) = analysis.names.at_span(function.name.span).and_then(|it| it.symbol)
        && let Some(item) = of_symbol(view, symbol)
    {
        return item;
    }
    let range = analysis.text.range(form.span);
    CallHierarchyItem {
        name: form.defines.first().cloned().unwrap_or_else(|| "it".to_owned()),
        kind: gen_lsp_types::SymbolKind::Variable,
        tags: None,
        detail: None,
        uri: view.uri.clone(),
        range,
        selection_range: range,
        data: None,
    }
}

/// The functions that a form uses.
pub(crate) fn outgoing(
    server: &mut Server,
    open: &[Uri],
    item: &CallHierarchyItem,
) -> Vec<CallHierarchyOutgoingCall> {
    let Some(uri) = open.iter().find(|uri| **uri == item.uri) else { return Vec::new() };
    let Some(view) = server.view(uri) else { return Vec::new() };
    let analysis = view.analysis;
    let place = analysis.text.span(analysis.file, item.selection_range);
    let Some(form) = analysis.form_at(place) else { return Vec::new() };
    let form = analysis.group.forms[form].span;
    let occurrences = &analysis.names.occurrences;
    let first = occurrences.partition_point(|it| it.span.start < form.start);
    let inside = occurrences[first..].iter().take_while(|it| form.contains(it.span));
    let mut calls: Vec<CallHierarchyOutgoingCall> = Vec::new();
    for name in inside.filter(|it| it.span != place) {
        let to = match name.symbol {
            Some(symbol) => of_symbol(&view, symbol),
            None => of_library(&view, &name.name),
        };
        let Some(to) = to else { continue };
        let range = analysis.text.range(name.span);
        match calls.iter_mut().find(|call| call.to == to) {
            Some(call) => call.from_ranges.push(range),
            None => calls.push(CallHierarchyOutgoingCall { to, from_ranges: vec![range] }),
        }
    }
    calls
}
