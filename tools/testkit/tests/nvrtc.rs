//! Every kernel of every program of the corpora compiles for a GPU, in the normal build and in that
//! for diagnosis, without a warning.
//!
//! The build for diagnosis has the same kernels, with more statements.  It is compiled to the text
//! that the driver makes into code: making that takes three quarters of the time.
//!
//! This takes NVRTC, and no GPU.  Where NVRTC is not found the tests are left out, unless
//! `NESL_NVRTC` is set: then they fail.  With `NESL_NVRTC_EVERY=N` one program of N is compiled,
//! which is enough to try another version of NVRTC.

#![allow(clippy::print_stdout, reason = "a test prints its table")]

use comfy_table::{Table, presets};
use device::cuda::{Aim, Mode, compile_for};
use emit::cuda::sort::Unit;
use libtest_mimic::{Arguments, Failed, Trial};
use prim::{Width, Widths};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{env, fs, io};
use testkit::paper::Printer;
use testkit::{case, corpus, example, program};

/// What is compiled for.
const ARCH: &str = "sm_90";
/// The same without the last step.
const VIRTUAL: &str = "compute_90";
/// What each kernel begins with.
const KERNEL: &str = "extern \"C\" __global__ ";

/// A program: its name and its units.
type Printed = (String, Vec<String>);
/// Gives the programs of a corpus.
type Corpus = fn() -> Result<Vec<Printed>, Failed>;

const CORPORA: [(&str, Corpus); 6] = [
    ("conformance", conformance),
    ("programs", programs),
    ("examples", examples),
    ("agreement", agreement),
    ("narrow", narrow),
    ("sorts", sorts),
];

/// What was found so far.
#[derive(Default)]
struct State {
    units: HashSet<String>,
    kernels: HashSet<String>,
    /// Name of a corpus, then counts and seconds.
    rows: Vec<[String; 6]>,
}

