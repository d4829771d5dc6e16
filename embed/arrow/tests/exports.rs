//! Arrays that are given: layouts, streams, devices; what they look like in memory, and when their
//! memory is let go.

#![expect(unsafe_code, reason = "arrays are made of pointers")]

mod made;

use arrow::abi::{DEVICE_CPU, DEVICE_CUDA, DEVICE_CUDA_HOST};
use arrow::{
    ArrowArray, ArrowDeviceArray, ArrowSchema, Export, Lists, export_device, export_stream,
    export_with, import, import_device, import_stream,
};
use made::{Made, bits, f64s, i32s, i64s};
use prim::Widths;
use std::ffi::CStr;
use std::ptr::{dangling_mut, null};
use std::sync::atomic::Ordering;
use value::print::Style;
use value::{Columns, Shape, Typed};

const VIEWS: Export = Export { lists: Lists::Views, table: false };

fn shape(rows: &Typed) -> Shape {
    Shape::of(rows.ty(), &[], &base::IdMap::default())
}
fn rows(made: &Made, widths: Widths) -> Typed {
    let (schema, array, _) = made.hand();
    // SAFETY: the array is as the interface says.
    unsafe { import(&schema, array, widths) }.unwrap().sequence().unwrap()
}
fn shown(value: &Typed) -> String {
    let style = Style::FULL.of_widths(value.columns().widths());
    String::from_utf8(value.columns().show(&shape(value), 0, style)).unwrap()
}

/// The formats of a schema, outermost first.
fn formats(schema: &ArrowSchema) -> Vec<String> {
    // SAFETY: a schema has a format and its children.
    unsafe {
        let own = CStr::from_ptr(schema.format).to_str().unwrap().to_owned();
        let children = (0..schema.n_children as usize).map(|n| &**schema.children.add(n));
        std::iter::once(own).chain(children.flat_map(formats)).collect()
    }
}

/// Asserts that an array begins at 0 and has all of its buffers but that of nulls.
fn whole(array: &ArrowArray) {
    assert_eq!((array.offset, array.null_count), (0, 0));
    // SAFETY: an array has its buffers and its children.
    unsafe {
        for n in 1..array.n_buffers as usize {
            assert!(!array.buffers.add(n).read().is_null(), "buffer {n} of {array:?}");
        }
        (0..array.n_children as usize).for_each(|n| whole(&**array.children.add(n)));
    }
}

fn list(offsets: &[i64], child: Made) -> Made {
    Made::new("+L", offsets.len() as i64 - 1, vec![i64s(offsets)]).with(vec![child])
}
fn ints(values: &[i64]) -> Made {
    Made::new("l", values.len() as i64, vec![i64s(values)])
}
fn fields(rows: i64, children: Vec<Made>) -> Made {
    Made::new("+s", rows, vec![]).with(children)
}

/// Values of several shapes, also without rows and without elements.
fn examples() -> Vec<Made> {
    let flags = |offset: usize| {
        let values: Vec<bool> = (0..19 - offset).map(|n| n % 3 == 1).collect();
        let len = values.len() as i64;
        Made::new("b", len, vec![bits(offset, &values)]).slice(offset as i64, len)
    };
    let floats = Made::new("g", 3, vec![f64s(&[0.5, -1.0, 2.0])]);
    let words = Made::new("U", 3, vec![i64s(&[0, 2, 2, 3]), b"hiu".to_vec()]);
    let mut examples = vec![
        ints(&[1, 2, 3]),
        ints(&[]),
        list(&[0, 2, 2, 3], ints(&[1, 2, 3])),
        list(&[0], ints(&[])),
        list(&[0, 0, 0], ints(&[])),
        list(&[0], list(&[0], fields(0, vec![ints(&[]), flags(0).slice(0, 0)]))),
        list(&[0, 0], list(&[0], list(&[0], ints(&[])))),
        list(&[0, 1, 3], list(&[0, 2, 2, 3], list(&[0, 1, 1, 3], ints(&[7, 8, 9])))),
        list(&[0, 1, 3], fields(3, vec![words, floats])),
        list(&[0, 0], Made::new("U", 0, vec![i64s(&[0]), vec![]])),
        Made::new("i", 3, vec![i32s(&[1, 2, 3])]),
    ];
    for offset in [0, 1, 3, 8, 9] {
        examples.push(flags(offset));
        examples.push(list(&[0, 1, 1, 9, 10], flags(offset)));
        examples.push(list(&[1, 3, 9, 10], flags(offset)).slice(1, 2));
    }
    examples
}

