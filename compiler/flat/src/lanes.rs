//! Bulk operations of the evaluator: code run in every lane of a space, and what is made of the
//! yields.

use crate::eval::{Data, Failure, Frame, zeros};
use crate::ir::{Op, ScatterKind, SortKind, Space, Stmt, Value};
use base::Site;
use prim::{Const, Monoid, TOO_LONG, Ty, Widths};
use scalar::{Env, Fault};
use std::ops::Range;
use std::rc::Rc;

/// Runs a bulk operation; gives its results.
pub(crate) fn run(frame: &Frame<'_>, stmt: &Stmt) -> Result<Vec<Data>, Failure> {
    match &stmt.op {
        Op::Map { space, code } => {
            let columns = columns(frame, *space, code)?;
            Ok(if frame.function.parent(*space).is_none() {
                columns.into_iter().map(|column| Data::Scalar(column[0])).collect()
            } else {
                columns.into_iter().map(Data::vector).collect()
            })
        }
        Op::Reduce { space, monoids, code } => {
            let columns = columns(frame, *space, code)?;
            let segments = segments(frame, *space);
            let widths = frame.widths();
            let reduced =
                columns.iter().zip(monoids).zip(code.yield_tys()).map(|((column, &monoid), ty)| {
                    let whole =
                        |s: &Range<usize>| fold(widths, monoid, ty, &column[s.clone()], |_| ());
                    segments.iter().map(whole).collect()
                });
            let at_root = frame.function.chain(*space).len() == 1;
            let data = |column: Vec<Const>| {
                if at_root { Data::Scalar(column[0]) } else { Data::vector(column) }
            };
            Ok(reduced.map(data).collect())
        }
        Op::Scan { space, monoids, code } => {
            let columns = columns(frame, *space, code)?;
            let segments = segments(frame, *space);
            let scanned = columns.iter().zip(monoids).zip(code.yield_tys());
            Ok(scanned
                .map(|((column, &monoid), ty)| scan(frame.widths(), &segments, column, monoid, ty))
                .collect())
        }
        Op::Filter { space, code } => {
            let columns = columns(frame, *space, code)?;
            filter(frame, stmt, *space, &columns[0])
        }
        Op::Offsets { space, code } => {
            let columns = columns(frame, *space, code)?;
            offsets(frame, stmt, columns[0].iter().map(|c| c.int())).map(|data| vec![data])
        }
        Op::Scatter { space, code, kind, target } => {
            let columns = columns(frame, *space, code)?;
            let size = frame.lanes(*target);
            match kind {
                ScatterKind::Write(base) => Ok(write(frame, base, &columns, size)),
                ScatterKind::Into(base) => {
                    assert_apart(&columns[0], size);
                    Ok(write(frame, base, &columns, size))
                }
                ScatterKind::Permute => permute(frame, stmt, *space, &columns, size),
                ScatterKind::Place => match permute(frame, stmt, *space, &columns, size) {
                    Err(_) => frame.bug(stmt, "positions that are no permutation"),
                    placed => placed,
                },
            }
        }
        Op::Sort { space, kind, code } => {
            let columns = columns(frame, *space, code)?;
            Ok(vec![sort(&segments(frame, *space), &columns[0], *kind)])
        }
        Op::Fail { space, code, pool } => fail(frame, stmt, *space, code, *pool),
        Op::Literal(consts, _) => Ok(vec![Data::vector(consts.iter().copied())]),
        Op::Join(parts) => Ok(joined(frame, parts)),
        // Here each value has memory of its own.
        Op::Behind { from, used, .. } => {
            let all = || Const::I64(frame.data(from[0]).elements().len() as i64);
            let used = frame.operand(*used).scalar();
            let used = if used.int() < 0 { all() } else { used };
            Ok([used, Const::Bool(true)].map(Data::Scalar).to_vec())
        }
        Op::Grow { from, used, len, .. } => {
            Ok(grown(frame, from, [*used, *len].map(|count| frame.operand(count).scalar().int())))
        }
        Op::Call(..) | Op::If(..) => unreachable!("no bulk operation"),
    }
}

/// Parts one after the other, column by column, and where each but the first begins.
fn joined(frame: &Frame<'_>, parts: &[Vec<Value>]) -> Vec<Data> {
    let elements = |v: Value| frame.data(v).elements().clone();
    let column = |n: usize| {
        let all: Vec<Const> = parts.iter().flat_map(|part| elements(part[n]).to_vec()).collect();
        Data::vector(all)
    };
    let ends = parts.iter().scan(0, |end, part| {
        *end += elements(part[0]).len();
        Some(Data::Scalar(Const::I64(*end as i64)))
    });
    let bases: Vec<Data> = ends.take(parts.len() - 1).collect();
    (0..parts[0].len()).map(column).chain(bases).collect()
}

