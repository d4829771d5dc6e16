//! The border: host values as arguments of a plan, and its results as host values.
//!
//! Arguments cross without a copy: an inner sequence of the host is offsets and elements, and so is
//! a parameter of an entry.  Results have starts and lengths; they are copied only where their
//! segments do not lie one after the other.  Results that stay in the memory of a GPU are columns
//! of that memory; of nested ones the starts and lengths come to the host, which makes offsets of
//! them.

use crate::frame::{End, Passed, element};
use device::{Device, OutOfMemory};
use nest::Type;
use prim::{Const, Ty, Widths};
use std::sync::Arc;
use value::{Column, Columns};

/// The arguments for a value of one lane.
pub fn arguments<D: Device>(
    device: &D,
    value: &Columns,
    out: &mut Vec<Passed<D::Buffer>>,
) -> Result<(), OutOfMemory> {
    match value {
        Columns::Scalar(column) => out.push(Passed::Scalar(column.get(0))),
        Columns::Tuple(parts) => {
            for part in parts {
                arguments(device, part, out)?;
            }
        }
        Columns::Seq { offsets, elements } => {
            let len = offsets.len.checked_sub(1).map_or(0, |last| offsets.int(last));
            out.push(Passed::Scalar(Const::I64(len)));
            pool(device, elements, out)?;
        }
    }
    Ok(())
}

fn pool<D: Device>(
    device: &D,
    elements: &Columns,
    out: &mut Vec<Passed<D::Buffer>>,
) -> Result<(), OutOfMemory> {
    match elements {
        Columns::Scalar(column) => out.push(Passed::Buffer(device.upload(&column.bytes)?)),
        Columns::Tuple(parts) => {
            for part in parts {
                pool(device, part, out)?;
            }
        }
        Columns::Seq { offsets, elements } => {
            let memory = device.upload(&offsets.bytes)?;
            let end = |index| End { index, value: offsets.int(index) };
            out.push(match offsets.len.checked_sub(1).map(end) {
                Some(end) => Passed::Offsets(memory, end),
                None => Passed::Buffer(memory),
            });
            pool(device, elements, out)?;
        }
    }
    Ok(())
}

/// The value of a type whose components are the results of an entry.
pub fn result<D: Device>(
    device: &D,
    widths: Widths,
    ty: &Type,
    components: &mut impl Iterator<Item = Passed<D::Buffer>>,
) -> Result<Columns, OutOfMemory> {
    match ty {
        Type::Scalar(t) => Ok(Columns::Scalar(one(widths, *t, scalar::<D>(components))?)),
        Type::Tuple(parts) => {
            let parts = parts.iter().map(|p| result(device, widths, p, components));
            Ok(Columns::Tuple(parts.collect::<Result<_, _>>()?))
        }
        Type::Seq(element) => {
            let start = index(scalar::<D>(components));
            let len = index(scalar::<D>(components));
            let lanes = Lanes::Range { start, len };
            Columns::sequence(taken(device, widths, element, &lanes, components)?).map_err(no_room)
        }
    }
}

/// Which elements of a pool are wanted.
enum Lanes {
    /// Consecutive ones.
    Range { start: usize, len: usize },
    /// Several stretches, one after the other: (start, length).
    Stretches(Vec<(usize, usize)>),
}

impl Lanes {
    fn count(&self) -> usize {
        match self {
            Lanes::Range { len, .. } => *len,
            Lanes::Stretches(list) => list.iter().map(|s| s.1).sum(),
        }
    }
    fn stretches(&self) -> Vec<(usize, usize)> {
        match self {
            Lanes::Range { start, len } => vec![(*start, *len)],
            Lanes::Stretches(list) => list.clone(),
        }
    }
}

fn taken<D: Device>(
    device: &D,
    widths: Widths,
    ty: &Type,
    lanes: &Lanes,
    components: &mut impl Iterator<Item = Passed<D::Buffer>>,
) -> Result<Columns, OutOfMemory> {
    match ty {
        Type::Scalar(t) => {
            Ok(Columns::Scalar(column(device, widths, *t, lanes, &buffer::<D>(components))?))
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().map(|p| taken(device, widths, p, lanes, components));
            Ok(Columns::Tuple(parts.collect::<Result<_, _>>()?))
        }
        Type::Seq(element) => {
            let starts = column(device, widths, Ty::I64, lanes, &buffer::<D>(components))?;
            let lens = column(device, widths, Ty::I64, lanes, &buffer::<D>(components))?;
            let (offsets, inner) = segments(widths, &starts.ints(), &lens.ints())?;
            let elements = Box::new(taken(device, widths, element, &inner, components)?);
            let offsets = Column::of_ints(widths, &offsets).map_err(no_room)?;
            Ok(Columns::Seq { offsets, elements })
        }
    }
}

