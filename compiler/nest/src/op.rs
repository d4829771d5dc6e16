//! Operations of the evaluator that need no blocks and no calls.

use crate::eval::{Datum, Fault, Frame};
use crate::ir::{Op, SortKind, Stmt, Value};
use base::Site;
use prim::{Const, Monoid, Ty, Widths};
use std::cmp::Ordering;
use std::rc::Rc;

/// The longest sequence that is made of nothing but a number; an item takes some dozen bytes.
const MAX_LENGTH: i64 = 1 << 28;

/// Runs an operation; gives its value.
pub(crate) fn run(frame: &Frame<'_>, stmt: &Stmt) -> Result<Datum, Fault> {
    let get = |v: &Value| frame.get(*v);
    let items = |v: &Value| frame.get(*v).items();
    let fault = |site, args| Fault::new(site, stmt.span, args);
    Ok(match &stmt.op {
        Op::Const(c) => Datum::Scalar(*c),
        Op::Literal(_, consts) => Datum::seq(consts.iter().map(|&c| Datum::Scalar(c))),
        Op::Copy(v) => get(v).clone(),
        Op::Scalar(op, args) => {
            let args: Vec<Const> = args.iter().map(|a| get(a).scalar()).collect();
            let failed = |f: prim::Fault| fault(f.0, ints(&args));
            Datum::Scalar(prim::eval(frame.widths, *op, &args).map_err(failed)?)
        }
        Op::Require(site, [cond, a, b]) => {
            if !get(cond).scalar().bool() {
                return Err(fault(*site, [get(a).scalar().int(), get(b).scalar().int()]));
            }
            Datum::Scalar(Const::Bool(true))
        }
        Op::Fail(message) => {
            let message = Some(get(message).chars());
            return Err(Fault { message, ..fault(Site::User, [0, 0]) });
        }
        Op::Tuple(parts) => Datum::Tuple(parts.iter().map(|p| get(p).clone()).collect()),
        Op::Field(v, n) => match get(v) {
            Datum::Tuple(parts) => parts[*n].clone(),
            Datum::Scalar(_) | Datum::Seq(_) => frame.bug(stmt, "a field of no tuple"),
        },
        Op::Seq(values) => Datum::seq(values.iter().map(|v| get(v).clone())),
        Op::Length(v) => Datum::int(items(v).len() as i64),
        Op::Index(n) => match get(n).scalar().int() {
            n if n < 0 => return Err(fault(Site::Length, [n, 0])),
            n if n > MAX_LENGTH => return Err(fault(Site::Memory, [n, 0])),
            n => Datum::ints(0..n),
        },
        Op::Element(v, i) => {
            let (items, i) = (items(v), get(i).scalar().int());
            let item = usize::try_from(i).ok().and_then(|i| items.get(i));
            item.ok_or_else(|| fault(Site::Index, [i, items.len() as i64]))?.clone()
        }
        Op::Slice { seq, start, count } => {
            let [start, count] = [start, count].map(|v| get(v).scalar().int());
            slice(items(seq), start, count).unwrap_or_else(|| frame.bug(stmt, "a slice outside"))
        }
        Op::Which(v) => {
            let flags = items(v).iter().enumerate();
            Datum::ints(flags.filter(|(_, f)| f.scalar().bool()).map(|(i, _)| i as i64))
        }
        Op::Reduce(monoid, v) => {
            let ty = frame.function.values[stmt.value].ty.scalar();
            Datum::Scalar(fold(frame.widths, *monoid, ty, items(v), |_| ()))
        }
        Op::Scan(monoid, v) => {
            let ty = frame.function.values[stmt.value].ty.element().scalar();
            let mut prefixes = Vec::new();
            fold(frame.widths, *monoid, ty, items(v), |c| prefixes.push(Datum::Scalar(c)));
            Datum::seq(prefixes)
        }
        Op::Flatten(v) => Datum::seq(items(v).iter().flat_map(|p| p.items().iter().cloned())),
        Op::Partition(v, lengths) => partition(items(v), items(lengths))
            .unwrap_or_else(|| frame.bug(stmt, "lengths that do not fit")),
        Op::Append(a, b) => Datum::seq(items(a).iter().chain(items(b).iter()).cloned()),
        Op::Write { into, positions, values } => {
            if items(positions).len() != items(values).len() {
                frame.bug(stmt, "positions and values of different length");
            }
            write(items(into), items(positions), items(values))
                .map_err(|args| fault(Site::Index, args))?
        }
        Op::Permute(v, positions) => {
            permute(items(v), items(positions)).map_err(|args| fault(Site::Permute, args))?
        }
        Op::Sort(kind, v) => sort(*kind, items(v)),
        Op::Each(_) | Op::If(..) | Op::Call(..) => unreachable!("run by the machine"),
    })
}

