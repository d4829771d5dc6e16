//! Offsets that a function of lanes makes of what it is given are made by those who call it.
//!
//! ```text
//! fn f1 walk^(v0: i64, v1: vec i64 [s1]) lanes of f0 {
//!   s1 = [s0 > v0]
//!   v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
//!   ...
//!   v9 = map [s5] ...
//!   v10 = call f1(v8, v9)
//!   becomes
//! fn f1 walk^(v0: i64, v1: vec i64 [s1], v2: vec i64 offsets s1) lanes of f0 {
//!   s1 = [s0 > v0]
//!   ...
//!   v9 = map [s5] ...
//!   v11: vec i64 offsets s5 = offsets [s5] \x0 x1 x2 { x3 = read v9 x1; yield x3 }
//!   v10 = call f1(v8, v9, v11)
//! ```
//!
//! The lengths of lanes are made by the caller, and their offsets run with what makes them; in the
//! callee they are a launch of their own, for whose total the host waits before it does anything.
//!
//! Functions to which nothing comes back stay as they are: whoever runs some of their lanes must
//! have all that they are given (`plan::descent`).

use crate::Code;
use crate::ir::{
    Block, Domain, Func, Function, Op, Operand, Program, Space, SpaceKind, Stmt, Value, ValueInfo,
};
use base::Span;
use prim::{Role, Ty};
use rustc_hash::FxHashSet;
use scalar::{Atom, Builder};
use std::collections::BTreeMap;

/// Moves offsets of parameters to the callers of functions of lanes.
pub fn hand_over_offsets(program: &mut Program) {
    let possible = |id, one: &Asked| {
        let mut functions = program.funcs.values();
        functions.all(|f| all_calls(&f.body, id, &|args| one.given(f, args).is_some()))
    };
    let mut asked: BTreeMap<Func, Vec<Asked>> = BTreeMap::default();
    for id in program.funcs.ids() {
        let mut all = could_ask(program, id);
        all.retain(|one| possible(id, one));
        if !all.is_empty() {
            asked.insert(id, all);
        }
    }
    for (id, all) in &asked {
        let function = &mut program.funcs[*id];
        for one in all {
            function.body.stmts.retain(|stmt| stmt.results != [one.offsets]);
            function.params.push(one.offsets);
        }
    }
    if !asked.is_empty() {
        for (_, function) in program.funcs.iter_mut() {
            Caller::new(function, &asked).rewrite();
        }
    }
}

/// Offsets that a function asks its callers for.
struct Asked {
    /// The offsets.
    offsets: Value,
    /// The lengths, from the parameters at these places.
    code: Code,
    params: BTreeMap<Value, usize>,
    /// The source text that they come from.
    span: Span,
}

/// What a function could ask for.
fn could_ask(program: &Program, id: Func) -> Vec<Asked> {
    let function = &program.funcs[id];
    let comes_back = |root: Func| {
        let signature = program.funcs[root].signature.as_ref();
        signature.is_some_and(|s| s.results.iter().any(|part| part.role != Role::Into))
    };
    if program.entries.contains(&id) || !function.lanes_of.is_some_and(comes_back) {
        return Vec::new();
    }
    let lanes = |space: Space| {
        let info = &function.spaces[space];
        let count = Operand::Value(*function.params.first()?);
        (info.kind == SpaceKind::Regular(Function::root(), count)).then_some(space)
    };
    let offsets = |stmt: &Stmt| {
        let Op::Offsets { space, code } = &stmt.op else { return None };
        let space = lanes(*space)?;
        let refs = code.refs();
        let place = |v: &Value| {
            let own = function.values[*v].domain == Domain::Lanes(space);
            let place = function.params.iter().position(|param| param == v);
            place.filter(|_| own).map(|place| (*v, place))
        };
        let params: Option<BTreeMap<_, _>> = refs.vectors.iter().map(place).collect();
        let quiet = refs.outers.is_empty() && !refs.vectors.is_empty() && !code.has_effect();
        let offsets = *stmt.results.first()?;
        quiet.then_some(Asked { offsets, code: code.clone(), params: params?, span: stmt.span })
    };
    function.body.stmts.iter().filter_map(offsets).collect()
}

impl Asked {
    /// The vectors of a call that are read, if they are all over one space, and that space.
    fn given(&self, function: &Function, args: &[Operand]) -> Option<(Space, Vec<Value>)> {
        let mut space = None;
        let mut values = Vec::new();
        for &place in self.params.values() {
            let value = args[place].value()?;
            let Domain::Lanes(home) = function.values[value].domain else { return None };
            if *space.get_or_insert(home) != home {
                return None;
            }
            values.push(value);
        }
        Some((space?, values))
    }

