//! Calls that end several arms of an `if` become one.
//!
//! In lanes each arm runs for the lanes that take it, and a call in it is a call for those.  Where
//! two arms of a function call it again, the calls of each depth would be twice those of the last,
//! until each has one lane.
//!
//! ```text
//! if k < #less then select(less, k)             let (again, s, i, x) =
//! else if k >= n then select(more, k - n)         if k < #less then (t, less, k, _)
//! else p                                ==>       else if k >= n then (t, more, k - n, _)
//!                                                 else (f, _, _, p)
//!                                               in if again then select(s, i) else x
//! ```
//!
//! Where all arms end with such a call, neither `again` nor `x` is needed; in place of what nobody
//! will use stand zeros and empty sequences.

use crate::analysis::Analysis;
use crate::conserve::Conserving;
use base::{Id, IdMap, Span};
use nest::{Block, Func, Function, Op, Program, Stmt, Type, Value, ValueInfo};
use prim::{Const, Ty};
use rustc_hash::FxHashSet;

/// For each function the values that stand in place of what nobody will use.
pub(crate) type Unused = IdMap<Func, FxHashSet<Value>>;

/// Makes one call of those that end the arms of an `if` and lead back to the function itself.
/// Calls in scalar code, which is run lane by lane, stay, and those whose results are made in
/// their places.  Gives what nobody uses, with what is known of that.
pub(crate) fn join_calls(program: &mut Program, mut unused: Unused) -> Unused {
    let analysis = Analysis::new(program);
    let all = vec![true; program.funcs.len()];
    let conserving = Conserving::new(program, &analysis.recursive, &all);
    let params: Vec<Vec<Type>> = program
        .funcs
        .values()
        .map(|f| f.params.iter().map(|&param| f.values[param].ty.clone()).collect())
        .collect();
    for (func, function) in program.funcs.iter_mut() {
        if !analysis.recursive[func.index()] {
            continue;
        }
        let leads_back = |callee: Func| {
            analysis.recursion[callee] == analysis.recursion[func]
                && !analysis.scalar[callee.index()]
                && conserving.parameter(callee).is_none()
        };
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        let unused = &mut unused[func];
        let mut joining = Joining { function, params: &params, leads_back: &leads_back, unused };
        joining.block(&mut body);
        function.body = body;
    }
    unused
}

struct Joining<'a> {
    function: &'a mut Function,
    /// The types of the parameters of all functions.
    params: &'a [Vec<Type>],
    leads_back: &'a dyn Fn(Func) -> bool,
    unused: &'a mut FxHashSet<Value>,
}

/// The call that is to be the only one.
struct Call {
    func: Func,
    /// Whether all arms end with it.
    always: bool,
    /// The type of its result.
    result: Type,
    /// The types of what the arms give in its place: what it is called with, whether it is called,
    /// and the result if it is not.
    given: Vec<Type>,
    span: Span,
}

impl Call {
    /// All that the arms give.
    fn given(&self) -> Type {
        match self.given.as_slice() {
            [one] => one.clone(),
            all => Type::Tuple(all.to_vec()),
        }
    }
}

