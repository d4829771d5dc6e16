//! Calls that end several arms of an `if` become one.
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

use super::{BOOL, Joining, tuple_of};
use base::{Id, Span};
use nest::{Block, Func, Op, Stmt, Type, Value};
use prim::Const;

/// The call that is to be the only one.
pub(super) struct Call {
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

impl Joining<'_> {
    /// The call that both arms of a statement, or arms of theirs, end with, if in lanes all others
    /// are without.  Where one arm has none, a choice in the other may be such a statement.
    pub(super) fn tails_of(&self, stmt: &Stmt) -> Option<Call> {
        let Op::If(_, then, els) = &stmt.op else { return None };
        let ends = [then, els].map(|arm| {
            let mut ends = Vec::new();
            ends_of(arm, &mut ends);
            ends
        });
        let all = || ends.iter().flatten();
        let both =
            |func: Func| ends.iter().all(|ends| ends.iter().flatten().any(|call| call.0 == func));
        let calls = all().flatten().filter(|(func, _)| (self.leads_back)(*func) && both(*func));
        let count = |func: Func| all().flatten().filter(|call| call.0 == func).count();
        let &(func, span) = calls.max_by_key(|call| (count(call.0), call.0))?;
        let apart = || [then, els].into_iter().any(|arm| self.calls_apart(arm, func, false));
        if self.may_cut && apart() {
            return None;
        }
        let always = all().all(|end| end.is_some_and(|call| call.0 == func));
        let result = self.ty(stmt.value);
        let mut given = self.signatures[func.index()].0.clone();
        if !always {
            given.extend([BOOL, result.clone()]);
        }
        Some(Call { func, always, result, given, span })
    }

    /// Whether an arm of an arm has calls, or has had some before, and does not end with one of
    /// this function.
    fn calls_apart(&self, arm: &Block, func: Func, before: bool) -> bool {
        let calls = |stmts: &[Stmt]| {
            before || stmts.iter().any(|stmt| super::calls_back(stmt, self.leads_back))
        };
        match arm.stmts.split_last().filter(|(last, _)| last.value == arm.result) {
            Some((Stmt { op: Op::Call(callee, _), .. }, _)) if *callee == func => false,
            Some((Stmt { op: Op::If(_, then, els), .. }, own)) => {
                let before = calls(own);
                [then, els].into_iter().any(|arm| self.calls_apart(arm, func, before))
            }
            _ => calls(&arm.stmts),
        }
    }

    /// The same statement with one call, after what it is given.
    pub(super) fn join_tails(&mut self, stmt: Stmt, call: &Call, out: &mut Vec<Stmt>) {
        let Stmt { value, op, span } = stmt;
        let Op::If(cond, mut then, mut els) = op else { unreachable!("no `if`") };
        [&mut then, &mut els].into_iter().for_each(|arm| self.give(arm, call));
        let given = self.add(Op::If(cond, then, els), tuple_of(&call.given), span, out);
        let mut parts = self.parts(given, &call.given, span, out);
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
                arm.result = self.together(&parts, span, &mut arm.stmts);
            }
            Some(Stmt { op: Op::If(cond, mut then, mut els), .. })
                if ends_with(&then, call.func) || ends_with(&els, call.func) =>
            {
                [&mut then, &mut els].into_iter().for_each(|arm| self.give(arm, call));
                let op = Op::If(cond, then, els);
                arm.result = self.add(op, tuple_of(&call.given), span, &mut arm.stmts);
            }
            other => {
                arm.stmts.extend(other);
                let tys = &self.signatures[call.func.index()].0;
                let mut parts: Vec<Value> =
                    tys.iter().map(|ty| self.nothing(ty, span, &mut arm.stmts)).collect();
                parts.push(self.add(Op::Const(Const::Bool(false)), BOOL, span, &mut arm.stmts));
                parts.push(arm.result);
                arm.result = self.together(&parts, span, &mut arm.stmts);
            }
        }
    }
}

/// What the arms of an arm end with: calls, or something else.
fn ends_of(arm: &Block, ends: &mut Vec<Option<(Func, Span)>>) {
    let last = arm.stmts.last().filter(|stmt| stmt.value == arm.result);
    match last.map(|stmt| (&stmt.op, stmt.span)) {
        Some((Op::Call(func, _), span)) => ends.push(Some((*func, span))),
        Some((Op::If(_, then, els), _)) => [then, els].iter().for_each(|arm| ends_of(arm, ends)),
        _ => ends.push(None),
    }
}

/// Whether an arm, or one of its arms, ends with a call.
fn ends_with(arm: &Block, func: Func) -> bool {
    let mut ends = Vec::new();
    ends_of(arm, &mut ends);
    ends.iter().flatten().any(|end| end.0 == func)
}
