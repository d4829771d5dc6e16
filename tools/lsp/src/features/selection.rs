//! Selections that grow: from a word to the expression around it, and so on to the whole text.

use crate::analysis::Analysis;
use crate::server::View;
use base::Span;
use gen_lsp_types::{Position, Range, SelectionRange};

/// For each position the parts of the text around it, innermost first.
pub(crate) fn selections(view: &View, positions: &[Position]) -> Option<Vec<SelectionRange>> {
    Some(positions.iter().map(|position| selection(view.analysis, *position)).collect())
}

fn selection(analysis: &Analysis, position: Position) -> SelectionRange {
    let token = analysis.token_at(analysis.text.offset(position));
    let nodes = token.iter().flat_map(|token| token.parent_ancestors());
    let span = |range: syntax::TextRange| {
        Span::new(analysis.file, range.start().into(), range.end().into())
    };
    let spans = token.iter().map(|token| analysis.span(token));
    let mut ranges: Vec<Range> = spans
        .chain(nodes.map(|node| span(node.text_range())))
        .map(|it| analysis.text.range(it))
        .collect();
    ranges.push(analysis.text.whole());
    ranges.dedup();
    let grow = |parent: Option<Box<SelectionRange>>, range| {
        Some(Box::new(SelectionRange { range, parent }))
    };
    let innermost = ranges.into_iter().rev().fold(None, grow);
    innermost.map_or_else(
        || SelectionRange { range: Range { start: position, end: position }, parent: None },
        |selection| *selection,
    )
}
