//! `nesl check`: names, types and effects of a program and of what it loads, without running it.

use crate::messages::{Messages, say, write};
use crate::options::Check;
use crate::watch::Seen;
use crate::{Status, run};
use ::run::Session;
use ::run::session::{EngineKind, Event, Options};
use base::{Code, Diagnostic, Files};
use std::io::{self, IsTerminal};

/// Goes to the upper left corner of a terminal and clears it, with what has scrolled away.
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

/// Checks a file, and again whenever it or what it loads changes if that is wished.
pub(crate) fn check(options: &Check) -> Status {
    let mut messages = Messages::new(options.errors.form);
    if options.watch && options.file.as_os_str() == "-" {
        let error = Diagnostic::of(Code::Input, "standard input does not change");
        messages.error(&error.help("`--watch` takes a file"), &Files::new());
        return messages.status;
    }
    let mut engine = Options::new(EngineKind::Interp);
    engine.widths = options.widths.of();
    let mut session = match Session::new(&engine, Box::new(io::sink())) {
        Ok(session) => session,
        Err(bug) => {
            messages.error(&bug, &Files::new());
            return messages.status;
        }
    };
    if options.watch {
        watch(&mut session, options);
    }
    check_file(&mut session, options, &mut messages);
    messages.close();
    messages.status
}

/// Checks a file; tells how many errors it has.
fn check_file(session: &mut Session, options: &Check, messages: &mut Messages) -> usize {
    let (name, text) = match run::source(&options.file) {
        Ok(source) => source,
        Err(error) => {
            messages.error(&error, &Files::new());
            return 1;
        }
    };
    let mut count = 0;
    session.check(&name, &text, &mut |files, event| match event {
        Event::Failed(errors) => {
            count += errors.len();
            errors.iter().for_each(|error| messages.error(error, files));
        }
        Event::Warning(warning) => messages.warning(&warning, files),
        _ => {}
    });
    count
}

/// Checks a file again and again; Ctrl-C ends it.
fn watch(session: &mut Session, options: &Check) -> ! {
    let terminal = io::stderr().is_terminal();
    let mut seen = Seen::of(&options.file);
    loop {
        if terminal {
            write(CLEAR);
        }
        let mut messages = Messages::new(options.errors.form);
        let told = match check_file(session, options, &mut messages) {
            0 => "no errors".to_owned(),
            1 => "1 error".to_owned(),
            count => format!("{count} errors"),
        };
        // States from before the check, where they are known: no change is missed.
        seen = seen.with(session.sought());
        say(&format!("{}: {told}; Ctrl-C ends the watch\n", options.file.display()));
        session.reset();
        seen = seen.next();
    }
}
