//! `nesl help`: subcommands, the library, the compiler's passes.

use crate::doc::doc;
use crate::messages::{Messages, say};
use crate::options::{Arguments, Doc, ErrorForm, Errors};
use crate::{Status, output};
use ::run::Session;
use ::run::session::{EngineKind, Event, Options};
use base::{Files, nearest};
use clap::CommandFactory;
use comfy_table::{Table, presets};

/// What `nesl help` says beside the list of subcommands.
const TOPICS: &str = "
Topics of `nesl help TOPIC`:
  repl, run, check, cost, doc, fmt, lsp, build, new, explain, dev
                   a subcommand with all its options
  library          every function of the library with its type; see also `nesl doc`
  TOPIC            a topic of the library, such as sequences; `nesl doc` lists them
  NAME             a function or operator of the library, such as plus_scan or '->'
  files            which files arguments can be, and what values they become
  commands         what forms like `set print_length 10;` do inside programs
  passes           the passes of the compiler
";

/// Which files arguments can be.
const FILES: &str = "\
An argument of `--entry` is a literal, as in v='[1.0, 2.0]', or a file.  What a file becomes follows
from the type of the parameter:

  .npy    an array of NumPy: a scalar, a vector [a], rows [[a]], and so on by its dimensions;
          with a tuple of scalars of one type, as in [(int, int)], the last axis is its parts
            int      int8 to int64, uint8 to uint64, floats that are whole numbers
            float    float16, float32, float64
            bool     bool
            char     uint8 or S1
  .mtx    a matrix in the Matrix Market format:
            [[(int, float)]]      for each row its columns and values: sparse
            [[float]], [[int]]    all rows, with their zeros: dense
            [(int, int)]          the positions, as the edges of a graph
            [(int, int, float)]   positions and values
  .txt    [char] is the text, [[char]] its lines; [int], [float] and [bool] are the words between
          white space, as are int, float and bool where there is one word
  .nesl   a literal of any type without functions

Results are written by `-o FILE` to .npy, .txt and .nesl.  docs/tour/running.md says more.
";

/// Explains a topic.
pub(crate) fn help(topic: Option<&str>) -> Status {
    let mut command = Arguments::command();
    let text = match topic {
        None => format!("{}{TOPICS}", command.render_long_help()),
        Some("passes") => passes(),
        Some("commands") => return told("help;", "commands"),
        Some("library") => return told("apropos \"\";", "library"),
        Some("files") => FILES.to_owned(),
        Some(name) if stdlib::TOPICS.iter().any(|topic| topic.word == name) => {
            let errors = Errors { form: ErrorForm::Pretty };
            let about = Some(name.to_owned());
            return doc(&Doc { about, html: None, markdown: None, errors });
        }
        Some(name) => match command.find_subcommand_mut(name) {
            Some(subcommand) => {
                let named = subcommand.clone().bin_name(format!("nesl {name}"));
                named.clone().render_long_help().to_string()
            }
            None if name.contains(['"', '\\']) => {
                say(&format!("error: there is no topic `{name}`\n{TOPICS}"));
                return Status::Usage;
            }
            None => {
                let name = name.to_ascii_lowercase();
                return told(&format!("describe \"{name}\";"), &name);
            }
        },
    };
    match output::print(text.as_bytes()) {
        Ok(()) => Status::Done,
        Err(_) => Status::Failed,
    }
}

/// What a session says to a command about a topic.
fn told(command: &str, topic: &str) -> Status {
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
        Event::Failed(_) => status = Status::Usage,
        Event::Shown { .. } | Event::Warning(_) => {}
    });
    if status == Status::Usage {
        let near = near(topic, &session).map(|near| format!("; near it: `{near}`"));
        say(&format!("error: there is no topic `{topic}`{}\n{TOPICS}", near.unwrap_or_default()));
    }
    status
}

/// The topic that is nearest to a word, if one is near enough.
fn near(word: &str, session: &Session) -> Option<String> {
    let command = Arguments::command();
    let subcommands = command.get_subcommands().map(|subcommand| subcommand.get_name());
    let topics = stdlib::TOPICS.iter().map(|topic| topic.word);
    let own = ["library", "files", "commands", "passes"];
    let words = subcommands.chain(topics).chain(own).chain(session.names());
    nearest(word, words).map(str::to_owned)
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
