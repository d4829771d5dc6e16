//! Whether an engine's outcome is that of the interpreter.

use super::Outcome;
use prim::{Width, Widths};
use value::{Seq, Value};

/// How much floats may differ, relative to their size.
pub(super) fn tolerance(widths: Widths) -> f64 {
    match widths.float {
        Width::W64 => 1e-9,
        Width::W32 => 1e-4,
    }
}

/// How two outcomes compare.
pub(super) enum Comparison {
    /// They agree.
    Same,
    /// Both are errors, of different kinds.
    OtherSite,
    /// They disagree, in a word.
    Different(String),
}

/// Compares what an engine gives with what is right.
pub(super) fn compare(widths: Widths, right: &Outcome, got: &Outcome) -> Comparison {
    match (right, got) {
        (_, Outcome::Broken(text)) => Comparison::Different(kind_of(text)),
        (Outcome::Value(a), Outcome::Value(b)) if same(tolerance(widths), a, b) => Comparison::Same,
        (Outcome::Value(_), Outcome::Value(_)) => Comparison::Different("value".to_owned()),
        (Outcome::Error(a), Outcome::Error(b)) if a == b => Comparison::Same,
        (Outcome::Error(_), Outcome::Error(_)) => Comparison::OtherSite,
        (Outcome::Value(_), Outcome::Error(_)) => Comparison::Different("error".to_owned()),
        _ => Comparison::Different("no error".to_owned()),
    }
}

/// The place and the first words of a message, without what differs between programs.
fn kind_of(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    // A panic tells its place first.
    let second = if first.starts_with("panicked") { lines.next().unwrap_or_default() } else { "" };
    let words = format!("{first} {second}");
    words.trim_end().chars().filter(|c| !c.is_ascii_digit()).take(90).collect()
}

/// Whether two values are the same, but for rounding.
pub(super) fn same(far: f64, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => same_float(far, *a, *b),
        (Value::Seq(a), Value::Seq(b)) => same_seq(far, a, b),
        (Value::Pair(a), Value::Pair(b)) => same(far, &a.0, &b.0) && same(far, &a.1, &b.1),
        (Value::Data(a), Value::Data(b)) => same(far, a, b),
        _ => a == b,
    }
}

fn same_seq(far: f64, a: &Seq, b: &Seq) -> bool {
    a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(far, &a, &b))
}

fn same_float(far: f64, a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= far * a.abs().max(b.abs()).max(1.0)
}
