//! All engines agree on programs of narrow ints and floats, too: on the programs below
//! `tests/agreement`, and on generated ones.
//!
//! A test is named `kept/FIRST` after the first of some programs, or `generated/INT-FLOAT/FIRST`
//! after widths and seeds.

use libtest_mimic::{Arguments, Failed, Trial};
use prim::{Width, Widths};
use std::fs;
use std::path::PathBuf;
use testkit::agree::{Lab, LabOptions, Verdict};
use testkit::{corpus, generate};

/// Generated programs for each choice of widths.
const PROGRAMS: [(Widths, u64); 3] = [
    (Widths::NARROW, 60),
    (Widths { int: Width::W32, float: Width::W64 }, 20),
    (Widths { int: Width::W64, float: Width::W32 }, 20),
];
/// Programs in a test; they are compiled together.
const TOGETHER: u64 = 20;

fn main() -> std::io::Result<()> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let kept = fs::read_dir(corpus("agreement"))?.map(|entry| Ok(entry?.path()));
    let mut kept: Vec<PathBuf> = kept.collect::<std::io::Result<_>>()?;
    kept.retain(|path| path.extension().is_some_and(|extension| extension == "nesl"));
    kept.sort();
    for paths in kept.chunks(TOGETHER as usize) {
        let name = paths[0].file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let programs: Vec<String> =
            paths.iter().map(fs::read_to_string).collect::<std::io::Result<_>>()?;
        trials.push(Trial::test(format!("kept/{name}"), move || agreed(Widths::NARROW, &programs)));
    }
    for (widths, count) in PROGRAMS {
        for first in (0..count).step_by(TOGETHER as usize) {
            let name = format!("generated/{}-{}/{first:02}", widths.int, widths.float);
            trials.push(Trial::test(name, move || {
                let seeds = first..first + TOGETHER;
                let programs: Vec<String> =
                    seeds.map(|seed| generate::program(seed).to_string()).collect();
                agreed(widths, &programs)
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// None may disagree.  A few cost too much to be compared; one with numbers that are too large for
/// these widths is rejected.
fn agreed(widths: Widths, programs: &[String]) -> Result<(), Failed> {
    let options = LabOptions { widths, ..LabOptions::default() };
    let verdicts = value::on_big_stack(|| Ok(Lab::new(options)?.check_all(programs)));
    let verdicts = verdicts.map_err(|missing: base::Diagnostic| missing.message)?;
    for (verdict, program) in verdicts.iter().zip(programs) {
        if matches!(verdict, Verdict::Disagreed(_)) {
            return Err(format!("{verdict:#?}\n{program}").into());
        }
    }
    let agreed = |verdict: &&Verdict| matches!(verdict, Verdict::Agreed { .. });
    match verdicts.iter().filter(agreed).count() {
        0 => Err("no program was compared".into()),
        _ => Ok(()),
    }
}
