//! The text form of scalar code.
//!
//! ```text
//! \x0 x1: f64 {
//!   x2: f64 = read v0 x0
//!   x3 = lt x2 x1
//!   x4 = if x3 {
//!     x5: f64 = call h0(x2, 0.5; v0, v1) @0:12:15
//!     yield x5
//!   } else {
//!     yield v7:f64
//!   }
//!   x6 = loop x7 = 0, x8 = 1.0 {
//!     x9 = add x7 1
//!     x10 = lt x9 v2
//!     x11 = mul x8 x4
//!     yield x10 x9 x11 x11
//!   }
//!   require index x3 x0 v2 @0:20:24
//!   yield x6
//! }
//! ```
//!
//! Types are left out as `infer.rs` says.  Code without nested blocks that fits is one line:
//! `\x0 { x1 = add x0 1; yield x1 }`.

use crate::code::{Atom, Block, Call, Code, Func, Function, Name, Op, Stmt, Var};
use crate::infer::{define, result};
use base::print::{Error, Printer, join};
use base::text::name;
use prim::Ty;
use std::fmt;

impl<R: Name> fmt::Display for Code<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_with_errors(self, &[]))
    }
}

impl<R: Name> fmt::Display for Atom<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Var(v) => write!(f, "{v}"),
            Atom::Const(c) => write!(f, "{c}"),
            Atom::Outer(r, Ty::I64) => write!(f, "{r}"),
            Atom::Outer(r, ty) => write!(f, "{r}:{ty}"),
        }
    }
}

/// The text of code, each error under its line.
pub fn print_with_errors<R: Name>(code: &Code<R>, errors: &[Error]) -> String {
    let mut printer = Printer::new();
    print_code(&mut printer, "", code, "");
    printer.text_with(errors)
}

/// Prints code after `before`, which starts its line, and before `after`, which ends it.
pub fn print_code<R: Name>(printer: &mut Printer, before: &str, code: &Code<R>, after: &str) {
    let params = code.params.iter().map(|&v| define(v, code.var_ty(v), Ty::I64));
    let head = format!("{before}\\{}", join(params, " "));
    let head = if code.params.is_empty() { head } else { head + " " };
    if let Some(body) = one_line(code) {
        let line = format!("{head}{body}{after}");
        if line.len() <= printer.room() {
            // One line for all statements, and for the yields.
            (0..=code.body.stmts.len()).for_each(|_| printer.item());
            printer.line(&line);
            return;
        }
    }
    printer.open(&format!("{head}{{"));
    print_block(printer, code, &code.body);
    printer.close(&format!("}}{after}"));
}

/// Prints a scalar function: `fn h0 dot(p0: vec f64, x0, x1: f64) -> f64 {`.
pub fn print_function(printer: &mut Printer, id: Func, function: &Function) {
    let vectors = function.vectors.iter().enumerate().map(|(i, ty)| format!("p{i}: vec {ty}"));
    let code = &function.code;
    let params = code.params.iter().map(|&v| define(v, code.var_ty(v), Ty::I64));
    let params = join(vectors.chain(params), ", ");
    let results = join(&function.results, ", ");
    printer.item();
    printer.open(&format!("fn {id} {}({params}) -> {results} {{", name(&function.name)));
    print_block(printer, code, &code.body);
    printer.close("}");
}

/// The body in braces, if no block is nested in it.
fn one_line<R: Name>(code: &Code<R>) -> Option<String> {
    let lines: Option<Vec<String>> =
        code.body.stmts.iter().map(|stmt| simple_stmt(code, stmt)).collect();
    let mut lines = lines?;
    lines.extend(yields(&code.body));
    Some(format!("{{ {} }}", lines.join("; ")))
}

fn yields<R: Name>(block: &Block<R>) -> Option<String> {
    (!block.yields.is_empty()).then(|| format!("yield {}", join(&block.yields, " ")))
}

fn print_block<R: Name>(printer: &mut Printer, code: &Code<R>, block: &Block<R>) {
    for stmt in &block.stmts {
        printer.item();
        match stmt {
            Stmt::If { cond, then, els, .. } => {
                printer.open(&format!("{}if {cond} {{", defined(code, stmt)));
                print_block(printer, code, then);
                printer.close("} else {");
                printer.indent();
                print_block(printer, code, els);
                printer.close("}");
            }
            Stmt::Loop { params, init, body, .. } => {
                let params = params.iter().zip(init).map(|(&param, &init)| {
                    format!("{} = {init}", define(param, code.var_ty(param), code.atom_ty(init)))
                });
                let params = join(params, ", ");
                let space = if params.is_empty() { "" } else { " " };
                printer.open(&format!("{}loop{space}{params} {{", defined(code, stmt)));
                print_block(printer, code, body);
                printer.close("}");
            }
            Stmt::Let(..) | Stmt::Require { .. } | Stmt::Call(_) => {
                printer.line(&simple_stmt(code, stmt).unwrap_or_default());
            }
        }
    }
    printer.item();
    if let Some(line) = yields(block) {
        printer.line(&line);
    }
}

/// `x3, x4: f64 = `; nothing for a statement without results.
fn defined<R: Name>(code: &Code<R>, stmt: &Stmt<R>) -> String {
    let ty = |atom| code.atom_ty(atom);
    let results = stmt.results();
    if results.is_empty() {
        return String::new();
    }
    let vars = results
        .iter()
        .enumerate()
        .map(|(k, &var)| define(var, code.var_ty(var), result(stmt, k, &ty)));
    join(vars, ", ") + " = "
}

/// The text of a statement without nested blocks.
fn simple_stmt<R: Name>(code: &Code<R>, stmt: &Stmt<R>) -> Option<String> {
    let right = match stmt {
        Stmt::Let(_, Op::Scalar(op, args, span)) => format!("{op} {}{span}", join(args, " ")),
        Stmt::Let(_, Op::Read(vector, index)) => format!("read {vector} {index}"),
        Stmt::Require { site, cond, args: [a, b], span } => {
            format!("require {} {cond} {a} {b}{span}", site.name())
        }
        Stmt::Call(call) => call_text(call),
        Stmt::If { .. } | Stmt::Loop { .. } => return None,
    };
    Some(defined(code, stmt) + &right)
}

fn call_text<R: Name>(call: &Call<R>) -> String {
    let vectors = if call.vectors.is_empty() {
        String::new()
    } else {
        format!("; {}", join(&call.vectors, ", "))
    };
    format!("call {}({}{vectors}){}", call.func, join(&call.args, ", "), call.span)
}

impl<R: Name> Code<R> {
    /// The type of a variable, for text; `i64` if it has none.
    pub(crate) fn var_ty(&self, var: Var) -> Ty {
        self.vars.get(var).copied().unwrap_or(Ty::I64)
    }
    /// The type of an operand, for text.
    pub(crate) fn atom_ty(&self, atom: Atom<R>) -> Ty {
        self.ty(atom).unwrap_or(Ty::I64)
    }
}
