//! `hash_bits`: a hash of any value, equal for equal values.
//!
//! With [`Widths::mix`]: an int `x` is `mix(x, 0)`, a float `mix(bits, 1)` with its bits as
//! [`ScalarOp::FloatBits`] gives them, a bool or char its code likewise with 2 and 3; a pair is
//! `mix(first, rest)`, a datatype its fields.  A sequence is `mix(total, length)` where the total
//! is the wrapping sum of `mix(element i, i)`: a sum, so that it can be taken in any order.

use prim::{Const, ScalarOp, Widths};
use value::Value;

/// The hash of a value without functions.
pub fn hash_bits(widths: Widths, value: &Value) -> i64 {
    let mix = |x, y| widths.mix(x, y);
    match value {
        Value::Int(v) => mix(*v, 0),
        Value::Float(v) => match prim::eval(widths, ScalarOp::FloatBits, &[Const::F64(*v)]) {
            Ok(bits) => mix(bits.int(), 1),
            Err(fault) => unreachable!("the bits of a float cannot fail: {fault:?}"),
        },
        Value::Bool(v) => mix(i64::from(*v), 2),
        Value::Char(v) => mix(i64::from(*v), 3),
        Value::Pair(parts) => mix(hash_bits(widths, &parts.0), hash_bits(widths, &parts.1)),
        Value::Data(fields) => hash_bits(widths, fields),
        Value::Seq(seq) => {
            let total = seq.iter().enumerate().fold(0_i64, |total, (i, element)| {
                total.wrapping_add(mix(hash_bits(widths, &element), i as i64))
            });
            mix(widths.wrap(total), seq.len() as i64)
        }
        Value::Function(_) => unreachable!("functions are not hashed"),
    }
}
