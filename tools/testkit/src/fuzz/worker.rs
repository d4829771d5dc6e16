//! A worker: runs every so-manieth program and shrinks what disagrees.

use super::{Options, say, told};
use prim::Widths;
use std::io::{Error, Result};
use std::path::Path;
use testkit::agree::{Finding, Lab, LabOptions, Verdict};
use testkit::generate::{Program, shrink};

/// Programs that are tried while one is shrunk.
const TRIALS: usize = 3000;
/// The same when each of them is compiled to machine code.
const COMPILED_TRIALS: usize = 250;
/// Findings alike are shrunk so often.
const ALIKE: usize = 2;

/// Runs the programs of the options; tells whether all agree.
pub(crate) fn run(options: &Options) -> Result<bool> {
    value::on_big_stack(|| {
        let mut lab = lab(options)?;
        let mut findings: Vec<Finding> = Vec::new();
        let seeds: Vec<u64> = (options.seed..options.seed.saturating_add(options.count))
            .step_by(usize::try_from(options.stride).unwrap_or(1).max(1))
            .collect();
        for together in seeds.chunks(usize::try_from(options.together).unwrap_or(1).max(1)) {
            say(&format!("start {}", together[0]))?;
            let programs: Vec<Program> =
                together.iter().map(|&seed| options.program(seed)).collect();
            let sources: Vec<String> = programs.iter().map(Program::to_string).collect();
            let verdicts = lab.check_all(&sources);
            for ((seed, program), verdict) in together.iter().zip(programs).zip(verdicts) {
                if let Verdict::Disagreed(finding) = &verdict {
                    let alike = findings.iter().filter(|known| known.is_like(finding)).count();
                    findings.push(finding.clone());
                    if alike < ALIKE {
                        report(options, &mut lab, *seed, program, finding)?;
                    }
                }
                say(&format!("done {}", kind(&verdict)))?;
            }
            if !lab.is_sound() {
                return Err(Error::other("the GPU does nothing any more after these programs"));
            }
        }
        Ok(findings.is_empty())
    })
}

/// Runs the program in a file; tells whether all agree.
pub(crate) fn file(options: &Options, path: &Path) -> Result<bool> {
    let source = std::fs::read_to_string(path)?;
    value::on_big_stack(|| {
        let verdict = lab(options)?.check(&source);
        say(&kind(&verdict))?;
        if let Verdict::Disagreed(finding) = &verdict {
            say(&finding.text)?;
        }
        Ok(matches!(verdict, Verdict::Agreed { .. }))
    })
}

fn lab(options: &Options) -> Result<Lab> {
    let (engines, quick) = (options.engines.clone(), !options.optimise);
    let widths = Widths { int: options.int, float: options.float };
    let fusion = options.fusion;
    let lab = Lab::new(LabOptions { engines, widths, quick, fusion, ..LabOptions::default() });
    lab.map_err(|missing| Error::other(told(&missing)))
}

/// Shrinks a program and tells the parent.
fn report(
    options: &Options,
    lab: &mut Lab,
    seed: u64,
    program: Program,
    finding: &Finding,
) -> Result<()> {
    let mut last = finding.clone();
    let trials = match finding.engine {
        _ if options.no_shrink || !lab.is_sound() => 0,
        engine if engine.compiles() => COMPILED_TRIALS,
        _ => TRIALS,
    };
    let mut fails = |program: &Program| match lab.check(&program.to_string()) {
        Verdict::Disagreed(found) if found.is_like(finding) => {
            last = found;
            true
        }
        _ => false,
    };
    let program = shrink::shrink(program, trials, &mut fails);
    say(&format!("finding {seed} {}", finding.engine))?;
    for line in program.to_string().lines().chain(last.text.lines().take(12)) {
        say(&format!("  {line}"))?;
    }
    say("end")
}

fn kind(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Agreed { failed: false, .. } => "agreed on values".to_owned(),
        Verdict::Agreed { other_site: false, .. } => "agreed on an error".to_owned(),
        Verdict::Agreed { .. } => "agreed on failing, with different errors".to_owned(),
        Verdict::Skipped(why) => format!("skipped: {why}"),
        Verdict::Rejected(error) => format!("rejected: {error}"),
        Verdict::Disagreed(finding) => {
            format!("DISAGREED: {}: {}", finding.engine, finding.kind)
        }
    }
}