#[test]
fn views_come_back() {
    for made in examples() {
        for widths in [Widths::WIDE, Widths::NARROW] {
            let value = rows(&made, widths);
            let (schema, array) = export_with(&shape(&value), value.columns(), VIEWS).unwrap();
            whole(&array);
            let views = if widths == Widths::WIDE { "+vL" } else { "+vl" };
            let lists = formats(&schema).iter().filter(|format| *format == views).count();
            assert_eq!(lists, shown_lists(&value), "{made:?}");
            let length = array.length as usize;
            // SAFETY: the array is as the interface says.
            let back = unsafe { import(&schema, array, widths) }.unwrap().sequence().unwrap();
            assert_eq!(shown(&back), shown(&value), "{made:?}");
            // So do slices of it, in which bools begin within a byte.
            for from in [1, 3, 8, 9].into_iter().filter(|&from| from <= length) {
                let (schema, mut array) =
                    export_with(&shape(&value), value.columns(), VIEWS).unwrap();
                (array.offset, array.length) = (from as i64, (length - from) as i64);
                // SAFETY: the array is as the interface says.
                let back = unsafe { import(&schema, array, widths) }.unwrap();
                assert_eq!(back.columns().lanes(), length - from);
                let cut = rows(&part(&made, from), widths);
                assert_eq!(shown(&back.sequence().unwrap()), shown(&cut), "{made:?}");
            }
        }
    }
}

/// The same array from a row on.
fn part(made: &Made, from: usize) -> Made {
    made.clone().slice(made.offset + from as i64, made.length - from as i64)
}

/// How many levels of lists the rows of a value have that are no strings.
fn shown_lists(value: &Typed) -> usize {
    fn of(shape: &Shape) -> usize {
        match shape {
            Shape::Seq(element) => of(element) + usize::from(!shape.is_string()),
            Shape::Tuple(parts) => parts.iter().map(of).sum(),
            _ => 0,
        }
    }
    of(&shape(value)) - 1
}

#[test]
fn views_share_the_offsets() {
    let value = rows(&list(&[0, 2, 2, 3], ints(&[1, 2, 3])), Widths::WIDE);
    let Columns::Seq { elements, .. } = value.columns() else { panic!("{value:?}") };
    let Columns::Seq { offsets, .. } = &**elements else { panic!("{value:?}") };
    let (_, array) = export_with(&shape(&value), value.columns(), VIEWS).unwrap();
    // SAFETY: a list view has offsets and sizes.
    unsafe {
        assert_eq!(array.buffers.add(1).read().cast(), offsets.bytes.as_ptr());
        let sizes = std::slice::from_raw_parts(array.buffers.add(2).read().cast::<i64>(), 3);
        assert_eq!(sizes, [2, 0, 1]);
    }
}

