//! Symbols: the definitions of a text, in its order, with their types, and those of all texts.

use crate::names::{Symbol, SymbolId};
use crate::server::{Server, View};
use crate::text::Text;
use crate::texts::{OpenTexts, files};
use base::{Id, Span};
use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, DocumentSymbolResponse, Location, SymbolKind, Uri,
    WorkspaceSymbol, WorkspaceSymbolLocation,
};
use syntax::ast::{FormKind, Group};
use types::show_scheme;

/// The definitions.
pub(crate) fn symbols(view: &View) -> Option<DocumentSymbolResponse> {
    let analysis = view.analysis;
    let mut found: Vec<(Span, SymbolId)> = Vec::new();
    for (id, symbol) in analysis.names.symbols.iter().filter(|(_, it)| kind(it).is_some()) {
        let own = symbol.places.iter().filter(|place| place.file == analysis.file);
        found.extend(own.map(|place| (*place, id)));
    }
    found.sort();
    let symbols: Vec<DocumentSymbol> =
        found.into_iter().filter_map(|(place, id)| symbol(view, place, id)).collect();
    Some(symbols.into())
}

/// The definitions of all open texts, and of the files in the folders of the editor, whose names
/// have these letters in this order.
pub(crate) fn workspace(server: &mut Server, open: &[Uri], query: &str) -> Vec<WorkspaceSymbol> {
    let query = query.to_ascii_lowercase();
    let mut found = Vec::new();
    for uri in open {
        let Some(view) = server.view(uri) else { continue };
        let text = view.analysis.text.as_str();
        found.extend(of_group(&view.analysis.group, text, &query, view.texts, uri));
    }
    let is_open = |uri: &Uri| open.contains(uri);
    let files =
        server.folders().iter().flat_map(|folder| files::sources(folder)).collect::<Vec<_>>();
    for path in files {
        let uri = server.texts().uri(&path);
        if is_open(&uri) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let group = syntax::parse(Id::new(0), text.as_bytes());
        found.extend(of_group(&group, &text, &query, server.texts(), &uri));
    }
    found
}

/// The definitions of a text.
fn of_group(
    group: &Group,
    text: &str,
    query: &str,
    texts: &OpenTexts,
    uri: &Uri,
) -> Vec<WorkspaceSymbol> {
    let text = Text::new(text.to_owned(), texts.encoding());
    let mut found = Vec::new();
    for form in &group.forms {
        let kind = match &form.kind {
            FormKind::Function(_) => SymbolKind::Function,
            FormKind::Binding(..) => SymbolKind::Variable,
            FormKind::Datatype(_) => SymbolKind::Struct,
            FormKind::Exp(_) | FormKind::Command(..) | FormKind::Error(_) => continue,
        };
        for name in form.defines.iter().filter(|name| has_letters(name, query)) {
            let location = Location { uri: uri.clone(), range: text.range(form.span) };
            found.push(WorkspaceSymbol {
                location: WorkspaceSymbolLocation::Location(location),
                data: None,
                base_symbol_information: BaseSymbolInformation {
                    name: name.clone(),
                    kind,
                    tags: None,
                    container_name: None,
                },
            });
        }
    }
    found
}

/// Whether a name has these letters in this order.
fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars();
    query.chars().all(|wanted| letters.any(|letter| letter == wanted))
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
    let form = &analysis.group.forms[analysis.form_at(place)?];
    let definition = analysis.defined_at(program, id, place);
    #[expect(deprecated, reason = "the protocol has no other constructor for this structure")]
    Some(DocumentSymbol {
        name: known.name.to_string(),
        detail: definition.map(|definition| show_scheme(program, &definition.scheme)),
        kind: kind(known)?,
        tags: None,
        deprecated: None,
        range: analysis.text.range(form.span),
        selection_range: analysis.text.range(place),
        children: None,
    })
}
