//! Values of nest as arguments of flat functions, and results of flat functions as values of nest.
//!
//! An argument that is a sequence is its length and its elements, inner sequences are offsets and
//! elements.  A result is start and length in a pool, at every level.

use flat::Data;
use nest::{Datum, Type};
use prim::Const;
use std::rc::Rc;

/// Appends the arguments that stand for a value.
pub(crate) fn to_arguments(datum: &Datum, ty: &Type, out: &mut Vec<Data>) {
    match ty {
        Type::Scalar(_) => out.push(Data::Scalar(datum.scalar())),
        Type::Tuple(types) => {
            for (part, ty) in parts(datum).iter().zip(types) {
                to_arguments(part, ty, out);
            }
        }
        Type::Seq(element) => {
            out.push(Data::Scalar(Const::I64(datum.items().len() as i64)));
            to_elements(datum.items(), element, out);
        }
    }
}

fn to_elements(items: &[Datum], ty: &Type, out: &mut Vec<Data>) {
    match ty {
        Type::Scalar(_) => out.push(Data::vector(items.iter().map(Datum::scalar))),
        Type::Tuple(types) => {
            for (k, ty) in types.iter().enumerate() {
                let column: Vec<Datum> = items.iter().map(|i| parts(i)[k].clone()).collect();
                to_elements(&column, ty, out);
            }
        }
        Type::Seq(element) => {
            let mut offsets = vec![0];
            let mut end = 0;
            for item in items {
                end += item.items().len() as i64;
                offsets.push(end);
            }
            out.push(Data::ints(offsets));
            let all: Vec<Datum> = items.iter().flat_map(|i| i.items().iter().cloned()).collect();
            to_elements(&all, element, out);
        }
    }
}

fn parts(datum: &Datum) -> &[Datum] {
    match datum {
        Datum::Tuple(parts) => parts,
        _ => panic!("{datum} is no tuple"),
    }
}

/// Takes the results that stand for a value of this type.
pub(crate) fn from_results(ty: &Type, results: &mut &[Data]) -> Datum {
    match ty {
        Type::Scalar(_) => Datum::Scalar(next(results).scalar()),
        Type::Tuple(types) => {
            Datum::Tuple(types.iter().map(|t| from_results(t, results)).collect())
        }
        Type::Seq(element) => {
            let start = next(results).scalar().int();
            let len = next(results).scalar().int();
            let pool = Pool::take(element, results);
            Datum::seq((start..start + len).map(|i| pool.get(i)))
        }
    }
}

fn next<'a>(results: &mut &'a [Data]) -> &'a Data {
    let (first, rest) = results.split_first().unwrap();
    *results = rest;
    first
}

/// The elements that views of a result lie in.
enum Pool {
    Scalar(Rc<Vec<Const>>),
    Tuple(Vec<Pool>),
    /// Starts, lengths, and the pool behind them.
    Seq(Rc<Vec<Const>>, Rc<Vec<Const>>, Box<Pool>),
}

impl Pool {
    fn take(ty: &Type, results: &mut &[Data]) -> Pool {
        match ty {
            Type::Scalar(_) => Pool::Scalar(next(results).elements().clone()),
            Type::Tuple(types) => {
                Pool::Tuple(types.iter().map(|t| Pool::take(t, results)).collect())
            }
            Type::Seq(element) => {
                let starts = next(results).elements().clone();
                let lens = next(results).elements().clone();
                Pool::Seq(starts, lens, Box::new(Pool::take(element, results)))
            }
        }
    }
    fn get(&self, i: i64) -> Datum {
        match self {
            Pool::Scalar(elements) => Datum::Scalar(elements[i as usize]),
            Pool::Tuple(parts) => Datum::Tuple(parts.iter().map(|p| p.get(i)).collect()),
            Pool::Seq(starts, lens, pool) => {
                let (start, len) = (starts[i as usize].int(), lens[i as usize].int());
                Datum::seq((start..start + len).map(|i| pool.get(i)))
            }
        }
    }
}
