//! Errors that are only the consequence of another one.
//!
//! A definition that fails defines nothing, so that its name is unknown to all forms behind it.
//! Whoever mends the definition mends them all, and a message for each would hide it:
//!
//! ```text
//! function mean(s) = summ(s) / float(#s);     `summ` is not defined
//! mean([1.0]);                                fails as well, without a word
//! ```
//!
//! So is any unknown name behind the `load` of a file that cannot be read.

use base::{Code, Diagnostic, Span};
use std::collections::BTreeSet;

/// The names that forms would have defined.
#[derive(Default)]
pub struct Missing {
    names: BTreeSet<String>,
    /// Whether there would have been others, nobody knows which.
    unknown: bool,
}

impl Missing {
    /// Notes what a form that fails would have defined.
    pub fn add(&mut self, names: &[String]) {
        self.names.extend(names.iter().cloned());
    }

    /// Notes that a file would have defined names that cannot be read.
    pub fn add_unknown(&mut self) {
        self.unknown = true;
    }

    /// Returns true if a form that failed would have defined this name.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The errors that are no consequences; `text` gives the text of a place.
    pub fn without_consequences<'t>(
        &self,
        errors: Vec<Diagnostic>,
        text: impl Fn(Span) -> &'t [u8],
    ) -> Vec<Diagnostic> {
        let follows = |error: &Diagnostic| {
            let unknown = [
                Code::UnknownName,
                Code::UnknownType,
                Code::UnknownDatatype,
                Code::Incomplete,
                // Of a function that was to be called `t` or `f`.
                Code::NoFunction,
            ];
            error.primary.as_ref().is_some_and(|label| {
                let text = text(label.span);
                // As a value, a letter that was to be a name is of any type but the right one.
                let letter = text.len() == 1 && b"tf".contains(&text[0].to_ascii_lowercase());
                let unknown = unknown.contains(&error.code);
                let lost = self.unknown && unknown && error.code != Code::NoFunction;
                lost || (letter || unknown) && self.lacks(text)
            })
        };
        errors.into_iter().filter(|error| !follows(error)).collect()
    }

    /// Whether a text is one of the names.
    fn lacks(&self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text).to_ascii_lowercase();
        // The places of what stood in parentheses include them.
        let name = text.trim_matches(|c: char| "()".contains(c) || c.is_whitespace());
        self.names.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    #[test]
    fn what_only_says_that_a_missing_name_is_unknown_is_a_consequence() {
        let text = b"mean (Mean) means";
        let mut missing = Missing::default();
        missing.add(&["mean".to_owned()]);
        let error = |code, start, end| {
            Diagnostic::of(code, "").label(Span::new(Id::new(0), start, end), "")
        };
        let errors = vec![
            error(Code::UnknownName, 0, 4),
            error(Code::UnknownName, 5, 11),
            error(Code::UnknownName, 12, 17),
            error(Code::Argument, 0, 4),
        ];
        let at = |span: Span| &text[span.start as usize..span.end as usize];
        let left = missing.without_consequences(errors.clone(), at);
        assert_eq!(left, errors[2..]);
        missing.add_unknown();
        assert_eq!(missing.without_consequences(errors.clone(), at), errors[3..]);
    }
}
