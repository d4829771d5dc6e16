//! Links: from `load "file"` to the file.

use crate::server::View;
use gen_lsp_types::DocumentLink;

/// The files that a text loads.
pub(crate) fn links(view: &View) -> Option<Vec<DocumentLink>> {
    let analysis = view.analysis;
    let link = |(span, file): &(base::Span, base::FileId)| {
        let loaded = analysis.loaded.iter().find(|loaded| loaded.file == *file)?;
        Some(DocumentLink {
            range: analysis.text.range(*span),
            target: Some(loaded.uri.clone()),
            tooltip: Some(loaded.shown.clone()),
            data: None,
        })
    };
    Some(analysis.links.iter().filter_map(link).collect())
}
