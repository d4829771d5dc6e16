//! Loops with scans: rounds of one striped array.
//!
//! `for i in from .. to carry c = init { B; next c + x }` becomes, in each round,
//!
//! ```text
//! first = base + rank / 32 * 32 * items + rank mod 32
//! for k unroll { i = first + k * 32; when i < to { B1; xs[k] = x } else { xs[k] = 0 } }
//! total = scan xs
//! for k unroll { when i < to { c = start + xs[k]; B } }
//! start = start + total
//! ```
//!
//! where B1 is what x needs of B, and checks of B if that can fail.  What B1 has read from memory
//! is kept for B.  A tile that is one striped array is one round: what the tiles before add
//! (`chained`) comes between scan and B.  In a tile of several rounds it is found in a loop before
//! them.  Scans that need others in the same lane come in later *stages*.

use super::carried::{adds, chosen_only, counted, stages};
use super::rows::is_for_rows;
use super::slice::{can_fail, slice, slice_with_checks, slice_with_free_checks};
use super::{Lanes, Lower, ZERO, assign, defines, in_thread, int, is_scanned};
use crate::target;
use kernel::{Arg, ArgKind, Block, Carry, Operand, Scan, Stmt, Tiles, Var, Way};
use prim::{Const, Monoid, ScalarOp, Ty};
use scalar::{Atom, Op};
use std::collections::BTreeMap;

/// Threads of a warp.
const WARP: u32 = 32;

/// A carried value that is scanned.
pub(super) struct Scanned<'k> {
    pub(super) carry: &'k Carry,
    /// Others that come to the same, such as the cursors of a filter and of a branch.
    pub(super) twins: Vec<&'k Carry>,
    pub(super) monoid: Monoid,
    /// What each lane adds.
    pub(super) adds: Operand,
    /// What of it is scanned: a bool where that is counted.
    pub(super) source: Operand,
    /// The array of that.
    pub(super) from: Arg,
    /// The array of its prefixes; may be the same.
    pub(super) array: Arg,
    /// Where it restarts, and the array of that.
    pub(super) restart: Option<(Operand, Arg)>,
    /// The choice between it and the identity, if nothing else is done with it but to combine that
    /// with what the lane adds: then the prefixes are inclusive.
    pub(super) chosen: Option<Var>,
    /// The scan before which this one cannot be.
    pub(super) stage: usize,
    /// Where the round starts.
    pub(super) start: Operand,
    pub(super) total: Option<Var>,
    /// Whether it has restarted in the round.
    pub(super) any: Option<Var>,
}

impl Scanned<'_> {
    /// The names of the prefix in a lane.
    pub(super) fn vars(&self) -> impl Iterator<Item = Var> {
        [self.carry].into_iter().chain(self.twins.iter().copied()).map(|carry| carry.var)
    }
}

/// A carried value that is only combined.
pub(super) struct Combined<'k> {
    pub(super) carry: &'k Carry,
    pub(super) monoid: Monoid,
    /// What a thread has so far.
    pub(super) array: Arg,
}

/// What the rounds share.
pub(super) struct Rounds<'k> {
    pub(super) lanes: Lanes<'k>,
    pub(super) scans: Vec<Scanned<'k>>,
    pub(super) combined: Vec<Combined<'k>>,
    /// The same as the total of a scan.
    pub(super) equal: Vec<(&'k Carry, usize)>,
    /// What was read from memory for a scan.
    pub(super) kept: BTreeMap<Var, Arg>,
    /// The elements of buffers among that.
    pub(super) elements: Vec<(Arg, Operand, Arg)>,
    /// Checks that a stage has made.
    pub(super) checked: Block,
    pub(super) stages: usize,
}

impl Rounds<'_> {
    /// Whether a statement adds to what is scanned, where prefixes have that.
    pub(super) fn is_summed(&self, stmt: &Stmt) -> bool {
        self.scans.iter().any(|scan| {
            scan.chosen.is_some_and(|chosen| {
                defines(stmt, Atom::Var(chosen)) || defines(stmt, scan.carry.next)
            })
        })
    }
}

