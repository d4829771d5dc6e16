//! Formatting: the text, or the forms of a part of it, in the house layout, as `nesl fmt` gives it.

use crate::server::View;
use base::Span;
use gen_lsp_types::{Range, TextEdit};
use syntax::SyntaxToken;

/// The change that formats a text; none if it has parse errors.
pub(crate) fn formatting(view: &View) -> Option<Vec<TextEdit>> {
    let text = &view.analysis.text;
    Some(edit(text.as_str(), &formatted(view, text.as_str())?, text.whole()))
}

/// The change that formats the forms that a range touches; none if one has parse errors.
pub(crate) fn range_formatting(view: &View, range: Range) -> Option<Vec<TextEdit>> {
    let analysis = view.analysis;
    let wanted = analysis.text.span(analysis.file, range);
    let touched = analysis.tree.root().children().filter(|form| {
        let form = form.text_range();
        u32::from(form.start()) <= wanted.end && wanted.start <= u32::from(form.end())
    });
    let forms: Vec<_> = touched.collect();
    let [first, .., last] = [forms.first()?, forms.last()?];
    let behind = last.last_token().and_then(|token| token.next_token());
    let mut behind = std::iter::successors(behind, SyntaxToken::next_token);
    let next = behind.find(|token| !token.kind().is_trivia());
    let terminator = next.filter(|token| token.kind().is_terminator());
    let end = terminator.map_or(last.text_range().end(), |token| token.text_range().end());
    let span = Span::new(analysis.file, first.text_range().start().into(), end.into());
    let written = analysis.text.at(span);
    let formatted = formatted(view, written)?;
    Some(edit(written, formatted.trim_end(), analysis.text.range(span)))
}

fn formatted(view: &View, text: &str) -> Option<String> {
    let formatted = format::format(view.analysis.file, text.as_bytes(), format::WIDTH).ok()?;
    String::from_utf8(formatted).ok()
}

fn edit(old: &str, new: &str, range: Range) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    vec![TextEdit { range, new_text: new.to_owned() }]
}