fn main() {
    let mut arguments = Arguments::from_args();
    // A corpus has all cores.
    arguments.test_threads = Some(1);
    let missing = compile_for(ARCH, &[], Mode::Normal, Aim::Check).err();
    let left_out = missing.is_some() && env::var_os("NESL_NVRTC").is_none();
    let state = Arc::new(Mutex::new(State::default()));
    let trial = |(name, programs): (&'static str, Corpus)| {
        let state = Arc::clone(&state);
        let test = move || check(name, programs, &mut lock(&state));
        Trial::test(name, test).with_ignored_flag(left_out)
    };
    let conclusion = libtest_mimic::run(&arguments, CORPORA.map(trial).into());
    let rows = &lock(&state).rows;
    if !rows.is_empty() {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header(["corpus", "programs", "units", "kernels", "s printed", "s compiled"]);
        table.add_rows(rows);
        println!("{table}\n");
    }
    if let (Some(missing), false) = (missing, arguments.list) {
        let what = if left_out { "LEFT OUT" } else { "impossible" };
        println!("compiling kernels for GPUs was {what}: {}", missing.message);
        missing.notes.iter().chain(&missing.help).for_each(|line| println!("  {line}"));
    }
    conclusion.exit();
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compiles what is new in a corpus.
fn check(name: &str, programs: Corpus, state: &mut State) -> Result<(), Failed> {
    let start = Instant::now();
    let programs = programs()?;
    let printed = start.elapsed();
    let before = state.kernels.len();
    let mut units: Vec<(&str, &String)> = Vec::new();
    for (program, texts) in &programs {
        for text in texts.iter().filter(|text| text.contains(KERNEL)) {
            if state.units.insert(text.clone()) {
                state.kernels.extend(text.split(KERNEL).skip(1).map(str::to_owned));
                units.push((program, text));
            }
        }
    }
    let mut failures = compile(&units, ARCH, Mode::Normal, "")?;
    let differs = |unit: &(&str, &String)| unit.1.contains("NESL_DIAGNOSE");
    let differing: Vec<_> = units.iter().copied().filter(differs).collect();
    failures += &compile(&differing, VIRTUAL, Mode::Diagnosis, ", built for diagnosis")?;
    let kernels = state.kernels.len() - before;
    let [programs, units, kernels] =
        [programs.len(), units.len(), kernels].map(|count| count.to_string());
    let [printed, compiled] =
        [printed, start.elapsed() - printed].map(|time| format!("{:.1}", time.as_secs_f64()));
    state.rows.push([name.to_owned(), programs, units, kernels, printed, compiled]);
    if failures.is_empty() { Ok(()) } else { Err(failures.into()) }
}

/// Compiles units with the names of their programs; gives what NVRTC has against them.
fn compile(
    units: &[(&str, &String)],
    arch: &str,
    mode: Mode,
    build: &str,
) -> Result<String, Failed> {
    let texts: Vec<String> = units.iter().map(|(_, text)| (*text).clone()).collect();
    let made = compile_for(arch, &texts, mode, Aim::Check).map_err(|error| error.message)?;
    let mut failures = String::new();
    for ((program, _), made) in units.iter().zip(made) {
        if let Err(error) = made {
            failures += &format!("{program}{build}: {}\n", error.message);
            error.notes.iter().for_each(|line| failures += &format!("  {line}\n"));
        }
    }
    Ok(failures)
}

/// Of so many cases one is compiled with narrow numbers.
const NARROW: usize = 5;

type Text = (String, Vec<u8>);

fn conformance() -> Result<Vec<Printed>, Failed> {
    groups(Widths::WIDE, cases()?)
}

fn cases() -> io::Result<Vec<Text>> {
    let mut cases = texts_of("conformance", None)?;
    cases.extend(texts_of("outside", None)?);
    Ok(cases)
}

/// The cases of a corpus that choose these widths, or none.
fn texts_of(folder: &str, widths: Option<Widths>) -> io::Result<Vec<Text>> {
    let cases = case::read(&corpus(folder))?.into_iter();
    let text = |case: testkit::Case| {
        (format!("{folder}/{}/{:03}", case.topic, case.number), case.text().into_bytes())
    };
    Ok(cases.filter(|case| case.widths == widths).map(text).collect())
}

/// Programs with ints and floats of 32 bits, and some with only one of them.
fn narrow() -> Result<Vec<Printed>, Failed> {
    let mut texts: Vec<Text> = cases()?.into_iter().step_by(NARROW).collect();
    texts.extend(kept()?);
    let few: Vec<Text> = texts.iter().step_by(NARROW).cloned().collect();
    texts.extend(texts_of("outside", Some(Widths::NARROW))?);
    let mut printed = groups(Widths::NARROW, texts)?;
    for [int, float] in [[Width::W32, Width::W64], [Width::W64, Width::W32]] {
        let widths = Widths { int, float };
        let chosen = texts_of("outside", Some(widths))?;
        printed.extend(groups(widths, few.iter().cloned().chain(chosen))?);
    }
    Ok(printed)
}

fn programs() -> Result<Vec<Printed>, Failed> {
    let programs = program::read(&corpus("programs"))?.into_iter();
    let texts = programs.map(|program| (format!("programs/{}", program.name), program.text));
    groups(Widths::WIDE, texts)
}

fn agreement() -> Result<Vec<Printed>, Failed> {
    groups(Widths::WIDE, kept()?)
}

fn kept() -> io::Result<Vec<Text>> {
    let paths = fs::read_dir(corpus("agreement"))?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<_> = paths.collect::<io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "nesl"));
    paths.sort();
    let texts = paths.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok((format!("agreement/{name}"), fs::read(path)?))
    });
    texts.collect()
}

fn groups(widths: Widths, texts: impl IntoIterator<Item = Text>) -> Result<Vec<Printed>, Failed> {
    let mut printer = Printer::of_widths(widths).map_err(|error| error.message)?;
    let every = env::var("NESL_NVRTC_EVERY").map_or(Ok(1), |every| every.parse::<usize>())?;
    let printed = texts.into_iter().step_by(every.max(1)).map(|(name, text)| {
        // The panic tells what happened, but not with which program.
        match catch_unwind(AssertUnwindSafe(|| printer.group(&text))) {
            Ok(units) => Ok((name, units)),
            Err(_) => Err(format!("{name}: the compiler panics").into()),
        }
    });
    printed.collect()
}

fn examples() -> Result<Vec<Printed>, Failed> {
    let mut printer = Printer::new().map_err(|error| error.message)?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let printed = example::read(&folder)?.into_iter().map(|example| {
        let name = format!("examples/{}", example.name);
        let units = printer.example(&example).map_err(|error| format!("{name}: {error}"))?;
        Ok((name, units))
    });
    printed.collect()
}

fn sorts() -> Result<Vec<Printed>, Failed> {
    Ok(Unit::all().map(|unit| (format!("{unit:?}"), vec![unit.text()])).collect())
}
