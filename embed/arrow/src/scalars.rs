//! Columns of ints, floats and bools.

use crate::error::Error;
use crate::layout::Int;
use crate::picks::{Picks, Run};
use crate::raw::{Raw, bit};
use prim::{Ty, Width, Widths};
use std::sync::Arc;
use value::buffer::Plain;
use value::typed::Path;
use value::{Buffer, Column};

/// The ints of these rows, with one in place of nulls.
pub(crate) fn ints(
    raw: &Raw<'_>,
    kind: Int,
    picks: &Picks,
    with: (Widths, i64),
    path: &Path,
) -> Result<Column, Error> {
    match (kind, with.0.int) {
        (Int::I64, Width::W64) => as_they_are(raw, Ty::I64, picks, with, path),
        (Int::I32, Width::W32) => {
            let fill = narrow(with.1).ok_or_else(|| too_large(path, with.1, with.0))?;
            as_they_are(raw, Ty::I64, picks, (with.0, fill), path)
        }
        (Int::I8, _) => widened::<i8>(raw, picks, with, path),
        (Int::U8, _) => widened::<u8>(raw, picks, with, path),
        (Int::I16, _) => widened::<i16>(raw, picks, with, path),
        (Int::U16, _) => widened::<u16>(raw, picks, with, path),
        (Int::I32, _) => widened::<i32>(raw, picks, with, path),
        (Int::U32, _) => widened::<u32>(raw, picks, with, path),
        (Int::I64, _) => widened::<i64>(raw, picks, with, path),
        (Int::U64, _) => widened::<u64>(raw, picks, with, path),
    }
}

/// The floats of these rows, of so many bytes each, with one in place of nulls.
pub(crate) fn floats(
    raw: &Raw<'_>,
    size: usize,
    picks: &Picks,
    (widths, fill): (Widths, f64),
    path: &Path,
) -> Result<Column, Error> {
    let bytes = match (size, widths.float) {
        (8, Width::W64) => return as_they_are(raw, Ty::F64, picks, (widths, fill), path),
        (4, Width::W32) => return as_they_are(raw, Ty::F64, picks, (widths, fill as f32), path),
        (8, Width::W32) => converted(raw, picks, fill as f32, path, |_, x: f64| Ok(x as f32))?,
        (4, Width::W64) => converted(raw, picks, fill, path, |_, x: f32| Ok(f64::from(x)))?,
        (_, Width::W64) => converted(raw, picks, fill, path, |_, x| Ok(f64::from(half(x))))?,
        (_, Width::W32) => converted(raw, picks, fill as f32, path, |_, x| Ok(half(x)))?,
    };
    Ok(Column::new(Ty::F64, widths, bytes, picks.count()))
}

/// A float of 16 bits: a sign, 5 bits of exponent and 10 of fraction.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let rest = u32::from(bits & 0x7fff);
    let magnitude = match rest >> 10 {
        // In units of 2^-24, which a float of 32 bits has as they are.
        0 => (rest as f32 / 16_777_216.0).to_bits(),
        // Infinity, and what is no number.
        31 => 0x7f80_0000 | rest << 13,
        // The exponent counts from -15 there, and from -127 here.
        _ => (rest << 13) + ((127 - 15) << 23),
    };
    f32::from_bits(sign | magnitude)
}

/// The bools of these rows, which are bits, with one in place of nulls.
pub(crate) fn bools(
    raw: &Raw<'_>,
    picks: &Picks,
    (widths, fill): (Widths, bool),
    path: &Path,
) -> Result<Column, Error> {
    let count = picks.count();
    let mut buffer = Buffer::zeroed(count)?;
    let bits = if picks.any_row() { raw.buffer(1, path)? } else { std::ptr::null() };
    for (to, row) in buffer.as_mut_slice().iter_mut().zip(picks.lanes()) {
        // SAFETY: there is a bit for each row.
        *to = u8::from(row.map_or(fill, |row| unsafe { bit(bits, raw.offset + row) }));
    }
    Ok(Column::new(Ty::Bool, widths, buffer, count))
}

/// The bools of these rows, which are bytes, with one in place of nulls.  They are copied if one of
/// them is neither 0 nor 1.
pub(crate) fn byte_bools(
    raw: &Raw<'_>,
    picks: &Picks,
    (widths, fill): (Widths, bool),
    path: &Path,
) -> Result<Column, Error> {
    let column = as_they_are(raw, Ty::Bool, picks, (widths, u8::from(fill)), path)?;
    if column.bytes().iter().all(|&byte| byte < 2) {
        return Ok(column);
    }
    let bytes = converted(raw, picks, u8::from(fill), path, |_, x: u8| Ok(u8::from(x != 0)))?;
    Ok(Column::new(Ty::Bool, widths, bytes, picks.count()))
}

