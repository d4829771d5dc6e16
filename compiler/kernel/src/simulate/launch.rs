//! A launch: blocks take tiles in order and go on in any order that chains allow.

use super::block::{Block, Meeting};
use super::memory::Buffers;
use super::order::Order;
use super::report::Report;
use super::thread::World;
use crate::eval::{Argument, Failure, Piece};
use crate::ir::{Block as Stmts, Body, Kernel, KernelId, Partial, Program, Stmt, Threads, Tiles};
use crate::{Operand, Var};
use prim::{Const, Monoid};
use rustc_hash::FxHashMap;

/// A launch under way.
pub(super) struct Launch<'a> {
    id: KernelId,
    kernel: &'a Kernel,
    threads: Threads,
    world: World<'a>,
    order: Order,
    pieces: Vec<Piece>,
    /// The first tile that no block has taken.
    next: usize,
    /// The number of the last epoch.
    epoch: u64,
    /// For each tile that may pass the chain, what the tiles before have come to.
    prefixes: FxHashMap<usize, Vec<Vec<Const>>>,
    /// Shares of the partials, by tile.
    shares: Vec<Vec<Const>>,
    /// The first tile that has failed so far, and how.
    failed: Option<(usize, Failure)>,
}

/// What the body of a kernel by threads consists of.
struct Parts<'a> {
    tiles: &'a Tiles,
    tile: [Var; 3],
    partials: &'a [Partial],
    body: &'a Stmts,
    finish: &'a Stmts,
}

fn parts(kernel: &Kernel) -> Parts<'_> {
    match &kernel.body {
        Body::Tiles { tiles, tile, partials, body, finish, .. } => {
            Parts { tiles, tile: *tile, partials, body, finish }
        }
        Body::Sort { .. } => unreachable!("a sort has no threads"),
    }
}

impl<'a> Launch<'a> {
    pub(super) fn new(
        program: &'a Program,
        id: KernelId,
        threads: Threads,
        args: &'a [Argument],
        pieces: Vec<Piece>,
        order: Order,
    ) -> Self {
        let kernel = &program.kernels[id];
        let Parts { partials, body, .. } = parts(kernel);
        let widths = program.widths;
        let nothing = |p: &Partial| widths.identity(p.monoid, kernel.vars[p.result]);
        let chains = body.iter().filter_map(|stmt| match stmt {
            Stmt::Chain { links, .. } => {
                let identity = |&(var, _, monoid): &(Var, Operand, Monoid)| {
                    widths.identity(monoid, kernel.vars[var])
                };
                Some((address(stmt), vec![links.iter().map(identity).collect()]))
            }
            _ => None,
        });
        Launch {
            id,
            kernel,
            threads,
            world: World {
                program,
                kernel,
                buffers: Buffers::new(kernel, args, pieces.len()),
                ready: FxHashMap::default(),
            },
            order,
            next: 0,
            epoch: 0,
            prefixes: chains.collect(),
            shares: vec![partials.iter().map(nothing).collect(); pieces.len()],
            failed: None,
            pieces,
        }
    }

    /// Runs all tiles by so many blocks, and then the finish.
    pub(super) fn run(mut self, count: usize) -> Result<(), Failure> {
        let mut blocks: Vec<Option<Block<'a>>> = (0..count).map(|_| None).collect();
        loop {
            let idle = blocks.iter().position(Option::is_none);
            let free = idle.filter(|_| self.next < self.end()).map(|n| (n, self.next));
            let under_way = blocks.iter().enumerate().filter_map(|(n, block)| {
                let block = block.as_ref().filter(|block| self.may_go_on(block))?;
                Some((n, block.report.tile))
            });
            let (ready, tiles): (Vec<usize>, Vec<usize>) = under_way.chain(free).unzip();
            if ready.is_empty() {
                break;
            }
            let number = ready[self.order.pick(&tiles)];
            let block = blocks[number].take().unwrap_or_else(|| self.take(number));
            blocks[number] = self.go_on(block);
        }
        match self.failed.take() {
            Some((_, failure)) => Err(failure),
            None => self.finish(),
        }
    }

    /// Tiles from here on are not wanted.
    fn end(&self) -> usize {
        self.failed.as_ref().map_or(self.pieces.len(), |&(tile, _)| tile)
    }

    fn may_go_on(&self, block: &Block<'_>) -> bool {
        let tile = block.report.tile;
        let known = |stmt| self.prefixes.get(&address(stmt)).map_or(0, Vec::len);
        tile < self.end() && block.waits.is_none_or(|stmt| tile < known(stmt))
    }