    /// The code of the offsets over a caller's space.
    fn code_for(&self, function: &Function, space: Space, args: &[Operand]) -> Code {
        let mut builder: Builder<Value> = Builder::new();
        let depth = function.chain(space).len();
        let params: Vec<Atom<Value>> =
            (0..=depth).map(|_| Atom::Var(builder.param(Ty::I64))).collect();
        // A lane of a child of the root is as far from its segment's start as from the first.
        let number = params[depth - 1];
        let code = self.code.map_refs(|v| args[self.params[&v]].value().unwrap_or(v));
        let lengths = builder.inline(&code, &[number, number]);
        builder.finish(lengths).simplify()
    }
}

/// Whether all calls of a function in a block are as is asked.
fn all_calls(block: &Block, callee: Func, fits: &dyn Fn(&[Operand]) -> bool) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.op {
        Op::Call(func, args) if *func == callee => fits(args),
        Op::If(_, then, els) => all_calls(then, callee, fits) && all_calls(els, callee, fits),
        _ => true,
    })
}

/// A function whose calls are given offsets.
struct Caller<'a> {
    function: &'a mut Function,
    asked: &'a BTreeMap<Func, Vec<Asked>>,
    /// What maps make: there, offsets can run with them.
    mapped: FxHashSet<Value>,
}

/// Offsets that are to stand behind what they are made from.
struct Waiting {
    needs: Vec<Value>,
    stmt: Stmt,
}

impl<'a> Caller<'a> {
    fn new(function: &'a mut Function, asked: &'a BTreeMap<Func, Vec<Asked>>) -> Caller<'a> {
        fn maps(block: &Block, found: &mut FxHashSet<Value>) {
            for stmt in &block.stmts {
                match &stmt.op {
                    Op::Map { .. } => found.extend(&stmt.results),
                    Op::If(_, then, els) => [then, els].into_iter().for_each(|b| maps(b, found)),
                    _ => {}
                }
            }
        }
        let mut mapped = FxHashSet::default();
        maps(&function.body, &mut mapped);
        Caller { function, asked, mapped }
    }

    fn rewrite(mut self) {
        let body = std::mem::take(&mut self.function.body);
        let (body, waiting) = self.block(body);
        debug_assert!(waiting.is_empty(), "what maps make is made in the body");
        self.function.body = body;
    }

    /// A block with offsets for its calls; gives those that are to stand in a block around it.
    fn block(&mut self, block: Block) -> (Block, Vec<Waiting>) {
        let Block { stmts, yields } = block;
        let mut made: Vec<Stmt> = Vec::new();
        let mut around = Vec::new();
        for mut stmt in stmts {
            let mut waiting = Vec::new();
            match &mut stmt.op {
                Op::If(_, then, els) => {
                    for arm in [then, els] {
                        let (with, left) = self.block(std::mem::take(arm));
                        *arm = with;
                        waiting.extend(left);
                    }
                }
                Op::Call(func, args) if self.asked.contains_key(func) => {
                    waiting = self.offsets(*func, args);
                }
                _ => {}
            }
            for Waiting { needs, stmt } in waiting {
                let makes = |s: &Stmt| s.results.iter().any(|v| needs.contains(v));
                if !needs.iter().all(|v| self.mapped.contains(v)) {
                    made.push(stmt);
                } else if let Some(last) = made.iter().rposition(makes) {
                    made.insert(last + 1, stmt);
                } else {
                    around.push(Waiting { needs, stmt });
                }
            }
            made.push(stmt);
        }
        (Block { stmts: made, yields }, around)
    }

    /// The offsets that a call is given from now on.
    fn offsets(&mut self, func: Func, args: &mut Vec<Operand>) -> Vec<Waiting> {
        let before = args.clone();
        let one = |asked: &Asked| {
            let given = asked.given(self.function, &before);
            let (space, needs) = given.unwrap_or_else(|| unreachable!("calls of {func} fit"));
            let code = asked.code_for(self.function, space, &before);
            let info = ValueInfo { ty: Ty::I64, domain: Domain::Offsets(space) };
            let result = self.function.values.push(info);
            args.push(Operand::Value(result));
            let op = Op::Offsets { space, code };
            Waiting { needs, stmt: Stmt { results: vec![result], op, span: asked.span } }
        };
        self.asked[&func].iter().map(one).collect()
    }
}
