//! The library, read once, and programs on all engines against it.

use super::compare::{Comparison, compare};
use super::engines::{self, Lowering, Stations};
use super::panics::attempt;
use super::{Engine, Finding, Outcome, Verdict, device as on};
use base::{Diagnostic, Files, Kind, Site};
use device::{Cpu, CpuOptions, Cuda, CudaOptions, Device, Failure};
use fuse::Fusion;
use interp::Interp;
use prim::Widths;
use std::path::PathBuf;
use syntax::ast;
use types::Checker;
use types::tree::{Definition, Form, FormKind, Global, Program};
use value::{Shape, Value};

/// Forms are skipped when they cost more than this on the interpreter.
const MOST_WORK: u64 = 2_000_000;
/// After so many programs the checker starts anew, because it never forgets.
const RENEW: usize = 200;

/// What is compared.
#[derive(Clone, Debug)]
pub struct LabOptions {
    /// The engines beside the interpreter.
    pub engines: Vec<Engine>,
    /// How wide ints and floats are.
    pub widths: Widths,
    /// Whether programs are compiled quickly rather than to run fast.
    pub quick: bool,
    /// How much is fused in what is compiled.
    pub fusion: Fusion,
    /// Where compiled programs are kept.
    pub cache: PathBuf,
}

impl Default for LabOptions {
    fn default() -> Self {
        LabOptions {
            engines: Engine::ALL.into_iter().filter(|engine| engine.is_everywhere()).collect(),
            widths: Widths::WIDE,
            quick: true,
            fusion: Fusion::Optimal,
            cache: std::env::temp_dir().join("nesl-testkit"),
        }
    }
}

/// Runs programs on all engines.  Work with it on a big stack ([`value::on_big_stack`]).
pub struct Lab {
    files: Files,
    checker: Checker,
    programs: usize,
    options: LabOptions,
    cpu: Cpu,
    cuda: Option<Cuda>,
}

/// A program that the interpreter has run.
pub(super) struct Case {
    /// Forms with a value, up to the first one that failed.
    pub(super) forms: Vec<Form>,
    /// What became of each.
    pub(super) right: Vec<Outcome>,
    /// The forms that engines are compared on: the values of the others contain functions, which
    /// are compiled where they are used.
    pub(super) compared: Vec<usize>,
    /// The values of the names that they bound.
    pub(super) values: Vec<(Global, Value)>,
    /// For choices that must not matter, the same for the same text.
    pub(super) seed: u64,
}

impl Case {
    /// The value of a name, and what it looks like.
    pub(super) fn input(&self, program: &Program, global: Global) -> (&Value, Shape) {
        let found = self.values.iter().find(|value| value.0 == global);
        let Some((_, value)) = found else { unreachable!("an input without a value") };
        (value, Shape::of(&program.globals[global].scheme.ty, &[], &program.datas))
    }
}

impl Lab {
    /// A lab with the library in it.  An error says why there is no device for an engine.
    pub fn new(options: LabOptions) -> Result<Lab, Diagnostic> {
        let (files, checker) = library(options.widths);
        let device = CpuOptions {
            threads: Some(2),
            memory: Some(2 << 30),
            cache: Some(options.cache.clone()),
            quick: options.quick,
            tiny: true,
            ..CpuOptions::default()
        };
        let cpu = Cpu::new(&device);
        let (cache, quick) = (Some(options.cache.clone()), options.quick);
        let gpu = CudaOptions { cache, quick, tiny: true, ..CudaOptions::default() };
        let cuda = options.engines.contains(&Engine::Cuda).then(|| Cuda::new(&gpu)).transpose()?;
        Ok(Lab { files, checker, programs: 0, options, cpu, cuda })
    }

    /// Whether further programs can be run: a GPU that was led astray does nothing any more for the
    /// process that did it.
    pub fn is_sound(&self) -> bool {
        let led_astray = |cuda: &Cuda| matches!(cuda.wait(), Err(Failure::Broken(_)));
        !self.cuda.as_ref().is_some_and(led_astray)
    }

    /// Runs one program.
    pub fn check(&mut self, source: &str) -> Verdict {
        let mut verdicts = self.check_all(&[source.to_owned()]);
        verdicts.pop().unwrap_or_else(|| unreachable!("a verdict for each program"))
    }

    /// Runs programs; on devices they are compiled together.
    pub fn check_all(&mut self, sources: &[String]) -> Vec<Verdict> {
        if self.programs > RENEW {
            (self.files, self.checker) = library(self.options.widths);
            self.programs = 0;
        }
        self.programs += sources.len();
        let cases: Vec<Result<Case, Verdict>> = sources.iter().map(|s| self.case(s)).collect();
        let mut verdicts: Vec<Verdict> = cases
            .iter()
            .map(|case| match case {
                Ok(case) => self.evaluators(case),
                Err(verdict) => verdict.clone(),
            })
            .collect();
        if self.options.engines.contains(&Engine::Cpu) {
            // To find what failed, all that was compiled together is compiled once more.
            let (failing, whole): (Vec<_>, Vec<_>) =
                agreed(&verdicts).into_iter().partition(|&i| has_failed(&verdicts[i]));
            self.on_device(&self.cpu, Engine::Cpu, &cases, &whole, &mut verdicts);
            self.on_device(&self.cpu, Engine::Cpu, &cases, &failing, &mut verdicts);
        }
        if let Some(cuda) = &self.cuda {
            self.on_device(cuda, Engine::Cuda, &cases, &agreed(&verdicts), &mut verdicts);
        }
        verdicts
    }

