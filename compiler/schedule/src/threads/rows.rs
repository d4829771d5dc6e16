//! Loops over the elements of a tile that cuts segments: whose each element is, and what is done
//! once for each segment.

use super::dead::remove_dead;
use super::rounds::{Rounds, Scanned};
use super::slice::can_fail;
use super::{Lanes, Lower, assign, defines, in_thread, int};
use kernel::{Arg, ArgKind, Block, Elements, Operand, Rows, Scan, Segments, Stmt, Tiles, Var, Way};
use prim::{ScalarOp, Ty};
use scalar::{Atom, Op, Span};

/// The segment of an element, in a loop over a tile's elements.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub(super) var: Var,
    /// The array that has it for all elements of the tile.
    pub(super) array: Arg,
    /// Where segments start, and the first and one past the last that there are.
    pub(super) offsets: Arg,
    pub(super) segments: Segments,
    pub(super) range: [Operand; 2],
    /// The tile's elements.
    pub(super) elements: [Operand; 2],
}

impl Lower<'_> {
    /// The body of a loop over a tile's elements: the block finds all their owners together.
    ///
    /// A thread alone would search through memory for each of its elements.
    pub(super) fn with_owners(
        &mut self,
        index: Var,
        elements: [Operand; 2],
        body: &Block,
        out: &mut Block,
    ) -> Block {
        self.owner = None;
        let Tiles::Cut { grain, own, .. } = self.tiles else { return body.clone() };
        if elements != [own[1], own[2]].map(Atom::Var) {
            return body.clone();
        }
        let mut with = Vec::new();
        for stmt in body {
            match *stmt {
                Stmt::Owner {
                    index: owner,
                    segments: segments @ Segments::Offsets(offsets, _),
                    range,
                    element,
                } if element == Atom::Var(index) => {
                    let to = self.array(Ty::I64, ArgKind::Shared(*grain));
                    self.owners.push(to);
                    let array = to;
                    self.owner =
                        Some(Owner { var: owner, array, offsets, segments, range, elements });
                    out.push(Stmt::Owners(Elements { to, segments, range, elements }));
                    let at = self.op(&mut with, ScalarOp::Sub, &[element, elements[0]]);
                    let found = self.read(&mut with, to, at);
                    let sum = Op::Scalar(ScalarOp::Add, vec![range[0], found], Span::none());
                    with.push(assign(owner, sum));
                }
                _ => with.push(stmt.clone()),
            }
        }
        with
    }

    /// What scans come to in each segment of the tile, of which the last stage in `out` gives the
    /// elements; gives the arrays of that.
    pub(super) fn row_sums(&mut self, scans: &[Scan], owner: Owner, out: &mut Block) -> Vec<Arg> {
        let Tiles::Cut { grain, .. } = self.tiles else { unreachable!("rows of whole segments") };
        let Owner { elements, range, segments, .. } = owner;
        let ends = self.array(Ty::Bool, ArgKind::Shared(*grain));
        let told = Stmt::Ends(Elements { to: ends, segments, range, elements });
        let finds = |stmt: &Stmt| matches!(stmt, Stmt::Owners(told) if told.to == owner.array);
        let place = out.iter().position(finds);
        let place = place.unwrap_or_else(|| unreachable!("owners are found"));
        out.insert(place, told);
        self.owners_for_reports(owner, place + 1, out);
        self.all_at_once(elements, out);
        let count = self.op(out, ScalarOp::Sub, &[elements[1], elements[0]]);
        let mut arrays = Vec::new();
        for scan in scans {
            let Some((_, any)) = scan.restarts else { unreachable!("{} has no rows", scan.total) };
            let to = self.array(self.vars[scan.total], ArgKind::Shared(*grain));
            let Scan { from, total, monoid, .. } = *scan;
            out.push(Stmt::Rows(Rows { from, to, ends, count, total, any, monoid }));
            arrays.push(to);
        }
        arrays
    }

    /// Lets threads search for owners in what comes last in `out`, if that needs them for reports
    /// of faults alone, instead of the block, at `place`.
    fn owners_for_reports(&self, owner: Owner, place: usize, out: &mut Block) {
        let Some(last) = out.last() else { return };
        let quiet = vec![without_positions(last)];
        let needed = remove_dead(&quiet, &self.args, &|atom| Some(self.ty(atom)));
        let reads = |stmt: &Stmt| stmt.reads().contains(&owner.array);
        if needed.iter().any(reads) || out[place + 1..out.len() - 1].iter().any(reads) {
            return;
        }
        let last = searching(&vec![last.clone()], owner);
        out.pop();
        out.extend(last);
        out.remove(place);
    }

    /// Lets the loop over a thread's elements, which comes last in `out`, run whether there is an
    /// element or not: then for the last one of the tile again, whose results do not count.
    ///
    /// Without branches, the loads of all elements are on their way together.
    fn all_at_once(&mut self, elements: [Operand; 2], out: &mut Block) {
        let Some(Stmt::For { body, .. }) = out.last_mut() else { return };
        let Some(Stmt::If(live, then, _)) = body.pop() else { unreachable!("elements are tested") };
        let test = body.pop();
        let element = match &test {
            Some(Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(ScalarOp::Lt, args, _))))
                if Atom::Var(*var) == live =>
            {
                args[0]
            }
            _ => unreachable!("{live} is the test"),
        };
        let mut whole = std::mem::take(body);
        // Counted from the tile's first, which is the same for all: loads then have one base.
        let count = self.op(&mut whole, ScalarOp::Sub, &[elements[1], elements[0]]);
        let last = self.op(&mut whole, ScalarOp::Sub, &[count, int(1)]);
        let place = self.op(&mut whole, ScalarOp::Sub, &[element, elements[0]]);
        let place = self.op(&mut whole, ScalarOp::Min, &[place, last]);
        let one = self.op(&mut whole, ScalarOp::Add, &[elements[0], place]);
        let operand = |atom: Operand| if atom == element { one } else { atom };
        whole.extend(then.iter().map(|stmt| stmt.copy(&|var| var, &operand)));
        let Some(mut all) = out.pop() else { return };
        if let Stmt::For { body, .. } = &mut all {
            *body = whole;
        }
        let some = self.op(out, ScalarOp::Lt, &elements);
        out.push(Stmt::If(some, vec![all], Vec::new()));
    }

    /// The body for the last element of each segment that ends in the tile: nothing of it is left
    /// to do for the others.
    pub(super) fn row_stage(
        &mut self,
        rounds: &Rounds<'_>,
        owner: Owner,
        sums: &[Arg],
        out: &mut Block,
    ) {
        let Lanes { index, body, .. } = rounds.lanes;
        let [first, last] = [self.tile[1], self.tile[2]].map(Atom::Var);
        let own = self.op(out, ScalarOp::Add, &[first, Atom::Var(self.rank)]);
        let row = self.fresh(Ty::I64);
        let mut inside = Vec::new();
        let next = self.op(&mut inside, ScalarOp::Add, &[Atom::Var(row), int(1)]);
        let start = self.read(&mut inside, owner.offsets, Atom::Var(row));
        let end = self.read(&mut inside, owner.offsets, next);
        let some = self.op(&mut inside, ScalarOp::Lt, &[start, end]);
        let here = self.op(&mut inside, ScalarOp::Lt, &[owner.elements[0], end]);
        let ends = self.op(&mut inside, ScalarOp::Le, &[end, owner.elements[1]]);
        let live = self.op(&mut inside, ScalarOp::And, &[some, here]);
        let live = self.op(&mut inside, ScalarOp::And, &[live, ends]);
        let mut then = Vec::new();
        let at = self.op(&mut then, ScalarOp::Sub, &[end, int(1)]);
        self.name(&mut then, index, at);
        self.name(&mut then, owner.var, Atom::Var(row));
        let began = self.op(&mut then, ScalarOp::Lt, &[start, owner.elements[0]]);
        let place = self.op(&mut then, ScalarOp::Sub, &[at, owner.elements[0]]);
        for (scan, &array) in rounds.scans.iter().zip(sums) {
            let sum = self.read(&mut then, array, place);
            let whole = self.combine(&mut then, scan.monoid, scan.start, sum);
            let sum = self.op(&mut then, ScalarOp::Select, &[began, whole, sum]);
            if let Atom::Var(next) = scan.carry.next {
                self.name(&mut then, next, sum);
            }
        }
        for stmt in in_thread(body) {
            let known = defines(&stmt, Atom::Var(owner.var)) || rounds.is_summed(&stmt);
            match stmt {
                _ if known || rounds.checked.contains(&stmt) => {}
                // It is the last element of its segment.
                Stmt::If(_, stmts, _) => then.extend(stmts),
                stmt => then.push(stmt),
            }
        }
        if !can_fail(&then, &|atom| Some(self.ty(atom))) {
            then.retain(|stmt| !matches!(stmt, Stmt::Positions(_)));
        }
        inside.push(Stmt::If(live, then, Vec::new()));
        let way = Way::Stride(self.block.threads);
        self.row = Some(row);
        out.push(Stmt::For {
            index: row,
            from: own,
            to: last,
            carried: Vec::new(),
            body: inside,
            way,
        });
    }

    /// Lets a loop over the segments that start in the tile run as part of the loop over all its
    /// segments, if that comes just before it: both look at the same offsets.
    pub(super) fn with_rows(&mut self, lanes: Lanes<'_>, out: &mut Block) -> bool {
        let Lanes { index, from, to, carried, body } = lanes;
        let Tiles::Cut { own: [start, ..], .. } = self.tiles else { return false };
        let all = [from, to] == [*start, self.tile[2]].map(Atom::Var) && carried.is_empty();
        let rows =
            |stmt: &Stmt| matches!(stmt, Stmt::For { index, .. } if self.row == Some(*index));
        let Some(place) = out.iter().position(rows) else { return false };
        let between = &out[place + 1..];
        let plain = between.iter().all(|stmt| matches!(stmt, Stmt::Scalar(_)));
        let given: Vec<Var> = between.iter().flat_map(Stmt::results).collect();
        let uses = |stmt: &Stmt| given.iter().any(|v| stmt.operands().contains(&Atom::Var(*v)));
        let read: Vec<Arg> = body.iter().flat_map(Stmt::reads).collect();
        let apart = out[place].stores().iter().all(|array| !read.contains(array));
        let fails = can_fail(body, &|atom| Some(self.ty(atom)));
        let Stmt::For { index: row, .. } = out[place] else { return false };
        if !all || !plain || body.iter().any(uses) || !apart || fails {
            return false;
        }
        let mut more = Vec::new();
        let own = self.op(&mut more, ScalarOp::Le, &[from, Atom::Var(row)]);
        let mut then = Vec::new();
        self.name(&mut then, index, Atom::Var(row));
        then.extend(in_thread(body));
        more.push(Stmt::If(own, then, Vec::new()));
        if let Stmt::For { body, .. } = &mut out[place] {
            body.extend(more);
        }
        true
    }
}

