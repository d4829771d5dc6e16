//! The text form of flat programs.
//!
//! ```text
//! entries f0
//!
//! fn f0 evens(v0: i64, v1: vec i64 [s1]) {
//!   s1 = [s0 > v0]
//!   v2: vec i64 [s2], v3: i64 = filter [s1] \x0 x1 {
//!     ...
//!   } @0:12:20
//!   s2 = [s0 > v3] from s1 at v2
//!   yield v3 v2
//! }
//! ```
//!
//! Scalar functions come before functions.  A space stands after the statement that gives the last
//! of the values that it depends on; a statement's place in the source stands at its end.

use crate::ir::{
    Block, Domain, Func, Function, Op, Operand, Program, ScatterKind, SortKind, Space, SpaceKind,
    Stmt, Value, ValueInfo,
};
use base::print::{Error, Printer, join};
use base::text::{name, quote};
use base::{Id, IdMap};
use prim::{Const, Ty, Widths};
use rustc_hash::FxHashSet;
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
    for (id, function) in program.scalars.iter() {
        scalar::print_function(&mut printer, id, function);
        printer.line("");
    }
    for (id, function) in program.funcs.iter() {
        print_function(&mut printer, id, function);
        printer.line("");
    }
    printer.text_with(errors)
}

/// Prints a function.
pub fn print_function(printer: &mut Printer, id: Func, function: &Function) {
    let params = function.params.iter().map(|&v| define(function, v));
    printer.item();
    let mut head = format!("fn {id} {}({})", name(&function.name), join(params, ", "));
    if let Some(signature) = &function.signature {
        head.push_str(&format!(" layout {signature}"));
    }
    if let Some(root) = function.lanes_of {
        head.push_str(&format!(" lanes of {root}"));
    }
    head.push_str(" {");
    printer.open(&head);
    let first_space = printer.reserve(function.spaces.len());
    let mut body = Body {
        printer,
        function,
        first_space,
        defined: function.params.iter().copied().collect(),
        pending: function.spaces.ids().skip(1).collect(),
    };
    body.ready_spaces();
    body.stmts(&function.body);
    body.all_spaces();
    body.yields(&function.body);
    printer.close("}");
}

/// The text of a statement, on as many lines as it takes, for messages.
pub(crate) fn statement(function: &Function, stmt: &Stmt) -> String {
    let mut printer = Printer::new();
    let (defined, pending) = (FxHashSet::default(), Vec::new());
    let mut body = Body { printer: &mut printer, function, first_space: 0, defined, pending };
    body.stmt(stmt);
    printer.text()
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Value(v) => write!(f, "{v}"),
            Operand::Const(c) => write!(f, "{c}"),
        }
    }
}