    /// Checks a program and runs it on the interpreter.
    fn case(&mut self, source: &str) -> Result<Case, Verdict> {
        let file = self.files.add("program", source);
        let group = syntax::parse(file, source.as_bytes());
        let checkpoint = self.checker.checkpoint();
        let known = self.checker.program.globals.len();
        let forms = attempt(|| check_forms(&mut self.checker, &group));
        let moved = moved(&self.checker.program, known);
        self.checker.rollback(&checkpoint);
        // Only the names are to be forgotten: the program is yet to be run.
        for (old, new) in moved {
            self.checker.program.globals[old].moved = Some(new);
        }
        let forms = match forms {
            Ok(Ok(forms)) => forms,
            Ok(Err(error)) => return Err(Verdict::Rejected(error.short(&self.files))),
            Err(panic) => {
                (self.files, self.checker) = library(self.options.widths);
                return Err(broken(Engine::Interp, &panic));
            }
        };
        self.interpret(forms, seed(source))
    }

    fn interpret(&self, mut forms: Vec<Form>, seed: u64) -> Result<Case, Verdict> {
        let mut interp = Interp::new(Box::new(std::io::sink()));
        interp.most_work = MOST_WORK;
        let (mut right, mut values) = (Vec::new(), Vec::new());
        for form in &forms {
            let result = attempt(|| interp.evaluate(&self.checker.program, form));
            match result.map_err(|panic| broken(Engine::Interp, &panic))? {
                Ok(value) => right.push(Outcome::Value(value)),
                Err(error) => match error.kind {
                    Kind::Runtime(site) => {
                        right.push(Outcome::Error(site));
                        break;
                    }
                    _ => return Err(Verdict::Skipped(error.message)),
                },
            }
            let FormKind::Evaluate { binds, .. } = &form.kind else { continue };
            for &(_, global) in binds {
                values.extend(interp.value(global).map(|value| (global, value.clone())));
            }
        }
        forms.truncate(right.len());
        let plain = |i: &usize| match &forms[*i].kind {
            FormKind::Evaluate { exp, .. } => {
                !Shape::of(&exp.ty, &[], &self.checker.program.datas).has_function()
            }
            FormKind::Defined(_) | FormKind::Command(..) => false,
        };
        let compared = (0..forms.len()).filter(plain).collect();
        Ok(Case { forms, right, compared, values, seed })
    }

    /// Lowers a case and runs it on the evaluators.
    fn evaluators(&self, case: &Case) -> Verdict {
        let failed = matches!(case.right.last(), Some(Outcome::Error(_)));
        // Evaluators keep no account of memory: they would take all that there is, for hours.
        let starved = matches!(case.right.last(), Some(Outcome::Error(Site::Memory)));
        let mut other_site = false;
        let wanted = |engine: &Engine| {
            let evaluates = *engine != Engine::Interp && !engine.compiles();
            evaluates && !starved && self.options.engines.contains(engine)
        };
        if !self.options.engines.iter().any(|engine| *engine != Engine::Interp) {
            return Verdict::Agreed { failed, other_site };
        }
        let program = &self.checker.program;
        let stations = match attempt(|| engines::lowered(program, &[case])) {
            Ok(Lowering::Done(lowered)) => Stations::new(lowered),
            Ok(Lowering::Limit(text)) => return Verdict::Skipped(format!("limit: {text}")),
            Ok(Lowering::Wrong(text)) => return broken(Engine::Nest, &text),
            Err(panic) => return broken(Engine::Nest, &panic),
        };
        for engine in Engine::ALL.into_iter().filter(wanted) {
            let result = attempt(|| engines::run(engine, program, case, &stations));
            let outcomes = match result.and_then(|outcomes| outcomes) {
                Ok(outcomes) => outcomes,
                Err(text) => return broken(engine, &text),
            };
            match self.judge(case, engine, &outcomes) {
                Ok(other) => other_site |= other,
                Err(finding) => return Verdict::Disagreed(finding),
            }
        }
        Verdict::Agreed { failed, other_site }
    }

