//! Calls in several arms become one.
//!
//! In lanes each arm of an `if` runs for the lanes that take it, and a call in it is a call for
//! those.  Where two arms of a function call it again, the calls of each depth would be twice those
//! of the last, until each has one lane.  So arms that call share the call:
//!
//! * where it ends them they choose what it is given ([`tails`]);
//! * where they go on with its result they are cut at it ([`cut`]), also where it is made for all
//!   elements of a sequence ([`rows`]);
//! * where they call several functions of one recursion these become one before ([`unite`]).

mod cut;
mod rows;
mod tails;
mod unite;

use crate::analysis::Analysis;
use crate::conserve::Conserving;
use crate::lent::lifted;
use base::{Id, IdMap, Span};
use nest::{Block, Func, Function, Op, Program, Stmt, Type, Value, ValueInfo};
use prim::Ty;
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, VecDeque};

/// For each function the values that stand in place of what nobody will use.
pub(crate) type Unused = IdMap<Func, FxHashSet<Value>>;

/// Makes one call of those in several arms of an `if`.  Gives what nobody uses.
pub(crate) fn join_calls(program: &mut Program) -> Unused {
    let mut unused: Unused = program.funcs.values().map(|_| FxHashSet::default()).collect();
    // What arms do after a call may call several functions again.
    loop {
        let united = unite::unite(program, &mut unused);
        let joined = join(program, &mut unused);
        if !united && !joined {
            break;
        }
    }
    debug_assert_eq!(nest::verify(program), Ok(()));
    unused
}

/// Which calls of a function lead back to it.
struct Recursions {
    analysis: Analysis,
    conserving: Conserving,
    /// The recursions that lanes call.
    in_lanes: BTreeSet<Func>,
}

impl Recursions {
    fn new(program: &Program) -> Recursions {
        let analysis = Analysis::new(program);
        let all = vec![true; program.funcs.len()];
        let conserving = Conserving::new(program, &analysis.recursive, &all);
        let lifted = lifted(program);
        let in_lanes = program.funcs.ids().filter(|func| lifted[func.index()]);
        let in_lanes = in_lanes.map(|func| analysis.recursion[func]).collect();
        Recursions { analysis, conserving, in_lanes }
    }

    fn in_lanes(&self, func: Func) -> bool {
        let recursive = self.analysis.recursive[func.index()];
        recursive && self.in_lanes.contains(&self.analysis.recursion[func])
    }

    /// Whether a call leads back to a function from which it is made.  Calls in scalar code, which
    /// is run lane by lane, stay, and at the root those whose results are made in their places.
    fn leads_back(&self, from: Func, callee: Func) -> bool {
        let recursion = self.analysis.recursion[from];
        self.analysis.recursion[callee] == recursion
            && !self.analysis.scalar[callee.index()]
            && (self.in_lanes.contains(&recursion) || self.conserving.parameter(callee).is_none())
    }
}

/// Joins the calls of each function; whether there were any.
fn join(program: &mut Program, unused: &mut Unused) -> bool {
    let recursions = Recursions::new(program);
    let signature = |f: &Function| {
        let ty = |value: Value| f.values[value].ty.clone();
        (f.params.iter().map(|&param| ty(param)).collect(), ty(f.body.result))
    };
    let signatures: Vec<(Vec<Type>, Type)> = program.funcs.values().map(signature).collect();
    let mut joined = false;
    for (func, function) in program.funcs.iter_mut() {
        if !recursions.analysis.recursive[func.index()] {
            continue;
        }
        let leads_back = |callee: Func| recursions.leads_back(func, callee);
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        let unused = &mut unused[func];
        let mut joining = Joining {
            function,
            signatures: &signatures,
            leads_back: &leads_back,
            may_cut: recursions.in_lanes(func),
            unused,
            joined: false,
        };
        joining.block(&mut body);
        joined |= joining.joined;
        function.body = body;
    }
    joined
}

struct Joining<'a> {
    function: &'a mut Function,
    /// The types of the parameters and the result of all functions.
    signatures: &'a [(Vec<Type>, Type)],
    leads_back: &'a dyn Fn(Func) -> bool,
    /// Whether arms are cut, which pays in lanes alone.
    may_cut: bool,
    unused: &'a mut FxHashSet<Value>,
    joined: bool,
}

