//! Spelling of types and constants in the languages of C's family.

use prim::{Const, Ty, Width, Widths};

/// The type of a local variable or scalar parameter.  Bools are `bool`, because compilers then know
/// that two values suffice, and turn them into masks in vectorised loops.
pub(crate) fn local(widths: Widths, ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool",
        _ => element(widths, ty),
    }
}

/// The type of an element in memory.
pub(crate) fn element(widths: Widths, ty: Ty) -> &'static str {
    match (ty, widths.int, widths.float) {
        (Ty::I64, Width::W64, _) => "int64_t",
        (Ty::I64, Width::W32, _) => "int32_t",
        (Ty::F64, _, Width::W64) => "double",
        (Ty::F64, _, Width::W32) => "float",
        (Ty::Bool | Ty::Char, ..) => "uint8_t",
    }
}

/// The type of an int: all counters of the program, too.
pub(crate) fn int(widths: Widths) -> &'static str {
    element(widths, Ty::I64)
}

/// The field of `nesl_arg` that holds a value of this type.
pub(crate) fn field(ty: Ty) -> &'static str {
    match ty {
        Ty::I64 => "i",
        Ty::F64 => "f",
        Ty::Bool | Ty::Char => "b",
    }
}

/// A constant.  A wide int has its type only if `wide`; it need not if the other operand has that
/// type.
pub(crate) fn constant(widths: Widths, value: Const, wide: bool) -> String {
    match value {
        Const::I64(v) => int_constant(widths.int, v, wide),
        Const::F64(v) => float_constant(widths.float, v),
        Const::Bool(v) => v.to_string(),
        Const::Char(v) if v.is_ascii_alphanumeric() => format!("'{}'", char::from(v)),
        Const::Char(v) => v.to_string(),
    }
}

fn int_constant(width: Width, value: i64, wide: bool) -> String {
    match (width, value) {
        // C would take its digits for a larger type.
        (Width::W32, v) if v == i64::from(i32::MIN) => "INT32_MIN".to_owned(),
        (Width::W64, i64::MIN) => "INT64_MIN".to_owned(),
        (Width::W64, i64::MAX) => "INT64_MAX".to_owned(),
        (Width::W64, v) if wide => format!("INT64_C({v})"),
        (_, v) => v.to_string(),
    }
}

fn float_constant(width: Width, value: f64) -> String {
    match width {
        _ if value.is_nan() => "NAN".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned(),
        Width::W64 => format!("{value:?}"),
        Width::W32 => format!("{:?}f", value as f32),
    }
}
