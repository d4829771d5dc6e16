//! The command `nesl`.
//!
//! Options are declared in [`options`]; each subcommand has a file.  Everything runs on a thread
//! with a large stack, because programs recurse deeply.

mod build;
mod check;
mod cost;
mod dev;
mod doc;
mod explain;
mod fmt;
mod help;
mod highlight;
mod lsp;
mod manifest;
mod messages;
mod new;
mod options;
mod output;
mod packaging;
mod panics;
mod progress;
mod repl;
mod run;
mod watch;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use options::{Arguments, Command};
use std::path::Path;
use std::process::ExitCode;
use value::memory::heap::{self, Heap};

/// How the command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// All went well.
    Done,
    /// The program or its input is wrong, or it needs what we cannot do.
    Failed,
    /// The command was called wrongly.
    Usage,
    /// Our fault.
    Bug,
    /// The user stopped it.
    Interrupted,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Done => 0,
            Status::Failed => 1,
            Status::Usage => 2,
            Status::Bug => 3,
            // By the custom of shells.
            Status::Interrupted => 130,
        })
    }
}

/// Says how the command is called; who forgot the subcommand is told it.
fn misused(error: &clap::Error) -> ! {
    let told = error.render().to_string();
    if messages::harmless(&told) == told {
        // A failure to print cannot be reported.
        let _ = error.print();
    } else {
        messages::say(&told);
    }
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && Path::new(word).extension().is_some_and(|ending| ending == "nesl")
    {
        messages::say(&format!("\n`nesl run {word}` runs a program\n"));
    }
    std::process::exit(error.exit_code())
}

/// A request for memory that the system refuses ends in an error of the language.
#[global_allocator]
static HEAP: Heap = Heap;

fn main() -> ExitCode {
    panics::report_as_bugs();
    heap::reserve();
    let command = Arguments::try_parse().unwrap_or_else(|error| misused(&error)).chosen();
    // Before there are other threads, to which signals would go.
    #[cfg(unix)]
    if matches!(command, Command::Repl(_)) {
        repl::signals::hold();
    }
    let status = value::on_big_stack(|| match &command {
        Command::Repl(options) => repl::repl(options),
        Command::Run(options) => run::run(options),
        Command::Check(options) => check::check(options),
        Command::Cost(options) => cost::cost(options),
        Command::Fmt(options) => fmt::fmt(options),
        Command::Lsp { .. } => lsp::lsp(),
        Command::Build(options) => build::build(options),
        Command::Doc(options) => doc::doc(options),
        Command::Dev(options) => dev::dev(options),
        Command::New { name, errors } => new::new(name, errors.form),
        Command::Explain { code } => explain::explain(code.as_deref()),
        Command::Help { topic } => help::help(topic.as_deref()),
    });
    status.into()
}
