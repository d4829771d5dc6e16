//! The meaning of kernels: tiles in order, statement by statement.
//!
//! It runs one tile after the other, as the machine in *diagnosis* does, so that the first fault in
//! order is the one reported; and it checks what a machine does not: reads and writes stay inside
//! their buffers, what is read was written, no element of an output is written by two tiles, and no
//! element of an input is read after the output over it was written, or by another tile.  A kernel
//! that breaks such a rule is *wrong*: a bug of the pass before.  Blocks of threads are for the
//! simulator (`simulate.rs`).
//!
//! Tiles can be made smaller than the kernel asks for, so that small inputs have many.

use crate::ir::{
    ArgInfo, ArgKind, Block, Body, Kernel, KernelId, Keys, Partial, Program, Segments, SortKind,
    Stmt, Tiles,
};
use crate::{Arg, Operand, Var};
use base::{Id, IdMap};
use prim::{Const, Monoid, Widths};
use rustc_hash::FxHashMap;
use scalar::{Atom, Code, Env, Fault};
use std::cell::RefCell;
use std::rc::Rc;

/// Elements of a buffer; some may not be written yet.
pub type Memory = Rc<RefCell<Vec<Option<Const>>>>;

/// What a kernel gets for one of its arguments.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A scalar by value.
    Scalar(Const),
    /// A buffer.
    Buffer(Memory),
}

/// Why a launch has failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// A run-time error of the program, and the positions of the lane.
    Fault(Fault, Vec<i64>),
    /// A broken rule.
    Wrong(String),
    /// What was not written is read, the rule that is broken by lanes which fail later: their
    /// indices were clamped to what there is room for.  All has been done.
    Unwritten(String),
}

/// Runs kernels of a verified program.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'a> {
    program: &'a Program,
    grain: Option<u32>,
    units: usize,
}

impl<'a> Evaluator<'a> {
    /// Tiles as the kernels ask for; one owner.
    pub fn new(program: &'a Program) -> Self {
        Evaluator { program, grain: None, units: 1 }
    }
    /// Tiles of this grain, and this many owners.
    #[must_use]
    pub fn cut(self, grain: u32, units: usize) -> Self {
        Evaluator { grain: Some(grain), units, ..self }
    }

    /// Tiles of this grain if there is one, and this many owners.
    pub(crate) fn with(self, grain: Option<u32>, units: usize) -> Self {
        Evaluator { grain, units, ..self }
    }

    /// The tiles of a kernel.
    pub(crate) fn pieces(&self, kernel: &'a Kernel, args: &'a [Argument]) -> Vec<Piece> {
        match &kernel.body {
            Body::Tiles { tiles, .. } => {
                Run::new(self.program, kernel, args).cut(tiles, self.grain, self.units)
            }
            Body::Sort { .. } => Vec::new(),
        }
    }

    /// Runs a kernel.
    pub fn launch(&self, id: KernelId, args: &[Argument]) -> Result<(), Failure> {
        let kernel = &self.program.kernels[id];
        let handed = kernel.args.values().filter(|info| !info.kind.is_own()).count();
        assert_eq!(args.len(), handed, "arguments of {id} {}", kernel.name);
        let mut run = Run::new(self.program, kernel, args);
        match &kernel.body {
            Body::Sort { kind, keys, out } => run.sort(*kind, keys, *out),
            Body::Tiles { tiles, tile, partials, body, finish, .. } => {
                let pieces = run.cut(tiles, self.grain, self.units);
                for (number, &(range, own)) in pieces.iter().enumerate() {
                    if let (Tiles::Cut { own: names, .. }, Some(own)) = (tiles, own) {
                        names.iter().zip(own).for_each(|(&n, v)| run.vars[n] = Const::I64(v));
                    }
                    run.tile(number, *tile, range, partials, body)?;
                }
                run.finish(pieces.len(), partials, finish)?;
                run.unwritten.take().map_or(Ok(()), |message| Err(Failure::Unwritten(message)))
            }
        }
    }
}

