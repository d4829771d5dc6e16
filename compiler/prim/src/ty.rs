//! Scalar types and constants.

use std::cmp::Ordering;
use std::fmt;

/// A scalar type.  `I64` and `F64` are the language's int and float, named for the widths that they
/// have if nothing else is said; a program may choose [others](crate::Widths).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ty {
    /// `int`.
    I64,
    /// `float`.
    F64,
    /// `bool`, stored as one byte 0 or 1.
    Bool,
    /// `char`: a byte.
    Char,
}

impl Ty {
    /// All scalar types.
    pub const ALL: [Ty; 4] = [Ty::I64, Ty::F64, Ty::Bool, Ty::Char];
    /// The word used in IR text.
    pub fn name(self) -> &'static str {
        match self {
            Ty::I64 => "i64",
            Ty::F64 => "f64",
            Ty::Bool => "bool",
            Ty::Char => "char",
        }
    }
    /// The type of a word.
    pub fn parse(word: &str) -> Option<Ty> {
        Ty::ALL.into_iter().find(|t| t.name() == word)
    }
    /// 0, 0.0, F, code 0: the value of `identity`.
    pub fn zero(self) -> Const {
        match self {
            Ty::I64 => Const::I64(0),
            Ty::F64 => Const::F64(0.0),
            Ty::Bool => Const::Bool(false),
            Ty::Char => Const::Char(0),
        }
    }
    /// What a machine may find where nothing was written, in evaluators.  Nobody may use it, as an
    /// index least of all; no sequence that is evaluated is so long.
    pub fn left_over(self) -> Const {
        match self {
            Ty::I64 => Const::I64(100_000_007),
            Ty::F64 => Const::F64(f64::NAN),
            Ty::Bool => Const::Bool(true),
            Ty::Char => Const::Char(b'?'),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar value.
#[derive(Clone, Copy, Debug)]
pub enum Const {
    /// An int.
    I64(i64),
    /// A float.
    F64(f64),
    /// A truth value.
    Bool(bool),
    /// A character code.
    Char(u8),
}

impl Const {
    /// Its type.
    pub fn ty(self) -> Ty {
        match self {
            Const::I64(_) => Ty::I64,
            Const::F64(_) => Ty::F64,
            Const::Bool(_) => Ty::Bool,
            Const::Char(_) => Ty::Char,
        }
    }
    /// The bits, widened to 64; the inverse of [`Const::from_bits`].
    pub fn bits(self) -> u64 {
        match self {
            Const::I64(v) => v.cast_unsigned(),
            Const::F64(v) => v.to_bits(),
            Const::Bool(v) => u64::from(v),
            Const::Char(v) => u64::from(v),
        }
    }
    /// The value of type `ty` with these bits.
    pub fn from_bits(ty: Ty, bits: u64) -> Const {
        match ty {
            Ty::I64 => Const::I64(bits.cast_signed()),
            Ty::F64 => Const::F64(f64::from_bits(bits)),
            Ty::Bool => Const::Bool(bits & 1 != 0),
            Ty::Char => Const::Char(bits as u8),
        }
    }
    /// The constant of a word or number of IR text; the inverse of `Display`.
    pub fn parse(text: &str) -> Option<Const> {
        let code = |digits: &str| digits.parse().ok().map(Const::Char);
        match text {
            "T" => Some(Const::Bool(true)),
            "F" => Some(Const::Bool(false)),
            "nan" => Some(Const::F64(f64::NAN)),
            "inf" => Some(Const::F64(f64::INFINITY)),
            "-inf" => Some(Const::F64(f64::NEG_INFINITY)),
            _ if text.starts_with('c') => code(&text[1..]),
            _ if text.contains(['.', 'e']) => text.parse().ok().map(Const::F64),
            _ => text.parse().ok().map(Const::I64),
        }
    }
    /// The int; a bug if it is none.
    pub fn int(self) -> i64 {
        match self {
            Const::I64(v) => v,
            other => unreachable!("{other} is no int"),
        }
    }
    /// The float; a bug if it is none.
    pub fn float(self) -> f64 {
        match self {
            Const::F64(v) => v,
            other => unreachable!("{other} is no float"),
        }
    }
    /// The truth value; a bug if it is none.
    pub fn bool(self) -> bool {
        match self {
            Const::Bool(v) => v,
            other => unreachable!("{other} is no bool"),
        }
    }
    /// The code; a bug if it is no character.
    pub fn char(self) -> u8 {
        match self {
            Const::Char(v) => v,
            other => unreachable!("{other} is no char"),
        }
    }
}

impl Const {
    /// The order of sorts, of values of one type: a nan is above every other float, and `-0.0`
    /// equals `0.0`.
    pub fn order(self, other: Const) -> Ordering {
        match (self, other) {
            (Const::I64(a), Const::I64(b)) => a.cmp(&b),
            (Const::F64(a), Const::F64(b)) => {
                a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
            }
            (Const::Char(a), Const::Char(b)) => a.cmp(&b),
            (Const::Bool(a), Const::Bool(b)) => a.cmp(&b),
            _ => unreachable!("no order of {self} and {other}"),
        }
    }
}

/// Equality of representation: `nan` equals itself, `0.0` differs from `-0.0`.
impl PartialEq for Const {
    fn eq(&self, other: &Const) -> bool {
        self.ty() == other.ty() && self.bits() == other.bits()
    }
}
impl Eq for Const {}
impl std::hash::Hash for Const {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.ty(), self.bits()).hash(state);
    }
}

/// As in IR text: `3`, `2.5`, `T`, `c65`; floats always with a point, exponent, or as `inf`, `nan`.
impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Const::I64(v) => write!(f, "{v}"),
            Const::F64(v) if v.is_nan() => f.write_str("nan"),
            Const::F64(v) if v.is_infinite() => f.write_str(if *v > 0.0 { "inf" } else { "-inf" }),
            Const::F64(v) => write!(f, "{v:?}"),
            Const::Bool(v) => f.write_str(if *v { "T" } else { "F" }),
            Const::Char(v) => write!(f, "c{v}"),
        }
    }
}
