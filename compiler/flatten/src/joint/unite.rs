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

use super::cut::{First, first_calls};
use super::{Recursions, Unused, nothing, rename, tuple_of};
use base::{Id, IdMap, Span};
use nest::{Block, Func, Function, Op, Program, Stmt, Type, Value, ValueInfo};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Makes one function of those that the arms of one `if` call first, in recursions that lanes call;
/// whether there are any.  Nobody uses what stands for the arguments of the others, and for their
/// results where these are of other types.
pub(super) fn unite(program: &mut Program, unused: &mut Unused) -> bool {
    let mut places = FxHashMap::default();
    let mut made = FxHashMap::default();
    for members in groups(program) {
        let shared = Shared::of(program, &members);
        let (function, nothing) = shared.function(program, &members, unused);
        let united = program.funcs.push(function);
        unused.push(nothing);
        let shared = Rc::new(shared);
        for (which, &func) in members.iter().enumerate() {
            places.insert(func, Place { united, which, shared: Rc::clone(&shared) });
        }
        made.insert(united, shared);
    }
    for (func, function) in program.funcs.iter_mut() {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        let mut calling = Calling { function, places: &places, unused: &mut unused[func] };
        match made.get(&func) {
            Some(shared) if shared.results.len() > 1 => calling.arms(&mut body, func, shared, 0),
            _ => calling.block(&mut body, None),
        }
        function.body = body;
    }
    !places.is_empty()
}

/// Where a function is in one that stands for several.
struct Place {
    united: Func,
    which: usize,
    shared: Rc<Shared>,
}

/// What functions share that become one.
struct Shared {
    /// The types of the parameters but the first, which says which function it is.  Parameters of
    /// one type are shared.
    slots: Vec<Type>,
    /// The types of the results.
    results: Vec<Type>,
    /// For each function which parameters and which result are its own.
    own: Vec<(Vec<usize>, usize)>,
}

impl Shared {
    fn of(program: &Program, members: &[Func]) -> Shared {
        let mut shared = Shared { slots: Vec::new(), results: Vec::new(), own: Vec::new() };
        for &func in members {
            let function = &program.funcs[func];
            let mut taken = Vec::new();
            for &param in &function.params {
                place_of(&function.values[param].ty, &mut shared.slots, &mut taken);
            }
            let result = &function.values[function.body.result].ty;
            let result = place_of(result, &mut shared.results, &mut Vec::new());
            shared.own.push((taken, result));
        }
        shared
    }

    /// The function that is one of these, as its first parameter says, and what nobody uses in it.
    /// Its arms call, and give, what the functions do.
    fn function(
        &self,
        program: &Program,
        members: &[Func],
        unused: &Unused,
    ) -> (Function, FxHashSet<Value>) {
        let functions: Vec<&Function> = members.iter().map(|&func| &program.funcs[func]).collect();
        let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
        let span = functions[0].span;
        let mut values = IdMap::new();
        let which = values.push(ValueInfo { ty: Type::Scalar(Ty::I64) });
        let mut params = vec![which];
        params.extend(self.slots.iter().map(|ty| values.push(ValueInfo { ty: ty.clone() })));
        let (mut bodies, mut nothing) = (Vec::new(), FxHashSet::default());
        for ((function, func), (taken, _)) in functions.into_iter().zip(members).zip(&self.own) {
            let offset = values.len();
            function.values.values().for_each(|info| _ = values.push(info.clone()));
            let renamed = |value: Value| {
                let param = function.params.iter().position(|&param| param == value);
                param.map_or(Value::new(value.index() + offset), |n| params[1 + taken[n]])
            };
            let mut body = function.body.clone();
            rename(&mut body, &renamed);
            bodies.push(body);
            nothing.extend(unused[*func].iter().map(|&value| renamed(value)));
        }
        let mut value = |ty: Type| values.push(ValueInfo { ty });
        let last = bodies.pop().unwrap_or_else(Block::empty);
        let numbered = bodies.into_iter().enumerate().rev();
        let body = numbered.fold(last, |others, (n, body)| {
            let number = value(Type::Scalar(Ty::I64));
            let cond = value(Type::Scalar(Ty::Bool));
            let result = value(tuple_of(&self.results));
            let stmt = |value, op| Stmt { value, op, span };
            let stmts = vec![
                stmt(number, Op::Const(number_of(n))),
                stmt(cond, Op::Scalar(ScalarOp::Eq, vec![which, number])),
                stmt(result, Op::If(cond, body, others)),
            ];
            Block { stmts, result }
        });
        (Function { name: names.join("_"), params, body, values, span }, nothing)
    }
}

