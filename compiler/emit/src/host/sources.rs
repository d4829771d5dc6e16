//! Which part of the source a kernel does: for the comment above it.

use super::Library;
use super::sites::place;
use base::{FileId, Id, Span};
use kernel::KernelId;
use std::collections::BTreeMap;

/// Source text longer than this is not shown.
const LONG: usize = 80;

/// For each kernel: the place in the source, and the text there if it is short.
pub(super) fn sources(library: &Library<'_>) -> BTreeMap<KernelId, String> {
    let mut sources = BTreeMap::new();
    for (id, cluster) in library.plan.clusters.iter() {
        if let Some(text) = joined(&cluster.spans).and_then(|span| shown(library, span)) {
            sources.insert(KernelId::new(id.index()), text);
        }
    }
    sources
}

/// From the first to the last of the places in the file that most of them are in.
fn joined(spans: &[Span]) -> Option<Span> {
    let known = || spans.iter().filter(|span| !span.is_none());
    let count = |file: FileId| known().filter(|span| span.file == file).count();
    let file = known().map(|span| span.file).max_by_key(|&file| (count(file), file))?;
    let inside = || known().filter(|span| span.file == file);
    let start = inside().map(|span| span.start).min()?;
    let end = inside().map(|span| span.end).max()?;
    Some(Span::new(file, start, end))
}

/// `FILE:LINE` and the text if it is short, or `FILE:LINE-LINE`.
fn shown(library: &Library<'_>, span: Span) -> Option<String> {
    let file = library.files.file(span.file);
    let text = file.text.get(span.start as usize..span.end as usize)?;
    let (first, _) = library.files.line_column(span.file, span.start);
    let (last, _) = library.files.line_column(span.file, span.end);
    let place = place(library, span);
    let name = place.split(':').next().unwrap_or_default();
    let lines = if first == last { format!("{first}") } else { format!("{first}-{last}") };
    let text = String::from_utf8_lossy(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text =
        if first == last && text.len() <= LONG { format!(": {text}") } else { String::new() };
    Some(crate::shared::names::comment(&format!("{name}:{lines}{text}")))
}
