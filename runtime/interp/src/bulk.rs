//! Operations on sequences, each from its definition in LIBRARY.

use crate::failure::{Failure, int, require};
use base::Site;
use prim::{Bulk, Const, Monoid, Ty, Widths};
use std::cmp::Ordering;
use value::{Seq, SeqBuilder, Value};

/// Bytes that an operation needs for its result and on the way.
pub(crate) fn room(bulk: Bulk, operands: &[Value]) -> usize {
    let length = |i: usize| operands[i].seq().len();
    let bytes = |i: usize| length(i).saturating_mul(width(operands[i].seq()));
    let ints = |n: usize| n.saturating_mul(size_of::<i64>());
    match bulk {
        Bulk::Length | Bulk::Slice | Bulk::Reduce(_) | Bulk::Element => 0,
        Bulk::Index => ints(usize::try_from(operands[0].int()).unwrap_or(0)),
        Bulk::Which => ints(length(0)),
        Bulk::Append => bytes(0).saturating_add(bytes(1)),
        Bulk::Write => 2 * bytes(0) + bytes(2) + ints(length(0)),
        Bulk::Partition => length(1).saturating_mul(size_of::<Value>()),
        Bulk::Flatten => flat(operands, |seq| seq.len().saturating_mul(width(seq))),
        Bulk::Scan(_) => bytes(0),
        // Sources, with and without the knowledge that each is there.
        Bulk::Permute => bytes(0) + ints(3 * length(0)),
        // Keys, positions and half as many of these to merge.
        Bulk::Rank | Bulk::RankDown | Bulk::Sort => bytes(0) + ints(4 * length(0)),
    }
}

/// Elements of the result of an operation, if it has more than its operands.
pub(crate) fn length(bulk: Bulk, operands: &[Value]) -> usize {
    let length = |i: usize| operands[i].seq().len();
    match bulk {
        Bulk::Index => usize::try_from(operands[0].int()).unwrap_or(0),
        Bulk::Append => length(0) + length(1),
        Bulk::Flatten => flat(operands, Seq::len),
        _ => 0,
    }
}

/// The sum over the sequences of a sequence, which share elements and so may be long together.
fn flat(operands: &[Value], of: impl Fn(&Seq) -> usize) -> usize {
    operands[0].seq().iter().fold(0, |sum: usize, v| sum.saturating_add(of(v.seq())))
}

/// Bytes of an element.
fn width(seq: &Seq) -> usize {
    match seq {
        Seq::Ints(_) | Seq::Floats(_) => 8,
        Seq::Bools(_) | Seq::Chars(_) => 1,
        Seq::Values(_) => size_of::<Value>(),
    }
}

/// The result of an operation.
pub(crate) fn apply(widths: Widths, bulk: Bulk, operands: &[Value]) -> Result<Value, Failure> {
    let seq = |i: usize| operands[i].seq();
    Ok(match bulk {
        Bulk::Length => Value::Int(int(seq(0).len())),
        Bulk::Index => index(operands[0].int())?,
        Bulk::Element => subscript(seq(0), operands[1].int())?,
        Bulk::Slice => {
            let (start, len) = (operands[1].int(), operands[2].int());
            Value::Seq(seq(0).slice(start as usize, len as usize))
        }
        Bulk::Which => {
            let flags = seq(0).as_bools();
            let positions = flags.iter().enumerate().filter(|(_, flag)| **flag);
            Value::ints(positions.map(|(i, _)| int(i)).collect())
        }
        Bulk::Scan(monoid) => scan(widths, monoid, seq(0)),
        Bulk::Reduce(_) => unreachable!("a reduction is told its type"),
        Bulk::Flatten => flatten(seq(0)),
        Bulk::Partition => partition(seq(0), seq(1).as_ints()),
        Bulk::Append => Value::Seq(Seq::concat([seq(0), seq(1)].into_iter())),
        Bulk::Write => write(seq(0), seq(1).as_ints(), seq(2))?,
        Bulk::Permute => permute(seq(0), seq(1).as_ints())?,
        Bulk::Rank => rank(&sorted(seq(0), order)),
        Bulk::RankDown => rank(&sorted(seq(0), |a, b| order(b, a))),
        Bulk::Sort => Value::Seq(seq(0).gather(&sorted(seq(0), order))),
    })
}

fn index(n: i64) -> Result<Value, Failure> {
    require(n >= 0, Site::Length, n, 0)?;
    Ok(Value::ints((0..n).collect()))
}

fn subscript(seq: &Seq, i: i64) -> Result<Value, Failure> {
    Ok(seq.get(position(i, seq.len())?))
}