impl Lower<'_> {
    /// Runs a loop with scans in rounds, if it can be.
    pub(super) fn rounds(&mut self, lanes: Lanes<'_>, out: &mut Block) -> bool {
        let Some(mut rounds) = self.plan_rounds(lanes) else { return false };
        let striped = self.block.threads * self.block.items;
        let tile = [self.tile[1], self.tile[2]].map(Atom::Var);
        let one = match self.tiles {
            Tiles::Even { grain, .. } => *grain <= striped && [lanes.from, lanes.to] == tile,
            Tiles::Cut { grain, own: [start, from, to], .. } => {
                let ranges = [[*start, self.tile[2]], [*from, *to]].map(|r| r.map(Atom::Var));
                *grain <= striped && ranges.contains(&[lanes.from, lanes.to])
            }
            _ => false,
        };
        if !one && rounds.scans.iter().any(|scan| scan.restart.is_some()) {
            unreachable!("what restarts is one striped array")
        }
        for combined in &rounds.combined {
            let identity =
                Atom::Const(self.widths.identity(combined.monoid, self.vars[combined.carry.var]));
            out.push(Stmt::Store(combined.array, ZERO, identity));
        }
        let totals: Vec<Operand> = if one {
            self.round(&mut rounds, lanes.from, true, out);
            rounds.scans.iter().map(|s| total(s)).collect()
        } else {
            if rounds.stages > 1 && rounds.scans.iter().any(|s| s.carry.chained) {
                return false;
            }
            let starts = self.starts(&rounds, out);
            self.several_rounds(&mut rounds, &starts, out)
        };
        self.results(&rounds, &totals, one, out);
        true
    }

    /// What is scanned, and in what order; none where the loop is no scan that is known.
    fn plan_rounds<'k>(&mut self, lanes: Lanes<'k>) -> Option<Rounds<'k>> {
        let mut scans: Vec<Scanned<'k>> = Vec::new();
        let mut rest = Vec::new();
        for carry in lanes.carried {
            if !(carry.chained || is_scanned(carry, lanes.body)) {
                rest.push(carry);
                continue;
            }
            let monoid = carry.monoid?;
            let identity = self.widths.identity(monoid, self.vars[carry.var]);
            let adds = adds(carry, monoid, lanes.body, identity)?;
            let same = |s: &Scanned<'_>| {
                (s.adds, s.monoid, s.carry.init, s.carry.chained)
                    == (adds, monoid, carry.init, carry.chained)
                    && s.restart.is_none()
                    && carry.restart.is_none()
            };
            if let Some(scan) = scans.iter_mut().find(|s| same(s)) {
                scan.twins.push(carry);
                continue;
            }
            let array = self.array(self.vars[carry.var], ArgKind::Private(self.block.items));
            let flag = counted(adds, monoid, lanes.body).filter(|_| carry.restart.is_none());
            let (source, from) = match flag {
                Some(flag) => (flag, self.array(Ty::Bool, ArgKind::Private(self.block.items))),
                None => (adds, array),
            };
            let restart = carry
                .restart
                .map(|at| (at, self.array(Ty::Bool, ArgKind::Private(self.block.items))));
            // What can fail is computed with its checks, also after the scan.
            let own = if let Atom::Var(adds) = adds { vec![adds] } else { Vec::new() };
            let plain = !can_fail(&slice(lanes.body, &own), &|atom| Some(self.ty(atom)));
            let (start, stage, total, any) = (carry.init, 0, None, None);
            scans.push(Scanned {
                carry,
                twins: Vec::new(),
                monoid,
                adds,
                source,
                from,
                array,
                restart,
                chosen: chosen_only(carry, lanes.body).filter(|_| restart.is_some() && plain),
                stage,
                start,
                total,
                any,
            });
        }
        let stages = stages(&mut scans, lanes.body)?;
        let (mut combined, mut equal) = (Vec::new(), Vec::new());
        for carry in rest {
            let monoid = carry.monoid?;
            let ty = self.vars[carry.var];
            let identity = self.widths.identity(monoid, ty);
            let own = adds(carry, monoid, lanes.body, identity);
            let same = scans
                .iter()
                .position(|s| Some(s.adds) == own && s.monoid == monoid && s.restart.is_none());
            match same.filter(|_| carry.init == Atom::Const(identity)) {
                Some(scan) => equal.push((carry, scan)),
                None => {
                    let array = self.array(ty, ArgKind::Private(1));
                    combined.push(Combined { carry, monoid, array });
                }
            }
        }
        Some(Rounds {
            lanes,
            scans,
            combined,
            equal,
            kept: BTreeMap::new(),
            elements: Vec::new(),
            checked: Vec::new(),
            stages,
        })
    }

    /// What chained values start with in this tile, and what the tile adds to them.
    fn starts(&mut self, rounds: &Rounds<'_>, out: &mut Block) -> Vec<Option<(Operand, Operand)>> {
        let Lanes { index, from, to, body, .. } = rounds.lanes;
        let mut carried = Vec::new();
        let mut needed = Vec::new();
        for scan in rounds.scans.iter().filter(|s| s.carry.chained) {
            let ty = self.vars[scan.carry.var];
            let init = Atom::Const(self.widths.identity(scan.monoid, ty));
            carried.push(Carry { init, chained: false, ..scan.carry.clone() });
            needed.push(scan.carry.result);
        }
        if carried.is_empty() {
            return vec![None; rounds.scans.len()];
        }
        let first = self.op(out, ScalarOp::Add, &[from, Atom::Var(self.rank)]);
        let way = Way::Stride(self.block.threads);
        let body = in_thread(body);
        let whole = Stmt::For { index, from: first, to, carried, body, way };
        let slice = slice_with_checks(&vec![whole], &needed, &[], &|atom| Some(self.ty(atom)));
        let (block, name) = self.renamed(&slice);
        out.extend(block);
        let (mut sums, mut links) = (Vec::new(), Vec::new());
        for scan in rounds.scans.iter().filter(|s| s.carry.chained) {
            let ty = self.vars[scan.carry.var];
            let (sum, before) = (self.fresh(ty), self.fresh(ty));
            sums.push((sum, Atom::Var(name(scan.carry.result)), scan.monoid));
            links.push((before, Atom::Var(sum), scan.monoid));
        }
        out.push(Stmt::Combine(sums));
        out.push(Stmt::Chain { links: links.clone(), restarts: Vec::new(), first_warp: false });
        let mut links = links.into_iter();
        let mut starts = Vec::new();
        for scan in &rounds.scans {
            starts.push(if scan.carry.chained { links.next() } else { None }.map(
                |(before, sum, monoid)| {
                    let start = self.combine(out, monoid, scan.carry.init, Atom::Var(before));
                    (start, sum)
                },
            ));
        }
        starts
    }

    /// Rounds one after the other; gives where the scans end.
    fn several_rounds(
        &mut self,
        rounds: &mut Rounds<'_>,
        starts: &[Option<(Operand, Operand)>],
        out: &mut Block,
    ) -> Vec<Operand> {
        let Lanes { from, to, .. } = rounds.lanes;
        let striped = i64::from(self.block.threads * self.block.items);
        let len = self.op(out, ScalarOp::Sub, &[to, from]);
        let up = self.op(out, ScalarOp::Add, &[len, int(striped - 1)]);
        let none = self.op(out, ScalarOp::Max, &[up, ZERO]);
        let count = self.op(out, ScalarOp::Div, &[none, int(striped)]);
        let round = self.fresh(Ty::I64);
        let mut carried = Vec::new();
        for (scan, start) in rounds.scans.iter_mut().zip(starts) {
            let ty = self.vars[scan.carry.var];
            let (var, result) = (self.fresh(ty), self.fresh(ty));
            let init = start.map_or(scan.carry.init, |(start, _)| start);
            scan.start = Atom::Var(var);
            carried.push(Carry {
                var,
                init,
                next: init,
                result,
                monoid: None,
                chained: false,
                restart: None,
            });
        }
        let mut body = Vec::new();
        let done = self.op(&mut body, ScalarOp::Mul, &[Atom::Var(round), int(striped)]);
        let base = self.op(&mut body, ScalarOp::Add, &[from, done]);
        self.round(rounds, base, false, &mut body);
        for (scan, carry) in rounds.scans.iter().zip(&mut carried) {
            carry.next = self.combine(&mut body, scan.monoid, scan.start, total(scan));
        }
        let ends = carried.iter().map(|carry| Atom::Var(carry.result)).collect();
        let (index, way) = (round, Way::Serial);
        out.push(Stmt::For { index, from: ZERO, to: count, carried, body, way });
        // What the tile adds is known from before.
        for (scan, start) in rounds.scans.iter_mut().zip(starts) {
            if let Some((_, Atom::Var(sum))) = start {
                scan.total = Some(*sum);
            }
        }
        ends
    }

    /// One round from `base` on; `chained` if the tiles before come in here.
    fn round(&mut self, rounds: &mut Rounds<'_>, base: Operand, chained: bool, out: &mut Block) {
        let lane = self.first_lane(base, out);
        let (mut rows, mut sums) = (None, Vec::new());
        for stage in 0..rounds.stages {
            self.stage(rounds, stage, lane, out);
            let members = || rounds.scans.iter().enumerate().filter(|(_, s)| s.stage == stage);
            let mut scans = Vec::new();
            let mut totals = Vec::new();
            for (n, scan) in members() {
                let total = self.fresh(self.vars[scan.carry.var]);
                totals.push((n, total));
                let (from, to) = (scan.from, scan.array);
                let restarts = scan.restart.map(|(_, flags)| (flags, self.fresh(Ty::Bool)));
                let inclusive = scan.chosen.is_some();
                scans.push(Scan { from, to, total, monoid: scan.monoid, restarts, inclusive });
            }
            let anys: Vec<Option<Var>> = scans.iter().map(|s| Some(s.restarts?.1)).collect();
            rows = self.owner.filter(|&owner| chained && is_for_rows(rounds, owner));
            match rows {
                Some(owner) => sums = self.row_sums(&scans, owner, out),
                None => out.push(Stmt::Scan(scans)),
            }
            let (mut links, mut restarts) = (Vec::new(), Vec::new());
            for ((n, total), any) in totals.into_iter().zip(anys) {
                rounds.scans[n].total = Some(total);
                rounds.scans[n].any = any;
                let scan = &rounds.scans[n];
                if chained && scan.carry.chained {
                    let before = self.fresh(self.vars[total]);
                    restarts.extend(any.map(|any| (links.len(), Atom::Var(any))));
                    links.push((before, Atom::Var(total), scan.monoid));
                    rounds.scans[n].start = Atom::Var(before);
                }
            }
            if !links.is_empty() {
                // Only the first row of a tile can have begun before, and the first thread has it.
                out.push(Stmt::Chain { links, restarts, first_warp: rows.is_some() });
            }
            if chained {
                for scan in rounds.scans.iter_mut().filter(|s| s.stage == stage) {
                    if scan.carry.chained {
                        let init = scan.carry.init;
                        scan.start = self.combine(out, scan.monoid, init, scan.start);
                    }
                }
            }
        }
        match rows {
            Some(owner) => self.row_stage(rounds, owner, &sums, out),
            None => self.last_stage(rounds, lane, out),
        }
    }

    /// What the lanes add to the scans of a stage.
    fn stage(&mut self, rounds: &mut Rounds<'_>, stage: usize, lane: Operand, out: &mut Block) {
        let Lanes { index, to, body, .. } = rounds.lanes;
        let own = rounds.scans.iter().filter(|s| s.stage == stage);
        let needed: Vec<Var> = own
            .flat_map(|s| [s.source].into_iter().chain(s.restart.map(|r| r.0)))
            .filter_map(|a| if let Atom::Var(v) = a { Some(v) } else { None })
            .collect();
        let later = rounds.scans.iter().filter(|s| s.stage >= stage).flat_map(Scanned::vars);
        let combined = rounds.combined.iter().map(|combined| combined.carry.var);
        let unknown: Vec<Var> = later.chain(combined).collect();
        let ty = |atom| Some(self.ty(atom));
        let own = slice_with_free_checks(&in_thread(body), &needed, &unknown, &ty);
        let own: Block = own.into_iter().filter(|stmt| !rounds.checked.contains(stmt)).collect();
        // What else can fail is computed again, with the checks that look at it.
        let (checks, others): (Block, Block) = own.iter().cloned().partition(is_check);
        if !can_fail(&others, &ty) {
            rounds.checked.extend(checks);
        }
        let item = self.fresh(Ty::I64);
        let mut inside = Vec::new();
        let at = self.item(item, lane, &mut inside);
        let live = self.op(&mut inside, ScalarOp::Lt, &[at, to]);
        let mut then = Vec::new();
        self.name(&mut then, index, at);
        self.prefixes(rounds, stage, item, &mut then);
        let mut fresh = Vec::new();
        for stmt in &own {
            match self.recall(rounds, stmt, item) {
                Some(read) => then.extend(read),
                None => {
                    then.push(stmt.clone());
                    let owner = stmt.reads().iter().any(|arg| self.owners.contains(arg));
                    let read = is_read(stmt) && !owner;
                    fresh.extend(read.then(|| stmt.results()).into_iter().flatten());
                }
            }
        }
        let used_later = |var: &Var| {
            let mut left = body.iter().filter(|stmt| !stmt.results().contains(var));
            left.any(|stmt| stmt.operands().contains(&Atom::Var(*var)))
        };
        for var in fresh.into_iter().filter(used_later) {
            let array = self.array(self.vars[var], ArgKind::Private(self.block.items));
            then.push(Stmt::Store(array, Atom::Var(item), Atom::Var(var)));
            rounds.kept.insert(var, array);
            let element = own.iter().filter(|stmt| stmt.results() == [var]).find_map(element);
            let steady = |(buffer, _): &(Arg, Operand)| self.args[*buffer].kind == ArgKind::In;
            let element = element.filter(steady);
            rounds.elements.extend(element.map(|(buffer, at)| (buffer, at, array)));
        }
        let mut els = Vec::new();
        for scan in rounds.scans.iter().filter(|s| s.stage == stage) {
            then.push(Stmt::Store(scan.from, Atom::Var(item), scan.source));
            let none = if scan.from == scan.array {
                self.widths.identity(scan.monoid, self.vars[scan.carry.var])
            } else {
                Const::Bool(false)
            };
            els.push(Stmt::Store(scan.from, Atom::Var(item), Atom::Const(none)));
            if let Some((at, flags)) = scan.restart {
                then.push(Stmt::Store(flags, Atom::Var(item), at));
                let no = Atom::Const(Const::Bool(false));
                els.push(Stmt::Store(flags, Atom::Var(item), no));
            }
        }
        let (then, _) = self.renamed(&then);
        inside.push(Stmt::If(live, then, els));
        out.push(self.items(item, inside));
    }

    /// The whole body, with the values of all scans.
    fn last_stage(&mut self, rounds: &Rounds<'_>, lane: Operand, out: &mut Block) {
        let Lanes { index, to, body, .. } = rounds.lanes;
        let item = self.fresh(Ty::I64);
        let mut inside = Vec::new();
        let at = self.item(item, lane, &mut inside);
        let live = self.op(&mut inside, ScalarOp::Lt, &[at, to]);
        let mut then = Vec::new();
        self.name(&mut then, index, at);
        self.prefixes(rounds, rounds.stages, item, &mut then);
        for combined in &rounds.combined {
            let own = self.read(&mut then, combined.array, ZERO);
            self.name(&mut then, combined.carry.var, own);
        }
        for stmt in &in_thread(body) {
            if rounds.equal.iter().any(|(carry, _)| defines(stmt, carry.next))
                || rounds.is_summed(stmt)
                || rounds.checked.contains(stmt)
            {
                continue;
            }
            self.recalled(rounds, stmt, item, &mut then);
        }
        for combined in &rounds.combined {
            then.push(Stmt::Store(combined.array, ZERO, combined.carry.next));
        }
        if !can_fail(&then, &|atom| Some(self.ty(atom))) {
            then.retain(|stmt| !matches!(stmt, Stmt::Positions(_)));
        }
        inside.push(Stmt::If(live, then, Vec::new()));
        out.push(self.items(item, inside));
    }

    /// The loop over the elements that a thread has.
    fn items(&self, index: Var, body: Block) -> Stmt {
        let to = int(self.block.items);
        Stmt::For { index, from: ZERO, to, carried: Vec::new(), body, way: Way::Unroll }
    }

    /// The lane of a thread's first element: each warp has a part of the striped array.
    fn first_lane(&mut self, base: Operand, out: &mut Block) -> Operand {
        let rank = Atom::Var(self.rank);
        let target::Block { threads, items } = self.block;
        if threads <= WARP {
            return self.op(out, ScalarOp::Add, &[base, rank]);
        }
        let warp = self.op(out, ScalarOp::Div, &[rank, int(WARP)]);
        let skipped = self.op(out, ScalarOp::Mul, &[warp, int(WARP * (items - 1))]);
        let first = self.op(out, ScalarOp::Add, &[skipped, rank]);
        self.op(out, ScalarOp::Add, &[base, first])
    }

    /// The lane of an element.
    fn item(&mut self, item: Var, lane: Operand, out: &mut Block) -> Operand {
        let warp = self.block.threads.min(WARP);
        let beyond = self.op(out, ScalarOp::Mul, &[Atom::Var(item), int(warp)]);
        self.op(out, ScalarOp::Add, &[lane, beyond])
    }

    /// The carried values of scans of the stages before.
    fn prefixes(&mut self, rounds: &Rounds<'_>, stage: usize, item: Var, out: &mut Block) {
        for scan in rounds.scans.iter().filter(|s| s.stage < stage) {
            let own = self.read(out, scan.array, Atom::Var(item));
            let identity =
                Atom::Const(self.widths.identity(scan.monoid, self.vars[scan.carry.var]));
            let value = if scan.start == identity {
                own
            } else {
                self.op(out, scan.monoid.op(), &[scan.start, own])
            };
            let value = match scan.restart {
                Some((_, flags)) => {
                    let before = self.read(out, flags, Atom::Var(item));
                    self.op(out, ScalarOp::Select, &[before, own, value])
                }
                None => value,
            };
            match (scan.chosen, scan.carry.next) {
                (Some(_), Atom::Var(next)) => self.name(out, next, value),
                _ => scan.vars().for_each(|var| self.name(out, var, value)),
            }
        }
    }

    /// A statement, with what it and those in it have found before.
    fn recalled(&mut self, rounds: &Rounds<'_>, stmt: &Stmt, item: Var, out: &mut Block) {
        if let Some(reads) = self.recall(rounds, stmt, item) {
            return out.extend(reads);
        }
        let mut inner = |block: &Block| {
            let mut inside = Vec::new();
            block.iter().for_each(|stmt| self.recalled(rounds, stmt, item, &mut inside));
            inside
        };
        out.push(match stmt {
            Stmt::If(cond, then, els) => Stmt::If(*cond, inner(then), inner(els)),
            _ => stmt.clone(),
        });
    }

    /// Reads of what a statement has found before.
    fn recall(&mut self, rounds: &Rounds<'_>, stmt: &Stmt, item: Var) -> Option<Block> {
        let results = stmt.results();
        let same = element(stmt).and_then(|(buffer, at)| {
            rounds.elements.iter().find(|(b, i, _)| (*b, *i) == (buffer, at))
        });
        if let Some(&(_, _, array)) = same {
            return Some(vec![assign(results[0], Op::Read(array, Atom::Var(item)))]);
        }
        let known = |var: &Var| rounds.kept.get(var).copied();
        if results.is_empty() || !is_read(stmt) || !results.iter().any(|v| known(v).is_some()) {
            return None;
        }
        let reads = results.iter().filter_map(|var| {
            known(var).map(|array| assign(*var, Op::Read(array, Atom::Var(item))))
        });
        Some(reads.collect())
    }

    /// Names what the loop gives.
    fn results(&mut self, rounds: &Rounds<'_>, ends: &[Operand], one: bool, out: &mut Block) {
        for (scan, &end) in rounds.scans.iter().zip(ends) {
            let all = if one { self.combine(out, scan.monoid, scan.start, end) } else { end };
            let end = match scan.any.filter(|_| one) {
                Some(any) => self.op(out, ScalarOp::Select, &[Atom::Var(any), end, all]),
                None => all,
            };
            self.name(out, scan.carry.result, end);
            scan.twins.iter().for_each(|twin| self.name(out, twin.result, end));
        }
        let mut links = Vec::new();
        for combined in &rounds.combined {
            let own = self.read(out, combined.array, ZERO);
            let sum = self.fresh(self.vars[combined.carry.var]);
            links.push((sum, own, combined.monoid));
        }
        if !links.is_empty() {
            out.push(Stmt::Combine(links.clone()));
        }
        for (combined, (sum, _, monoid)) in rounds.combined.iter().zip(links) {
            let value = self.combine(out, monoid, combined.carry.init, Atom::Var(sum));
            self.name(out, combined.carry.result, value);
        }
        for &(carry, scan) in &rounds.equal {
            let value = total(&rounds.scans[scan]);
            self.name(out, carry.result, value);
        }
    }
}

/// What a round adds to a scan.
fn total(scan: &Scanned<'_>) -> Operand {
    Atom::Var(scan.total.unwrap_or_else(|| unreachable!("the scan is after its stage")))
}

/// Whether a statement does nothing but check.
fn is_check(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Scalar(scalar::Stmt::Require { .. }))
}

/// The element of a buffer that a statement reads.
fn element(stmt: &Stmt) -> Option<(Arg, Operand)> {
    match stmt {
        Stmt::Scalar(scalar::Stmt::Let(_, Op::Read(buffer, at))) => Some((*buffer, *at)),
        _ => None,
    }
}

/// Whether a statement takes something from memory that is not to be taken twice.
fn is_read(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Scalar(_) | Stmt::Owner { .. })
        && !stmt.reads().is_empty()
        && !stmt.results().is_empty()
}
