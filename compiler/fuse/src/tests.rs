//! Plans of typical programs, and what they mean: the same as the flat program, fused or not.

mod agreement;
mod clusters;
mod drawings;
mod optimal;
mod programs;
mod random;
mod scatters;

use crate::{Cost, Fusion, explain, fuse};
use expect_test::Expect;
use flat::Data;
use prim::Const;
use std::rc::Rc;

/// Reads a flat program and gives it with its plan, which obeys the rules and reads back.
fn plan(text: &str, fusion: Fusion) -> (flat::Program, plan::Program) {
    let flat = flat::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    flat::verify(&flat).unwrap_or_else(|e| panic!("{}", flat::print_with_errors(&flat, &e)));
    let plan = fuse(&flat, fusion);
    plan::verify(&plan).unwrap_or_else(|e| panic!("{}", plan::print_with_errors(&plan, &e)));
    let text = plan.to_string();
    assert_eq!(plan::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}")), plan);
    (flat, plan)
}

/// The fused plan of a flat program.
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&plan(text, Fusion::Greedy).1.to_string());
}

fn to_plan(data: &Data) -> plan::Data {
    match data {
        Data::Scalar(c) => plan::Data::Scalar(*c),
        Data::Vector(elements) => plan::Data::buffer(elements.iter().copied()),
    }
}

/// A vector may be shorter than the buffer that holds it.
fn same(plan: &plan::Data, flat: &Data) -> bool {
    match (plan, flat) {
        (plan::Data::Scalar(a), Data::Scalar(b)) => a == b,
        (plan::Data::Buffer(memory), Data::Vector(elements)) => {
            let memory = memory.borrow();
            let start = memory.get(..elements.len());
            start.is_some_and(|s| s.iter().zip(elements.iter()).all(|(a, b)| *a == Some(*b)))
        }
        _ => false,
    }
}

const ALL: [Fusion; 3] = [Fusion::Off, Fusion::Greedy, Fusion::Optimal];

/// What the plans of a program cost by estimate, unfused and fused in both ways.
fn costs(program: &flat::Program) -> [Cost; 3] {
    ALL.map(|fusion| {
        let drawings = explain(program, fusion);
        drawings.iter().map(|drawing| drawing.cost).fold(Cost::default(), Cost::plus)
    })
}

/// Runs `f0` flat, unfused and fused: results or failures agree, and what costs least by estimate
/// does.  Gives the launches and the elements touched of the plans; the optimal one's only if it is
/// not the greedy one.
fn agree(text: &str, args: &[Data]) -> String {
    let mut counts = Vec::new();
    let mut plans = Vec::new();
    for fusion in ALL {
        let (flat, plan) = plan(text, fusion);
        let wanted = flat::eval(&flat, base::Id::new(0), args.to_vec());
        let evaluator = plan::Evaluator::new(&plan);
        let found = evaluator.call(base::Id::new(0), args.iter().map(to_plan).collect());
        match (&found, &wanted) {
            (Ok(found), Ok(wanted)) => {
                let same = found.iter().zip(wanted).all(|(f, w)| same(f, w));
                assert!(same, "{fusion:?}: {found:?}\nnot {wanted:?}\n{plan}");
            }
            (Err(found), Err(wanted)) => {
                let (found, wanted) = (found.fault, wanted.fault);
                assert_eq!((found.site, found.span), (wanted.site, wanted.span), "{plan}");
            }
            _ => panic!("{fusion:?}: {found:?}\nnot {wanted:?}\n{plan}"),
        }
        let made = evaluator.counts();
        if !plans.contains(&plan) {
            counts.push(format!("{} launches, {} touched", made.launches, made.touched()));
        }
        assert_eq!(fuse(&flat, fusion), plan, "the same program has two plans");
        plans.push(plan.clone());
        let [_, greedy, optimal] = costs(&flat);
        assert!(optimal.total() <= greedy.total(), "{optimal} is worse than {greedy}\n{plan}");
    }
    counts.join("; ")
}

fn int(n: i64) -> Data {
    Data::Scalar(Const::I64(n))
}

fn ints(elements: &[i64]) -> Data {
    Data::ints(elements.iter().copied())
}

fn floats(elements: &[f64]) -> Data {
    Data::Vector(Rc::new(elements.iter().map(|&x| Const::F64(x)).collect()))
}
