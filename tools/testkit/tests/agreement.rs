//! All engines agree: on the programs below `tests/agreement`, on which they once did not agree,
//! and on generated programs.
//!
//! A test is named `kept/NAME` or `generated/FIRST-LAST` after the seeds.

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::Path;
use testkit::agree::{Lab, LabOptions, Verdict};
use testkit::{corpus, generate};

/// Generated programs in all.
const PROGRAMS: u64 = 300;
/// Programs in a test; they are compiled together.
const TOGETHER: u64 = 25;

fn main() -> std::io::Result<()> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for entry in fs::read_dir(corpus("agreement"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "nesl") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            trials.push(Trial::test(format!("kept/{name}"), move || kept(&path)));
        }
    }
    for first in (0..PROGRAMS).step_by(TOGETHER as usize) {
        let name = format!("generated/{first:03}-{:03}", first + TOGETHER - 1);
        trials.push(Trial::test(name, move || generated(first)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// A kept program must be compared.
fn kept(path: &Path) -> Result<(), Failed> {
    let source = fs::read_to_string(path)?;
    match check(&[source])?.as_slice() {
        [Verdict::Agreed { .. }] => Ok(()),
        verdicts => Err(format!("{verdicts:?}").into()),
    }
}

/// Of the generated programs none may disagree; a few cost too much to be compared.
fn generated(first: u64) -> Result<(), Failed> {
    let seeds = first..first + TOGETHER;
    let programs: Vec<String> = seeds.map(|seed| generate::program(seed).to_string()).collect();
    for (verdict, program) in check(&programs)?.iter().zip(&programs) {
        if !matches!(verdict, Verdict::Agreed { .. } | Verdict::Skipped(_)) {
            return Err(format!("{verdict:#?}\n{program}").into());
        }
    }
    Ok(())
}

fn check(programs: &[String]) -> Result<Vec<Verdict>, Failed> {
    value::on_big_stack(|| match Lab::new(LabOptions::default()) {
        Ok(mut lab) => Ok(lab.check_all(programs)),
        Err(missing) => Err(missing.message.into()),
    })
}