/// A launch under way.
struct Run<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    args: &'a [Argument],
    /// Arrays of the tile.
    arrays: Vec<Memory>,
    /// The number of the tile; one more than the last for the finish.
    tile: usize,
    vars: IdMap<Var, Const>,
    /// Shares of the partials in this tile, and what they have come to.
    shares: Vec<Const>,
    sums: Vec<Const>,
    /// What the chain hands to the next tile.
    chain: FxHashMap<usize, Const>,
    /// What chained values were after the tile before.
    handed: FxHashMap<Var, Const>,
    /// The tile that has written an element of an output.
    writers: FxHashMap<(Arg, usize), usize>,
    /// Outputs by the input that they are over in this launch.
    over: FxHashMap<Arg, Arg>,
    /// The tiles that have read an element of such an input: the first, and the last.
    readers: RefCell<FxHashMap<(Arg, usize), [usize; 2]>>,
    positions: Vec<i64>,
    /// A broken rule that was seen by code.
    wrong: RefCell<Option<String>>,
    /// The first read of what was not written.
    unwritten: RefCell<Option<String>>,
}

/// The range of a tile, and what is its own.
pub(crate) type Piece = ([i64; 2], Option<[i64; 3]>);

impl<'a> Run<'a> {
    fn new(program: &'a Program, kernel: &'a Kernel, args: &'a [Argument]) -> Self {
        Run {
            program,
            kernel,
            args,
            arrays: Vec::new(),
            tile: 0,
            vars: kernel.vars.values().map(|ty| ty.zero()).collect(),
            shares: Vec::new(),
            sums: Vec::new(),
            chain: FxHashMap::default(),
            handed: FxHashMap::default(),
            writers: FxHashMap::default(),
            over: kernel
                .overwritten()
                .filter(|(_, over)| over.start.is_none_or(|start| is_zero(&args[start.index()])))
                .map(|(out, over)| (over.input, out))
                .collect(),
            readers: RefCell::default(),
            positions: Vec::new(),
            wrong: RefCell::default(),
            unwritten: RefCell::default(),
        }
    }

    fn value(&self, operand: Operand) -> Const {
        match operand {
            Atom::Var(v) => self.vars[v],
            Atom::Const(c) => c,
            Atom::Outer(arg, _) => self.outer(arg),
        }
    }
    fn int(&self, operand: Operand) -> i64 {
        self.value(operand).int()
    }
    fn memory(&self, arg: Arg) -> Memory {
        match self.args.get(arg.index()) {
            Some(Argument::Buffer(memory)) => Rc::clone(memory),
            Some(Argument::Scalar(_)) => unreachable!("{arg} is no buffer"),
            None => Rc::clone(&self.arrays[arg.index() - self.args.len()]),
        }
    }
    /// Arrays of a tile, with nothing in them.
    fn fresh_arrays(&self) -> Vec<Memory> {
        let array = |info: &ArgInfo| match info.kind {
            ArgKind::Shared(len) => Some(Rc::new(RefCell::new(vec![None; len as usize]))),
            _ => None,
        };
        self.kernel.args.values().filter_map(array).collect()
    }
    fn wrong<T>(&self, message: &str) -> Result<T, Failure> {
        Err(Failure::Wrong(self.located(message)))
    }

    fn located(&self, message: &str) -> String {
        format!("{message} in tile {} of {}", self.tile, self.kernel.name)
    }

    /// An element of a buffer.
    fn read(&self, buffer: Arg, index: i64) -> Result<Const, Failure> {
        let memory = self.memory(buffer);
        let memory = memory.borrow();
        if let (Some(&out), Ok(at)) = (self.over.get(&buffer), usize::try_from(index)) {
            if self.writers.contains_key(&(out, at)) {
                return self.wrong(&format!("{buffer}[{index}] is read but was overwritten"));
            }
            let mut readers = self.readers.borrow_mut();
            readers.entry((out, at)).or_insert([self.tile; 2])[1] = self.tile;
        }
        match usize::try_from(index).ok().and_then(|i| memory.get(i)) {
            Some(Some(c)) => Ok(*c),
            Some(None) => {
                let message =
                    || self.located(&format!("{buffer}[{index}] is read but was not written"));
                self.unwritten.borrow_mut().get_or_insert_with(message);
                Ok(self.kernel.args[buffer].ty.left_over())
            }
            None if is_spare(index, &memory) => Ok(self.kernel.args[buffer].ty.left_over()),
            None => self.wrong(&format!("{buffer}[{index}] of {} is read", memory.len())),
        }
    }

    fn raise(&mut self, buffer: Arg, index: i64, value: Const) -> Result<(), Failure> {
        let memory = self.memory(buffer);
        let place = usize::try_from(index).ok();
        let before = place.and_then(|at| memory.borrow().get(at).copied().flatten());
        let Some(before) = before else {
            return self.wrong(&format!("{buffer}[{index}] is raised but not written"));
        };
        if before.int() < value.int() {
            memory.borrow_mut()[place.unwrap_or_default()] = Some(value);
        }
        Ok(())
    }