/// The ints among the first two operands.
fn ints(args: &[Const]) -> [i64; 2] {
    [0, 1].map(|k| if let Some(Const::I64(n)) = args.get(k) { *n } else { 0 })
}

fn slice(items: &[Datum], start: i64, count: i64) -> Option<Datum> {
    let start = usize::try_from(start).ok()?;
    let end = start.checked_add(usize::try_from(count).ok()?)?;
    items.get(start..end).map(|slice| Datum::seq(slice.iter().cloned()))
}

/// The combination of all items; `before` is told the prefix before each.
fn fold(
    widths: Widths,
    monoid: Monoid,
    ty: Ty,
    items: &[Datum],
    mut before: impl FnMut(Const),
) -> Const {
    items.iter().fold(widths.identity(monoid, ty), |sum, item| {
        before(sum);
        monoid.combine(widths, sum, item.scalar())
    })
}

fn partition(items: &[Datum], lengths: &[Datum]) -> Option<Datum> {
    let mut start = 0;
    let mut pieces = Vec::new();
    for length in lengths {
        let length = length.scalar().int();
        pieces.push(slice(items, start, length)?);
        start += length;
    }
    (start == items.len() as i64).then(|| Datum::seq(pieces))
}

/// `into` with values at positions, or the ints of the error: a position and the length.
fn write(into: &Rc<Vec<Datum>>, positions: &[Datum], values: &[Datum]) -> Result<Datum, [i64; 2]> {
    let mut written = into.clone();
    let target = Rc::make_mut(&mut written);
    for (position, value) in positions.iter().zip(values) {
        let p = position.scalar().int();
        match usize::try_from(p).ok().and_then(|p| target.get_mut(p)) {
            Some(item) => *item = value.clone(),
            None => return Err([p, into.len() as i64]),
        }
    }
    Ok(Datum::Seq(written))
}

/// Items at their positions, or the ints of the error: a position and the length, or two lengths.
fn permute(items: &[Datum], positions: &[Datum]) -> Result<Datum, [i64; 2]> {
    let length = items.len() as i64;
    if positions.len() != items.len() {
        return Err([positions.len() as i64, length]);
    }
    let mut moved: Vec<Option<Datum>> = vec![None; items.len()];
    for (item, position) in items.iter().zip(positions) {
        let p = position.scalar().int();
        match usize::try_from(p).ok().and_then(|p| moved.get_mut(p)) {
            Some(place @ None) => *place = Some(item.clone()),
            Some(Some(_)) | None => return Err([p, length]),
        }
    }
    Ok(Datum::seq(moved.into_iter().flatten()))
}

/// The order of sorts: a nan is above every other float, and `-0.0` equals `0.0`.
fn compare(a: &Datum, b: &Datum) -> Ordering {
    match (a.scalar(), b.scalar()) {
        (Const::I64(a), Const::I64(b)) => a.cmp(&b),
        (Const::F64(a), Const::F64(b)) => {
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        (Const::Char(a), Const::Char(b)) => a.cmp(&b),
        (a, b) => unreachable!("no order of {a} and {b}"),
    }
}

fn sort(kind: SortKind, items: &[Datum]) -> Datum {
    let mut order: Vec<usize> = (0..items.len()).collect();
    match kind {
        SortKind::Sort | SortKind::Rank => order.sort_by(|&a, &b| compare(&items[a], &items[b])),
        SortKind::RankDown => order.sort_by(|&a, &b| compare(&items[b], &items[a])),
    }
    if kind == SortKind::Sort {
        return Datum::seq(order.into_iter().map(|i| items[i].clone()));
    }
    let mut ranks = vec![0; items.len()];
    for (rank, item) in order.into_iter().enumerate() {
        ranks[item] = rank as i64;
    }
    Datum::ints(ranks)
}
