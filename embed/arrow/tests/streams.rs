//! Streams: their chunks as one column, what is wrong with wrong ones, and everything released
//! exactly once.

#![expect(unsafe_code, reason = "streams are made of pointers")]

mod made;

use arrow::{ArrowArray, ArrowArrayStream, ArrowSchema, Fill, Nulls, Options, import_stream};
use made::{Made, bits, f64s, i32s, i64s};
use prim::Widths;
use std::ffi::{CString, c_char, c_int};
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use value::print::Style;
use value::{Columns, Shape, Typed};

/// A stream before it is handed over.
struct Chunks {
    schema: Made,
    arrays: Vec<Made>,
    /// Says which call fails, the schema being the first, and how it is told.
    fails: Option<(usize, Option<&'static str>)>,
}

#[derive(Default)]
struct Counts {
    stream: AtomicUsize,
    schema: Arc<AtomicUsize>,
    arrays: Vec<Arc<AtomicUsize>>,
}

struct Kept {
    chunks: Chunks,
    calls: usize,
    counts: Arc<std::sync::Mutex<Counts>>,
    message: CString,
}

/// Hands a stream over.
fn hand(chunks: Chunks) -> (ArrowArrayStream, Arc<std::sync::Mutex<Counts>>) {
    let counts = Arc::new(std::sync::Mutex::new(Counts::default()));
    let message = chunks.fails.and_then(|(_, text)| text).unwrap_or_default();
    let message = CString::new(message).unwrap();
    let kept = Kept { chunks, calls: 0, counts: Arc::clone(&counts), message };
    let mut stream = ArrowArrayStream::released();
    stream.get_schema = Some(get_schema);
    stream.get_next = Some(get_next);
    stream.get_last_error = Some(get_last_error);
    stream.release = Some(release);
    stream.private_data = Box::into_raw(Box::new(kept)).cast();
    (stream, counts)
}

/// The data kept by a stream, and the number of this call; none if the call is to fail.
unsafe fn called<'a>(stream: *mut ArrowArrayStream) -> Option<(&'a mut Kept, usize)> {
    // SAFETY: made by `hand`, and not let go.
    let kept = unsafe { &mut *(*stream).private_data.cast::<Kept>() };
    let call = kept.calls;
    kept.calls += 1;
    (kept.chunks.fails.map(|(call, _)| call) != Some(call)).then_some((kept, call))
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: as the interface says.
    unsafe {
        let Some((kept, _)) = called(stream) else { return 5 };
        let (schema, array, [count, _]) = kept.chunks.schema.hand();
        drop(array);
        kept.counts.lock().unwrap().schema = count;
        out.write(schema);
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as the interface says.
    unsafe {
        let Some((kept, call)) = called(stream) else { return 5 };
        let Some(made) = kept.chunks.arrays.get(call - 1) else {
            out.write(ArrowArray::released());
            return 0;
        };
        let (_, array, [_, count]) = made.hand();
        kept.counts.lock().unwrap().arrays.push(count);
        out.write(array);
    }
    0
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: made by `hand`, and not let go.
    let kept = unsafe { &*(*stream).private_data.cast::<Kept>() };
    match kept.chunks.fails {
        Some((_, Some(_))) => kept.message.as_ptr(),
        _ => null(),
    }
}

unsafe extern "C" fn release(stream: *mut ArrowArrayStream) {
    // SAFETY: made by `hand`, and let go once.
    unsafe {
        (*stream).release = None;
        let kept = Box::from_raw((*stream).private_data.cast::<Kept>());
        kept.counts.lock().unwrap().stream.fetch_add(1, Ordering::SeqCst);
    }
}

fn shown(rows: &Typed) -> String {
    let value = rows.sequence().unwrap();
    let shape = Shape::of(value.ty(), &[], &base::IdMap::default());
    let text = value.columns().show(&shape, 0, Style::FULL);
    format!("{} : {shape}", String::from_utf8_lossy(&text))
}

/// The rows of a stream as text, or the error; all is released by then.
fn taken(chunks: Chunks, options: Options, of_schema: usize, of_arrays: usize) -> String {
    let (stream, counts) = hand(chunks);
    // SAFETY: the stream is as the interface says, or wrong in a way that is to be found.
    let text = match unsafe { import_stream(stream, options) } {
        Ok(rows) => {
            assert!(Typed::rows(rows.ty().clone(), rows.columns().clone()).is_ok());
            shown(&rows)
        }
        Err(error) => error.to_string(),
    };
    let counts = counts.lock().unwrap();
    assert_eq!(counts.stream.load(Ordering::SeqCst), 1);
    assert_eq!(counts.schema.load(Ordering::SeqCst), of_schema);
    let released: Vec<usize> =
        counts.arrays.iter().map(|count| count.load(Ordering::SeqCst)).collect();
    assert_eq!(released, vec![1; of_arrays]);
    text
}

#[track_caller]
fn check(arrays: &[Made], expected: &str) {
    let (schema, arrays) = (arrays[0].clone(), arrays.to_vec());
    let count = arrays.len();
    let chunks = Chunks { schema, arrays, fails: None };
    assert_eq!(taken(chunks, Widths::WIDE.into(), 1, count), expected);
}

fn ints(values: &[i64]) -> Made {
    Made::new("l", values.len() as i64, vec![i64s(values)])
}
fn large(offsets: &[i64], child: Made) -> Made {
    Made::new("+L", offsets.len() as i64 - 1, vec![i64s(offsets)]).with(vec![child])
}
fn pairs(a: Made, b: Made) -> Made {
    Made::new("+s", a.length, vec![]).with(vec![a, b])
}

#[test]
fn chunks_are_one_column() {
    check(&[ints(&[1, 2])], "[1, 2] : [int]");
    check(&[ints(&[1, 2]), ints(&[]), ints(&[3])], "[1, 2, 3] : [int]");
    let narrow = |n| Made::new("i", 2, vec![i32s(&[n, n + 1])]);
    check(&[narrow(1), narrow(3).slice(1, 1)], "[1, 2, 4] : [int]");
    let float = |x| Made::new("g", 1, vec![f64s(&[x])]);
    check(&[float(0.5), float(-1.0)], "[0.5, -1.0] : [float]");
    let lists = [large(&[0, 2], ints(&[1, 2])), large(&[1, 2, 3], ints(&[9, 3, 4]))];
    check(&lists, "[[1, 2], [3], [4]] : [[int]]");
    // Elements behind the last list of a chunk are in no list.
    let lists = [large(&[0, 1, 1], ints(&[1, 2, 9])), large(&[0, 2], ints(&[3, 4]))];
    check(&lists, "[[1], [], [3, 4]] : [[int]]");
    let deep = |n| large(&[0, 0, 2], large(&[0, 1, 2], ints(&[n, n + 1])));
    check(&[deep(1), deep(3)], "[[], [[1], [2]], [], [[3], [4]]] : [[[int]]]");
    let words = |bits_of: &[bool]| Made::new("b", 2, vec![bits(0, bits_of)]);
    let rows = |n, bools: &[bool]| pairs(large(&[0, 0, 1], ints(&[n])), words(bools));
    check(
        &[rows(1, &[true, false]), rows(2, &[false, true]).slice(1, 1)],
        "[([], T), ([1], F), ([2], T)] : [([int], bool)]",
    );
}

#[test]
fn no_chunks() {
    for (schema, expected) in [
        (ints(&[]), "[] : [int]"),
        (large(&[0], pairs(ints(&[]), ints(&[]))), "[] : [[(int, int)]]"),
    ] {
        let chunks = Chunks { schema, arrays: Vec::new(), fails: None };
        assert_eq!(taken(chunks, Widths::WIDE.into(), 1, 0), expected);
    }
}

#[test]
fn one_chunk_is_not_copied() {
    let chunks = Chunks { schema: ints(&[]), arrays: vec![ints(&[1, 2])], fails: None };
    let (stream, counts) = hand(chunks);
    // SAFETY: the stream is as the interface says.
    let rows = unsafe { import_stream(stream, Widths::WIDE) }.unwrap();
    let Columns::Scalar(column) = rows.columns() else { panic!("{rows:?}") };
    assert!(column.bytes.is_foreign());
    let count = Arc::clone(&counts.lock().unwrap().arrays[0]);
    assert_eq!(counts.lock().unwrap().stream.load(Ordering::SeqCst), 1);
    assert_eq!(count.load(Ordering::SeqCst), 0);
    drop(rows);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn streams_that_fail() {
    let of = |call, text| Chunks {
        schema: ints(&[]),
        arrays: vec![ints(&[1]), ints(&[2])],
        fails: Some((call, text)),
    };
    let check = |call, text, of_schema, of_arrays, expected: &str| {
        let found = taken(of(call, text), Widths::WIDE.into(), of_schema, of_arrays);
        assert_eq!(found, format!("the stream failed: {expected}"));
    };
    check(0, Some("no schema"), 0, 0, "no schema");
    check(1, Some("the disk is on fire"), 1, 0, "the disk is on fire");
    check(2, Some("lost"), 1, 1, "lost");
    check(3, Some("lost"), 1, 2, "lost");
    check(2, None, 1, 1, &std::io::Error::from_raw_os_error(5).to_string());
}

#[test]
fn rows_are_counted_from_the_first_chunk() {
    let mut null = ints(&[7, 8, 9]);
    (null.buffers[0], null.null_count) = (Some(bits(0, &[true, false, true])), 1);
    let arrays = vec![ints(&[1, 2]), null, ints(&[3])];
    let chunks =
        |arrays: &[Made]| Chunks { schema: ints(&[]), arrays: arrays.to_vec(), fails: None };
    assert_eq!(
        taken(chunks(&arrays), Widths::WIDE.into(), 1, 2),
        "row 3: it is null, and NESL has no nulls"
    );
    let fill = Nulls::Fill(Fill { int: -1, ..Fill::default() });
    let options = Options { widths: Widths::WIDE, nulls: fill };
    assert_eq!(taken(chunks(&arrays), options, 1, 3), "[1, 2, 7, -1, 9, 3] : [int]");
}

#[test]
fn streams_that_are_wrong() {
    // SAFETY: it has been released, which is to be found.
    let error = unsafe { import_stream(ArrowArrayStream::released(), Widths::WIDE) };
    assert_eq!(error.unwrap_err().to_string(), "the stream has been released");
    let chunks = Chunks { schema: ints(&[]), arrays: vec![], fails: None };
    let (mut stream, counts) = hand(chunks);
    stream.get_next = None;
    // SAFETY: it lacks a function, which is to be found.
    let error = unsafe { import_stream(stream, Widths::WIDE) }.unwrap_err();
    assert_eq!(error.to_string(), "the stream has no function for its arrays");
    assert_eq!(counts.lock().unwrap().stream.load(Ordering::SeqCst), 1);
    let falling = large(&[0, 2, 1], ints(&[1, 2]));
    let chunks = Chunks {
        schema: falling.clone(),
        arrays: vec![large(&[0, 1, 2], ints(&[1, 2])), falling],
        fails: None,
    };
    let error = taken(chunks, Widths::WIDE.into(), 1, 2);
    assert_eq!(error, "row 3: offsets fall from 2 to 1");
    let map = Chunks { schema: Made::new("+m", 0, vec![]), arrays: vec![], fails: None };
    assert_eq!(taken(map, Widths::WIDE.into(), 1, 0), "NESL has no type for Arrow's map");
}
