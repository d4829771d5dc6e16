//! The rules of kernel programs.
//!
//! Variables
//! * Every variable is in the table and is defined once; it is used only after that, in the same
//!   block or in one nested in it.  Scalar statements obey the rules of scalar code.
//!
//! Arguments
//! * A scalar argument is used as an operand, with its type; a buffer is not.  An `out` is not
//!   read, an `in` not written; offsets are an `in` of ints, extents are ints.
//! * What an output is `over` keeps the rules of `over.rs`; no two outputs are over one input.
//!
//! Statements
//! * Ranges, indices, positions and cursors are ints; conditions are bools; a stored value has the
//!   buffer's type.
//! * A carried value keeps its type; a monoid is defined on it.  In a `simd` loop every carried
//!   value has a monoid.
//! * The body of a tile has at most one chain, in its outermost block; it gives a share of each
//!   partial at most once on each path.  The finish has neither.
//! * Each prefix has the type of its total, each partial that of its shares; the monoid is defined
//!   on it.
//!
//! Threads
//! * Barriers, combinations, scans, strides, and private arrays belong to the thread form, a simd
//!   loop, a pack and a chained value to the tile form.  Private arrays are scanned; both of
//!   a scan have one length, and the type of the total, or bools are counted.
//!
//! Serial forms
//! * The kernel has the same arguments; the form is one tile without a chain.  Its outputs are over
//!   no input: it is handed memory of their own.
//!
//! Sorting
//! * Keys are ordered; a sort gives what the keys are, a rank gives ints; the output is an `out`.

use crate::ir::{
    ArgInfo, ArgKind, Block, Body, Carry, Elements, Kernel, KernelId, Keys, Over, Partial, Program,
    Rows, Scan, Segments, SortKind, Stmt, Tiles, Way,
};
use crate::{Arg, Operand, Var};
use base::IdMap;
use base::print::Error;
use prim::{Monoid, ScalarOp, Ty};
use scalar::verify::Checker;
use scalar::{Atom, Func, Function, Scope, verify_function};

/// Checks a program; gives all errors.
pub fn verify(program: &Program) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    let mut item = 0;
    for id in program.scalars.ids() {
        verify_function(id, program.widths, &program.scalars, &mut item, &mut errors);
    }
    for (id, kernel) in program.kernels.iter() {
        verify_kernel(id, kernel, program, &mut item, &mut errors);
    }
    for (id, kernel) in &program.serial {
        let same = program.kernels.get(*id).is_some_and(|other| other.has_form(kernel));
        if !(same && kernel.is_one_tile()) {
            let message = "is no form of its kernel for one unit".to_string();
            errors.push(Error { item: item + 1, entity: id.to_string(), message });
        }
        verify_kernel(*id, kernel, program, &mut item, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

impl Kernel {
    /// Whether another kernel has its arguments, with memory of its own for each output.
    fn has_form(&self, form: &Kernel) -> bool {
        let own = |info: &ArgInfo| match info.kind {
            ArgKind::Over(_) => ArgInfo { kind: ArgKind::Out, ..*info },
            _ => *info,
        };
        self.args.values().map(own).eq(form.args.values().copied())
    }
    /// Whether it is one tile and waits for none before it.
    fn is_one_tile(&self) -> bool {
        let Body::Tiles { tiles, body, .. } = &self.body else { return false };
        matches!(tiles, Tiles::Once | Tiles::Whole { .. })
            && !body.iter().any(|stmt| matches!(stmt, Stmt::Chain { .. }))
    }
}

fn verify_kernel(
    id: KernelId,
    kernel: &Kernel,
    program: &Program,
    item: &mut usize,
    errors: &mut Vec<Error>,
) {
    let scope = Names { widths: program.widths, kernel, functions: &program.scalars };
    let code = kernel.as_code();
    let entity = id.to_string();
    *item += 1;
    let checker = Checker::new(&code, &scope, *item, errors);
    let by_threads = matches!(kernel.body, Body::Tiles { threads: Some(_), .. });
    let mut walk = Walk { kernel, checker, given: Vec::new(), finish: false, depth: 0, by_threads };
    if by_threads {
        // The tile form was checked.
    } else if kernel.args.values().any(|info| matches!(info.kind, ArgKind::Private(_))) {
        walk.checker.error(&entity, "only threads have private arrays".into());
    } else {
        walk.overwritten(&entity);
    }
    match &kernel.body {
        Body::Tiles { tiles, tile, threads, partials, body, finish } => {
            walk.tiles(&entity, tiles);
            let mut names = tiles.names(*tile);
            names.extend(threads.map(|threads| threads.rank));
            walk.checker.define(&names);
            walk.given = vec![false; partials.len()];
            let atoms: Vec<Operand> = names.into_iter().map(Atom::Var).collect();
            walk.ints(&entity, "tile", &atoms);
            walk.block(body);
            if !(partials.is_empty() && finish.is_empty()) {
                walk.checker.item += 1;
                walk.finish(&entity, partials, finish);
            }
        }
        Body::Sort { kind, keys, out } => walk.sort(&entity, *kind, keys, *out),
    }
    *item = walk.checker.item;
}

/// What the code of a kernel may name.
struct Names<'a> {
    widths: prim::Widths,
    kernel: &'a Kernel,
    functions: &'a IdMap<Func, Function>,
}

impl Scope<Arg> for Names<'_> {
    fn widths(&self) -> prim::Widths {
        self.widths
    }
    fn outer(&self, name: Arg) -> Option<Ty> {
        let info = self.kernel.args.get(name)?;
        (info.kind == ArgKind::Scalar).then_some(info.ty)
    }
    fn vector(&self, name: Arg) -> Option<Ty> {
        let info = self.kernel.args.get(name)?;
        let read = matches!(info.kind, ArgKind::In | ArgKind::InOut) || info.kind.is_own();
        read.then_some(info.ty)
    }
    fn function(&self, func: Func) -> Option<&Function> {
        self.functions.get(func)
    }
}

