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
use prim::{Const, ScalarOp};
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
    let mut alike: BTreeMap<String, Vec<(ClusterId, Vec<Const>)>> = BTreeMap::new();
    for id in clusters {
        let (text, numbers) = apart(&program.clusters[id]);
        alike.entry(text).or_default().push((id, numbers));
    }
    let mut handed: FxHashMap<ClusterId, Vec<Arg>> = FxHashMap::default();
    for same in alike.values() {
        let Some(given) = given(same) else { continue };
        for (id, numbers) in same {
            replace(&mut program.clusters[*id], numbers, &given);
            let args = given.iter().map(|places| Arg::Const(numbers[places[0]]));
            handed.insert(*id, args.collect());
        }
    }
    for (_, function) in program.funcs.iter_mut() {
        hand_over(&mut function.body, &handed);
    }
}

/// The text of a cluster in which all numbers that may differ are alike, without places in the
/// source; and these numbers, in order.
fn apart(cluster: &Cluster) -> (String, Vec<Const>) {
    let (mut cluster, mut numbers) = (cluster.clone(), Vec::new());
    cluster.name.clear();
    cluster.spans.clear();
    for_each_number(&mut cluster, &mut |number| {
        numbers.push(number);
        Atom::Const(number.ty().zero())
    });
    cluster.nodes.iter_mut().for_each(|node| forget_spans(&mut node.code.body));
    (cluster.to_string(), numbers)
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

/// The places of each number that some of the clusters have another of, where what all of them have
/// alike in two places is one number; none if there is none, or if there are too many.
fn given(alike: &[(ClusterId, Vec<Const>)]) -> Option<Vec<Vec<usize>>> {
    let mut columns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut first: FxHashMap<Vec<Const>, usize> = FxHashMap::default();
    for place in 0..alike.first()?.1.len() {
        let column: Vec<Const> = alike.iter().map(|(_, numbers)| numbers[place]).collect();
        if column.iter().any(|&number| number != column[0]) {
            columns.entry(*first.entry(column).or_insert(place)).or_default().push(place);
        }
    }
    (1..=MOST).contains(&columns.len()).then(|| columns.into_values().collect())
}

/// Makes parameters of the numbers at these places, behind the others.
fn replace(cluster: &mut Cluster, numbers: &[Const], given: &[Vec<usize>]) {
    let mut names: FxHashMap<usize, Ref> = FxHashMap::default();
    for places in given {
        let ty = numbers[places[0]].ty();
        let name = cluster.refs.push(RefInfo { ty, kind: RefKind::Param });
        cluster.params.push(Param { name, kind: ParamKind::Scalar });
        names.extend(places.iter().map(|&place| (place, name)));
    }
    let mut place = 0;
    for_each_number(cluster, &mut |number| {
        let name = names.get(&place);
        place += 1;
        name.map_or(Atom::Const(number), |&name| Atom::Outer(name, number.ty()))
    });
}

/// Puts something in the place of each number of a cluster that may as well be a parameter.
fn for_each_number(cluster: &mut Cluster, visit: &mut impl FnMut(Const) -> Atom<Ref>) {
    for node in &mut cluster.nodes {
        in_block(&mut node.code.body, visit);
    }
}

fn in_block(block: &mut scalar::Block<Ref>, visit: &mut impl FnMut(Const) -> Atom<Ref>) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let(_, Op::Scalar(op, args, _)) if takes_any(*op) => {
                for atom in args {
                    if let Atom::Const(number @ (Const::I64(_) | Const::F64(_))) = *atom {
                        *atom = visit(number);
                    }
                }
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
