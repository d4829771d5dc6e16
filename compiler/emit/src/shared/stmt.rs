//! Scalar statements in the languages of C's family: what kernels and scalar functions have in
//! common.

use super::names;
use super::op::{self, Operand};
use super::sign::Signs;
use super::types;
use crate::shared::facts::atom_ty;
use crate::shared::{Expr, Facts, Level, Sites, Uses, Writer};
use base::{Files, IdMap, Site, Span};
use prim::{Const, ScalarOp, Ty, Width, Widths};
use scalar::{Atom, Block, Call, Op, Stmt, Var, can_fail};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// Expressions longer than this get a name even when they are used once.
const LONG: usize = 60;

/// What all functions of one program text share while it is printed.
pub(crate) struct Shared<'a> {
    /// The program.
    pub(crate) program: &'a kernel::Program,
    /// Facts about its functions.
    pub(crate) facts: &'a Facts,
    /// Source texts, for comments.
    pub(crate) files: Option<&'a Files>,
    /// Whether elements that are read or written are counted.
    pub(crate) count: bool,
    /// The table of fault sites.
    pub(crate) sites: Sites,
    /// Whether sums of ints wrap in the language that is printed.
    pub(crate) wraps: bool,
    /// What stands before the functions that the host calls: `static ` where it is in the same
    /// text.
    pub(crate) linkage: &'static str,
}

impl Shared<'_> {
    /// How wide ints and floats are.
    pub(crate) fn widths(&self) -> Widths {
        self.program.widths
    }
    /// The type of a local variable or scalar parameter.
    pub(crate) fn local(&self, ty: Ty) -> &'static str {
        types::local(self.widths(), ty)
    }
    /// The type of an element in memory.
    pub(crate) fn element(&self, ty: Ty) -> &'static str {
        types::element(self.widths(), ty)
    }
    /// The type of an int: all counters of the program, too.
    pub(crate) fn int(&self) -> &'static str {
        types::int(self.widths())
    }
    /// A constant; see [`types::constant`].
    pub(crate) fn constant(&self, value: Const, wide: bool) -> String {
        types::constant(self.widths(), value, wide)
    }
}

/// How the function being printed reaches the state of its lane.
#[derive(Clone, PartialEq)]
pub(crate) enum Lane {
    /// It has none: nothing in it can fail or stop.
    None,
    /// A local variable `state`.
    Local,
    /// A parameter `state`.
    Pointer,
}

/// The flag of a lane whose state is a local variable.
pub(crate) const LOCAL_FAULT: &str = "state.fault";

/// Whether what is printed ends at a check that fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// It goes on with harmless values.
    Never,
    /// It may end, but there is no check so far.
    Nowhere,
    /// It ends at some checks.
    Somewhere,
}

/// The body of one function, printed statement by statement.
pub(crate) struct Body<'a, 's, R> {
    pub(crate) shared: &'s mut Shared<'a>,
    pub(crate) out: Writer,
    pub(crate) vars: &'s IdMap<Var, Ty>,
    /// Whether reads of this vector may move past the statements after them.
    pub(crate) movable: &'s dyn Fn(R) -> bool,
    pub(crate) uses: &'s Uses,
    /// Expressions of variables that are printed where they are used.
    pub(crate) inlined: HashMap<Var, Expr>,
    /// The kernel, if it is one.
    pub(crate) kernel: Option<&'s kernel::Kernel>,
    pub(crate) lane: Lane,
    /// Where a fault is recorded: the lane's flag, or a flag of the vectorised loop.
    pub(crate) flag: String,
    /// Whether a check that sets the lane's own flag ends what is printed, and one does: behind it
    /// there is a label then.
    pub(crate) leaves: Leaves,
    /// If rows of which elements are looked up are printed eight lanes at a time: how long the
    /// vectors are in which they look, so far.
    pub(crate) octets: Option<Vec<String>>,
    /// Where the loop being printed stores what goes past the caches.
    pub(crate) pieces: Option<super::pieces::Pieces>,
    /// Variables that are so small that sums of them do not overflow: counters, positions.
    pub(crate) small: HashSet<Var>,
    /// Positions of 32 bits that are counted with 64: what is read at them is then known to lie side
    /// by side, while a sum of 32 bits may wrap.
    pub(crate) wide: HashSet<Var>,
    /// What the ends of a range are compared with: a variable with 0, or with what is known
    /// outside the loops.
    pub(crate) compared: HashMap<Var, [Atom<R>; 2]>,
    /// Which floats are on one side of 0.
    pub(crate) signs: Signs<R>,
    /// Variables that are read past the first cache.
    pub(crate) streamed: HashSet<Var>,
    /// Labels of this function so far.
    pub(crate) serial: usize,
    /// The source line shown last.
    pub(crate) shown: Option<(base::FileId, usize)>,
}