    /// A block that starts the next tile.
    fn take(&mut self, number: usize) -> Block<'a> {
        let Parts { tiles, tile: names, body, .. } = parts(self.kernel);
        let tile = self.next;
        self.next += 1;
        let (range, own) = self.pieces[tile];
        let report = Report { id: self.id, kernel: self.kernel, tile, block: number };
        let mut block = Block::new(report, body, self.threads.count);
        let values = [tile as i64, range[0], range[1]].into_iter().chain(own.into_iter().flatten());
        for (name, value) in tiles.names(names).into_iter().zip(values) {
            block.set(name, |_| Const::I64(value));
        }
        block.set(self.threads.rank, |rank| Const::I64(i64::from(rank)));
        block
    }

    /// One epoch or chain of a block; gives it back unless its tile has ended.
    fn go_on(&mut self, mut block: Block<'a>) -> Option<Block<'a>> {
        let tile = block.report.tile;
        match self.advance(&mut block) {
            Ok(ended) => (!ended).then_some(block),
            Err(failure) => {
                // Tiles after one that has failed do not go on.
                self.failed = Some((tile, failure));
                None
            }
        }
    }

    /// One epoch or chain of a block; whether its tile has ended.
    fn advance(&mut self, block: &mut Block<'a>) -> Result<bool, Failure> {
        if let Some(stmt) = block.waits {
            self.chain(block, stmt)?;
            return Ok(false);
        }
        let epoch = block.unfinished.take().unwrap_or_else(|| {
            self.epoch += 1;
            self.epoch
        });
        let stmt = match block.epoch(&mut self.world, &mut self.order, epoch)? {
            Meeting::At(stmt) => stmt,
            Meeting::End => return Ok(true),
        };
        match stmt {
            Stmt::Chain { first_warp, .. } => {
                block.waits = Some(stmt);
                block.unfinished = first_warp.then_some(epoch);
                return Ok(false);
            }
            Stmt::Partial(number, value) => {
                let share = block.uniform(*value, stmt, &self.world)?;
                self.shares[block.report.tile][*number] = share;
            }
            _ => {}
        }
        block.collective(stmt, &mut self.world, epoch)?;
        Ok(false)
    }

    /// Hands a block what the tiles before it have come to, and the next tile what this one adds.
    fn chain(&mut self, block: &mut Block<'a>, stmt: &'a Stmt) -> Result<(), Failure> {
        let Stmt::Chain { links, restarts, first_warp } = stmt else { unreachable!("not a chain") };
        let before = self.prefixes[&address(stmt)][block.report.tile].clone();
        let mut after = Vec::new();
        for (n, (&(_, total, monoid), &before)) in links.iter().zip(&before).enumerate() {
            let total = block.uniform(total, stmt, &self.world)?;
            let mut restarted = false;
            for &(link, any) in restarts {
                let any = block.uniform(any, stmt, &self.world)?.bool();
                restarted |= link == n && any;
            }
            after.push(if restarted {
                total
            } else {
                monoid.combine(self.world.program.widths, before, total)
            });
        }
        self.prefixes.entry(address(stmt)).or_default().push(after);
        let widths = self.world.program.widths;
        let identity = links.iter().map(|&(var, _, m)| widths.identity(m, self.kernel.vars[var]));
        let others = first_warp.then(|| identity.collect::<Vec<_>>());
        block.link(links, &before, others.as_deref());
        Ok(())
    }

    /// Combines the shares in the order of tiles, and runs what comes after all tiles.
    fn finish(mut self) -> Result<(), Failure> {
        let Parts { partials, finish, .. } = parts(self.kernel);
        let report = Report { id: self.id, kernel: self.kernel, tile: self.pieces.len(), block: 0 };
        let mut block = Block::new(report, finish, 1);
        for (n, Partial { monoid, result }) in partials.iter().enumerate() {
            let widths = self.world.program.widths;
            let identity = widths.identity(*monoid, self.kernel.vars[*result]);
            let shares = self.shares.iter().map(|shares| shares[n]);
            let sum = shares.fold(identity, |a, b| monoid.combine(widths, a, b));
            block.set(*result, |_| sum);
        }
        while !self.advance(&mut block)? {}
        Ok(())
    }
}

/// A statement as a name of itself.
fn address(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt).addr()
}
