//! Operations on scalars.
//!
//! An operation is overloaded over the types of its operands (`add` is int or float addition); its
//! result type follows from them.  Meaning is in [`crate::eval`]; each printer spells it.

use crate::ty::Ty;
use base::Site;
use std::fmt;

macro_rules! scalar_ops {
    ($($variant:ident $name:literal $arity:literal $doc:literal;)*) => {
        /// An operation on scalars.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ScalarOp { $(#[doc = $doc] $variant,)* }
        impl ScalarOp {
            /// All operations.
            pub const ALL: &'static [ScalarOp] = &[$(ScalarOp::$variant,)*];
            /// The word used in IR text.
            pub fn name(self) -> &'static str {
                match self { $(ScalarOp::$variant => $name,)* }
            }
            /// Number of operands.
            pub fn arity(self) -> usize {
                match self { $(ScalarOp::$variant => $arity,)* }
            }
            /// One line on what it does.
            pub fn doc(self) -> &'static str {
                match self { $(ScalarOp::$variant => $doc,)* }
            }
        }
    };
}

scalar_ops! {
    Add "add" 2 "Sum; ints wrap.";
    Sub "sub" 2 "Difference; ints wrap.";
    Mul "mul" 2 "Product; ints wrap.";
    Div "div" 2 "Quotient; int: toward zero, fails on 0; float: IEEE.";
    Rem "rem" 2 "Remainder with the sign of the dividend; fails on 0.";
    Mod "mod" 2 "Remainder with the sign of the divisor; fails on 0.";
    Neg "neg" 1 "Negation; flips the sign of a float.";
    Abs "abs" 1 "Absolute value; of the smallest int it is itself.";
    Max "max" 2 "Larger; a nan is ignored.";
    Min "min" 2 "Smaller; a nan is ignored.";
    And "and" 2 "Conjunction, on ints bit by bit.";
    Or "or" 2 "Disjunction, on ints bit by bit.";
    Xor "xor" 2 "Exclusive or, on ints bit by bit.";
    Not "not" 1 "Complement.";
    Shl "shl" 2 "Shift left; counts of all bits or more give 0; fails on negative counts.";
    Shr "shr" 2 "Arithmetic shift right; counts of all bits or more leave the sign; fails on negative counts.";
    Eq "eq" 2 "Equal by value.";
    Ne "ne" 2 "Not equal.";
    Lt "lt" 2 "Less; F on nan.";
    Le "le" 2 "Less or equal; F on nan.";
    Gt "gt" 2 "Greater; F on nan.";
    Ge "ge" 2 "Greater or equal; F on nan.";
    Fma "fma" 3 "The product of the first two plus the third, rounded once.";
    Select "select" 3 "Second operand if the first is T, else the third.";
    Sqrt "sqrt" 1 "Square root, correctly rounded.";
    Exp "exp" 1 "e to the x.";
    Ln "ln" 1 "Natural logarithm.";
    Pow "pow" 2 "IEEE pow.";
    Sin "sin" 1 "Sine.";
    Cos "cos" 1 "Cosine.";
    Tan "tan" 1 "Tangent.";
    Asin "asin" 1 "Arc sine.";
    Acos "acos" 1 "Arc cosine.";
    Atan "atan" 1 "Arc tangent.";
    Atan2 "atan2" 2 "Angle of the point (second, first).";
    Sinh "sinh" 1 "Hyperbolic sine.";
    Cosh "cosh" 1 "Hyperbolic cosine.";
    Tanh "tanh" 1 "Hyperbolic tangent.";
    ToFloat "tofloat" 1 "Nearest float of an int.";
    Trunc "trunc" 1 "Float to int toward zero; saturates, nan gives 0.";
    Floor "floor" 1 "Float to int down; saturates, nan gives 0.";
    Ceil "ceil" 1 "Float to int up; saturates, nan gives 0.";
    Round "round" 1 "Float to nearest int, ties away from zero; saturates, nan gives 0.";
    Btoi "btoi" 1 "T is 1, F is 0.";
    CharCode "charcode" 1 "Code of a char.";
    CodeChar "codechar" 1 "Char of a code; fails outside 0..255.";
    Isqrt "isqrt" 1 "Floor of the square root; fails below 0.";
    Mix "mix" 2 "Hash of two ints to all bits of an int (counter-based random numbers, hash tables).";
    FloatBits "floatbits" 1 "The bits of a float, -0.0 as 0.0 and every nan alike.";
    UnitFloat "unitfloat" 1 "The top bits of an int, 53 or as many as a float holds, as a float in [0, 1).";
    MulHigh "mulhigh" 2 "High half of the unsigned product.";
    Digits "digits" 1 "Shortest decimal digits of |x| as an int (finite x).";
    DigitsAbove "digitsabove" 1 "Those digits without the last nine if an int has only 32 bits; then `digits` gives those nine. Else 0.";
    Exponent "exponent" 1 "Decimal exponent of the first of the shortest digits of |x| (finite x).";
}