/// A statement that reports no positions.
fn without_positions(stmt: &Stmt) -> Stmt {
    stmt.with_blocks(|block| {
        let told = block.iter().filter(|stmt| !matches!(stmt, Stmt::Positions(_)));
        told.map(without_positions).collect()
    })
}

/// Statements in which a thread searches for owners instead of reading them where the block has
/// told them.
fn searching(block: &Block, owner: Owner) -> Block {
    let mut out: Block = Vec::new();
    // What is read, and of which element that is the owner.
    let mut read: Option<(Var, Operand)> = None;
    for stmt in block {
        match stmt {
            Stmt::Scalar(scalar::Stmt::Let(var, Op::Read(array, at))) if *array == owner.array => {
                let element = out.iter().find_map(|stmt| match stmt {
                    Stmt::Scalar(scalar::Stmt::Let(place, Op::Scalar(ScalarOp::Sub, args, _)))
                        if Atom::Var(*place) == *at =>
                    {
                        Some(args[0])
                    }
                    _ => None,
                });
                let element =
                    element.unwrap_or_else(|| unreachable!("{at} is the place of no element"));
                read = Some((*var, element));
            }
            Stmt::Scalar(scalar::Stmt::Let(index, Op::Scalar(ScalarOp::Add, args, _)))
                if read.is_some_and(|(var, _)| args.contains(&Atom::Var(var))) =>
            {
                let Owner { range, segments, .. } = owner;
                let element = read.map_or(int(0), |read| read.1);
                out.push(Stmt::Owner { index: *index, segments, range, element });
            }
            stmt => out.push(stmt.with_blocks(|block| searching(block, owner))),
        }
    }
    out
}

