//! Arms of an `if` that go on with the results of calls are cut at the first, which becomes one.
//!
//! ```text
//! if p then let a = g(x) in 1 + f(a)          let (again, a, y) = if p then (t, g(x), _)
//! else if q then let y = h(x) in f(y) * y       else if q then let y = h(x) in (t, y, y)
//! else 0                                ==>     else (f, _, _);
//!                                             r = if again then f(a) else _
//!                                             in if p then 1 + r
//!                                               else if q then r * y
//!                                               else 0
//! ```
//!
//! Arms without such a call run as a whole afterwards.  What is done with the result may call
//! again; the arms of the last `if` are cut in turn.

use super::{BOOL, Joining, rename_stmt, tuple_of};
use crate::analysis::block_operands;
use base::{Id, Span};
use nest::{Block, Func, Op, Stmt, Type, Value};
use prim::Const;
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions that an arm calls first: one, or those of the first `if` in it whose arms call.
pub(super) fn first_calls(arm: &Block, leads_back: &dyn Fn(Func) -> bool) -> Vec<Func> {
    let calls = arm.stmts.iter().map(|stmt| calls_in(stmt, leads_back));
    calls.into_iter().find(|calls| !calls.is_empty()).unwrap_or_default()
}

fn calls_in(stmt: &Stmt, leads_back: &dyn Fn(Func) -> bool) -> Vec<Func> {
    match &stmt.op {
        Op::Call(func, _) if leads_back(*func) => vec![*func],
        Op::If(_, then, els) => {
            [then, els].into_iter().flat_map(|arm| first_calls(arm, leads_back)).collect()
        }
        _ => Vec::new(),
    }
}

/// An arm, cut at its first call.
enum Arm {
    /// It has none.
    Whole(Block),
    /// What is before the call, what it is called with, and what is behind it.
    Cut { before: Vec<Stmt>, args: Vec<Value>, call: Value, behind: Block },
    /// What is before an `if` whose arms are cut, and what is behind it.
    Inner { before: Vec<Stmt>, choice: Choice, behind: Block },
}

/// An `if` whose arms are cut.
struct Choice {
    value: Value,
    cond: Value,
    arms: Box<[Arm; 2]>,
    span: Span,
}

/// What first parts of arms give.
struct Given {
    /// What the call is given, and whether it is made, if some arms are without.
    args: Vec<Type>,
    sometimes: bool,
    /// What first parts bind and others use.
    live: Vec<Value>,
    /// The types of all these.
    types: Vec<Type>,
    /// What others use, and may as well make again.
    again: Vec<Stmt>,
}

