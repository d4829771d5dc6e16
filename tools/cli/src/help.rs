//! `nesl help`: subcommands, the library, the compiler's passes.

use crate::messages::{Messages, say};
use crate::options::{Arguments, ErrorForm};
use crate::{Status, output};
use ::run::Session;
use ::run::session::{EngineKind, Event, Options};
use base::Files;
use clap::CommandFactory;
use comfy_table::{Table, presets};

/// What `nesl help` says beside the list of subcommands.
const TOPICS: &str = "
Topics of `nesl help TOPIC`:
  repl, run, check, cost, doc, fmt, lsp, build, new, explain, dev
                   a subcommand with all its options
  library          every function of the library with its type; see also `nesl doc`
  NAME             a function of the library, such as plus_scan
  commands         what forms like `set print_length 10;` do inside programs
  passes           the passes of the compiler
";

/// Explains a topic.
pub(crate) fn help(topic: Option<&str>) -> Status {
    let mut command = Arguments::command();
    let text = match topic {
        None => format!("{}{TOPICS}", command.render_long_help()),
        Some("passes") => passes(),
        Some("commands") => return told("help;"),
        Some("library") => return told("apropos \"\";"),
        Some(name) => match command.find_subcommand_mut(name) {
            Some(subcommand) => {
                let named = subcommand.clone().bin_name(format!("nesl {name}"));
                named.clone().render_long_help().to_string()
            }
            None if name.contains(['"', '\\']) => {
                say(&format!("error: there is no topic `{name}`\n{TOPICS}"));
                return Status::Usage;
            }
            None => return told(&format!("describe \"{}\";", name.to_ascii_lowercase())),
        },
    };
    match output::print(text.as_bytes()) {
        Ok(()) => Status::Done,
        Err(_) => Status::Failed,
    }
}

/// What a session says to a command.
fn told(command: &str) -> Status {
    let mut messages = Messages::new(ErrorForm::Short);
    let mut session =
        match Session::new(&Options::new(EngineKind::Interp), Box::new(std::io::sink())) {
            Ok(session) => session,
            Err(bug) => {
                messages.error(&bug, &Files::new());
                return messages.status;
            }
        };
    let mut status = Status::Done;
    let _ = session.run("<help>", command.as_bytes(), &mut |_, event| match event {
        Event::Said(text) => {
            if output::print(format!("{text}\n").as_bytes()).is_err() {
                status = Status::Failed;
            }
        }
        Event::Failed(errors) => {
            errors.iter().for_each(|error| say(&format!("error: {}\n{TOPICS}", error.message)));
            status = Status::Usage;
        }
        Event::Shown { .. } | Event::Warning(_) => {}
    });
    status
}

/// The passes of the compiler.
fn passes() -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["pass", "gives", ""]);
    for pass in compile::PASSES {
        table.add_row([pass.name, pass.station, pass.doc]);
    }
    format!("{table}\n")
}
