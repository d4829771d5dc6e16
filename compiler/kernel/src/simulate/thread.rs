//! One thread: runs statement by statement until it comes to a collective.

use super::memory::{Arrays, Buffers, View};
use super::report::{Event, Report};
use super::scalar::{Ready, Trouble};
use super::trace::Who;
use crate::eval::Failure;
use crate::ir::{Block, Kernel, Program, Segments, Stmt, Way};
use crate::{Operand, Var};
use base::IdMap;
use prim::Const;
use rustc_hash::FxHashMap;
use scalar::Atom;
use std::rc::Rc;

/// What all threads of a launch have around them.
pub(super) struct World<'a> {
    pub(super) program: &'a Program,
    pub(super) kernel: &'a Kernel,
    pub(super) buffers: Buffers<'a>,
    /// Statements with blocks of scalar code, made ready.
    pub(super) ready: FxHashMap<usize, Rc<Ready>>,
}

/// What a thread has around it in a tile.
pub(super) struct Place<'p, 'a> {
    pub(super) world: &'p mut World<'a>,
    pub(super) shared: &'p mut Arrays,
    pub(super) report: Report<'a>,
    /// The number of the epoch.
    pub(super) epoch: u64,
}

/// A thread under way.
pub(super) struct Thread<'a> {
    pub(super) rank: u32,
    pub(super) vars: IdMap<Var, Const>,
    pub(super) private: Arrays,
    /// The open blocks, innermost last.
    open: Vec<Open<'a>>,
    /// Those of the lane, once they were told in this iteration.
    positions: Option<Vec<i64>>,
    /// What has stopped it.
    pub(super) event: Option<Event>,
}

/// A block of statements under way.
struct Open<'a> {
    block: &'a Block,
    /// The next statement.
    at: usize,
    /// The loop whose body it is.
    turn: Option<Turn<'a>>,
}

/// An iteration.
struct Turn<'a> {
    stmt: &'a Stmt,
    now: i64,
    to: i64,
    /// How many were before it.
    done: usize,
}

/// Why a thread does not go on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop<'a> {
    /// It has come to a collective.
    At(&'a Stmt),
    /// It has come to the end.
    End,
    /// It has failed.
    Failed,
}

impl<'a> Thread<'a> {
    /// A thread before its first statement.
    pub(super) fn new(kernel: &'a Kernel, block: &'a Block, rank: u32) -> Self {
        Thread {
            rank,
            vars: kernel.vars.values().map(|ty| ty.zero()).collect(),
            private: Arrays::private(kernel),
            open: vec![Open { block, at: 0, turn: None }],
            positions: None,
            event: None,
        }
    }

    pub(super) fn value(&self, operand: Operand, buffers: &Buffers<'_>) -> Const {
        match operand {
            Atom::Var(v) => self.vars[v],
            Atom::Const(c) => c,
            Atom::Outer(arg, _) => buffers.scalar(arg),
        }
    }

