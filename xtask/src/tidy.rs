//! `cargo xtask tidy`: checks what the compiler and clippy cannot.
//!
//! * Every Rust file opens with a `//!` comment, every C and C++ file with a comment.
//! * Crates of `compiler/` depend only on what the design lets them, and every crate takes the
//!   lints of the workspace, see [`crates`].
//! * Links in documents lead somewhere, see [`links`].
//! * Nothing is left behind: reminders, places on somebody's machine, see [`words`].
//! * The README says how to run the tests, and that is what `.ci/run` does.
//!
//! It also tells which files are longest, for information.

mod crates;
mod links;
mod packed;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::root;

/// Directories that hold no source text of ours.
const SKIPPED: &[&str] = &["target", "data", "build", "shared", "tree_sitter"];
/// A file that a tool writes.
const GENERATED: &str = "editors/tree-sitter-nesl/src/parser.c";

/// How the tests are run.
const TEST_COMMAND: &str = "cargo test --workspace";

/// Runs the task: prints the findings, fails if there are any.
pub(crate) fn run() -> anyhow::Result<()> {
    let sources = sources()?;
    let findings = findings(&sources)?;
    for finding in &findings {
        println!("{finding}");
    }
    report_longest(&sources);
    match findings.len() {
        0 => Ok(()),
        n => bail!("{n} findings"),
    }
}

/// A file of text, its path relative to the root.
struct Source {
    path: PathBuf,
    text: String,
}

/// Everything that is wrong.
fn findings(sources: &[Source]) -> anyhow::Result<Vec<String>> {
    let mut findings: Vec<String> = sources
        .iter()
        .filter(|s| is_code(&s.path) && !opens_with_comment(s))
        .map(|s| format!("{}: the file does not open with a comment", s.path.display()))
        .collect();
    findings.extend(crates::findings()?);
    findings.extend(sources.iter().flat_map(links::findings));
    findings.extend(sources.iter().flat_map(words::findings));
    findings.extend(test_command()?);
    Ok(findings)
}

/// Whether README and CI agree on how the tests are run.
fn test_command() -> anyhow::Result<Option<String>> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let script = fs::read_to_string(root().join(".ci/run"))?;
    // CI adds options to it.
    let runs = |line: &str| TEST_COMMAND.split(' ').all(|word| line.split(' ').any(|w| w == word));
    let agree = readme.lines().any(|line| line == TEST_COMMAND) && script.lines().any(runs);
    Ok((!agree).then(|| format!("README.md and .ci/run do not both run `{TEST_COMMAND}`")))
}

/// All code and documents below the root, in order of their paths.
fn sources() -> anyhow::Result<Vec<Source>> {
    let root = root();
    let mut sources = Vec::new();
    let mut pending = vec![root.clone()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                    pending.push(path);
                }
            } else if (is_code(&path) || is_prose(&path)) && !path.ends_with(GENERATED) {
                let text = fs::read_to_string(&path)?;
                sources.push(Source { path: path.strip_prefix(&root)?.to_owned(), text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

fn is_code(path: &Path) -> bool {
    matches!(extension(path), "rs" | "c" | "h" | "cu" | "cuh" | "cpp")
}

fn is_prose(path: &Path) -> bool {
    matches!(extension(path), "md" | "toml" | "nesl" | "py" | "txt")
}

fn opens_with_comment(source: &Source) -> bool {
    let mut lines = source.text.lines();
    // The attributes of a crate may come first.
    let first = lines.find(|line| !line.starts_with("#![")).unwrap_or_default();
    match extension(&source.path) {
        "rs" => first.starts_with("//!"),
        _ => first.starts_with("//") || first.starts_with("/*"),
    }
}

/// Prints the longest files.
fn report_longest(sources: &[Source]) {
    let code = sources.iter().filter(|s| is_code(&s.path));
    let mut lengths: Vec<_> = code.map(|s| (s.text.lines().count(), &s.path)).collect();
    lengths.sort_by(|a, b| b.cmp(a));
    println!("longest of {} files:", lengths.len());
    for (lines, path) in lengths.iter().take(8) {
        println!("{lines:6}  {}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let findings = findings(&sources().unwrap()).unwrap();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    #[test]
    fn comments_are_found() {
        let check = |name: &str, text: &str| {
            opens_with_comment(&Source { path: PathBuf::from(name), text: text.to_owned() })
        };
        assert!(check("a.rs", "//! What it does.\n"));
        assert!(check("a.rs", "#![no_std]\n//! What it does.\n"));
        assert!(!check("a.rs", "// Not documentation.\n"));
        assert!(!check("a.rs", ""));
        assert!(check("a.h", "/* What it does. */\n"));
        assert!(!check("a.c", "#include <stdint.h>\n"));
    }
}
