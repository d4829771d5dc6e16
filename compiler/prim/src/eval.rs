//! What each scalar operation means: the definition that every engine is compared with.

use crate::scalar::ScalarOp;
use crate::ty::Const;
use crate::widths::{Width, Widths};
use base::Site;

/// A failed operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault(pub Site);

/// Applies an operation to operands of types on which it is defined, and of these widths.
///
/// The result of most is the one at 64 bits, [fitted](Widths::fit): ints wrap alike, and a sum,
/// product, quotient or root of two singles that is rounded to a double and then to a single is
/// rounded as if at once, because a double has more than twice as many bits.
pub fn eval(widths: Widths, op: ScalarOp, args: &[Const]) -> Result<Const, Fault> {
    if widths != Widths::WIDE
        && let Some(result) = narrow(widths, op, args)
    {
        return Ok(widths.fit(result));
    }
    let result = match *args {
        [a] => unary(op, a),
        [a, b] => binary(op, a, b),
        [a, b, c] if op == ScalarOp::Fma => Ok(Const::F64(a.float().mul_add(b.float(), c.float()))),
        [c, a, b] => Ok(if c.bool() { a } else { b }),
        _ => unreachable!("{op} has no such arity"),
    };
    Ok(widths.fit(result?))
}

/// The result of an operation on constants, if it can be told whatever the widths are: passes of
/// the compiler do not know them.
pub fn fold(op: ScalarOp, args: &[Const]) -> Option<Const> {
    let result = eval(Widths::WIDE, op, args).ok()?;
    let same = |widths: Widths| {
        let args: Vec<Const> = args.iter().map(|&c| widths.fit(c)).collect();
        eval(widths, op, &args) == Ok(result)
    };
    Widths::ALL.into_iter().all(same).then_some(result)
}

/// What an operation gives that depends on widths in another way.
fn narrow(widths: Widths, op: ScalarOp, args: &[Const]) -> Option<Const> {
    use Const::{F64, I64};
    let (int, float) = (widths.int == Width::W32, widths.float == Width::W32);
    Some(match (op, args) {
        (ScalarOp::Shl, [I64(_), I64(32..)]) if int => I64(0),
        (ScalarOp::MulHigh, [I64(x), I64(y)]) if int => {
            I64(((u64::from(*x as u32) * u64::from(*y as u32)) >> 32).cast_signed())
        }
        // The sum has more digits than a double, which would be rounded twice.
        (ScalarOp::Fma, [F64(x), F64(y), F64(z)]) if float => {
            F64(f64::from((*x as f32).mul_add(*y as f32, *z as f32)))
        }
        (ScalarOp::ToFloat, [I64(x)]) if float => F64(f64::from(*x as f32)),
        (ScalarOp::UnitFloat, [I64(x)]) => {
            // The top bits of an int, as many as a float holds exactly.
            let bits = if float { 24 } else { 53 };
            let x = if int { x.cast_unsigned() << 32 } else { x.cast_unsigned() };
            F64((x >> (64 - bits)) as f64 / (1_u64 << bits) as f64)
        }
        (ScalarOp::Trunc | ScalarOp::Floor | ScalarOp::Ceil | ScalarOp::Round, [F64(x)]) if int => {
            I64(widths.constant(float_unary(op, *x)).int())
        }
        (ScalarOp::FloatBits, [F64(x)]) => {
            let bits = match (float_bits(*x), float) {
                (0, _) => 0,
                (_, true) if x.is_nan() => i64::from(f32::NAN.to_bits()),
                (_, true) => i64::from((*x as f32).to_bits()),
                (bits, false) => bits,
            };
            // Both halves of what is too wide count.
            I64(if int { bits ^ (bits >> 32) } else { bits })
        }
        (ScalarOp::Digits, [F64(x)]) => I64(digits(widths, *x).0 % below(widths)),
        (ScalarOp::DigitsAbove, [F64(x)]) => I64(digits(widths, *x).0 / below(widths)),
        (ScalarOp::Exponent, [F64(x)]) => I64(digits(widths, *x).1),
        _ => return None,
    })
}

/// [`shortest`] at the width of floats.
fn digits(widths: Widths, x: f64) -> (i64, i64) {
    match widths.float {
        Width::W32 => shortest_single(x as f32),
        Width::W64 => shortest(x),
    }
}

