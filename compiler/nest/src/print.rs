//! The text form of nest programs.
//!
//! ```text
//! entries f0
//!
//! fn f0 norms(v0: [[f64]]) -> [f64] @0:0:50 {
//!   v1 = each v2 in v0 where { v7 = length v2; v8 = 1; v9 = lt v8 v7; yield v9 } do {
//!     v3 = each v4 in v2 { v5 = mul v4 v4; yield v5 } @0:12:30
//!     v6 = reduce add v3
//!     yield v6
//!   }
//!   v10: [f64] = call f1(v1)
//!   yield v10
//! }
//! ```
//!
//! The type of a value is written where it does not follow from the operands: parameters, results
//! of calls, empty sequences.  Blocks that hold no others are one line if it fits.  A place in the
//! source stands at the end of its statement.

use crate::ir::{Block, Each, Func, Function, Op, Program, SortKind, Stmt, Type, Value};
use base::print::{Error, Printer, join};
use base::text::{name, quote};
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
    for (id, function) in program.funcs.iter() {
        print_function(&mut printer, id, function);
        printer.line("");
    }
    printer.text_with(errors)
}

/// Prints a function.
pub fn print_function(printer: &mut Printer, id: Func, function: &Function) {
    let unknown = unknown();
    let params =
        function.params.iter().map(|&v| format!("{v}: {}", function.ty(v).unwrap_or(&unknown)));
    let (name, params) = (name(&function.name), join(params, ", "));
    let result = function.result_type().unwrap_or(&unknown);
    printer.item();
    printer.open(&format!("fn {id} {name}({params}) -> {result}{} {{", function.span));
    print_block(printer, function, &function.body);
    printer.close("}");
}

/// The text of a statement, for messages.
pub(crate) fn statement(function: &Function, stmt: &Stmt) -> String {
    let mut printer = Printer::new();
    print_stmt(&mut printer, function, stmt);
    printer.text()
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(ty) => write!(f, "{ty}"),
            Type::Seq(element) => write!(f, "[{element}]"),
            Type::Tuple(parts) => write!(f, "({})", join(parts, ", ")),
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

/// The type of what has none, in text.
pub(crate) fn unknown() -> Type {
    Type::Scalar(Ty::I64)
}

fn print_block(printer: &mut Printer, function: &Function, block: &Block) {
    for stmt in &block.stmts {
        print_stmt(printer, function, stmt);
    }
    printer.item();
    printer.line(&format!("yield {}", block.result));
}

fn print_stmt(printer: &mut Printer, function: &Function, stmt: &Stmt) {
    if let Some(line) = one_line(function, stmt)
        && (stmt.op.blocks().is_empty() || line.len() <= printer.room())
    {
        let inside = stmt.op.blocks().iter().map(|b| b.count_items()).sum::<usize>();
        (0..=inside).for_each(|_| printer.item());
        return printer.line(&line);
    }
    printer.item();
    let left = define(function, stmt);
    let (before, then, between, els) = match &stmt.op {
        Op::Each(each) => match &each.test {
            None => (each_head(function, each), &each.body, "", None),
            Some(test) => (each_head(function, each) + " where", test, "} do {", Some(&each.body)),
        },
        Op::If(cond, then, els) => (format!("if {cond}"), then, "} else {", Some(els)),
        _ => unreachable!("an operation without blocks is one line"),
    };
    printer.open(&format!("{left}{before} {{"));
    print_block(printer, function, then);
    if let Some(els) = els {
        printer.close(between);
        printer.indent();
        print_block(printer, function, els);
    }
    printer.close(&format!("}}{}", stmt.span));
}

/// `v3 = `, or `v3: [f64] = ` where the type does not follow from the operands.
fn define(function: &Function, stmt: &Stmt) -> String {
    let unknown = unknown();
    let ty = function.ty(stmt.value).unwrap_or(&unknown);
    match stmt.op.natural_type(&function.values) {
        Some(natural) if natural == *ty => format!("{} = ", stmt.value),
        _ => format!("{}: {ty} = ", stmt.value),
    }
}

/// `each v2 in v0, v3 in v1`; the type of what is bound is written where it is not the element's.
fn each_head(function: &Function, each: &Each) -> String {
    let generator = |(bound, source): &(Value, Value)| {
        let ty = function.ty(*bound).cloned().unwrap_or_else(unknown);
        let element = match function.ty(*source) {
            Some(Type::Seq(element)) => (**element).clone(),
            _ => unknown(),
        };
        let ty = if ty == element { String::new() } else { format!(": {ty}") };
        format!("{bound}{ty} in {source}")
    };
    format!("each {}", join(each.generators.iter().map(generator), ", "))
}

/// The statement on one line, if its blocks hold no others.
fn one_line(function: &Function, stmt: &Stmt) -> Option<String> {
    let right = match &stmt.op {
        Op::Each(each) => {
            let body = block_line(function, &each.body)?;
            match &each.test {
                None => format!("{} {body}", each_head(function, each)),
                Some(test) => {
                    format!(
                        "{} where {} do {body}",
                        each_head(function, each),
                        block_line(function, test)?
                    )
                }
            }
        }
        Op::If(cond, then, els) => {
            let (then, els) = (block_line(function, then)?, block_line(function, els)?);
            format!("if {cond} {then} else {els}")
        }
        op => simple_op(op),
    };
    Some(format!("{}{right}{}", define(function, stmt), stmt.span))
}

/// `{ v5 = mul v4 v4; yield v5 }`, if the block holds no others.
fn block_line(function: &Function, block: &Block) -> Option<String> {
    let mut lines = Vec::new();
    for stmt in &block.stmts {
        if !stmt.op.blocks().is_empty() {
            return None;
        }
        lines.push(one_line(function, stmt)?);
    }
    lines.push(format!("yield {}", block.result));
    Some(format!("{{ {} }}", lines.join("; ")))
}

/// The text of an operation without blocks.
fn simple_op(op: &Op) -> String {
    let words = |word: &str| match op.operands().as_slice() {
        [] => word.to_string(),
        operands => format!("{word} {}", join(operands, " ")),
    };
    match op {
        Op::Const(c) => c.to_string(),
        Op::Literal(ty, consts) => format!("literal {ty} {}", constants(consts, *ty)),
        Op::Copy(_) => words("copy"),
        Op::Scalar(op, _) => words(op.name()),
        Op::Require(site, _) => words(&format!("require {}", site.name())),
        Op::Fail(_) => words("fail"),
        Op::Tuple(parts) => format!("tuple ({})", join(parts, ", ")),
        Op::Field(v, n) => format!("field {v} {n}"),
        Op::Seq(items) => format!("seq ({})", join(items, ", ")),
        Op::Length(_) => words("length"),
        Op::Index(_) => words("index"),
        Op::Element(..) => words("element"),
        Op::Slice { .. } => words("slice"),
        Op::Which(_) => words("which"),
        Op::Reduce(monoid, _) => words(&format!("reduce {monoid}")),
        Op::Scan(monoid, _) => words(&format!("scan {monoid}")),
        Op::Flatten(_) => words("flatten"),
        Op::Partition(..) => words("partition"),
        Op::Append(..) => words("append"),
        Op::Write { .. } => words("write"),
        Op::Permute(..) => words("permute"),
        Op::Sort(kind, _) => words(kind.name()),
        Op::Call(func, args) => format!("call {func}({})", join(args, ", ")),
        Op::Each(_) | Op::If(..) => unreachable!("an operation with blocks"),
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
