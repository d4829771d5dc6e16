//! Source text beside the abstract syntax or the messages it gives.

#![expect(clippy::needless_pass_by_value, reason = "`check(source, expect![...])` reads best")]

mod again;
mod errors;
mod expressions;
mod forms;
mod lexical;
mod limits;
mod lossless;
mod patterns;
mod types;

use crate::ast::{FormKind, Group};
use base::Files;
use expect_test::Expect;

fn parse(source: &[u8]) -> (Files, Group) {
    let mut files = Files::new();
    let file = files.add("in", source);
    let group = crate::parse(file, source);
    (files, group)
}

/// The forms of a text as S-expressions.
fn check(source: &str, expect: Expect) {
    check_bytes(source.as_bytes(), expect);
}

fn check_bytes(source: &[u8], expect: Expect) {
    let (_, group) = parse(source);
    expect.assert_eq(crate::show::group(&group).trim_end());
}

/// Each line as one form of its own.
fn check_lines(source: &str, expect: Expect) {
    let lines = source.trim().lines().map(|line| format!("{};", line.trim()));
    let shown: Vec<String> = lines
        .map(|line| crate::show::group(&parse(line.as_bytes()).1).trim().to_string())
        .collect();
    expect.assert_eq(&shown.join("\n"));
}

/// The messages of a text, as users see them.
fn check_messages(source: &str, expect: Expect) {
    let (files, group) = parse(source.as_bytes());
    let mut shown = Vec::new();
    for form in &group.forms {
        if let FormKind::Error(errors) = &form.kind {
            shown.extend(errors.iter().map(|error| error.render(&files, false)));
        }
    }
    expect.assert_eq(&shown.join("\n"));
}

/// Runs with the stack that the crate's description promises to be enough.
fn with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let builder = std::thread::Builder::new().stack_size(128 << 20);
    builder.spawn(work).unwrap().join().unwrap()
}
