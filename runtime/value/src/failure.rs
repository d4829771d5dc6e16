//! What a run-time error says: the site and the operands that a check saw, as a sentence.
//!
//! Every engine reports failures as a site and at most two ints; the sentence is made here, so
//! that all of them say the same.

use base::Site;
use prim::{ScalarOp, TOO_LONG, Widths};
use std::fmt::Display;

/// The sentence for a failed check with these operands, as `require_...` of the library gives
/// them: what was asked for, and the length or bound that it was held against.
pub fn describe(site: Site, a: i64, b: i64) -> String {
    match site {
        Site::Divide => format!("{a} is divided by 0"),
        Site::Index => format!("index {a} is outside a sequence of length {b}"),
        Site::Range if a == 0 && b == 0 => "the step of a range is 0".to_owned(),
        Site::Range => format!("{a} is beyond the ends of a sequence of length {b}"),
        Site::Length if a < 0 => format!("the length {a} is negative"),
        Site::Length => format!("the lengths {a} and {b} do not fit"),
        Site::Permute => {
            format!("the positions of {b} elements are no permutation: {a} is wrong or repeated")
        }
        Site::Domain => format!("the argument {a} is outside the domain of the function"),
        Site::User => "the program stopped with an error".to_owned(),
        Site::File => "a file could not be read or written".to_owned(),
        Site::Memory if b == TOO_LONG => too_long(),
        Site::Memory if b > 0 => format!("no room for {a} bytes more"),
        Site::Memory => "the recursion is too deep: there is no stack left".to_owned(),
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

/// The sentence for a sequence of more elements than narrow ints can count.
pub fn too_long() -> String {
    let most = Widths::NARROW.max_length();
    format!("a sequence of more than {most} elements, which are the most with `--int 32`")
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
