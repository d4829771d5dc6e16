//! Where a name is defined, and where it is used.

use crate::server::View;
use base::Span;
use gen_lsp_types::{Definition, DefinitionResponse, Location, Position, ReferenceParams};

/// The definitions of a name of the text; a declaration is one, too.
pub(crate) fn definition(view: &View, position: Position) -> Option<DefinitionResponse> {
    let names = &view.analysis.names;
    let symbol = names.at(view.analysis.text.offset(position))?.symbol?;
    let places = names.symbols[symbol].places.iter();
    let locations = places.filter_map(|place| view.analysis.location(view.uri, *place)).collect();
    Some(Definition::LocationList(locations).into())
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
