//! Run-time errors as diagnostics, in the words of the interpreter.

use crate::RunError;
use base::{Diagnostic, Kind, Site, Span};
use device::OutOfMemory;
use prim::{ENDLESS, TOO_LONG, Widths};
use value::failure::{advice, describe, in_lanes, too_long};
use value::interrupt::interrupted;

/// The message about an error.  What has no place of its own is told at `outer`.
pub(super) fn diagnostic(error: RunError, outer: Span, widths: Widths) -> Diagnostic {
    let at = |site, span: Span, message: String| {
        Diagnostic::at(Kind::Runtime(site), if span.is_none() { outer } else { span }, message)
    };
    let long = |span: Span| {
        let span = if span.is_none() { outer } else { span };
        let (code, message) = too_long(widths);
        Diagnostic::of(code, message).label(span, "")
    };
    match error {
        RunError::Long { span } => long(span),
        RunError::Fault(fault) if (fault.site, fault.operands[1]) == (Site::Memory, TOO_LONG) => {
            long(fault.span)
        }
        RunError::Fault(fault) => {
            let [a, b] = fault.operands;
            let mut diagnostic = at(fault.site, fault.span, describe(fault.site, a, b));
            if let Some(advice) = advice(fault.site, a, b) {
                diagnostic = diagnostic.help(advice);
            }
            in_lanes(diagnostic, &fault.positions)
        }
        RunError::Raised { message, span } => {
            at(Site::User, span, String::from_utf8_lossy(&message).into_owned())
        }
        RunError::Memory { error, span } => {
            let message = format!("out of memory for a sequence of {} bytes", error.asked);
            with_room(at(Site::Memory, span, message), error)
        }
        RunError::Depth { span } => at(Site::Memory, span, describe(Site::Memory, 0, 0)),
        RunError::Endless { span } => at(Site::Memory, span, describe(Site::Memory, 0, ENDLESS)),
        RunError::Interrupted { span } => interrupted(if span.is_none() { outer } else { span }),
        RunError::Spent => unreachable!("it is made again, and then tells why"),
        RunError::Broken(diagnostic) => match diagnostic.kind {
            Kind::Runtime(site) => at(site, Span::none(), diagnostic.message),
            _ => *diagnostic,
        },
    }
}

/// The message that there is no room on the device for a value of this name.
pub(super) fn no_room_for(name: &str, error: OutOfMemory, span: Span) -> Diagnostic {
    let message = format!("out of memory for a sequence of {} bytes in `{name}`", error.asked);
    let kind = Kind::Runtime(Site::Memory);
    let place = if span.is_none() {
        Diagnostic::new(kind, message)
    } else {
        Diagnostic::at(kind, span, message)
    };
    with_room(place, error)
}

/// Adds how much memory there is.
fn with_room(diagnostic: Diagnostic, error: OutOfMemory) -> Diagnostic {
    // The host does not know what there is.
    if error.cap == 0 {
        return diagnostic;
    }
    let free = error.cap.saturating_sub(error.used);
    if error.asked <= free {
        let lower =
            format!("the system has no more, though of {} bytes {free} are free", error.cap);
        return diagnostic.note(lower).help("`ulimit -v`, or other programs, may leave less");
    }
    let note = format!("of {} bytes {free} are free", error.cap);
    diagnostic.note(note).help("`--memory SIZE` allows more or less")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_device_has_no_room_for() {
        let error = OutOfMemory { asked: 800, used: 300, cap: 1000 };
        let told = no_room_for("keys", error, Span::none());
        assert_eq!(told.message, "out of memory for a sequence of 800 bytes in `keys`");
        assert_eq!(
            (told.primary, told.notes),
            (None, vec!["of 1000 bytes 700 are free".to_owned()])
        );
        // The system is asked last.
        let refused = no_room_for("keys", OutOfMemory { asked: 8, used: 0, cap: 9 }, Span::none());
        assert_eq!(refused.notes, ["the system has no more, though of 9 bytes 9 are free"]);
        let unknown =
            no_room_for("keys", OutOfMemory { asked: 800, used: 0, cap: 0 }, Span::none());
        assert!(unknown.notes.is_empty() && unknown.help.is_empty());
    }
}