/// The walk over one kernel.
struct Walk<'a> {
    kernel: &'a Kernel,
    checker: Checker<'a, Arg>,
    /// Which partials were given a share on the path so far.
    given: Vec<bool>,
    /// Whether this is the finish.
    finish: bool,
    /// Blocks that are open.
    depth: usize,
    /// Whether this is the thread form.
    by_threads: bool,
}

impl Walk<'_> {
    fn ints(&mut self, entity: &str, what: &str, atoms: &[Operand]) {
        self.checker.operands(entity, what, atoms, &vec![Ty::I64; atoms.len()]);
    }
    fn ty(&self, atom: Operand) -> Ty {
        self.kernel.ty(atom)
    }
    /// Checks the pairs of an output and the input that it is over.
    fn overwritten(&mut self, entity: &str) {
        let pairs: Vec<(Arg, Over)> = self.kernel.overwritten().collect();
        if pairs.is_empty() {
            return;
        }
        let accesses = self.kernel.accesses();
        for (n, &(out, over)) in pairs.iter().enumerate() {
            let input = over.input;
            let why = match accesses.may_overwrite(self.kernel, out, input) {
                Ok(found) if found == over => None,
                Ok(_) => Some("is read from another place on"),
                Err(why) => Some(why),
            };
            if let Some(why) = why {
                self.checker.error(entity, format!("{out} is over {input}, which {why}"));
            }
            if pairs[..n].iter().any(|(_, other)| other.input == input) {
                self.checker.error(entity, format!("{input} is overwritten twice"));
            }
        }
    }
    /// Checks that the argument is a buffer that fits, and gives its element type.
    fn buffer(&mut self, entity: &str, arg: Arg, fits: fn(ArgKind) -> bool) -> Option<Ty> {
        match self.kernel.args.get(arg) {
            Some(info) if fits(info.kind) => Some(info.ty),
            _ => {
                self.checker.error(entity, format!("{arg} is no buffer for this"));
                None
            }
        }
    }
    fn offsets(&mut self, entity: &str, arg: Arg) {
        if self.buffer(entity, arg, |kind| kind == ArgKind::In).is_some_and(|ty| ty != Ty::I64) {
            self.checker.error(entity, format!("the offsets {arg} are no ints"));
        }
    }
    fn monoid(&mut self, entity: &str, monoid: Monoid, ty: Ty) {
        if monoid.op().result(&[ty, ty]) != Some(ty) {
            self.checker.error(entity, format!("{monoid} is not defined on {ty}"));
        }
    }

    fn tiles(&mut self, entity: &str, tiles: &Tiles) {
        let (extent, grain) = match tiles {
            Tiles::Once => return,
            Tiles::Even { extent, grain } => (*extent, *grain),
            Tiles::Balanced { extent, segments, grain }
            | Tiles::Cut { extent, segments, grain, .. } => {
                match segments {
                    Segments::Offsets(offsets, elements) => {
                        self.offsets(entity, *offsets);
                        self.ints(entity, "elements", &[*elements]);
                    }
                    Segments::Even(len) => self.ints(entity, "length", &[*len]),
                }
                (*extent, *grain)
            }
            Tiles::Whole { extent } | Tiles::Owners { extent } => (*extent, 1),
        };
        self.ints(entity, "extent", &[extent]);
        if grain == 0 {
            self.checker.error(entity, "the grain is 0".into());
        }
    }

    fn finish(&mut self, entity: &str, partials: &[Partial], finish: &Block) {
        // Variables of the body are not seen by the finish.
        self.finish = true;
        for partial in partials {
            self.checker.define(&[partial.result]);
            let ty = self.ty(Atom::Var(partial.result));
            self.monoid(entity, partial.monoid, ty);
        }
        self.block(finish);
    }

    fn sort(&mut self, entity: &str, kind: SortKind, keys: &Keys, out: Arg) {
        self.ints(entity, "sizes", &[keys.segments, keys.length]);
        if let Some(offsets) = keys.offsets {
            self.offsets(entity, offsets);
        }
        let from = self.buffer(entity, keys.buffer, |kind| kind == ArgKind::In);
        let to = self.buffer(entity, out, |kind| kind == ArgKind::Out);
        let (Some(from), Some(to)) = (from, to) else { return };
        if ScalarOp::Lt.result(&[from, from]).is_none() {
            self.checker.error(entity, format!("{from} is not ordered"));
        }
        let wanted = if kind == SortKind::Sort { from } else { Ty::I64 };
        if to != wanted {
            self.checker.error(entity, format!("the output is {to}, not {wanted}"));
        }
    }

    /// A block: what it defines is gone afterwards.
    fn block(&mut self, block: &Block) {
        let before = self.checker.mark();
        self.depth += 1;
        for stmt in block {
            self.stmt(stmt);
        }
        self.depth -= 1;
        self.checker.release(&before);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Scalar(stmt) = stmt {
            return self.checker.stmt(stmt);
        }
        self.checker.next_item();
        match stmt {
            Stmt::Scalar(_) => {}
            Stmt::If(cond, then, els) => {
                self.checker.operands("when", "condition", &[*cond], &[Ty::Bool]);
                let before = self.given.clone();
                self.block(then);
                let after = std::mem::replace(&mut self.given, before);
                self.block(els);
                self.given.iter_mut().zip(after).for_each(|(g, a)| *g |= a);
            }
            Stmt::For { index, from, to, carried, body, way } => {
                self.ints("for", "range", &[*from, *to]);
                let chained = carried.iter().any(|carry| carry.chained);
                match way {
                    Way::Simd => self.only("a simd loop", false),
                    Way::Stride(_) => self.only("a stride", true),
                    Way::Serial | Way::Unroll => {}
                }
                if chained {
                    self.only("a chained value", false);
                }
                self.counted(*index, carried, body, *way == Way::Simd || chained);
            }
            Stmt::Pack { .. } => {
                self.only("a pack", false);
                self.pack(stmt);
            }
            Stmt::Store(buffer, index, value) => {
                self.ints("store", "index", &[*index]);
                self.store("store", *buffer, *value);
            }
            Stmt::Raise(buffer, index, value) => self.raise(*buffer, *index, *value),
            Stmt::Partial(number, value) => self.partial(*number, *value),
            Stmt::Chain { links, restarts, first_warp } => {
                self.chain(links, restarts, *first_warp);
            }
            Stmt::Owner { index, segments, range, element } => {
                match segments {
                    Segments::Offsets(offsets, _) => self.offsets("owner", *offsets),
                    Segments::Even(len) => self.ints("owner", "length", &[*len]),
                }
                self.ints("owner", "range", range);
                self.ints("owner", "element", &[*element]);
                self.checker.define(&[*index]);
                self.ints("owner", "index", &[Atom::Var(*index)]);
            }
            Stmt::Owners(elements) => {
                self.only("a search for owners", true);
                self.elements("owners", elements, Ty::I64);
            }
            Stmt::Ends(elements) => {
                self.only("a search for ends", true);
                self.elements("ends", elements, Ty::Bool);
            }
            Stmt::Rows(rows) => {
                self.only("a combination of rows", true);
                self.rows(rows);
            }
            Stmt::Positions(atoms) => self.ints("positions", "operands", atoms),
            Stmt::Barrier => self.only("a barrier", true),
            Stmt::Combine(links) => {
                self.only("a combination", true);
                self.links("combine", links);
            }
            Stmt::Scan(scans) => {
                self.only("a scan of arrays", true);
                scans.iter().for_each(|scan| self.scan(scan));
            }
        }
    }

    /// Checks that this is the thread form, or the tile form.
    fn only(&mut self, what: &str, by_threads: bool) {
        if self.by_threads != by_threads {
            let form = if by_threads { "threads" } else { "tiles" };
            self.checker.error("form", format!("{what} belongs to the form for {form}"));
        }
    }

    /// Checks a statement that tells something of many elements in an array of this type.
    fn elements(&mut self, rule: &str, told: &Elements, ty: Ty) {
        let &Elements { to, segments, range, elements } = told;
        match segments {
            Segments::Offsets(offsets, _) => self.offsets(rule, offsets),
            Segments::Even(len) => self.ints(rule, "length", &[len]),
        }
        self.ints(rule, "range", &range);
        self.ints(rule, "elements", &elements);
        let shared = |info: &ArgInfo| matches!(info.kind, ArgKind::Shared(_)) && info.ty == ty;
        if !self.kernel.args.get(to).is_some_and(shared) {
            self.checker.error(rule, format!("{to} is no shared array of {ty}"));
        }
    }

    fn rows(&mut self, rows: &Rows) {
        self.ints("rows", "count", &[rows.count]);
        self.checker.define(&[rows.total, rows.any]);
        let (ty, any) = (self.ty(Atom::Var(rows.total)), self.ty(Atom::Var(rows.any)));
        self.monoid("rows", rows.monoid, ty);
        let info = |arg| self.kernel.args.get(arg).map(|info| (info.ty, info.kind));
        let private = |arg, ty| matches!(info(arg), Some((t, ArgKind::Private(_))) if t == ty);
        let shared = |arg, ty| matches!(info(arg), Some((t, ArgKind::Shared(_))) if t == ty);
        let right = any == Ty::Bool
            && private(rows.from, ty)
            && shared(rows.to, ty)
            && shared(rows.ends, Ty::Bool);
        if !right {
            self.checker.error("rows", format!("{} is made of arrays of other kinds", rows.total));
        }
    }

    fn scan(&mut self, scan: &Scan) {
        let Scan { from, to, total, monoid, restarts, inclusive } = *scan;
        if inclusive && restarts.is_none() {
            self.checker.error("scan", format!("{total} is inclusive and never restarts"));
        }
        let array = |walk: &mut Self, arg| match walk.kernel.args.get(arg) {
            Some(&ArgInfo { ty, kind: ArgKind::Private(len) }) => Some((ty, len)),
            _ => {
                walk.checker.error("scan", format!("{arg} is no private array"));
                None
            }
        };
        self.checker.define(&[total]);
        if let Some((at, any)) = restarts {
            self.checker.define(&[any]);
            let found = array(self, at);
            let bools = found.is_some_and(|(ty, _)| ty == Ty::Bool);
            if !bools || self.ty(Atom::Var(any)) != Ty::Bool {
                self.checker.error("scan", format!("{at} does not tell where it restarts"));
            }
        }
        let (Some((from, len)), Some((to, room))) = (array(self, from), array(self, to)) else {
            return;
        };
        let ty = self.ty(Atom::Var(total));
        self.monoid("scan", monoid, ty);
        let counts =
            from == Ty::Bool && ty == Ty::I64 && monoid == Monoid::Add && restarts.is_none();
        if to != ty || len != room || !(from == ty || counts) {
            self.checker.error("scan", format!("{from} [{len}] to {to} [{room}] of {ty}"));
        }
    }

    fn links(&mut self, entity: &str, links: &[(Var, Operand, Monoid)]) {
        for &(var, value, monoid) in links {
            let ty = self.ty(Atom::Var(var));
            self.checker.operands(entity, "value", &[value], &[ty]);
            self.monoid(entity, monoid, ty);
            self.checker.define(&[var]);
        }
    }

    fn store(&mut self, entity: &str, buffer: Arg, value: Operand) {
        if let Some(ty) = self.buffer(entity, buffer, |kind| kind.is_written() || kind.is_own()) {
            self.checker.operands(entity, "value", &[value], &[ty]);
        }
    }

    /// Checks a raise: whoever reads or stores there, too, would meet others that do so.
    fn raise(&mut self, buffer: Arg, index: Operand, value: Operand) {
        self.ints("raise", "index and value", &[index, value]);
        let ty = self.buffer("raise", buffer, |kind| kind == ArgKind::InOut);
        if ty.is_some_and(|ty| ty != Ty::I64) {
            self.checker.error("raise", format!("{buffer} has no ints"));
        }
        let used = |stmt: &Stmt| stmt.stores().contains(&buffer) || stmt.reads().contains(&buffer);
        if let Body::Tiles { body, finish, .. } = &self.kernel.body
            && body.iter().chain(finish).any(used)
        {
            self.checker.error("raise", format!("{buffer} is used in other ways"));
        }
    }

    fn counted(&mut self, index: Var, carried: &[Carry], body: &Block, simd: bool) {
        let tys: Vec<Ty> = carried.iter().map(|c| self.ty(Atom::Var(c.var))).collect();
        let init: Vec<Operand> = carried.iter().map(|c| c.init).collect();
        let next: Vec<Operand> = carried.iter().map(|c| c.next).collect();
        self.checker.operands("for", "first values", &init, &tys);
        for (carry, &ty) in carried.iter().zip(&tys) {
            match carry.monoid {
                Some(monoid) => self.monoid("for", monoid, ty),
                None if simd => {
                    self.checker.error("for", format!("{} has no monoid", carry.var));
                }
                None => {}
            }
        }
        let before = self.checker.mark();
        self.depth += 1;
        self.checker.define(&[index]);
        self.checker.define(&carried.iter().map(|c| c.var).collect::<Vec<_>>());
        self.ints("for", "index", &[Atom::Var(index)]);
        body.iter().for_each(|stmt| self.stmt(stmt));
        self.checker.next_item();
        self.checker.operands("next", "values", &next, &tys);
        let restarts: Vec<Operand> = carried.iter().filter_map(|carry| carry.restart).collect();
        self.checker.operands("next", "restart", &restarts, &vec![Ty::Bool; restarts.len()]);
        self.depth -= 1;
        self.checker.release(&before);
        let results: Vec<Var> = carried.iter().map(|c| c.result).collect();
        self.checker.define(&results);
        let found: Vec<Operand> = results.iter().map(|&v| Atom::Var(v)).collect();
        self.checker.operands("for", "results", &found, &tys);
    }

    fn pack(&mut self, stmt: &Stmt) {
        let Stmt::Pack { index, from, to, body, keep, cursor, start, kept, stores, end } = stmt
        else {
            return;
        };
        self.ints("pack", "range", &[*from, *to, *start]);
        let before = self.checker.mark();
        self.depth += 1;
        self.checker.define(&[*index]);
        body.iter().for_each(|stmt| self.stmt(stmt));
        self.checker.next_item();
        self.checker.operands("pack", "condition", &[*keep], &[Ty::Bool]);
        self.checker.define(&[*cursor]);
        kept.iter().for_each(|stmt| self.stmt(stmt));
        self.checker.next_item();
        for &(buffer, value) in stores {
            self.store("pack", buffer, value);
        }
        self.depth -= 1;
        self.checker.release(&before);
        self.checker.define(&[*end]);
    }

    fn partial(&mut self, number: usize, value: Operand) {
        let Body::Tiles { partials, .. } = &self.kernel.body else { return };
        let Some(partial) = partials.get(number).filter(|_| !self.finish) else {
            return self.checker.error("partial", format!("there is no partial {number} here"));
        };
        let ty = self.ty(Atom::Var(partial.result));
        self.checker.operands("partial", "value", &[value], &[ty]);
        if std::mem::replace(&mut self.given[number], true) {
            self.checker.error("partial", format!("partial {number} is given twice"));
        }
    }

    fn chain(
        &mut self,
        links: &[(Var, Operand, Monoid)],
        restarts: &[(usize, Operand)],
        first_warp: bool,
    ) {
        let Body::Tiles { body, .. } = &self.kernel.body else { return };
        let chains = body.iter().filter(|s| matches!(s, Stmt::Chain { .. })).count();
        if self.finish || self.depth != 1 || (chains > 1 && !self.by_threads) {
            self.checker.error("chain", "a tile has one, in its outermost block".into());
        }
        for &(n, restarted) in restarts {
            self.checker.operands("chain", "restart", &[restarted], &[Ty::Bool]);
            if n >= links.len() {
                self.checker.error("chain", format!("there is no link {n}"));
            }
        }
        let all = (0..links.len()).all(|link| restarts.iter().any(|(n, _)| *n == link));
        if first_warp && !(self.by_threads && all) {
            self.checker.error("chain", "only links that all restart are for one warp".into());
        }
        self.links("chain", links);
    }
}
