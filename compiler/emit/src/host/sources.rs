//! Which part of the source a kernel does: for the comment above it.

use super::Library;
use super::sites::place;
use base::{FileId, Id, Span};
use kernel::KernelId;
use plan::{Arg, Block, ParamKind, Place, Step};
use scalar::{Op, Stmt};
use std::collections::{BTreeMap, HashMap};

/// Source text longer than this is not shown.
const LONG: usize = 80;

/// For each kernel that is launched: the place in the source, and the text there if it is short.
pub(super) fn sources(library: &Library<'_>) -> BTreeMap<KernelId, String> {
    let mut sources = BTreeMap::new();
    for function in library.plan.funcs.values() {
        let mut made = HashMap::new();
        block(library, &function.body, &mut made, &mut sources);
    }
    sources
}

/// `made` has the place that needs each scalar or buffer.
fn block(
    library: &Library<'_>,
    block_of: &Block,
    made: &mut HashMap<Place, Span>,
    sources: &mut BTreeMap<KernelId, String>,
) {
    for step in &block_of.steps {
        match step {
            Step::Alloc { buffer, span, .. }
            | Step::Room { buffer, span, .. }
            | Step::Zero { buffer, span, .. }
            | Step::Copy { buffer, span, .. } => {
                made.insert(Place::Buffer(*buffer), *span);
            }
            Step::Eval { results, code } => {
                let mut spans = Vec::new();
                crate::shared::facts::walk(&code.body, &mut |stmt| spans.extend(own(stmt)));
                if let Some(span) = joined(&spans) {
                    made.extend(results.iter().map(|&slot| (Place::Slot(slot), span)));
                }
            }
            Step::Launch { cluster, args, work } => {
                let cluster_of = &library.plan.clusters[*cluster];
                let outputs = args.iter().zip(&cluster_of.params);
                let written = outputs.filter(|(_, param)| param.kind == ParamKind::Out);
                let mut spans: Vec<Span> =
                    written.filter_map(|(arg, _)| known(*arg, made)).collect();
                for node in &cluster_of.nodes {
                    crate::shared::facts::walk(&node.code.body, &mut |s| spans.extend(own(s)));
                }
                if spans.is_empty() {
                    spans.extend(known(*work, made));
                }
                if let Some(text) = joined(&spans).and_then(|span| shown(library, span)) {
                    sources.insert(KernelId::new(cluster.index()), text);
                }
            }
            Step::If { then, els, .. } => {
                block(library, then, made, sources);
                block(library, els, made, sources);
            }
            _ => {}
        }
    }
}

fn known(arg: Arg, made: &HashMap<Place, Span>) -> Option<Span> {
    let place = match arg {
        Arg::Slot(slot) => Place::Slot(slot),
        Arg::Buffer(buffer) => Place::Buffer(buffer),
        Arg::Const(_) => return None,
    };
    made.get(&place).copied()
}

/// The place of a statement, if it has one.
fn own<R>(stmt: &Stmt<R>) -> Option<Span> {
    let span = match stmt {
        Stmt::Let(_, Op::Scalar(_, _, span)) => *span,
        Stmt::Require { span, .. } => *span,
        Stmt::Call(call) => call.span,
        Stmt::Let(..) | Stmt::If { .. } | Stmt::Loop { .. } => return None,
    };
    (!span.is_none()).then_some(span)
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

/// `FILE:LINE`, or `FILE:LINE-LINE`, and the text if it is short.
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
    let text = if text.len() <= LONG { format!(": {text}") } else { String::new() };
    Some(crate::shared::names::comment(&format!("{name}:{lines}{text}")))
}