impl Joining<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.op.parts_mut().1 {
                self.block(inner);
            }
            match self.call_of(&stmt) {
                Some(call) => self.join(stmt, &call, &mut stmts),
                None => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
    }

    /// The call that several arms of a statement end with.
    fn call_of(&self, stmt: &Stmt) -> Option<Call> {
        let Op::If(_, then, els) = &stmt.op else { return None };
        let mut ends = Vec::new();
        [then, els].into_iter().for_each(|arm| ends_of(arm, &mut ends));
        let calls = || ends.iter().flatten().filter(|(func, _)| (self.leads_back)(*func));
        let count = |func: Func| calls().filter(|call| call.0 == func).count();
        let &(func, span) = calls().max_by_key(|call| (count(call.0), call.0))?;
        let (count, result) = (count(func), self.function.values[stmt.value].ty.clone());
        let always = count == ends.len();
        let mut given = self.params[func.index()].clone();
        if !always {
            given.extend([BOOL, result.clone()]);
        }
        (count > 1).then_some(Call { func, always, result, given, span })
    }

    /// The same statement with one call, after what it is given.
    fn join(&mut self, stmt: Stmt, call: &Call, out: &mut Vec<Stmt>) {
        let Stmt { value, op, span } = stmt;
        let Op::If(cond, mut then, mut els) = op else { unreachable!("no `if`") };
        [&mut then, &mut els].into_iter().for_each(|arm| self.give(arm, call));
        let given = self.add(Op::If(cond, then, els), call.given(), span, out);
        let mut parts: Vec<Value> = match call.given.as_slice() {
            [_] => vec![given],
            all => {
                let field =
                    |(n, ty): (usize, &Type)| self.add(Op::Field(given, n), ty.clone(), span, out);
                all.iter().enumerate().map(field).collect()
            }
        };
        if call.always {
            out.push(Stmt { value, op: Op::Call(call.func, parts), span: call.span });
            return;
        }
        let (Some(other), Some(again)) = (parts.pop(), parts.pop()) else {
            unreachable!("a call among others has a condition")
        };
        let mut stmts = Vec::new();
        let result =
            self.add(Op::Call(call.func, parts), call.result.clone(), call.span, &mut stmts);
        let then = Block { stmts, result };
        let els = Block { stmts: Vec::new(), result: other };
        out.push(Stmt { value, op: Op::If(again, then, els), span });
    }

    /// In place of calls at the ends of an arm, what they are given.
    fn give(&mut self, arm: &mut Block, call: &Call) {
        let span = arm.stmts.last().map_or(call.span, |stmt| stmt.span);
        match arm.stmts.pop_if(|stmt| stmt.value == arm.result) {
            Some(Stmt { op: Op::Call(func, args), .. }) if func == call.func => {
                let mut parts = args;
                if !call.always {
                    parts.push(self.add(Op::Const(Const::Bool(true)), BOOL, span, &mut arm.stmts));
                    parts.push(self.nothing(&call.result, span, &mut arm.stmts));
                }
                self.give_parts(arm, parts, call, span);
            }
            Some(Stmt { op: Op::If(cond, mut then, mut els), .. })
                if leads_to(&then, &els, call) =>
            {
                [&mut then, &mut els].into_iter().for_each(|arm| self.give(arm, call));
                let op = Op::If(cond, then, els);
                arm.result = self.add(op, call.given(), span, &mut arm.stmts);
            }
            other => {
                arm.stmts.extend(other);
                let tys = self.params[call.func.index()].clone();
                let mut parts: Vec<Value> =
                    tys.iter().map(|ty| self.nothing(ty, span, &mut arm.stmts)).collect();
                parts.push(self.add(Op::Const(Const::Bool(false)), BOOL, span, &mut arm.stmts));
                parts.push(arm.result);
                self.give_parts(arm, parts, call, span);
            }
        }
    }

    fn give_parts(&mut self, arm: &mut Block, mut parts: Vec<Value>, call: &Call, span: Span) {
        arm.result = if parts.len() == 1 {
            parts.swap_remove(0)
        } else {
            self.add(Op::Tuple(parts), call.given(), span, &mut arm.stmts)
        };
    }

    /// A value that nobody will use.
    fn nothing(&mut self, ty: &Type, span: Span, out: &mut Vec<Stmt>) -> Value {
        let first = out.len();
        let value = self.function.nothing(ty, span, out);
        self.unused.extend(out[first..].iter().map(|stmt| stmt.value));
        value
    }

    fn add(&mut self, op: Op, ty: Type, span: Span, out: &mut Vec<Stmt>) -> Value {
        let value = self.function.values.push(ValueInfo { ty });
        out.push(Stmt { value, op, span });
        value
    }
}

const BOOL: Type = Type::Scalar(Ty::Bool);

/// What the arms of an arm end with: calls, or something else.
pub(crate) fn ends_of(arm: &Block, ends: &mut Vec<Option<(Func, Span)>>) {
    let last = arm.stmts.last().filter(|stmt| stmt.value == arm.result);
    match last.map(|stmt| (&stmt.op, stmt.span)) {
        Some((Op::Call(func, _), span)) => ends.push(Some((*func, span))),
        Some((Op::If(_, then, els), _)) => [then, els].iter().for_each(|arm| ends_of(arm, ends)),
        _ => ends.push(None),
    }
}

/// Whether an arm of these ends with a call.
fn leads_to(then: &Block, els: &Block, call: &Call) -> bool {
    let mut ends = Vec::new();
    [then, els].into_iter().for_each(|arm| ends_of(arm, &mut ends));
    ends.iter().flatten().any(|end| end.0 == call.func)
}