/// Above any digits, if they fit in an int; else above nine digits, which do.
fn below(widths: Widths) -> i64 {
    match widths.int {
        Width::W32 => 1_000_000_000,
        Width::W64 => i64::MAX,
    }
}

fn unary(op: ScalarOp, a: Const) -> Result<Const, Fault> {
    use Const::{Bool, Char, F64, I64};
    Ok(match (op, a) {
        (ScalarOp::Neg, I64(x)) => I64(x.wrapping_neg()),
        (ScalarOp::Neg, F64(x)) => F64(-x),
        (ScalarOp::Abs, I64(x)) => I64(x.wrapping_abs()),
        (ScalarOp::Abs, F64(x)) => F64(x.abs()),
        (ScalarOp::Not, I64(x)) => I64(!x),
        (ScalarOp::Not, Bool(x)) => Bool(!x),
        (ScalarOp::Btoi, Bool(x)) => I64(i64::from(x)),
        (ScalarOp::CharCode, Char(x)) => I64(i64::from(x)),
        (ScalarOp::CodeChar, I64(x)) => Char(u8::try_from(x).map_err(|_| Fault(Site::Domain))?),
        (ScalarOp::Isqrt, I64(x)) if x < 0 => return Err(Fault(Site::Domain)),
        (ScalarOp::Isqrt, I64(x)) => I64(x.isqrt()),
        (ScalarOp::ToFloat, I64(x)) => F64(x as f64),
        (ScalarOp::UnitFloat, I64(x)) => {
            F64((x.cast_unsigned() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0))
        }
        (_, F64(x)) => float_unary(op, x),
        _ => unreachable!("{op} {a}"),
    })
}

fn float_unary(op: ScalarOp, x: f64) -> Const {
    use Const::{F64, I64};
    match op {
        ScalarOp::Sqrt => F64(x.sqrt()),
        ScalarOp::Exp => F64(x.exp()),
        ScalarOp::Ln => F64(x.ln()),
        ScalarOp::Sin => F64(x.sin()),
        ScalarOp::Cos => F64(x.cos()),
        ScalarOp::Tan => F64(x.tan()),
        ScalarOp::Asin => F64(x.asin()),
        ScalarOp::Acos => F64(x.acos()),
        ScalarOp::Atan => F64(x.atan()),
        ScalarOp::Sinh => F64(x.sinh()),
        ScalarOp::Cosh => F64(x.cosh()),
        ScalarOp::Tanh => F64(x.tanh()),
        // `as` saturates and sends nan to 0.
        ScalarOp::Trunc => I64(x as i64),
        ScalarOp::Floor => I64(x.floor() as i64),
        ScalarOp::Ceil => I64(x.ceil() as i64),
        ScalarOp::Round => I64(x.round() as i64),
        ScalarOp::FloatBits => I64(float_bits(x)),
        ScalarOp::Digits => I64(shortest(x).0),
        ScalarOp::DigitsAbove => I64(0),
        ScalarOp::Exponent => I64(shortest(x).1),
        _ => unreachable!("{op} of a float"),
    }
}

/// The bits of `x`, with `-0.0` as `0.0` and every nan alike, so that equal floats have equal bits.
fn float_bits(x: f64) -> i64 {
    if x == 0.0 {
        0
    } else if x.is_nan() {
        f64::NAN.to_bits().cast_signed()
    } else {
        x.to_bits().cast_signed()
    }
}

/// The fewest decimal digits that read back as `|x|`, as an int without trailing zeros, and the
/// exponent of the first digit: 250.0 gives (25, 2).  Zero, infinities and nan give (0, 0).
pub fn shortest(x: f64) -> (i64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (0, 0);
    }
    decimal(&format!("{:e}", x.abs()))
}

/// The same where as few digits tell one single from the others.
pub fn shortest_single(x: f32) -> (i64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (0, 0);
    }
    decimal(&format!("{:e}", x.abs()))
}

/// Digits and exponent of a text such as `2.5e2`.
fn decimal(text: &str) -> (i64, i64) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let digits = digits.trim_end_matches('0');
    (digits.parse().unwrap_or(0), exponent.parse().unwrap_or(0))
}

