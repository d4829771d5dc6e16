//! Statements of kernels in CUDA C++: loops, stores, collectives.

use super::kernel::{Walk, chain_words, monoid};
use crate::shared::stmt::{Body, Lane};
use crate::shared::{Expr, Level};
use kernel::Body::Tiles;
use kernel::{
    Arg, ArgKind, Block, Carry, Elements, Kernel, Operand, Rows, Scan, Segments, Stmt, Threads, Way,
};
use prim::{Monoid, Widths};
use scalar::Var;

/// Loops of so few statements that add something up have so many loads on their way at once.
const SHORT: usize = 16;
const UNROLLED: usize = 8;
/// Tiles in which threads have at most so many lanes, as those that take long to compute, are
/// printed for full ones, too: there the loads of a thread's lanes are on their way together.  Of
/// narrow numbers Black-Scholes takes 0.071 ms in place of 0.075 on an H200, of wide ones, whose
/// lanes have no registers left, 0.159 in place of 0.154.
const ROUNDS: u32 = 4;
/// Numbers of a tile's elements that one word of scratch memory holds.
const COUNTS: usize = 4;

impl Body<'_, '_, Arg> {
    /// Statements of a tile: what comes to collectives.
    pub(super) fn tile_block(&mut self, block: &Block, walk: &mut Walk) {
        for stmt in block {
            match stmt {
                Stmt::If(cond, then, els) => {
                    let cond = self.text(*cond);
                    self.out.open(format!("if ({cond})"));
                    self.tile_block(then, walk);
                    if !els.is_empty() {
                        self.out.between("else");
                        self.tile_block(els, walk);
                    }
                    self.out.close("");
                }
                Stmt::For { index, from, to, carried, body, way } => {
                    let shared = matches!(way, Way::Stride(_) | Way::Unroll);
                    walk.loops += usize::from(shared);
                    if let Some(rounds) = self.rounds(stmt) {
                        self.in_rounds(stmt, rounds);
                        continue;
                    }
                    let plain = body.iter().all(|stmt| matches!(stmt, Stmt::Scalar(_)));
                    let short = shared && plain && body.len() <= SHORT && !walk.sums.is_empty();
                    let unroll = if short { UNROLLED } else { 0 };
                    let range = [*from, *to];
                    self.counted(range, *index, carried, (*way, unroll), |b| {
                        b.tile_block(body, walk);
                    });
                }
                Stmt::Partial(number, value) => self.partial(*number, *value, walk),
                Stmt::Chain { links, restarts, first_warp } => {
                    self.look_back(links, restarts, *first_warp, walk);
                }
                Stmt::Barrier => self.out.line("__syncthreads();"),
                Stmt::Combine(links) => links.iter().for_each(|link| self.combine(*link, walk)),
                Stmt::Scan(scans) => self.scans(scans),
                Stmt::Rows(rows) => self.rows(rows),
                Stmt::Owners(told) => self.elements("nesl_owners", told),
                Stmt::Ends(told) => self.elements("nesl_ends", told),
                Stmt::Positions(atoms) => self.positions(atoms, walk),
                Stmt::Scalar(_)
                | Stmt::Store(..)
                | Stmt::Raise(..)
                | Stmt::Pack { .. }
                | Stmt::Owner { .. } => {
                    self.thread_stmt(stmt);
                }
            }
        }
    }

    /// How many lanes of such a loop a thread has, if they are few, independent and known.
    fn rounds(&self, stmt: &Stmt) -> Option<u32> {
        let Kernel { body: Tiles { tiles, tile, .. }, .. } = self.kernel? else { return None };
        let kernel::Tiles::Even { grain, .. } = *tiles else { return None };
        let Stmt::For { to, carried, body, way: Way::Stride(step), .. } = stmt else { return None };
        let rounds = grain / step;
        let few = grain % step == 0 && (2..=ROUNDS).contains(&rounds);
        let narrow = self.shared.widths() == Widths::NARROW;
        let own = *to == Operand::Var(tile[2]) && carried.is_empty() && self.lane == Lane::None;
        let plain = |stmt: &Stmt| match stmt {
            Stmt::Scalar(stmt) => !loops(stmt),
            Stmt::Store(..) => true,
            _ => false,
        };
        (narrow && few && own && body.iter().all(plain)).then_some(rounds)
    }

