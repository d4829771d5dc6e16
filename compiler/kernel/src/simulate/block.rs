//! A block of threads that runs a tile, from collective to collective.

use super::memory::Arrays;
use super::order::Order;
use super::report::{Event, Report};
use super::thread::{Place, Stop, Thread, World};
use super::trace::Who;
use crate::eval::Failure;
use crate::ir::{Block as Stmts, Elements, Rows, Scan, Segments, Stmt};
use crate::{Operand, Var};
use prim::{Const, Monoid, Ty, Widths};

/// A block with a tile.
pub(super) struct Block<'a> {
    pub(super) report: Report<'a>,
    threads: Vec<Thread<'a>>,
    shared: Arrays,
    /// The chain at which it waits for the tiles before.
    pub(super) waits: Option<&'a Stmt>,
    /// The epoch that goes on after that chain, at which not all threads have waited.
    pub(super) unfinished: Option<u64>,
}

/// Where the threads of a block have met.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meeting<'a> {
    /// At a collective.
    At(&'a Stmt),
    /// At the end.
    End,
}

/// Threads of a warp.
const WARP: usize = 32;

impl<'a> Block<'a> {
    /// So many threads before the first statement.
    pub(super) fn new(report: Report<'a>, stmts: &'a Stmts, count: u32) -> Self {
        let threads = (0..count).map(|rank| Thread::new(report.kernel, stmts, rank)).collect();
        Block {
            report,
            threads,
            shared: Arrays::shared(report.kernel),
            waits: None,
            unfinished: None,
        }
    }

    /// Gives a variable of each thread a value.
    pub(super) fn set(&mut self, var: Var, value: impl Fn(u32) -> Const) {
        for thread in &mut self.threads {
            thread.vars[var] = value(thread.rank);
        }
    }