#[test]
fn streams_have_one_array() {
    for made in examples() {
        let value = rows(&made, Widths::WIDE);
        let stream = export_stream(&shape(&value), value.columns(), Export::default()).unwrap();
        // SAFETY: the stream is as the interface says.
        let back = unsafe { import_stream(stream, Widths::WIDE) }.unwrap().sequence().unwrap();
        assert_eq!(shown(&back), shown(&value));
        // Tables have columns, and one column stands for itself.
        let table = Export { table: true, ..VIEWS };
        let mut stream = export_stream(&shape(&value), value.columns(), table).unwrap();
        let (get_schema, get_next) = (stream.get_schema.unwrap(), stream.get_next.unwrap());
        for _ in 0..2 {
            let mut schema = ArrowSchema::released();
            // SAFETY: the stream is as the interface says.
            assert_eq!(unsafe { get_schema(&raw mut stream, &raw mut schema) }, 0);
            assert_eq!(formats(&schema)[0], "+s");
        }
        let mut array = ArrowArray::released();
        // SAFETY: as above.
        unsafe {
            assert_eq!(get_next(&raw mut stream, &raw mut array), 0);
            whole(&array);
            assert_eq!(array.length as usize, length(&value));
            drop(array.take());
            assert_eq!(get_next(&raw mut stream, &raw mut array), 0);
            assert!(array.release.is_none());
            assert_eq!(stream.get_last_error.unwrap()(&raw mut stream), null());
        }
        let stream = export_stream(&shape(&value), value.columns(), table).unwrap();
        // SAFETY: as above.
        let back = unsafe { import_stream(stream, Widths::WIDE) }.unwrap().sequence().unwrap();
        assert_eq!(shown(&back), shown(&value));
    }
}

/// How many elements a sequence has.
fn length(value: &Typed) -> usize {
    let Columns::Seq { elements, .. } = value.columns() else { panic!("{value:?}") };
    elements.lanes()
}

#[test]
fn a_stream_keeps_memory_until_its_array_does() {
    let (schema, array, [_, count]) = ints(&[1, 2]).hand();
    // SAFETY: the array is as the interface says.
    let value = unsafe { import(&schema, array, Widths::WIDE) }.unwrap().sequence().unwrap();
    let give = || export_stream(&shape(&value), value.columns(), Export::default()).unwrap();
    let (unread, mut stream) = (give(), give());
    drop(value);
    drop(unread);
    let mut array = ArrowArray::released();
    // SAFETY: the stream is as the interface says.
    assert_eq!(unsafe { stream.get_next.unwrap()(&raw mut stream, &raw mut array) }, 0);
    assert_eq!(count.load(Ordering::SeqCst), 0);
    drop(array);
    assert_eq!(count.load(Ordering::SeqCst), 1);
    drop(stream);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn arrays_of_the_cores() {
    let value = rows(&list(&[0, 2, 2, 3], ints(&[1, 2, 3])), Widths::WIDE);
    let (schema, device) =
        export_device(&shape(&value), value.columns(), Export::default()).unwrap();
    assert_eq!((device.device_type, device.device_id), (DEVICE_CPU, -1));
    assert!(device.sync_event.is_null());
    whole(&device.array);
    // SAFETY: the array is as the interface says.
    let back = unsafe { import_device(&schema, device, Widths::WIDE, None) }.unwrap();
    assert_eq!(shown(&back.sequence().unwrap()), shown(&value));
}

#[test]
fn arrays_of_other_devices_are_refused() {
    let refused = |kind: i32, event: bool| {
        let (schema, array, [_, count]) = ints(&[1]).hand();
        let mut device = ArrowDeviceArray::on_cores(array);
        (device.device_type, device.device_id) = (kind, 1);
        if event {
            device.sync_event = dangling_mut();
        }
        // SAFETY: nothing of it is read.
        let error = unsafe { import_device(&schema, device, Widths::WIDE, None) }.unwrap_err();
        assert_eq!(count.load(Ordering::SeqCst), 1);
        (error.limit, error.to_string())
    };
    let later = "which is not taken yet: copy it to memory of the cores";
    for (kind, place) in [(DEVICE_CUDA, "a CUDA device (device 1)"), (10, "device type 10")] {
        assert_eq!(
            refused(kind, true),
            (true, format!("the array is in memory of {place}, {later}"))
        );
    }
    let message = "the array is in memory of the cores and has an event to wait for";
    for kind in [DEVICE_CPU, DEVICE_CUDA_HOST] {
        assert_eq!(refused(kind, true), (false, message.to_owned()));
    }
}
