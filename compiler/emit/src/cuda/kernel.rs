//! Kernels in CUDA C++: for each kernel one `__global__` function.
//!
//! Blocks take tiles one after the other.  Scratch memory is a row of words for each tile: its
//! partials, then for each chain three times what is linked, then one for where the tile starts, if
//! tiles tell each other; what they tell comes after all rows, a cell for each word
//! (`rts/chain.cuh`).  The last block to come to its end combines the partials, and its first
//! thread runs the finish; where a chain passes on what the partials are, that of the last tile
//! does.

pub(crate) use crate::shared::kernel::called;

use super::loops::scan_words;
use super::sort::Key;
use super::streams::streamed;
use super::text::{CudaKernel, TileCount, Work};
use super::tiles::{count, size};
use crate::shared::kernel::{fails, lane_calls};
use crate::shared::names;
use crate::shared::sign::Signs;
use crate::shared::stmt::{Body, Lane, Leaves, Shared};
use crate::shared::types;
use crate::shared::{Uses, Writer};
use kernel::{
    Arg, ArgInfo, ArgKind, Block, Body as KernelBody, Kernel, KernelId, Operand, Partial, Stmt,
    Threads, Tiles, each,
};
use prim::{Monoid, Ty, Widths};
use scalar::{Atom, Var};
use std::collections::{HashMap, HashSet};

/// Blocks of a kernel with a chain that a multiprocessor should hold at once: they wait for each
/// other most of the time.
const BLOCKS: u32 = 6;
/// Elements of an array that a thread of so many blocks has registers for.
const ITEMS: u32 = 8;

/// A kernel made of tiles, in parts.
pub(super) struct Parts<'k> {
    id: KernelId,
    kernel: &'k Kernel,
    pub(super) tiles: &'k Tiles,
    pub(super) tile: [Var; 3],
    threads: Threads,
    partials: &'k [Partial],
    body: &'k Block,
    finish: &'k Block,
    fails: bool,
    lane: bool,
    /// Whether one block runs all tiles, as part of a descent.
    pub(super) alone: bool,
}

/// An array that the threads of a block share.
struct Array {
    name: String,
    ty: &'static str,
    len: usize,
    aligned: bool,
}

impl Array {
    /// How many there are, up to where the next may begin.
    fn bytes(&self) -> usize {
        let size = match self.ty {
            "bool" | "uint8_t" => 1,
            "uint16_t" => 2,
            "int32_t" | "float" => 4,
            _ => 8,
        };
        (self.len * size).next_multiple_of(16)
    }
}

/// A kernel as a function that one block runs as part of a descent.
pub(super) struct Alone {
    /// Its definition.
    pub(super) text: String,
    /// Threads of the block.
    pub(super) threads: u32,
    /// Bytes of shared memory that it wants.
    pub(super) shared: usize,
    /// Words of shared memory for what chains carry from tile to tile.
    pub(super) carried: usize,
    /// Words of memory that each tile leaves something in.
    pub(super) row: usize,
    /// How many tiles there are.
    pub(super) tiles: TileCount,
}

/// A kernel as a function of one block, if it can be one.
pub(super) fn alone(shared: &mut Shared<'_>, id: KernelId) -> Option<Alone> {
    let parts = Parts::of(shared, id, true)?;
    let recursive = |f: &scalar::Func| shared.facts.functions[*f].recursive;
    if shared.facts.closure(&called(parts.kernel)).iter().any(recursive) {
        return None;
    }
    Some(Alone {
        text: parts.definition(shared),
        threads: parts.threads.count,
        shared: parts.shared_bytes(shared.widths()),
        carried: parts.chains().sum(),
        row: if parts.partials.is_empty() || parts.ends_in_order() { 0 } else { parts.words() },
        tiles: count(parts.tiles),
    })
}

