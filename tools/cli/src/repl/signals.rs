//! Signals that end the process at the prompt: the terminal gets its modes back.
//!
//! The line editor switches the terminal to single keys without an echo.  A process that ends by a
//! signal would leave it so.  The signals are held back in all threads, and one thread waits for
//! them.

use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::termios::{SetArg, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal, Write};
use std::thread;

/// Signals by which others ask the process to end.
fn ending() -> SigSet {
    [Signal::SIGTERM, Signal::SIGHUP].into_iter().collect()
}

/// Holds the signals back in this thread and those that it starts, if there is a terminal.
pub(crate) fn hold() {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        // If this fails, signals end the process as usual.
        let _ = ending().thread_block();
    }
}

/// Waits for the signals, gives the terminal back, and lets them have their way.
pub(super) fn restore_terminal() {
    let Ok(before) = tcgetattr(io::stdin()) else { return };
    let wait = move || {
        let Ok(signal) = ending().wait() else { return };
        let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &before);
        // The line editor has switched on bracketed paste.
        let _ = io::stdout().write_all(b"\x1b[?2004l\r\n").and_then(|()| io::stdout().flush());
        let _ = ending().thread_unblock();
        let _ = raise(signal);
    };
    if thread::Builder::new().spawn(wait).is_err() {
        let _ = ending().thread_unblock();
    }
}
