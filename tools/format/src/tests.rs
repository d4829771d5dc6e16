//! Source text beside what is made of it.

#![expect(clippy::needless_pass_by_value, reason = "`check(source, expect![...])` reads best")]

mod comments;
mod expressions;
mod forms;
mod limits;

use crate::format;
use base::Id;
use expect_test::Expect;

fn formatted(source: &[u8], width: usize) -> Vec<u8> {
    format(base::FileId::new(0), source, width).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The layout on lines of 40 columns, which stays as it is.
#[track_caller]
fn check(source: &str, expect: Expect) {
    let text = formatted(source.as_bytes(), 40);
    let again = formatted(&text, 40);
    let [text, again] = [text, again].map(|text| String::from_utf8(text).unwrap());
    expect.assert_eq(&text);
    assert_eq!(text, again);
}