/// The first elements of pools, and zeros for what is undefined behind them.
fn grown(frame: &Frame<'_>, from: &[Value], [used, len]: [i64; 2]) -> Vec<Data> {
    let [used, len] = [used, len].map(|count| usize::try_from(count).unwrap_or(0));
    let grown = |&v: &Value| {
        let zero = frame.function.values[v].ty.zero();
        let kept = frame.data(v).elements()[..used].iter().copied();
        Data::vector(kept.chain(std::iter::repeat(zero)).take(len))
    };
    from.iter().map(grown).collect()
}

/// Meets the lanes of a space in order, with the parameters of its code; stops when `f` fails.
fn for_each_lane(
    frame: &Frame<'_>,
    space: Space,
    mut f: impl FnMut(&[Const]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let chain = frame.function.chain(space);
    if chain.is_empty() {
        return f(&[]);
    }
    // The segments of each space of the chain, by lane of the space before.
    let starts: Vec<Vec<usize>> = chain.iter().map(|&s| frame.starts(s)).collect();
    let mut params = vec![0; chain.len() + 1];
    descend(&starts, 0, 0, &mut params, &mut f)
}

fn descend(
    starts: &[Vec<usize>],
    level: usize,
    parent: usize,
    params: &mut Vec<usize>,
    f: &mut impl FnMut(&[Const]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let segment = starts[level][parent]..starts[level][parent + 1];
    for (index, position) in segment.enumerate() {
        params[level] = position;
        if level + 1 < starts.len() {
            descend(starts, level + 1, position, params, f)?;
        } else {
            params[level + 1] = index;
            let consts: Vec<Const> = params.iter().map(|&p| Const::I64(p as i64)).collect();
            f(&consts)?;
        }
    }
    Ok(())
}

/// The parameters of the code in one lane of a space.
fn params(frame: &Frame<'_>, space: Space, lane: usize) -> Vec<i64> {
    let mut params = Vec::new();
    let mut position = lane;
    for &space in frame.function.chain(space).iter().rev() {
        let starts = frame.starts(space);
        let parent = starts.partition_point(|&start| start <= position) - 1;
        if params.is_empty() {
            params.push((position - starts[parent]) as i64);
        }
        params.push(position as i64);
        position = parent;
    }
    params.reverse();
    params
}

/// The yields of code in all lanes: for each yield, its values.
fn columns(
    frame: &Frame<'_>,
    space: Space,
    code: &crate::Code,
) -> Result<Vec<Vec<Const>>, Failure> {
    let mut columns = vec![Vec::new(); code.body.yields.len()];
    for_each_lane(frame, space, |params| {
        frame.count(|c| c.lanes += 1);
        let values = scalar::eval(code, params, frame).map_err(|fault| failure(fault, params))?;
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(value);
        }
        Ok(())
    })?;
    Ok(columns)
}

fn failure(fault: Fault, params: &[Const]) -> Failure {
    Failure { fault, lane: params.iter().map(|p| p.int()).collect(), message: None }
}

/// The positions of each segment of a space.
fn segments(frame: &Frame<'_>, space: Space) -> Vec<Range<usize>> {
    frame.starts(space).windows(2).map(|w| w[0]..w[1]).collect()
}

/// The combination of elements; `before` is told the prefix before each.
fn fold(
    widths: Widths,
    monoid: Monoid,
    ty: Ty,
    elements: &[Const],
    mut before: impl FnMut(Const),
) -> Const {
    elements.iter().fold(widths.identity(monoid, ty), |sum, &element| {
        before(sum);
        monoid.combine(widths, sum, element)
    })
}

fn scan(
    widths: Widths,
    segments: &[Range<usize>],
    column: &[Const],
    monoid: Monoid,
    ty: Ty,
) -> Data {
    let mut prefixes = Vec::with_capacity(column.len());
    for segment in segments {
        fold(widths, monoid, ty, &column[segment.clone()], |prefix| prefixes.push(prefix));
    }
    Data::vector(prefixes)
}

/// The starts of segments of these lengths, and the end of the last; a negative length counts as 0.
/// An end above the longest length is a failure.
fn offsets(
    frame: &Frame<'_>,
    stmt: &Stmt,
    lengths: impl Iterator<Item = i64>,
) -> Result<Data, Failure> {
    let mut sum = 0;
    let mut offsets = vec![0];
    for (lane, length) in lengths.enumerate() {
        let length = length.max(0);
        if length > frame.widths().max_length() - sum {
            let fault = Fault { site: Site::Memory, span: stmt.span, args: [length, TOO_LONG] };
            return Err(Failure { fault, lane: vec![lane as i64], message: None });
        }
        sum += length;
        offsets.push(sum);
    }
    Ok(Data::ints(offsets))
}

fn filter(
    frame: &Frame<'_>,
    stmt: &Stmt,
    space: Space,
    flags: &[Const],
) -> Result<Vec<Data>, Failure> {
    let kept = |range: Range<usize>| range.filter(|&lane| flags[lane].bool());
    let positions = Data::ints(kept(0..flags.len()).map(|lane| lane as i64));
    let counts: Vec<i64> =
        segments(frame, space).into_iter().map(|s| kept(s).count() as i64).collect();
    let at_root = frame.function.chain(space).len() == 1;
    let shape = if at_root {
        Data::Scalar(Const::I64(counts[0]))
    } else {
        offsets(frame, stmt, counts.into_iter())?
    };
    Ok(vec![positions, shape])
}

fn write(frame: &Frame<'_>, base: &[Value], columns: &[Vec<Const>], size: usize) -> Vec<Data> {
    let inside = |position: &Const| usize::try_from(position.int()).ok().filter(|&p| p < size);
    let result = |(&base, values): (&Value, &Vec<Const>)| {
        let mut elements: Rc<Vec<Const>> = frame.data(base).elements().clone();
        let target = Rc::make_mut(&mut elements);
        for (position, &value) in columns[0].iter().zip(values) {
            if let Some(position) = inside(position) {
                target[position] = value;
            }
        }
        Data::Vector(elements)
    };
    base.iter().zip(&columns[1..]).map(result).collect()
}

/// That positions are inside and different is known where they are computed; -1 is none.
fn assert_apart(positions: &[Const], size: usize) {
    let mut taken = vec![false; size];
    for position in positions.iter().filter(|position| position.int() != -1) {
        let free = usize::try_from(position.int()).ok().and_then(|p| taken.get_mut(p));
        assert!(free.is_some_and(|taken| !std::mem::replace(taken, true)), "a place is not free");
    }
}

fn permute(
    frame: &Frame<'_>,
    stmt: &Stmt,
    space: Space,
    columns: &[Vec<Const>],
    size: usize,
) -> Result<Vec<Data>, Failure> {
    let fault = |args| Fault { site: Site::Permute, span: stmt.span, args };
    let mut taken = vec![false; size];
    for (lane, position) in columns[0].iter().enumerate() {
        let position = position.int();
        let free = usize::try_from(position).ok().and_then(|p| taken.get_mut(p));
        match free {
            Some(free) if !*free => *free = true,
            _ => {
                let (fault, lane) = (fault([position, size as i64]), params(frame, space, lane));
                return Err(Failure { fault, lane, message: None });
            }
        }
    }
    if columns[0].len() != size {
        let args = [columns[0].len() as i64, size as i64];
        return Err(failure(fault(args), &[]));
    }
    let tys = stmt.results.iter().map(|&v| frame.function.values[v].ty);
    let moved = tys.zip(&columns[1..]).map(|(ty, values)| {
        let mut target = zeros(ty, size);
        for (position, &value) in columns[0].iter().zip(values) {
            target[position.int() as usize] = value;
        }
        Data::vector(target)
    });
    Ok(moved.collect())
}

fn sort(segments: &[Range<usize>], keys: &[Const], kind: SortKind) -> Data {
    let mut result = vec![Const::I64(0); keys.len()];
    for segment in segments {
        let mut order: Vec<usize> = segment.clone().collect();
        match kind {
            SortKind::Sort | SortKind::Rank => order.sort_by(|&a, &b| keys[a].order(keys[b])),
            SortKind::RankDown => order.sort_by(|&a, &b| keys[b].order(keys[a])),
        }
        for (rank, lane) in order.into_iter().enumerate() {
            match kind {
                SortKind::Sort => result[segment.start + rank] = keys[lane],
                SortKind::Rank | SortKind::RankDown => result[lane] = Const::I64(rank as i64),
            }
        }
    }
    Data::vector(result)
}

fn fail(
    frame: &Frame<'_>,
    stmt: &Stmt,
    space: Space,
    code: &crate::Code,
    pool: Value,
) -> Result<Vec<Data>, Failure> {
    for_each_lane(frame, space, |params| {
        let values = scalar::eval(code, params, frame).map_err(|fault| failure(fault, params))?;
        let [start, length] = [0, 1].map(|k| usize::try_from(values[k].int()).unwrap_or(0));
        let chars = frame.data(pool).elements();
        let Some(text) = chars.get(start..start + length) else {
            frame.bug(stmt, "a message outside its pool")
        };
        let fault = Fault { site: Site::User, span: stmt.span, args: [0, 0] };
        let message = Some(text.iter().map(|c| c.char()).collect());
        Err(Failure { message, ..failure(fault, params) })
    })?;
    Ok(Vec::new())
}
