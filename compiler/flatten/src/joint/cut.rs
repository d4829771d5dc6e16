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
//! Calls for all elements of sequences are such calls, too ([`super::rows`]).  Arms without a call
//! run as a whole afterwards.  What is done with the result may call again; the arms of the last
//! `if` are cut in turn.

use super::rows;
use super::{BOOL, Joining, rename_stmt, tuple_of};
use crate::analysis::block_operands;
use base::{Id, Span};
use nest::{Block, Func, Op, Stmt, Type, Value};
use prim::Const;
use rustc_hash::{FxHashMap, FxHashSet};

/// What an arm calls first: one thing, or that of the arms of the first `if` in it that call.
pub(super) fn first_calls(arm: &Block, leads_back: &dyn Fn(Func) -> bool) -> Vec<First> {
    let calls = arm.stmts.iter().map(|stmt| calls_in(stmt, leads_back));
    calls.into_iter().find(|calls| !calls.is_empty()).unwrap_or_default()
}

fn calls_in(stmt: &Stmt, leads_back: &dyn Fn(Func) -> bool) -> Vec<First> {
    match &stmt.op {
        Op::Call(func, _) if leads_back(*func) => vec![First { func: *func, rows: None }],
        Op::Each(each) => rows::first_of(each, leads_back).into_iter().collect(),
        Op::If(_, then, els) => {
            [then, els].into_iter().flat_map(|arm| first_calls(arm, leads_back)).collect()
        }
        _ => Vec::new(),
    }
}

/// What an arm calls first, or the call that is made for several arms.
pub(super) struct First {
    pub(super) func: Func,
    /// If it is called for all elements of a sequence, which parameters depend on these.
    pub(super) rows: Option<Vec<bool>>,
}

impl First {
    /// One for all of these, which call one function.  Is one made for all elements of a sequence,
    /// then those that call once are given one element.
    fn shared(firsts: &[&First]) -> Option<First> {
        let mut all = firsts.iter().filter_map(|first| first.rows.as_deref());
        let rows = all.next().map(|first| all.fold(first.to_vec(), rows::or));
        // A call is for something.
        let rows =
            rows.map(|rows| if rows.contains(&true) { rows } else { vec![true; rows.len()] });
        Some(First { func: firsts.first()?.func, rows })
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
    /// What the call is given, and whether it is made, if some arms are without.  If it is made for
    /// all elements of a sequence, this is given last.
    args: Vec<Type>,
    rows: bool,
    sometimes: bool,
    /// What first parts bind and others use.
    live: Vec<Value>,
    /// The types of all these.
    types: Vec<Type>,
    /// What others use, and may as well make again.
    again: Vec<Stmt>,
}

impl Joining<'_> {
    /// The call of both arms of a statement.  Where one is without, like one that ends a recursion,
    /// a choice in the other is cut.
    pub(super) fn first_of(&self, stmt: &Stmt) -> Option<First> {
        let Op::If(_, then, els) = &stmt.op else { return None };
        if !self.may_cut {
            return None;
        }
        let firsts = [then, els].map(|arm| first_calls(arm, self.leads_back));
        let in_both = |func| firsts.iter().all(|calls| calls.iter().any(|call| call.func == func));
        let of = |func| firsts.iter().flatten().filter(move |first| first.func == func);
        let funcs = firsts.iter().flatten().map(|first| first.func);
        let func =
            funcs.filter(|&func| in_both(func)).max_by_key(|&func| (of(func).count(), func))?;
        First::shared(&of(func).collect::<Vec<&First>>())
    }

