//! Formatting: the whole text in the house layout, as `nesl fmt` gives it.

use crate::server::View;
use gen_lsp_types::TextEdit;

/// The change that formats a text; none if it has parse errors.
pub(crate) fn formatting(view: &View) -> Option<Vec<TextEdit>> {
    let analysis = view.analysis;
    let text = analysis.text.as_str();
    let formatted = format::format(analysis.file, text.as_bytes(), format::WIDTH).ok()?;
    let formatted = String::from_utf8(formatted).ok()?;
    if formatted == text {
        return Some(Vec::new());
    }
    Some(vec![TextEdit { range: analysis.text.whole(), new_text: formatted }])
}
