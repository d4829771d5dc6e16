//! All engines agree: on the programs below `tests/agreement`, on which they once did not agree,
//! and on generated programs.
//!
//! A test is named `kept/NAME`, or `generated/FIRST-LAST` after the seeds, or
//! `ends/BITS/FIRST-LAST` if ints are near the ends.

use libtest_mimic::{Arguments, Failed, Trial};
use prim::Widths;
use std::fs;
use std::path::Path;
use testkit::agree::{Lab, LabOptions, Verdict};
use testkit::{corpus, generate};

/// Generated programs in all.
const PROGRAMS: u64 = 300;
/// Programs in a test; they are compiled together.
const TOGETHER: u64 = 25;
/// Generated programs with ints near the ends, at each width of ints.
const AT_THE_ENDS: u64 = 50;

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
        trials.push(Trial::test(name, move || generated(first, Widths::WIDE, generate::program)));
    }
    for widths in [Widths::WIDE, Widths::NARROW] {
        for first in (0..AT_THE_ENDS).step_by(TOGETHER as usize) {
            let name = format!("ends/{}/{first:03}-{:03}", widths.int, first + TOGETHER - 1);
            let made = generate::at_the_ends;
            trials.push(Trial::test(name, move || generated(first, widths, made)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// A kept program must be compared.
fn kept(path: &Path) -> Result<(), Failed> {
    let source = fs::read_to_string(path)?;
    match check(&[source], Widths::WIDE)?.as_slice() {
        [Verdict::Agreed { .. }] => Ok(()),
        verdicts => Err(format!("{verdicts:?}").into()),
    }
}

/// Of the generated programs none may disagree; a few cost too much to be compared.
fn generated(first: u64, widths: Widths, made: fn(u64) -> generate::Program) -> Result<(), Failed> {
    let seeds = first..first + TOGETHER;
    let programs: Vec<String> = seeds.map(|seed| made(seed).to_string()).collect();
    for (verdict, program) in check(&programs, widths)?.iter().zip(&programs) {
        if !matches!(verdict, Verdict::Agreed { .. } | Verdict::Skipped(_)) {
            return Err(format!("{verdict:#?}\n{program}").into());
        }
    }
    Ok(())
}

fn check(programs: &[String], widths: Widths) -> Result<Vec<Verdict>, Failed> {
    value::on_big_stack(|| match Lab::new(LabOptions { widths, ..LabOptions::default() }) {
        Ok(mut lab) => Ok(lab.check_all(programs)),
        Err(missing) => Err(missing.message.into()),
    })
}
