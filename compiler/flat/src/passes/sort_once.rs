//! Sorts of what is in order, and ranks of it, are known without sorting.
//!
//! ```text
//! v2 = sort [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
//! v3 = rank [s1] \x0 x1 { x2 = read v2 x0; yield x2 }    ==>  v3 = map [s1] \x0 x1 { yield x1 }
//! ```
//!
//! The laws, in each segment: `sort (sort v) = sort v`, and `rank (sort v)` is `0, 1, ...`, as
//! ranks keep the order of what is equal.  A rank has each index once, so that its order is that
//! of the indices: `sort (rank v)` is `0, 1, ...`, and `rank (rank v) = rank v`.  The indices
//! themselves are in order.

use crate::Code;
use crate::ir::{Block, Function, Op, SortKind, Space, Value};
use crate::passes::trace::Trace;
use prim::Ty;
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder};

/// Replaces sorts and ranks that need no sorting, in all blocks of a function.
pub fn sort_once(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(&mut body, &mut FxHashMap::default());
    function.body = body;
}

/// What is known of the elements of each segment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// They ascend.
    Sorted,
    /// Each index once.
    Ranks,
    /// The indices in order.
    Indices,
}

fn in_block(block: &mut Block, known: &mut FxHashMap<Value, (Space, Order)>) {
    for stmt in &mut block.stmts {
        match &mut stmt.op {
            Op::If(_, then, els) => {
                in_block(then, known);
                in_block(els, known);
            }
            Op::Sort { space, kind, code } => {
                let (space, kind) = (*space, *kind);
                let order = key(code).and_then(|k| Some((k, known.get(&k)?)));
                let instead = match order {
                    Some((key, (over, order))) if *over == space => made(code, key, *order, kind),
                    _ => None,
                };
                if let Some((code, order)) = instead {
                    stmt.op = Op::Map { space, code };
                    known.insert(stmt.results[0], (space, order));
                } else {
                    let order = match kind {
                        SortKind::Sort => Order::Sorted,
                        SortKind::Rank | SortKind::RankDown => Order::Ranks,
                    };
                    known.insert(stmt.results[0], (space, order));
                }
            }
            Op::Map { space, code } => {
                let trace = Trace::of(code);
                for (&result, &value) in stmt.results.iter().zip(&code.body.yields) {
                    if trace.is_index(value) {
                        known.insert(result, (*space, Order::Indices));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The vector that is sorted.
fn key(code: &Code) -> Option<Value> {
    Trace::of(code).own_element(code.body.yields[0])
}

/// What a sort of a key in some order gives without sorting.
fn made(code: &Code, key: Value, order: Order, kind: SortKind) -> Option<(Code, Order)> {
    let itself = || lanewise(code, |builder, own, _| builder.read(code.yield_tys()[0], key, own));
    let indices = || lanewise(code, |_, _, index| index);
    match (kind, order) {
        (SortKind::RankDown, _) => None,
        (SortKind::Sort, Order::Sorted | Order::Indices) => Some((itself(), order)),
        (SortKind::Sort, Order::Ranks) | (SortKind::Rank, Order::Sorted | Order::Indices) => {
            Some((indices(), Order::Indices))
        }
        (SortKind::Rank, Order::Ranks) => Some((itself(), Order::Ranks)),
    }
}

/// Code of the same space that yields what `f` makes of the position and index of its lane.
fn lanewise(
    code: &Code,
    f: impl FnOnce(&mut Builder<Value>, Atom<Value>, Atom<Value>) -> Atom<Value>,
) -> Code {
    let mut builder = Builder::new();
    let params: Vec<_> = code.params.iter().map(|_| Atom::Var(builder.param(Ty::I64))).collect();
    let depth = params.len() - 1;
    let value = f(&mut builder, params[depth - 1], params[depth]);
    builder.finish(vec![value])
}
