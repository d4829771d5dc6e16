//! How wide ints and floats are: a choice for a whole program.
//!
//! Everywhere in the compiler an int is held as 64 bits and a float as a double.  In a program of
//! narrow ones only those values occur that 32 bits can hold: [`Widths::fit`] makes one of any, and
//! all operations give such values when they are given them ([`crate::eval`]).  Memory is
//! [as narrow as the values](Widths::size).

use crate::eval::mix;
use crate::monoid::Monoid;
use crate::ty::{Const, Ty};
use std::fmt;

/// Bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Width {
    /// `int` is 32-bit two's complement, `float` the IEEE single.
    W32,
    /// `int` is 64-bit two's complement, `float` the IEEE double.
    #[default]
    W64,
}

impl Width {
    /// Both, the narrow one first.
    pub const ALL: [Width; 2] = [Width::W32, Width::W64];
    /// How many.
    pub fn bits(self) -> u32 {
        match self {
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }
    /// That many bits.
    pub fn of_bits(bits: u32) -> Option<Width> {
        Width::ALL.into_iter().find(|width| width.bits() == bits)
    }
    /// Bytes of a number in memory.
    pub fn bytes(self) -> usize {
        self.bits() as usize / 8
    }
}

/// `32` or `64`.
impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bits())
    }
}

impl std::str::FromStr for Width {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Width, &'static str> {
        text.parse().ok().and_then(Width::of_bits).ok_or("the widths are 32 and 64")
    }
}

/// The widths of `int` and `float`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Widths {
    /// Of `int`.
    pub int: Width,
    /// Of `float`.
    pub float: Width,
}

/// The second operand of a failure for want of memory where a sequence has more elements than
/// [`Widths::max_length`].
pub const TOO_LONG: i64 = -1;

/// The second operand of a failure for want of memory where a call would be made for ever.
pub const ENDLESS: i64 = -2;

impl Widths {
    /// What the language has if nothing else is said.
    pub const WIDE: Widths = Widths { int: Width::W64, float: Width::W64 };
    /// Half of that.
    pub const NARROW: Widths = Widths { int: Width::W32, float: Width::W32 };
    /// All choices.
    pub const ALL: [Widths; 4] = [
        Widths::WIDE,
        Widths { int: Width::W32, float: Width::W64 },
        Widths { int: Width::W64, float: Width::W32 },
        Widths::NARROW,
    ];

