//! The evaluators of the stations.

use super::convert::{of_data, of_datum, to_data, to_datum};
use super::lab::Case;
use super::launch::Kernels;
use super::{Engine, Outcome};
use base::print::Error;
use flat::Data;
use fuse::Fusion;
use lower::{Entry, Forms, Lowered, LoweredEntry};
use nest::Datum;
use prim::Const;
use schedule::Target;
use std::cell::OnceCell;
use types::tree::{FormKind, Program};
use value::Shape;

/// What `lower` made of cases.
pub(super) enum Lowering {
    /// The program of all their forms, in order.
    Done(Lowered),
    /// The first limit.
    Limit(String),
    /// A program that is not well-formed, shown with its errors.
    Wrong(String),
}

/// The compared forms of all cases as one program.
pub(super) fn lowered<'a>(program: &Program, cases: &[&'a Case]) -> Lowering {
    let mut forms = Forms::default();
    for form in cases.iter().flat_map(|case| &case.forms) {
        if let FormKind::Evaluate { binds, .. } = &form.kind {
            forms.extend(binds.iter().map(|(_, global)| (*global, form)));
        }
    }
    let compared = |case: &&'a Case| {
        let Case { forms, compared, .. } = *case;
        compared.iter().map(|&number| Entry::Form(&forms[number]))
    };
    let entries: Vec<Entry<'_>> = cases.iter().flat_map(compared).collect();
    match lower::lower(program, &forms, &entries, lower::Floats::Exact) {
        Ok(lowered) => match nest::verify(&lowered.program) {
            Ok(()) => Lowering::Done(lowered),
            Err(errors) => Lowering::Wrong(nest::print_with_errors(&lowered.program, &errors)),
        },
        Err(limits) => {
            Lowering::Limit(limits.first().map(|d| d.message.clone()).unwrap_or_default())
        }
    }
}

/// The number from which the random numbers of a form follow: the seed is 0.
pub(super) fn random_key(program: &Program, form: usize) -> i64 {
    program.widths.mix(0, form as i64)
}

/// What passes make of a program, each once for all engines; an error says how one broke it.
pub(super) struct Stations {
    lowered: Lowered,
    passed: OnceCell<Result<flat::Program, String>>,
    fused: OnceCell<Result<plan::Program, String>>,
}

impl Stations {
    pub(super) fn new(lowered: Lowered) -> Stations {
        Stations { lowered, passed: OnceCell::new(), fused: OnceCell::new() }
    }

    fn passed(&self) -> Result<&flat::Program, String> {
        self.passed.get_or_init(|| passed(&self.lowered)).as_ref().map_err(String::clone)
    }

    fn fused(&self) -> Result<&plan::Program, String> {
        let fused = || checked(fuse::fuse(self.passed()?, Fusion::Optimal));
        self.fused.get_or_init(fused).as_ref().map_err(String::clone)
    }
}

/// Runs the forms of a case; an error says how a pass broke the program.
pub(super) fn run(
    engine: Engine,
    program: &Program,
    case: &Case,
    stations: &Stations,
) -> Result<Vec<Outcome>, String> {
    let lowered = &stations.lowered;
    match engine {
        Engine::Nest => Ok(each_form(case, lowered, |_, form, entry| {
            let mut args: Vec<Datum> = entry
                .inputs
                .iter()
                .map(|&global| {
                    let (value, shape) = case.input(program, global);
                    to_datum(value, &shape)
                })
                .collect();
            args.extend(entry.key.then(|| Datum::int(random_key(program, form))));
            match nest::eval(&lowered.program, entry.func, args) {
                Ok(datum) => Outcome::Value(of_datum(&datum, &shape_of(program, entry))),
                Err(fault) => Outcome::Error(fault.site),
            }
        })),
        Engine::Flat => {
            let flat = flatten::flatten(&lowered.program);
            verified(&flat)?;
            Ok(on_flat(&flat, program, case, lowered))
        }
        Engine::Passes => Ok(on_flat(stations.passed()?, program, case, lowered)),
        Engine::Plan => {
            let plan = stations.fused()?;
            Ok(on_plan(program, case, lowered, |number, args| {
                plan::eval(plan, plan.entries[number], args)
            }))
        }
        Engine::Kernel => {
            let (plan, kernels) = scheduled(stations.fused()?, &Target::CPU)?;
            let launcher = Kernels::new(kernel::Evaluator::new(&kernels).cut(GRAIN, UNITS));
            Ok(on_plan(program, case, lowered, |number, args| {
                launcher.run(&plan, plan.entries[number], args)
            }))
        }
        Engine::Threads => {
            let (target, grain) = BLOCKS[(case.seed / 12 % 4) as usize];
            let (plan, kernels) = scheduled(stations.fused()?, &target)?;
            let simulator = kernel::Simulator::new(&kernels).cut(grain, UNITS).seed(case.seed);
            let launcher = Kernels::new(simulator);
            Ok(on_plan(program, case, lowered, |number, args| {
                launcher.run(&plan, plan.entries[number], args)
            }))
        }
        Engine::Interp | Engine::Cpu | Engine::Cuda => {
            unreachable!("{engine} is no evaluator of a station")
        }
    }
}

/// Elements of a tile, so that small inputs have several.
const GRAIN: u32 = 3;
/// Owners of tiles.
const UNITS: usize = 2;
/// Targets with blocks of few threads, and the grain of tiles: one striped array, a part of one, or
/// several, which are done in rounds.
const BLOCKS: [(Target, u32); 4] =
    [(blocks(4, 2, 8), GRAIN), (blocks(2, 1, 5), 5), (blocks(3, 3, 9), 9), (blocks(32, 2, 64), 64)];