    /// Runs the threads until they meet.
    pub(super) fn epoch(
        &mut self,
        world: &mut World<'a>,
        order: &mut Order,
        epoch: u64,
    ) -> Result<Meeting<'a>, Failure> {
        let Block { report, threads, shared, .. } = self;
        let mut place = Place { world, shared, report: *report, epoch };
        let stops = order.run(threads, |thread| thread.step(&mut place));
        let events = self.threads.iter_mut().filter_map(|thread| thread.event.take());
        if let Some(Event { failure, .. }) = events.min_by(|a, b| a.key.cmp(&b.key)) {
            return Err(failure);
        }
        let apart = |n: &usize| !self.threads[*n].is_beside(&self.threads[0]);
        match (1..self.threads.len()).find(apart) {
            None => Ok(meeting(stops[0])),
            Some(n) => Err(self.parted(n, meeting(stops[0]), meeting(stops[n]))),
        }
    }

    /// Thread 0 and another are in different places.
    fn parted(&self, n: usize, first: Meeting<'_>, other: Meeting<'_>) -> Failure {
        let place = |meeting| match meeting {
            Meeting::At(stmt) => format!("waits at {}", self.report.stmt(stmt)),
            Meeting::End => "is at the end".to_owned(),
        };
        let (first, mut other) = (place(first), place(other));
        if first == other {
            other.push_str(" in another iteration");
        }
        self.report.wrong(&format!("threads part: thread 0 {first}, thread {n} {other}"))
    }

    /// Goes on after a collective.
    fn pass(&mut self) {
        self.threads.iter_mut().for_each(Thread::pass);
    }

    /// The values of an operand in all threads.
    fn values(&self, operand: Operand, world: &World<'_>) -> Vec<Const> {
        self.threads.iter().map(|thread| thread.value(operand, &world.buffers)).collect()
    }

    /// The value of an operand that is the same in all threads.
    pub(super) fn uniform(
        &self,
        operand: Operand,
        stmt: &Stmt,
        world: &World<'_>,
    ) -> Result<Const, Failure> {
        let values = self.values(operand, world);
        match values.iter().position(|value| *value != values[0]) {
            None => Ok(values[0]),
            Some(n) => {
                let message =
                    format!("{operand} is {} in thread 0, {} in thread {n}", values[0], values[n]);
                let place = self.report.stmt(stmt);
                Err(self.report.wrong(&format!("{message}, at {place}")))
            }
        }
    }

    /// Ends a chain with the prefixes of this tile; threads after the first warp have `others`
    /// instead, if given.
    pub(super) fn link(
        &mut self,
        links: &[(Var, Operand, Monoid)],
        prefixes: &[Const],
        others: Option<&[Const]>,
    ) {
        for (n, &(var, ..)) in links.iter().enumerate() {
            self.set(var, |rank| match others {
                Some(others) if rank as usize >= WARP => others[n],
                _ => prefixes[n],
            });
        }
        self.waits = None;
        self.pass();
    }

    /// What happens inside the block when threads meet.
    pub(super) fn collective(
        &mut self,
        stmt: &'a Stmt,
        world: &mut World<'a>,
        epoch: u64,
    ) -> Result<(), Failure> {
        match stmt {
            Stmt::Combine(links) => {
                let widths = world.program.widths;
                let sums: Vec<(Var, Const)> = links
                    .iter()
                    .filter_map(|&(var, value, monoid)| {
                        let values = self.values(value, world).into_iter();
                        Some((var, values.reduce(|a, b| monoid.combine(widths, a, b))?))
                    })
                    .collect();
                sums.into_iter().for_each(|(var, sum)| self.set(var, |_| sum));
            }
            Stmt::Scan(scans) => {
                for scan in scans {
                    self.scan(scan, stmt, world.program.widths, epoch)?;
                }
            }
            Stmt::Owners(told) => {
                self.elements(told, stmt, world, epoch, |index, _| Const::I64(index))?;
            }
            Stmt::Ends(told) => {
                self.elements(told, stmt, world, epoch, |_, ends| Const::Bool(ends))?;
            }
            Stmt::Rows(rows) => self.rows(rows, stmt, world, epoch)?,
            Stmt::Barrier | Stmt::Partial(..) => {}
            Stmt::Chain { .. } => unreachable!("a chain is a matter of several blocks"),
            Stmt::Scalar(_)
            | Stmt::If(..)
            | Stmt::For { .. }
            | Stmt::Pack { .. }
            | Stmt::Store(..)
            | Stmt::Raise(..)
            | Stmt::Positions(_)
            | Stmt::Owner { .. } => unreachable!("no collective"),
        }
        self.pass();
        Ok(())
    }

    /// Something of each of many elements, found and told by the first thread: `tell` is given the
    /// index of the element's segment, counted from the first, and whether the element ends it.
    fn elements(
        &mut self,
        told: &Elements,
        stmt: &Stmt,
        world: &mut World<'a>,
        epoch: u64,
        tell: impl Fn(i64, bool) -> Const,
    ) -> Result<(), Failure> {
        let Elements { to, segments, range, elements } = told;
        let int = |operand: Operand| Ok(self.uniform(operand, stmt, world)?.int());
        let [first, last] = [int(range[0])?, int(range[1])?];
        let [from, end] = [int(elements[0])?, int(elements[1])?];
        let even = match segments {
            Segments::Even(len) => int(*len)?.max(1),
            Segments::Offsets(..) => 1,
        };
        let who = Who { thread: 0, epoch, tile: self.report.tile };
        let wrong = |m: String| self.report.in_thread(&m, 0, stmt);
        let mut index = first;
        for element in from..end {
            let ends;
            if let Segments::Offsets(offsets, _) = segments {
                let mut start = |at| Ok(world.buffers.read(*offsets, at, who)?.int());
                while start(index + 1).map_err(wrong)? <= element {
                    index += 1;
                }
                if index >= last || start(index).map_err(wrong)? > element {
                    return Err(wrong(format!("no segment of {offsets} has element {element}")));
                }
                ends = start(index + 1).map_err(wrong)? == element + 1;
            } else {
                index = element / even;
                ends = element % even == even - 1;
            }
            let told = self.shared.store(*to, element - from, tell(index - first, ends), who);
            told.map_err(wrong)?;
        }
        Ok(())
    }

    /// The values of a striped array combined segment by segment.
    fn rows(
        &mut self,
        rows: &Rows,
        stmt: &Stmt,
        world: &World<'a>,
        epoch: u64,
    ) -> Result<(), Failure> {
        let kernel = self.report.kernel;
        let widths = world.program.widths;
        let count = self.uniform(rows.count, stmt, world)?.int();
        let identity = widths.identity(rows.monoid, kernel.vars[rows.total]);
        let items = i64::from(kernel.args[rows.from].kind.own_len().unwrap_or(0));
        let warp = WARP.min(self.threads.len()) as i64;
        let tile = self.report.tile;
        let (mut sum, mut any) = (identity, false);
        for element in 0..count {
            let (row, lane) = (element / warp, element % warp);
            let rank = row / items * warp + lane;
            let at_thread = |rank: i64| usize::try_from(rank).unwrap_or(usize::MAX);
            let Some(thread) = self.threads.get_mut(at_thread(rank)) else {
                let message = format!("the block has no element {element}");
                return Err(self.report.in_thread(&message, 0, stmt));
            };
            let who = Who { thread: thread.rank, epoch, tile };
            let k = row % items;
            let wrong = |m: String| self.report.in_thread(&m, who.thread, stmt);
            let value = thread.private.read(rows.from, k, who).map_err(wrong)?;
            sum = rows.monoid.combine(widths, sum, value);
            if self.shared.read(rows.ends, element, who).map_err(wrong)?.bool() {
                let told = self.shared.store(rows.to, element, sum, Who { thread: 0, ..who });
                told.map_err(|m| self.report.in_thread(&m, who.thread, stmt))?;
                (sum, any) = (identity, true);
            }
        }
        self.set(rows.total, |_| sum);
        self.set(rows.any, |_| Const::Bool(any));
        Ok(())
    }

    /// The prefixes of a striped array: warp by warp, element by element, thread by thread.
    fn scan(
        &mut self,
        scan: &Scan,
        stmt: &Stmt,
        widths: Widths,
        epoch: u64,
    ) -> Result<(), Failure> {
        let Scan { from, to, total, monoid, restarts, inclusive } = *scan;
        let kernel = self.report.kernel;
        let counts = kernel.vars[total] == Ty::I64;
        let mut sum = widths.identity(monoid, kernel.vars[total]);
        let mut restarted = false;
        let items = i64::from(kernel.args[from].kind.own_len().unwrap_or(0));
        let rows = self.threads.len().div_ceil(WARP) as i64 * items;
        for row in 0..rows {
            let (first, k) = ((row / items) as usize * WARP, row % items);
            for thread in self.threads[first..].iter_mut().take(WARP) {
                let who = Who { thread: thread.rank, epoch, tile: self.report.tile };
                let private = &mut thread.private;
                let here = match restarts {
                    None => Ok(false),
                    Some((at, _)) => private.read(at, k, who).and_then(|here| {
                        let before = Const::Bool(restarted || (inclusive && here.bool()));
                        private.store(at, k, before, who).map(|()| here.bool())
                    }),
                };
                let here = here.map_err(|m| self.report.in_thread(&m, thread.rank, stmt))?;
                let value = private.read(from, k, who);
                let value = value.map_err(|m| self.report.in_thread(&m, thread.rank, stmt))?;
                let value = match value {
                    Const::Bool(b) if counts => Const::I64(i64::from(b)),
                    value => value,
                };
                let before = sum;
                if here {
                    (sum, restarted) = (widths.identity(monoid, kernel.vars[total]), true);
                }
                sum = monoid.combine(widths, sum, value);
                let prefix = if inclusive { sum } else { before };
                let stored = private.store(to, k, prefix, who);
                stored.map_err(|m| self.report.in_thread(&m, thread.rank, stmt))?;
            }
        }
        if let Some((_, any)) = restarts {
            self.set(any, |_| Const::Bool(restarted));
        }
        self.set(total, |_| sum);
        Ok(())
    }
}

fn meeting(stop: Stop<'_>) -> Meeting<'_> {
    match stop {
        Stop::At(stmt) => Meeting::At(stmt),
        Stop::End => Meeting::End,
        Stop::Failed => unreachable!("a failed thread has left an event"),
    }
}
