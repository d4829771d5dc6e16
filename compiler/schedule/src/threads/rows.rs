//! Loops over the elements of a tile that cuts segments: whose each element is, and what is done
//! once for each segment.

use super::dead::remove_dead;
use super::rounds::{Rounds, Scanned};
use super::slice::can_fail;
use super::{Lanes, Lower, assign, defines, in_thread, int};
use kernel::{Arg, ArgKind, Block, Operand, Rows, Scan, Segments, Stmt, Tiles, Var, Way};
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
                    self.owner = Some(Owner { var: owner, array: to, offsets, range, elements });
                    out.push(Stmt::Owners { to, segments, range, elements });
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

    /// Lets the block find owners after what comes last in `out`, if that needs them for reports
    /// of faults alone, as far as it is `used`: its loads are then on their way.
    pub(super) fn owners_later(&self, owner: Owner, used: &Block, out: &mut Block) {
        let finds = |stmt: &Stmt| matches!(stmt, Stmt::Owners { to, .. } if *to == owner.array);
        let Some(place) = out.iter().position(finds) else { return };
        let Some(last) = out.pop() else { return };
        let quiet = [vec![without_positions(&last)], used.clone()].concat();
        let ty = |atom| Some(self.ty(atom));
        let needed = remove_dead(&quiet, &self.args, &ty);
        let between = out[place + 1..].iter().any(|stmt| stmt.reads().contains(&owner.array));
        if between || needed.iter().any(|stmt| stmt.reads().contains(&owner.array)) {
            out.push(last);
            return;
        }
        let found = out.remove(place);
        let Stmt::Owners { segments, .. } = found else { unreachable!("owners are found") };
        out.extend(searching(&vec![last], owner, segments));
        out.push(found);
    }

    /// What scans come to in each segment of the tile; gives the arrays of that.
    pub(super) fn row_sums(&mut self, scans: &[Scan], owner: Owner, out: &mut Block) -> Vec<Arg> {
        let [from, to] = owner.elements;
        let count = self.op(out, ScalarOp::Sub, &[to, from]);
        let Tiles::Cut { grain, .. } = self.tiles else { unreachable!("rows of whole segments") };
        let start = self.read(out, owner.offsets, owner.range[0]);
        let head = self.op(out, ScalarOp::Eq, &[start, from]);
        let mut arrays = Vec::new();
        for scan in scans {
            let Some((_, any)) = scan.restarts else { unreachable!("{} has no rows", scan.total) };
            let to = self.array(self.vars[scan.total], ArgKind::Shared(*grain));
            let Scan { from, total, monoid, .. } = *scan;
            let owners = owner.array;
            out.push(Stmt::Rows(Rows { from, head, to, owners, count, total, any, monoid }));
            arrays.push(to);
        }
        arrays
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
        let place = self.op(&mut then, ScalarOp::Sub, &[Atom::Var(row), first]);
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
            if !known && !rounds.checked.contains(&stmt) {
                then.push(stmt);
            }
        }
        if !can_fail(&then, &|atom| Some(self.ty(atom))) {
            then.retain(|stmt| !matches!(stmt, Stmt::Positions(_)));
        }
        inside.push(Stmt::If(live, then, Vec::new()));
        let way = Way::Stride(self.block.threads);
        out.push(Stmt::For {
            index: row,
            from: own,
            to: last,
            carried: Vec::new(),
            body: inside,
            way,
        });
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
fn searching(block: &Block, owner: Owner, segments: Segments) -> Block {
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
                let range = owner.range;
                let element = read.map_or(int(0), |read| read.1);
                out.push(Stmt::Owner { index: *index, segments, range, element });
            }
            stmt => out.push(stmt.with_blocks(|block| searching(block, owner, segments))),
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