    /// Runs the wanted cases on a device; when they cannot be compiled together, in halves.
    fn on_device<D: Device<Text: compile::Text>>(
        &self,
        device: &D,
        engine: Engine,
        cases: &[Result<Case, Verdict>],
        wanted: &[usize],
        verdicts: &mut [Verdict],
    ) {
        let some: Vec<&Case> = wanted.iter().filter_map(|&i| cases[i].as_ref().ok()).collect();
        if some.is_empty() {
            return;
        }
        // Where a check fails on a GPU, the unit is compiled once more.
        let units = if engine == Engine::Cuda { some.len() } else { 1 };
        let fusion = self.options.fusion;
        let options = compile::Options { fusion, units, verify: true, ..Default::default() };
        let made =
            attempt(|| on::compiled(device, &self.checker.program, &self.files, &some, options));
        match made.and_then(|made| made) {
            Ok(compiled) => {
                for (n, (&i, case)) in wanted.iter().zip(some).enumerate() {
                    let run = || compiled.run(device, &self.checker.program, case, n);
                    verdicts[i] = match attempt(run) {
                        Ok(outcomes) => match self.judge(case, engine, &outcomes) {
                            Ok(other) => with_other_site(&verdicts[i], other),
                            Err(finding) => Verdict::Disagreed(finding),
                        },
                        Err(panic) => broken(engine, &panic),
                    };
                }
            }
            Err(text) if wanted.len() == 1 => verdicts[wanted[0]] = broken(engine, &text),
            Err(_) => {
                let (left, right) = wanted.split_at(wanted.len() / 2);
                self.on_device(device, engine, cases, left, verdicts);
                self.on_device(device, engine, cases, right, verdicts);
            }
        }
    }

    /// Compares the outcomes of an engine; tells whether an error was of another kind.
    fn judge(&self, case: &Case, engine: Engine, got: &[Outcome]) -> Result<bool, Finding> {
        let mut other_site = false;
        for (&number, got) in case.compared.iter().zip(got) {
            let (form, right) = (&case.forms[number], &case.right[number]);
            match compare(self.options.widths, right, got) {
                Comparison::Same => {}
                Comparison::OtherSite => other_site = true,
                Comparison::Different(kind) => {
                    let (right, got) = (self.shown(form, right), self.shown(form, got));
                    let text = format!("{}: interp: {right}\n{engine}: {got}", form.shown);
                    return Err(Finding { engine, kind, text });
                }
            }
        }
        Ok(other_site)
    }

    fn shown(&self, form: &Form, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Value(value) => {
                let FormKind::Evaluate { scheme, .. } = &form.kind else {
                    unreachable!("a form without a value")
                };
                let shape = Shape::of(&scheme.ty, &[], &self.checker.program.datas);
                let text = value
                    .show(&shape, value::print::Style::shown(100).of_widths(self.options.widths));
                String::from_utf8_lossy(&text).into_owned()
            }
            Outcome::Error(site) => format!("runtime({})", site.name()),
            Outcome::Broken(text) => text.clone(),
        }
    }
}

/// The definitions from this number on that others have replaced, declarations above all.
fn moved(program: &Program, known: usize) -> Vec<(Global, Global)> {
    let moved = |(old, definition): (Global, &Definition)| Some((old, definition.moved?));
    program.globals.iter().skip(known).filter_map(moved).collect()
}

/// The programs on which all engines agree so far.
fn agreed(verdicts: &[Verdict]) -> Vec<usize> {
    let agreed = |&i: &usize| matches!(verdicts[i], Verdict::Agreed { .. });
    (0..verdicts.len()).filter(agreed).collect()
}

fn has_failed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Agreed { failed: true, .. })
}

/// The hash FNV-1a of a text.
fn seed(source: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    source.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

fn with_other_site(verdict: &Verdict, other: bool) -> Verdict {
    match verdict {
        Verdict::Agreed { failed, other_site } => {
            Verdict::Agreed { failed: *failed, other_site: *other_site || other }
        }
        verdict => verdict.clone(),
    }
}

fn broken(engine: Engine, text: &str) -> Verdict {
    let outcome = Outcome::Broken(text.to_owned());
    let Comparison::Different(kind) = compare(Widths::WIDE, &outcome, &outcome) else {
        unreachable!("what broke is different")
    };
    Verdict::Disagreed(Finding { engine, kind, text: text.to_owned() })
}

/// The forms of a program that have a value, all checked.
fn check_forms(checker: &mut Checker, group: &ast::Group) -> Result<Vec<Form>, Diagnostic> {
    checker.begin_group(group);
    let (mut forms, mut errors) = (Vec::new(), Vec::new());
    for form in &group.forms {
        match checker.check(form) {
            Ok(checked) => forms.extend(checked),
            Err(found) => errors.extend(found),
        }
    }
    errors.extend(checker.end_group());
    forms.retain(|form| matches!(form.kind, FormKind::Evaluate { .. }));
    errors.into_iter().next().map_or(Ok(forms), Err)
}

fn library(widths: Widths) -> (Files, Checker) {
    let mut files = Files::new();
    let groups: Vec<ast::Group> = stdlib::FILES
        .iter()
        .map(|(name, text)| syntax::parse(files.add_library(*name, *text), text.as_bytes()))
        .collect();
    match Checker::of_widths(widths, &groups) {
        Ok(checker) => (files, checker),
        Err(errors) => {
            unreachable!("the library: {:?}", errors.first().map(|e| e.short(&files)))
        }
    }
}
