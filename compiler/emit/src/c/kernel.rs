//! Kernels in C: for each kernel
//!
//! * `k3_plan`, which says into how many tiles the outer range is cut and how much scratch memory
//!   the launch needs;
//! * `k3_tile`, which runs one tile;
//! * `k3_finish`, which combines what the tiles reduced to and runs the finish;
//! * `k3`, which every worker of the team calls: it takes tiles in order until none are left.
//!
//! Scratch memory is a row of words for each tile: its partials, then what it passes on in the
//! chain, then the flag that says that this was written.

use super::loops::loops_are_apart;
use super::names;
pub(crate) use crate::shared::kernel::{
    called, chain_links, combine, fails, lane_calls, outer_name, stores, walk,
};

use super::stmt::{Body, LOCAL_FAULT, Lane, Leaves, Shared};
use super::types::field;
use crate::shared::sign::Signs;
use crate::shared::{Expr, Uses, Writer};
use base::Id;
use kernel::{Arg, ArgKind, Block, Body as KernelBody, Kernel, KernelId, Partial, Segments, Tiles};
use prim::{Monoid, Ty};
use scalar::{Atom, Op, Var};
use std::collections::{HashMap, HashSet};

/// What printing found out about a kernel.
#[derive(Clone, Debug)]
pub struct KernelFacts {
    /// For messages and profiles.
    pub name: String,
    /// The types of its arguments, and whether each is a buffer.
    pub args: Vec<(Ty, ArgKind)>,
    /// Whether it can record a fault.
    pub fails: bool,
    /// Whether it calls recursive functions, which want a large stack.
    pub recursive: bool,
    /// Whether each worker wants memory of its own for the results of lanes.
    pub arenas: bool,
    /// The flag among its arguments that lets it overwrite what it is given: then it cannot run
    /// again.
    pub spends: Option<usize>,
}

/// A kernel made of tiles, in parts.
struct Parts<'k> {
    id: KernelId,
    kernel: &'k Kernel,
    tiles: &'k Tiles,
    tile: [Var; 3],
    partials: &'k [Partial],
    body: &'k Block,
    finish: &'k Block,
    links: &'k [(Var, kernel::Operand, Monoid)],
    fails: bool,
    /// How its statements reach the state of the lane.
    lane: Lane,
}

/// The text of one kernel, and facts about it.
pub(crate) fn definition(shared: &mut Shared<'_>, id: KernelId) -> (String, KernelFacts) {
    let kernel = &shared.program.kernels[id];
    let facts = facts(shared, kernel);
    let mut out = Writer::default();
    out.line(format!("/* ---- {id} {} ---- */", names::comment(&kernel.name)));
    out.blank();
    match &kernel.body {
        KernelBody::Tiles { tiles, tile, partials, body, finish, .. } => {
            let links = chain_links(body);
            let lane = facts.fails || lane_calls(shared, [body, finish]);
            let lane = if lane { Lane::Local } else { Lane::None };
            let (fails, tile) = (facts.fails, *tile);
            let parts =
                Parts { id, kernel, tiles, tile, partials, body, finish, links, fails, lane };
            parts.plan(shared, &mut out);
            parts.tile_function(shared, &mut out, false);
            let octets = parts.octets_function(shared, &mut out);
            if parts.finishes() {
                parts.finish_function(shared, &mut out);
            }
            parts.entry(shared, &mut out, &octets);
        }
        KernelBody::Sort { kind, keys, out: to } => {
            let sort = super::sort::Sort { kernel, kind: *kind, keys, to: *to };
            super::sort::definition(shared, &mut out, id, &sort);
        }
    }
    (out.finish(), facts)
}

/// The serial form of a kernel: a function that runs it as one tile.  It is part of its caller if
/// it is launched in one place only.  `overlaps`: an output may be the same memory as an input.
pub(crate) fn serial(
    shared: &mut Shared<'_>,
    id: KernelId,
    launches: usize,
    overlaps: bool,
) -> String {
    let kernel = &shared.program.serial[&id];
    let KernelBody::Tiles { tiles, tile, partials, body, finish, .. } = &kernel.body else {
        unreachable!("{id} is not made of tiles")
    };
    let fails = fails(shared, kernel);
    let lane = if fails || lane_calls(shared, [body, finish]) { Lane::Pointer } else { Lane::None };
    let (tile, links) = (*tile, [].as_slice());
    let parts = Parts { id, kernel, tiles, tile, partials, body, finish, links, fails, lane };
    let mut out = Writer::default();
    let kind = if launches == 1 { "NESL_INLINE" } else { "static" };
    parts.serial_function(shared, (kind, overlaps), &mut out);
    out.finish()
}

