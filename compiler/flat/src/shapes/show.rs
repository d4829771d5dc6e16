//! What is known of sizes as text: comments in the text of a program, which its reader skips.
//!
//! ```text
//! -- v3 + v5 + v7 == v0
//! -- s4: total v9 lanes
//! fn f0 ...
//! ```

use super::linear::{Linear, Symbol};
use super::terms::{Kind, Term};
use super::{Elements, Shapes, calls};
use crate::ir::{Block, Domain, Func, Function, Op, Operand, Program, Space, SpaceKind, Value};
use prim::Ty;
use std::collections::BTreeSet;
use std::fmt::Write;

/// How deep operations are written.
const DEEP: u32 = 3;

/// The text of a program with what is known of its sizes over each function.
pub fn show(program: &Program) -> String {
    let summaries = calls::summaries(program);
    let mut text = String::new();
    let mut functions = program.funcs.values();
    for line in program.to_string().lines() {
        if line.starts_with("fn f")
            && let Some(function) = functions.next()
        {
            for fact in Shapes::with(function, Some(&summaries)).lines() {
                let _ = writeln!(text, "-- {fact}");
            }
        }
        let _ = writeln!(text, "{line}");
    }
    text
}

/// What is known of the sizes of a function, without what its calls give.
pub fn show_function(function: &Function) -> String {
    Shapes::of(function).lines().iter().fold(String::new(), |text, line| text + line + "\n")
}

/// The name of a function's summary in messages.
pub fn show_summary(func: Func, summary: &calls::Summary) -> String {
    format!("{func}: {summary:?}")
}

impl Shapes<'_> {
    /// Facts, one a line: lanes of spaces, what scalars are, what is at most what, equal vectors.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut values = BTreeSet::new();
        defined(&self.function.body, &mut values);
        values.extend(&self.function.params);
        for space in self.function.spaces.ids() {
            if let Some(lanes) = self.lanes(space)
                && self.is_shown(space, lanes)
            {
                lines.push(format!("{space}: {} lanes", self.sum(lanes)));
            }
        }
        for &value in &values {
            if let Some(Term::Int(sum)) = self.scalar(value)
                && self.function.values[value].ty == Ty::I64
                && self.is_plain(sum)
                && sum.as_symbol().is_none_or(|s| *self.terms.kind(s) != Kind::Value(value))
            {
                lines.push(format!("{value} == {}", self.sum(sum)));
            }
            let first = self.first(value);
            if first != value && self.function.values[value].domain != Domain::Scalar {
                lines.push(format!("{value} == {first}"));
            }
        }
        let found = self.found().iter().map(|f| self.relation(&f.sum, f.is_zero));
        for line in found {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// Whether the number of lanes of a space says more than the space does.
    fn is_shown(&self, space: Space, lanes: &Linear) -> bool {
        match self.function.spaces[space].kind {
            SpaceKind::Root => false,
            SpaceKind::Regular(_, Operand::Const(n)) => lanes.as_constant() != Some(n.int()),
            SpaceKind::Regular(_, Operand::Value(n)) => {
                let kind = lanes.as_symbol().map(|s| self.terms.kind(s));
                kind != Some(&Kind::Value(n)) && kind != Some(&Kind::Lanes(space))
            }
            SpaceKind::Packed(..) => true,
        }
    }

    /// Whether a sum speaks only of values, lanes and totals.
    fn is_plain(&self, sum: &Linear) -> bool {
        sum.terms.iter().all(|&(symbol, _)| match self.terms.kind(symbol) {
            Kind::Value(_) | Kind::Lanes(_) => true,
            Kind::Element(v, at) => self.is_total(*v, at),
            Kind::Op(..)
            | Kind::Position(_)
            | Kind::Index(_)
            | Kind::Wrapped(_)
            | Kind::Unknown(_) => false,
        })
    }

    fn is_total(&self, vector: Value, at: &Linear) -> bool {
        matches!(self.elements.get(&vector), Some(Elements::Offsets { end, .. }) if end == at)
    }

    /// `a <= b` or `a == b`, from their difference.
    pub(crate) fn relation(&self, sum: &Linear, is_zero: bool) -> String {
        let part = |wanted: bool| {
            let terms = sum.terms.iter().filter(|t| (t.1 > 0) == wanted);
            let terms = terms.map(|&(s, times)| (s, times.abs())).collect();
            let constant = if (sum.constant > 0) == wanted { sum.constant.abs() } else { 0 };
            self.sum(&Linear { terms, constant })
        };
        format!("{} {} {}", part(false), if is_zero { "==" } else { "<=" }, part(true))
    }

    /// A sum as text.
    pub(crate) fn sum(&self, sum: &Linear) -> String {
        self.sum_at(sum, DEEP)
    }

    fn sum_at(&self, sum: &Linear, depth: u32) -> String {
        let mut text = String::new();
        for &(symbol, times) in &sum.terms {
            let sign = match (text.is_empty(), times < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text.push_str(sign);
            if times.unsigned_abs() != 1 {
                let _ = write!(text, "{} * ", times.unsigned_abs());
            }
            text.push_str(&self.symbol_at(symbol, depth));
        }
        match (text.is_empty(), sum.constant) {
            (true, n) => n.to_string(),
            (false, 0) => text,
            (false, n) if n < 0 => format!("{text} - {}", n.unsigned_abs()),
            (false, n) => format!("{text} + {n}"),
        }
    }

    fn symbol_at(&self, symbol: Symbol, depth: u32) -> String {
        let Some(depth) = depth.checked_sub(1) else { return symbol.to_string() };
        match self.terms.kind(symbol) {
            Kind::Value(value) => value.to_string(),
            Kind::Lanes(space) => format!("lanes {space}"),
            Kind::Position(space) => format!("position {space}"),
            Kind::Index(space) => format!("index {space}"),
            Kind::Element(vector, at) if self.is_total(*vector, at) => format!("total {vector}"),
            Kind::Element(vector, at) => format!("{vector}[{}]", self.sum_at(at, depth)),
            Kind::Op(op, args) => {
                let args = args.iter().map(|arg| match arg {
                    Term::Int(sum) => self.sum_at(sum, depth),
                    Term::Const(constant) => constant.to_string(),
                    Term::Other(symbol) => self.symbol_at(*symbol, depth),
                });
                format!("{op}({})", base::print::join(args, ", "))
            }
            Kind::Wrapped(sum) => format!("({})", self.sum_at(sum, depth)),
            Kind::Unknown(_) => symbol.to_string(),
        }
    }
}

/// The values that a block defines.
fn defined(block: &Block, values: &mut BTreeSet<Value>) {
    for stmt in &block.stmts {
        values.extend(&stmt.results);
        if let Op::If(_, then, els) = &stmt.op {
            defined(then, values);
            defined(els, values);
        }
    }
}
