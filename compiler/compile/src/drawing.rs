//! Drawings of what is fused, with places of the source.

use base::{Files, Span};

/// Drawings as one picture (SVG); statements are marked by line and text of the source.
pub fn svg(drawings: &[fuse::Drawing], files: &Files) -> String {
    fuse::svg(drawings, &|span: Span| {
        let file = files.file(span.file);
        let (line, _) = files.line_column(span.file, span.start);
        let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        if file.library {
            format!("{}:{line}: {text}", file.name)
        } else {
            format!("{line}: {text}")
        }
    })
}