impl fmt::Display for ValueInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = self.ty;
        match self.domain {
            Domain::Scalar => write!(f, "{ty}"),
            Domain::Lanes(space) => write!(f, "vec {ty} [{space}]"),
            Domain::Offsets(space) => write!(f, "vec {ty} offsets {space}"),
            Domain::Pool => write!(f, "vec {ty} pool"),
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

/// `v3: vec f64 [s1]`; a value without an entry in the table counts as an int.
fn define(function: &Function, value: Value) -> String {
    let unknown = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
    format!("{value}: {}", function.values.get(value).unwrap_or(&unknown))
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

struct Body<'a> {
    printer: &'a mut Printer,
    function: &'a Function,
    /// The number of the first space's item.
    first_space: usize,
    /// Values printed so far.
    defined: FxHashSet<Value>,
    /// Spaces not printed yet.
    pending: Vec<Space>,
}

impl Body<'_> {
    /// Prints the spaces that depend on nothing that is still to come.
    fn ready_spaces(&mut self) {
        let mut at = 0;
        while at < self.pending.len() {
            let space = self.pending[at];
            if depends(self.function, space).iter().all(|v| self.defined.contains(v)) {
                self.pending.remove(at);
                self.space(space);
            } else {
                at += 1;
            }
        }
    }

    /// Prints all other spaces.
    fn all_spaces(&mut self) {
        for space in std::mem::take(&mut self.pending) {
            self.space(space);
        }
    }

    fn space(&mut self, space: Space) {
        let info = self.function.spaces[space];
        let kind = match info.kind {
            SpaceKind::Root => "root".to_string(),
            SpaceKind::Regular(parent, len) => format!("[{parent} > {len}]"),
            SpaceKind::Packed(parent, offsets) => format!("[{parent} > offsets {offsets}]"),
        };
        let from = match info.from {
            Some((source, positions)) => format!(" from {source} at {positions}"),
            None => String::new(),
        };
        self.printer.mark(self.first_space + space.index());
        self.printer.line(&format!("{space} = {kind}{from}"));
    }

    fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
            self.defined.extend(&stmt.results);
            self.ready_spaces();
        }
    }

    fn yields(&mut self, block: &Block) {
        self.printer.item();
        if !block.yields.is_empty() {
            self.printer.line(&format!("yield {}", join(&block.yields, " ")));
        }
    }

    fn block(&mut self, block: &Block) {
        self.stmts(block);
        self.yields(block);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.printer.item();
        let results = join(stmt.results.iter().map(|&v| define(self.function, v)), ", ");
        let equals = if stmt.results.is_empty() { "" } else { " = " };
        let left = format!("{results}{equals}");
        let span = stmt.span;
        let (head, code) = match &stmt.op {
            Op::Map { space, code } => (format!("map [{space}]"), code),
            Op::Reduce { space, monoids, code } => {
                (format!("reduce [{space}] {}", join(monoids, " ")), code)
            }
            Op::Scan { space, monoids, code } => {
                (format!("scan [{space}] {}", join(monoids, " ")), code)
            }
            Op::Filter { space, code } => (format!("filter [{space}]"), code),
            Op::Offsets { space, code } => (format!("offsets [{space}]"), code),
            Op::Scatter { space, code, kind, target } => {
                let kind = match kind {
                    ScatterKind::Write(base) => format!("write {}", join(base, " ")),
                    ScatterKind::Into(base) => format!("into {}", join(base, " ")),
                    ScatterKind::Permute => "permute".to_string(),
                    ScatterKind::Place => "place".to_string(),
                };
                (format!("scatter [{space}] to [{target}] {kind}"), code)
            }
            Op::Sort { space, kind, code } => (format!("{} [{space}]", kind.name()), code),
            Op::Fail { space, code, pool } => (format!("fail [{space}] {pool}"), code),
            Op::Literal(consts, ty) => {
                let consts = constants(consts, *ty);
                return self.printer.line(&format!("{left}literal {ty} {consts}{span}"));
            }
            Op::Join(parts) => {
                let parts = join(parts.iter().map(|part| format!("({})", join(part, ", "))), " ");
                return self.printer.line(&format!("{left}join {parts}{span}"));
            }
            Op::Behind { from, used, more } => {
                let from = join(from, ", ");
                return self
                    .printer
                    .line(&format!("{left}behind ({from}) {used} for {more}{span}"));
            }
            Op::Grow { from, used, begin, len } => {
                let from = join(from, ", ");
                let counts = format!("{used} at {begin} to {len}");
                return self.printer.line(&format!("{left}grow ({from}) {counts}{span}"));
            }
            Op::Call(func, args) => {
                let args = join(args, ", ");
                return self.printer.line(&format!("{left}call {func}({args}){span}"));
            }
            Op::If(cond, then, els) => {
                self.printer.open(&format!("{left}if {cond} {{"));
                self.block(then);
                self.printer.close("} else {");
                self.printer.indent();
                self.block(els);
                return self.printer.close(&format!("}}{span}"));
            }
        };
        let before = format!("{left}{head} ");
        scalar::print_code(self.printer, &before, code, &span.to_string());
    }
}

/// The values that a space depends on, through its ancestors and the space it was filtered from.
fn depends(function: &Function, space: Space) -> Vec<Value> {
    let mut values = Vec::new();
    let mut open = vec![space];
    let mut seen: IdMap<Space, bool> = function.spaces.ids().map(|_| false).collect();
    while let Some(space) = open.pop() {
        if function.spaces.get(space).is_none() || std::mem::replace(&mut seen[space], true) {
            continue;
        }
        let info = function.spaces[space];
        match info.kind {
            SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => {}
            SpaceKind::Regular(_, Operand::Value(value)) | SpaceKind::Packed(_, value) => {
                values.push(value);
            }
        }
        open.extend(function.parent(space));
        if let Some((source, positions)) = info.from {
            open.push(source);
            values.push(positions);
        }
    }
    values
}
