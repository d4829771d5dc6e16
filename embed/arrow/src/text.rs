//! Strings: sequences of chars, which are bytes.

use crate::error::Error;
use crate::layout::{Meaning, Offsets};
use crate::lists::{self, Pool, Sums, Word};
use crate::picks::{Picks, Run};
use crate::raw::Raw;
use prim::{Ty, Width, Widths};
use std::sync::Arc;
use value::typed::Path;
use value::{Buffer, Column, Columns};

/// Bytes between offsets.
pub(crate) fn between(
    raw: &Raw<'_>,
    (width, meaning): (Offsets, Meaning),
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Columns, Error> {
    // How long the data is the interface does not tell.
    let (offsets, taken) = lists::between(raw, width, Pool { len: None }, picks, widths, path)?;
    let data = if !taken.any_row() { std::ptr::null() } else { raw.buffer(2, path)? };
    strings(raw, offsets, data, &taken, meaning, path)
}

/// So many bytes in each row.
pub(crate) fn fixed(
    raw: &Raw<'_>,
    size: usize,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Columns, Error> {
    let offsets = lists::regular(picks, size, widths, path)?;
    let data = if !picks.any_row() { std::ptr::null() } else { raw.buffer(1, path)? };
    if (raw.offset + raw.length).checked_mul(size).is_none() {
        return Err(Error::at(path, format!("rows of {size} bytes are too long")));
    }
    strings(raw, offsets, data, &picks.elements(raw.offset, size), Meaning::Binary, path)
}

/// Strings of the bytes that are taken of some data.
fn strings(
    raw: &Raw<'_>,
    offsets: Column,
    data: *const u8,
    taken: &Picks,
    meaning: Meaning,
    path: &Path,
) -> Result<Columns, Error> {
    let widths = offsets.widths;
    let bytes = match taken.only() {
        Some((start, len)) => {
            let owner = Arc::clone(raw.owner);
            // SAFETY: offsets point to bytes that there are, and their owner keeps them.
            unsafe { Column::foreign(Ty::Char, widths, data.wrapping_add(start), len, owner) }?
        }
        None => {
            let mut buffer = Buffer::zeroed(taken.count())?;
            let mut to = buffer.as_mut_slice();
            for Run { start, len } in taken.runs() {
                let Some(start) = start else { unreachable!("bytes are no nulls") };
                // SAFETY: as above.
                let from = unsafe { std::slice::from_raw_parts(data.add(start), len) };
                let (here, rest) = to.split_at_mut(len);
                here.copy_from_slice(from);
                to = rest;
            }
            Column::new(Ty::Char, widths, buffer, taken.count())
        }
    };
    finish(offsets, bytes, meaning, path)
}

fn finish(offsets: Column, bytes: Column, meaning: Meaning, path: &Path) -> Result<Columns, Error> {
    if meaning == Meaning::Text
        && !bytes.bytes().is_ascii()
        && let Some(at) = bytes.bytes().iter().position(|byte| !byte.is_ascii())
    {
        let message = "the text is not ASCII: a char of NESL is one byte, and this one takes \
                       several; as binary it is taken byte by byte";
        return Err(Error::lane(path, lists::list_of(&offsets, at), message));
    }
    Ok(Columns::Seq { offsets, elements: Box::new(Columns::Scalar(bytes)) })
}

/// Bytes that are short, or somewhere in buffers.
pub(crate) fn views(
    raw: &Raw<'_>,
    meaning: Meaning,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Columns, Error> {
    match widths.int {
        Width::W32 => views_of::<i32>(raw, meaning, picks, widths, path),
        Width::W64 => views_of::<i64>(raw, meaning, picks, widths, path),
    }
}

/// Bytes of a view.
const VIEW: usize = 16;
/// Bytes that stand in the view itself, if there are no more.
const SHORT: usize = 12;

fn views_of<T: Word>(
    raw: &Raw<'_>,
    meaning: Meaning,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<Columns, Error> {
    let mut sums = Sums::<T>::new(picks.count(), widths, path)?;
    let mut slices: Vec<(*const u8, usize)> = Vec::new();
    let mut total = 0;
    if picks.count() > 0 {
        let views = if picks.any_row() { raw.buffer(1, path)? } else { std::ptr::null() };
        for row in picks.lanes() {
            let Some(row) = row else {
                sums.push(0)?;
                continue;
            };
            let view = views.wrapping_add((raw.offset + row) * VIEW);
            // SAFETY: there is a view for each row.
            let bytes = unsafe { viewed(raw, view) };
            let (from, len) = bytes.map_err(|message| Error::lane(path, sums.lane, message))?;
            sums.push(i64::try_from(len).unwrap_or(i64::MAX))?;
            total += len;
            slices.push((from, len));
        }
    }
    let mut buffer = Buffer::zeroed(total)?;
    let mut to = buffer.as_mut_slice();
    for (from, len) in slices {
        let (here, rest) = to.split_at_mut(len);
        // SAFETY: a view or a buffer has these bytes.
        here.copy_from_slice(unsafe { std::slice::from_raw_parts(from, len) });
        to = rest;
    }
    finish(sums.finish(), Column::new(Ty::Char, widths, buffer, total), meaning, path)
}

/// The address and the number of the bytes of a view.
///
/// # Safety
///
/// There is a view.
unsafe fn viewed(raw: &Raw<'_>, view: *const u8) -> Result<(*const u8, usize), String> {
    let part = |n: usize| -> i64 {
        // SAFETY: a view has four words of 4 bytes.
        unsafe { view.cast::<i32>().wrapping_add(n).read_unaligned() }.into()
    };
    let len = usize::try_from(part(0)).map_err(|_| format!("a length of {}", part(0)))?;
    if len <= SHORT {
        return Ok((view.wrapping_add(4), len));
    }
    let wrong = || {
        let (buffer, from) = (part(2), part(3));
        format!("a view of {len} bytes from {from} on in buffer {buffer}, which are not there")
    };
    // Behind validity and views are the buffers, and then how long each of them is.
    let count = raw.buffers().saturating_sub(3);
    let number = usize::try_from(part(2)).ok().filter(|&n| n < count).ok_or_else(wrong)?;
    let path = Path::default();
    let sizes = raw.buffer(2 + count, &path).map_err(|_| wrong())?.cast::<i64>();
    // SAFETY: there is a size for each of the buffers.
    let size = unsafe { sizes.wrapping_add(number).read_unaligned() };
    let from = usize::try_from(part(3)).map_err(|_| wrong())?;
    if usize::try_from(size).ok().is_none_or(|size| from + len > size) {
        return Err(wrong());
    }
    let data = raw.buffer(2 + number, &path).map_err(|_| wrong())?;
    Ok((data.wrapping_add(from), len))
}
