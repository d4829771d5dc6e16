//! Forms inside a comment that was to end before them.
//!
//! Where the end of a comment is missing, the next one is read as program text:
//!
//! ```text
//! % one                  a comment up to the second `%`
//! y = 2;
//! z = 3; % two %         `two` is no form
//! ```

use super::habits::Place;
use crate::lexer::goes_over_forms;
use base::{Diagnostic, Span};

/// Shows a comment that may have gone on too far right before the token at which reading stopped.
pub(crate) fn explain(place: &Place<'_>, error: Diagnostic) -> Diagnostic {
    let start = place.at.checked_sub(1).map_or(0, |last| place.tokens[last].end);
    let between = place.text.get(start as usize..place.tokens[place.at].start as usize);
    let Some(at) = between.and_then(over_forms) else { return error };
    let opening = start + at as u32;
    let span = Span::new(place.file, opening, opening + 1);
    error.also(span, "the comment that opens here goes over several lines")
}

/// Where the last comment in white space opens, if a form ends in it.
fn over_forms(space: &[u8]) -> Option<usize> {
    let closing = space.iter().rposition(|byte| *byte == b'%')?;
    let opening = space[..closing].iter().rposition(|byte| *byte == b'%')?;
    goes_over_forms(&space[opening..closing]).then_some(opening)
}