impl<'a, 's, R> Body<'a, 's, R> {
    /// That of scalar code on its own, whose checks need the state of a lane if some can fail.
    pub(crate) fn of_code(
        shared: &'s mut Shared<'a>,
        out: Writer,
        (vars, uses): (&'s IdMap<Var, Ty>, &'s Uses),
        state: bool,
    ) -> Body<'a, 's, R> {
        Body {
            shared,
            out,
            vars,
            movable: &|_| true,
            uses,
            inlined: HashMap::new(),
            kernel: None,
            lane: if state { Lane::Pointer } else { Lane::None },
            flag: "state->fault".to_owned(),
            leaves: Leaves::Never,
            octets: None,
            pieces: None,
            small: HashSet::new(),
            wide: HashSet::new(),
            compared: HashMap::new(),
            signs: Signs::default(),
            streamed: HashSet::new(),
            serial: 0,
            shown: None,
        }
    }
}

impl<R: Copy + PartialEq + Display> Body<'_, '_, R> {
    /// Whether a kernel's form for routines is printed: one tile, the whole range.
    pub(crate) fn is_whole(&self) -> bool {
        self.kernel.is_some_and(|k| {
            matches!(&k.body, kernel::Body::Tiles { tiles: kernel::Tiles::Whole { .. }, .. })
        })
    }
    /// The type of an operand.
    pub(crate) fn ty(&self, atom: Atom<R>) -> Ty {
        atom_ty(atom, self.vars).unwrap_or(Ty::I64)
    }
    /// The text of an operand.
    pub(crate) fn atom(&mut self, atom: Atom<R>) -> Expr {
        match atom {
            Atom::Var(v) if self.wide.contains(&v) => {
                let name = Expr::primary(v.to_string());
                let place = Some(name.text.clone());
                Expr { place, ..Expr::prefix(&format!("({})", self.shared.int()), &name) }
            }
            Atom::Var(v) => self.inlined.remove(&v).unwrap_or_else(|| Expr::primary(v.to_string())),
            Atom::Const(c) => Expr::literal(self.shared.constant(c, false)),
            Atom::Outer(r, _) => Expr::primary(r.to_string()),
        }
    }
    /// The text of an operand, as it stands.
    pub(crate) fn text(&mut self, atom: Atom<R>) -> String {
        self.atom(atom).text
    }
    /// Declares a variable with a value, or leaves it to its use.
    pub(crate) fn define(&mut self, var: Var, value: Expr) {
        if value.text.len() <= LONG && self.uses.inlines(var, value.loads) {
            self.inlined.insert(var, value);
        } else {
            self.out.line(format!(
                "const {} {var} = {};",
                self.shared.local(self.vars[var]),
                value.text
            ));
        }
    }
    /// Declares a variable that is assigned later.
    pub(crate) fn declare(&mut self, var: Var) {
        self.out.line(format!("{} {var};", self.shared.local(self.vars[var])));
    }
    /// Records a fault at `site` unless `ok` holds.
    pub(crate) fn require(&mut self, ok: &Expr, site: Site, span: Span, args: [String; 2]) {
        self.show_source(span);
        let number = self.shared.sites.number(site, span);
        let [a, b] = args;
        let flag = &self.flag;
        let mut check = "NESL_REQUIRE";
        // Those of loops that are vectorised have flags of their own.
        if self.leaves != Leaves::Never && flag == LOCAL_FAULT {
            (check, self.leaves) = ("NESL_REQUIRE_OR_LEAVE", Leaves::Somewhere);
        }
        self.out.line(format!("{check}({flag}, {}, {number}, {a}, {b});", ok.text));
    }
    /// Counts so many elements as read or written, in a program that counts.
    pub(crate) fn touch(&mut self, elements: &str) {
        if self.shared.count {
            self.out.line(format!("NESL_TOUCH({elements});"));
        }
    }
    /// Whether the loop being printed must end when the lane has failed.
    pub(crate) fn stop(&self) -> Option<&str> {
        (self.lane != Lane::None).then_some(self.flag.as_str())
    }

