//! The texts of the library, which editors show and nobody changes.
//!
//! ```text
//! nesl-lib:/arithmetic.nesl
//! ```
//!
//! An editor asks for such a text by `workspace/textDocumentContent`, which is a request of the
//! protocol from version 3.18 on.

use crate::server::Refused;
use crate::text::{Encoding, Text};
use base::{Id, Span};
use gen_lsp_types::{Location, TextDocumentContentResult, Uri};

/// The scheme of these texts.
pub(crate) const SCHEME: &str = "nesl-lib";

/// Where a place of the library is for the editor; primitives have none.
pub(crate) fn location(place: Span, encoding: Encoding) -> Option<Location> {
    let (name, text) = stdlib::FILES.get(place.file.index())?;
    if place.start == place.end {
        return None;
    }
    let text = Text::new((*text).to_owned(), encoding);
    Some(Location { uri: Uri(format!("{SCHEME}:/{name}")), range: text.range(place) })
}

/// The place of a name in its definition in the library.
pub(crate) fn name_in(definition: Span, name: &str) -> Span {
    let text = stdlib::FILES.get(definition.file.index()).map_or("", |(_, text)| text);
    let form = text.get(definition.start as usize..definition.end as usize).unwrap_or_default();
    match form.to_ascii_lowercase().find(name) {
        Some(at) => {
            let start = definition.start + at as u32;
            Span::new(definition.file, start, start + name.len() as u32)
        }
        None => definition,
    }
}

/// A text of the library.
pub(crate) fn content(uri: &Uri) -> Result<TextDocumentContentResult, Refused> {
    let name = uri.0.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix(":/"));
    let known = stdlib::FILES.iter().find(|(known, _)| name == Some(known));
    match known {
        Some((_, text)) => Ok(TextDocumentContentResult { text: (*text).to_owned() }),
        None => Err(format!("{} is no text of the library", uri.0)),
    }
}
