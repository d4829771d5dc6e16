//! `cargo xtask measure`: the benchmarks next to their baselines, and the page about them.
//!
//! The machine is never quite the same twice, so a comparison counts only what ran side by side:
//! for each case, our program and the baselines take turns for a few rounds, and the medians over
//! the rounds are compared. Our time is that of the run alone, without compiling and loading.

mod baselines;
mod cases;
mod compiling;
mod fusion;
mod page;
mod sections;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::{nesl, python, root, testkit};
use cases::{CASES, Case};

/// What to measure on.
#[derive(clap::Subcommand)]
pub(crate) enum Target {
    /// On the cores, against C++ and NumPy; writes docs/performance.md
    Cpu(Options),
    /// On the cores, without fusion, with the greedy one, and with the usual one; writes their
    /// table in docs/performance.md
    Fusion(Options),
    /// Compiling of the examples and of programs of 2,000 bulk operations; writes their table in
    /// docs/performance.md
    Compiling(compiling::Options),
    /// The spellings of tests/respelled beside each other: times on cores, or figures of plans; the
    /// options are those of nesl-respelled
    Respelled(testkit::Options),
}

/// How to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Cases, as `dot` or `dot-10M`; all if none is named, and then the page is written
    names: Vec<String>,
    /// How often our program and the baselines take turns
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Runs of our program in a round
    #[arg(long, default_value_t = 11)]
    repeat: usize,
    /// Also the large sizes
    #[arg(long)]
    large: bool,
    /// The command to measure
    #[arg(long, default_value = nesl::PLACE)]
    nesl: PathBuf,
    /// A Python that has NumPy, instead of one below data/ that is made
    #[arg(long)]
    python: Option<PathBuf>,
}

/// What was measured for a case.
struct Row {
    case: &'static Case,
    /// Milliseconds of our program, if it ran.
    ours: Result<f64, String>,
    /// Milliseconds of the baselines, best first.
    baselines: Vec<(String, f64)>,
}

/// Runs the task.
pub(crate) fn run(target: &Target) -> anyhow::Result<()> {
    let options = match target {
        Target::Cpu(options) => options,
        Target::Fusion(options) => return fusion::run(options),
        Target::Compiling(options) => return compiling::run(options),
        Target::Respelled(options) => return testkit::run("nesl-respelled", options),
    };
    baselines::build()?;
    // Without Python the other baselines are worth measuring, too.
    let python = python::interpreter(options.python.as_deref())
        .inspect_err(|error| println!("no Python baselines: {error:#}"))
        .ok();
    let mut rows = Vec::new();
    for case in CASES.iter().filter(|case| options.wants(case)) {
        let row = measure(case, options, python.as_deref())?;
        println!("{}", page::line(&row));
        rows.push(row);
    }
    if options.names.is_empty() {
        let path = root().join("docs/performance.md");
        fs::create_dir_all(root().join("docs"))?;
        let old = fs::read_to_string(&path).unwrap_or_default();
        let page = page::page(&rows, options.rounds) + &sections::kept();
        fs::write(&path, page::kept(page, &old))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

impl Options {
    fn wants(&self, case: &Case) -> bool {
        let named = |name: &String| *name == case.workload || *name == case.name();
        if self.names.is_empty() { self.large || !case.large } else { self.names.iter().any(named) }
    }
}

/// Lets our program and the baselines of a case take turns.
fn measure(case: &'static Case, options: &Options, python: Option<&Path>) -> anyhow::Result<Row> {
    let call = case.call(options.repeat)?;
    let mut ours = Vec::new();
    let mut failure = None;
    let mut theirs = Vec::new();
    for _ in 0..options.rounds.max(1) {
        if failure.is_none() {
            match call.run(&options.nesl)? {
                Ok(stats) => ours.extend(stats.runs),
                Err(message) => failure = Some(message),
            }
        }
        theirs.extend(baselines::run(case, python)?);
    }
    let ours = failure.map_or_else(|| median(ours).ok_or_else(|| "no times".to_owned()), Err);
    Ok(Row { case, ours, baselines: baselines::summary(theirs) })
}

/// The median of some times.
pub(crate) fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(3.0));
    }
}
