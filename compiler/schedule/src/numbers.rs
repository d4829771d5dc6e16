//! Pass **numbers**: clusters that differ in numbers alone are given these by their launches.
//!
//! ```text
//! launch c1(b1, b2)                         launch c1(b1, b2, 3)
//! launch c2(b2, b3)                         launch c2(b2, b3, 7)
//! c1: map \x0 x1 { ...; x3 = add x2 3 } ==> c1: map \x0 x1 { ...; x3 = add x2 r4 }
//! c2: map \x0 x1 { ...; x3 = add x2 7 }     c2: map \x0 x1 { ...; x3 = add x2 r4 }
//! ```
//!
//! Kernels with the same text are compiled once (`emit/src/shared/alike.rs`).  Compilers take some
//! 30 ms for each, so that programs which other programs have written, with hundreds of steps that
//! look alike, take as long as if all were different.  A number in the text is a little better for
//! what runs: programs of few kernels are left as they are, and so is what a compiler makes more of
//! than an operand, such as a divisor.

use crate::target::Target;
use plan::{
    Arg, Block, Cluster, ClusterId, Param, ParamKind, Program, Ref, RefInfo, RefKind, Step,
};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Op, Span, Stmt};
use std::collections::BTreeMap;

/// Programs with at most so many clusters are compiled in a few seconds as they are.
const FEW: usize = 48;

/// A cluster with more differing numbers than this keeps them: they would want registers.
const MOST: usize = 8;

/// Lets launches hand over the numbers in which clusters differ.
pub fn numbers(program: &mut Program, _target: &Target) {
    let inside_lanes = plan::routines::serial_clusters(program);
    let clusters = program.clusters.ids().filter(|id| !inside_lanes.contains(id));
    let clusters: Vec<ClusterId> = clusters.collect();
    if clusters.len() <= FEW {
        return;
    }
    let mut alike: BTreeMap<String, Vec<ClusterId>> = BTreeMap::new();
    for id in clusters {
        alike.entry(without_numbers(&program.clusters[id])).or_default().push(id);
    }
    let mut handed: FxHashMap<ClusterId, Vec<Arg>> = FxHashMap::default();
    for ids in alike.values().filter(|ids| ids.len() > 1) {
        let all: Vec<Vec<Const>> =
            ids.iter().map(|&id| numbers_of(&program.clusters[id])).collect();
        let Some(given) = given(&all) else { continue };
        for (&id, numbers) in ids.iter().zip(&all) {
            replace(&mut program.clusters[id], &given);
            let args = given.iter().map(|places| Arg::Const(numbers[places[0]]));
            handed.insert(id, args.collect());
        }
    }
    for (_, function) in program.funcs.iter_mut() {
        hand_over(&mut function.body, &handed);
    }
}

/// The text of a cluster in which all numbers that may differ are alike, without places in the
/// source.
fn without_numbers(cluster: &Cluster) -> String {
    let mut cluster = cluster.clone();
    cluster.name.clear();
    cluster.spans.clear();
    for_each_number(&mut cluster, &mut |number| {
        if let Atom::Const(c) = number {
            *number = Atom::Const(c.ty().zero());
        }
    });
    cluster.nodes.iter_mut().for_each(|node| forget_spans(&mut node.code.body));
    cluster.to_string()
}

fn forget_spans(block: &mut scalar::Block<Ref>) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let(_, Op::Scalar(_, _, span)) | Stmt::Require { span, .. } => {
                *span = Span::none();
            }
            Stmt::Let(_, Op::Read(..)) => {}
            Stmt::Call(call) => call.span = Span::none(),
            Stmt::If { then, els, .. } => {
                forget_spans(then);
                forget_spans(els);
            }
            Stmt::Loop { body, .. } => forget_spans(body),
        }
    }
}

/// The numbers of a cluster that may differ, in the order of the text.
fn numbers_of(cluster: &Cluster) -> Vec<Const> {
    let mut found = Vec::new();
    for_each_number(&mut cluster.clone(), &mut |number| {
        if let Atom::Const(c) = number {
            found.push(*c);
        }
    });
    found
}

/// The places of each number that some of the clusters have another of, where what all of them have
/// alike in two places is one number; none if there is none, or if there are too many.
fn given(all: &[Vec<Const>]) -> Option<Vec<Vec<usize>>> {
    let mut columns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut first: FxHashMap<Vec<Const>, usize> = FxHashMap::default();
    for place in 0..all.first()?.len() {
        let column: Vec<Const> = all.iter().map(|numbers| numbers[place]).collect();
        if column.iter().any(|&number| number != column[0]) {
            columns.entry(*first.entry(column).or_insert(place)).or_default().push(place);
        }
    }
    (1..=MOST).contains(&columns.len()).then(|| columns.into_values().collect())
}

/// Makes parameters of the numbers at these places, behind the others.
fn replace(cluster: &mut Cluster, given: &[Vec<usize>]) {
    let numbers = numbers_of(cluster);
    let names: Vec<(Ref, Ty)> = given
        .iter()
        .map(|places| {
            let ty = numbers[places[0]].ty();
            let name = cluster.refs.push(RefInfo { ty, kind: RefKind::Param });
            cluster.params.push(Param { name, kind: ParamKind::Scalar });
            (name, ty)
        })
        .collect();
    let mut place = 0..;
    for_each_number(cluster, &mut |number| {
        let place = place.next();
        let found = given.iter().position(|places| places.iter().any(|&n| Some(n) == place));
        if let Some(n) = found {
            let (name, ty) = names[n];
            *number = Atom::Outer(name, ty);
        }
    });
}

/// Meets the numbers of a cluster that may as well be parameters.
fn for_each_number(cluster: &mut Cluster, visit: &mut impl FnMut(&mut Atom<Ref>)) {
    for node in &mut cluster.nodes {
        in_block(&mut node.code.body, visit);
    }
}

fn in_block(block: &mut scalar::Block<Ref>, visit: &mut impl FnMut(&mut Atom<Ref>)) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let(_, Op::Scalar(op, args, _)) if takes_any(*op) => {
                let is_number = |atom: &Atom<Ref>| matches!(atom, Atom::Const(c) if matches!(c.ty(), Ty::I64 | Ty::F64));
                args.iter_mut().filter(|atom| is_number(atom)).for_each(&mut *visit);
            }
            Stmt::If { then, els, .. } => {
                in_block(then, visit);
                in_block(els, visit);
            }
            Stmt::Loop { body, .. } => in_block(body, visit),
            _ => {}
        }
    }
}

/// Whether an operation takes hardly less time with an operand that is known beforehand.
fn takes_any(op: ScalarOp) -> bool {
    use ScalarOp as O;
    matches!(
        op,
        O::Add
            | O::Sub
            | O::Mul
            | O::Max
            | O::Min
            | O::And
            | O::Or
            | O::Xor
            | O::Eq
            | O::Ne
            | O::Lt
            | O::Le
            | O::Gt
            | O::Ge
            | O::Fma
            | O::Select
            | O::Mix
    )
}

/// Adds the numbers to the launches.
fn hand_over(block: &mut Block, handed: &FxHashMap<ClusterId, Vec<Arg>>) {
    for step in &mut block.steps {
        match step {
            Step::Launch { cluster, args, .. } => {
                args.extend(handed.get(cluster).into_iter().flatten());
            }
            Step::If { then, els, .. } => {
                hand_over(then, handed);
                hand_over(els, handed);
            }
            _ => {}
        }
    }
}
