//! Spelling of scalar operations in the languages of C's family.
//!
//! Ints wrap (`-fwrapv`), floats are never contracted or reassociated by what compiles the text.  What C does not have, or
//! has only for some operands, is a function `nesl_...` of `rts/math.h`.  Fallible operations are
//! printed as total ones: the check is a statement before them.

use super::{Expr, Level};
use prim::{Const, ScalarOp, Ty, Width, Widths};

/// An operand: its text and its type.
pub(crate) struct Operand {
    /// The text.
    pub(crate) expr: Expr,
    /// The type.
    pub(crate) ty: Ty,
    /// The value, if constant.
    pub(crate) value: Option<Const>,
}

/// `op` applied to the operands.
pub(crate) fn apply(widths: Widths, op: ScalarOp, args: &[Operand]) -> Expr {
    match args {
        [a] => unary(widths, op, a),
        [a, b] => binary(widths, op, a, b),
        [a, b, c] if op == ScalarOp::Fma => {
            Expr::call(&function(widths, op), &[a, b, c].map(|x| x.expr.clone()))
        }
        [c, a, b] => select(widths, &c.expr, a, b),
        _ => unreachable!("{op} has no such arity"),
    }
}

/// `op` applied to ints, where the language leaves overflow undefined; none if it has no overflow.
pub(crate) fn wrapping(op: ScalarOp, args: &[Operand]) -> Option<Expr> {
    let name = match op {
        ScalarOp::Add => "nesl_plus",
        ScalarOp::Sub => "nesl_minus",
        ScalarOp::Mul => "nesl_times",
        ScalarOp::Neg => {
            let zero = Expr::literal("0");
            return Some(Expr::call("nesl_minus", &[zero, args[0].expr.clone()]));
        }
        _ => return None,
    };
    Some(Expr::call(name, &[args[0].expr.clone(), args[1].expr.clone()]))
}

/// What must hold for `op` not to fail.
pub(crate) fn guard(op: ScalarOp, args: &[Operand]) -> Expr {
    let zero = Expr::literal("0");
    let last = &args[args.len() - 1].expr;
    match op {
        ScalarOp::Div | ScalarOp::Rem | ScalarOp::Mod => {
            Expr::infix(last, "!=", &zero, Level::Equality)
        }
        ScalarOp::Shl | ScalarOp::Shr | ScalarOp::Isqrt => {
            Expr::infix(last, ">=", &zero, Level::Order)
        }
        _ => Expr::infix(
            &Expr::prefix("(uint64_t)", last),
            "<=",
            &Expr::literal("255"),
            Level::Order,
        ),
    }
}

fn unary(widths: Widths, op: ScalarOp, a: &Operand) -> Expr {
    let call = |name: &str| Expr::call(name, std::slice::from_ref(&a.expr));
    let sign = |sign: &str| Expr::prefix(sign, &a.expr);
    let cast = |ty| Expr::prefix(&format!("({})", super::types::element(widths, ty)), &a.expr);
    match (op, a.ty) {
        (ScalarOp::Neg, _) => sign("-"),
        (ScalarOp::Abs, Ty::I64) => call("nesl_abs"),
        (ScalarOp::Not, Ty::Bool) => sign("!"),
        (ScalarOp::Not, _) => sign("~"),
        (ScalarOp::Btoi | ScalarOp::CharCode, _) => cast(Ty::I64),
        (ScalarOp::CodeChar, _) => cast(Ty::Char),
        (ScalarOp::ToFloat, _) => cast(Ty::F64),
        _ => call(&function(widths, op)),
    }
}

/// The function of an operation that is a call.  Those of the C library have another name for narrow
/// floats.
fn function(widths: Widths, op: ScalarOp) -> String {
    let name = match op {
        ScalarOp::Abs => "fabs",
        ScalarOp::Fma => "fma",
        ScalarOp::Sqrt => "sqrt",
        ScalarOp::Exp => "nesl_exp",
        ScalarOp::Ln => "nesl_ln",
        ScalarOp::Pow => "nesl_pow",
        ScalarOp::Sin => "sin",
        ScalarOp::Cos => "cos",
        ScalarOp::Tan => "tan",
        ScalarOp::Asin => "asin",
        ScalarOp::Acos => "acos",
        ScalarOp::Atan => "atan",
        ScalarOp::Atan2 => "atan2",
        ScalarOp::Sinh => "sinh",
        ScalarOp::Cosh => "cosh",
        ScalarOp::Tanh => "tanh",
        ScalarOp::Trunc => "nesl_trunc",
        ScalarOp::Floor => "nesl_floor",
        ScalarOp::Ceil => "nesl_ceil",
        ScalarOp::Round => "nesl_round",
        ScalarOp::Isqrt => "nesl_isqrt",
        ScalarOp::Mix => "nesl_mix",
        ScalarOp::FloatBits => "nesl_float_bits",
        ScalarOp::UnitFloat => "nesl_unit_float",
        ScalarOp::MulHigh => "nesl_mul_high",
        ScalarOp::Digits => "nesl_digits",
        ScalarOp::DigitsAbove => "nesl_digits_above",
        ScalarOp::Exponent => "nesl_exponent",
        _ => unreachable!("{op} is no call"),
    };
    let narrow = widths.float == Width::W32 && !name.starts_with("nesl_");
    format!("{name}{}", if narrow { "f" } else { "" })
}

