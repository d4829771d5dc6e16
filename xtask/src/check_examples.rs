//! `cargo xtask check-examples`: the examples at full size, compared with independent programs.
//!
//! An example's `cases.txt` has inputs that one can follow by hand; here it runs on millions of
//! elements, where other things go wrong: sums of many numbers, large offsets, memory. A program of
//! `benches/checks` computes the result in another way, from the same files, and compares. The
//! table also has what the runs took: time, memory of a call that is made once for each byte of
//! input and result, which is limited for each example, and compiling with an empty cache.

mod cases;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use xshell::{Shell, cmd};

use crate::measure::median;
use crate::nesl::{self, Call, Stats};
use crate::{python, root};
use cases::{CASES, Case};

/// What to check.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Examples, as `primes`; all if none is named
    names: Vec<String>,
    /// How often an example runs
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// The command to check
    #[arg(long, default_value = nesl::PLACE)]
    nesl: PathBuf,
    /// A Python that has NumPy and SciPy, instead of one below data/ that is made
    #[arg(long)]
    python: Option<PathBuf>,
}

/// What one case came to.
struct Outcome {
    /// What the command said.
    stats: Stats,
    /// The most bytes that values took, the arguments among them, for each byte of the arguments
    /// and the result.
    memory: f64,
    /// What the independent program found, or what is wrong.
    verdict: Result<String, String>,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if let Some(name) = options.names.iter().find(|name| !CASES.iter().any(|c| c.example == **name))
    {
        bail!("no example is called {name}");
    }
    let python = python::interpreter(options.python.as_deref())?;
    let folder = root().join("data/results");
    fs::create_dir_all(&folder)?;
    println!("{HEAD}");
    let mut failed = Vec::new();
    for case in CASES.iter().filter(|case| options.wants(case)) {
        let outcome = check(case, options, &folder, &python)?;
        if !outcome.as_ref().is_ok_and(|outcome| outcome.verdict.is_ok()) {
            failed.push(case.name());
        }
        println!("{}", line(case, &outcome));
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join("; "));
    }
    Ok(())
}

impl Options {
    fn wants(&self, case: &Case) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| name == case.example)
    }
}

/// Runs a case and compares; the inner error is why there is no result.
fn check(
    case: &Case,
    options: &Options,
    folder: &Path,
    python: &Path,
) -> anyhow::Result<Result<Outcome, String>> {
    let output = folder.join(format!("{}-{}.npy", case.example, case.size));
    // The cache of this process is empty at first, so that compiling is measured, too.
    let cache = folder.join(format!("cache-{}-{}", case.example, std::process::id()));
    let call = Call {
        program: Path::new("examples").join(case.example).join(format!("{}.nesl", case.example)),
        entry: case.entry.to_owned(),
        arguments: case.arguments()?,
        repeat: options.repeat.max(1),
        output: Some(output.clone()),
        cache: Some(cache.clone()),
        fusion: None,
        narrow: false,
    };
    let answer = call.run(&options.nesl);
    // A call that is made once may use the memory of its arguments.
    let once = Call { repeat: 1, ..call.clone() };
    let alone = once.run(&options.nesl);
    if cache.exists() {
        fs::remove_dir_all(&cache)?;
    }
    let (stats, alone) = match (answer?, alone?) {
        (Ok(stats), Ok(alone)) => (stats, alone),
        (Err(message), _) | (_, Err(message)) => return Ok(Err(message)),
    };
    // The arguments are not among what the program takes.
    let given = case.input_bytes()?;
    let memory = (given + alone.peak) as f64 / (given + fs::metadata(&output)?.len()) as f64;
    let verdict = compare(case, &call, &output, python)?.and_then(|found| {
        let small = memory <= case.most;
        if small {
            Ok(found)
        } else {
            Err(format!("more memory than {} times the data", case.most))
        }
    });
    fs::remove_file(&output)?;
    Ok(Ok(Outcome { stats, memory, verdict }))
}

/// What the independent program says about a result.
fn compare(
    case: &Case,
    call: &Call,
    output: &Path,
    python: &Path,
) -> anyhow::Result<Result<String, String>> {
    let shell = Shell::new()?;
    let script = root().join("benches/checks").join(format!("{}.py", case.example));
    let arguments = &call.arguments;
    let done = cmd!(shell, "{python} {script} {output} {arguments...}")
        .quiet()
        .ignore_status()
        .output()
        .with_context(|| format!("{} cannot be run", script.display()))?;
    let last = |text: &[u8]| {
        String::from_utf8_lossy(text).lines().last().unwrap_or("it says nothing").to_owned()
    };
    Ok(if done.status.success() { Ok(last(&done.stdout)) } else { Err(last(&done.stderr)) })
}

const HEAD: &str = "\
example        size            run, ms  peak/data  compiling, ms  result
-------------  -------------  --------  ---------  -------------  ------";

/// One line of the table.
fn line(case: &Case, outcome: &Result<Outcome, String>) -> String {
    let name = format!("{:13}  {:13}", case.example, case.size);
    match outcome {
        Ok(Outcome { stats, memory, verdict }) => {
            let run = median(stats.runs.clone()).unwrap_or(f64::NAN);
            let verdict = match verdict {
                Ok(found) => format!("ok: {found}"),
                Err(problem) => format!("FAILED: {problem}"),
            };
            format!("{name}  {run:8.1}  {memory:9.2}  {:13.0}  {verdict}", stats.compiling)
        }
        Err(message) => format!("{name}  {:8}  {:9}  {:13}  FAILED: {message}", "", "", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_aligned_with_the_head() {
        let stats = Stats {
            runs: vec![1234.56],
            compiling: 789.0,
            passes: 5.0,
            compiled: 1,
            peak: 3,
            kernels: 1,
            moved: 2,
        };
        let outcome = Outcome { stats, memory: 2.5, verdict: Ok("exact".to_owned()) };
        let line = line(&CASES[0], &Ok(outcome));
        let head = HEAD.lines().next().unwrap();
        assert_eq!(line.find("ok: exact"), head.find("result"));
        assert!(line.contains("  1234.6       2.50            789  "), "{line}");
    }
}
