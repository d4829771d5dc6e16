//! Columns of ints, floats and bools.

use crate::error::Error;
use crate::layout::Int;
use crate::picks::Picks;
use crate::raw::{Raw, bit};
use prim::{Ty, Width, Widths};
use std::sync::Arc;
use value::buffer::Plain;
use value::typed::Path;
use value::{Buffer, Column};

/// The ints of these rows.
pub(crate) fn ints(
    raw: &Raw<'_>,
    kind: Int,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Column, Error> {
    match (kind, widths.int) {
        (Int::I64, Width::W64) | (Int::I32, Width::W32) => {
            as_they_are(raw, Ty::I64, picks, widths, path)
        }
        (Int::I8, _) => widened::<i8>(raw, picks, widths, path),
        (Int::U8, _) => widened::<u8>(raw, picks, widths, path),
        (Int::I16, _) => widened::<i16>(raw, picks, widths, path),
        (Int::U16, _) => widened::<u16>(raw, picks, widths, path),
        (Int::I32, _) => widened::<i32>(raw, picks, widths, path),
        (Int::U32, _) => widened::<u32>(raw, picks, widths, path),
        (Int::I64, _) => widened::<i64>(raw, picks, widths, path),
        (Int::U64, _) => widened::<u64>(raw, picks, widths, path),
    }
}

/// The floats of these rows, of so many bytes each.
pub(crate) fn floats(
    raw: &Raw<'_>,
    size: usize,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Column, Error> {
    if size == widths.size(Ty::F64) {
        return as_they_are(raw, Ty::F64, picks, widths, path);
    }
    let bytes = match widths.float {
        Width::W64 => converted(raw, picks, path, |_, x: f32| Ok(f64::from(x)))?,
        Width::W32 => converted(raw, picks, path, |_, x: f64| Ok(x as f32))?,
    };
    Ok(Column::new(Ty::F64, widths, bytes, picks.count()))
}

/// The bools of these rows, which are bits.
pub(crate) fn bools(
    raw: &Raw<'_>,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Column, Error> {
    let count = picks.count();
    let mut buffer = Buffer::zeroed(count)?;
    if count > 0 {
        let bits = raw.buffer(1, path)?;
        for (to, row) in buffer.as_mut_slice().iter_mut().zip(picks.rows()) {
            // SAFETY: there is a bit for each row.
            *to = u8::from(unsafe { bit(bits, raw.offset + row) });
        }
    }
    Ok(Column::new(Ty::Bool, widths, buffer, count))
}

/// Indices of a dictionary with so many values.
pub(crate) fn indices(
    raw: &Raw<'_>,
    picks: &Picks,
    values: usize,
    path: &Path,
) -> Result<Picks, Error> {
    let indices = ints(raw, raw.field.indices(), picks, Widths::WIDE, path)?;
    let mut chosen = Picks::default();
    for (lane, &index) in indices.ints().iter().enumerate() {
        match usize::try_from(index) {
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
fn as_they_are(
    raw: &Raw<'_>,
    ty: Ty,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Column, Error> {
    let Some((start, len)) = picks.only() else {
        let bytes = match widths.size(ty) {
            4 => converted(raw, picks, path, |_, x: i32| Ok(x))?,
            _ => converted(raw, picks, path, |_, x: i64| Ok(x))?,
        };
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

/// Ints of another kind than those of a column.
fn widened<S: Copy + TryInto<i64> + std::fmt::Display>(
    raw: &Raw<'_>,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Column, Error> {
    let large = |lane: usize, x: S| {
        let bits = widths.int.bits();
        Error::lane(path, lane, format!("{x} is too large for an int of {bits} bits"))
    };
    let bytes = match widths.int {
        Width::W64 => converted(raw, picks, path, |lane, x: S| {
            let int: Result<i64, _> = x.try_into();
            int.map_err(|_| large(lane, x))
        })?,
        Width::W32 => converted(raw, picks, path, |lane, x: S| {
            let int: Result<i64, _> = x.try_into();
            int.ok().and_then(|int| i32::try_from(int).ok()).ok_or_else(|| large(lane, x))
        })?,
    };
    Ok(Column::new(Ty::I64, widths, bytes, picks.count()))
}

/// The converted elements of some rows, in memory of our own.
fn converted<S: Copy, T: Plain>(
    raw: &Raw<'_>,
    picks: &Picks,
    path: &Path,
    convert: impl Fn(usize, S) -> Result<T, Error>,
) -> Result<Buffer, Error> {
    let count = picks.count();
    let bytes = count.saturating_mul(size_of::<T>());
    let mut buffer = Buffer::zeroed(bytes)?;
    if count == 0 {
        return Ok(buffer);
    }
    let from = raw.buffer(1, path)?.cast::<S>();
    let to = buffer.typed_mut::<T>(count);
    let mut lane = 0;
    for (start, len) in picks.runs() {
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