/// Offsets of segments, and the elements that they hold in order.  Segments share elements, so that
/// together they may be longer than any vector.
fn segments(
    widths: Widths,
    starts: &[i64],
    lens: &[i64],
) -> Result<(Vec<i64>, Lanes), OutOfMemory> {
    let mut offsets = Vec::with_capacity(lens.len() + 1);
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    let mut total: i64 = 0;
    offsets.push(0);
    for (&start, &len) in starts.iter().zip(lens) {
        total = total.saturating_add(len);
        if total > widths.max_length() {
            return Err(OutOfMemory { asked: usize::MAX, used: 0, cap: 0 });
        }
        offsets.push(total);
        let (start, len) = (usize::try_from(start).unwrap_or(0), usize::try_from(len).unwrap_or(0));
        match stretches.last_mut() {
            _ if len == 0 => {}
            Some(last) if last.0 + last.1 == start => last.1 += len,
            _ => stretches.push((start, len)),
        }
    }
    let lanes = match stretches.as_slice() {
        [] => Lanes::Range { start: 0, len: 0 },
        [(start, len)] => Lanes::Range { start: *start, len: *len },
        _ => Lanes::Stretches(stretches),
    };
    Ok((offsets, lanes))
}

fn column<D: Device>(
    device: &D,
    widths: Widths,
    ty: Ty,
    lanes: &Lanes,
    memory: &D::Buffer,
) -> Result<Column, OutOfMemory> {
    let host = device.download(memory)?;
    if let Lanes::Range { start, len } = lanes {
        let whole = Column { ty, widths, bytes: Arc::clone(&host), len: start + len };
        match start {
            0 => return Ok(whole),
            // Nothing is fetched for a part of it.
            _ if host.as_remote().is_some() => return whole.part(*start, *len).map_err(no_room),
            _ => {}
        }
    }
    let size = widths.size(ty);
    let mut bytes = value::Buffer::zeroed(lanes.count() * size).map_err(no_room)?;
    let mut at = 0;
    for (start, len) in lanes.stretches() {
        let source = &host.as_slice()[start * size..(start + len) * size];
        bytes.as_mut_slice()[at..at + len * size].copy_from_slice(source);
        at += len * size;
    }
    Ok(Column::new(ty, widths, bytes, lanes.count()))
}

fn one(widths: Widths, ty: Ty, value: Const) -> Result<Column, OutOfMemory> {
    let bytes = &widths.bits(value).to_le_bytes()[..widths.size(ty)];
    let buffer = value::Buffer::copy_of(bytes).map_err(no_room)?;
    Ok(Column::new(ty, widths, buffer, 1))
}

fn scalar<D: Device>(components: &mut impl Iterator<Item = Passed<D::Buffer>>) -> Const {
    match components.next() {
        Some(Passed::Scalar(c)) => c,
        Some(Passed::Buffer(_) | Passed::Offsets(..)) | None => {
            unreachable!("a scalar among the results")
        }
    }
}

fn buffer<D: Device>(components: &mut impl Iterator<Item = Passed<D::Buffer>>) -> D::Buffer {
    match components.next() {
        Some(Passed::Buffer(b) | Passed::Offsets(b, _)) => b,
        Some(Passed::Scalar(_)) | None => unreachable!("a buffer among the results"),
    }
}

fn index(value: Const) -> usize {
    usize::try_from(value.int()).unwrap_or(0)
}

fn no_room(error: value::OutOfMemory) -> OutOfMemory {
    OutOfMemory { asked: error.bytes, used: 0, cap: 0 }
}

/// An element of device memory, for tests of plans.
pub fn peek<D: Device>(device: &D, memory: &D::Buffer, ty: Ty, at: usize) -> Option<Const> {
    element(device, memory, Widths::WIDE, ty, at)
}