/// Whether all that is left to do when scans are known is for the last elements of segments.
pub(super) fn is_for_rows(rounds: &Rounds<'_>, owner: Owner) -> bool {
    let Lanes { index, body, .. } = rounds.lanes;
    // Each has an array in shared memory.
    const MOST: usize = 3;
    let few = rounds.scans.len() <= MOST && rounds.stages == 1;
    let plain = rounds.combined.is_empty() && rounds.equal.is_empty() && few;
    let value = |atom: Operand| {
        body.iter().find_map(|stmt| match stmt {
            Stmt::Scalar(scalar::Stmt::Let(var, op)) if atom == Atom::Var(*var) => Some(op),
            _ => None,
        })
    };
    let after = |atom: Operand, of: Var| {
        matches!(value(atom), Some(Op::Scalar(ScalarOp::Add, args, _))
            if args.as_slice() == [Atom::Var(of), int(1)])
    };
    let is_end = |atom: Operand| {
        matches!(value(atom), Some(Op::Read(buffer, at))
            if *buffer == owner.offsets && after(*at, owner.var))
    };
    let starts = |scan: &Scanned<'_>| match scan.restart.and_then(|(at, _)| value(at)) {
        Some(Op::Scalar(ScalarOp::Eq, args, _)) => {
            args[0] == Atom::Var(index)
                && matches!(value(args[1]), Some(Op::Read(buffer, at))
                    if *buffer == owner.offsets && *at == Atom::Var(owner.var))
        }
        _ => false,
    };
    let inclusive =
        |scan: &Scanned<'_>| scan.chosen.is_some() && scan.carry.chained && starts(scan);
    let is_last = |cond: Operand| match value(cond) {
        Some(Op::Scalar(ScalarOp::Eq, args, _)) => {
            (after(args[0], index) && is_end(args[1])) || (after(args[1], index) && is_end(args[0]))
        }
        _ => false,
    };
    let idle = |stmt: &Stmt| match stmt {
        Stmt::If(cond, _, els) => els.is_empty() && is_last(*cond),
        Stmt::Scalar(_) | Stmt::Positions(_) => true,
        _ => false,
    };
    let left: Block = body.iter().filter(|stmt| !rounds.checked.contains(stmt)).cloned().collect();
    let quiet = left.iter().all(|stmt| match stmt {
        Stmt::Scalar(scalar) => !scalar.has_effect(&|_| None),
        _ => true,
    });
    plain && quiet && rounds.scans.iter().all(inclusive) && left.iter().all(idle)
}
