//! What a filter keeps because it equals something is that.
//!
//! ```text
//! v3, v4 = map [s2] \x0 x1 x2 { x3 = read v1 x1; x4 = read v2 x0; x5 = eq x3 x4; yield x5 x3 }
//! v5, v6 = filter [s2] \x0 x1 x2 { x3 = read v3 x1; yield x3 }
//! s3 = [s1 > offsets v6] from s2 at v5
//! map [s3] \x0 x1 x2 { x3 = read v5 x1; x4 = read v4 x3; yield x4 }
//!   becomes
//! map [s3] \x0 x1 x2 { x3 = read v2 x0; yield x3 }
//! ```
//!
//! It is done where the other side is the same in the whole segment.  Then the elements of
//! `{x in a | x == pivot}` need not be kept anywhere: their number is enough.  Floats stay, as
//! `-0.0 == 0.0`.

use crate::Code;
use crate::ir::{Block, Function, Op, Value};
use crate::passes::trace::Trace;
use prim::{ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Instead, Item, Stmt, Var};

/// Rewrites all code over kept lanes of a function.
pub fn equal_elements(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut kept = Kept::default();
    kept.in_block(&body);
    let equal = kept.equal;
    if !equal.is_empty() {
        rewrite(function, &equal, &mut body);
    }
    function.body = body;
}

/// What is the same in a whole segment.
#[derive(Clone, Copy)]
enum Same {
    /// An outer scalar or a constant.
    Atom(Atom<Value>),
    /// The element of a vector over the parent.
    OfRow(Value, Ty),
}

/// For the positions that a filter keeps, and a vector over its space, what that holds there.
type Equal = FxHashMap<(Value, Value), Same>;

/// What filters keep.
#[derive(Default)]
struct Kept<'f> {
    /// The maps that make vectors: results and code.
    made: FxHashMap<Value, (&'f [Value], &'f Code)>,
    equal: Equal,
}

impl<'f> Kept<'f> {
    fn in_block(&mut self, block: &'f Block) {
        for stmt in &block.stmts {
            match &stmt.op {
                Op::If(_, then, els) => {
                    self.in_block(then);
                    self.in_block(els);
                }
                Op::Map { code, .. } => {
                    let map = (&stmt.results[..], code);
                    self.made.extend(stmt.results.iter().map(|&result| (result, map)));
                }
                Op::Filter { code, .. } => self.filter(stmt.results[0], code),
                _ => {}
            }
        }
    }

    /// Notes what equal elements a filter keeps whose flags come from a map.
    fn filter(&mut self, positions: Value, code: &Code) {
        let Some(flags) = Trace::of(code).own_element(code.body.yields[0]) else { return };
        let Some(&(vectors, code)) = self.made.get(&flags) else { return };
        let trace = Trace::of(code);
        let mut equal = Vec::new();
        for (&vector, &cond) in vectors.iter().zip(&code.body.yields) {
            if vector == flags {
                equalities(&trace, cond, &mut equal);
            }
        }
        for (&vector, &element) in vectors.iter().zip(&code.body.yields) {
            let same = equal.iter().find_map(|&[a, b]| match element {
                _ if element == a => same(&trace, code, b),
                _ if element == b => same(&trace, code, a),
                _ => None,
            });
            self.equal.extend(same.map(|same| ((positions, vector), same)));
        }
    }
}

/// The pairs that are equal where a condition holds.
fn equalities(trace: &Trace<'_>, cond: Atom<Value>, found: &mut Vec<[Atom<Value>; 2]>) {
    match trace.op(cond) {
        Some(scalar::Op::Scalar(ScalarOp::And, args, _)) => {
            args.iter().for_each(|&arg| equalities(trace, arg, found));
        }
        Some(scalar::Op::Scalar(ScalarOp::Eq, args, _)) => found.push([args[0], args[1]]),
        _ => {}
    }
}

/// What is the same in the whole segment, if an atom is.
fn same(trace: &Trace<'_>, code: &Code, atom: Atom<Value>) -> Option<Same> {
    let ty = code.ty(atom).filter(|&ty| ty != Ty::F64)?;
    match atom {
        Atom::Const(_) | Atom::Outer(..) => Some(Same::Atom(atom)),
        Atom::Var(_) => trace.row_element(atom).map(|vector| Same::OfRow(vector, ty)),
    }
}

fn rewrite(function: &Function, equal: &Equal, block: &mut Block) {
    for stmt in &mut block.stmts {
        let space = stmt.op.space();
        if let Op::If(_, then, els) = &mut stmt.op {
            rewrite(function, equal, then);
            rewrite(function, equal, els);
        } else if let Some((_, positions)) = space.and_then(|space| function.spaces[space].from)
            && let Some(code) = stmt.op.code_mut()
            && let Some(known) = known(equal, positions, code)
        {
            *code = known;
        }
    }
}

/// Code over kept lanes that does not read what is known there; none if it never did.
fn known(equal: &Equal, positions: Value, code: &Code) -> Option<Code> {
    let trace = Trace::of(code);
    let mut found: FxHashMap<Var, Same> = FxHashMap::default();
    code.body.walk(&mut |item| {
        if let Item::Stmt(Stmt::Let(var, scalar::Op::Read(vector, at))) = item
            && trace.own_element(*at) == Some(positions)
            && let Some(&same) = equal.get(&(positions, *vector))
        {
            found.insert(*var, same);
        }
    });
    let instead = |var: Var| {
        Some(match *found.get(&var)? {
            Same::Atom(atom) => Instead::Atom(atom),
            Same::OfRow(vector, ty) => {
                let row = Atom::Var(code.params[trace.depth() - 2]);
                Instead::Code(element(vector, ty), vec![row])
            }
        })
    };
    (!found.is_empty()).then(|| code.replace_results(instead).simplify())
}

/// The element of a vector at a position that is given.
fn element(vector: Value, ty: Ty) -> Code {
    let mut builder = Builder::new();
    let at = builder.param(Ty::I64);
    let element = builder.read(ty, vector, Atom::Var(at));
    builder.finish(vec![element])
}