fn binary(op: ScalarOp, a: Const, b: Const) -> Result<Const, Fault> {
    use Const::{Bool, Char, F64, I64};
    Ok(match (a, b) {
        (I64(x), I64(y)) => return int_binary(op, x, y),
        (F64(x), F64(y)) => float_binary(op, x, y),
        (Bool(x), Bool(y)) => Bool(match op {
            ScalarOp::And => x & y,
            ScalarOp::Or => x | y,
            ScalarOp::Xor | ScalarOp::Ne => x ^ y,
            ScalarOp::Eq => x == y,
            _ => unreachable!("{op} of bools"),
        }),
        (Char(x), Char(y)) => match op {
            ScalarOp::Max => Char(x.max(y)),
            ScalarOp::Min => Char(x.min(y)),
            _ => Bool(compare(op, x.partial_cmp(&y))),
        },
        _ => unreachable!("{op} {a} {b}"),
    })
}

fn compare(op: ScalarOp, order: Option<std::cmp::Ordering>) -> bool {
    match op {
        ScalarOp::Eq => order.is_some_and(|o| o.is_eq()),
        ScalarOp::Ne => !order.is_some_and(|o| o.is_eq()),
        ScalarOp::Lt => order.is_some_and(|o| o.is_lt()),
        ScalarOp::Le => order.is_some_and(|o| o.is_le()),
        ScalarOp::Gt => order.is_some_and(|o| o.is_gt()),
        ScalarOp::Ge => order.is_some_and(|o| o.is_ge()),
        _ => unreachable!("{op} is no comparison"),
    }
}

fn int_binary(op: ScalarOp, x: i64, y: i64) -> Result<Const, Fault> {
    let divisor = |y: i64| if y == 0 { Err(Fault(Site::Divide)) } else { Ok(y) };
    let count = |y: i64| if y < 0 { Err(Fault(Site::Domain)) } else { Ok(y) };
    Ok(Const::I64(match op {
        ScalarOp::Add => x.wrapping_add(y),
        ScalarOp::Sub => x.wrapping_sub(y),
        ScalarOp::Mul => x.wrapping_mul(y),
        ScalarOp::Div => x.wrapping_div(divisor(y)?),
        ScalarOp::Rem => x.wrapping_rem(divisor(y)?),
        ScalarOp::Mod => {
            let r = x.wrapping_rem(divisor(y)?);
            if r != 0 && (r < 0) != (y < 0) { r.wrapping_add(y) } else { r }
        }
        ScalarOp::Max => x.max(y),
        ScalarOp::Min => x.min(y),
        ScalarOp::And => x & y,
        ScalarOp::Or => x | y,
        ScalarOp::Xor => x ^ y,
        ScalarOp::Shl => {
            if count(y)? > 63 {
                0
            } else {
                x << y
            }
        }
        ScalarOp::Shr => x >> count(y)?.min(63),
        ScalarOp::Mix => mix(x, y),
        ScalarOp::MulHigh => {
            let product = u128::from(x.cast_unsigned()) * u128::from(y.cast_unsigned());
            ((product >> 64) as u64).cast_signed()
        }
        _ => return Ok(Const::Bool(compare(op, Some(x.cmp(&y))))),
    }))
}

/// The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators") over `x` advanced by `y` golden-ratio steps.
pub fn mix(x: i64, y: i64) -> i64 {
    let step = 0x9e37_79b9_7f4a_7c15_u64;
    let mut z =
        x.cast_unsigned().wrapping_add(y.cast_unsigned().wrapping_add(1).wrapping_mul(step));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)).cast_signed()
}

