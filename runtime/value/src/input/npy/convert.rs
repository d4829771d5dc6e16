//! The elements of an array as scalars of the language.
//!
//! What has the right size already is converted where it lies; a native `float64`, `int64`, `S1`
//! or `uint8` is not touched at all.

use super::header::{Dtype, DtypeKind};
use crate::buffer::{Buffer, Plain};
use crate::columns::Column;
use crate::input::{Problem, whole};
use crate::print::float_text;
use prim::{Ty, Width, Widths};

/// The `count` elements of `raw` as a column of type `ty`, which the element type can hold.
pub(super) fn column(
    raw: Buffer,
    count: usize,
    dtype: Dtype,
    ty: Ty,
    widths: Widths,
) -> Result<Column, Problem> {
    if dtype.kind == DtypeKind::Float && ty == Ty::I64 {
        let floats = column(raw, count, dtype, Ty::F64, Widths::WIDE)?;
        return whole_column(floats.words(), widths);
    }
    let narrow = [widths.int, widths.float].map(|width| width == Width::W32);
    let bytes = match (dtype.kind, dtype.size) {
        (DtypeKind::Bytes, _) => raw,
        (DtypeKind::Uint, 1) if ty == Ty::Char => raw,
        (DtypeKind::Bool, _) => normalised(raw),
        (DtypeKind::Int | DtypeKind::Float, 8) => native(raw, dtype),
        (DtypeKind::Int, 4) if narrow[0] => native(raw, dtype),
        (DtypeKind::Float, 4) if narrow[1] => native(raw, dtype),
        (DtypeKind::Uint, 4) if narrow[0] => checked_narrow(native(raw, dtype), count)?,
        (DtypeKind::Int, 2) if narrow[0] => {
            each(&raw, count, dtype, |b| i32::from(i16::from_ne_bytes(b)))?
        }
        (DtypeKind::Int, _) if narrow[0] => {
            each(&raw, count, dtype, |b| i32::from(i8::from_ne_bytes(b)))?
        }
        (DtypeKind::Uint, 2) if narrow[0] => {
            each(&raw, count, dtype, |b| i32::from(u16::from_ne_bytes(b)))?
        }
        (DtypeKind::Uint, 1) if narrow[0] => {
            each(&raw, count, dtype, |b| i32::from(u8::from_ne_bytes(b)))?
        }
        (DtypeKind::Float, 2) if narrow[1] => {
            each(&raw, count, dtype, |b| half(u16::from_ne_bytes(b)) as f32)?
        }
        (DtypeKind::Uint, 8) => checked(native(raw, dtype), count)?,
        (DtypeKind::Int, 4) => each(&raw, count, dtype, |b| i64::from(i32::from_ne_bytes(b)))?,
        (DtypeKind::Int, 2) => each(&raw, count, dtype, |b| i64::from(i16::from_ne_bytes(b)))?,
        (DtypeKind::Int, _) => each(&raw, count, dtype, |b| i64::from(i8::from_ne_bytes(b)))?,
        (DtypeKind::Uint, 4) => each(&raw, count, dtype, |b| i64::from(u32::from_ne_bytes(b)))?,
        (DtypeKind::Uint, 2) => each(&raw, count, dtype, |b| i64::from(u16::from_ne_bytes(b)))?,
        (DtypeKind::Uint, _) => each(&raw, count, dtype, |b| i64::from(u8::from_ne_bytes(b)))?,
        (DtypeKind::Float, 4) => each(&raw, count, dtype, |b| f64::from(f32::from_ne_bytes(b)))?,
        (DtypeKind::Float, _) => each(&raw, count, dtype, |b| half(u16::from_ne_bytes(b)))?,
    };
    Ok(Column::new(ty, widths, bytes, count))
}

/// Floats as ints.
fn whole_column(floats: &[f64], widths: Widths) -> Result<Column, Problem> {
    let mut bytes = Buffer::zeroed(floats.len() * widths.int.bytes())?;
    for (i, &float) in floats.iter().enumerate() {
        let int = whole(float, widths).ok_or_else(|| {
            format!("element {i} is {}, but ints are needed", float_text(float, Width::W64))
        })?;
        match widths.int {
            Width::W32 => bytes.typed_mut::<i32>(floats.len())[i] = int as i32,
            Width::W64 => bytes.typed_mut::<i64>(floats.len())[i] = int,
        }
    }
    Ok(Column::new(Ty::I64, widths, bytes, floats.len()))
}

fn foreign(dtype: Dtype) -> bool {
    dtype.big_endian != cfg!(target_endian = "big")
}

/// Elements as wide as the language's in the byte order of this machine.
fn native(mut raw: Buffer, dtype: Dtype) -> Buffer {
    if foreign(dtype) {
        raw.as_mut_slice().chunks_exact_mut(dtype.size).for_each(<[u8]>::reverse);
    }
    raw
}

/// Bools as 0 and 1.
fn normalised(mut raw: Buffer) -> Buffer {
    for byte in raw.as_mut_slice() {
        *byte = u8::from(*byte != 0);
    }
    raw
}

/// Unsigned ints that are ints of the language.
fn checked(raw: Buffer, count: usize) -> Result<Buffer, Problem> {
    match raw.typed::<i64>(count).iter().position(|&v| v < 0) {
        None => Ok(raw),
        Some(i) => {
            let value = raw.typed::<i64>(count)[i].cast_unsigned();
            Err(format!("element {i} is {value}, which is beyond the largest int").into())
        }
    }
}

/// The same of half the size.
fn checked_narrow(raw: Buffer, count: usize) -> Result<Buffer, Problem> {
    match raw.typed::<i32>(count).iter().position(|&v| v < 0) {
        None => Ok(raw),
        Some(i) => {
            let value = raw.typed::<i32>(count)[i].cast_unsigned();
            Err(format!("element {i} is {value}, which is beyond the largest int").into())
        }
    }
}

/// Elements of another size, one by one.
fn each<const N: usize, T: Plain>(
    raw: &Buffer,
    count: usize,
    dtype: Dtype,
    convert: impl Fn([u8; N]) -> T,
) -> Result<Buffer, Problem> {
    let mut bytes = Buffer::zeroed(count * size_of::<T>())?;
    let (elements, _) = raw.as_slice().as_chunks::<N>();
    for (slot, element) in bytes.typed_mut::<T>(count).iter_mut().zip(elements) {
        let mut element = *element;
        if foreign(dtype) {
            element.reverse();
        }
        *slot = convert(element);
    }
    Ok(bytes)
}

/// The value of a half-precision float: 1 bit of sign, 5 of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    match exponent {
        0 => sign * fraction * 2_f64.powi(-24),
        0x1f if fraction == 0.0 => sign * f64::INFINITY,
        0x1f => f64::NAN,
        _ => sign * (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}
