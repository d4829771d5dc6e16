//! Run-time errors as diagnostics, in the words of the interpreter.

use crate::RunError;
use base::{Diagnostic, Kind, Site, Span};
use value::failure::{describe, lane_path};

/// The message about an error.
pub(super) fn diagnostic(error: RunError) -> Diagnostic {
    match error {
        RunError::Fault(fault) => {
            let message = describe(fault.site, fault.operands[0], fault.operands[1]);
            let diagnostic = at(fault.site, fault.span, message);
            match lane_path(&fault.positions) {
                Some(path) => diagnostic.note(path),
                None => diagnostic,
            }
        }
        RunError::Raised { message, span } => {
            at(Site::User, span, String::from_utf8_lossy(&message).into_owned())
        }
        RunError::Memory { error, span } => {
            let message = format!("out of memory for a sequence of {} bytes", error.asked);
            let free = error.cap.saturating_sub(error.used);
            let note = format!("of {} bytes {free} are free", error.cap);
            at(Site::Memory, span, message).note(note).help("`--memory SIZE` allows more or less")
        }
        RunError::Depth { span } => at(Site::Memory, span, "out of stack: too many pending calls"),
        RunError::Broken(diagnostic) => *diagnostic,
    }
}

fn at(site: Site, span: Span, message: impl Into<String>) -> Diagnostic {
    let kind = Kind::Runtime(site);
    if span.is_none() {
        Diagnostic::new(kind, message)
    } else {
        Diagnostic::at(kind, span, message)
    }
}