    /// Statements of a block; its yields are the caller's.
    pub(crate) fn stmts(&mut self, block: &Block<R>) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }
    /// One statement.
    pub(crate) fn stmt(&mut self, stmt: &Stmt<R>) {
        match stmt {
            Stmt::Let(var, op) => self.assign(*var, op),
            Stmt::If { results, cond, then, els } => self.choice(results, *cond, then, els),
            Stmt::Loop { results, params, init, body } => self.repeat(results, params, init, body),
            Stmt::Require { site, cond, args, span } => {
                let ok = self.atom(*cond);
                let args = args.map(|a| self.text(a));
                self.require(&ok, *site, *span, args);
            }
            Stmt::Call(call) => self.call(call),
        }
    }

    fn assign(&mut self, var: Var, op: &Op<R>) {
        match op {
            Op::Read(vector, index) => {
                if self.uses.unused(var) {
                    return;
                }
                self.touch("1");
                let index = self.atom(*index).subscript();
                let element = format!("{vector}[{index}]");
                let mut value = Expr::primary(if self.streamed.contains(&var) {
                    format!("nesl_stream(&{element})")
                } else {
                    element
                });
                value.loads = true;
                if self.vars[var] == Ty::Bool {
                    value = Expr { loads: true, ..truth(&value) };
                }
                if (self.movable)(*vector) {
                    self.define(var, value);
                } else {
                    let ty = self.shared.local(self.vars[var]);
                    self.out.line(format!("const {ty} {var} = {};", value.text));
                }
            }
            Op::Scalar(op, args, span) => self.scalar(var, *op, args, *span),
        }
    }
    fn scalar(&mut self, var: Var, op: ScalarOp, args: &[Atom<R>], span: Span) {
        let fails = can_fail(op, args, &|a| atom_ty(a, self.vars));
        if !fails && self.uses.unused(var) {
            return;
        }
        if let Some([index, end]) = self.range(var, op, args) {
            for &half in args {
                self.atom(half);
            }
            return self.define(var, Expr::call("nesl_within", &[index, end]));
        }
        let operands: Vec<Operand> = args
            .iter()
            .map(|&a| {
                let value = if let Atom::Const(c) = a { Some(c) } else { None };
                Operand { ty: self.ty(a), expr: self.atom(a), value }
            })
            .collect();
        if fails && let Some(site) = op.site(operands[0].ty) {
            let shown = |i: usize| operands.get(i).map_or("0".to_owned(), |o| o.expr.text.clone());
            let args = match op {
                ScalarOp::Shl | ScalarOp::Shr => [shown(1), "0".to_owned()],
                _ => [shown(0), shown(1)],
            };
            self.require(&op::guard(op, &operands), site, span, args);
            if self.uses.unused(var) {
                return;
            }
        }
        let place = shifted(op, args, &operands, &self.wide);
        if !self.shared.wraps && operands[0].ty == Ty::I64 {
            let constant = args.iter().any(|a| matches!(a, Atom::Const(_)));
            let small = args.iter().all(|&a| self.is_small(a));
            let narrow = self.shared.widths().int == Width::W32;
            let plain = match op {
                // Narrow ints have room for one step of this kind.
                ScalarOp::Add | ScalarOp::Sub => !narrow || constant,
                ScalarOp::Mul => !narrow && constant,
                _ => true,
            };
            if small && plain {
                if op != ScalarOp::Mul && !narrow {
                    self.small.insert(var);
                }
            } else if let Some(value) = op::wrapping(op, &operands) {
                return self.define(var, Expr { place, ..value });
            }
        }
        if operands[0].ty == Ty::F64 {
            self.signs.note(var, op, args);
            if op == ScalarOp::Exp && self.signs.below(args[0]) {
                let exponent = operands[0].expr.clone();
                return self.define(var, Expr::call("nesl_exp_below", &[exponent]));
            }
        }
        self.define(var, Expr { place, ..op::apply(self.shared.widths(), op, &operands) });
    }
    /// The index and the end, where the operation is the second half of a test that an index is
    /// from 0 to before an end that does not change: one comparison does both.
    fn range(&mut self, var: Var, op: ScalarOp, args: &[Atom<R>]) -> Option<[Expr; 2]> {
        let zero = Atom::Const(Const::I64(0));
        match (op, args) {
            (ScalarOp::Ge, &[index, end]) if end == zero => {
                self.compared.insert(var, [index, zero]);
            }
            (ScalarOp::Lt, &[index, end @ Atom::Outer(..)]) if self.kernel.is_some() => {
                self.compared.insert(var, [index, end]);
            }
            (ScalarOp::And, &[Atom::Var(low_var), Atom::Var(high)]) => {
                let &[index, low] = self.compared.get(&low_var)?;
                let &[same, end] = self.compared.get(&high)?;
                // Comparisons that have names would be there for nothing.
                if ![low_var, high].iter().all(|var| self.inlined.contains_key(var)) {
                    return None;
                }
                let is_range = low == zero && end != zero && index == same;
                return is_range.then(|| [self.atom(index), self.atom(end)]);
            }
            _ => {}
        }
        None
    }
    /// Whether an operand is far from overflow, also after a few operations.
    fn is_small(&self, atom: Atom<R>) -> bool {
        const SMALL: u64 = 1 << 20;
        match atom {
            Atom::Var(v) => self.small.contains(&v),
            Atom::Const(Const::I64(n)) => n.unsigned_abs() < SMALL,
            Atom::Const(_) | Atom::Outer(..) => false,
        }
    }

    fn choice(&mut self, results: &[Var], cond: Atom<R>, then: &Block<R>, els: &Block<R>) {
        let cond = self.atom(cond);
        if let ([result], true) = (results, then.stmts.is_empty() && els.stmts.is_empty()) {
            let args = [then.yields[0], els.yields[0]].map(|a| Operand {
                ty: self.ty(a),
                expr: self.atom(a),
                value: if let Atom::Const(c) = a { Some(c) } else { None },
            });
            let [a, b] = args;
            let cond = Operand { ty: Ty::Bool, expr: cond, value: None };
            return self
                .define(*result, op::apply(self.shared.widths(), ScalarOp::Select, &[cond, a, b]));
        }
        for &result in results.iter().filter(|&&result| !self.uses.unused(result)) {
            self.declare(result);
        }
        self.arms(results, &cond, then, els);
    }
    /// `if` and `else` that assign results; what only hands on the results of a choice assigns
    /// there, so that a chain of choices is as deep as one: some compilers end at 256 braces.
    fn arms(&mut self, results: &[Var], cond: &Expr, then: &Block<R>, els: &Block<R>) {
        self.out.open(format!("if ({})", cond.text));
        self.arm(results, then);
        let mut rest = els;
        while !(rest.stmts.is_empty() && results.is_empty()) {
            let before = self.out.len();
            self.out.between("else");
            let Some((first, cond, then, els)) = handed_on(rest) else {
                self.arm(results, rest);
                break;
            };
            let opened = self.out.len();
            first.iter().for_each(|stmt| self.stmt(stmt));
            let cond = self.atom(cond);
            if self.out.len() > opened {
                self.arms(results, &cond, then, els);
                break;
            }
            self.out.take_back(before);
            self.out.between(&format!("else if ({})", cond.text));
            self.arm(results, then);
            rest = els;
        }
        self.out.close("");
    }
    fn arm(&mut self, results: &[Var], block: &Block<R>) {
        self.stmts(block);
        for (result, &value) in results.iter().zip(&block.yields) {
            let value = self.text(value);
            if !self.uses.unused(*result) {
                self.out.line(format!("{result} = {value};"));
            }
        }
    }

    fn repeat(&mut self, results: &[Var], params: &[Var], init: &[Atom<R>], body: &Block<R>) {
        for (&param, &value) in params.iter().zip(init) {
            let value = self.text(value);
            self.out.line(format!("{} {param} = {value};", self.shared.local(self.vars[param])));
        }
        for &result in results {
            self.declare(result);
        }
        self.out.open("for (;;)");
        self.stmts(body);
        let (again, rest) = body.yields.split_first().unwrap_or_else(|| unreachable!("no again"));
        let (next, values) = rest.split_at(params.len());
        let again = self.atom(*again);
        let end = match self.stop() {
            Some(flag) => format!("if (!{} || {flag})", again.at(Level::Unary)),
            None => format!("if (!{})", again.at(Level::Unary)),
        };
        // The values of the last run may need what only this block defines.
        let values: Vec<String> = values.iter().map(|&v| self.text(v)).collect();
        if results.is_empty() {
            self.out.line(format!("{end} break;"));
        } else {
            self.out.open(end);
            for (result, value) in results.iter().zip(values) {
                self.out.line(format!("{result} = {value};"));
            }
            self.out.line("break;");
            self.out.close("");
        }
        self.advance(params, next);
        self.out.close("");
    }
    /// Gives carried variables their next values, all at once.
    pub(crate) fn advance(&mut self, vars: &[Var], next: &[Atom<R>]) {
        let moved: Vec<(Var, Expr)> = vars
            .iter()
            .zip(next)
            .filter(|(var, next)| Atom::Var(**var) != **next)
            .map(|(&var, &next)| (var, self.atom(next)))
            .collect();
        if let [(var, value)] = moved.as_slice() {
            return self.out.line(format!("{var} = {};", value.text));
        }
        for (var, value) in &moved {
            let ty = self.shared.local(self.vars[*var]);
            self.out.line(format!("const {ty} {} = {};", names::next(var), value.text));
        }
        for (var, _) in &moved {
            self.out.line(format!("{var} = {};", names::next(var)));
        }
    }

    fn call(&mut self, call: &Call<R>) {
        let facts = self.shared.facts.functions[call.func];
        let mut args = Vec::new();
        if facts.lane {
            args.push(if self.lane == Lane::Pointer { "state" } else { "&state" }.to_owned());
        }
        args.extend(call.vectors.iter().map(ToString::to_string));
        args.extend(call.args.iter().map(|&a| self.text(a)));
        let value = format!("{}({})", names::function(call.func), args.join(", "));
        if facts.recursive {
            let state = if self.lane == Lane::Pointer { "state" } else { "&state" };
            let room = Expr::primary(format!("nesl_stack_left({state})"));
            self.require(&room, Site::Memory, call.span, ["0".to_owned(), "0".to_owned()]);
            return self.guarded_call(call, &value);
        }
        match (call.results.len(), self.used_results(call).as_slice()) {
            (_, []) => self.out.line(format!("{value};")),
            (1, [(_, result)]) => {
                self.out.line(format!(
                    "const {} {result} = {value};",
                    self.shared.local(self.vars[*result])
                ));
            }
            (_, used) => {
                let all = self.fresh("results");
                self.out.line(format!("const {} {all} = {value};", names::results(call.func)));
                for &(i, result) in used {
                    let ty = self.shared.local(self.vars[result]);
                    self.out.line(format!("const {ty} {result} = {all}.r{i};"));
                }
            }
        }
    }
    /// A call that is made only while the lane is sound, so that recursion ends after a fault.
    fn guarded_call(&mut self, call: &Call<R>, value: &str) {
        let used = self.used_results(call);
        for &(_, result) in &used {
            self.out.line(format!("{} {result} = 0;", self.shared.local(self.vars[result])));
        }
        self.out.open(format!("if (!{})", self.flag));
        match (call.results.len(), used.as_slice()) {
            (_, []) => self.out.line(format!("{value};")),
            (1, [(_, result)]) => self.out.line(format!("{result} = {value};")),
            (_, used) => {
                let all = self.fresh("results");
                self.out.line(format!("const {} {all} = {value};", names::results(call.func)));
                for (i, result) in used {
                    self.out.line(format!("{result} = {all}.r{i};"));
                }
            }
        }
        self.out.close("");
    }
    /// The results of a call that something uses, and their numbers.
    fn used_results(&self, call: &Call<R>) -> Vec<(usize, Var)> {
        let results = call.results.iter().copied().enumerate();
        results.filter(|&(_, result)| !self.uses.unused(result)).collect()
    }
    /// A new name.
    pub(crate) fn fresh(&mut self, stem: &str) -> String {
        self.serial += 1;
        format!("{stem}{}", self.serial)
    }

    /// Shows the source line of a span as a comment, unless it was the last one shown.
    fn show_source(&mut self, span: Span) {
        let Some(files) = self.shared.files.filter(|_| !span.is_none()) else { return };
        let (line, _) = files.line_column(span.file, span.start);
        if self.shown == Some((span.file, line)) {
            return;
        }
        self.shown = Some((span.file, line));
        let text = String::from_utf8_lossy(&files.file(span.file).text).into_owned();
        let source = text.lines().nth(line - 1).unwrap_or_default().trim();
        self.out.line(format!("/* {line}: {} */", names::comment(source)));
    }
}

