//! `nesl` and `nesl repl`: forms as they are typed, results at once.
//!
//! With a terminal, lines are edited ([`editor`]) until they are whole forms ([`shell::whole`]);
//! these are one group, with a name such as `<input 3>` in messages.  Without one, standard input
//! is a single group, as for `nesl run -`, and nothing but results is printed.
//!
//! What is small is interpreted, so that it is there at once; what is large is compiled (see
//! `session::small` in `runtime/run`).  Ctrl-C ends what runs, and the session goes on
//! ([`interrupt`]); a signal that ends the process leaves the terminal as it was ([`signals`]).

mod editor;
mod history;
pub(crate) mod interrupt;
#[cfg(unix)]
pub(crate) mod signals;

use crate::Status;
use crate::messages::{Messages, colours, say};
use crate::options::{Engine, Repl};
use crate::output::Output;
use crate::progress::Progress;
use crate::run::{source, tell};
use ::run::Session;
use ::run::session::Options;
use base::{Diagnostic, Files, Kind};
use editor::{Editor, Typed};
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;
use value::Interrupt;

/// Runs files, then what is typed or comes from standard input.
pub(crate) fn repl(options: &Repl) -> Status {
    let mut messages = Messages::new(options.session.errors.form);
    if let Err(error) = converse(options, &mut messages) {
        messages.error(&error, &Files::new());
    }
    messages.status
}

fn converse(options: &Repl, messages: &mut Messages) -> Result<(), Diagnostic> {
    let choices = choices(&options.session);
    let interrupt = choices.interrupt.clone();
    let session = Session::new(&choices, Box::new(Output::new()))?;
    let mut talk = Talk { session, interrupt, messages };
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if terminal {
        #[cfg(unix)]
        signals::restore_terminal();
        interrupt::stops(&talk.interrupt, 1)?;
    }
    for file in &options.files {
        if talk.file(file).is_break() {
            return Ok(());
        }
    }
    if terminal {
        talk.with_terminal(options)?;
        // Whoever sits there has seen what went wrong.
        if matches!(talk.messages.status, Status::Failed | Status::Interrupted) {
            talk.messages.status = Status::Done;
        }
    } else {
        // The last forms there are, whether or not they end the session.
        let _ = talk.file(Path::new("-"));
    }
    Ok(())
}

/// The choices of a session.
fn choices(options: &crate::options::Session) -> Options {
    let mut choices = options.means.of_session(match options.engine {
        // Threads are those of the cores.
        Engine::Auto if options.means.threads.is_some() => Engine::Cpu.into(),
        engine => engine.into(),
    });
    choices.fast_math = options.fast_math;
    choices.cpu.interrupt = Some(choices.interrupt.clone());
    // Who names an engine wants to see what it does.
    choices.small_first = options.engine == Engine::Auto;
    choices
}

/// A session and who hears of it.
struct Talk<'a> {
    session: Session,
    interrupt: Interrupt,
    messages: &'a mut Messages,
}

impl Talk<'_> {
    /// Runs a file as a group; `-` is standard input.
    fn file(&mut self, file: &Path) -> ControlFlow<()> {
        match source(file) {
            Ok((name, text)) => self.group(&name, &text),
            Err(error) => {
                self.messages.error(&error, &Files::new());
                ControlFlow::Continue(())
            }
        }
    }

    /// Runs a text as a group and tells what happens; tells whether the session goes on.
    fn group(&mut self, name: &str, text: &[u8]) -> ControlFlow<()> {
        self.interrupt.clear();
        let progress = Progress::start("running, Ctrl-C stops");
        let messages = &mut *self.messages;
        let mut shows = true;
        self.session.run(name, text, &mut |files, event| {
            progress.aside(|| {
                if let Err(error) = tell(files, event, shows, messages) {
                    // What cannot be printed once cannot be printed at all.
                    shows = false;
                    messages.error(&error, files);
                }
            });
        })
    }

    /// Runs what is typed until the user leaves.
    fn with_terminal(&mut self, options: &Repl) -> Result<(), Diagnostic> {
        let version = env!("CARGO_PKG_VERSION");
        say(&format!("nesl {version}: forms end with `;`, `help;` tells more, Ctrl-D leaves\n"));
        let history = history::file(options.session.history.as_deref());
        let mut editor = Editor::new(history, colours(&io::stdout())).map_err(|e| unusable(&e))?;
        for number in 1_usize.. {
            editor.learn(self.session.names());
            let text = match editor.read().map_err(|e| unusable(&e))? {
                Typed::Text(text) => text,
                Typed::Nothing => continue,
                Typed::End => break,
            };
            if self.group(&format!("<input {number}>"), text.as_bytes()).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The terminal cannot be read.
fn unusable(error: &rustyline::error::ReadlineError) -> Diagnostic {
    Diagnostic::new(Kind::Input, format!("the terminal cannot be read: {error}"))
}
