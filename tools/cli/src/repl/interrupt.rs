//! Ctrl-C while a program runs.
//!
//! At the prompt it is a key like others and clears the line.  While a program runs the terminal
//! makes a signal of it, which also ends a C compiler at work.  The first one wishes that the
//! program stops.  What cannot be left, such as a kernel on a GPU, goes on to its end; who does not
//! want to wait for that leaves with the third, and `nesl run` with the second.

use crate::messages::say;
use base::{Diagnostic, Kind};
use std::process;
use value::Interrupt;

/// How the command ends when it is left this way, by the custom of shells.
const LEFT: i32 = 130;

/// Makes Ctrl-C raise this interrupt.  After `answered` further ones it ends the process.
pub(crate) fn stops(interrupt: &Interrupt, answered: u32) -> Result<(), Diagnostic> {
    let interrupt = interrupt.clone();
    let mut more = 0;
    let handler = move || {
        if !interrupt.raise() {
            more = 0;
            return;
        }
        more += 1;
        if more > answered {
            process::exit(LEFT);
        }
        say("\nstill busy with one step; Ctrl-C once more leaves nesl\n");
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Diagnostic::new(Kind::Input, format!("Ctrl-C cannot be caught: {error}")))
}
