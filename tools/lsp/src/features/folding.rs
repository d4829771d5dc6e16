//! Folds: forms, and what is inside them, that go over several lines; comments.
//!
//! ```text
//! function mean(s) =           ▼ function mean(s) = ...
//!   let n = #s
//!   in sum(s) / float(n);
//! ```

use crate::analysis::Analysis;
use crate::server::View;
use base::Span;
use gen_lsp_types::{FoldingRange, FoldingRangeKind};
use syntax::{SyntaxElement, SyntaxKind};

/// The parts of a text that can be folded: of those that begin on one line the longest.
pub(crate) fn folds(view: &View) -> Option<Vec<FoldingRange>> {
    let mut folds: Vec<FoldingRange> = Vec::new();
    for element in view.analysis.tree.root().children_with_tokens() {
        add(view.analysis, &element, &mut folds);
    }
    Some(folds)
}

fn add(analysis: &Analysis, element: &SyntaxElement, folds: &mut Vec<FoldingRange>) {
    let range = element.text_range();
    let span = Span::new(analysis.file, range.start().into(), range.end().into());
    let lines = analysis.text.range(span);
    let (start_line, end_line) = (lines.start.line, lines.end.line);
    if start_line == end_line {
        return;
    }
    let is_comment = element.kind() == SyntaxKind::Comment;
    let is_new = folds.last().is_none_or(|last| last.start_line < start_line);
    if is_new && element.kind() != SyntaxKind::Space {
        let kind = is_comment.then_some(FoldingRangeKind::Comment);
        folds.push(FoldingRange { start_line, end_line, kind, ..FoldingRange::default() });
    }
    let inside = element.as_node().into_iter().flat_map(|node| node.children_with_tokens());
    inside.for_each(|part| add(analysis, &part, folds));
}
