//! Offsets of sequences, and which rows of another array are their elements.

use crate::error::Error;
use crate::layout::Offsets;
use crate::picks::{Picks, Run};
use crate::raw::Raw;
use prim::{Ty, Width, Widths};
use std::sync::Arc;
use value::buffer::Plain;
use value::typed::Path;
use value::{Buffer, Column};

/// An int that offsets are of.
pub(crate) trait Word: Plain + TryFrom<i64> + Into<i64> {}
impl Word for i32 {}
impl Word for i64 {}

/// The elements that an offset points into.
#[derive(Clone, Copy)]
pub(crate) struct Pool {
    /// How many elements there are, if that is known.
    pub(crate) len: Option<usize>,
}

/// The offsets of lists that lie one after the other, and the elements that they take.
pub(crate) fn between(
    raw: &Raw<'_>,
    width: Offsets,
    pool: Pool,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<(Column, Picks), Error> {
    match (width, widths.int) {
        (Offsets::W32, Width::W32) => between_of::<i32, i32>(raw, pool, picks, widths, path),
        (Offsets::W32, Width::W64) => between_of::<i32, i64>(raw, pool, picks, widths, path),
        (Offsets::W64, Width::W32) => between_of::<i64, i32>(raw, pool, picks, widths, path),
        (Offsets::W64, Width::W64) => between_of::<i64, i64>(raw, pool, picks, widths, path),
    }
}

fn between_of<S: Word, T: Word>(
    raw: &Raw<'_>,
    pool: Pool,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<(Column, Picks), Error> {
    let mut taken = Picks::default();
    if !picks.any_row() {
        return Ok((empty::<T>(picks.count(), widths, path)?, taken));
    }
    let from = raw.read(1, raw.length + 1, size_of::<S>(), path)?.cast::<S>();
    // SAFETY: an array has an offset before and behind each of its rows.
    let offset = |row: usize| -> i64 {
        unsafe { from.wrapping_add(raw.offset + row).read_unaligned() }.into()
    };
    if let (Some((start, len)), true) = (picks.only(), size_of::<S>() == size_of::<T>())
        && offset(start) == 0
    {
        let mut last = 0;
        for lane in 0..len {
            let next = offset(start + lane + 1);
            rises(last, next, lane, path)?;
            last = next;
        }
        within(pool, last, || (0..len).position(|n| outside(pool, offset(start + n + 1))), path)?;
        room(last, widths, path)?;
        let at = from.wrapping_add(raw.offset + start).cast();
        let owner = Arc::clone(raw.owner);
        // SAFETY: the array has these offsets, and its owner keeps them.
        let offsets = unsafe { Column::foreign(Ty::I64, widths, at, len + 1, owner) }?;
        taken.push(0, usize::try_from(last).unwrap_or(0));
        return Ok((offsets, taken));
    }
    let mut sums = Sums::<T>::new(picks.count(), widths, path)?;
    for Run { start, len } in picks.runs() {
        let Some(start) = start else {
            sums.push_empty(len)?;
            continue;
        };
        let first = offset(start);
        let mut last = first;
        if first < 0 {
            let message = format!("its first offset is {first}");
            return Err(Error::lane(path, sums.lane, message));
        }
        let before = sums.lane;
        for n in 0..len {
            let next = offset(start + n + 1);
            rises(last, next, sums.lane, path)?;
            sums.push(next - last)?;
            last = next;
        }
        let bad = || (0..len).position(|n| outside(pool, offset(start + n + 1)));
        within(pool, last, || bad().map(|n| before + n), path)?;
        let [first, last] = [first, last].map(|at| usize::try_from(at).unwrap_or(0));
        taken.push(first, last - first);
    }
    Ok((sums.finish(), taken))
}

/// The offsets of lists that lie anywhere, and the elements that they take.
pub(crate) fn views(
    raw: &Raw<'_>,
    width: Offsets,
    elements: usize,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<(Column, Picks), Error> {
    match (width, widths.int) {
        (Offsets::W32, Width::W32) => views_of::<i32, i32>(raw, elements, picks, widths, path),
        (Offsets::W32, Width::W64) => views_of::<i32, i64>(raw, elements, picks, widths, path),
        (Offsets::W64, Width::W32) => views_of::<i64, i32>(raw, elements, picks, widths, path),
        (Offsets::W64, Width::W64) => views_of::<i64, i64>(raw, elements, picks, widths, path),
    }
}

fn views_of<S: Word, T: Word>(
    raw: &Raw<'_>,
    elements: usize,
    picks: &Picks,
    widths: Widths,
    path: &Path,
) -> Result<(Column, Picks), Error> {
    let mut taken = Picks::default();
    if !picks.any_row() {
        return Ok((empty::<T>(picks.count(), widths, path)?, taken));
    }
    let mut sums = Sums::<T>::new(picks.count(), widths, path)?;
    let [starts, sizes] = [1, 2].map(|n| raw.read(n, raw.length, size_of::<S>(), path));
    let (starts, sizes) = (starts?.cast::<S>(), sizes?.cast::<S>());
    for row in picks.lanes() {
        let Some(row) = row else {
            sums.push(0)?;
            continue;
        };
        // SAFETY: an array has an offset and a size for each of its rows.
        let [start, size]: [i64; 2] = [starts, sizes]
            .map(|from| unsafe { from.wrapping_add(raw.offset + row).read_unaligned() }.into());
        let inside =
            |start: usize, size: usize| start.checked_add(size).is_some_and(|e| e <= elements);
        match (usize::try_from(start), usize::try_from(size)) {
            // Libraries differ in the offset that a list of nothing has.
            (_, Ok(0)) => {}
            (Ok(start), Ok(size)) if inside(start, size) => taken.push(start, size),
            _ => {
                let message =
                    format!("a view of {size} elements from {start} on, of {elements} in all");
                return Err(Error::lane(path, sums.lane, message));
            }
        }
        sums.push(size)?;
    }
    Ok((sums.finish(), taken))
}

/// The offsets of lists of one length, but for nulls.
pub(crate) fn regular(
    picks: &Picks,
    size: usize,
    widths: Widths,
    path: &Path,
) -> Result<Column, Error> {
    fn of<T: Word>(picks: &Picks, size: i64, widths: Widths, path: &Path) -> Result<Column, Error> {
        let mut sums = Sums::<T>::new(picks.count(), widths, path)?;
        for run in picks.runs() {
            match run.start {
                Some(_) => (0..run.len).try_for_each(|_| sums.push(size))?,
                None => sums.push_empty(run.len)?,
            }
        }
        Ok(sums.finish())
    }
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    match widths.int {
        Width::W32 => of::<i32>(picks, size, widths, path),
        Width::W64 => of::<i64>(picks, size, widths, path),
    }
}

/// The offsets of so many lists without elements.
fn empty<T: Word>(count: usize, widths: Widths, path: &Path) -> Result<Column, Error> {
    Ok(Sums::<T>::new(count, widths, path)?.finish())
}

/// In which list an element lies.
pub(crate) fn list_of(offsets: &Column, element: usize) -> usize {
    let element = i64::try_from(element).unwrap_or(i64::MAX);
    offsets.ints().partition_point(|&offset| offset <= element).saturating_sub(1)
}

/// Offsets that are made, from lengths.
pub(crate) struct Sums<'p, T: Word> {
    buffer: Buffer,
    widths: Widths,
    path: &'p Path,
    count: usize,
    /// How many lengths there were.
    pub(crate) lane: usize,
    sum: i64,
    word: std::marker::PhantomData<T>,
}

impl<T: Word> Sums<'_, T> {
    /// Offsets of so many lists.
    pub(crate) fn new(count: usize, widths: Widths, path: &Path) -> Result<Sums<'_, T>, Error> {
        let buffer = Buffer::zeroed((count + 1).saturating_mul(size_of::<T>()))?;
        let word = std::marker::PhantomData;
        Ok(Sums { buffer, widths, path, count, lane: 0, sum: 0, word })
    }
    /// The next list has this length.
    pub(crate) fn push(&mut self, len: i64) -> Result<(), Error> {
        self.sum = self.sum.saturating_add(len);
        room(self.sum, self.widths, self.path)?;
        self.lane += 1;
        let Ok(sum) = T::try_from(self.sum) else {
            unreachable!("{} elements, which ints can count", self.sum)
        };
        self.buffer.typed_mut::<T>(self.count + 1)[self.lane] = sum;
        Ok(())
    }
    /// The next lists, of which there are so many, have no elements.
    fn push_empty(&mut self, count: usize) -> Result<(), Error> {
        (0..count).try_for_each(|_| self.push(0))
    }
    pub(crate) fn finish(self) -> Column {
        Column::new(Ty::I64, self.widths, self.buffer, self.count + 1)
    }
}

/// Makes sure that ints can count so many elements.
fn room(count: i64, widths: Widths, path: &Path) -> Result<(), Error> {
    if count <= widths.max_length() {
        return Ok(());
    }
    let most = widths.max_length();
    Err(Error::at(path, format!("{count} elements in all, and a sequence has at most {most}")))
}

fn rises(last: i64, next: i64, lane: usize, path: &Path) -> Result<(), Error> {
    if last <= next {
        return Ok(());
    }
    Err(Error::lane(path, lane, format!("offsets fall from {last} to {next}")))
}

fn outside(pool: Pool, end: i64) -> bool {
    pool.len.is_some_and(|len| usize::try_from(end).is_ok_and(|end| end > len))
}

/// Makes sure that offsets end inside of what they point into; they rise.
fn within(
    pool: Pool,
    end: i64,
    lane: impl FnOnce() -> Option<usize>,
    path: &Path,
) -> Result<(), Error> {
    if !outside(pool, end) {
        return Ok(());
    }
    let len = pool.len.unwrap_or(0);
    Err(Error::lane(path, lane().unwrap_or(0), format!("a list ends behind {len} elements")))
}
