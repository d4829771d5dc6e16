//! The text form of plans.
//!
//! ```text
//! entries f0
//!
//! plan f0 evens(n0: i64, b0: i64) {
//!   b1: i64 = buffer n0 @0:12:20
//!   launch c0(b0, n0, b1, set n1: i64) work n0
//!   n2: bool = eval \{ x0 = gt n1 0; yield x0 }
//!   n3: i64 = if n2 {
//!     n4: i64 = call f0(n1, b1) @0:30:35
//!     yield n4
//!   } else {
//!     yield 0
//!   }
//!   free b1
//!   yield n3
//! }
//!
//! cluster c0 evens(r0: in i64, r1: i64, r3: out i64, r5: set i64) {
//!   s1 = [s0 > r1] lanes r1
//!   s2 = [s0 > 0] lanes 0 from s1
//!   r2: i64 [s2], r4: i64 [s0] = filter [s1] to [s2] \x0 x1 {
//!     x2 = read r0 x0
//!     x3 = and x2 1
//!     x4 = eq x3 0
//!     yield x4
//!   } push r3, r5
//! }
//! ```
//!
//! Scalar functions come first, then plans, then clusters.  A scalar or buffer has its type where
//! it is defined; a launch defines the scalars that the cluster sets.  A node's pushes stand in the
//! order of its results, `none` for one that is not needed outside.

use crate::ir::{
    Arg, Block, Cluster, ClusterId, Conflict, Func, Function, Node, NodeOp, Param, ParamKind,
    Place, Program, RefInfo, RefKind, SortKind, Space, SpaceKind, Step,
};
use base::print::{Error, Printer, join};
use base::text::{name, quote};
use base::{Id, Span};
use prim::{Const, Ty, Widths};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_with_errors(self, &[]))
    }
}

/// The text of a program, each error under its line.
pub fn print_with_errors(program: &Program, errors: &[Error]) -> String {
    let mut printer = Printer::new();
    printer.item();
    if program.widths != Widths::WIDE {
        printer.line(&format!("widths {}", program.widths));
        printer.line("");
    }
    if !program.entries.is_empty() {
        printer.line(&format!("entries {}", join(&program.entries, ", ")));
        printer.line("");
    }
    for (id, lanes) in program.routines.iter() {
        printer.line(&format!("lanes {id} of {} by {}", lanes.lifted, lanes.root));
    }
    if !program.routines.is_empty() {
        printer.line("");
    }
    for (id, function) in program.scalars.iter() {
        scalar::print_function(&mut printer, id, function);
        printer.line("");
    }
    for (id, function) in program.funcs.iter() {
        print_plan(&mut printer, program, id, function);
        printer.line("");
    }
    for (id, cluster) in program.clusters.iter() {
        print_cluster(&mut printer, id, cluster);
        printer.line("");
    }
    printer.text_with(errors)
}

/// A cluster alone.
impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new();
        print_cluster(&mut printer, Id::new(0), self);
        f.write_str(&printer.text_with(&[]))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Slot(s) => s.fmt(f),
            Place::Buffer(b) => b.fmt(f),
        }
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Slot(s) => s.fmt(f),
            Arg::Const(c) => c.fmt(f),
            Arg::Buffer(b) => b.fmt(f),
            Arg::Past(b, from) => write!(f, "{b} past {from}"),
        }
    }
}

impl SortKind {
    /// All kinds.
    pub const ALL: [SortKind; 3] = [SortKind::Sort, SortKind::Rank, SortKind::RankDown];
    /// The word used in IR text.
    pub fn name(self) -> &'static str {
        match self {
            SortKind::Sort => "sort",
            SortKind::Rank => "rank",
            SortKind::RankDown => "rank_down",
        }
    }
}

impl ParamKind {
    /// All kinds.
    pub const ALL: [ParamKind; 4] =
        [ParamKind::Scalar, ParamKind::In, ParamKind::Out, ParamKind::Set];
    /// The word used in IR text; a scalar by value has none.
    pub fn name(self) -> &'static str {
        match self {
            ParamKind::Scalar => "",
            ParamKind::In => "in",
            ParamKind::Out => "out",
            ParamKind::Set => "set",
        }
    }
}