fn float_binary(op: ScalarOp, x: f64, y: f64) -> Const {
    Const::F64(match op {
        ScalarOp::Add => x + y,
        ScalarOp::Sub => x - y,
        ScalarOp::Mul => x * y,
        ScalarOp::Div => x / y,
        ScalarOp::Max => {
            if x > y || y.is_nan() {
                x
            } else {
                y
            }
        }
        ScalarOp::Min => {
            if x < y || y.is_nan() {
                x
            } else {
                y
            }
        }
        ScalarOp::Pow => x.powf(y),
        ScalarOp::Atan2 => x.atan2(y),
        _ => return Const::Bool(compare(op, x.partial_cmp(&y))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Const::{Bool, F64, I64};

    const NARROW: Widths = Widths::NARROW;
    const ONLY_INT: Widths = Widths { int: Width::W32, float: Width::W64 };
    const ONLY_FLOAT: Widths = Widths { int: Width::W64, float: Width::W32 };

    fn narrow(op: ScalarOp, args: &[Const]) -> Const {
        eval(NARROW, op, args).unwrap()
    }

    #[test]
    fn narrow_ints_wrap() {
        let (least, most) = (I64(i32::MIN.into()), I64(i32::MAX.into()));
        assert_eq!(narrow(ScalarOp::Add, &[most, I64(1)]), least);
        assert_eq!(narrow(ScalarOp::Sub, &[least, I64(1)]), most);
        assert_eq!(narrow(ScalarOp::Mul, &[I64(100_000), I64(100_000)]), I64(1_410_065_408));
        assert_eq!(narrow(ScalarOp::Neg, &[least]), least);
        assert_eq!(narrow(ScalarOp::Abs, &[least]), least);
        assert_eq!(narrow(ScalarOp::Div, &[least, I64(-1)]), least);
        assert_eq!(narrow(ScalarOp::Shl, &[I64(1), I64(31)]), least);
        assert_eq!(narrow(ScalarOp::Shl, &[I64(1), I64(32)]), I64(0));
        assert_eq!(narrow(ScalarOp::Shr, &[least, I64(40)]), I64(-1));
        assert_eq!(narrow(ScalarOp::MulHigh, &[I64(-1), I64(-1)]), I64(-2));
    }

    #[test]
    fn narrow_floats_are_rounded_once() {
        let third = narrow(ScalarOp::Div, &[F64(1.0), F64(3.0)]);
        assert_eq!(third, F64(f64::from(1.0_f32 / 3.0)));
        // 1 + 2^-24 + 2^-60 is above the middle of two singles, which a double does not show.
        let tiny = f64::from(f32::EPSILON) / 2.0;
        let sum = narrow(ScalarOp::Fma, &[F64(tiny), F64(1.0 + 0.25 * tiny), F64(1.0)]);
        assert_eq!(sum, F64(1.0), "the factor is 1 as a single");
        let half = 1.0 + f64::from(f32::EPSILON);
        let sum = narrow(ScalarOp::Fma, &[F64(tiny * half), F64(half), F64(1.0)]);
        assert_eq!(sum, F64(1.0 + f64::from(f32::EPSILON)));
        // Rounded to a double first, this int would come to lie in the middle of two singles.
        let int = (1 << 54) + (1 << 30) + 1;
        let float = eval(ONLY_FLOAT, ScalarOp::ToFloat, &[I64(int)]).unwrap();
        assert_eq!(float, F64(f64::from(int as f32)));
        assert_ne!(float, F64(f64::from(int as f64 as f32)));
    }

    #[test]
    fn conversions_saturate_at_the_ends_of_int() {
        for (float, int) in [(3e9, i32::MAX), (-3e9, i32::MIN), (f64::NAN, 0), (-2.5, -3)] {
            assert_eq!(narrow(ScalarOp::Round, &[F64(float)]), I64(int.into()), "{float}");
        }
    }

    #[test]
    fn digits_come_in_two_parts_if_they_must() {
        let third = F64(1.0 / 3.0);
        let parts = |widths| {
            [ScalarOp::DigitsAbove, ScalarOp::Digits, ScalarOp::Exponent]
                .map(|op| eval(widths, op, &[third]).unwrap().int())
        };
        assert_eq!(parts(Widths::WIDE), [0, 3_333_333_333_333_333, -1]);
        assert_eq!(parts(ONLY_INT), [3_333_333, 333_333_333, -1]);
        let digits = eval(NARROW, ScalarOp::Digits, &[NARROW.fit(third)]).unwrap();
        assert_eq!(digits, I64(33_333_334));
    }

    #[test]
    fn random_bits_become_floats_below_one() {
        for widths in Widths::ALL {
            let largest = eval(widths, ScalarOp::UnitFloat, &[I64(-1)]).unwrap().float();
            assert!((0.999_999..1.0).contains(&largest), "{widths}: {largest}");
        }
    }

    #[test]
    fn only_what_holds_at_all_widths_is_folded() {
        assert_eq!(fold(ScalarOp::Add, &[I64(2), I64(3)]), Some(I64(5)));
        assert_eq!(fold(ScalarOp::Mul, &[F64(0.5), F64(3.0)]), Some(F64(1.5)));
        assert_eq!(fold(ScalarOp::Lt, &[I64(1), I64(2)]), Some(Bool(true)));
        assert_eq!(fold(ScalarOp::Mul, &[I64(1 << 20), I64(1 << 20)]), None);
        assert_eq!(fold(ScalarOp::Add, &[F64(0.1), F64(0.2)]), None);
        assert_eq!(fold(ScalarOp::Div, &[I64(1), I64(0)]), None);
    }
}