    fn store(&mut self, buffer: Arg, index: i64, value: Const) -> Result<(), Failure> {
        let memory = self.memory(buffer);
        let mut memory = memory.borrow_mut();
        let length = memory.len();
        let place = usize::try_from(index).ok().and_then(|i| memory.get_mut(i).map(|e| (i, e)));
        let Some((at, element)) = place else {
            return self.wrong(&format!("{buffer}[{index}] of {length} is written"));
        };
        *element = Some(value);
        if matches!(self.kernel.args[buffer].kind, ArgKind::Out | ArgKind::Over(_))
            && let Some(other) = self.writers.insert((buffer, at), self.tile)
            && other != self.tile
        {
            return self.wrong(&format!("{buffer}[{index}] was written by tile {other}"));
        }
        let readers = self.readers.borrow().get(&(buffer, at)).copied();
        if readers.is_some_and(|readers| readers != [self.tile; 2]) {
            return self.wrong(&format!("{buffer}[{index}] overwrites what another tile reads"));
        }
        Ok(())
    }

    /// The ranges of the tiles, and for tiles that cut segments what is their own.
    fn cut(&self, tiles: &Tiles, grain: Option<u32>, units: usize) -> Vec<Piece> {
        let plain = |ranges: Vec<[i64; 2]>| ranges.into_iter().map(|range| (range, None)).collect();
        plain(match tiles {
            Tiles::Cut { extent, segments, grain: given, .. } => {
                let grain = i64::from(grain.unwrap_or(*given));
                return self.cut_segments(self.int(*extent).max(0), *segments, grain);
            }
            _ => self.ranges(tiles, grain, units),
        })
    }

    /// Tiles of `grain` indices and elements: index i stands before the elements of its segment.
    fn cut_segments(&self, extent: i64, segments: Segments, grain: i64) -> Vec<Piece> {
        let offset = |i: i64| self.offset(segments, i);
        let load = |i: i64| offset(i) - offset(0) + i;
        let total = load(extent);
        let cut = |target: i64| {
            let index = (0..extent).find(|&i| load(i) >= target).unwrap_or(extent);
            (index, (target - index + offset(0)).min(offset(index)))
        };
        let starts = (0..total).step_by(usize::try_from(grain).unwrap_or(1).max(1));
        let piece = |start: i64| {
            let ((first, from), (last, to)) = (cut(start), cut(start + grain));
            // The segment before the first that starts here may end here.
            let ends = from < offset(first);
            ([first - i64::from(ends), last], Some([first, from, to]))
        };
        starts.map(piece).collect()
    }

    /// Where a segment starts.
    fn offset(&self, segments: Segments, i: i64) -> i64 {
        match segments {
            Segments::Offsets(offsets, _) => self.read(offsets, i).map_or(0, Const::int),
            Segments::Even(len) => i * self.int(len).max(0),
        }
    }

    fn ranges(&self, tiles: &Tiles, grain: Option<u32>, units: usize) -> Vec<[i64; 2]> {
        let pieces = |extent: i64, grain: i64| {
            let starts = (0..extent).step_by(usize::try_from(grain).unwrap_or(1).max(1));
            starts.map(|from| [from, (from + grain).min(extent)]).collect::<Vec<[i64; 2]>>()
        };
        let size = |given: u32| i64::from(grain.unwrap_or(given));
        match tiles {
            Tiles::Once => vec![[0, 1]],
            Tiles::Whole { extent } => vec![[0, self.int(*extent)]],
            Tiles::Even { extent, grain } => pieces(self.int(*extent), size(*grain)),
            Tiles::Balanced { extent, segments, grain } => {
                let (extent, grain) = (self.int(*extent).max(0), size(*grain));
                let offset = |i: i64| self.offset(*segments, i);
                let load = |i: i64| offset(i) - offset(0) + i;
                // The first index before which there is at least this load.
                let cut = |target: i64| (0..extent).find(|&i| load(i) >= target).unwrap_or(extent);
                let starts = pieces(load(extent), grain).into_iter();
                starts.map(|[from, to]| [cut(from), cut(to)]).collect()
            }
            Tiles::Cut { .. } => unreachable!("its tiles have more than a range"),
            Tiles::Owners { extent } => {
                let (extent, units) = (self.int(*extent).max(0), units as i64);
                (0..units).map(|u| [extent * u / units, extent * (u + 1) / units]).collect()
            }
        }
    }

