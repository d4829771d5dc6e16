//! Kernels of typical programs, and what they mean: the same as the flat program, however it is
//! fused and cut into tiles.

mod agreement;
mod kernels;
mod launch;
mod memory;
mod numbers;
#[path = "../../fuse/src/tests/programs.rs"]
mod programs;
mod threads;

use crate::{Block, Target, arrange, last, overwrite, schedule, share};
use expect_test::Expect;
use flat::Data;
use fuse::Fusion;
use launch::{Kernels, Machine};
use prim::Const;

/// A program at three stations; plan and kernels obey the rules.
struct Stations {
    flat: flat::Program,
    plan: plan::Program,
    /// The tile form for CPUs.
    kernels: kernel::Program,
    /// What may overwrite less and writes in any order, and its tile form for GPUs.
    for_threads: (plan::Program, kernel::Program),
}

fn compile(text: &str, fusion: Fusion) -> Stations {
    let flat = flat::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    flat::verify(&flat).unwrap_or_else(|e| panic!("{}", flat::print_with_errors(&flat, &e)));
    let mut plan = fuse::fuse(&flat, fusion);
    let mut parted = plan.clone();
    last(&mut parted, &Target::GPU);
    plan::verify(&parted).unwrap_or_else(|e| panic!("{}", plan::print_with_errors(&parted, &e)));
    overwrite(&mut plan, &Target::CPU);
    share(&mut plan, &Target::CPU);
    crate::numbers(&mut plan, &Target::CPU);
    plan::verify(&plan).unwrap_or_else(|e| panic!("{}", plan::print_with_errors(&plan, &e)));
    let text = plan.to_string();
    assert_eq!(plan::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).to_string(), text);
    let kernels = verified(schedule(&plan, &Target::CPU));
    let tiles = verified(crate::in_tiles(&parted, &Target::GPU));
    verified(schedule(&plan, &Target::GPU));
    Stations { flat, plan, kernels, for_threads: (parted, tiles) }
}

/// Kernels that obey the rules and are read as they are printed.
fn verified(kernels: kernel::Program) -> kernel::Program {
    if let Err(errors) = kernel::verify(&kernels) {
        panic!("{}", kernel::print_with_errors(&kernels, &errors));
    }
    let text = kernels.to_string();
    assert_eq!(kernel::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).to_string(), text);
    kernels
}

/// The kernels of a fused flat program.
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&compile(text, Fusion::Greedy).kernels.to_string());
}

fn to_plan(data: &Data) -> plan::Data {
    match data {
        Data::Scalar(c) => plan::Data::Scalar(*c),
        Data::Vector(elements) => plan::Data::buffer(elements.iter().copied()),
    }
}

/// A vector may be shorter than the buffer that holds it.
fn same(found: &plan::Data, wanted: &Data) -> bool {
    match (found, wanted) {
        (plan::Data::Scalar(a), Data::Scalar(b)) => a == b,
        (plan::Data::Buffer(memory), Data::Vector(elements)) => {
            let memory = memory.borrow();
            let start = memory.get(..elements.len());
            start.is_some_and(|s| s.iter().zip(elements.iter()).all(|(a, b)| *a == Some(*b)))
        }
        _ => false,
    }
}

/// Runs `f0` flat, and as kernels: fused or not, with the tiles asked for and with tiny ones.
fn agree(text: &str, args: &[Data]) {
    for fusion in [Fusion::Off, Fusion::Greedy, Fusion::Optimal] {
        let Stations { flat, plan, kernels, for_threads } = compile(text, fusion);
        let wanted = flat::eval(&flat, base::Id::new(0), args.to_vec());
        agree_by_threads(&fuse::fuse(&flat, fusion), args, &wanted);
        agree_in_tiles(&plan, &kernels, args, &wanted);
        agree_in_tiles(&for_threads.0, &for_threads.1, args, &wanted);
        let by_definition = plan::eval(&for_threads.0, base::Id::new(0), to_plans(args));
        check_same(&by_definition, &wanted, &for_threads.0);
    }
}

/// Runs kernels with the tiles asked for and with tiny ones.
fn agree_in_tiles(plan: &plan::Program, kernels: &kernel::Program, args: &[Data], wanted: &Wanted) {
    let evaluator = kernel::Evaluator::new(kernels);
    for evaluator in [evaluator, evaluator.cut(2, 2), evaluator.cut(1, 3)] {
        agree_on(plan, kernels, evaluator, args, wanted);
    }
}

/// Blocks of so many threads with so many items each, and the grain of their tiles: one striped
/// array, or several, which small blocks make rounds of.
const BLOCKS: [(u32, u32, u32); 5] = [(32, 2, 64), (64, 1, 64), (32, 4, 128), (2, 2, 4), (2, 1, 7)];

/// Runs the thread form for several blocks, in orders that differ.
fn agree_by_threads(plan: &plan::Program, args: &[Data], wanted: &Wanted) {
    for (threads, items, grain) in BLOCKS {
        let mut plan = plan.clone();
        let block = Some(Block { threads, items });
        let (grain_nested, grain_cut, grain_heavy) = (threads, grain, threads);
        let target = Target { grain, grain_nested, grain_cut, grain_heavy, block };
        arrange(&mut plan, &target);
        plan::verify(&plan).unwrap_or_else(|e| panic!("{}", plan::print_with_errors(&plan, &e)));
        let kernels = verified(schedule(&plan, &target));
        let simulator = kernel::Simulator::new(&kernels);
        for seed in [1, 11] {
            for simulator in [simulator, simulator.cut(3, 2)] {
                agree_on(&plan, &kernels, simulator.seed(seed), args, wanted);
            }
        }
    }
}

/// What a program gives.
type Wanted = Result<Vec<Data>, flat::eval::Failure>;

/// Runs kernels.
fn agree_on(
    plan: &plan::Program,
    kernels: &kernel::Program,
    machine: impl Machine,
    args: &[Data],
    wanted: &Wanted,
) {
    let found = Kernels::new(machine).run(plan, base::Id::new(0), to_plans(args));
    check_same(&found, wanted, kernels);
}

fn to_plans(args: &[Data]) -> Vec<plan::Data> {
    args.iter().map(to_plan).collect()
}

/// Checks what a program gives; it is shown if it is wrong.
fn check_same(
    found: &Result<Vec<plan::Data>, plan::eval::Failure>,
    wanted: &Wanted,
    program: &impl std::fmt::Display,
) {
    match (found, wanted) {
        (Ok(found), Ok(wanted)) => {
            let same = found.iter().zip(wanted).all(|(f, w)| same(f, w));
            assert!(same, "{found:?}\nnot {wanted:?}\n{program}");
        }
        (Err(found), Err(wanted)) => {
            let (found, wanted) = (found.fault, wanted.fault);
            assert_eq!((found.site, found.span), (wanted.site, wanted.span), "{program}");
        }
        _ => panic!("{found:?}\nnot {wanted:?}\n{program}"),
    }
}

fn int(n: i64) -> Data {
    Data::Scalar(Const::I64(n))
}

fn ints(elements: &[i64]) -> Data {
    Data::ints(elements.iter().copied())
}

fn floats(elements: &[f64]) -> Data {
    Data::vector(elements.iter().map(|&x| Const::F64(x)))
}
