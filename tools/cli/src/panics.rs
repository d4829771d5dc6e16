//! Bugs: a panic is told in two lines, and ends the command with its own exit code.

use std::io::Write;
use std::panic::PanicHookInfo;

/// Makes panics end the process with exit code 3.
pub(crate) fn report_as_bugs() {
    std::panic::set_hook(Box::new(|info| {
        tell(info);
        std::process::exit(3);
    }));
}

fn tell(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("no message");
    let message = message.strip_prefix("internal error: entered unreachable code: ");
    let message = message.or_else(|| info.payload_as_str()).unwrap_or("no message");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    // There is nobody left to tell if standard error is closed.
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "nesl: bug: {message}\n  at {place}");
    let _ = writeln!(stderr, "  This is our fault. Please report it, with the program if you can.");
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        let _ = writeln!(stderr, "{}", std::backtrace::Backtrace::force_capture());
    }
}