fn binary(widths: Widths, op: ScalarOp, a: &Operand, b: &Operand) -> Expr {
    let infix = |text: &str, level| {
        // Two constants would be added as C's `int`.
        let wide = a.value.filter(|_| b.value.is_some()).filter(|v| v.ty() == Ty::I64);
        let left = wide.map(|v| Expr::literal(super::types::constant(widths, v, true)));
        Expr::infix(left.as_ref().unwrap_or(&a.expr), text, &b.expr, level)
    };
    let call = |name: &str| Expr::call(name, &[a.expr.clone(), b.expr.clone()]);
    match (op, a.ty) {
        (ScalarOp::Add, _) => infix("+", Level::Sum),
        (ScalarOp::Sub, _) => infix("-", Level::Sum),
        (ScalarOp::Mul, _) => infix("*", Level::Product),
        (ScalarOp::Div, Ty::F64) => infix("/", Level::Product),
        (ScalarOp::Div, _) if plain_divisor(b) => infix("/", Level::Product),
        (ScalarOp::Rem, _) if plain_divisor(b) => infix("%", Level::Product),
        (ScalarOp::Div, _) => call("nesl_div"),
        (ScalarOp::Rem, _) => call("nesl_rem"),
        (ScalarOp::Mod, _) => call("nesl_mod"),
        (ScalarOp::Max, _) => call(match a.ty {
            Ty::F64 => "nesl_fmax",
            Ty::I64 if widths.int == Width::W32 => "nesl_imax",
            Ty::I64 => "nesl_max",
            Ty::Bool | Ty::Char => "nesl_cmax",
        }),
        (ScalarOp::Min, _) => call(match a.ty {
            Ty::F64 => "nesl_fmin",
            Ty::I64 if widths.int == Width::W32 => "nesl_imin",
            Ty::I64 => "nesl_min",
            Ty::Bool | Ty::Char => "nesl_cmin",
        }),
        (ScalarOp::And, _) => Expr::guarded(&a.expr, "&", &b.expr),
        (ScalarOp::Or, _) => Expr::guarded(&a.expr, "|", &b.expr),
        (ScalarOp::Xor, _) => Expr::guarded(&a.expr, "^", &b.expr),
        (ScalarOp::Shl, _) => call("nesl_shl"),
        (ScalarOp::Shr, _) => call("nesl_shr"),
        (ScalarOp::Eq, _) => infix("==", Level::Equality),
        (ScalarOp::Ne, _) => infix("!=", Level::Equality),
        (ScalarOp::Lt, _) => infix("<", Level::Order),
        (ScalarOp::Le, _) => infix("<=", Level::Order),
        (ScalarOp::Gt, _) => infix(">", Level::Order),
        (ScalarOp::Ge, _) => infix(">=", Level::Order),
        (ScalarOp::Mix, _) => call("nesl_mix"),
        (ScalarOp::MulHigh, _) => call("nesl_mul_high"),
        _ => call(&function(widths, op)),
    }
}

/// A constant by which C divides as NESL does: neither 0 nor -1.
fn plain_divisor(b: &Operand) -> bool {
    matches!(b.value, Some(Const::I64(v)) if v != 0 && v != -1)
}

fn select(widths: Widths, cond: &Expr, a: &Operand, b: &Operand) -> Expr {
    let arm = |x: &Operand| match x.value {
        Some(v) => Expr::literal(super::types::constant(widths, v, true)),
        None => x.expr.clone(),
    };
    let (a, b) = (arm(a), arm(b));
    let parts = [cond, &a, &b].map(|e| e.at(Level::Equality));
    let text = format!("{} ? {} : {}", parts[0], parts[1], parts[2]);
    let loads = cond.loads || a.loads || b.loads;
    Expr { text, level: Level::Choice, loads, place: None }
}