/// The first place of a type that is not taken, or a new one; takes it.
fn place_of(ty: &Type, places: &mut Vec<Type>, taken: &mut Vec<usize>) -> usize {
    let free = (0..places.len()).find(|n| places[*n] == *ty && !taken.contains(n));
    let place = free.unwrap_or(places.len());
    if free.is_none() {
        places.push(ty.clone());
    }
    taken.push(place);
    place
}

/// The functions that become one.
fn groups(program: &Program) -> Vec<Vec<Func>> {
    let recursions = Recursions::new(program);
    let mut found: Vec<BTreeSet<Func>> = Vec::new();
    for (func, function) in program.funcs.iter().filter(|(func, _)| recursions.in_lanes(*func)) {
        let leads_back = |callee: Func| recursions.leads_back(func, callee);
        each_choice(&function.body, &mut |arms| {
            let firsts: Vec<First> =
                arms.into_iter().flat_map(|arm| first_calls(arm, &leads_back)).collect();
            for rows in [false, true] {
                let like = firsts.iter().filter(|first| first.rows.is_some() == rows);
                let mut together: BTreeSet<Func> = like.map(|first| first.func).collect();
                if together.len() < 2 {
                    continue;
                }
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

fn number_of(n: usize) -> Const {
    Const::I64(i64::try_from(n).unwrap_or(i64::MAX))
}

/// Calls of functions that have become part of others.
struct Calling<'a> {
    function: &'a mut Function,
    places: &'a FxHashMap<Func, Place>,
    unused: &'a mut FxHashSet<Value>,
}

/// One result of several that a function gives.
#[derive(Clone, Copy)]
struct Own<'a> {
    united: Func,
    result: usize,
    of: &'a [Type],
}

impl Calling<'_> {
    /// The arms of a function that stands for several, from the n-th on, which give all results.
    fn arms(&mut self, block: &mut Block, united: Func, shared: &Shared, n: usize) {
        let own = Own { united, result: shared.own[n].1, of: &shared.results };
        match &mut block.stmts[..] {
            [.., Stmt { op: Op::If(_, then, els), .. }] if n + 1 < shared.own.len() => {
                self.block(then, Some(own));
                self.arms(els, united, shared, n + 1);
            }
            _ => self.block(block, Some(own)),
        }
    }

    /// A block, which gives one of several results if that is asked for: as the call gives them
    /// that it ends with, so that this stays its end.
    fn block(&mut self, block: &mut Block, own: Option<Own<'_>>) {
        let mut done = own.is_none();
        let mut stmts = Vec::new();
        let mut todo = std::mem::take(&mut block.stmts).into_iter().peekable();
        while let Some(mut stmt) = todo.next() {
            let last = own.filter(|_| todo.peek().is_none() && stmt.value == block.result);
            let is_choice = matches!(stmt.op, Op::If(..));
            for inner in stmt.op.parts_mut().1 {
                self.block(inner, last.filter(|_| is_choice));
            }
            done |= is_choice && last.is_some();
            if let Op::Call(func, args) = &mut stmt.op
                && let Some(place) = self.places.get(func)
            {
                *args = self.arguments(place, args, stmt.span, &mut stmts);
                *func = place.united;
                let ends = last.is_some_and(|own| own.united == place.united);
                done |= ends;
                if !ends && place.shared.results.len() > 1 {
                    let ty = tuple_of(&place.shared.results);
                    let all = self.function.values.push(ValueInfo { ty });
                    let op = Op::Field(all, place.shared.own[place.which].1);
                    let part = Stmt { value: stmt.value, op, span: stmt.span };
                    stmt.value = all;
                    stmts.extend([stmt, part]);
                    continue;
                }
            }
            if let Some(own) = last.filter(|_| done) {
                self.function.values[stmt.value].ty = tuple_of(own.of);
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
        if let Some(own) = own.filter(|_| !done) {
            self.wrap(block, own);
        }
    }

    /// Nothing in the place of other results.
    fn wrap(&mut self, block: &mut Block, own: Own<'_>) {
        let span = block.stmts.last().map_or(self.function.span, |stmt| stmt.span);
        let mut parts = Vec::new();
        for (n, ty) in own.of.iter().enumerate() {
            let other = n != own.result;
            let part = if other {
                nothing((self.function, self.unused), ty, span, &mut block.stmts)
            } else {
                block.result
            };
            parts.push(part);
        }
        block.result = self.function.values.push(ValueInfo { ty: tuple_of(own.of) });
        block.stmts.push(Stmt { value: block.result, op: Op::Tuple(parts), span });
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
        let taken = &place.shared.own[place.which].0;
        let mut all = vec![which];
        for (slot, ty) in place.shared.slots.iter().enumerate() {
            let own = taken.iter().position(|&taken| taken == slot);
            all.push(
                own.map_or_else(
                    || nothing((self.function, self.unused), ty, span, out),
                    |n| args[n],
                ),
            );
        }
        all
    }
}
