//! Where a name is defined, and where it is used.

use crate::server::View;
use base::Span;
use gen_lsp_types::{Definition, DefinitionResponse, Location, Position, ReferenceParams};

/// The definitions of a name of the text; a declaration is one, too.
pub(crate) fn definition(view: &View, position: Position) -> Option<DefinitionResponse> {
    let names = &view.analysis.names;
    let symbol = names.at(view.analysis.text.offset(position))?.symbol?;
    let places = names.symbols[symbol].places.iter();
    let locations = places.map(|place| location(view, *place)).collect();
    Some(Definition::LocationList(locations).into())
}

/// All places of a name of the text.
pub(crate) fn references(view: &View, params: &ReferenceParams) -> Option<Vec<Location>> {
    let names = &view.analysis.names;
    let position = params.text_document_position_params.position;
    let symbol = names.at(view.analysis.text.offset(position))?.symbol?;
    let is_definition = |place: &Span| names.symbols[symbol].places.contains(place);
    let wanted = |place: &Span| params.context.include_declaration || !is_definition(place);
    Some(names.places(symbol).filter(wanted).map(|place| location(view, place)).collect())
}

fn location(view: &View, place: Span) -> Location {
    Location { uri: view.uri.clone(), range: view.analysis.text.range(place) }
}
