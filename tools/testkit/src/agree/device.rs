//! Compiled code on a device: many programs in one text.
//!
//! Generated programs are small; so that tiles meet, every second kernel is cut into tiny ones.

use super::Outcome;
use super::engines::{Lowering, lowered, random_key, shape_of};
use super::lab::Case;
use base::Files;
use base::timing::Timings;
use compile::{Dump, Options, Print, Text};
use device::Device;
use kernel::{Body, Tiles};
use lower::Lowered;
use prim::Const;
use run::{LanePolicy, Machine, Passed, RunError, border};
use types::tree::Program;
use value::Columns;

/// Programs that are ready to run.
pub(super) struct Compiled<D: Device> {
    lowered: Lowered,
    plan: plan::Program,
    facts: run::Facts,
    module: D::Module,
    /// For each case the number of its first entry.
    starts: Vec<usize>,
}

/// Compiles the cases together, fused and in units as the options say; an error says what went
/// wrong.
pub(super) fn compiled<D: Device<Text: Text>>(
    device: &D,
    program: &Program,
    files: &Files,
    cases: &[&Case],
    options: Options,
) -> Result<Compiled<D>, String> {
    let lowered = match lowered(program, cases) {
        Lowering::Done(lowered) => lowered,
        Lowering::Limit(text) | Lowering::Wrong(text) => return Err(text),
    };
    let mut dump = Dump::default();
    let mut compiled = compile::compile::<D::Text>(
        &lowered.program,
        options,
        Some(files),
        &mut Timings::off(),
        &mut dump,
    );
    if let Err(errors) = kernel::verify(&compiled.kernels) {
        let shown = kernel::print_with_errors(&compiled.kernels, &errors);
        return Err(format!("the kernels are wrong: {:?}\n{shown}", errors.first()));
    }
    cut(&mut compiled.kernels);
    let print = Print { units: options.units, files: Some(files), count: false };
    let text = D::Text::print(&compiled.kernels, &compiled.plan, &print);
    let loaded = device.load(&text);
    let module = loaded.map_err(|e| format!("{}\n{}", e.message, e.notes.join("\n")))?.module;
    let mut starts = Vec::new();
    let mut next = 0;
    for case in cases {
        starts.push(next);
        next += case.compared.len();
    }
    let facts = run::Facts::of(&compiled.plan);
    Ok(Compiled { lowered, plan: compiled.plan, facts, module, starts })
}

/// Elements of a tiny tile.
const GRAIN: u32 = 5;

/// Makes the tiles of every second kernel tiny.
fn cut(kernels: &mut kernel::Program) {
    for (_, kernel) in kernels.kernels.iter_mut().step_by(2) {
        if let Body::Tiles { tiles, .. } = &mut kernel.body {
            match tiles {
                Tiles::Even { grain, .. }
                | Tiles::Balanced { grain, .. }
                | Tiles::Cut { grain, .. } => {
                    *grain = GRAIN.min(*grain);
                }
                Tiles::Once | Tiles::Whole { .. } | Tiles::Owners { .. } => {}
            }
        }
    }
}

impl<D: Device> Compiled<D> {
    /// Runs the forms of a case.
    pub(super) fn run(&self, device: &D, program: &Program, case: &Case, n: usize) -> Vec<Outcome> {
        let forms = case.compared.iter().enumerate();
        forms
            .map(|(i, &form)| self.run_form(device, program, case, (form, self.starts[n] + i)))
            .collect()
    }

    fn run_form(
        &self,
        device: &D,
        program: &Program,
        case: &Case,
        (form, number): (usize, usize),
    ) -> Outcome {
        let run = |policy| {
            let call = |lends| {
                let args = self.given(device, program, case, (form, number))?;
                let mut machine = Machine::new(device, &self.module, &self.plan, &self.facts);
                machine.policy = policy;
                machine.lends = lends;
                Ok(machine.call(self.plan.entries[number], args, case.forms[form].span))
            };
            let done = match call(true) {
                Ok(Err(RunError::Spent)) => call(false),
                done => done,
            };
            match done {
                Ok(done) => self.outcome(device, program, number, done),
                Err(text) => Outcome::Broken(text),
            }
        };
        let all = run(LanePolicy::Never);
        if !device.has_routines() {
            return all;
        }
        let one = run(LanePolicy::Always);
        let agree = match (&all, &one) {
            (Outcome::Value(a), Outcome::Value(b)) => {
                super::compare::same(super::compare::tolerance(program.widths), a, b)
            }
            (Outcome::Error(_), Outcome::Error(_)) => true,
            _ => false,
        };
        if agree {
            return all;
        }
        Outcome::Broken(format!("all lanes at once give {all:?}, lane by lane they give {one:?}"))
    }

    /// What a form is given, which nobody else refers to.
    fn given(
        &self,
        device: &D,
        program: &Program,
        case: &Case,
        (form, number): (usize, usize),
    ) -> Result<Vec<Passed<D::Buffer>>, String> {
        let entry = &self.lowered.entries[number];
        let mut args = Vec::new();
        for &global in &entry.inputs {
            let (value, shape) = case.input(program, global);
            let columns = Columns::of(&shape, program.widths, [value]);
            let columns = columns.map_err(|error| format!("{error:?}"))?;
            border::arguments(device, &columns, &mut args).map_err(|error| error.to_string())?;
        }
        if entry.key {
            args.push(Passed::Scalar(Const::I64(random_key(program, form))));
        }
        Ok(args)
    }

    fn outcome(
        &self,
        device: &D,
        program: &Program,
        number: usize,
        done: Result<Vec<Passed<D::Buffer>>, RunError>,
    ) -> Outcome {
        match done {
            Ok(results) => self.value(device, program, number, results),
            Err(RunError::Broken(error)) => {
                Outcome::Broken(format!("{}\n{}", error.message, error.notes.join("\n")))
            }
            Err(error) => match error.site() {
                Some(site) => Outcome::Error(site),
                None => Outcome::Broken(format!("{error:?}")),
            },
        }
    }

    fn value(
        &self,
        device: &D,
        program: &Program,
        number: usize,
        results: Vec<Passed<D::Buffer>>,
    ) -> Outcome {
        let entry = &self.lowered.entries[number];
        let function = &self.lowered.program.funcs[entry.func];
        let Some(ty) = function.result_type() else {
            return Outcome::Broken("an entry without a result".to_owned());
        };
        match border::result(device, program.widths, ty, &mut results.into_iter()) {
            Ok(columns) => Outcome::Value(columns.value(&shape_of(program, entry), 0)),
            Err(error) => Outcome::Broken(error.to_string()),
        }
    }
}