/// Indices of a dictionary with so many values.
pub(crate) fn indices(
    raw: &Raw<'_>,
    picks: &Picks,
    values: usize,
    path: &Path,
) -> Result<Picks, Error> {
    let indices = ints(raw, raw.field.indices(), picks, (Widths::WIDE, 0), path)?;
    let mut chosen = Picks::default();
    for ((lane, &index), row) in indices.ints().iter().enumerate().zip(picks.lanes()) {
        match usize::try_from(index) {
            _ if row.is_none() => chosen.push_nulls(1),
            Ok(index) if index < values => chosen.push(index, 1),
            _ => {
                let message = format!("index {index} is outside a dictionary of {values} values");
                return Err(Error::lane(path, lane, message));
            }
        }
    }
    Ok(chosen)
}

/// Elements that lie in memory as a column has them.
fn as_they_are<T: Plain>(
    raw: &Raw<'_>,
    ty: Ty,
    picks: &Picks,
    (widths, fill): (Widths, T),
    path: &Path,
) -> Result<Column, Error> {
    let Some((start, len)) = picks.only() else {
        let bytes = converted(raw, picks, fill, path, |_, x: T| Ok(x))?;
        return Ok(Column::new(ty, widths, bytes, picks.count()));
    };
    if len == 0 {
        return Ok(Column::new(ty, widths, Buffer::zeroed(0)?, 0));
    }
    let from = raw.buffer(1, path)?.wrapping_add((raw.offset + start) * widths.size(ty));
    let owner = Arc::clone(raw.owner);
    // SAFETY: the array has these rows, and its owner keeps them.
    Ok(unsafe { Column::foreign(ty, widths, from, len, owner) }?)
}

/// An int of 32 bits, if it is one.
fn narrow(int: i64) -> Option<i32> {
    i32::try_from(int).ok()
}

/// The error of a value in place of nulls that is none of an int.
fn too_large(path: &Path, fill: i64, widths: Widths) -> Error {
    let bits = widths.int.bits();
    Error::at(path, format!("{fill}, in place of nulls, is too large for an int of {bits} bits"))
}

/// Ints of another kind than those of a column.
fn widened<S: Copy + TryInto<i64> + std::fmt::Display>(
    raw: &Raw<'_>,
    picks: &Picks,
    (widths, fill): (Widths, i64),
    path: &Path,
) -> Result<Column, Error> {
    let large = |lane: usize, x: S| {
        let bits = widths.int.bits();
        Error::lane(path, lane, format!("{x} is too large for an int of {bits} bits"))
    };
    let bytes = match widths.int {
        Width::W64 => converted(raw, picks, fill, path, |lane, x: S| {
            let int: Result<i64, _> = x.try_into();
            int.map_err(|_| large(lane, x))
        })?,
        Width::W32 => {
            let fill = narrow(fill).ok_or_else(|| too_large(path, fill, widths))?;
            converted(raw, picks, fill, path, |lane, x: S| {
                let int: Result<i64, _> = x.try_into();
                int.ok().and_then(narrow).ok_or_else(|| large(lane, x))
            })?
        }
    };
    Ok(Column::new(Ty::I64, widths, bytes, picks.count()))
}

/// The converted elements of some rows, in memory of our own.
fn converted<S: Copy, T: Plain>(
    raw: &Raw<'_>,
    picks: &Picks,
    fill: T,
    path: &Path,
    convert: impl Fn(usize, S) -> Result<T, Error>,
) -> Result<Buffer, Error> {
    let count = picks.count();
    let bytes = count.saturating_mul(size_of::<T>());
    let mut buffer = Buffer::zeroed(bytes)?;
    let from = if picks.any_row() { raw.buffer(1, path)?.cast::<S>() } else { std::ptr::null() };
    let to = buffer.typed_mut::<T>(count);
    let mut lane = 0;
    for Run { start, len } in picks.runs() {
        let Some(start) = start else {
            to[lane..lane + len].fill(fill);
            lane += len;
            continue;
        };
        let from = from.wrapping_add(raw.offset + start);
        for n in 0..len {
            // SAFETY: the array has these rows.
            let value = unsafe { from.wrapping_add(n).read_unaligned() };
            to[lane] = convert(lane, value)?;
            lane += 1;
        }
    }
    Ok(buffer)
}
