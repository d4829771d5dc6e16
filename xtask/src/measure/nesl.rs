//! Runs our command on a case.
//!
//! `nesl run … --repeat=N --stats=json` prints one JSON object as the last line of standard error;
//! `run_ms_all` has the milliseconds of each of the N runs, without compiling and loading.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::cases::Case;
use crate::{data, root};

/// Milliseconds of each run, or why there are none.
pub(crate) fn run(
    case: &Case,
    nesl: &Path,
    repeat: usize,
) -> anyhow::Result<Result<Vec<f64>, String>> {
    let nesl = root().join(nesl);
    if !nesl.exists() {
        return Ok(Err(format!("{} is not there", nesl.display())));
    }
    let input = data::directory(case.input)?;
    let mut command = Command::new(nesl);
    command.arg("run").arg(root().join("benches/programs").join(case.program));
    command.args(["--entry", case.entry]);
    for parameter in case.parameters {
        let mut argument = OsString::from(format!("{parameter}="));
        argument.push(input.join(parameter).with_extension("npy"));
        command.arg(argument);
    }
    command.args(["--quiet", "--stats=json"]).arg(format!("--repeat={repeat}"));
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Ok(Err(said.lines().next().unwrap_or("it failed").to_owned()));
    }
    Ok(times(&said).ok_or_else(|| "it printed no times".to_owned()))
}

/// The times in what the command printed.
fn times(said: &str) -> Option<Vec<f64>> {
    let stats: Value = serde_json::from_str(said.lines().last()?).ok()?;
    stats["run_ms_all"].as_array()?.iter().map(Value::as_f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_the_last_line() {
        let said = "a warning\n{\"run_ms\": 2.0, \"run_ms_all\": [2.0, 3]}\n";
        assert_eq!(times(said), Some(vec![2.0, 3.0]));
        assert_eq!(times("a warning"), None);
        assert_eq!(times(""), None);
    }
}
