//! Errors as the caller sees them: texts, places as numbers, lanes.

use base::{Diagnostic, Files, Kind};
use std::fmt;

/// Why something failed: one message, or several about one text.
#[derive(Clone, Debug)]
pub struct Error {
    first: Box<Message>,
    others: Vec<Message>,
}

/// One message of an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The code, such as `N0506`; `docs/errors` has a page for each.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// The message as the command prints it, with the place in the source, notes and advice.
    pub text: String,
    /// The place at fault, if there is one.
    pub span: Option<Span>,
    /// The lanes in which it arose, outermost first: row, element of the row, and so on.
    pub lanes: Vec<u64>,
}

/// A place in a program's text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u64,
    /// The offset behind the last byte.
    pub end: u64,
    /// The line of the first byte, counted from 1.
    pub line: u64,
    /// The column of the first byte, counted from 1.
    pub column: u64,
}

impl Error {
    /// The error of diagnostics about these texts; a bug if there are none.
    #[doc(hidden)]
    pub fn of(diagnostics: &[Diagnostic], files: &Files) -> Error {
        let mut messages = diagnostics.iter().map(|diagnostic| Message::of(diagnostic, files));
        match messages.next() {
            Some(first) => Error { first: Box::new(first), others: messages.collect() },
            None => Error::plain(Kind::Bug, "something failed without an error"),
        }
    }

    /// An error without a place.
    #[doc(hidden)]
    pub fn plain(kind: Kind, message: impl Into<String>) -> Error {
        Error::of(&[Diagnostic::new(kind, message)], &Files::new())
    }

    /// An error about an argument or a choice of the caller.
    #[doc(hidden)]
    pub fn input(message: impl Into<String>) -> Error {
        Error::plain(Kind::Input, message)
    }

    /// All messages, in the order of the text; there is at least one.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        std::iter::once(&*self.first).chain(&self.others)
    }
    /// The code of the first message, such as `N0506`.
    pub fn code(&self) -> &str {
        &self.first.code
    }
    /// The first message: one sentence.
    pub fn message(&self) -> &str {
        &self.first.message
    }
    /// The place of the first message, if it has one.
    pub fn span(&self) -> Option<Span> {
        self.first.span
    }
    /// The lanes of the first message, outermost first.
    pub fn lanes(&self) -> &[u64] {
        &self.first.lanes
    }
}

impl Message {
    fn of(diagnostic: &Diagnostic, files: &Files) -> Message {
        let span = diagnostic.primary.as_ref().map(|label| {
            let span = label.span;
            let (line, column) = files.line_column(span.file, span.start);
            let [start, end] = [span.start, span.end].map(u64::from);
            Span { start, end, line: line as u64, column: column as u64 }
        });
        Message {
            code: diagnostic.code.name().to_owned(),
            message: diagnostic.message.clone(),
            text: diagnostic.render(files, false),
            span,
            lanes: diagnostic.lanes.clone(),
        }
    }
}

/// An error about data.
impl From<nesl_data::Error> for Error {
    fn from(error: nesl_data::Error) -> Error {
        Error::input(error.message())
    }
}

/// All messages as the command prints them.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, message) in self.messages().enumerate() {
            let between = if n > 0 { "\n" } else { "" };
            write!(f, "{between}{}", message.text.trim_end())?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
