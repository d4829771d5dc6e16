//! Streams: arrays of one type, one after the other, which are the chunks of one column.

use crate::abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use crate::error::Error;
use crate::import::import_field;
use crate::options::Options;
use crate::schema::{Field, Found, describe};
use prim::Ty;
use std::ffi::{CStr, c_int};
use types::Type;
use value::typed::{Path, zeros};
use value::{Buffer, Column, Columns, Typed};

/// The rows of all arrays of a stream, one in each lane.
///
/// One array by itself is taken as [`import`](crate::import()) takes it; more are copied together.
/// The stream, the schema that it gives, and each of its arrays are let go exactly once: the first
/// two before this returns, and arrays as those of `import` are.
///
/// # Safety
///
/// The stream is as the C stream interface says, or has been let go; so are its arrays, to whose
/// memory nobody writes before they are let go.
pub unsafe fn import_stream(
    mut stream: ArrowArrayStream,
    options: impl Into<Options>,
) -> Result<Typed, Error> {
    let (options, path) = (options.into(), Path::default());
    // SAFETY: as the caller says.
    let schema = unsafe { schema(&mut stream) }?;
    // SAFETY: as the caller says.
    let field = unsafe { Field::read(&schema, &path) }?;
    let (mut chunks, mut before) = (Vec::new(), 0);
    // SAFETY: as the caller says.
    while let Some(array) = unsafe { next(&mut stream) }? {
        // SAFETY: arrays of a stream are of its type.
        let chunk = unsafe { import_field(&field, array, options) };
        // Rows are counted from the first of all.
        let rows = chunk.map_err(|error| error.of_element(|row| row + before))?;
        before = before.saturating_add(rows.lanes());
        chunks.push(rows);
    }
    let most = options.widths.max_length();
    if i64::try_from(before).ok().is_none_or(|rows| rows > most) {
        let message = format!("{before} rows in all, and a sequence has at most {most}");
        return Err(Error::at(&path, message));
    }
    let (ty, parts) = (field.ty(), chunks.iter().collect::<Vec<_>>());
    let columns = match chunks.as_slice() {
        [] => zeros(&ty, options.widths, 0)?,
        [_] => chunks.swap_remove(0),
        _ => joined(&parts, &path)?,
    };
    // SAFETY: each chunk was checked, and offsets are moved by as much as elements are.
    Ok(unsafe { Typed::rows_unchecked(ty, columns) })
}

/// Adds the widths of the numbers of a stream's arrays to those that were found, and gives the type
/// of their rows.  No array is asked for.
///
/// # Safety
///
/// As for [`import_stream`].
pub unsafe fn describe_stream(
    stream: &mut ArrowArrayStream,
    found: &mut Found,
) -> Result<Type, Error> {
    // SAFETY: as the caller says.
    unsafe { describe(&schema(stream)?, found) }
}

/// # Safety
///
/// As for [`import_stream`].  So it is for all that is below.
unsafe fn schema(stream: &mut ArrowArrayStream) -> Result<ArrowSchema, Error> {
    let broken = |what: &str| Error::at(&Path::default(), format!("the stream {what}"));
    if stream.release.is_none() {
        return Err(broken("has been released"));
    }
    let get = stream.get_schema.ok_or_else(|| broken("has no function for its schema"))?;
    let mut schema = ArrowSchema::released();
    // SAFETY: as the caller says.
    let code = unsafe { get(stream, &raw mut schema) };
    if code != 0 {
        // A stream that fails has set nothing that would have to be let go.
        std::mem::forget(schema);
        // SAFETY: as the caller says.
        return Err(unsafe { failure(stream, code) });
    }
    Ok(schema)
}