/// The subscript that is a position counted with 64 bits, moved by an int.  The position is not
/// negative, so that their sum or difference is from 0 to 2^31 with 64 bits if it is so with 32, and
/// then they are the same.
fn shifted<R>(
    op: ScalarOp,
    args: &[Atom<R>],
    operands: &[Operand],
    wide: &HashSet<Var>,
) -> Option<String> {
    let counted = |n: usize| matches!(args[n], Atom::Var(v) if wide.contains(&v));
    let sign = match op {
        ScalarOp::Add if counted(0) || counted(1) => "+",
        ScalarOp::Sub if counted(0) => "-",
        _ => return None,
    };
    let part = |n: usize, level| {
        let Expr { place, .. } = &operands[n].expr;
        place.clone().filter(|_| counted(n)).unwrap_or_else(|| operands[n].expr.at(level))
    };
    Some(format!("{} {sign} {}", part(0, Level::Sum), part(1, Level::Product)))
}

/// A choice: what comes before it, the condition, and the arms.
type Choice<'b, R> = (&'b [Stmt<R>], Atom<R>, &'b Block<R>, &'b Block<R>);

/// The choice that a block ends with, if the block yields its results and it is printed as `if`.
fn handed_on<R: Copy + PartialEq>(block: &Block<R>) -> Option<Choice<'_, R>> {
    let (Stmt::If { results, cond, then, els }, first) = block.stmts.split_last()? else {
        return None;
    };
    let same = results.iter().map(|&v| Atom::Var(v)).eq(block.yields.iter().copied());
    let select = results.len() == 1 && then.stmts.is_empty() && els.stmts.is_empty();
    (same && !select).then_some((first, *cond, then, els))
}

/// A byte of memory as a truth value.
pub(crate) fn truth(byte: &Expr) -> Expr {
    Expr::infix(byte, "!=", &Expr::literal("0"), Level::Equality)
}
