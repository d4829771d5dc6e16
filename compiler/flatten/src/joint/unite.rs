//! Functions that the arms of an `if` call first, and that lead back to each other, become one.
//!
//! In lanes each arm runs for the lanes that take it.  Two functions that are called there are two
//! calls, one after the other, of which each makes two again, until all have one lane.  A function
//! that is told which of them it is needs one call for a depth ([`super::tails`], [`super::cut`]),
//! and what it hands up lies in one pool.
//!
//! ```text
//! even(v, k)   = ... if p then even(v, k - 1)      both(which, v, k, x) =
//!                    else odd(v, x, k - 1)           if which == 0
//! odd(w, x, k) = ...                                   then ... if p then both(0, v, k - 1, _)
//!                                             ==>                 else both(1, v, k - 1, x)
//!                                                      else ...
//! ```

use super::cut::first_calls;
use super::{Recursions, Unused, rename};
use base::{Id, IdMap, Span};
use nest::{Block, Func, Function, Op, Program, Stmt, Type, Value, ValueInfo};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Makes one function of those that the arms of one `if` call first, in recursions that lanes call;
/// whether there are any.  Nobody uses what stands for the arguments of the others.
pub(super) fn unite(program: &mut Program, unused: &mut Unused) -> bool {
    let mut places = FxHashMap::default();
    for members in groups(program) {
        let (slots, taken) = slots(program, &members);
        let united = program.funcs.push(united(program, &members, &slots, &taken));
        unused.push(FxHashSet::default());
        for (which, (&func, taken)) in members.iter().zip(taken).enumerate() {
            places.insert(func, Place { united, which, slots: slots.clone(), taken });
        }
    }
    for (func, function) in program.funcs.iter_mut() {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        let unused = &mut unused[func];
        Calling { function, places: &places, unused }.block(&mut body);
        function.body = body;
    }
    !places.is_empty()
}

/// Where a function is in one that stands for several.
struct Place {
    united: Func,
    which: usize,
    /// The types of the parameters but the first, and which of these are those of the function.
    slots: Vec<Type>,
    taken: Vec<usize>,
}

/// The types of the parameters of a function that stands for several, and which of them are those
/// of each.  Parameters of one type are shared.
fn slots(program: &Program, members: &[Func]) -> (Vec<Type>, Vec<Vec<usize>>) {
    let mut slots: Vec<Type> = Vec::new();
    let taken = members.iter().map(|&func| {
        let function = &program.funcs[func];
        let mut taken: Vec<usize> = Vec::new();
        for &param in &function.params {
            let ty = &function.values[param].ty;
            let free = (0..slots.len()).find(|n| slots[*n] == *ty && !taken.contains(n));
            taken.push(free.unwrap_or(slots.len()));
            if free.is_none() {
                slots.push(ty.clone());
            }
        }
        taken
    });
    let taken = taken.collect();
    (slots, taken)
}

/// The functions that become one.
fn groups(program: &Program) -> Vec<Vec<Func>> {
    let recursions = Recursions::new(program);
    let mut found: Vec<BTreeSet<Func>> = Vec::new();
    for (func, function) in program.funcs.iter().filter(|(func, _)| recursions.in_lanes(*func)) {
        let leads_back = |callee: Func| recursions.leads_back(func, callee);
        each_choice(&function.body, &mut |arms| {
            let firsts = arms.into_iter().flat_map(|arm| first_calls(arm, &leads_back));
            let mut together: BTreeSet<Func> = firsts.collect();
            if together.len() > 1 {
                let (meet, apart) = found.drain(..).partition(|one: &BTreeSet<Func>| {
                    one.iter().any(|func| together.contains(func))
                });
                found = apart;
                together.extend(Vec::<BTreeSet<Func>>::into_iter(meet).flatten());
                found.push(together);
            }
        });
    }
    found.into_iter().map(|members| members.into_iter().collect()).collect()
}

/// Visits the arms of each `if`.
fn each_choice<'p>(block: &'p Block, visit: &mut impl FnMut([&'p Block; 2])) {
    for stmt in &block.stmts {
        if let Op::If(_, then, els) = &stmt.op {
            visit([then, els]);
        }
        stmt.op.blocks().into_iter().for_each(|inner| each_choice(inner, visit));
    }
}

/// The function that is one of these, as its first parameter says.
fn united(program: &Program, members: &[Func], slots: &[Type], taken: &[Vec<usize>]) -> Function {
    let functions: Vec<&Function> = members.iter().map(|&func| &program.funcs[func]).collect();
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let (first, span) = (functions[0], functions[0].span);
    let result = first.values[first.body.result].ty.clone();
    let mut values = IdMap::new();
    let which = values.push(ValueInfo { ty: Type::Scalar(Ty::I64) });
    let mut params = vec![which];
    params.extend(slots.iter().map(|ty| values.push(ValueInfo { ty: ty.clone() })));
    let mut bodies = Vec::new();
    for (function, taken) in functions.into_iter().zip(taken) {
        let offset = values.len();
        function.values.values().for_each(|info| _ = values.push(info.clone()));
        let renamed = |value: Value| {
            let param = function.params.iter().position(|&param| param == value);
            param.map_or(Value::new(value.index() + offset), |n| params[1 + taken[n]])
        };
        let mut body = function.body.clone();
        rename(&mut body, &renamed);
        bodies.push(body);
    }
    let mut value = |ty: &Type| values.push(ValueInfo { ty: ty.clone() });
    let last = bodies.pop().unwrap_or_else(Block::empty);
    let numbered = bodies.into_iter().enumerate().rev();
    let body = numbered.fold(last, |others, (n, body)| {
        let number = value(&Type::Scalar(Ty::I64));
        let cond = value(&Type::Scalar(Ty::Bool));
        let result = value(&result);
        let stmt = |value, op| Stmt { value, op, span };
        let stmts = vec![
            stmt(number, Op::Const(number_of(n))),
            stmt(cond, Op::Scalar(ScalarOp::Eq, vec![which, number])),
            stmt(result, Op::If(cond, body, others)),
        ];
        Block { stmts, result }
    });
    Function { name: names.join("_"), params, body, values, span }
}

fn number_of(n: usize) -> Const {
    Const::I64(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Calls of functions that have become part of others.
struct Calling<'a> {
    function: &'a mut Function,
    places: &'a FxHashMap<Func, Place>,
    unused: &'a mut FxHashSet<Value>,
}

impl Calling<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.op.parts_mut().1 {
                self.block(inner);
            }
            if let Op::Call(func, args) = &mut stmt.op
                && let Some(place) = self.places.get(func)
            {
                *args = self.arguments(place, args, stmt.span, &mut stmts);
                *func = place.united;
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }

    /// What the function that stands for several is given.
    fn arguments(
        &mut self,
        place: &Place,
        args: &[Value],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Vec<Value> {
        let which = self.function.values.push(ValueInfo { ty: Type::Scalar(Ty::I64) });
        out.push(Stmt { value: which, op: Op::Const(number_of(place.which)), span });
        let mut all = vec![which];
        for (slot, ty) in place.slots.iter().enumerate() {
            if let Some(n) = place.taken.iter().position(|&taken| taken == slot) {
                all.push(args[n]);
                continue;
            }
            let first = out.len();
            all.push(self.function.nothing(ty, span, out));
            self.unused.extend(out[first..].iter().map(|stmt| stmt.value));
        }
        all
    }
}