impl Joining<'_> {
    /// The function that both arms of a statement call first.  Where one is without, like one that
    /// ends a recursion, a choice in the other is cut.
    pub(super) fn first_of(&self, stmt: &Stmt) -> Option<Func> {
        let Op::If(_, then, els) = &stmt.op else { return None };
        let firsts = [then, els].map(|arm| first_calls(arm, self.leads_back));
        let both = |func: Func| firsts.iter().all(|calls| calls.contains(&func));
        let count = |func: Func| firsts.iter().flatten().filter(|&&first| first == func).count();
        let in_both = firsts.iter().flatten().copied().filter(|&func| both(func));
        let func = in_both.max_by_key(|&func| (count(func), func))?;
        self.may_cut.then_some(func)
    }

    /// The same statement with one call of a function, behind the first parts of its arms and
    /// before the others.
    pub(super) fn cut(&mut self, stmt: Stmt, func: Func, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let mut choice = self.choice(stmt, func);
        let given = self.given(&choice, func);
        let first = self.first_parts(&mut choice, &given, &mut Vec::new());
        let first = self.add(first, tuple_of(&given.types), span, out);
        let mut parts = self.parts(first, &given.types, span, out);
        let mut names = FxHashMap::default();
        names.extend(given.live.iter().copied().zip(parts.drain(parts.len() - given.live.len()..)));
        let when = if given.sometimes { parts.pop() } else { None };
        let result = self.call(func, parts, when, span, out);
        for mut stmt in given.again {
            let ty = self.function.values[stmt.value].ty.clone();
            rename_stmt(&mut stmt, &|value| names.get(&value).copied().unwrap_or(value));
            names.insert(stmt.value, self.add(stmt.op, ty, stmt.span, out));
        }
        let mut last = last_parts(choice, result, &mut names);
        rename_stmt(&mut last, &|value| names.get(&value).copied().unwrap_or(value));
        out.push(last);
    }

    fn choice(&self, stmt: Stmt, func: Func) -> Choice {
        let Stmt { value, op: Op::If(cond, then, els), span } = stmt else {
            unreachable!("no `if` is cut")
        };
        Choice { value, cond, arms: Box::new([then, els].map(|arm| self.arm(arm, func))), span }
    }

    fn arm(&self, mut arm: Block, func: Func) -> Arm {
        let calls = |stmt: &Stmt| calls_in(stmt, self.leads_back);
        let Some(at) = arm.stmts.iter().position(|stmt| !calls(stmt).is_empty()) else {
            return Arm::Whole(arm);
        };
        if !calls(&arm.stmts[at]).contains(&func) {
            return Arm::Whole(arm);
        }
        let behind = Block { stmts: arm.stmts.split_off(at + 1), result: arm.result };
        let mut before = arm.stmts;
        match before.pop() {
            Some(Stmt { value: call, op: Op::Call(_, args), .. }) => {
                Arm::Cut { before, args, call, behind }
            }
            Some(stmt) => Arm::Inner { before, choice: self.choice(stmt, func), behind },
            None => unreachable!("a statement is at {at}"),
        }
    }

    /// What the first parts of a choice are to give.
    fn given(&self, choice: &Choice, func: Func) -> Given {
        let mut parts = Parts::default();
        parts.of_choice(choice);
        let Parts { before, mut used, whole } = parts;
        let bound: FxHashSet<Value> = before.iter().map(|stmt| stmt.value).collect();
        let (mut live, mut again) = (Vec::new(), Vec::new());
        for stmt in before.into_iter().rev() {
            if !used.contains(&stmt.value) {
                continue;
            }
            let cheap = match &stmt.op {
                Op::Const(_) | Op::Literal(..) | Op::Copy(_) | Op::Tuple(_) => true,
                // Of what is bound there, a part is less to give.
                Op::Field(of, _) | Op::Length(of) => !bound.contains(of),
                _ => false,
            };
            if cheap {
                used.extend(stmt.op.operands());
                again.push(stmt.clone());
            } else {
                live.push(stmt.value);
            }
        }
        live.reverse();
        again.reverse();
        let args = self.signatures[func.index()].0.clone();
        let ty = |&value: &Value| self.function.values[value].ty.clone();
        let flag = whole.then_some(BOOL);
        let types = args.iter().cloned().chain(flag).chain(live.iter().map(ty)).collect();
        Given { args, sometimes: whole, live, types, again }
    }

    /// The choice with first parts in its arms.
    fn first_parts(&mut self, choice: &mut Choice, given: &Given, bound: &mut Vec<Value>) -> Op {
        let span = choice.span;
        let [then, els] = &mut *choice.arms;
        let [then, els] = [then, els].map(|arm| self.first_part(arm, given, bound, span));
        Op::If(choice.cond, then, els)
    }

    /// `bound` has what the first parts of arms around have bound.
    fn first_part(
        &mut self,
        arm: &mut Arm,
        given: &Given,
        bound: &mut Vec<Value>,
        span: Span,
    ) -> Block {
        let mut stmts = match arm {
            Arm::Whole(_) => Vec::new(),
            Arm::Cut { before, .. } | Arm::Inner { before, .. } => std::mem::take(before),
        };
        let known = bound.len();
        bound.extend(stmts.iter().map(|stmt| stmt.value));
        let result = if let Arm::Inner { choice, .. } = arm {
            let inner = self.first_parts(choice, given, bound);
            self.add(inner, tuple_of(&given.types), span, &mut stmts)
        } else {
            let mut parts = match arm {
                Arm::Cut { args, .. } => args.clone(),
                _ => given.args.iter().map(|ty| self.nothing(ty, span, &mut stmts)).collect(),
            };
            if given.sometimes {
                let calls = Op::Const(Const::Bool(matches!(arm, Arm::Cut { .. })));
                parts.push(self.add(calls, BOOL, span, &mut stmts));
            }
            for value in &given.live {
                let ty = self.function.values[*value].ty.clone();
                let own = bound.contains(value);
                parts.push(if own { *value } else { self.nothing(&ty, span, &mut stmts) });
            }
            self.together(&parts, span, &mut stmts)
        };
        bound.truncate(known);
        Block { stmts, result }
    }

    /// A call, or one that is made if a value says so.
    fn call(
        &mut self,
        func: Func,
        args: Vec<Value>,
        when: Option<Value>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Value {
        let result = self.signatures[func.index()].1.clone();
        let call = Op::Call(func, args);
        let Some(when) = when else { return self.add(call, result, span, out) };
        let (mut then, mut els) = (Block::empty(), Block::empty());
        then.result = self.add(call, result.clone(), span, &mut then.stmts);
        els.result = self.nothing(&result, span, &mut els.stmts);
        self.add(Op::If(when, then, els), result, span, out)
    }
}

/// What stands in the parts of a choice.
#[derive(Default)]
struct Parts<'a> {
    /// The statements of first parts.
    before: Vec<&'a Stmt>,
    /// What other parts use.
    used: FxHashSet<Value>,
    /// Whether there are arms without a call.
    whole: bool,
}

impl<'a> Parts<'a> {
    fn of_choice(&mut self, choice: &'a Choice) {
        self.used.insert(choice.cond);
        choice.arms.iter().for_each(|arm| self.of_arm(arm));
    }

    fn of_arm(&mut self, arm: &'a Arm) {
        let (before, last): (&[Stmt], &Block) = match arm {
            Arm::Whole(block) => (&[], block),
            Arm::Cut { before, behind, .. } | Arm::Inner { before, behind, .. } => (before, behind),
        };
        self.before.extend(before);
        self.used.extend(block_operands(last));
        match arm {
            Arm::Whole(_) => self.whole = true,
            Arm::Cut { .. } => {}
            Arm::Inner { choice, .. } => self.of_choice(choice),
        }
    }
}

/// The choice with what is behind the calls in its arms.  Their results get the name of the one.
fn last_parts(choice: Choice, result: Value, names: &mut FxHashMap<Value, Value>) -> Stmt {
    let Choice { value, cond, arms, span } = choice;
    let [then, els] = arms.map(|arm| match arm {
        Arm::Whole(block) => block,
        Arm::Cut { call, behind, .. } => {
            names.insert(call, result);
            behind
        }
        Arm::Inner { choice, mut behind, .. } => {
            behind.stmts.insert(0, last_parts(choice, result, names));
            behind
        }
    });
    let name = |arm: &Block| names.get(&arm.result).copied().unwrap_or(arm.result);
    let same = then.stmts.is_empty() && els.stmts.is_empty() && name(&then) == name(&els);
    let op = if same { Op::Copy(name(&then)) } else { Op::If(cond, then, els) };
    Stmt { value, op, span }
}
