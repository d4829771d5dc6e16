//! Where a name is defined, and where it is used.

use crate::features::library_text;
use crate::names::Occurrence;
use crate::server::View;
use base::Span;
use gen_lsp_types::{Definition, DefinitionResponse, Location, Position, ReferenceParams};

/// The definitions of a name; a declaration is one, too.
pub(crate) fn definition(view: &View, position: Position) -> Option<DefinitionResponse> {
    let analysis = view.analysis;
    let offset = analysis.text.offset(position);
    let locations = match analysis.names.at(offset) {
        Some(Occurrence { symbol: Some(symbol), .. }) => {
            let places = analysis.names.symbols[*symbol].places.iter();
            places.filter_map(|place| analysis.location(view.uri, *place)).collect()
        }
        Some(name) => in_library(view, &name.name).into_iter().collect(),
        None => {
            let sign = analysis.token_at(offset)?.kind().text()?;
            in_library(view, sign).into_iter().collect()
        }
    };
    Some(Definition::LocationList(locations).into())
}

/// Where the library defines a name or what an operator stands for; primitives have no text.
fn in_library(view: &View, name: &str) -> Option<Location> {
    let definition = &view.library.program().globals[view.library.lookup(name)?];
    let place = library_text::name_in(definition.span, &definition.name);
    view.analysis.location(view.uri, place)
}

/// All places of a name of the text, and where texts that it loads define it.
pub(crate) fn references(view: &View, params: &ReferenceParams) -> Option<Vec<Location>> {
    let names = &view.analysis.names;
    let position = params.text_document_position_params.position;
    let symbol = names.at(view.analysis.text.offset(position))?.symbol?;
    let definitions = &names.symbols[symbol].places;
    let elsewhere = definitions.iter().copied().filter(|place| place.file != view.analysis.file);
    let wanted = |place: &Span| params.context.include_declaration || !definitions.contains(place);
    let places = names.places(symbol).chain(elsewhere).filter(wanted);
    Some(places.filter_map(|place| view.analysis.location(view.uri, place)).collect())
}