    /// Bytes of an element in memory.
    pub fn size(self, ty: Ty) -> usize {
        match ty {
            Ty::I64 => self.int.bytes(),
            Ty::F64 => self.float.bytes(),
            Ty::Bool | Ty::Char => 1,
        }
    }
    /// The smallest int.
    pub fn min_int(self) -> i64 {
        match self.int {
            Width::W32 => i64::from(i32::MIN),
            Width::W64 => i64::MIN,
        }
    }
    /// The largest int.
    pub fn max_int(self) -> i64 {
        match self.int {
            Width::W32 => i64::from(i32::MAX),
            Width::W64 => i64::MAX,
        }
    }
    /// An int that wraps.
    pub fn wrap(self, int: i64) -> i64 {
        match self.int {
            Width::W32 => i64::from(int as i32),
            Width::W64 => int,
        }
    }
    /// The nearest float.
    pub fn round(self, float: f64) -> f64 {
        match self.float {
            Width::W32 => f64::from(float as f32),
            Width::W64 => float,
        }
    }
    /// A value of these widths: ints wrap, floats are rounded.
    pub fn fit(self, value: Const) -> Const {
        match value {
            Const::I64(int) => Const::I64(self.wrap(int)),
            Const::F64(float) => Const::F64(self.round(float)),
            Const::Bool(_) | Const::Char(_) => value,
        }
    }
    /// The rule of every IR: a constant has one of the program's widths.  Returns the violation.
    pub fn refuse(self, value: Const) -> Option<String> {
        (self.fit(value) != value).then(|| format!("{value} is wider than the program's numbers"))
    }
    /// A named constant of the language: `max_int` and `min_int` are the ends of int at any width.
    pub fn constant(self, value: Const) -> Const {
        match value {
            Const::I64(int) => Const::I64(int.clamp(self.min_int(), self.max_int())),
            _ => self.fit(value),
        }
    }
    /// The value of an empty reduction.
    pub fn identity(self, monoid: Monoid, ty: Ty) -> Const {
        self.constant(monoid.identity(ty))
    }
    /// The bits of a value as they lie in memory, of which the first [`Widths::size`] bytes count.
    pub fn bits(self, value: Const) -> u64 {
        match (value, self.float) {
            (Const::F64(float), Width::W32) => u64::from((float as f32).to_bits()),
            _ => value.bits(),
        }
    }
    /// The value that lies in memory as these bits; what is above its size does not count.
    pub fn from_bits(self, ty: Ty, bits: u64) -> Const {
        match (ty, self.int, self.float) {
            (Ty::I64, Width::W32, _) => Const::I64(i64::from(bits as i32)),
            (Ty::F64, _, Width::W32) => Const::F64(f64::from(f32::from_bits(bits as u32))),
            _ => Const::from_bits(ty, bits),
        }
    }
    /// An int for a place in a source text: what random numbers are made of.
    pub fn site(self, site: i64) -> i64 {
        match self.int {
            Width::W32 => self.wrap(mix(site, 0)),
            Width::W64 => site,
        }
    }
    /// [`mix`] as an int.
    pub fn mix(self, x: i64, y: i64) -> i64 {
        self.wrap(mix(x, y))
    }
    /// Whether a literal or an input has a place here: an int that is no other, a float that does
    /// not become infinite.
    pub fn holds(self, value: Const) -> bool {
        match (value, self.fit(value)) {
            (Const::F64(x), Const::F64(y)) => y.is_finite() || !x.is_finite(),
            (value, fit) => value == fit,
        }
    }
    /// What to say of a value that has none.
    pub fn misfit(value: Const) -> &'static str {
        match value {
            Const::F64(_) => "this number does not fit a float of 32 bits",
            _ => "this number does not fit an int of 32 bits",
        }
    }
    /// The largest number of elements of a sequence.  Larger ints remain for the sums that loops
    /// and prefixes compute before they compare.
    ///
    /// Ints of 64 bits could count more; no memory holds 2^47 elements, as processors address 2^47
    /// bytes for a process.  The bound makes sums of lengths exact: a tile adds at most 2^15 of
    /// them, and 2^15 times 2^47 is below 2^63.
    pub fn max_length(self) -> i64 {
        match self.int {
            Width::W32 => i64::from(i32::MAX) - (1 << 20) + 1,
            Width::W64 => 1 << 47,
        }
    }
}

/// As in the head of IR text, which is not there if both are 64: `int 32 float 64`.
impl fmt::Display for Widths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "int {} float {}", self.int, self.float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_fit_stay() {
        for widths in Widths::ALL {
            for value in [Const::I64(-7), Const::F64(0.5), Const::Bool(true), Const::Char(9)] {
                assert_eq!(widths.fit(value), value);
                assert_eq!(widths.from_bits(value.ty(), widths.bits(value)), value);
            }
        }
    }

    #[test]
    fn others_wrap_or_are_rounded() {
        let narrow = Widths::NARROW;
        assert_eq!(narrow.fit(Const::I64(1 << 31)), Const::I64(-(1 << 31)));
        assert_eq!(narrow.fit(Const::F64(16_777_217.0)), Const::F64(16_777_216.0));
        assert_eq!(narrow.fit(Const::F64(1e39)), Const::F64(f64::INFINITY));
        assert_eq!(narrow.constant(Const::I64(i64::MAX)), Const::I64(i64::from(i32::MAX)));
        assert_eq!(narrow.constant(Const::I64(i64::MIN)), Const::I64(i64::from(i32::MIN)));
    }

    #[test]
    fn bits_are_those_in_memory() {
        let narrow = Widths::NARROW;
        assert_eq!(narrow.bits(Const::F64(1.0)), 0x3f80_0000);
        assert_eq!(narrow.from_bits(Ty::I64, 0xffff_ffff), Const::I64(-1));
        assert_eq!(narrow.from_bits(Ty::I64, narrow.bits(Const::I64(-1))), Const::I64(-1));
    }
}
