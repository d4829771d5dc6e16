//! Pages of the documentation, as the tests that run their blocks see them: where the blocks are,
//! the command that they call, and how a page is compared or renewed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A fenced block.
pub(crate) struct Block<'p> {
    /// The `##` heading above it.
    pub(crate) heading: &'p str,
    /// What is written behind the opening fence.
    pub(crate) info: &'p str,
    pub(crate) text: &'p str,
    /// The bytes of the text in the page.
    pub(crate) place: std::ops::Range<usize>,
}

/// The blocks of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let (mut at, mut heading, mut open) = (0, "", None);
    for line in page.split_inclusive('\n') {
        let bare = line.trim_end();
        if let Some(info) = bare.strip_prefix("```") {
            open = match open {
                None => Some((info, at + line.len())),
                Some((info, start)) => {
                    found.push(Block { heading, info, text: &page[start..at], place: start..at });
                    None
                }
            };
        } else if let (None, Some(title)) = (open, bare.strip_prefix("## ")) {
            heading = title;
        }
        at += line.len();
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

/// The root of the tree.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// An empty folder, for the files of a page.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A program that finds `nesl` by its name, and runs the same on every machine.
pub(crate) fn command(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    let binary = Path::new(env!("CARGO_BIN_EXE_nesl")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .args(arguments)
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .env("CUDA_VISIBLE_DEVICES", "-1")
        .env_remove("NESL_CC")
        .env_remove("CC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Compares a page with what its blocks show now; with `UPDATE_EXPECT=1` renews it.
pub(crate) fn expect(file: &Path, page: &str, updated: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(file, updated).unwrap();
    } else if page != updated {
        let same = |(a, b): &(&str, &str)| a == b;
        let line = page.lines().zip(updated.lines()).take_while(same).count();
        let found: Vec<&str> = updated.lines().skip(line).take(20).collect();
        panic!("{}:{}: found\n{}", file.display(), line + 1, found.join("\n"));
    }
}
