//! Conformance cases: reading them, and judging what a session told
//! (`tests/conformance/README.md`).

use crate::Verdict;
use crate::compare::same_value;
use crate::session::Told;
use base::{Diagnostic, Kind};
use prim::{Width, Widths};
use std::fs;
use std::io;
use std::path::Path;

/// How the paths of files begin in the corpus.
const FILES: &str = "/tmp/nesl_conf_";

/// A case.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Case {
    /// The topic, without its number.
    pub topic: String,
    /// Its place among the cases of the topic, from 1.
    pub number: usize,
    /// The forms, the last one without terminator.
    pub input: String,
    /// The widths of its numbers, where they are not those that a test chooses.
    pub widths: Option<Widths>,
    /// What the last form gives.
    pub expect: Expect,
}

/// What the last form of a case gives.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Expect {
    name: Option<String>,
    prints: Option<String>,
    out: Option<String>,
    ty: Option<String>,
    err: Option<String>,
}

/// Reads all cases of a folder, in order.
pub fn read(folder: &Path) -> io::Result<Vec<Case>> {
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::path);
    let mut cases = Vec::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        if let Some((_, topic)) = name.strip_suffix(".txt").and_then(|name| name.split_once('-')) {
            cases.extend(parse(topic, &fs::read_to_string(file.path())?));
        }
    }
    Ok(cases)
}

/// The cases in a text.
fn parse(topic: &str, text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for block in text.split("\n\n") {
        let mut case = Case { topic: topic.to_owned(), ..Case::default() };
        let mut found = false;
        for line in block.lines() {
            let (field, rest) = line.split_once(": ").unwrap_or((line, ""));
            let rest = || Some(rest.to_owned());
            match field {
                _ if line.starts_with('#') => {}
                _ if line.starts_with(' ') => case.input = case.input + "\n" + line,
                "in" => (case.input, found) = (line[4..].to_owned(), true),
                "name" => case.expect.name = rest(),
                "prints" => case.expect.prints = rest(),
                "out" => case.expect.out = rest(),
                "type" => case.expect.ty = rest(),
                "err" => case.expect.err = rest(),
                "int" => case.widths.get_or_insert_default().int = width(&line[5..]),
                "float" => case.widths.get_or_insert_default().float = width(&line[7..]),
                _ => {}
            }
        }
        if found {
            case.number = cases.len() + 1;
            cases.push(case);
        }
    }
    cases
}

fn width(text: &str) -> Width {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no width"))
}

impl Case {
    /// The text of the group.
    pub fn text(&self) -> String {
        format!("{}\n;", self.input)
    }

    /// The text of the group, with the files that it writes in this folder: two runs of a case at
    /// once must not write the same file.
    pub fn text_in(&self, folder: &Path) -> String {
        self.text().replace(FILES, &format!("{}/", folder.display()))
    }

    /// Judges what a session told.
    pub fn judge(&self, told: &[Told]) -> Verdict {
        let Some((last, before)) = told.split_last() else {
            return Verdict::Failed("nothing was told".to_owned());
        };
        for told in before {
            if let Told::Failed { errors, text } = told {
                return unexpected(errors, text);
            }
        }
        match (last, &self.expect.err) {
            (Told::Failed { errors, text }, Some(kind)) => match errors.first() {
                Some(error) if error.kind.to_string() == *kind => Verdict::Passed,
                _ => unexpected(errors, text),
            },
            (Told::Failed { errors, text }, None) => unexpected(errors, text),
            (Told::Shown { value, .. }, Some(kind)) => {
                Verdict::Failed(format!("{value} instead of an error {kind}"))
            }
            (Told::Shown { name, value, ty, printed }, None) => {
                self.expect.judge(name, value, ty, printed)
            }
            (Told::Said(text), _) => Verdict::Failed(format!("a command said: {text}")),
        }
    }
}

impl Expect {
    fn judge(&self, name: &str, value: &str, ty: &str, printed: &[u8]) -> Verdict {
        let expected = self.name.as_deref().unwrap_or("it");
        if name != expected {
            return Verdict::Failed(format!("the name is {name}, not {expected}"));
        }
        let out = self.out.as_deref().unwrap_or_default();
        if !same_value(value, out) {
            return Verdict::Failed(format!("{value} instead of {out}"));
        }
        let expected = self.ty.as_deref().unwrap_or_default();
        if ty != expected {
            return Verdict::Failed(format!("type {ty} instead of {expected}"));
        }
        match &self.prints {
            Some(literal) if unescaped(literal) != String::from_utf8_lossy(printed) => {
                Verdict::Failed(format!("printed {:?}", String::from_utf8_lossy(printed)))
            }
            _ => Verdict::Passed,
        }
    }
}

/// The verdict on an error that was not expected: of a name that the library lacks, and of what we
/// know that we cannot do, it says so.
pub(crate) fn unexpected(errors: &[Diagnostic], text: &str) -> Verdict {
    let honest = |error: &Diagnostic| matches!(error.kind, Kind::Limit | Kind::Undefined);
    if errors.iter().any(honest) {
        Verdict::NotYet(text.to_owned())
    } else {
        Verdict::Failed(text.to_owned())
    }
}

/// The characters of a string literal.
fn unescaped(literal: &str) -> String {
    let inner = literal.trim().trim_start_matches('"');
    let mut text = String::new();
    let mut characters = inner.strip_suffix('"').unwrap_or(inner).chars();
    while let Some(c) = characters.next() {
        text.push(match (c, c == '\\') {
            (c, false) => c,
            (_, true) => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('0') => '\0',
                Some(other) => other,
                None => '\\',
            },
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read() {
        let text = "# a topic\n\n# D1\nin: let a = 1;\n b = 2 in a: b\nout: 3\ntype: int\n\n\
                    in: print_string(\"a\\n\")\nprints: \"a\\n\"\nerr: type\n";
        let cases = parse("topic", text);
        assert_eq!(cases.len(), 2);
        assert_eq!(cases[0].input, "let a = 1;\n b = 2 in a: b");
        assert_eq!(cases[0].expect.ty.as_deref(), Some("int"));
        assert_eq!(cases[1].number, 2);
        assert_eq!(cases[1].expect.prints.as_deref().map(unescaped).as_deref(), Some("a\n"));
    }
}
