//! Highlights: the places of the name that the cursor is on.

use crate::names::Occurrence;
use crate::server::View;
use base::Span;
use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Position};

/// The places of a name in the text: a definition writes it, a use reads it.
pub(crate) fn highlights(view: &View, position: Position) -> Option<Vec<DocumentHighlight>> {
    let analysis = view.analysis;
    let names = &analysis.names;
    let name = names.at(analysis.text.offset(position))?;
    let same = |other: &&Occurrence| match name.symbol {
        Some(symbol) => other.symbol == Some(symbol),
        // Of the library, or of nothing.
        None => other.symbol.is_none() && other.name == name.name,
    };
    let definitions: &[Span] = name.symbol.map_or(&[], |symbol| &names.symbols[symbol].places);
    let highlight = |other: &Occurrence| DocumentHighlight {
        range: analysis.text.range(other.span),
        kind: Some(match definitions.contains(&other.span) {
            true => DocumentHighlightKind::Write,
            false => DocumentHighlightKind::Read,
        }),
    };
    Some(names.occurrences.iter().filter(same).map(highlight).collect())
}
