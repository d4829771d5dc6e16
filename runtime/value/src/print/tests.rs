//! What values look like, in both forms.

use super::*;
use crate::value::{Seq, SeqBuilder};
use std::sync::Arc;

const INT: Shape = Shape::Scalar(Ty::I64);
const FLOAT: Shape = Shape::Scalar(Ty::F64);
const CHAR: Shape = Shape::Scalar(Ty::Char);

fn seq(element: Shape) -> Shape {
    Shape::Seq(Box::new(element))
}

fn values(items: Vec<Value>) -> Value {
    Value::Seq(Seq::Values(items.into()))
}

/// Prints a value in both forms, and again after the way to columns and back.
fn check(value: &Value, shape: &Shape, style: Style, expected: &str) {
    let columns = Columns::of(shape, Widths::WIDE, [value]).unwrap();
    let back = columns.value(shape, 0);
    for text in [value.show(shape, style), columns.show(shape, 0, style), back.show(shape, style)] {
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }
}

fn full(value: &Value, shape: &Shape, expected: &str) {
    check(value, shape, Style::FULL, expected);
}

#[test]
fn floats() {
    for (x, text) in [
        (1.0, "1.0"),
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (1e-5, "0.00001"),
        (9.5e-6, "9.5e-6"),
        (1e15, "1000000000000000.0"),
        (9_999_999_999_999_998.0, "9999999999999998.0"),
        (1e16, "1.0e+16"),
        (-1.25e300, "-1.25e+300"),
        (5e-324, "5.0e-324"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
    ] {
        full(&Value::Float(x), &FLOAT, text);
    }
}

#[test]
fn scalars_and_strings() {
    full(&Value::Int(i64::MIN), &INT, "-9223372036854775808");
    check(&Value::Int(i64::MIN), &INT, Style::SOURCE, "min_int");
    check(&Value::Float(f64::NEG_INFINITY), &FLOAT, Style::SOURCE, "-infinity");
    full(&Value::Bool(true), &Shape::Scalar(Ty::Bool), "T");
    full(&Value::Char(b'a'), &CHAR, "`a");
    full(&Value::Char(b'"'), &CHAR, "`\"");
    full(&Value::Char(b'\\'), &CHAR, "`\\\\");
    full(&Value::string("a\"\n\t\r\0\\"), &seq(CHAR), "\"a\\\"\\n\\t\\r\\0\\\\\"");
    full(&Value::string(""), &seq(CHAR), "\"\"");
    full(&values(vec![]), &seq(CHAR), "\"\"");
    assert_eq!(Value::string("a\n").text(&seq(CHAR), Widths::WIDE), b"a\n");
    assert_eq!(Value::Char(b'\n').text(&CHAR, Widths::WIDE), b"\n");
    let columns =
        Columns::of(&seq(CHAR), Widths::WIDE, [&Value::string("a"), &Value::string("b\n")])
            .unwrap();
    assert_eq!(columns.text(&seq(CHAR), 1), b"b\n");
    let strings = values(vec![Value::string("hi")]);
    assert_eq!(strings.text(&seq(seq(CHAR)), Widths::WIDE), b"[\"hi\"]");
}

#[test]
fn tuples_and_datatypes() {
    let pair = Value::pair(Value::Int(1), Value::Int(2));
    let shape = Shape::pair(INT, INT);
    full(&pair, &shape, "(1, 2)");
    let nested = Value::pair(pair.clone(), Value::pair(Value::Int(3), Value::Float(4.0)));
    let nested_shape = Shape::pair(shape.clone(), Shape::pair(INT, FLOAT));
    full(&nested, &nested_shape, "((1, 2), 3, 4.0)");
    let point = Value::Data(Arc::new(pair));
    let point_shape = Shape::Data { name: "point".into(), fields: Box::new(shape) };
    full(&point, &point_shape, "point(1, 2)");
    let wrap = Shape::Data { name: "wrap".into(), fields: Box::new(seq(point_shape)) };
    full(&Value::Data(Arc::new(values(vec![point]))), &wrap, "wrap([point(1, 2)])");
    let function = Value::Function(Arc::new(()));
    assert_eq!(function.show(&Shape::Function, Style::FULL), b"fn");
}

#[test]
fn sequences_are_cut_at_any_depth() {
    let rows = values(vec![Value::ints(vec![1, 2, 3]), Value::ints(vec![]), Value::ints(vec![4])]);
    let shape = seq(seq(INT));
    full(&rows, &shape, "[[1, 2, 3], [], [4]]");
    check(&rows, &shape, Style::shown(2), "[[1, 2,...], [],...]");
    check(&Value::string("long"), &seq(CHAR), Style::shown(2), "\"long\"");
    check(&Value::ints(vec![1]), &seq(INT), Style::shown(0), "[...]");
    check(&Value::ints(Vec::new()), &seq(INT), Style::shown(0), "[]");
}

#[test]
fn slices_are_views() {
    let mut builder = SeqBuilder::with_capacity(5);
    (0..5).for_each(|i| builder.push(Value::Int(i)));
    let whole = builder.finish();
    let slice = Value::Seq(whole.slice(1, 3).slice(1, 2));
    full(&slice, &seq(INT), "[2, 3]");
    assert_eq!(slice, Value::ints(vec![2, 3]));
}

#[test]
fn tuples_in_sequences() {
    let item = |i: i64| Value::pair(Value::Int(i), Value::Float(i as f64 / 2.0));
    let rows = values(vec![values(vec![item(1), item(2)]), values(vec![]), values(vec![item(3)])]);
    let shape = seq(seq(Shape::pair(INT, FLOAT)));
    full(&rows, &shape, "[[(1, 0.5), (2, 1.0)], [], [(3, 1.5)]]");
    assert_eq!(rows.size(), 1 + (1 + 4) + 1 + (1 + 2));
}