/// An index of a sequence of this length.
fn position(i: i64, len: usize) -> Result<usize, Failure> {
    match usize::try_from(i) {
        Ok(position) if position < len => Ok(position),
        _ => Err(Failure::check(Site::Index, i, int(len))),
    }
}

/// Element k is the combination of the elements before k.
fn scan(widths: Widths, monoid: Monoid, seq: &Seq) -> Value {
    let mut results = SeqBuilder::with_capacity(seq.len());
    let mut scalars = scalars(seq).peekable();
    if let Some(first) = scalars.peek() {
        let mut before = widths.identity(monoid, first.ty());
        for scalar in scalars {
            results.push(before.into());
            before = monoid.combine(widths, before, scalar);
        }
    }
    Value::Seq(results.finish())
}

/// The combination of all elements, which have this type.
pub(crate) fn reduce(widths: Widths, monoid: Monoid, seq: &Seq, element: Ty) -> Value {
    let first = widths.identity(monoid, element);
    scalars(seq).fold(first, |all, x| monoid.combine(widths, all, x)).into()
}

/// The elements of a sequence of scalars.
fn scalars(seq: &Seq) -> impl Iterator<Item = Const> {
    seq.iter().map(|v| v.scalar().unwrap_or_else(|| unreachable!("{v:?} is no scalar")))
}

fn flatten(seq: &Seq) -> Value {
    let parts: Vec<Value> = seq.iter().collect();
    Value::Seq(Seq::concat(parts.iter().map(Value::seq)))
}

/// Consecutive pieces; the lengths are not negative and add up.
fn partition(seq: &Seq, lengths: &[i64]) -> Value {
    let mut pieces = SeqBuilder::with_capacity(lengths.len());
    let mut start = 0;
    for &length in lengths {
        pieces.push(Value::Seq(seq.slice(start, length as usize)));
        start += length as usize;
    }
    Value::Seq(pieces.finish())
}

/// `seq` with element k of `values` at place `places[k]`; the last one stays.
fn write(seq: &Seq, places: &[i64], values: &Seq) -> Result<Value, Failure> {
    // Where each element of the result stands in `seq ++ values`.
    let mut sources: Vec<usize> = (0..seq.len()).collect();
    for (k, &place) in places.iter().enumerate() {
        sources[position(place, seq.len())?] = seq.len() + k;
    }
    let all = Seq::concat([seq, values].into_iter());
    Ok(Value::Seq(all.gather(&sources)))
}

/// Element k goes to place `places[k]`.
fn permute(seq: &Seq, places: &[i64]) -> Result<Value, Failure> {
    let len = seq.len();
    let mut sources: Vec<Option<usize>> = vec![None; len];
    for (k, &place) in places.iter().enumerate() {
        let target = usize::try_from(place).ok().and_then(|place| sources.get_mut(place));
        match target {
            Some(source @ None) => *source = Some(k),
            _ => return Err(Failure::check(Site::Permute, place, int(len))),
        }
    }
    // Distinct places inside the sequence are a permutation if there are enough of them.
    let sources: Option<Vec<usize>> = sources.into_iter().collect();
    match sources {
        Some(sources) => Ok(Value::Seq(seq.gather(&sources))),
        None => Err(Failure::check(Site::Permute, int(places.len()), int(len))),
    }
}

/// Ascending; a nan is larger than every other float, and `-0.0` equals `0.0`.
fn order(a: Const, b: Const) -> Ordering {
    match (a, b) {
        (Const::I64(a), Const::I64(b)) => a.cmp(&b),
        (Const::Char(a), Const::Char(b)) => a.cmp(&b),
        (Const::Bool(a), Const::Bool(b)) => a.cmp(&b),
        (Const::F64(a), Const::F64(b)) => {
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        _ => unreachable!("{a} and {b} in one sequence"),
    }
}

/// The positions of the elements in sorted order; equal elements keep theirs.
fn sorted(seq: &Seq, order: impl Fn(Const, Const) -> Ordering) -> Vec<usize> {
    let keys: Vec<Const> = scalars(seq).collect();
    let mut positions: Vec<usize> = (0..keys.len()).collect();
    positions.sort_by(|&a, &b| order(keys[a], keys[b]));
    positions
}

/// For each element its place in a sorted order.
fn rank(sorted: &[usize]) -> Value {
    let mut ranks = vec![0; sorted.len()];
    for (rank, &position) in sorted.iter().enumerate() {
        ranks[position] = int(rank);
    }
    Value::ints(ranks)
}