/// The text of one kernel, unless the device has it, and what its launches need.
pub(crate) fn definition(shared: &mut Shared<'_>, id: KernelId) -> (Option<String>, CudaKernel) {
    let kernel = &shared.program.kernels[id];
    let args = kernel.args.values().filter(|info| !info.kind.is_own());
    let args = args.map(|info| (info.ty, info.kind)).collect();
    let name = kernel.name.clone();
    match &kernel.body {
        KernelBody::Sort { kind, keys, out } => {
            let ty = kernel.args[keys.buffer].ty;
            let work = Work::Sort {
                kind: *kind,
                key: Key::new(shared.widths(), ty),
                int: shared.widths().int,
                keys: keys.buffer,
                length: size(keys.length),
                segments: size(keys.segments),
                offsets: keys.offsets,
                out: *out,
            };
            (None, CudaKernel { name, args, work })
        }
        KernelBody::Tiles { tiles, threads, .. } => {
            let (Some(threads), Some(parts)) = (threads, Parts::of(shared, id, false)) else {
                unreachable!("{id} {name} is not in the thread form")
            };
            let recursive = shared
                .facts
                .closure(&called(kernel))
                .iter()
                .any(|f| shared.facts.functions[*f].recursive);
            let work = Work::Tiles {
                unit: 0,
                tiles: count(tiles),
                threads: threads.count,
                words: parts.words() as u32,
                fails: parts.fails,
                recursive,
                reduces: parts.reduces(),
            };
            (Some(parts.definition(shared)), CudaKernel { name, args, work })
        }
    }
}

/// Words of a tile for a chain of so many links.
pub(super) fn chain_words(links: usize) -> usize {
    3 * links
}

/// The C++ name of the operation that combines.
pub(super) fn monoid(widths: Widths, monoid: Monoid, ty: Ty) -> String {
    let name = match monoid {
        Monoid::Add => "add",
        Monoid::Mul => "mul",
        Monoid::Max => "larger",
        Monoid::Min => "smaller",
        Monoid::And => "and",
        Monoid::Or => "or",
        Monoid::Xor => "xor",
    };
    format!("nesl_{name}<{}>", types::local(widths, ty))
}

impl<'k> Parts<'k> {
    /// The parts of a kernel in the thread form.
    fn of(shared: &Shared<'k>, id: KernelId, alone: bool) -> Option<Parts<'k>> {
        let kernel = &shared.program.kernels[id];
        let KernelBody::Tiles { tiles, tile, threads: Some(threads), partials, body, finish } =
            &kernel.body
        else {
            return None;
        };
        let fails = fails(shared, kernel);
        Some(Parts {
            id,
            kernel,
            tiles,
            tile: *tile,
            threads: *threads,
            partials,
            body,
            finish,
            fails,
            lane: fails || lane_calls(shared, [body, finish]),
            alone,
        })
    }
}

impl Parts<'_> {
    /// The most elements that a thread has of an array.
    fn items(&self) -> u32 {
        let private = |info: &ArgInfo| match info.kind {
            ArgKind::Private(len) => Some(len),
            _ => None,
        };
        self.kernel.args.values().filter_map(private).max().unwrap_or(0)
    }

    /// `k3`.
    fn definition(&self, shared: &mut Shared<'_>) -> String {
        let mut out = Writer::default();
        let id = self.id;
        out.line(format!("/* ---- {id} {} ---- */", names::comment(&self.kernel.name)));
        out.blank();
        let params = self.params(shared.widths());
        out.open(if self.alone {
            format!("NESL_FUNCTION void {}(const nesl_alone run{params})", names::kernel(id))
        } else {
            let bounds = self.bounds();
            let head = format!("{}(const nesl_run run{params})", names::kernel(id));
            format!("{}__global__ void {bounds} {head}", shared.linkage)
        });
        self.arrays(shared.widths(), &mut out);
        let rank = self.threads.rank;
        if self.used().contains(&Atom::Var(rank)) || !self.partials.is_empty() || self.finishes() {
            out.line(format!("const {} {rank} = threadIdx.x;", shared.int()));
        }
        if self.lane {
            out.line("nesl_state own = NESL_STATE(run);");
            out.line("nesl_state *const state = &own;");
        }
        if self.chains().next().is_some() {
            self.tiles_in_order(shared, &mut out);
        } else {
            self.tiles_in_any_order(shared, &mut out);
        }
        if self.fails {
            out.line("if (own.fault) nesl_fail(run);");
        }
        if self.finishes() {
            self.finish(shared, &mut out);
        }
        out.close("");
        out.finish()
    }

