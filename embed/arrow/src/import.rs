//! Arrays as values.

use crate::abi::{
    ArrowArray, ArrowDeviceArray, ArrowSchema, DEVICE_CPU, DEVICE_CUDA, DEVICE_CUDA_HOST,
    DEVICE_CUDA_MANAGED,
};
use crate::error::Error;
use crate::layout::Layout;
use crate::lists::{self, Pool, list_of};
use crate::options::Options;
use crate::picks::Picks;
use crate::raw::{Imported, Raw};
use crate::schema::Field;
use crate::{scalars, text};
use std::sync::Arc;
use value::typed::Path;
use value::{Column, Columns, Typed};

/// The rows of an array, one in each lane.  Widths by themselves are options enough.
///
/// The array is let go exactly once: when the last column that refers to its memory is dropped, or
/// before this returns if there is none.  The schema stays the caller's.
///
/// # Safety
///
/// The schema and the array are as the C data interface says, the schema is that of the array, and
/// nobody writes to the array's memory before it is let go.
pub unsafe fn import(
    schema: &ArrowSchema,
    array: ArrowArray,
    options: impl Into<Options>,
) -> Result<Typed, Error> {
    let array = Arc::new(Imported(array));
    // SAFETY: as the caller says.
    let field = unsafe { Field::read(schema, &Path::default()) }?;
    // SAFETY: as the caller says.
    let columns = unsafe { import_owned(&field, &array, options.into()) }?;
    // SAFETY: offsets and bools were checked when they were taken, or made.
    Ok(unsafe { Typed::rows_unchecked(field.ty(), columns) })
}

/// The rows of an array that tells where its memory is.
///
/// Memory of the cores is taken as [`import`](crate::import()) takes it.  Columns have no memory of
/// other devices yet, and so it is refused: as a [limit](Error::limit), because the array may be
/// right.
///
/// # Safety
///
/// As for [`import`].
pub unsafe fn import_device(
    schema: &ArrowSchema,
    mut array: ArrowDeviceArray,
    options: impl Into<Options>,
) -> Result<Typed, Error> {
    let place = match array.device_type {
        DEVICE_CPU if array.sync_event.is_null() => {
            // SAFETY: as the caller says.
            return unsafe { import(schema, array.array.take(), options) };
        }
        DEVICE_CPU => {
            let message = "the array is in memory of the cores and has an event to wait for";
            return Err(Error::at(&Path::default(), message));
        }
        DEVICE_CUDA => "a CUDA device",
        DEVICE_CUDA_HOST => "the host that CUDA pinned",
        DEVICE_CUDA_MANAGED => "CUDA that moves",
        kind => return Err(Error::limit(&format!("the array is in memory of device type {kind}"))),
    };
    let device = array.device_id;
    Err(Error::limit(&format!("the array is in memory of {place} (device {device})")))
}

/// The rows of an array whose schema was read.
///
/// # Safety
///
/// As for [`import`].
pub(crate) unsafe fn import_field(
    field: &Field,
    array: ArrowArray,
    options: Options,
) -> Result<Columns, Error> {
    // SAFETY: as the caller says.
    unsafe { import_owned(field, &Arc::new(Imported(array)), options) }
}

unsafe fn import_owned(
    field: &Field,
    array: &Arc<Imported>,
    options: Options,
) -> Result<Columns, Error> {
    let path = Path::default();
    // SAFETY: as the caller says.
    let raw = unsafe { Raw::root(field, array, &path) }?;
    taken(&raw, &Picks::run(0, raw.length), options, &path)
}

/// These rows of an array, all of which it has.
fn taken(raw: &Raw<'_>, picks: &Picks, options: Options, path: &Path) -> Result<Columns, Error> {
    let picks = &*raw.whole(picks, options.nulls, path)?;
    let (widths, fill) = (options.widths, options.fill());
    if let Some(values) = raw.dictionary(path)? {
        let chosen = scalars::indices(raw, picks, values.length, path)?;
        return taken(&values, &chosen, options, path);
    }
    match raw.field.layout {
        Layout::Bool => scalars::bools(raw, picks, (widths, fill.bool), path).map(Columns::Scalar),
        Layout::ByteBool => {
            scalars::byte_bools(raw, picks, (widths, fill.bool), path).map(Columns::Scalar)
        }
        Layout::Int(kind) => {
            scalars::ints(raw, kind, picks, (widths, fill.int), path).map(Columns::Scalar)
        }
        Layout::Float(size) => {
            scalars::floats(raw, size, picks, (widths, fill.float), path).map(Columns::Scalar)
        }
        Layout::Bytes(width, meaning) => text::between(raw, (width, meaning), picks, widths, path),
        Layout::ByteViews(meaning) => text::views(raw, meaning, picks, widths, path),
        Layout::FixedBytes(size) => text::fixed(raw, size, picks, widths, path),
        Layout::Struct => fields(raw, picks, options, path),
        Layout::List(width) => {
            let child = raw.child(0, &path.element())?;
            let pool = Pool { len: Some(child.length) };
            let (offsets, elements) = lists::between(raw, width, pool, picks, widths, path)?;
            sequences(offsets, &child, &elements, options, path)
        }
        Layout::ListView(width) => {
            let child = raw.child(0, &path.element())?;
            let (offsets, elements) = lists::views(raw, width, child.length, picks, widths, path)?;
            sequences(offsets, &child, &elements, options, path)
        }
        Layout::FixedList(size) => {
            let child = raw.child(0, &path.element())?;
            let needed = (raw.offset + raw.length).checked_mul(size);
            if raw.length > 0 && needed.is_none_or(|needed| needed > child.length) {
                let rows = raw.offset + raw.length;
                let message =
                    format!("{rows} lists of {size} elements, of which there are {}", child.length);
                return Err(Error::at(path, message));
            }
            let offsets = lists::regular(picks, size, widths, path)?;
            sequences(offsets, &child, &picks.elements(raw.offset, size), options, path)
        }
    }
}

/// Sequences of these elements.
fn sequences(
    offsets: Column,
    child: &Raw<'_>,
    elements: &Picks,
    options: Options,
    path: &Path,
) -> Result<Columns, Error> {
    let elements = taken(child, elements, options, &path.element())
        .map_err(|error| error.of_element(|element| list_of(&offsets, element)))?;
    Ok(Columns::Seq { offsets, elements: Box::new(elements) })
}

/// The fields of a struct as a tuple.
fn fields(raw: &Raw<'_>, picks: &Picks, options: Options, path: &Path) -> Result<Columns, Error> {
    let count = raw.field.children.len();
    // A slice of a struct is a slice of each field.
    let picks = picks.behind(raw.offset);
    let mut parts = Vec::new();
    for n in 0..count {
        let path = if count == 1 { path.clone() } else { path.part(n + 1) };
        let child = raw.child(n, &path)?;
        if child.length < raw.offset + raw.length {
            let (rows, needed) = (child.length, raw.offset + raw.length);
            return Err(Error::at(&path, format!("{rows} rows where {needed} are needed")));
        }
        let part = taken(&child, &picks, options, &path)?;
        match part {
            // Tuples are flat to the right, as types are.
            Columns::Tuple(more) if n + 1 == count => parts.extend(more),
            part => parts.push(part),
        }
    }
    if count == 1
        && let Some(only) = parts.pop()
    {
        if parts.is_empty() {
            return Ok(only);
        }
        parts.push(only);
    }
    Ok(Columns::Tuple(parts))
}