    fn tile(
        &mut self,
        number: usize,
        names: [Var; 3],
        range: [i64; 2],
        partials: &[Partial],
        body: &Block,
    ) -> Result<(), Failure> {
        self.tile = number;
        self.arrays = self.fresh_arrays();
        for (name, value) in names.into_iter().zip([number as i64, range[0], range[1]]) {
            self.vars[name] = Const::I64(value);
        }
        let widths = self.program.widths;
        let identities =
            partials.iter().map(|p| widths.identity(p.monoid, self.kernel.vars[p.result]));
        self.shares = identities.collect();
        if self.sums.is_empty() {
            self.sums.clone_from(&self.shares);
        }
        self.block(body)?;
        for ((partial, sum), &share) in partials.iter().zip(&mut self.sums).zip(&self.shares) {
            *sum = partial.monoid.combine(widths, *sum, share);
        }
        Ok(())
    }

    fn finish(
        &mut self,
        tiles: usize,
        partials: &[Partial],
        finish: &Block,
    ) -> Result<(), Failure> {
        self.tile = tiles;
        for (n, partial) in partials.iter().enumerate() {
            let ty = self.kernel.vars[partial.result];
            let identity = self.program.widths.identity(partial.monoid, ty);
            self.vars[partial.result] = self.sums.get(n).copied().unwrap_or(identity);
        }
        self.block(finish)
    }

    fn block(&mut self, block: &Block) -> Result<(), Failure> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Failure> {
        match stmt {
            Stmt::Scalar(stmt) => self.scalar(stmt),
            Stmt::If(cond, then, els) => {
                self.block(if self.value(*cond).bool() { then } else { els })
            }
            Stmt::For { index, from, to, carried, body, .. } => {
                for carry in carried {
                    let before = self.handed.get(&carry.result).copied();
                    self.vars[carry.var] = before.unwrap_or_else(|| self.value(carry.init));
                }
                for i in self.int(*from)..self.int(*to) {
                    self.vars[*index] = Const::I64(i);
                    self.block(body)?;
                    let next: Vec<Const> = carried.iter().map(|c| self.value(c.next)).collect();
                    for (carry, value) in carried.iter().zip(next) {
                        self.vars[carry.var] = value;
                    }
                }
                for carry in carried {
                    self.vars[carry.result] = self.vars[carry.var];
                    if carry.chained {
                        self.handed.insert(carry.result, self.vars[carry.var]);
                    }
                }
                Ok(())
            }
            Stmt::Pack { .. } => self.pack(stmt),
            Stmt::Store(buffer, index, value) => {
                self.store(*buffer, self.int(*index), self.value(*value))
            }
            Stmt::Raise(buffer, index, value) => {
                self.raise(*buffer, self.int(*index), self.value(*value))
            }
            Stmt::Partial(number, value) => {
                self.shares[*number] = self.value(*value);
                Ok(())
            }
            Stmt::Chain { links, .. } => {
                self.link(links);
                Ok(())
            }
            Stmt::Positions(atoms) => {
                self.positions = atoms.iter().map(|&a| self.int(a)).collect();
                Ok(())
            }
            Stmt::Owner { index, segments, range, element } => {
                let owner = self.owner(*segments, range.map(|end| self.int(end)), *element)?;
                self.vars[*index] = Const::I64(owner);
                Ok(())
            }
            Stmt::Barrier
            | Stmt::Combine(_)
            | Stmt::Scan(_)
            | Stmt::Owners(_)
            | Stmt::Ends(_)
            | Stmt::Rows(_) => {
                unreachable!("blocks of threads are simulated")
            }
        }
    }

    /// The segment that an element is in.
    fn owner(&self, segments: Segments, range: [i64; 2], element: Operand) -> Result<i64, Failure> {
        let element = self.int(element);
        let offsets = match segments {
            Segments::Offsets(offsets, _) => offsets,
            Segments::Even(len) => return Ok(element / self.int(len).max(1)),
        };
        for index in (range[0]..range[1]).rev() {
            if self.read(offsets, index)?.int() <= element {
                return Ok(index);
            }
        }
        self.wrong(&format!("no segment of {offsets} has element {element}"))
    }

