//! What a run-time error says: the site and the operands that a check saw, as a sentence.
//!
//! Every engine reports failures as a site and at most two ints; the sentence is made here, of
//! `prim`'s table, so that all of them say the same.

use base::{Code, Diagnostic, Site};
use prim::{ScalarOp, TOO_LONG, Width, Widths, sentences};
use std::fmt::Display;

/// The sentence for a failed check with these operands, as `require_...` of the library gives
/// them: what was asked for, and the length or bound that it was held against.
pub fn describe(site: Site, a: i64, b: i64) -> String {
    let said = sentences(site).iter().find(|sentence| sentence.when.holds(a, b));
    let text = said.unwrap_or_else(|| unreachable!("{site:?} has no sentence")).text;
    text.replace("{a}", &a.to_string()).replace("{b}", &b.to_string())
}

/// What helps against it, if these operands tell that.
pub fn advice(site: Site, a: i64, b: i64) -> Option<&'static str> {
    match site {
        Site::Index if a < 0 && a >= -b => {
            Some("indices begin at 0; the last element of `a` is `a[#a - 1]`")
        }
        Site::Index if a == b && b > 0 => {
            Some("indices begin at 0, so that the last one is the length less 1")
        }
        _ => None,
    }
}

/// The sentence for a scalar operation that failed on these ints.
pub fn describe_scalar(op: ScalarOp, site: Site, a: i64, b: i64) -> String {
    match op {
        ScalarOp::Shl | ScalarOp::Shr => format!("the shift count {b} is negative"),
        ScalarOp::CodeChar => format!("{a} is no code of a character: these go from 0 to 255"),
        ScalarOp::Isqrt => format!("{a} has no square root"),
        _ => describe(site, a, b),
    }
}

/// The code and the sentence for a sequence of more elements than [`Widths::max_length`].
pub fn too_long(widths: Widths) -> (Code, String) {
    let most = widths.max_length();
    match widths.int {
        Width::W32 => (
            Code::LongSequence,
            format!("a sequence of more than {most} elements, which are the most with `--int 32`"),
        ),
        Width::W64 => (Code::Memory, describe(Site::Memory, most, TOO_LONG)),
    }
}

/// An error that arose in these lanes, outermost first, around those that it tells already.
pub fn in_lanes(mut error: Diagnostic, lanes: &[impl Display + Copy + TryInto<u64>]) -> Diagnostic {
    let outer: Vec<u64> = lanes.iter().filter_map(|&lane| lane.try_into().ok()).collect();
    error.lanes.splice(0..0, outer);
    match lane_path(lanes) {
        Some(path) => error.note(path),
        None => error,
    }
}

/// Where among lanes, outermost first, something failed: `in element 3 of row 12`.  The innermost
/// lane is the element; of many only the inner ones are told.
pub fn lane_path(lanes: &[impl Display]) -> Option<String> {
    const SHOWN: usize = 4;
    let (innermost, outer) = lanes.split_last()?;
    let mut path = format!("in element {innermost}");
    for row in outer.iter().rev().take(SHOWN - 1) {
        path += &format!(" of row {row}");
    }
    let hidden = lanes.len().saturating_sub(SHOWN);
    if hidden > 0 {
        path += &format!(" ({hidden} more around it)");
    }
    Some(path)
}
