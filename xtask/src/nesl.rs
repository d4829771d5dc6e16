//! Runs our command.
//!
//! `nesl run … --stats=json` prints one JSON object as the last line of standard error: times in
//! milliseconds, those of the runs without compiling and loading, and counts.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::root;

/// Where our command is, unless told otherwise.
pub(crate) const PLACE: &str = "target/release/nesl";

/// A call of a function of a program.
#[derive(Clone)]
pub(crate) struct Call {
    /// The file, relative to the root.
    pub(crate) program: PathBuf,
    /// The function.
    pub(crate) entry: String,
    /// Its arguments, as `n=100` and `a=a.npy`.
    pub(crate) arguments: Vec<String>,
    /// How often it runs.
    pub(crate) repeat: usize,
    /// Where the result goes, if anywhere.
    pub(crate) output: Option<PathBuf>,
    /// The folder of compiled programs, if not the usual one.
    pub(crate) cache: Option<PathBuf>,
    /// How much is fused, if not as usual.
    pub(crate) fusion: Option<&'static str>,
    /// Whether ints have 32 bits.
    pub(crate) narrow: bool,
}

/// What the command says about a call.
#[derive(Debug, PartialEq)]
pub(crate) struct Stats {
    /// Milliseconds of each run.
    pub(crate) runs: Vec<f64>,
    /// Milliseconds of compiling.
    pub(crate) compiling: f64,
    /// Those of the passes, without the C compiler.
    pub(crate) passes: f64,
    /// Kernels that were compiled.
    pub(crate) compiled: u64,
    /// The most bytes that values took at one time.
    pub(crate) peak: u64,
    /// Kernels that the last run came to.
    pub(crate) kernels: u64,
    /// Bytes that it read and wrote.
    pub(crate) moved: u64,
}

impl Call {
    /// Makes the call; the inner error is why there is no result.
    pub(crate) fn run(&self, nesl: &Path) -> anyhow::Result<Result<Stats, String>> {
        let nesl = root().join(nesl);
        if !nesl.exists() {
            return Ok(Err(format!("{} is not there", nesl.display())));
        }
        let mut command = Command::new(nesl);
        command.arg("run").arg(root().join(&self.program));
        command.args(["--entry", &self.entry]).args(&self.arguments);
        command
            .args(["--engine", "cpu", "--quiet", "--stats=json"])
            .arg(format!("--repeat={}", self.repeat));
        if let Some(output) = &self.output {
            command.arg("-o").arg(output);
        }
        if let Some(fusion) = self.fusion {
            command.args(["--fusion", fusion]);
        }
        if self.narrow {
            command.args(["--int", "32"]);
        }
        if let Some(cache) = &self.cache {
            command.env("NESL_CACHE_DIR", cache);
        }
        let output = command.output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Ok(Err(said.lines().next().unwrap_or("it failed").to_owned()));
        }
        Ok(stats(&said).ok_or_else(|| "it printed no statistics".to_owned()))
    }
}

/// The statistics in what the command printed.
fn stats(said: &str) -> Option<Stats> {
    let stats: Value = serde_json::from_str(said.lines().last()?).ok()?;
    Some(Stats {
        runs: stats["run_ms_all"].as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?,
        compiling: stats["compile_ms"].as_f64()?,
        passes: stats["passes_ms"].as_f64()?,
        compiled: stats["kernels_compiled"].as_u64()?,
        peak: stats["peak_bytes"].as_u64()?,
        kernels: stats["kernels_run"].as_u64()?,
        moved: stats["bytes_moved"].as_u64()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_in_the_last_line() {
        let said = "a warning\n{\"run_ms_all\": [2.0, 3], \"compile_ms\": 0.5, \"passes_ms\": 0.25, \
             \"peak_bytes\": 64, \"kernels_compiled\": 4, \"kernels_run\": 3, \"bytes_moved\": 80}\n";
        let wanted = Stats {
            runs: vec![2.0, 3.0],
            compiling: 0.5,
            passes: 0.25,
            compiled: 4,
            peak: 64,
            kernels: 3,
            moved: 80,
        };
        assert_eq!(stats(said), Some(wanted));
        assert_eq!(stats("a warning"), None);
        assert_eq!(stats(""), None);
    }
}