impl Parts<'_> {
    /// `k3_serial`.
    fn serial_function(
        &self,
        shared: &mut Shared<'_>,
        (kind, overlaps): (&str, bool),
        out: &mut Writer,
    ) {
        let head = format!("nesl_state *state{}", self.params(shared, overlaps));
        out.open(format!("{kind} void {}({head})", names::serial(self.id)));
        let last = match self.tiles {
            Tiles::Whole { extent } => outer_name(shared.widths(), *extent),
            _ => "1".to_owned(),
        };
        let [tile, first, end] = self.tile;
        let int = shared.int();
        out.line(format!("const {int} {tile} = 0, {first} = 0, {end} = {last};"));
        for (i, partial) in self.partials.iter().enumerate() {
            let ty = self.kernel.vars[partial.result];
            let identity = shared.constant(shared.widths().identity(partial.monoid, ty), false);
            out.line(format!("{} {} = {identity};", shared.local(ty), names::partial(i)));
        }
        self.statements(shared, out, |body| body.block(self.body));
        for (i, partial) in self.partials.iter().enumerate() {
            let ty = shared.local(self.kernel.vars[partial.result]);
            out.line(format!("const {ty} {} = {};", partial.result, names::partial(i)));
        }
        self.statements(shared, out, |body| body.block(self.finish));
        out.close("");
        out.blank();
    }

    /// Words of scratch memory for each tile.
    fn row(&self) -> usize {
        let chain = if self.links.is_empty() { 0 } else { self.links.len() + 1 };
        self.partials.len() + chain
    }
    /// Whether something happens after all tiles.
    fn finishes(&self) -> bool {
        !self.finish.is_empty()
    }

    /// `k3_plan`.
    fn plan(&self, shared: &Shared<'_>, out: &mut Writer) {
        let head = "int32_t size, const nesl_arg *args, nesl_plan *plan";
        out.open(format!("{}void {}({head})", shared.linkage, names::plan(self.id)));
        let outer = |atom: &kernel::Operand| match atom {
            Atom::Outer(a, _) => format!("args[{}].{}", a.index(), field(self.kernel.args[*a].ty)),
            Atom::Const(c) => shared.constant(*c, false),
            Atom::Var(v) => unreachable!("{v} is no argument"),
        };
        let tiles = match self.tiles {
            Tiles::Once => "1".to_owned(),
            Tiles::Even { extent, grain } => {
                let extent = outer(extent);
                format!("nesl_even({extent}, {})", self.grain(&extent, *grain))
            }
            Tiles::Balanced { extent, segments, grain }
            | Tiles::Cut { extent, segments, grain, .. } => match segments {
                Segments::Offsets(offsets, _) => {
                    let (offsets, extent) = (offsets.index(), outer(extent));
                    format!("nesl_balanced(args[{offsets}].p, {extent}, {grain})")
                }
                Segments::Even(len) => {
                    format!("nesl_even(nesl_load({}, {}), {grain})", outer(len), outer(extent))
                }
            },
            Tiles::Owners { .. } => "size".to_owned(),
            Tiles::Whole { .. } => unreachable!("a launch is cut into tiles"),
        };
        out.line(format!("plan->tiles = {tiles};"));
        let scratch = match self.row() {
            0 => "0".to_owned(),
            words => format!("plan->tiles * (int64_t)sizeof(nesl_arg[{words}])"),
        };
        out.line(format!("plan->scratch = {scratch};"));
        let cleared = if self.links.is_empty() { "0" } else { "plan->scratch" };
        out.line(format!("plan->cleared = {cleared};"));
        out.close("");
        out.blank();
    }

    /// How many indices a tile has.  Where tiles are chained, each reads its elements twice, the
    /// second time from the cache: while it writes, memory reads nothing, and the longer the turns
    /// are, the more it gets done.  Not so where elements are looked up, each of which takes a
    /// whole line of the cache.
    fn grain(&self, extent: &str, grain: u32) -> String {
        // As measured: a scan writes as much as it reads, a filter half of it or less.
        let packs = self.body.iter().any(|stmt| matches!(stmt, kernel::Stmt::Pack { .. }));
        let most = if packs { 8 } else { 4 };
        let inputs = self.kernel.args.values().filter(|arg| arg.kind == ArgKind::In).count();
        match most / inputs.max(1) {
            0 | 1 => grain.to_string(),
            _ if self.links.is_empty() || self.looks_up() => grain.to_string(),
            most => format!("nesl_long_grain({extent}, {grain}, {most})"),
        }
    }

    /// Whether elements are read at places that were read, or may be.
    fn looks_up(&self) -> bool {
        let (mut found, mut looks_up) = (HashSet::new(), false);
        walk(self.body, &mut |stmt| {
            let is_found = |atom: &kernel::Operand, found: &HashSet<Var>| matches!(atom, Atom::Var(var) if found.contains(var));
            match stmt {
                scalar::Stmt::Let(var, Op::Read(_, index)) => {
                    looks_up |= is_found(index, &found);
                    found.insert(*var);
                }
                scalar::Stmt::Let(var, Op::Scalar(_, args, _)) => {
                    if args.iter().any(|arg| is_found(arg, &found)) {
                        found.insert(*var);
                    }
                }
                stmt => found.extend(stmt.results()),
            }
        });
        looks_up
    }

    /// The head of the loop over the tiles that a worker takes.
    fn take_tiles(&self, out: &mut Writer) {
        // Tiles of a chain wait for each other.
        let apart = self.links.is_empty();
        if apart {
            out.line("nesl_turn turn = {0, 0};");
        }
        let take = if apart { "nesl_take_turn(run, &turn, tiles)" } else { "nesl_take(run)" };
        let tile = self.tile[0];
        out.open(format!("for (int64_t {tile}; ({tile} = {take}) < tiles;)"));
    }

    /// The arguments of `k3`, by name.
    fn arguments(&self, shared: &Shared<'_>, out: &mut Writer) {
        for (arg, info) in self.kernel.args.iter() {
            let value = match info.kind {
                ArgKind::Scalar => format!("args[{}].{}", arg.index(), field(info.ty)),
                _ => format!("args[{}].p", arg.index()),
            };
            out.line(format!("{} = {value};", self.declarator(shared, arg, "")));
        }
    }

    /// `k3`.
    fn entry(&self, shared: &Shared<'_>, out: &mut Writer, octets: &[String]) {
        let id = self.id;
        let head = "nesl_launch *run, int32_t worker, const nesl_arg *args";
        out.open(format!("{}void {}({head})", shared.linkage, names::kernel(id)));
        self.arguments(shared, out);
        out.line("NESL_ENTER(run);");
        let operand = |atom: &kernel::Operand| match atom {
            Atom::Const(c) => shared.constant(*c, false),
            other => outer_name(shared.widths(), *other),
        };
        let [tile, first, last] = self.tile;
        let call = format!("{}({});", names::tile(id), self.actuals());
        let range = |out: &mut Writer, from: String, to: String| {
            out.line(format!("const {} {first} = {from}, {last} = {to};", shared.int()));
            out.line(&call);
        };
        match self.tiles {
            Tiles::Once => {
                out.line(format!("const int64_t {tile} = 0;"));
                range(out, "0".into(), "1".into());
            }
            Tiles::Even { extent, grain } => {
                let extent = operand(extent);
                let mut grain = self.grain(&extent, *grain);
                if !self.links.is_empty() {
                    out.line(format!("const int64_t grain = {grain};"));
                    "grain".clone_into(&mut grain);
                }
                out.line(format!("const int64_t tiles = nesl_even({extent}, {grain});"));
                self.take_tiles(out);
                let from = format!("{tile} * {grain}");
                range(out, from, format!("nesl_min({tile} * {grain} + {grain}, {extent})"));
                out.close("");
            }
            Tiles::Balanced { extent, segments, grain } => {
                let (tiles, cut, list) = loads(shared, &operand(extent), *segments, *grain);
                out.line(format!("const int64_t tiles = {tiles};"));
                self.take_tiles(out);
                let from = format!("{cut}({list}, {tile} * {grain})");
                let to = format!("{cut}({list}, {tile} * {grain} + {grain})");
                out.line(format!("const {} {first} = {from}, {last} = {to};", shared.int()));
                self.octets_call(shared, out, (segments, octets));
                out.line(&call);
                out.close("");
            }
            Tiles::Cut { extent, segments, grain, own } => {
                let cut = self.cuts(shared, &operand(extent), segments, *grain, own);
                out.line(format!("const int64_t tiles = {};", cut[0]));
                self.take_tiles(out);
                cut[1..].iter().for_each(|line| out.line(line));
                out.line(&call);
                out.close("");
            }
            Tiles::Whole { .. } => unreachable!("a launch is cut into tiles"),
            Tiles::Owners { extent } => {
                let extent = operand(extent);
                out.line(format!("const int64_t tiles = run->team.size, {tile} = worker;"));
                let share = |w: String| format!("nesl_share(nesl_max({extent}, 0), tiles, {w})");
                range(out, share(tile.to_string()), share("worker + 1".into()));
            }
        }
        if self.finishes() {
            let once = *self.tiles == Tiles::Once;
            if !once {
                out.line("nesl_barrier(&run->team);");
            }
            let tiles = if once { "1" } else { "tiles" };
            let ready = "worker == 0 && !nesl_failed(run)";
            let list = format!("run, worker, {tiles}{}", self.names());
            out.line(format!("if ({ready}) {id}_finish({list});"));
        }
        if shared.count {
            out.line("nesl_count(run);");
        }
        out.close("");
        out.blank();
    }
    /// The number of tiles that cut segments, and lines that say what a tile has.
    fn cuts(
        &self,
        shared: &Shared<'_>,
        extent: &str,
        segments: &Segments,
        grain: u32,
        own: &[Var; 3],
    ) -> [String; 5] {
        let ([tile, first, last], [start, from, to]) = (self.tile, own);
        let (tiles, name, list) = loads(shared, extent, *segments, grain);
        let begins = match segments {
            Segments::Offsets(offsets, _) => format!("{offsets}[{start}]"),
            Segments::Even(len) => format!("{start} * nesl_max({}, 0)", length(shared, len)),
        };
        let int = shared.int();
        let cut = |at: String, index: Var, element: Var| {
            format!("{name}_at({list}, {at}, &{index}, &{element});")
        };
        [
            tiles,
            format!("{int} {start}, {from}, {last}, {to};"),
            cut(format!("{tile} * {grain}"), *start, *from),
            cut(format!("{tile} * {grain} + {grain}"), last, *to),
            // The segment before the first that starts here may end here.
            format!("const {int} {first} = {start} - ({from} < {begins});"),
        ]
    }
    /// `, a0, a1, ...`.
    fn names(&self) -> String {
        self.kernel.args.ids().map(|a| format!(", {a}")).collect()
    }
    fn actuals(&self) -> String {
        let names = self.tiles.names(self.tile);
        let tile: String = names.iter().map(|name| format!(", {name}")).collect();
        format!("run, worker{tile}{}", self.names())
    }
    /// The declaration of an argument as a variable.
    fn declarator(&self, shared: &Shared<'_>, arg: Arg, restrict: &str) -> String {
        let info = self.kernel.args[arg];
        match info.kind {
            ArgKind::Scalar => format!("const {} {arg}", shared.local(info.ty)),
            ArgKind::In => format!("const {} *{restrict}{arg}", shared.element(info.ty)),
            ArgKind::Out | ArgKind::Over(_) | ArgKind::InOut => {
                format!("{} *{restrict}{arg}", shared.element(info.ty))
            }
            ArgKind::Shared(_) | ArgKind::Private(_) => unreachable!("{arg} is not handed over"),
        }
    }
    /// The arguments as parameters of the functions that do the work.  What an `InOut` writes may
    /// be an input, so then only outputs are known to overlap nothing; but for those over an input.
    fn params(&self, shared: &Shared<'_>, overlaps: bool) -> String {
        let in_out = self.kernel.args.values().any(|i| i.kind == ArgKind::InOut);
        let alone = |arg: Arg| match self.kernel.args[arg].kind {
            ArgKind::Out => true,
            ArgKind::In => !in_out && !self.is_overwritten(arg),
            _ => false,
        };
        let restrict = |arg| if alone(arg) && !overlaps { "restrict " } else { "" };
        let param = |arg| format!(", {}", self.declarator(shared, arg, restrict(arg)));
        self.kernel.args.ids().map(param).collect()
    }
    /// Whether an output may be the same memory as this input.
    fn is_overwritten(&self, input: Arg) -> bool {
        self.kernel.overwritten().any(|(_, over)| over.input == input)
    }

    /// `k3_octets`, if it would be another than `k3_tile`: gives how long the vectors are in which
    /// its rows look elements up.
    fn octets_function(&self, shared: &mut Shared<'_>, out: &mut Writer) -> Vec<String> {
        if shared.count || !matches!(self.tiles, Tiles::Balanced { .. }) {
            return Vec::new();
        }
        let mut other = Writer::default();
        let lengths = self.tile_function(shared, &mut other, true);
        if lengths.is_empty() {
            return lengths;
        }
        out.line("#if NESL_OCTETS");
        out.lines(&format!("{}\n", other.finish().trim_end()));
        out.line("#endif");
        out.blank();
        lengths
    }

    /// The call of `k3_octets` where rows are long enough, and what they look up is near; and
    /// `else`.
    fn octets_call(
        &self,
        shared: &Shared<'_>,
        out: &mut Writer,
        (segments, lengths): (&Segments, &[String]),
    ) {
        if lengths.is_empty() {
            return;
        }
        let [_, first, last] = self.tile;
        let load = match segments {
            Segments::Offsets(offsets, _) => {
                format!("{offsets}[{last}] - {offsets}[{first}], {last} - {first}")
            }
            Segments::Even(len) => format!("{}, 1", length(shared, len)),
        };
        out.line("#if NESL_OCTETS");
        let call = format!("{}({});", names::octets(self.id), self.actuals());
        let near = lengths.iter().map(|length| format!(" && nesl_octets_near({length})"));
        out.line(format!("if (nesl_octets_fill({load}){})", near.collect::<String>()));
        out.line(format!("  {call}"));
        out.line("else");
        out.line("#endif");
    }

    /// `k3_tile`, or `k3_octets`, of which it gives how long the vectors are in which rows look
    /// elements up.
    fn tile_function(
        &self,
        shared: &mut Shared<'_>,
        out: &mut Writer,
        octets: bool,
    ) -> Vec<String> {
        let tile = self.tile[0];
        let names = self.tiles.names(self.tile);
        let own = names.iter().map(|&name| {
            // The number of a tile is no int of the program.
            format!(", {} {name}", if name == tile { "int64_t" } else { shared.int() })
        });
        let own: String = own.collect();
        let head = format!("nesl_launch *run, int32_t worker{own}{}", self.params(shared, false));
        // Rows that are shorter than a vector gain nothing by longer ones.
        let wide = if loops_are_apart(self.body) { "NESL_WIDE " } else { "" };
        let name = if octets { names::octets(self.id) } else { names::tile(self.id) };
        out.open(format!("{wide}NESL_TILE static void {name}({head})"));
        if self.row() > 0 {
            out.line(format!("nesl_arg *row = run->scratch + {tile} * {};", self.row()));
        }
        for (i, partial) in self.partials.iter().enumerate() {
            let ty = self.kernel.vars[partial.result];
            let identity = shared.constant(shared.widths().identity(partial.monoid, ty), false);
            out.line(format!("{} {} = {identity};", shared.local(ty), names::partial(i)));
        }
        let lengths = self.statements(shared, out, |body| {
            body.octets = octets.then(Vec::new);
            body.block(self.body);
        });
        for (i, partial) in self.partials.iter().enumerate() {
            let field = field(self.kernel.vars[partial.result]);
            out.line(format!("row[{i}].{field} = {};", names::partial(i)));
        }
        out.close("");
        out.blank();
        lengths.unwrap_or_default()
    }

    /// `k3_finish`.
    fn finish_function(&self, shared: &mut Shared<'_>, out: &mut Writer) {
        let head = format!(
            "nesl_launch *run, int32_t worker, int64_t tiles{}",
            self.params(shared, false)
        );
        out.open(format!("NESL_TILE static void {}_finish({head})", self.id));
        for partial in self.partials {
            let ty = self.kernel.vars[partial.result];
            let identity = shared.constant(shared.widths().identity(partial.monoid, ty), false);
            out.line(format!("{} {} = {identity};", shared.local(ty), partial.result));
        }
        if !self.partials.is_empty() {
            out.open("for (int64_t tile = 0; tile < tiles; tile++)");
            out.line(format!("const nesl_arg *row = run->scratch + tile * {};", self.row()));
            for (i, partial) in self.partials.iter().enumerate() {
                let ty = self.kernel.vars[partial.result];
                let own = Expr::primary(partial.result.to_string());
                let other = Expr::primary(format!("row[{i}].{}", field(ty)));
                let sum = combine(shared.widths(), partial.monoid, ty, own, other);
                out.line(format!("{} = {};", partial.result, sum.text));
            }
            out.close("");
        }
        self.statements(shared, out, |body| body.block(self.finish));
        out.close("");
        out.blank();
    }

    /// Statements of the kernel between the declaration of their lane and its report.  Gives what
    /// is found out about rows that are taken eight lanes at a time.
    fn statements(
        &self,
        shared: &mut Shared<'_>,
        out: &mut Writer,
        print: impl FnOnce(&mut Body<'_, '_, Arg>),
    ) -> Option<Vec<String>> {
        if self.lane == Lane::Local {
            out.line("nesl_state state = {0, run->stack[worker]};");
        }
        let kernel = self.kernel;
        let uses = Uses::of_kernel(kernel, [self.body, self.finish]);
        let quiet = kernel.args.values().all(|i| i.kind != ArgKind::InOut);
        let mut body = Body {
            shared,
            out: std::mem::take(out),
            vars: &kernel.vars,
            movable: &|a: Arg| {
                quiet && kernel.args[a].kind == ArgKind::In && !self.is_overwritten(a)
            },
            uses: &uses,
            inlined: HashMap::new(),
            kernel: Some(kernel),
            lane: self.lane.clone(),
            flag: if self.lane == Lane::Pointer { "state->fault" } else { LOCAL_FAULT }.into(),
            // Others wait for what a link of a chain hands on.
            leaves: match self.lane {
                Lane::Local if self.links.is_empty() => Leaves::Nowhere,
                _ => Leaves::Never,
            },
            octets: None,
            pieces: None,
            small: HashSet::new(),
            wide: HashSet::new(),
            compared: HashMap::new(),
            signs: Signs::default(),
            streamed: HashSet::new(),
            serial: 0,
            shown: None,
        };
        print(&mut body);
        let (leaves, octets) = (body.leaves, body.octets);
        *out = body.out;
        if leaves == Leaves::Somewhere {
            out.line("failed: NESL_UNUSED;");
        }
        if self.fails && self.lane == Lane::Local {
            out.line("if (state.fault) nesl_fail(run);");
        }
        octets
    }
}

