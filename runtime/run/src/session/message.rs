//! Run-time errors as diagnostics, in the words of the interpreter.

use crate::RunError;
use base::{Diagnostic, Kind, Site, Span};
use prim::TOO_LONG;
use value::failure::{describe, lane_path, too_long};

/// The message about an error.  What has no place of its own is told at `outer`.
pub(super) fn diagnostic(error: RunError, outer: Span) -> Diagnostic {
    let at = |site, span: Span, message: String| {
        Diagnostic::at(Kind::Runtime(site), if span.is_none() { outer } else { span }, message)
    };
    let long = |span: Span| {
        let span = if span.is_none() { outer } else { span };
        Diagnostic::at(Kind::Limit, span, too_long())
    };
    match error {
        RunError::Long { span } => long(span),
        RunError::Fault(fault) if (fault.site, fault.operands[1]) == (Site::Memory, TOO_LONG) => {
            long(fault.span)
        }
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
        RunError::Depth { span } => at(Site::Memory, span, describe(Site::Memory, 0, 0)),
        RunError::Broken(diagnostic) => match diagnostic.kind {
            Kind::Runtime(site) => at(site, Span::none(), diagnostic.message),
            _ => *diagnostic,
        },
    }
}
