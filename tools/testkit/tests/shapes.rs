//! What is said of sizes is true: each program of the corpora runs as flat, and all facts that
//! shapes find, of every function, are compared with the values that it has when a call ends; as
//! flattened, and after each pass.
//!
//! A test is named `topic/number`, `programs/name`, `examples/name`, `agreement/name` or
//! `generated/FIRST-LAST`.

#[path = "stations/source.rs"]
mod source;

use flat::{Data, Program};
use libtest_mimic::{Arguments, Failed, Trial};
use source::entries;
use std::fs;
use std::path::Path;
use testkit::agree::{Lab, LabOptions, Verdict};
use testkit::{case, corpus, generate};

/// Generated programs in all.
const PROGRAMS: u64 = 400;
/// Programs in a test.
const TOGETHER: u64 = 20;

fn main() -> std::io::Result<()> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for case in case::read(&corpus("conformance"))? {
        let name = format!("{}/{:03}", case.topic, case.number);
        trials.push(Trial::test(name, move || check(&[case.text()])));
    }
    for folder in ["programs", "agreement"] {
        let mut programs: Vec<_> = fs::read_dir(corpus(folder))?.collect::<Result<_, _>>()?;
        programs.sort_by_key(fs::DirEntry::path);
        for program in programs {
            let name = program.file_name().to_string_lossy().into_owned();
            if let Some(name) = name.strip_suffix(".nesl") {
                let text = fs::read_to_string(program.path())?;
                trials.push(Trial::test(format!("{folder}/{name}"), move || check(&[text])));
            }
        }
    }
    let folder = corpus("conformance").join("../../examples");
    for example in fs::read_dir(folder)? {
        let path = example?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let texts = calls(&path, &name);
        if !texts.is_empty() {
            trials.push(Trial::test(format!("examples/{name}"), move || check(&texts)));
        }
    }
    for first in (0..PROGRAMS).step_by(TOGETHER as usize) {
        let name = format!("generated/{first:03}-{:03}", first + TOGETHER - 1);
        trials.push(Trial::test(name, move || {
            let texts = (first..first + TOGETHER).map(|seed| generate::program(seed).to_string());
            check(&short(texts.collect())?)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit()
}

/// An example's program with each of its cases as a call, as far as inputs are texts of values.
fn calls(folder: &Path, name: &str) -> Vec<String> {
    let Ok(program) = fs::read_to_string(folder.join(name).with_extension("nesl")) else {
        return Vec::new();
    };
    let cases = fs::read_to_string(folder.join("cases.txt")).unwrap_or_default();
    let call = |line: &str| {
        let mut words = line.strip_prefix("entry: ")?.split_whitespace();
        let function = words.next()?;
        let args: Vec<String> = words
            .filter_map(|word| word.split_once('='))
            .map(|(_, value)| fs::read_to_string(folder.join(value)).unwrap_or(value.to_owned()))
            .collect();
        Some(format!("{program}\n{function}({});\n", args.join(", ")))
    };
    cases.lines().filter_map(call).collect()
}

/// The programs that do not run for long: some of those generated take exponential time.
fn short(mut texts: Vec<String>) -> Result<Vec<String>, Failed> {
    let options = LabOptions { engines: Vec::new(), ..LabOptions::default() };
    value::on_big_stack(move || match Lab::new(options) {
        Ok(mut lab) => {
            texts.retain(|text| !matches!(lab.check(text), Verdict::Skipped(_)));
            Ok(texts)
        }
        Err(missing) => Err(missing.message.into()),
    })
}

/// Runs each form of texts that needs no others.
fn check(texts: &[String]) -> Result<(), Failed> {
    let texts = texts.to_vec();
    value::on_big_stack(move || {
        for text in &texts {
            for (nest, args) in entries(text) {
                let mut flat = flatten::flatten(&nest);
                let args: Vec<Data> = args.into_iter().map(Data::Scalar).collect();
                let wanted = facts("flatten", &flat, &args)?;
                for (name, pass) in flat::passes::ALL {
                    let before = flat.clone();
                    flat::passes::run(name, pass, &mut flat);
                    if flat == before {
                        continue;
                    }
                    flat::verify(&flat).map_err(|e| flat::print_with_errors(&flat, &e))?;
                    let found = facts(name, &flat, &args)?;
                    if !same(&found, &wanted) {
                        return Err(format!("{name}: {found:?}, not {wanted:?}\n{flat}").into());
                    }
                }
            }
        }
        Ok(())
    })
}

type Outcome = Result<Vec<Data>, flat::Failure>;

/// The result of a program all of whose facts are true.
fn facts(pass: &str, flat: &Program, args: &[Data]) -> Result<Outcome, Failed> {
    let text = flat::shapes::show::show(flat);
    match flat::read(&text) {
        Ok(read) if read.to_string() == flat.to_string() => {}
        Ok(_) => return Err(format!("after {pass} is read as something else:\n{text}").into()),
        Err(error) => return Err(format!("after {pass}: {error}\n{text}").into()),
    }
    let tested = flat::shapes::check::check(flat, flat.entries[0], args.to_vec());
    if tested.wrong.is_empty() {
        Ok(tested.result)
    } else {
        Err(format!("after {pass}: {}\n{text}", tested.wrong.join("\n")).into())
    }
}

/// Whether results or failures agree; a result may hold more of a vector than it shows.
fn same(found: &Outcome, wanted: &Outcome) -> bool {
    match (found, wanted) {
        (Ok(found), Ok(wanted)) => found.len() == wanted.len(),
        (Err(found), Err(wanted)) => {
            found.fault.site == wanted.fault.site && found.message == wanted.message
        }
        _ => false,
    }
}