    /// How many threads there are, and blocks at once.
    fn bounds(&self) -> String {
        let threads = self.threads.count;
        // A tile that is no striped array has loops in it that want registers.
        let striped = !matches!(self.tiles, Tiles::Balanced { .. });
        let cut = matches!(self.tiles, Tiles::Cut { .. });
        if striped && (cut || self.chains().next().is_some()) {
            // Larger arrays want more registers.
            let blocks = if self.items() > ITEMS { BLOCKS - 1 } else { BLOCKS };
            format!("__launch_bounds__({threads}, {blocks})")
        } else {
            format!("__launch_bounds__({threads})")
        }
    }

    /// How much each chain of a tile passes on, in order.
    pub(super) fn chains(&self) -> impl Iterator<Item = usize> {
        self.body.iter().filter_map(|stmt| match stmt {
            Stmt::Chain { links, restarts, .. } => Some(links.len() + restarts.len()),
            _ => None,
        })
    }
    /// Whether it reduces a range and hands nothing from tile to tile: then a block takes one tile
    /// after the other.
    fn reduces(&self) -> bool {
        matches!(self.tiles, Tiles::Even { .. })
            && !self.partials.is_empty()
            && self.chains().next().is_none()
    }
    /// For each partial, what a tile comes to, if a thread can add up its own part of that for all
    /// tiles of its block, and the block combines these once for all.
    ///
    /// Of 100M floats a sum and a sum of squares took 0.106 ms on an H200 with a row for each tile
    /// of 16,384, and 0.097 with one for each block, as much as CUB takes for one sum.
    fn sums(&self) -> Option<Vec<Var>> {
        if self.alone || !self.reduces() {
            return None;
        }
        let used = self.used();
        let sum = |n: usize| {
            let whole = self.body.iter().find_map(|stmt| match stmt {
                Stmt::Partial(number, Atom::Var(value)) if *number == n => Some(*value),
                _ => None,
            })?;
            let once = used.iter().filter(|&&atom| atom == Atom::Var(whole)).count() == 1;
            let how = self.partials[n].monoid;
            let combined = |stmt: &Stmt| match stmt {
                Stmt::Combine(links) => links.iter().any(|l| l.0 == whole && l.2 == how),
                _ => false,
            };
            (once && self.body.iter().any(combined)).then_some(whole)
        };
        (0..self.partials.len()).map(sum).collect()
    }
    /// Words of scratch memory for each tile.
    pub(super) fn words(&self) -> usize {
        let chains: usize = self.chains().map(chain_words).sum();
        self.partials.len() + chains + usize::from(self.tells_starts())
    }
    /// Whether the last block has something to do.
    fn finishes(&self) -> bool {
        !self.finish.is_empty() || !self.partials.is_empty()
    }

