//! Strings and comments without an end.
//!
//! Where a closing sign is missing, all that follow open and close the wrong way round, and it is
//! the last that is found without its other half:
//!
//! ```text
//! a = "one;              a string up to `print_line(`
//! print_line("two");     `two`, and a string without an end
//! ```

use super::Lexer;
use crate::kind::SyntaxKind::{self, Str};
use base::Span;

impl Lexer<'_> {
    /// Shows in the last error where the sign may be missing: at a token of this kind that goes
    /// over several lines, and over the end of a form.
    pub(super) fn blame(&mut self, kind: SyntaxKind) {
        let (mut found, mut last) = (None, None);
        for token in self.out.tokens.iter().filter(|token| token.kind == kind) {
            let text = &self.text[token.start as usize..token.end as usize];
            if text.contains(&b'\n') {
                last = Some(token.start);
                found = found.or(goes_over_forms(text).then_some(token.start));
            }
        }
        // Comments of several lines are usual.
        let blamed = found.or(last.filter(|_| kind == Str));
        if let (Some(start), Some((_, error))) = (blamed, self.out.errors.last_mut()) {
            let name = if kind == Str { "string" } else { "comment" };
            let place = Span::new(self.file, start, start + 1);
            let label = format!("the {name} that opens here goes over several lines");
            *error = error.clone().also(place, label);
        }
    }
}

/// Whether a line inside a string or a comment ends with the end of a form.
pub(crate) fn goes_over_forms(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').rev().skip(1);
    lines.any(|line| line.trim_ascii_end().ends_with(b";"))
}