fn facts(shared: &Shared<'_>, kernel: &Kernel) -> KernelFacts {
    let calls = called(kernel);
    let fails = fails(shared, kernel);
    let recursive =
        shared.facts.closure(&calls).iter().any(|f| shared.facts.functions[*f].recursive);
    let args = kernel.args.values().map(|info| (info.ty, info.kind)).collect();
    KernelFacts { name: kernel.name.clone(), args, fails, recursive, arenas: false, spends: None }
}

/// The word for the monoid over elements of a type in a `reduction` clause; that of floats is from
/// `rts/fold.h`.
pub(crate) fn reduction_sign(monoid: Monoid, ty: Ty) -> &'static str {
    match (monoid, ty) {
        (Monoid::Add, _) => "+",
        (Monoid::Mul, _) => "*",
        (Monoid::Max, Ty::F64) => "NESL_FMAX",
        (Monoid::Min, Ty::F64) => "NESL_FMIN",
        (Monoid::Max, _) => "max",
        (Monoid::Min, _) => "min",
        (Monoid::And, _) => "&",
        (Monoid::Or, _) => "|",
        (Monoid::Xor, _) => "^",
    }
}

/// How many tiles have `grain` indices and elements, the function that finds where they are cut,
/// and its first arguments.
fn loads(
    shared: &Shared<'_>,
    extent: &str,
    segments: Segments,
    grain: u32,
) -> (String, &'static str, String) {
    match segments {
        Segments::Offsets(offsets, _) => {
            let list = format!("{offsets}, {extent}");
            (format!("nesl_balanced({list}, {grain})"), "nesl_cut", list)
        }
        Segments::Even(len) => {
            let list = format!("{}, {extent}", length(shared, &len));
            (format!("nesl_even(nesl_load({list}), {grain})"), "nesl_cut_even", list)
        }
    }
}

fn length(shared: &Shared<'_>, len: &kernel::Operand) -> String {
    match len {
        Atom::Const(c) => shared.constant(*c, false),
        other => outer_name(shared.widths(), *other),
    }
}
