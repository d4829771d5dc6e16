//! Conformance cases and whole programs at the stations below flat: the evaluators of plans and of
//! kernels give what the evaluator of flat gives, fused or not, whatever the tiles; and so does the
//! simulator of blocks of threads, whatever the blocks.
//!
//! A test is named `topic/number` or `programs/name`.  Forms that use values of other forms, or
//! that cannot be compiled, are left out.

#[path = "../../../../compiler/schedule/src/tests/launch.rs"]
mod launch;
mod source;

use flat::Data;
use fuse::Fusion;
use launch::Kernels;
use libtest_mimic::{Arguments, Failed, Trial};
use schedule::Target;
use source::entries;
use std::fs;
use testkit::{case, corpus};

fn main() -> std::io::Result<()> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for case in case::read(&corpus("conformance"))? {
        let name = format!("{}/{:03}", case.topic, case.number);
        trials.push(Trial::test(name, move || check(case.text())));
    }
    let mut programs: Vec<_> = fs::read_dir(corpus("programs"))?.collect::<Result<_, _>>()?;
    programs.sort_by_key(fs::DirEntry::path);
    for program in programs {
        let name = program.file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".nesl") {
            let text = fs::read_to_string(program.path())?;
            trials.push(Trial::test(format!("programs/{name}"), move || check(text)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit()
}

/// Runs each form of a text that needs no others.
fn check(text: String) -> Result<(), Failed> {
    value::on_big_stack(move || {
        for (nest, args) in entries(&text) {
            let mut flat = flatten::flatten(&nest);
            passes(&mut flat);
            let args: Vec<Data> = args.into_iter().map(Data::Scalar).collect();
            for fusion in [Fusion::Off, Fusion::Greedy, Fusion::Optimal] {
                agree(&flat, fusion, &args)?;
            }
        }
        Ok(())
    })
}

fn passes(flat: &mut flat::Program) {
    for (name, pass) in flat::passes::ALL {
        flat::passes::run(name, pass, flat);
    }
}

/// Runs a program as plan and as kernels.
fn agree(flat: &flat::Program, fusion: Fusion, args: &[Data]) -> Result<(), Failed> {
    let mut plan = fuse::fuse(flat, fusion);
    schedule::overwrite(&mut plan, &Target::CPU);
    schedule::share(&mut plan, &Target::CPU);
    plan::verify(&plan).map_err(|errors| plan::print_with_errors(&plan, &errors))?;
    let text = plan.to_string();
    if plan::read(&text).map_err(|error| error.to_string())?.to_string() != text {
        return Err(format!("is read as something else:\n{text}").into());
    }
    let kernels = schedule::schedule(&plan, &Target::CPU);
    kernel::verify(&kernels).map_err(|errors| kernel::print_with_errors(&kernels, &errors))?;
    let entry = flat.entries[0];
    let wanted = flat::eval(flat, entry, args.to_vec());
    let entry = base::Id::new(base::Id::index(entry));
    let found = plan::eval(&plan, entry, arguments(args));
    same(&found, &wanted).map_err(|message| format!("{fusion:?}: {message}\n{plan}"))?;
    if fusion == Fusion::Optimal {
        by_threads(flat, args, &wanted)?;
    }
    let evaluator = kernel::Evaluator::new(&kernels);
    for evaluator in [evaluator, evaluator.cut(3, 2), evaluator.cut(1, 3)] {
        let found = Kernels::new(evaluator).run(&plan, entry, arguments(args));
        let differ = |message| format!("{fusion:?}: {message}\n{flat}{plan}{kernels}");
        same(&found, &wanted).map_err(differ)?;
    }
    Ok(())
}

/// Blocks of so many threads with so many items each, and the grain of their tiles: parts of one
/// striped array, or several, which are done in rounds.
const BLOCKS: [(u32, u32, u32); 3] = [(4, 2, 3), (2, 1, 5), (32, 2, 64)];

/// Runs a program by blocks of threads, in some order.
fn by_threads(
    flat: &flat::Program,
    args: &[Data],
    wanted: &Result<Vec<Data>, flat::Failure>,
) -> Result<(), Failed> {
    for (seed, (threads, items, grain)) in (1..).zip(BLOCKS) {
        let block = Some(schedule::Block { threads, items });
        let most = grain.max(threads * items);
        let target = Target {
            grain: most,
            grain_nested: threads,
            grain_cut: most,
            grain_heavy: threads,
            block,
        };
        let mut plan = fuse::fuse(flat, Fusion::Optimal);
        // Parts that are made side by side begin elsewhere than those that are copied.
        let passes = schedule::PASSES.iter().filter(|(name, _)| *name != "beside");
        passes.for_each(|(_, pass)| pass(&mut plan, &target));
        plan::verify(&plan).map_err(|errors| plan::print_with_errors(&plan, &errors))?;
        let kernels = schedule::schedule(&plan, &target);
        kernel::verify(&kernels).map_err(|errors| kernel::print_with_errors(&kernels, &errors))?;
        let simulator = kernel::Simulator::new(&kernels).cut(grain, 2).seed(seed);
        let entry = base::Id::new(base::Id::index(flat.entries[0]));
        let found = Kernels::new(simulator).run(&plan, entry, arguments(args));
        let differ = |message| format!("{threads} threads: {message}\n{flat}{plan}{kernels}");
        same(&found, wanted).map_err(differ)?;
    }
    Ok(())
}

fn arguments(args: &[Data]) -> Vec<plan::Data> {
    args.iter().map(|arg| plan::Data::Scalar(arg.scalar())).collect()
}

/// Whether results or failures agree; a buffer may be longer than the vector that it holds.
fn same(
    found: &Result<Vec<plan::Data>, plan::Failure>,
    wanted: &Result<Vec<Data>, flat::Failure>,
) -> Result<(), String> {
    let equal = match (found, wanted) {
        (Ok(found), Ok(wanted)) => found.iter().zip(wanted).all(|pair| match pair {
            (plan::Data::Scalar(a), Data::Scalar(b)) => a == b,
            (plan::Data::Buffer(memory), Data::Vector(elements)) => {
                let memory = memory.borrow();
                let start = memory.get(..elements.len());
                start.is_some_and(|s| s.iter().zip(elements.iter()).all(|(a, b)| *a == Some(*b)))
            }
            _ => false,
        }),
        (Err(found), Err(wanted)) => {
            found.fault.site == wanted.fault.site && found.message == wanted.message
        }
        _ => false,
    };
    if equal { Ok(()) } else { Err(format!("{found:?}\nnot {wanted:?}")) }
}