    /// A loop in which a thread of a full tile has so many lanes, which are printed once.
    fn in_rounds(&mut self, stmt: &Stmt, rounds: u32) {
        let Stmt::For { index, from, to, body, way: Way::Stride(step), .. } = stmt else {
            unreachable!("lanes of threads are a loop with a stride")
        };
        let (int, lane) = (self.shared.int(), self.fresh("lane"));
        let [from, to] = [*from, *to].map(|end| self.atom(end).at(Level::Product));
        self.small.insert(*index);
        self.out.open(format!("const auto {lane} = [&](const {int} {index})"));
        self.thread_block(body);
        self.out.close(";");
        self.out.open(format!("if ({to} - {from} > {})", (rounds - 1) * step));
        self.out.line("#pragma unroll");
        self.out.line(format!("for (int k = 0; k < {rounds}; k++) {lane}({from} + k * {step});"));
        self.out.between("else");
        let each = format!("{int} {index} = {from}; {index} < {to}; {index} += {step}");
        self.out.line(format!("for ({each}) {lane}({index});"));
        self.out.close("");
    }

    /// Statements of one thread.
    pub(super) fn thread_block(&mut self, block: &Block) {
        for stmt in block {
            self.thread_stmt(stmt);
        }
    }

    fn thread_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Scalar(stmt) => self.stmt(stmt),
            Stmt::If(cond, then, els) => {
                let cond = self.text(*cond);
                self.out.open(format!("if ({cond})"));
                self.thread_block(then);
                if !els.is_empty() {
                    self.out.between("else");
                    self.thread_block(els);
                }
                self.out.close("");
            }
            Stmt::For { index, from, to, carried, body, way } => {
                let range = [*from, *to];
                self.counted(range, *index, carried, (*way, 0), |b| b.thread_block(body));
            }
            Stmt::Store(buffer, index, value) => {
                let (index, value) = (self.text(*index), self.text(*value));
                self.out.line(format!("{buffer}[{index}] = {value};"));
            }
            Stmt::Raise(buffer, index, value) => {
                let (index, value) = (self.text(*index), self.text(*value));
                self.out.line(format!("nesl_greatest(&{buffer}[{index}], {value});"));
            }
            Stmt::Owner { index, segments, range, element } => {
                let [first, last] = range.map(|end| self.text(end));
                let element = self.text(*element);
                let found = match segments {
                    Segments::Offsets(offsets, _) => {
                        format!("nesl_owner({offsets}, {first}, {last}, {element})")
                    }
                    // There is an element, so the length is not 0.
                    Segments::Even(len) => format!("{element} / {}", self.text(*len)),
                };
                self.out.line(format!("const {} {index} = {found};", self.shared.int()));
            }
            Stmt::Positions(_) => {}
            Stmt::Pack { .. }
            | Stmt::Partial(..)
            | Stmt::Chain { .. }
            | Stmt::Barrier
            | Stmt::Combine(_)
            | Stmt::Scan(_)
            | Stmt::Owners(_)
            | Stmt::Ends(_)
            | Stmt::Rows(_) => unreachable!("{stmt:?} is not for one thread"),
        }
    }

    /// A counted loop whose body is printed by `print`.
    fn counted(
        &mut self,
        [from, to]: [Operand; 2],
        index: Var,
        carried: &[Carry],
        (way, unroll): (Way, usize),
        print: impl FnOnce(&mut Self),
    ) {
        for carry in carried {
            let init = self.text(carry.init);
            self.out.line(format!(
                "{} {} = {init};",
                self.shared.local(self.vars[carry.var]),
                carry.var
            ));
        }
        let [from, to] = [self.text(from), self.text(to)];
        let step = match way {
            Way::Stride(step) => format!("{index} += {step}"),
            Way::Serial | Way::Simd | Way::Unroll => format!("{index}++"),
        };
        if way == Way::Unroll {
            self.out.line("#pragma unroll");
        } else if unroll > 0 {
            self.out.line(format!("#pragma unroll {unroll}"));
        }
        let int = self.shared.int();
        self.out.open(format!("for ({int} {index} = {from}; {index} < {to}; {step})"));
        self.small.insert(index);
        print(self);
        let vars: Vec<Var> = carried.iter().map(|c| c.var).collect();
        let next: Vec<Operand> = carried.iter().map(|c| c.next).collect();
        self.advance(&vars, &next);
        self.out.close("");
        for carry in carried {
            if !self.uses.unused(carry.result) {
                self.define(carry.result, Expr::primary(carry.var.to_string()));
            }
        }
    }

    /// The threads of the kernel's blocks.
    fn threads(&self) -> Threads {
        match self.kernel {
            Some(Kernel { body: Tiles { threads: Some(threads), .. }, .. }) => *threads,
            _ => unreachable!("a kernel in the thread form"),
        }
    }
    /// The number of the tile and its first index.
    fn tile_names(&self) -> [Var; 2] {
        match self.kernel {
            Some(Kernel { body: Tiles { tile, .. }, .. }) => [tile[0], tile[1]],
            _ => unreachable!("a kernel in the thread form"),
        }
    }

    fn partial(&mut self, number: usize, value: Operand, walk: &Walk) {
        if let Some(&before) = walk.befores.get(number) {
            let Some(Kernel { body: Tiles { partials, .. }, .. }) = self.kernel else { return };
            let how = monoid(self.shared.widths(), partials[number].monoid, self.vars[before]);
            let (before, value) = (self.text(Operand::Var(before)), self.text(value));
            return self.out.line(format!("last{number} = {how}::of({before}, {value});"));
        }
        if !walk.sums.is_empty() {
            return; // Told with the other threads' once all tiles are done.
        }
        let (rank, value) = (self.threads().rank, self.text(value));
        self.out.line(format!("if ({rank} == 0) nesl_put(&row[{number}], {value});"));
    }

    fn combine(&mut self, (result, value, how): (Var, Operand, Monoid), walk: &Walk) {
        let ty = self.vars[result];
        let how = monoid(self.shared.widths(), how, ty);
        let value = self.text(value);
        if let Some(n) = walk.sums.iter().position(|&sum| sum == result) {
            return self.out.line(format!("sum{n} = {how}::of(sum{n}, {value});"));
        }
        let all = format!("nesl_combine<{how}>({value}, scratch)");
        self.collective(result, &all);
    }

    /// Scans of striped arrays: each in its warps, then all of them in the block.
    fn scans(&mut self, scans: &[Scan]) {
        let Some(kernel) = self.kernel else { unreachable!("a scan outside a kernel") };
        let threads = self.threads().count;
        let mut wholes = Vec::new();
        let mut words = 0;
        let mut place = |count| {
            let from = words;
            words += count;
            if from == 0 { "scratch".to_owned() } else { format!("scratch + {from}") }
        };
        let (counted, others): (Vec<&Scan>, Vec<&Scan>) =
            scans.iter().partition(|scan| kernel.counts(scan));
        let mut counts = Vec::new();
        for counted in counted.chunks(COUNTS) {
            let shares = place(threads.div_ceil(32) as usize);
            let name = format!("counts_{}", counted[0].total);
            let word = if counted.len() > COUNTS / 2 { "uint64_t" } else { "uint32_t" };
            let (mut shared, mut shift) = (Vec::new(), String::new());
            for (n, Scan { from, to, total, .. }) in counted.iter().enumerate() {
                let bit = 16 * n;
                shared.push(format!("nesl_count_warp<{word}>({from}, {to}){shift}"));
                shift = format!(" << {}", bit + 16);
                wholes.push((*total, format!("{name}.of<{bit}>({to})")));
            }
            self.out.line(format!("nesl_share({shares}, {});", shared.join(" | ")));
            counts.push(format!("const nesl_counts<{word}, {threads}> {name}({shares});"));
        }
        for scan in others {
            let Scan { from, to, total, monoid: how, restarts, inclusive } = *scan;
            let shares = place(share_words(threads, scan));
            let ty = self.vars[total];
            if from != to {
                let ArgKind::Private(len) = kernel.args[from].kind else {
                    unreachable!("{from} is no private array")
                };
                self.out.line("#pragma unroll");
                let copy = format!("{to}[k] = {from}[k];");
                self.out.line(format!("for (int k = 0; k < {len}; k++) {copy}"));
            }
            let how = monoid(self.shared.widths(), how, ty);
            let whole = match restarts {
                None => {
                    self.out.line(format!("nesl_scan_warp<{how}>({to}, {shares});"));
                    format!("nesl_scan_block<{how}, {threads}>({to}, {shares})")
                }
                Some((at, any)) => {
                    self.out.line(format!("bool {any};"));
                    let given = format!("{to}, {at}, {any}, {shares}");
                    format!("nesl_scan_restarting<{how}, {threads}, {inclusive}>({given})")
                }
            };
            wholes.push((total, whole));
        }
        if scans.iter().any(|scan| scan.restarts.is_none()) {
            self.out.line("__syncthreads();");
        }
        counts.into_iter().for_each(|line| self.out.line(line));
        for (total, whole) in wholes {
            self.collective(total, &whole);
        }
        self.out.line("__syncthreads();");
    }

    fn elements(&mut self, function: &str, told: &Elements) {
        let &Elements { to, segments, range, elements } = told;
        let Segments::Offsets(offsets, _) = segments else {
            unreachable!("segments of one length are divided")
        };
        let threads = self.threads().count;
        let [first, last] = range.map(|end| self.text(end));
        let [from, end] = elements.map(|end| self.text(end));
        self.out.line(format!(
            "{function}<{threads}>({offsets}, {first}, {last}, {from}, {end}, {to});"
        ));
    }

    fn rows(&mut self, rows: &Rows) {
        let &Rows { from, to, ends, count, total, any, monoid: how } = rows;
        let how = monoid(self.shared.widths(), how, self.vars[total]);
        let threads = self.threads().count;
        let count = self.text(count);
        self.out.line(format!("bool {any};"));
        let given = format!("{from}, {ends}, {count}, {to}, {any}, scratch");
        self.collective(total, &format!("nesl_rows<{how}, {threads}>({given})"));
    }

    /// What a collective gives; it happens even if nobody uses that.
    fn collective(&mut self, result: Var, value: &str) {
        if self.uses.unused(result) {
            return self.out.line(format!("{value};"));
        }
        self.out
            .line(format!("const {} {result} = {value};", self.shared.local(self.vars[result])));
    }

    fn look_back(
        &mut self,
        links: &[(Var, Operand, Monoid)],
        restarts: &[(usize, Operand)],
        first_warp: bool,
        walk: &mut Walk,
    ) {
        let restart = |n: usize| restarts.iter().find(|(link, _)| *link == n).map(|r| r.1);
        let monoids: Vec<String> = links
            .iter()
            .enumerate()
            .map(|(n, (var, _, how))| {
                let how = monoid(self.shared.widths(), *how, self.vars[*var]);
                if restart(n).is_some() { format!("nesl_restarting<{how}>") } else { how }
            })
            .collect();
        let mut words = Vec::new();
        for n in 0..links.len() {
            words.push(n + restarts.iter().filter(|(link, _)| *link < n).count());
        }
        let ty = format!("nesl_links<{}>", monoids.join(", "));
        let (own, before) = (self.fresh("own"), self.fresh("before"));
        self.out.line(format!("{ty} {own};"));
        for (n, (_, total, _)) in links.iter().enumerate() {
            let mut total = self.text(*total);
            if let Some(any) = restart(n) {
                let ty = self.shared.local(self.vars[links[n].0]);
                total = format!("nesl_part<{ty}>{{{total}, {}}}", self.text(any));
            }
            self.out.line(format!("nesl_put(&{own}.words[{}], {total});", words[n]));
        }
        let [tile, _] = self.tile_names();
        let linked = links.len() + restarts.len();
        let value = if let Some(carried) = &mut walk.carried {
            let place = format!("run, {carried}, {tile}");
            *carried += linked;
            let verb = if first_warp { "nesl_carried_first_warp" } else { "nesl_carried" };
            format!("{verb}({place}, {own})")
        } else {
            let place = format!("{{run, {}, {}}}, {tile}", walk.words, walk.word);
            if first_warp {
                format!("nesl_chain_first_warp({place}, {own})")
            } else {
                format!("nesl_chain({place}, {own}, scratch)")
            }
        };
        walk.word += chain_words(linked);
        self.out.line(format!("const {ty} {before} = {value};"));
        for (n, (var, ..)) in links.iter().enumerate().filter(|(_, l)| !self.uses.unused(l.0)) {
            let (ty, word) = (self.shared.local(self.vars[*var]), words[n]);
            self.out.line(format!("const {ty} {var} = nesl_get<{ty}>(&{before}.words[{word}]);"));
        }
    }

    fn positions(&mut self, atoms: &[Operand], walk: &Walk) {
        // Nothing that the lanes do can fail.
        if self.lane == Lane::None {
            return;
        }
        let [tile, first] = self.tile_names();
        let mut list = vec![tile.to_string(), walk.loops.to_string(), first.to_string()];
        list.extend(atoms.iter().map(|&a| self.text(a)));
        self.out.line(format!("NESL_POSITIONS({});", list.join(", ")));
    }
}

/// Whether there are loops in a statement.
fn loops(stmt: &scalar::Stmt<Arg>) -> bool {
    match stmt {
        scalar::Stmt::Loop { .. } => true,
        scalar::Stmt::If { then, els, .. } => then.stmts.iter().chain(&els.stmts).any(loops),
        scalar::Stmt::Let(..) | scalar::Stmt::Require { .. } | scalar::Stmt::Call(_) => false,
    }
}

/// Words of scratch memory that scans need for their warps.
pub(super) fn scan_words(kernel: &Kernel, threads: u32, scans: &[Scan]) -> usize {
    let (counted, others): (Vec<&Scan>, Vec<&Scan>) =
        scans.iter().partition(|scan| kernel.counts(scan));
    let others = others.into_iter().map(|scan| share_words(threads, scan));
    counted.len().div_ceil(COUNTS) * threads.div_ceil(32) as usize + others.sum::<usize>()
}
fn share_words(threads: u32, scan: &Scan) -> usize {
    let each = if scan.restarts.is_some() { 2 } else { 1 };
    each * threads.div_ceil(32) as usize
}