    /// The same statement with one call of a function, behind the first parts of its arms and
    /// before the others.
    pub(super) fn cut(&mut self, stmt: Stmt, first: &First, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let mut choice = self.choice(stmt, first);
        let given = self.given(&choice, first);
        let op = self.first_parts(&mut choice, &given, &mut Vec::new());
        let parts = self.add(op, tuple_of(&given.types), span, out);
        let mut parts = self.parts(parts, &given.types, span, out);
        let mut names = FxHashMap::default();
        names.extend(given.live.iter().copied().zip(parts.drain(parts.len() - given.live.len()..)));
        let when = if given.sometimes { parts.pop() } else { None };
        let result = match &first.rows {
            None => self.call(first.func, parts, when, span, out),
            Some(varies) => self.call_rows(first.func, varies, parts, span, out),
        };
        for mut stmt in given.again {
            let ty = self.ty(stmt.value);
            rename_stmt(&mut stmt, &|value| names.get(&value).copied().unwrap_or(value));
            names.insert(stmt.value, self.add(stmt.op, ty, stmt.span, out));
        }
        let mut last = last_parts(choice, result, &mut names);
        rename_stmt(&mut last, &|value| names.get(&value).copied().unwrap_or(value));
        out.push(last);
    }

    fn choice(&mut self, stmt: Stmt, first: &First) -> Choice {
        let Stmt { value, op: Op::If(cond, then, els), span } = stmt else {
            unreachable!("no `if` is cut")
        };
        Choice { value, cond, arms: Box::new([then, els].map(|arm| self.arm(arm, first))), span }
    }

    fn arm(&mut self, mut arm: Block, first: &First) -> Arm {
        let calls = |stmt: &Stmt| calls_in(stmt, self.leads_back);
        let Some(at) = arm.stmts.iter().position(|stmt| !calls(stmt).is_empty()) else {
            return Arm::Whole(arm);
        };
        if !calls(&arm.stmts[at]).iter().any(|call| call.func == first.func) {
            return Arm::Whole(arm);
        }
        let mut behind = Block { stmts: arm.stmts.split_off(at + 1), result: arm.result };
        let mut before = arm.stmts;
        match (before.pop(), &first.rows) {
            (Some(Stmt { value: call, op: Op::Call(_, args), .. }), None) => {
                Arm::Cut { before, args, call, behind }
            }
            (Some(stmt @ Stmt { op: Op::Call(..), .. }), Some(varies)) => {
                let (args, call) = self.part_once(stmt, varies, &mut before, &mut behind);
                Arm::Cut { before, args, call, behind }
            }
            (Some(stmt @ Stmt { op: Op::Each(_), .. }), Some(varies)) => {
                let (args, call) = self.part_rows(stmt, varies, &mut before, &mut behind);
                Arm::Cut { before, args, call, behind }
            }
            (Some(stmt), _) => Arm::Inner { before, choice: self.choice(stmt, first), behind },
            (None, _) => unreachable!("a statement is at {at}"),
        }
    }

    /// What the first parts of a choice are to give.
    fn given(&self, choice: &Choice, first: &First) -> Given {
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
        let params = &self.signatures[first.func.index()].0;
        let args = match &first.rows {
            None => params.clone(),
            Some(varies) => rows::given(varies, params),
        };
        // There is no call for the elements of an empty sequence.
        let sometimes = whole && first.rows.is_none();
        let ty = |&value: &Value| self.ty(value);
        let flag = sometimes.then_some(BOOL);
        let types = args.iter().cloned().chain(flag).chain(live.iter().map(ty)).collect();
        Given { args, rows: first.rows.is_some(), sometimes, live, types, again }
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
                _ => self.no_args(given, span, &mut stmts),
            };
            if given.sometimes {
                let calls = Op::Const(Const::Bool(matches!(arm, Arm::Cut { .. })));
                parts.push(self.add(calls, BOOL, span, &mut stmts));
            }
            for value in &given.live {
                let ty = self.ty(*value);
                let own = bound.contains(value);
                parts.push(if own { *value } else { self.nothing(&ty, span, &mut stmts) });
            }
            self.together(&parts, span, &mut stmts)
        };
        bound.truncate(known);
        Block { stmts, result }
    }

    /// What a call is given that is not made, or made for no element.
    fn no_args(&mut self, given: &Given, span: Span, out: &mut Vec<Stmt>) -> Vec<Value> {
        let unused = given.args.len() - usize::from(given.rows);
        let arg = |(n, ty): (usize, &Type)| match n < unused {
            true => self.nothing(ty, span, out),
            false => self.function.nothing(ty, span, out),
        };
        given.args.iter().enumerate().map(arg).collect()
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
