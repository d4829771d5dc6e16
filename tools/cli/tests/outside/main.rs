//! The command on what outsiders tried: each case is a fault that was found, or its neighbour
//! (`tests/outside/README.md`).

#[path = "../transcript/mod.rs"]
mod transcript;

mod bounds;
mod effects;
mod files;
mod messages;
mod processes;
mod values;

use expect_test::Expect;
use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder for one test, with these files in it.
pub(crate) fn folder(test: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside").join(test);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    folder
}

/// Compares the output of the command in this folder: standard output, standard error, and the exit
/// code.
#[track_caller]
pub(crate) fn check(folder: &Path, line: &str, expected: &Expect) {
    expected.assert_eq(&transcript::transcript(folder, line, &[], ""));
}