impl Function {
    /// The type of a scalar or of the elements of a buffer, for text; `i64` if it has none.
    pub(crate) fn ty(&self, place: Place) -> Ty {
        let known = match place {
            Place::Slot(s) => self.slots.get(s).copied(),
            Place::Buffer(b) => self.buffers.get(b).map(|info| info.ty),
        };
        known.unwrap_or(Ty::I64)
    }
}

fn print_plan(printer: &mut Printer, program: &Program, id: Func, function: &Function) {
    let mut steps = Steps { printer, program, function };
    let params = join(function.params.iter().map(|&p| steps.define(p)), ", ");
    steps.printer.item();
    let layout =
        function.signature.as_ref().map_or(String::new(), |layout| format!(" layout {layout}"));
    steps.printer.open(&format!("plan {id} {}({params}){layout} {{", name(&function.name)));
    steps.block(&function.body);
    printer.close("}");
}

/// The steps of one plan.
struct Steps<'a> {
    printer: &'a mut Printer,
    program: &'a Program,
    function: &'a Function,
}

impl Steps<'_> {
    /// `n1: i64`.
    fn define(&self, place: Place) -> String {
        format!("{place}: {}", self.function.ty(place))
    }

    /// `n1: i64, b2: f64 = `; nothing for a step without results.
    fn defined(&self, places: impl IntoIterator<Item = Place>) -> String {
        let places = join(places.into_iter().map(|p| self.define(p)), ", ");
        if places.is_empty() { places } else { places + " = " }
    }

    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            self.step(step);
        }
        self.printer.item();
        if !block.yields.is_empty() {
            self.printer.line(&format!("yield {}", join(&block.yields, " ")));
        }
    }

    fn step(&mut self, step: &Step) {
        self.printer.item();
        match step {
            Step::Eval { results, code } => {
                let left = self.defined(results.iter().map(|&s| Place::Slot(s)));
                scalar::print_code(self.printer, &format!("{left}eval "), code, "");
            }
            Step::If { results, cond, then, els } => {
                let left = self.defined(results.iter().copied());
                self.printer.open(&format!("{left}if {cond} {{"));
                self.block(then);
                self.printer.close("} else {");
                self.printer.indent();
                self.block(els);
                self.printer.close("}");
            }
            simple => {
                let line = self.simple_step(simple);
                self.printer.line(&line);
            }
        }
    }

    /// The text of a step of one line.
    fn simple_step(&self, step: &Step) -> String {
        let sized = |buffer, right: &str, len: &Arg, span: &Span| {
            format!("{} = {right} {len}{span}", self.define(Place::Buffer(buffer)))
        };
        match step {
            Step::Alloc { buffer, len, over: None, span } => sized(*buffer, "buffer", len, span),
            Step::Alloc { buffer, len, over: Some(over), span } => {
                let left = self.define(Place::Buffer(*buffer));
                let start = match over.start {
                    Arg::Const(Const::I64(0)) => String::new(),
                    start => format!(" at {start}"),
                };
                format!("{left} = buffer {len} over {}{start}{span}", over.buffer)
            }
            Step::Room { buffer, len, span } => sized(*buffer, "room", len, span),
            Step::Zero { buffer, len, span } => sized(*buffer, "zeros", len, span),
            Step::Copy { buffer, from, len, span } => {
                sized(*buffer, &format!("copy {from}"), len, span)
            }
            Step::Behind { begin, alone, from, used, more } => {
                let left = self.defined([*begin, *alone].map(Place::Slot));
                format!("{left}behind ({}) {used} for {more}", join(from, ", "))
            }
            Step::Grow { buffer, from, used, begin, len, span } => {
                sized(*buffer, &format!("grow {from} {used} at {begin} to"), len, span)
            }
            Step::Literal(buffer, consts) => {
                let place = Place::Buffer(*buffer);
                let consts = constants(consts, self.function.ty(place));
                format!("{} = literal {consts}", self.define(place))
            }
            Step::Alias(buffer, from) => {
                format!("{} = alias {from}", self.define(Place::Buffer(*buffer)))
            }
            Step::Launch { cluster, args, work } => {
                let args = args.iter().enumerate().map(|(n, &arg)| self.launched(*cluster, n, arg));
                format!("launch {cluster}({}) work {work}", join(args, ", "))
            }
            Step::Call { results, func, args, span } => {
                let left = self.defined(results.iter().copied());
                format!("{left}call {func}({}){span}", join(args, ", "))
            }
            Step::Fail { start, len, chars, span } => format!("fail {chars} {start} {len}{span}"),
            Step::Free(buffer) => format!("free {buffer}"),
            Step::Eval { .. } | Step::If { .. } => unreachable!("a step of several lines"),
        }
    }

    /// An argument of a launch; a scalar that the cluster sets is defined by it.
    fn launched(&self, cluster: ClusterId, n: usize, arg: Arg) -> String {
        let param = self.program.clusters.get(cluster).and_then(|c| c.params.get(n));
        match (arg, param.map(|p| p.kind)) {
            (Arg::Slot(slot), Some(ParamKind::Set)) => {
                format!("set {}", self.define(Place::Slot(slot)))
            }
            _ => arg.to_string(),
        }
    }
}

