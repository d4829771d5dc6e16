//! The workshop: tasks of developers, run as `cargo xtask TASK`.
//!
//! | task | what it does |
//! |---|---|
//! | `bless` | runs the tests and makes what they find what they expect |
//! | `check-examples` | runs the examples at full size and compares with independent programs |
//! | `data` | writes the inputs of the benchmarks and of the examples at full size |
//! | `fuzz` | runs generated programs on all engines and compares |
//! | `original` | runs the regression tests of the original NESL, from folders that are given |
//! | `respell` | writes a program in other spellings, which it checks |
//! | `measure` | runs the benchmarks next to their baselines and writes the page about them |
//! | `tidy` | checks what the compiler cannot: comments at the top of files, who depends on whom |
#![expect(clippy::print_stdout, reason = "tasks talk to the terminal")]

mod bless;
mod check_examples;
mod data;
mod measure;
mod nesl;
mod npy;
mod python;
mod random;
mod size;
mod testkit;
mod tidy;

use std::path::{Path, PathBuf};

use clap::Parser;

/// The command line.
#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the workshop")]
enum Task {
    /// Runs tests and makes what they find what they expect; look at the difference afterwards
    Bless(bless::Options),
    /// Runs the examples at full size and compares results with those of independent programs
    CheckExamples(check_examples::Options),
    /// Writes the inputs of benchmarks and examples into data/; files that exist are kept
    Data(data::Options),
    /// Runs generated programs on all engines; the options are those of nesl-fuzz
    Fuzz(testkit::Options),
    /// Runs the regression tests of the original NESL; the options are those of nesl-original
    Original(testkit::Options),
    /// Writes a program in other spellings by rules; the options are those of nesl-respell
    Respell(testkit::Options),
    /// Checks the source tree
    Tidy,
    /// Runs the benchmarks next to their baselines
    #[command(subcommand)]
    Measure(measure::Target),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Bless(options) => bless::run(&options),
        Task::CheckExamples(options) => check_examples::run(&options),
        Task::Data(options) => data::run(&options),
        Task::Fuzz(options) => testkit::run("nesl-fuzz", &options),
        Task::Original(options) => testkit::run("nesl-original", &options),
        Task::Respell(options) => testkit::run("nesl-respell", &options),
        Task::Tidy => tidy::run(),
        Task::Measure(target) => measure::run(&target),
    }
}

/// The root of the source tree.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}
