//! `nesl fmt`: files in the house layout.

use crate::messages::{Messages, harmless};
use crate::options::Fmt;
use crate::{Status, run};
use base::{Code, Diagnostic, Files};
use similar::TextDiff;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many lines of differences are shown of a file.
const SHOWN: usize = 40;
/// After this time, differences are told less exactly.
const PATIENCE: Duration = Duration::from_secs(1);

/// Formats files, or standard input.
pub(crate) fn fmt(options: &Fmt) -> Status {
    let mut messages = Messages::new(options.errors.form);
    let standard_input = [PathBuf::from("-")];
    let files = if options.files.is_empty() { &standard_input[..] } else { &options.files };
    for path in files {
        if let Err(error) = fmt_file(path, options.check, &mut messages) {
            messages.error(&error, &Files::new());
        }
    }
    messages.close();
    messages.status
}

/// Formats a file; errors that belong to no source text are given back.
fn fmt_file(path: &Path, check: bool, messages: &mut Messages) -> Result<(), Diagnostic> {
    let (name, text) = run::source(path)?;
    let mut files = Files::new();
    let file = files.add(&name, text.as_slice());
    let formatted = match format::format(file, &text, format::WIDTH) {
        Ok(formatted) => formatted,
        Err(errors) => {
            errors.iter().for_each(|error| messages.error(error, &files));
            return Ok(());
        }
    };
    if check {
        if formatted != text {
            messages.fail();
            run::print(difference(&name, &text, &formatted).as_bytes())?;
        }
        return Ok(());
    }
    match path.as_os_str() == "-" {
        true => run::print(&formatted),
        false if formatted == text => Ok(()),
        false => rewrite(path, &formatted),
    }
}

/// The first lines that differ.
fn difference(name: &str, text: &[u8], formatted: &[u8]) -> String {
    let [text, formatted] = [text, formatted].map(String::from_utf8_lossy);
    let difference = TextDiff::configure().timeout(PATIENCE).diff_lines(&*text, &*formatted);
    let shown = difference.unified_diff().context_radius(1).to_string();
    let mut told = format!("{} is not formatted\n", harmless(name));
    let mut lines = shown.lines();
    for line in lines.by_ref().take(SHOWN) {
        told += line;
        told += "\n";
    }
    let more = lines.count();
    if more > 0 {
        // Writing to a `String` does not fail.
        let _ = writeln!(told, "and {more} more lines");
    }
    told
}

/// Puts the text in place of the file's.
fn rewrite(path: &Path, text: &[u8]) -> Result<(), Diagnostic> {
    value::whole::replace(path, |file| file.write_all(text)).map_err(|error| {
        Diagnostic::of(Code::File, format!("{} cannot be written: {error}", path.display()))
    })
}