/// The constants of a literal: a text for characters.
fn constants(consts: &[Const], ty: Ty) -> String {
    let codes: Option<Vec<u8>> =
        consts.iter().map(|c| if let Const::Char(code) = c { Some(*code) } else { None }).collect();
    match codes {
        Some(codes) if ty == Ty::Char => quote(&codes),
        _ => format!("({})", join(consts, ", ")),
    }
}

fn print_cluster(printer: &mut Printer, id: ClusterId, cluster: &Cluster) {
    let params = join(cluster.params.iter().map(|p| param(cluster, p)), ", ");
    printer.item();
    let spans = join(&cluster.spans, "");
    printer.open(&format!("cluster {id} {}({params}){spans} {{", name(&cluster.name)));
    for (space, info) in cluster.spaces.iter() {
        printer.item();
        let kind = match info.kind {
            SpaceKind::Root if space == Space::new(0) => continue,
            SpaceKind::Root => "root".to_owned(),
            SpaceKind::Regular(parent, len) => format!("[{parent} > {len}]"),
            SpaceKind::Packed(parent, offsets) => format!("[{parent} > offsets {offsets}]"),
        };
        let from = info.from.map_or(String::new(), |from| format!(" from {from}"));
        printer.line(&format!("{space} = {kind} lanes {}{from}", info.lanes));
    }
    for node in &cluster.nodes {
        print_node(printer, cluster, node);
    }
    printer.close("}");
}

fn param(cluster: &Cluster, param: &Param) -> String {
    let ty = cluster.refs.get(param.name).map_or(Ty::I64, |info| info.ty);
    let kind = param.kind.name();
    let space = if kind.is_empty() { "" } else { " " };
    format!("{}: {kind}{space}{ty}", param.name)
}

fn print_node(printer: &mut Printer, cluster: &Cluster, node: &Node) {
    let results = join(
        node.results.iter().map(|&r| match cluster.refs.get(r) {
            Some(RefInfo { ty, kind: RefKind::Local(home) }) => format!("{r}: {ty} [{home}]"),
            Some(RefInfo { ty, kind: RefKind::Param }) => format!("{r}: {ty}"),
            None => r.to_string(),
        }),
        ", ",
    );
    let equals = if node.results.is_empty() { "" } else { " = " };
    let pushes = if node.pushes.iter().all(Option::is_none) {
        String::new()
    } else {
        let name = |push: &Option<_>| push.map_or("none".to_owned(), |r| format!("{r}"));
        format!(" push {}", join(node.pushes.iter().map(name), ", "))
    };
    printer.item();
    let before = format!("{results}{equals}{} ", op(node));
    scalar::print_code(printer, &before, &node.code, &pushes);
}

/// `reduce [s2] add`.
fn op(node: &Node) -> String {
    let space = node.space;
    match &node.op {
        NodeOp::Map => format!("map [{space}]"),
        NodeOp::Reduce(monoids) => format!("reduce [{space}] {}", join(monoids, " ")),
        NodeOp::Scan(monoids) => format!("scan [{space}] {}", join(monoids, " ")),
        NodeOp::Filter { kept } => format!("filter [{space}] to [{kept}]"),
        NodeOp::Offsets => format!("offsets [{space}]"),
        NodeOp::Scatter { conflict, extent } => {
            let conflict = match conflict {
                Conflict::None => "",
                Conflict::Same => " same",
                Conflict::Last => " ordered",
                Conflict::Greatest => " greatest",
            };
            format!("scatter [{space}]{conflict} to {extent}")
        }
        NodeOp::Sort(kind) => format!("{} [{space}]", kind.name()),
    }
}
