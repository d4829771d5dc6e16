//! What a call of the command prints.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Standard output, standard error and the exit code of a call in a folder.
pub(crate) fn transcript(
    folder: &Path,
    line: &str,
    variables: &[(&str, &str)],
    input: &str,
) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(folder).args(line.split_whitespace());
    // Where there is a GPU, it would be taken.
    command.env("CUDA_VISIBLE_DEVICES", "");
    command.env_remove("RUST_BACKTRACE").env_remove("CC").env_remove("NESL_CC");
    command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
    let mut text = out;
    if !err.is_empty() {
        text = format!("{text}-- stderr\n{err}");
    }
    format!("{text}-- exit {}\n", output.status.code().unwrap())
}