    /// The arguments as parameters.
    fn params(&self, widths: Widths) -> String {
        let in_out = self.kernel.args.values().any(|i| i.kind == ArgKind::InOut);
        let overwritten = |arg| self.kernel.overwritten().any(|(_, over)| over.input == arg);
        let param = |(arg, info): (Arg, &ArgInfo)| {
            let ty = types::element(widths, info.ty);
            Some(match info.kind {
                ArgKind::Scalar => format!(", const {} {arg}", types::local(widths, info.ty)),
                // What a kernel of a descent writes, the next one reads.
                ArgKind::In if in_out || self.alone || overwritten(arg) => {
                    format!(", const {ty} *{arg}")
                }
                ArgKind::In => format!(", const {ty} *__restrict__ {arg}"),
                ArgKind::Out => format!(", {ty} *__restrict__ {arg}"),
                ArgKind::Over(_) | ArgKind::InOut => format!(", {ty} *{arg}"),
                ArgKind::Shared(_) | ArgKind::Private(_) => return None,
            })
        };
        self.kernel.args.iter().filter_map(param).collect()
    }

    /// The arrays of the block and of the thread, and scratch memory for collectives.
    fn arrays(&self, widths: Widths, out: &mut Writer) {
        let arrayed = self.arrayed();
        let mut shared = self.block_arrays(widths).into_iter().peekable();
        let mut from = 0;
        let mut declare = |array: Array, out: &mut Writer| {
            let Array { name, ty, len, aligned } = &array;
            if self.alone {
                // All kernels of a descent use the same memory, one after the other.
                let place = format!("({ty} (*)[{len}])&nesl_shared[{from}]");
                out.line(format!("auto &{name} = *{place};"));
                from += array.bytes();
            } else {
                let aligned = if *aligned { "alignas(16) " } else { "" };
                out.line(format!("__shared__ {aligned}{ty} {name}[{len}];"));
            }
        };
        for (arg, info) in self.kernel.args.iter() {
            if let Some(array) = shared.next_if(|array| array.name == arg.to_string()) {
                declare(array, out);
            } else if let (ArgKind::Private(len), true) = (info.kind, arrayed.contains(&arg)) {
                out.line(format!("{} {arg}[{len}];", self.element(widths, arg)));
            }
        }
        shared.for_each(|scratch| declare(scratch, out));
    }
    /// Bytes of shared memory for them, if they lie one after the other.
    fn shared_bytes(&self, widths: Widths) -> usize {
        self.block_arrays(widths).iter().map(Array::bytes).sum()
    }
    /// The arrays of the block, scratch memory last.
    fn block_arrays(&self, widths: Widths) -> Vec<Array> {
        let arrayed = self.arrayed();
        // Filled with zeros, 16 bytes at a time.
        let filled = self.told(|stmt| match stmt {
            Stmt::Owners(told) | Stmt::Ends(told) => Some(told.to),
            _ => None,
        });
        let mut arrays: Vec<Array> = Vec::new();
        for (arg, info) in self.kernel.args.iter().filter(|(arg, _)| arrayed.contains(arg)) {
            if let ArgKind::Shared(len) = info.kind {
                let (name, ty) = (arg.to_string(), self.element(widths, arg));
                arrays.push(Array { name, ty, len: len as usize, aligned: filled.contains(&arg) });
            }
        }
        let len = self.scratch_words();
        if len > 0 {
            let (name, ty) = ("scratch".to_owned(), "nesl_word");
            arrays.push(Array { name, ty, len, aligned: false });
        }
        arrays
    }
    /// The type of an array's elements.
    fn element(&self, widths: Widths, array: Arg) -> &'static str {
        let counted = self.kernel.counted();
        // A thread reads several at once.
        let ends = self.told(|stmt| match stmt {
            Stmt::Ends(told) => Some(told.to),
            _ => None,
        });
        match () {
            () if counted.private.contains(&array) => "int32_t",
            () if counted.shared.contains(&array) => "uint16_t",
            () if ends.contains(&array) => "uint8_t",
            () => types::local(widths, self.kernel.args[array].ty),
        }
    }
    /// What statements of the tile tell.
    fn told(&self, told: impl Fn(&Stmt) -> Option<Arg>) -> Vec<Arg> {
        let mut found = Vec::new();
        each(self.body, &mut |stmt| found.extend(told(stmt)));
        found
    }
    /// The arrays that are used.
    fn arrayed(&self) -> Vec<Arg> {
        let mut used: Vec<Arg> = self.body.iter().flat_map(Stmt::reads).collect();
        each(self.body, &mut |stmt| {
            if let Stmt::Scan(scans) = stmt {
                used.extend(scans.iter().flat_map(|scan| [scan.from, scan.to]));
                used.extend(scans.iter().filter_map(|scan| Some(scan.restarts?.0)));
            }
            if let Stmt::Rows(rows) = stmt {
                used.extend([rows.from, rows.to, rows.ends]);
            }
        });
        used
    }
    /// Words of shared memory for collectives.
    fn scratch_words(&self) -> usize {
        let warps = self.threads.count as usize / 32;
        let mut words = if self.partials.is_empty() { 0 } else { warps };
        each(self.body, &mut |stmt| match stmt {
            Stmt::Combine(_) => words = words.max(warps),
            Stmt::Rows(_) => words = words.max(2 * warps),
            Stmt::Chain { links, restarts, first_warp: false } => {
                words = words.max(3 * (links.len() + restarts.len()));
            }
            Stmt::Scan(scans) => {
                words = words.max(scan_words(self.kernel, self.threads.count, scans));
            }
            _ => {}
        });
        words
    }

    /// A block for each tile: a tile may wait for those before it, as blocks start in the order of
    /// their numbers.  (CUDA does not promise that, but CUB's scan stands on it, too.)
    fn tiles_in_order(&self, shared: &mut Shared<'_>, out: &mut Writer) {
        let tile = self.tile[0];
        for (number, partial) in self.partials.iter().enumerate().filter(|_| self.ends_in_order()) {
            let ty = self.kernel.vars[partial.result];
            let identity = format!("{}::identity()", monoid(shared.widths(), partial.monoid, ty));
            out.line(format!("{} last{number} = {identity};", shared.local(ty)));
        }
        if self.alone {
            return self.tiles_alone(shared, out);
        }
        out.line(format!("const int64_t {tile} = blockIdx.x;"));
        let ready = if self.may_come_after_failure(shared) { " && !nesl_failed(run)" } else { "" };
        out.open(format!("if ({tile} < run.tiles{ready})"));
        self.tile(shared, out);
        out.close("");
    }

    /// Whether other kernels may have failed before.
    fn may_come_after_failure(&self, shared: &Shared<'_>) -> bool {
        shared.program.kernels.values().any(|kernel| fails(shared, kernel))
    }

    /// One tile after the other.
    fn tiles_alone(&self, shared: &mut Shared<'_>, out: &mut Writer) {
        let tile = self.tile[0];
        out.open(format!("for (int64_t {tile} = 0; {tile} < run.tiles; {tile}++)"));
        self.tile(shared, out);
        out.line("__syncthreads();");
        out.close("");
    }

    fn tiles_in_any_order(&self, shared: &mut Shared<'_>, out: &mut Writer) {
        if self.alone {
            return self.tiles_alone(shared, out);
        }
        let tile = self.tile[0];
        let failed = self.may_come_after_failure(shared);
        let bound = if failed && self.finishes() {
            out.line("const int64_t tiles = nesl_failed(run) ? 0 : run.tiles;");
            "tiles"
        } else {
            if failed {
                out.line("if (nesl_failed(run)) return;");
            }
            "run.tiles"
        };
        let head =
            format!("for (int64_t {tile} = blockIdx.x; {tile} < {bound}; {tile} += gridDim.x)");
        let sums = self.sums();
        if sums.is_some() {
            for (n, partial) in self.partials.iter().enumerate() {
                let ty = self.kernel.vars[partial.result];
                let how = monoid(shared.widths(), partial.monoid, ty);
                out.line(format!("{} sum{n} = {how}::identity();", shared.local(ty)));
            }
        }
        out.open(head);
        self.tile(shared, out);
        out.close("");
        if sums.is_some() {
            self.combine_block(shared, out);
        }
    }

    /// Brings together what the threads of a block have added up over all its tiles.
    fn combine_block(&self, shared: &Shared<'_>, out: &mut Writer) {
        let (rank, words) = (self.threads.rank, self.words());
        for (n, partial) in self.partials.iter().enumerate() {
            let ty = self.kernel.vars[partial.result];
            let (name, how) = (shared.local(ty), monoid(shared.widths(), partial.monoid, ty));
            out.line(format!("const {name} all{n} = nesl_combine<{how}>(sum{n}, scratch);"));
        }
        out.open(format!("if ({rank} == 0 && blockIdx.x < run.tiles)"));
        for n in 0..self.partials.len() {
            let row = format!("&run.scratch[(int64_t)blockIdx.x * {words} + {n}]");
            out.line(format!("nesl_put({row}, all{n});"));
        }
        out.close("");
    }

    /// What comes before a partial in the chain, if the chain passes it on: then the last tile
    /// knows what all have come to.
    fn before(&self, number: usize) -> Option<Var> {
        let value = self.body.iter().find_map(|stmt| match stmt {
            Stmt::Partial(n, value) if *n == number => Some(*value),
            _ => None,
        })?;
        let monoid = self.partials[number].monoid;
        let found = self.body.iter().find_map(|stmt| match stmt {
            Stmt::Chain { links, restarts, .. } => links.iter().enumerate().find(|(n, link)| {
                link.1 == value && link.2 == monoid && restarts.iter().all(|(r, _)| r != n)
            }),
            _ => None,
        });
        found.map(|(_, link)| link.0)
    }

    /// Whether the last tile does what comes after all.
    fn ends_in_order(&self) -> bool {
        let uses = Uses::of_kernel(self.kernel, [self.body, self.finish]);
        let known = |n| self.before(n).is_some_and(|before| !uses.unused(before));
        self.chains().next().is_some() && (0..self.partials.len()).all(known)
    }

    /// One tile: its range, its statements, its partials.
    fn tile(&self, shared: &mut Shared<'_>, out: &mut Writer) {
        let [tile, ..] = self.tile;
        self.ends(shared, out);
        if !self.partials.is_empty() && !self.ends_in_order() && self.sums().is_none() {
            let words = self.words();
            out.line(format!("nesl_word *const row = run.scratch + {tile} * {words};"));
        }
        let befores = if self.ends_in_order() {
            (0..self.partials.len()).filter_map(|n| self.before(n)).collect()
        } else {
            Vec::new()
        };
        let words = self.words();
        let carried = self.alone.then_some(0);
        let sums = self.sums().unwrap_or_default();
        let mut walk = Walk { word: self.partials.len(), words, carried, loops: 0, befores, sums };
        self.statements(shared, out, |body| body.tile_block(self.body, &mut walk));
    }

    /// The operands of all statements.
    pub(super) fn used(&self) -> Vec<Operand> {
        let blocks = [self.body, self.finish];
        blocks.into_iter().flatten().flat_map(Stmt::operands).collect()
    }

    /// Whether faults tell where they are.
    pub(super) fn has_positions(&self) -> bool {
        // A call looks as if it could fail until it is known what it does.
        if !self.lane {
            return false;
        }
        let mut found = false;
        each(self.body, &mut |stmt| found |= matches!(stmt, Stmt::Positions(_)));
        found
    }

    /// What the last block does.
    fn finish(&self, shared: &mut Shared<'_>, out: &mut Writer) {
        let rank = self.threads.rank;
        if self.ends_in_order() {
            out.line(if self.alone {
                format!("if ({rank} != 0) return;")
            } else {
                format!("if ({} + 1 < run.tiles || {rank} != 0) return;", self.tile[0])
            });
            for (number, partial) in self.partials.iter().enumerate() {
                let (ty, result) = (self.kernel.vars[partial.result], partial.result);
                out.line(format!("const {} {result} = last{number};", shared.local(ty)));
            }
            return self.statements(shared, out, |body| body.thread_block(self.finish));
        }
        if !self.alone {
            out.line("if (!nesl_last(run)) return;");
        }
        self.combine_tiles(shared, out);
        out.open(format!("if ({rank} == 0)"));
        self.statements(shared, out, |body| body.thread_block(self.finish));
        out.close("");
    }

    /// Brings together what the tiles have reduced to.
    fn combine_tiles(&self, shared: &Shared<'_>, out: &mut Writer) {
        if self.partials.is_empty() {
            return;
        }
        let (rank, words) = (self.threads.rank, self.words());
        let (mut shares, mut sums, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (i, partial) in self.partials.iter().enumerate() {
            let ty = self.kernel.vars[partial.result];
            let (name, result) = (shared.local(ty), partial.result);
            let combine = monoid(shared.widths(), partial.monoid, ty);
            let word = format!("nesl_load<{name}>(&run.scratch[tile * {words} + {i}])");
            shares.push(format!("{name} share{i} = {combine}::identity();"));
            sums.push(format!("share{i} = {combine}::of(share{i}, {word});"));
            all.push(format!(
                "const {name} {result} = nesl_combine<{combine}>(share{i}, scratch);"
            ));
        }
        shares.iter().for_each(|line| out.line(line));
        // All others have ended, so that what counts is how many loads are on their way at once.
        out.line("#pragma unroll 8");
        let step = self.threads.count;
        let rows = if self.sums().is_some() {
            "nesl_min(run.tiles, (int64_t)gridDim.x)"
        } else {
            "run.tiles"
        };
        out.open(format!("for (int64_t tile = {rank}; tile < {rows}; tile += {step})"));
        sums.iter().for_each(|line| out.line(line));
        out.close("");
        all.iter().for_each(|line| out.line(line));
    }

    /// Statements of the kernel.
    fn statements(
        &self,
        shared: &mut Shared<'_>,
        out: &mut Writer,
        print: impl FnOnce(&mut Body<'_, '_, Arg>),
    ) {
        let kernel = self.kernel;
        let uses = Uses::of_kernel(kernel, [self.body, self.finish]);
        let quiet = kernel.args.values().all(|i| i.kind != ArgKind::InOut);
        let overwritten = |a| kernel.overwritten().any(|(_, over)| over.input == a);
        let mut body = Body {
            shared,
            out: std::mem::take(out),
            vars: &kernel.vars,
            movable: &|a: Arg| quiet && kernel.args[a].kind == ArgKind::In && !overwritten(a),
            uses: &uses,
            inlined: HashMap::new(),
            kernel: Some(kernel),
            lane: if self.lane { Lane::Pointer } else { Lane::None },
            flag: "state->fault".to_owned(),
            leaves: Leaves::Never,
            octets: None,
            pieces: None,
            small: self.tile.into_iter().chain([self.threads.rank]).collect(),
            wide: HashSet::new(),
            compared: HashMap::new(),
            signs: Signs::default(),
            streamed: if self.alone {
                HashSet::new()
            } else {
                streamed(kernel, self.tiles, self.body)
            },
            serial: 0,
            shown: None,
        };
        print(&mut body);
        *out = body.out;
    }
}

/// What the printer of a tile knows of the place where it is.
pub(super) struct Walk {
    /// The first word of a tile's row that no chain has yet.
    pub(super) word: usize,
    /// The words of a row.
    pub(super) words: usize,
    /// In a block that runs all tiles, the first word that no chain carries yet.
    pub(super) carried: Option<usize>,
    /// Loops shared by the threads so far.
    pub(super) loops: usize,
    /// For each partial, what comes before it in the chain, if the last tile puts them together.
    pub(super) befores: Vec<Var>,
    /// For each partial, what the block would combine it to, if its threads add up on their own.
    pub(super) sums: Vec<Var>,
}
