//! Rename: another name for what the text defines, at all its places.
//!
//! The new text is analysed, too: a rename is refused where a name would come to stand for
//! something else, or where it makes an error.  What another text defines is renamed there.

use crate::analysis::Analysis;
use crate::loaded::Loaded;
use crate::names::Occurrence;
use crate::server::{Refused, View};
use base::{Id, Span};
use gen_lsp_types::{Position, PrepareRenameResult, TextEdit, WorkspaceEdit};
use syntax::SyntaxKind;

/// The name at a place, if it can be renamed.
pub(crate) fn prepare(
    view: &View,
    position: Position,
) -> Result<Option<PrepareRenameResult>, Refused> {
    let analysis = view.analysis;
    let Some(name) = analysis.names.at(analysis.text.offset(position)) else { return Ok(None) };
    own(view, name)?;
    Ok(Some(analysis.text.range(name.span).into()))
}

/// The change that renames what stands at a place.
pub(crate) fn rename(
    view: &mut View,
    position: Position,
    new: &str,
) -> Result<Option<WorkspaceEdit>, Refused> {
    let analysis = view.analysis;
    let Some(name) = analysis.names.at(analysis.text.offset(position)) else { return Ok(None) };
    let places = own(view, name)?;
    if !is_name(new) {
        return Err(format!("`{new}` is a reserved word or no name"));
    }
    let text = renamed(analysis, &places, new);
    let after = view.library.analyse(view.uri, text, view.texts, None);
    if after.names.shape() != analysis.names.shape() || after.errors.len() > analysis.errors.len() {
        return Err(format!("`{new}` has another meaning at one of these places"));
    }
    let edits = places
        .iter()
        .map(|place| TextEdit { range: analysis.text.range(*place), new_text: new.to_owned() });
    let changes = [(view.uri.clone(), edits.collect())].into_iter().collect();
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

/// The places of a name that the text defines.
fn own(view: &View, name: &Occurrence) -> Result<Vec<Span>, Refused> {
    match name.symbol {
        Some(symbol) => {
            let definitions = &view.analysis.names.symbols[symbol].places;
            let loaded = definitions.iter().find_map(|place| view.analysis.loaded_from(*place));
            match loaded {
                Some(Loaded { shown, .. }) => {
                    Err(format!("`{}` is defined in {shown}, which this text loads", name.name))
                }
                None => Ok(view.analysis.names.places(symbol).collect()),
            }
        }
        None if view.library.lookup(&name.name).is_some() => {
            Err(format!("`{}` belongs to the library", name.name))
        }
        None => Err(format!("`{}` is not defined in this text", name.name)),
    }
}

/// Whether a text is one name.
fn is_name(text: &str) -> bool {
    let tree = syntax::parse_tree(Id::new(0), text.as_bytes());
    let mut tokens = tree.root().descendants_with_tokens().filter_map(|part| part.into_token());
    let first = tokens.next().map(|token| token.kind());
    first == Some(SyntaxKind::Ident) && tokens.next().is_none()
}

fn renamed(analysis: &Analysis, places: &[Span], new: &str) -> String {
    let text = analysis.text.as_str();
    let (mut out, mut at) = (String::new(), 0);
    for place in places {
        out += &text[at..place.start as usize];
        out += new;
        at = place.end as usize;
    }
    out + &text[at..]
}
