//! Arrays of the crate `arrow-array` as arguments and results.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, BooleanArray, Float64Array, Int32Array, Int64Array, LargeListArray, ListArray,
    StringArray,
};
use nesl::{Engine, Error, Options, Program, Session};

const TEXT: &str = "
    function sums(rows) = {sum(row) : row in rows};
    function same(a) = a;
    function scaled(k, a) = {k * x : x in a};
    function lengths(words) = {#word : word in words};
    function at(a, i) = {a[j] : j in i};
";

fn program(engine: Engine) -> Program {
    Session::new(&Options { engine, ..Options::default() }).unwrap().compile(TEXT).unwrap()
}

fn called(
    program: &Program,
    name: &str,
    arguments: &[&dyn Array],
) -> Result<arrow_array::ArrayRef, Error> {
    program.function(name)?.call_arrow(arguments)
}

fn rows() -> LargeListArray {
    LargeListArray::from_iter_primitive::<Float64Type, _, _>([
        Some(vec![Some(1.0), Some(2.0)]),
        Some(vec![]),
        Some(vec![Some(0.5)]),
        Some(vec![Some(-1.0), Some(4.0), Some(8.0)]),
    ])
}

#[test]
fn arrays_go_in_and_come_out() {
    for engine in [Engine::Cpu, Engine::Interp] {
        let program = program(engine);
        let sums = called(&program, "sums", &[&rows()]).unwrap();
        assert_eq!(sums.as_primitive::<Float64Type>().values(), &[3.0, 0.0, 0.5, 11.0]);
        // Slices begin anywhere.
        let sums = called(&program, "sums", &[&rows().slice(2, 2)]).unwrap();
        assert_eq!(sums.as_primitive::<Float64Type>().values(), &[0.5, 11.0]);
        let narrow = ListArray::from_iter_primitive::<Int64Type, _, _>([
            Some(vec![Some(1), Some(2)]),
            Some(vec![Some(5)]),
        ]);
        let sums = called(&program, "sums", &[&narrow]).unwrap();
        assert_eq!(sums.as_primitive::<Int64Type>().values(), &[3, 5]);
        let factor = Int64Array::from(vec![3]);
        let scaled = called(&program, "scaled", &[&factor, &Int32Array::from(vec![1, -2])]);
        assert_eq!(scaled.unwrap().as_primitive::<Int64Type>().values(), &[3, -6]);
        let lengths = called(&program, "lengths", &[&StringArray::from(vec!["ab", "", "c"])]);
        assert_eq!(lengths.unwrap().as_primitive::<Int64Type>().values(), &[2, 0, 1]);
        let flags = BooleanArray::from(vec![true, false, true]);
        assert_eq!(called(&program, "same", &[&flags]).unwrap().as_boolean(), &flags);
        let none = called(&program, "sums", &[&rows().slice(1, 0)]).unwrap();
        assert_eq!((none.len(), none.data_type()), (0, Float64Array::from(vec![0.0]).data_type()));
    }
}

#[test]
fn nests_and_tuples_come_out() {
    let program = program(Engine::Cpu);
    let same = called(&program, "same", &[&rows()]).unwrap();
    let same = same.as_list::<i64>();
    assert_eq!(same.offsets().as_ref(), rows().offsets().as_ref());
    assert_eq!(
        same.values().as_primitive::<Float64Type>().values(),
        &[1.0, 2.0, 0.5, -1.0, 4.0, 8.0]
    );
}

/// Numbers are read where they are, and a result that is an argument is its memory.
#[test]
fn memory_is_shared() {
    let program = program(Engine::Cpu);
    let numbers = Int64Array::from_iter_values(0..10_000);
    let address = numbers.values().as_ptr();
    let same = called(&program, "same", &[&numbers]).unwrap();
    assert_eq!(same.as_primitive::<Int64Type>().values().as_ptr(), address);
    drop(numbers);
    // The result keeps the memory.
    assert_eq!(same.as_primitive::<Int64Type>().value(9_999), 9_999);
}

#[test]
fn errors_name_the_place() {
    let program = program(Engine::Interp);
    let message = |arguments: &[&dyn Array]| {
        let error = called(&program, "sums", arguments).unwrap_err();
        (error.code().to_owned(), error.message().to_owned(), error.lanes().to_vec())
    };
    let nulls = LargeListArray::from_iter_primitive::<Float64Type, _, _>([
        Some(vec![Some(1.0)]),
        Some(vec![Some(1.0), None]),
    ]);
    let told = message(&[&nulls]);
    assert_eq!((told.0.as_str(), told.2), ("N0601", vec![1]));
    assert_eq!(told.1, "`rows[i]` in row 1: it is null, and NESL has no nulls");
    let dates = arrow_array::Date32Array::from(vec![1]);
    assert_eq!(message(&[&dates]).1, "`rows`: NESL has no type for Arrow's date");
    let indices = Int64Array::from(vec![0, 7]);
    let outside = called(&program, "at", &[&Int64Array::from(vec![1]), &indices]).unwrap_err();
    assert_eq!((outside.code(), outside.lanes()), ("N0502", &[1][..]));
}