const fn blocks(threads: u32, items: u32, grain: u32) -> Target {
    let block = Some(schedule::Block { threads, items });
    Target { grain, grain_nested: threads, grain_cut: grain, grain_heavy: threads, block }
}

/// The kernels for a target, and the plan that launches them.
fn scheduled(
    fused: &plan::Program,
    target: &Target,
) -> Result<(plan::Program, kernel::Program), String> {
    let mut plan = fused.clone();
    schedule::arrange(&mut plan, target);
    let plan = checked(plan)?;
    let kernels = schedule::schedule(&plan, target);
    match kernel::verify(&kernels) {
        Ok(()) => Ok((plan, kernels)),
        Err(errors) => Err(wrong("kernel", &errors, &kernel::print_with_errors(&kernels, &errors))),
    }
}

fn passed(lowered: &Lowered) -> Result<flat::Program, String> {
    let mut hoisted = lowered.program.clone();
    nest::hoist::hoist_sequences(&mut hoisted);
    nest::verify(&hoisted)
        .map_err(|errors| wrong("nest", &errors, &nest::print_with_errors(&hoisted, &errors)))?;
    let mut flat = flatten::flatten(&hoisted);
    for (name, pass) in flat::passes::ALL {
        flat::passes::run(name, pass, &mut flat);
        verified(&flat)?;
    }
    Ok(flat)
}

fn verified(flat: &flat::Program) -> Result<(), String> {
    flat::verify(flat)
        .map_err(|errors| wrong("flat", &errors, &flat::print_with_errors(flat, &errors)))
}

fn checked(plan: plan::Program) -> Result<plan::Program, String> {
    match plan::verify(&plan) {
        Ok(()) => Ok(plan),
        Err(errors) => Err(wrong("plan", &errors, &plan::print_with_errors(&plan, &errors))),
    }
}

fn wrong(station: &str, errors: &[Error], shown: &str) -> String {
    let first = errors.first().map(ToString::to_string).unwrap_or_default();
    format!("the {station} program is wrong: {first}\n{shown}")
}

fn on_flat(
    flat: &flat::Program,
    program: &Program,
    case: &Case,
    lowered: &Lowered,
) -> Vec<Outcome> {
    each_form(case, lowered, |n, form, entry| {
        match flat::eval(flat, flat.entries[n], arguments(program, case, entry, form)) {
            Ok(results) => {
                let value = of_data(&mut results.into_iter(), &shape_of(program, entry));
                Outcome::Value(value)
            }
            Err(failure) => Outcome::Error(failure.fault.site),
        }
    })
}

/// The arguments of an entry of flat.
fn arguments(program: &Program, case: &Case, entry: &LoweredEntry, form: usize) -> Vec<Data> {
    let mut args = Vec::new();
    for &global in &entry.inputs {
        let (value, shape) = case.input(program, global);
        to_data(&to_datum(value, &shape), &shape, &mut args);
    }
    args.extend(entry.key.then(|| Data::Scalar(Const::I64(random_key(program, form)))));
    args
}

/// Calls entries of a plan; `call` gets the number of the entry.
fn on_plan(
    program: &Program,
    case: &Case,
    lowered: &Lowered,
    call: impl Fn(usize, Vec<plan::Data>) -> Result<Vec<plan::Data>, plan::Failure>,
) -> Vec<Outcome> {
    each_form(case, lowered, |n, form, entry| {
        let args = arguments(program, case, entry, form).into_iter().map(to_plan).collect();
        match call(n, args) {
            Ok(results) => {
                let results: Vec<Data> = results.into_iter().map(of_plan).collect();
                let value = of_data(&mut results.into_iter(), &shape_of(program, entry));
                Outcome::Value(value)
            }
            Err(failure) => Outcome::Error(failure.fault.site),
        }
    })
}

fn to_plan(data: Data) -> plan::Data {
    match data {
        Data::Scalar(c) => plan::Data::Scalar(c),
        Data::Vector(elements) => plan::Data::buffer(elements.iter().copied()),
    }
}

/// What stands where nobody has written, between parts that lie side by side: a value that is told
/// apart from results if it is taken for one.
fn nobody_s(like: Const) -> Const {
    match like {
        Const::I64(_) => Const::I64(-77_777_777),
        Const::F64(_) => Const::F64(-77_777_777.25),
        Const::Bool(_) => Const::Bool(true),
        Const::Char(_) => Const::Char(0x7f),
    }
}

/// A buffer may be longer than the vector that it holds: what is written counts.
fn of_plan(data: plan::Data) -> Data {
    match data {
        plan::Data::Scalar(c) => Data::Scalar(c),
        plan::Data::Buffer(memory) => {
            let memory = memory.borrow();
            let held = memory.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            let known = memory.iter().flatten().next().copied();
            let hole = known.map_or(Const::Bool(false), nobody_s);
            Data::vector(memory[..held].iter().map(|c| c.unwrap_or(hole)))
        }
    }
}

/// Runs the compared forms; `run` gets the number of the entry and that of the form.
fn each_form(
    case: &Case,
    lowered: &Lowered,
    mut run: impl FnMut(usize, usize, &LoweredEntry) -> Outcome,
) -> Vec<Outcome> {
    let entries = lowered.entries.iter().zip(&case.compared).enumerate();
    entries.map(|(n, (entry, &form))| run(n, form, entry)).collect()
}

/// What the result of an entry looks like.
pub(super) fn shape_of(program: &Program, entry: &LoweredEntry) -> Shape {
    Shape::of(&entry.result, &[], &program.datas)
}