    /// Goes past the collective at which it stands.
    pub(super) fn pass(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.at += 1;
        }
    }

    /// Whether another thread stands at the same statement, in the same iterations.
    pub(super) fn is_beside(&self, other: &Thread<'_>) -> bool {
        let same = |(a, b): (&Open<'_>, &Open<'_>)| {
            let done = |open: &Open<'_>| open.turn.as_ref().map(|turn| turn.done);
            std::ptr::eq(a.block, b.block) && a.at == b.at && done(a) == done(b)
        };
        self.open.len() == other.open.len() && self.open.iter().zip(&other.open).all(same)
    }

    /// Runs one statement, or ends an iteration.
    pub(super) fn step(&mut self, place: &mut Place<'_, 'a>) -> Option<Stop<'a>> {
        let Some(open) = self.open.last_mut() else { return Some(Stop::End) };
        let Some(stmt) = open.block.get(open.at) else {
            self.end_block(place);
            return None;
        };
        if stmt.is_collective() {
            return Some(Stop::At(stmt));
        }
        open.at += 1;
        let trouble = self.stmt(stmt, place).err()?;
        let failure = match trouble {
            Trouble::Fault(fault) => match self.positions.take() {
                Some(positions) => Failure::Fault(fault, positions),
                None => place.report.in_thread("a fault without positions", self.rank, stmt),
            },
            Trouble::Wrong(message) => place.report.in_thread(&message, self.rank, stmt),
        };
        self.event = Some(Event { key: self.key(), failure });
        Some(Stop::Failed)
    }

    /// Where the thread stands in the order of a serial machine: iterations of loops around
    /// collectives, statement, lane.
    fn key(&self) -> Vec<usize> {
        let mut key = Vec::new();
        for open in &self.open {
            if let Some(turn) = &open.turn {
                key.push(turn.done);
                if !has_collective(open.block) {
                    break;
                }
            }
            key.push(open.at);
        }
        key.push(self.rank as usize);
        key
    }

    fn stmt(&mut self, stmt: &'a Stmt, place: &mut Place<'_, 'a>) -> Result<(), Trouble> {
        match stmt {
            Stmt::Scalar(scalar) => self.scalar(scalar, place)?,
            Stmt::If(cond, then, els) => {
                let cond = self.value(*cond, &place.world.buffers).bool();
                let block = if cond { then } else { els };
                self.open.push(Open { block, at: 0, turn: None });
            }
            Stmt::For { from, to, carried, body, .. } => {
                let value = |operand| self.value(operand, &place.world.buffers);
                let (now, to) = (value(*from).int(), value(*to).int());
                let init: Vec<Const> = carried.iter().map(|carry| value(carry.init)).collect();
                for (carry, value) in carried.iter().zip(init) {
                    self.vars[carry.var] = value;
                }
                self.open.push(Open { block: body, at: 0, turn: None });
                self.begin_turn(Turn { stmt, now, to, done: 0 });
            }
            Stmt::Store(arg, index, value) => {
                let index = self.value(*index, &place.world.buffers).int();
                let value = self.value(*value, &place.world.buffers);
                self.view(place).store(*arg, index, value)?;
            }
            Stmt::Raise(arg, index, value) => {
                let index = self.value(*index, &place.world.buffers).int();
                let value = self.value(*value, &place.world.buffers);
                place.world.buffers.raise(*arg, index, value)?;
            }
            Stmt::Positions(atoms) => {
                let value = |&atom| self.value(atom, &place.world.buffers).int();
                self.positions = Some(atoms.iter().map(value).collect());
            }
            Stmt::Owner { index, segments, range, element } => {
                let value = |operand| self.value(operand, &place.world.buffers).int();
                let (range, element) = (range.map(value), value(*element));
                let offsets = match segments {
                    Segments::Offsets(offsets, _) => offsets,
                    Segments::Even(len) => {
                        let len = value(*len).max(1);
                        self.vars[*index] = Const::I64(element / len);
                        return Ok(());
                    }
                };
                let mut found = None;
                for at in (range[0]..range[1]).rev() {
                    if self.view(place).read(*offsets, at)?.int() <= element {
                        found = Some(at);
                        break;
                    }
                }
                let Some(found) = found else {
                    let message = format!("no segment of {offsets} has element {element}");
                    return Err(Trouble::Wrong(message));
                };
                self.vars[*index] = Const::I64(found);
            }
            Stmt::Pack { .. } => unreachable!("a pack belongs to the tile form"),
            Stmt::Partial(..)
            | Stmt::Chain { .. }
            | Stmt::Barrier
            | Stmt::Combine(_)
            | Stmt::Scan(_)
            | Stmt::Owners(_)
            | Stmt::Ends(_)
            | Stmt::Rows(_) => unreachable!("a collective is no matter of one thread"),
        }
        Ok(())
    }

    /// Starts an iteration of the innermost block, or leaves the loop.
    fn begin_turn(&mut self, turn: Turn<'a>) {
        let Stmt::For { index, carried, .. } = turn.stmt else { unreachable!("not a loop") };
        self.positions = None;
        if turn.now < turn.to {
            self.vars[*index] = Const::I64(turn.now);
            if let Some(open) = self.open.last_mut() {
                (open.at, open.turn) = (0, Some(turn));
            }
            return;
        }
        for carry in carried {
            self.vars[carry.result] = self.vars[carry.var];
        }
        self.open.pop();
    }

    fn end_block(&mut self, place: &Place<'_, 'a>) {
        let Some(turn) = self.open.last_mut().and_then(|open| open.turn.take()) else {
            self.open.pop();
            return;
        };
        let Stmt::For { carried, way, .. } = turn.stmt else { unreachable!("not a loop") };
        let value = |operand| self.value(operand, &place.world.buffers);
        let next: Vec<Const> = carried.iter().map(|carry| value(carry.next)).collect();
        for (carry, value) in carried.iter().zip(next) {
            self.vars[carry.var] = value;
        }
        let step = if let Way::Stride(step) = way { i64::from(*step) } else { 1 };
        self.begin_turn(Turn { now: turn.now.saturating_add(step), done: turn.done + 1, ..turn });
    }

    /// All memory, for this thread.
    pub(super) fn view<'v>(&'v mut self, place: &'v mut Place<'_, 'a>) -> View<'v, 'a> {
        View {
            buffers: &mut place.world.buffers,
            shared: &mut *place.shared,
            private: &mut self.private,
            who: Who { thread: self.rank, epoch: place.epoch, tile: place.report.tile },
        }
    }
}

/// Whether a collective is among statements, or in their blocks.
fn has_collective(block: &Block) -> bool {
    let inside = |stmt: &Stmt| stmt.blocks().into_iter().any(has_collective);
    block.iter().any(|stmt| stmt.is_collective() || inside(stmt))
}
