//! Builds and runs the programs of `benches/baselines`.
//!
//! Each prints lines `name size median_ms min_ms max_ms repetitions foreign% check`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use xshell::{Shell, cmd};

use super::cases::Case;
use super::median;
use crate::root;

fn sources() -> PathBuf {
    root().join("benches/baselines")
}

fn programs() -> PathBuf {
    root().join("benches/build")
}

/// Compiles all baselines that changed.
pub(crate) fn build() -> anyhow::Result<()> {
    let shell = Shell::new()?;
    let (sources, programs) = (sources(), programs());
    cmd!(shell, "make --silent -C {sources} OUT={programs}").run()?;
    Ok(())
}

/// Runs the baselines of a case once; gives names and milliseconds. Those in Python are left out
/// when there is none.
pub(crate) fn run(case: &Case, python: Option<&Path>) -> anyhow::Result<Vec<(String, f64)>> {
    let shell = Shell::new()?;
    let mut results = Vec::new();
    for &baseline in case.baselines {
        let program = if baseline.ends_with(".py") {
            let Some(python) = python else { continue };
            let script = sources().join("py").join(baseline);
            cmd!(shell, "{python} {script}")
        } else {
            let program = programs().join(baseline);
            cmd!(shell, "{program}")
        };
        let output = program
            .quiet()
            .env("BENCH_ONLY", case.prefix)
            .env("BENCH_SIZE", case.size)
            .env("BENCH_QUIET", "8")
            .env("BENCH_TRIES", "1")
            .read()?;
        results.extend(parse(&output, case).with_context(|| format!("output of {baseline}"))?);
    }
    Ok(results)
}

/// Reads what baselines print. The names lose what they have in common.
fn parse(output: &str, case: &Case) -> anyhow::Result<Vec<(String, f64)>> {
    let mut results = Vec::new();
    for line in output.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(_size), Some(time)) = (words.next(), words.next(), words.next())
        else {
            return Err(anyhow!("not a result: {line}"));
        };
        let time: f64 = time.parse().with_context(|| line.to_owned())?;
        results.push((name.strip_prefix(case.prefix).unwrap_or(name).to_owned(), time));
    }
    Ok(results)
}

/// The median for each name, best first.
pub(crate) fn summary(results: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let mut by_name: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (name, time) in results {
        by_name.entry(name).or_default().push(time);
    }
    let mut summary: Vec<(String, f64)> =
        by_name.into_iter().filter_map(|(name, times)| Some((name, median(times)?))).collect();
    summary.sort_by(|a, b| a.1.total_cmp(&b.1));
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::cases::CASES;

    #[test]
    fn results_are_read_and_summed_up() {
        let output = "dot.f64.cpp-omp 10M 3.5 3 4 31 0.0 1\ndot.f64.serial 10M 8 7 9 31 0.0 1";
        let mut results = parse(output, &CASES[0]).unwrap();
        results.push(("cpp-omp".to_owned(), 2.5));
        results.push(("cpp-omp".to_owned(), 3.0));
        let wanted = vec![("cpp-omp".to_owned(), 3.0), ("serial".to_owned(), 8.0)];
        assert_eq!(summary(results), wanted);
        assert!(parse("oh no", &CASES[0]).is_err());
    }
}