impl Joining<'_> {
    /// Outer choices first: of the arms of all that are in each other one call is made.
    fn block(&mut self, block: &mut Block) {
        let mut todo = VecDeque::from(std::mem::take(&mut block.stmts));
        while let Some(mut stmt) = todo.pop_front() {
            let mut made = Vec::new();
            if let Some(call) = self.tails_of(&stmt) {
                self.join_tails(stmt, &call, &mut made);
            } else if let Some(first) = self.first_of(&stmt) {
                self.cut(stmt, &first, &mut made);
            } else {
                stmt.op.parts_mut().1.into_iter().for_each(|inner| self.block(inner));
                block.stmts.push(stmt);
                continue;
            }
            self.joined = true;
            made.into_iter().rev().for_each(|stmt| todo.push_front(stmt));
        }
    }

    /// A value that nobody will use.
    fn nothing(&mut self, ty: &Type, span: Span, out: &mut Vec<Stmt>) -> Value {
        nothing((self.function, self.unused), ty, span, out)
    }

    fn value(&mut self, ty: Type) -> Value {
        self.function.values.push(ValueInfo { ty })
    }

    fn ty(&self, value: Value) -> Type {
        self.function.values[value].ty.clone()
    }

    fn add(&mut self, op: Op, ty: Type, span: Span, out: &mut Vec<Stmt>) -> Value {
        let value = self.value(ty);
        out.push(Stmt { value, op, span });
        value
    }

    /// The parts of what an `if` gives that is one of these, or all of them in a tuple.
    fn parts(&mut self, given: Value, tys: &[Type], span: Span, out: &mut Vec<Stmt>) -> Vec<Value> {
        match tys {
            [_] => vec![given],
            all => {
                let field =
                    |(n, ty): (usize, &Type)| self.add(Op::Field(given, n), ty.clone(), span, out);
                all.iter().enumerate().map(field).collect()
            }
        }
    }

    /// One value, or a tuple of several.
    fn together(&mut self, parts: &[Value], span: Span, out: &mut Vec<Stmt>) -> Value {
        match parts {
            [one] => *one,
            all => {
                let ty = all.iter().map(|&part| self.ty(part)).collect();
                self.add(Op::Tuple(all.to_vec()), Type::Tuple(ty), span, out)
            }
        }
    }
}

/// Whether a call that leads back is somewhere in a statement.
fn calls_back(stmt: &Stmt, leads_back: &dyn Fn(Func) -> bool) -> bool {
    let inner = |block: &&Block| block.stmts.iter().any(|stmt| calls_back(stmt, leads_back));
    matches!(stmt.op, Op::Call(func, _) if leads_back(func)) || stmt.op.blocks().iter().any(inner)
}

/// A value that nobody will use.
fn nothing(
    (function, unused): (&mut Function, &mut FxHashSet<Value>),
    ty: &Type,
    span: Span,
    out: &mut Vec<Stmt>,
) -> Value {
    let first = out.len();
    let value = function.nothing(ty, span, out);
    unused.extend(out[first..].iter().map(|stmt| stmt.value));
    value
}

/// The type of all of these.
fn tuple_of(tys: &[Type]) -> Type {
    match tys {
        [one] => one.clone(),
        all => Type::Tuple(all.to_vec()),
    }
}

const BOOL: Type = Type::Scalar(Ty::Bool);
const INT: Type = Type::Scalar(Ty::I64);

/// Gives values other names, where they are made, too.
fn rename(block: &mut Block, renamed: &impl Fn(Value) -> Value) {
    block.stmts.iter_mut().for_each(|stmt| rename_stmt(stmt, renamed));
    block.result = renamed(block.result);
}

fn rename_stmt(stmt: &mut Stmt, renamed: &impl Fn(Value) -> Value) {
    stmt.value = renamed(stmt.value);
    if let Op::Each(each) = &mut stmt.op {
        each.generators.iter_mut().for_each(|(bound, _)| *bound = renamed(*bound));
    }
    let (operands, blocks) = stmt.op.parts_mut();
    operands.into_iter().for_each(|value| *value = renamed(*value));
    blocks.into_iter().for_each(|inner| rename(inner, renamed));
}