    fn pack(&mut self, stmt: &Stmt) -> Result<(), Failure> {
        let Stmt::Pack { index, from, to, body, keep, cursor, start, kept, stores, end } = stmt
        else {
            unreachable!("not a pack")
        };
        let mut at = self.int(*start);
        for i in self.int(*from)..self.int(*to) {
            self.vars[*index] = Const::I64(i);
            self.block(body)?;
            if !self.value(*keep).bool() {
                continue;
            }
            self.vars[*cursor] = Const::I64(at);
            self.block(kept)?;
            for &(buffer, value) in stores {
                self.store(buffer, at, self.value(value))?;
            }
            at += 1;
        }
        self.vars[*end] = Const::I64(at);
        Ok(())
    }

    fn link(&mut self, links: &[(Var, Operand, Monoid)]) {
        for (n, &(prefix, total, monoid)) in links.iter().enumerate() {
            let widths = self.program.widths;
            let identity = widths.identity(monoid, self.kernel.vars[prefix]);
            let before = self.chain.get(&n).copied().unwrap_or(identity);
            self.chain.insert(n, monoid.combine(widths, before, self.value(total)));
            self.vars[prefix] = before;
        }
    }

    /// Runs a scalar statement as code whose parameters are all variables.
    fn scalar(&mut self, stmt: &scalar::Stmt<Arg>) -> Result<(), Failure> {
        let yields = stmt.results().iter().map(|&v| Atom::Var(v)).collect();
        let body = scalar::Block { stmts: vec![stmt.clone()], yields };
        let params = self.vars.ids().collect();
        let code = Code { params, body, vars: self.kernel.vars.clone() };
        let values: Vec<Const> = self.vars.values().copied().collect();
        let results = scalar::eval(&code, &values, self);
        if let Some(message) = self.wrong.take() {
            return Err(Failure::Wrong(message));
        }
        let results = results.map_err(|fault| Failure::Fault(fault, self.positions.clone()))?;
        for (&var, value) in stmt.results().iter().zip(results) {
            self.vars[var] = value;
        }
        Ok(())
    }

    fn sort(&mut self, kind: SortKind, keys: &Keys, out: Arg) -> Result<(), Failure> {
        let length = self.int(keys.length);
        let bounds = match keys.offsets {
            None => vec![0, length],
            Some(offsets) => (0..=self.int(keys.segments).max(0))
                .map(|i| self.read(offsets, i).map(Const::int))
                .collect::<Result<Vec<i64>, Failure>>()?,
        };
        let values =
            (0..length).map(|i| self.read(keys.buffer, i)).collect::<Result<Vec<_>, _>>()?;
        let key = |i: i64| values[usize::try_from(i).unwrap_or(0)];
        for bound in bounds.windows(2) {
            let (from, to) = (bound[0], bound[1]);
            if from < 0 || to > length {
                return self.wrong("a segment lies outside the keys");
            }
            let mut order: Vec<i64> = (from..to).collect();
            match kind {
                SortKind::Sort | SortKind::Rank => order.sort_by(|&a, &b| key(a).order(key(b))),
                SortKind::RankDown => order.sort_by(|&a, &b| key(b).order(key(a))),
            }
            for (rank, lane) in (0..).zip(order) {
                match kind {
                    SortKind::Sort => self.store(out, from + rank, key(lane))?,
                    SortKind::Rank | SortKind::RankDown => {
                        self.store(out, lane, Const::I64(rank))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether it is the element 0 of an empty buffer: an index that was clamped there, of a lane whose
/// check fails.  Machines have memory for it.
pub(crate) fn is_spare(index: i64, memory: &[Option<Const>]) -> bool {
    index == 0 && memory.is_empty()
}

/// Whether it is the int 0.
pub(crate) fn is_zero(argument: &Argument) -> bool {
    matches!(argument, Argument::Scalar(Const::I64(0)))
}

impl Env<Arg> for Run<'_> {
    fn widths(&self) -> Widths {
        self.program.widths
    }
    fn outer(&self, name: Arg) -> Const {
        match &self.args[name.index()] {
            Argument::Scalar(c) => *c,
            Argument::Buffer(_) => unreachable!("{name} is no scalar"),
        }
    }
    fn element(&self, vector: Arg, index: i64) -> Option<Const> {
        let element = self.read(vector, index).unwrap_or_else(|failure| {
            if let Failure::Wrong(message) = failure {
                self.wrong.borrow_mut().get_or_insert(message);
            }
            self.kernel.args[vector].ty.zero()
        });
        Some(element)
    }
    fn function(&self, func: scalar::Func) -> &scalar::Function {
        &self.program.scalars[func]
    }
}