/// The next array; none at the end.
unsafe fn next(stream: &mut ArrowArrayStream) -> Result<Option<ArrowArray>, Error> {
    let Some(get) = stream.get_next else {
        return Err(Error::at(&Path::default(), "the stream has no function for its arrays"));
    };
    let mut array = ArrowArray::released();
    // SAFETY: as the caller says.
    let code = unsafe { get(stream, &raw mut array) };
    if code != 0 {
        // As for the schema.
        std::mem::forget(array);
        // SAFETY: as the caller says.
        return Err(unsafe { failure(stream, code) });
    }
    Ok(array.release.is_some().then_some(array))
}

/// The error of a stream after one of its functions failed.
unsafe fn failure(stream: &mut ArrowArrayStream, code: c_int) -> Error {
    // SAFETY: the stream is not let go, and failed.
    let text = stream.get_last_error.map(|get| unsafe { get(stream) });
    let told = match text {
        // SAFETY: the text lives until a function of the stream is called again.
        Some(text) if !text.is_null() => unsafe { CStr::from_ptr(text) }.to_string_lossy(),
        _ => std::io::Error::from_raw_os_error(code).to_string().into(),
    };
    Error::at(&Path::default(), format!("the stream failed: {told}"))
}

/// The lanes of all chunks, one after the other; there is at least one chunk.
fn joined(chunks: &[&Columns], path: &Path) -> Result<Columns, Error> {
    match chunks[0] {
        Columns::Scalar(first) => {
            let chunks: Vec<&Column> = chunks
                .iter()
                .map(|chunk| match chunk {
                    Columns::Scalar(column) => column,
                    other => unreachable!("{other:?} beside scalars"),
                })
                .collect();
            let mut bytes = Buffer::zeroed(chunks.iter().map(|chunk| chunk.bytes().len()).sum())?;
            let mut to = bytes.as_mut_slice();
            for chunk in &chunks {
                let (here, rest) = to.split_at_mut(chunk.bytes().len());
                here.copy_from_slice(chunk.bytes());
                to = rest;
            }
            let len = chunks.iter().map(|chunk| chunk.len).sum();
            Ok(Columns::Scalar(Column::new(first.ty, first.widths, bytes, len)))
        }
        Columns::Tuple(first) => {
            let part = |n: usize| {
                let parts = chunks.iter().map(|chunk| match chunk {
                    Columns::Tuple(parts) => &parts[n],
                    other => unreachable!("{other:?} beside tuples"),
                });
                joined(&parts.collect::<Vec<_>>(), &path.part(n + 1))
            };
            Ok(Columns::Tuple((0..first.len()).map(part).collect::<Result<_, _>>()?))
        }
        Columns::Seq { .. } => {
            let parts = chunks.iter().map(|chunk| match chunk {
                Columns::Seq { offsets, elements } => (offsets, &**elements),
                other => unreachable!("{other:?} beside sequences"),
            });
            let (offsets, elements): (Vec<&Column>, Vec<&Columns>) = parts.unzip();
            let offsets = joined_offsets(&offsets, path)?;
            // The elements of a chunk end where its offsets do.
            Ok(Columns::Seq { offsets, elements: Box::new(joined(&elements, &path.element())?) })
        }
    }
}

/// The offsets of all chunks, each of which has its elements behind those of the last.
fn joined_offsets(chunks: &[&Column], path: &Path) -> Result<Column, Error> {
    let widths = chunks[0].widths;
    let (mut sum, most) = (0_i64, widths.max_length());
    let mut offsets = Vec::new();
    let count = chunks.iter().map(|chunk| chunk.len - 1).sum::<usize>() + 1;
    if offsets.try_reserve_exact(count).is_err() {
        let bytes = count.saturating_mul(widths.size(Ty::I64));
        return Err(value::OutOfMemory { bytes }.into());
    }
    offsets.push(0);
    for chunk in chunks {
        let ints = chunk.ints();
        let end = sum.saturating_add(ints[ints.len() - 1]);
        if end > most {
            let message = format!("{end} elements in all, and a sequence has at most {most}");
            return Err(Error::at(path, message));
        }
        offsets.extend(ints[1..].iter().map(|offset| offset + sum));
        sum = end;
    }
    Ok(Column::of_ints(widths, &offsets)?)
}
