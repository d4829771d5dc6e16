//! Spelling of types and constants in the languages of C's family.

use prim::{Const, Ty};

/// The type of a local variable or scalar parameter.  Bools are `bool`, because compilers then know
/// that two values suffice, and turn them into masks in vectorised loops.
pub(crate) fn local(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool",
        _ => element(ty),
    }
}

/// The type of an element in memory.
pub(crate) fn element(ty: Ty) -> &'static str {
    match ty {
        Ty::I64 => "int64_t",
        Ty::F64 => "double",
        Ty::Bool | Ty::Char => "uint8_t",
    }
}

/// The field of `nesl_arg` that holds a value of this type.
pub(crate) fn field(ty: Ty) -> &'static str {
    match ty {
        Ty::I64 => "i",
        Ty::F64 => "f",
        Ty::Bool | Ty::Char => "b",
    }
}

/// A constant.  An int has the type of `int64_t` only if `wide`; it need not be if the other
/// operand has that type.
pub(crate) fn constant(value: Const, wide: bool) -> String {
    match value {
        Const::I64(i64::MIN) => "INT64_MIN".to_owned(),
        Const::I64(i64::MAX) => "INT64_MAX".to_owned(),
        Const::I64(v) if wide => format!("INT64_C({v})"),
        Const::I64(v) => v.to_string(),
        Const::F64(v) if v.is_nan() => "NAN".to_owned(),
        Const::F64(v) if v.is_infinite() => if v > 0.0 { "INFINITY" } else { "-INFINITY" }.into(),
        Const::F64(v) => format!("{v:?}"),
        Const::Bool(v) => v.to_string(),
        Const::Char(v) if v.is_ascii_alphanumeric() => format!("'{}'", char::from(v)),
        Const::Char(v) => v.to_string(),
    }
}
