//! `nesl cost`: work and depth by the cost model of the language, in all, per function and line.
//!
//! The interpreter counts them while it evaluates; here the program is run on it, without showing
//! values, and what it counted is shown as tables or as JSON.

use crate::Status;
use crate::messages::{Messages, harmless};
use crate::options::Cost;
use crate::output::Output;
use crate::progress::Progress;
use crate::run::{can_call, print, source, tell};
use ::run::Session;
use ::run::session::{Costs, EngineKind, Options};
use base::{Diagnostic, Files, Kind};
use shell::cost::{ROWS, object, tables};
use std::io::{self, Write};

/// Tells what a program costs.
pub(crate) fn cost(options: &Cost) -> Status {
    let mut messages = Messages::new(options.errors.form);
    if let Err(error) = cost_of_file(options, &mut messages) {
        messages.error(&error, &Files::new());
    }
    messages.close();
    messages.status
}

/// Runs a file and shows its costs; errors that belong to no source text are given back.
fn cost_of_file(options: &Cost, messages: &mut Messages) -> Result<(), Diagnostic> {
    let (name, text) = source(&options.file)?;
    let mut choices = Options::new(EngineKind::Interp);
    choices.widths = options.widths.of();
    choices.account = true;
    choices.effects_told = Some("this form is run, with its effects, to find what it costs");
    // The object is to be alone on standard output.
    let out: Box<dyn Write + Send> =
        if options.json { Box::new(io::stderr()) } else { Box::new(Output::new()) };
    let mut session = Session::new(&choices, out)?;
    let progress = Progress::start("running");
    let flow = session.run(&name, &text, &mut |files, event| {
        progress.aside(|| {
            if let Err(error) = tell(files, event, false, messages) {
                messages.error(&error, files);
            }
        });
    });
    if let Some(function) = &options.entry {
        // Of a call that is not made, or fails, there is nothing to show.
        if !can_call(&session, function, flow, messages)?
            || !call(&mut session, function, options, messages, &progress)
        {
            return Ok(());
        }
    }
    drop(progress);
    let costs = session.costs();
    print(harmless(&shown(&costs, options, &session.files)).as_bytes())
}

/// Calls a function; only that is counted.  Says whether the call succeeded.
fn call(
    session: &mut Session,
    function: &str,
    options: &Cost,
    messages: &mut Messages,
    progress: &Progress,
) -> bool {
    session.reset_counts();
    if session.described(function).is_some_and(|described| described.effect) {
        let message = format!("`{function}` is called, with its effects, to find what it costs");
        let warning = Diagnostic::new(Kind::Input, message);
        progress.aside(|| messages.warning(&warning, &session.files));
    }
    let called = session.prepare_call(function, &options.given);
    let called = called.and_then(|call| session.call(&call).map_err(|error| vec![error]));
    if let Err(errors) = &called {
        progress.aside(|| errors.iter().for_each(|e| messages.error(e, &session.files)));
    }
    called.is_ok()
}

fn shown(costs: &Costs, options: &Cost, files: &Files) -> String {
    if options.json {
        format!("{}\n", object(costs, files))
    } else if costs.forms.is_empty() {
        "nothing was evaluated\n".to_owned()
    } else {
        tables(costs, if options.all { usize::MAX } else { ROWS }, files)
    }
}
