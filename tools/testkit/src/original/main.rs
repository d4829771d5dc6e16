//! Runs the regression tests of the original NESL, from a folder of sources that is given.
//!
//! ```text
//! nesl-original --define 'user = "name";' nesl/src nesl/seqsrc
//! ```
//!
//! The original's suites are functions with bindings of the form `te = test("name", e)`.  Each such
//! `e` is a test, and passes if it is T.  A test runs in a session of its own, as a function of
//! the bindings before it, so that one that is refused does not take its neighbours along.
//! None of these sources is part of this repository.

#![allow(clippy::print_stdout, reason = "a program prints its table")]

mod suite;

use clap::{Parser, ValueEnum};
use run::session::{EngineKind, Options};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use suite::{Suite, Test};
use testkit::{Told, Verdict, on_session};

/// Runs the regression tests of the original NESL.
#[derive(Parser, Debug)]
struct Arguments {
    /// Folders of sources; each is searched at any depth
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Definitions that each suite begins with, such as those of the original's `config.nesl`
    #[arg(long, default_value = "")]
    define: String,
    /// The engine that evaluates
    #[arg(long, value_enum, default_value_t = Engine::Cpu)]
    engine: Engine,
}

/// The engine that evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Engine {
    /// The reference.
    Interp,
    /// The cores of this machine.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match value::on_big_stack(|| all(&arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs all suites below the folder; F if it has none.
fn all(arguments: &Arguments) -> io::Result<bool> {
    let mut options = Options::new(match arguments.engine {
        Engine::Interp => EngineKind::Interp,
        Engine::Cpu => EngineKind::Cpu,
        Engine::Cuda => EngineKind::Cuda,
    });
    (options.cpu.tiny, options.cpu.quick, options.cuda.tiny) = (true, true, true);
    let mut sums = [0; 3];
    for path in sources(&arguments.folders)? {
        let suite = Suite::read(&path, &arguments.define)?;
        let mut counts = [0; 3];
        for test in &suite.tests {
            let (column, word, reason) = match outcome(&options, &suite, test) {
                Verdict::Passed => (0, "", String::new()),
                Verdict::Failed(reason) => (1, "failed", reason),
                Verdict::NotYet(reason) => (2, "interpreted", reason),
            };
            counts[column] += 1;
            if column > 0 {
                println!("{}: {word}: {}", test.name, reason.replace('\n', " | "));
            }
        }
        if !suite.tests.is_empty() {
            print_counts(&path.display().to_string(), counts);
        }
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    print_counts("all", sums);
    Ok(sums != [0; 3])
}

fn print_counts(name: &str, [passed, failed, interpreted]: [usize; 3]) {
    println!("{name:40} {passed:4} passed {failed:4} failed {interpreted:4} interpreted");
}

/// All files of NESL below the folders, in order.
fn sources(folders: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = folders.to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "nesl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn outcome(options: &Options, suite: &Suite, test: &Test) -> Verdict {
    let told = match on_session(options, suite.program(test).as_bytes()) {
        Ok(told) => told,
        Err(panic) => return Verdict::Failed(panic),
    };
    let limited = told.iter().find_map(|told| match told {
        Told::Failed { errors, text } => {
            errors.iter().any(|error| error.kind == base::Kind::Limit).then_some(text)
        }
        _ => None,
    });
    match (told.last(), limited) {
        (Some(Told::Shown { value, .. }), Some(text)) if value == "T" => {
            Verdict::NotYet(text.clone())
        }
        (Some(Told::Shown { value, .. }), None) if value == "T" => Verdict::Passed,
        // The call is not told when it fails only because a definition did.
        (Some(Told::Shown { value, .. }), _) if value != "fn" => {
            Verdict::Failed(format!("it is {value}"))
        }
        (Some(Told::Shown { .. } | Told::Failed { .. }), _) => Verdict::Failed(last_reason(&told)),
        (Some(Told::Said(text)), _) => Verdict::Failed(format!("a command said: {text}")),
        (None, _) => Verdict::Failed("nothing was told".to_owned()),
    }
}

/// The error of the last form that failed: the test's own, or that of its call.
fn last_reason(told: &[Told]) -> String {
    let reasons = told.iter().rev().filter_map(|told| match told {
        Told::Failed { text, .. } => Some(text.clone()),
        _ => None,
    });
    reasons.into_iter().next().unwrap_or_default()
}
