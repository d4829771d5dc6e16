//! Values as the evaluators of the stations hold them, and back.

use flat::Data;
use nest::Datum;
use prim::Const;
use std::rc::Rc;
use std::sync::Arc;
use value::{SeqBuilder, Shape, Value};

/// A value of nest.
pub(super) fn to_datum(value: &Value, shape: &Shape) -> Datum {
    match (value, shape) {
        (Value::Data(fields), Shape::Data { fields: shape, .. }) => to_datum(fields, shape),
        (Value::Seq(items), Shape::Seq(element)) => {
            Datum::seq(items.iter().map(|item| to_datum(&item, element)))
        }
        (_, Shape::Tuple(shapes)) => Datum::Tuple(parts(value, shapes)),
        _ => Datum::Scalar(scalar(value)),
    }
}

fn scalar(value: &Value) -> Const {
    value.scalar().unwrap_or_else(|| unreachable!("{value:?} is no scalar"))
}

fn parts(value: &Value, shapes: &[Shape]) -> Vec<Datum> {
    match shapes {
        [] => Vec::new(),
        [last] => vec![to_datum(value, last)],
        [first, others @ ..] => {
            let (head, rest) = value.parts();
            let mut all = vec![to_datum(head, first)];
            all.extend(parts(rest, others));
            all
        }
    }
}

/// The value that nest holds like this.
pub(super) fn of_datum(datum: &Datum, shape: &Shape) -> Value {
    match (datum, shape) {
        (_, Shape::Data { fields, .. }) => Value::Data(Arc::new(of_datum(datum, fields))),
        (Datum::Scalar(c), _) => (*c).into(),
        (Datum::Seq(items), Shape::Seq(element)) => {
            sequence(items.iter().map(|item| of_datum(item, element)))
        }
        (Datum::Tuple(parts), Shape::Tuple(shapes)) => {
            pairs(parts.iter().zip(shapes).map(|(part, shape)| of_datum(part, shape)).collect())
        }
        _ => unreachable!("{datum} is no {shape}"),
    }
}

fn sequence(items: impl Iterator<Item = Value>) -> Value {
    let mut builder = SeqBuilder::with_capacity(items.size_hint().0);
    items.for_each(|item| builder.push(item));
    Value::Seq(builder.finish())
}

fn pairs(mut parts: Vec<Value>) -> Value {
    let Some(last) = parts.pop() else { unreachable!("an empty tuple") };
    parts.into_iter().rev().fold(last, |rest, first| Value::pair(first, rest))
}

/// The arguments of flat for a value of nest: a sequence is its length and its elements.
pub(super) fn to_data(datum: &Datum, shape: &Shape, out: &mut Vec<Data>) {
    match (datum, shape) {
        (_, Shape::Data { fields, .. }) => to_data(datum, fields, out),
        (Datum::Scalar(c), _) => out.push(Data::Scalar(*c)),
        (Datum::Tuple(parts), Shape::Tuple(shapes)) => {
            parts.iter().zip(shapes).for_each(|(part, shape)| to_data(part, shape, out));
        }
        (Datum::Seq(items), Shape::Seq(element)) => {
            out.push(Data::Scalar(Const::I64(items.len() as i64)));
            to_pool(&items.iter().collect::<Vec<_>>(), element, out);
        }
        _ => unreachable!("{datum} is no {shape}"),
    }
}

/// Elements of one shape in a row; inner sequences are offsets and their elements.
fn to_pool(items: &[&Datum], shape: &Shape, out: &mut Vec<Data>) {
    match shape {
        Shape::Data { fields, .. } => to_pool(items, fields, out),
        Shape::Scalar(_) => out.push(Data::vector(items.iter().map(|item| item.scalar()))),
        Shape::Tuple(shapes) => {
            for (i, shape) in shapes.iter().enumerate() {
                let column: Vec<&Datum> = items.iter().map(|item| part_of(item, i)).collect();
                to_pool(&column, shape, out);
            }
        }
        Shape::Seq(element) => {
            let mut offsets = vec![0];
            let mut all = Vec::new();
            for item in items {
                all.extend(item.items().iter());
                offsets.push(all.len() as i64);
            }
            out.push(Data::ints(offsets));
            to_pool(&all, element, out);
        }
        Shape::Function => unreachable!("a function among the values"),
    }
}

fn part_of(item: &Datum, i: usize) -> &Datum {
    match item {
        Datum::Tuple(parts) => &parts[i],
        other => unreachable!("{other} is no tuple"),
    }
}

/// The value whose components are the results of an entry of flat.
pub(super) fn of_data(components: &mut impl Iterator<Item = Data>, shape: &Shape) -> Value {
    match shape {
        Shape::Data { fields, .. } => Value::Data(Arc::new(of_data(components, fields))),
        Shape::Scalar(_) => next(components).scalar().into(),
        Shape::Tuple(shapes) => {
            pairs(shapes.iter().map(|shape| of_data(components, shape)).collect())
        }
        Shape::Seq(element) => {
            let start = next(components).scalar().int();
            let len = next(components).scalar().int();
            let pool = Pool::of(components, element);
            sequence((start..start + len).map(|i| pool.get(i)))
        }
        Shape::Function => unreachable!("a function among the results"),
    }
}

fn next(components: &mut impl Iterator<Item = Data>) -> Data {
    components.next().unwrap_or_else(|| unreachable!("as many results as the type has components"))
}

/// Elements in rows, inner sequences as starts and lengths.
enum Pool {
    Scalar(Rc<Vec<Const>>),
    Tuple(Vec<Pool>),
    Seq(Rc<Vec<Const>>, Rc<Vec<Const>>, Box<Pool>),
    Data(Box<Pool>),
}

impl Pool {
    fn of(components: &mut impl Iterator<Item = Data>, shape: &Shape) -> Pool {
        match shape {
            Shape::Data { fields, .. } => Pool::Data(Box::new(Pool::of(components, fields))),
            Shape::Scalar(_) => Pool::Scalar(Rc::clone(next(components).elements())),
            Shape::Tuple(shapes) => {
                Pool::Tuple(shapes.iter().map(|shape| Pool::of(components, shape)).collect())
            }
            Shape::Seq(element) => {
                let starts = Rc::clone(next(components).elements());
                let lengths = Rc::clone(next(components).elements());
                Pool::Seq(starts, lengths, Box::new(Pool::of(components, element)))
            }
            Shape::Function => unreachable!("a function among the results"),
        }
    }

    fn get(&self, i: i64) -> Value {
        match self {
            Pool::Scalar(elements) => elements[i as usize].into(),
            Pool::Tuple(parts) => pairs(parts.iter().map(|part| part.get(i)).collect()),
            Pool::Data(fields) => Value::Data(Arc::new(fields.get(i))),
            Pool::Seq(starts, lengths, elements) => {
                let (start, len) = (starts[i as usize].int(), lengths[i as usize].int());
                sequence((start..start + len).map(|i| elements.get(i)))
            }
        }
    }
}
