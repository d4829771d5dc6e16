//! `nesl check`: names, types and effects of a program, without running it.

use crate::messages::Messages;
use crate::options::Check;
use crate::{Status, run};
use ::run::Session;
use ::run::session::{EngineKind, Event, Options};
use base::Files;

/// Checks a file.
pub(crate) fn check(options: &Check) -> Status {
    let mut messages = Messages::new(options.errors.form);
    let (name, text) = match run::source(&options.file) {
        Ok(source) => source,
        Err(error) => {
            messages.error(&error, &Files::new());
            return messages.status;
        }
    };
    let mut engine = Options::new(EngineKind::Interp);
    engine.widths = options.widths.of();
    match Session::new(&engine, Box::new(std::io::sink())) {
        Ok(mut session) => session.check(&name, &text, &mut |files, event| {
            if let Event::Failed(errors) = event {
                errors.iter().for_each(|error| messages.error(error, files));
            }
        }),
        Err(bug) => messages.error(&bug, &Files::new()),
    }
    messages.status
}
