//! Whole programs and the lines that they print.

use crate::Verdict;
use crate::case::unexpected;
use crate::compare::same_value;
use crate::session::Told;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A program with the lines that it prints.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of its file, without ending.
    pub name: String,
    /// Its text.
    pub text: Vec<u8>,
    /// One line for each form: `name = value : type`.
    pub lines: Vec<String>,
}

/// Reads all programs of a folder, in order.
pub fn read(folder: &Path) -> io::Result<Vec<Program>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "nesl"));
    paths.sort();
    let program = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lines = fs::read_to_string(path.with_extension("out"))?;
        let lines = lines.lines().map(str::to_owned).collect();
        Ok(Program { name, text: fs::read(&path)?, lines })
    };
    paths.into_iter().map(program).collect()
}

impl Program {
    /// Judges what a session told.
    pub fn judge(&self, told: &[Told]) -> Verdict {
        for (told, line) in told.iter().zip(&self.lines) {
            match told {
                Told::Shown { name, value, ty, .. } => {
                    let shown = format!("{name} = {value} : {ty}");
                    if !same_line(&shown, line) {
                        return Verdict::Failed(format!("{shown} instead of {line}"));
                    }
                }
                Told::Failed { errors, text } => return unexpected(errors, text),
                Told::Said(text) => return Verdict::Failed(format!("a command said: {text}")),
            }
        }
        if told.len() == self.lines.len() {
            Verdict::Passed
        } else {
            Verdict::Failed(format!("{} lines instead of {}", told.len(), self.lines.len()))
        }
    }
}

/// Compares `name = value : type`: values by value, the rest as text.
fn same_line(found: &str, expected: &str) -> bool {
    match (parts(found), parts(expected)) {
        (Some(a), Some(b)) => a.0 == b.0 && same_value(a.1, b.1) && a.2 == b.2,
        _ => found == expected,
    }
}

fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = line.split_once(" = ")?;
    let (value, ty) = rest.rsplit_once(" : ")?;
    Some((name, value, ty))
}