impl ScalarOp {
    /// The operation of a word.
    pub fn parse(word: &str) -> Option<ScalarOp> {
        ScalarOp::ALL.iter().copied().find(|op| op.name() == word)
    }

    /// The type of the result, if the operation is defined on operands of these types.
    pub fn result(self, args: &[Ty]) -> Option<Ty> {
        use ScalarOp as O;
        use Ty::{Bool, Char, F64, I64};
        if args.len() != self.arity() {
            return None;
        }
        let a = args[0];
        let same = args.iter().all(|&t| t == a);
        let number = same && matches!(a, I64 | F64);
        let ordinal = same && matches!(a, I64 | F64 | Char);
        let logical = same && matches!(a, I64 | Bool);
        let ok = |fits: bool, ty: Ty| fits.then_some(ty);
        match self {
            O::Add | O::Sub | O::Mul | O::Div | O::Neg | O::Abs => ok(number, a),
            O::Rem | O::Mod | O::Shl | O::Shr | O::Isqrt | O::Mix | O::MulHigh => {
                ok(same && a == I64, I64)
            }
            O::Max | O::Min => ok(ordinal, a),
            O::And | O::Or | O::Xor | O::Not => ok(logical, a),
            O::Eq | O::Ne => ok(same, Bool),
            O::Lt | O::Le | O::Gt | O::Ge => ok(ordinal, Bool),
            O::Select => ok(a == Bool && args[1] == args[2], args[1]),
            O::Sqrt
            | O::Exp
            | O::Ln
            | O::Pow
            | O::Sin
            | O::Cos
            | O::Tan
            | O::Asin
            | O::Acos
            | O::Atan
            | O::Atan2
            | O::Sinh
            | O::Cosh
            | O::Tanh
            | O::Fma => ok(same && a == F64, F64),
            O::ToFloat | O::UnitFloat => ok(a == I64, F64),
            O::Trunc
            | O::Floor
            | O::Ceil
            | O::Round
            | O::FloatBits
            | O::Digits
            | O::DigitsAbove
            | O::Exponent => ok(a == F64, I64),
            O::Btoi => ok(a == Bool, I64),
            O::CharCode => ok(a == Char, I64),
            O::CodeChar => ok(a == I64, Char),
        }
    }

    /// The error that the operation can raise on operands of this type, if any.
    pub fn site(self, first: Ty) -> Option<Site> {
        match self {
            ScalarOp::Div if first == Ty::I64 => Some(Site::Divide),
            ScalarOp::Rem | ScalarOp::Mod => Some(Site::Divide),
            ScalarOp::Shl | ScalarOp::Shr | ScalarOp::CodeChar | ScalarOp::Isqrt => {
                Some(Site::Domain)
            }
            _ => None,
        }
    }

    /// Whether it costs as much as many others.
    pub fn is_heavy(self) -> bool {
        use ScalarOp as O;
        matches!(
            self,
            O::Exp
                | O::Ln
                | O::Pow
                | O::Sin
                | O::Cos
                | O::Tan
                | O::Asin
                | O::Acos
                | O::Atan
                | O::Atan2
                | O::Sinh
                | O::Cosh
                | O::Tanh
                | O::Digits
                | O::DigitsAbove
                | O::Exponent
        )
    }
}

impl fmt::Display for ScalarOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
