//! Generated programs are accepted, hold every construct, and shrink.

mod census;
mod coverage;

use super::shrink::shrink;
use super::tree::{Exp, Form, Kind};
use super::{Program, program};
use crate::agree::{Engine, Lab, LabOptions, Verdict};
use census::{CONSTRUCTS, census};
use std::collections::BTreeMap;

/// Programs that are looked at.
const PROGRAMS: u64 = 400;

fn lab() -> Lab {
    Lab::new(LabOptions { engines: vec![Engine::Interp], ..LabOptions::default() }).unwrap()
}

#[test]
fn programs_are_accepted() {
    value::on_big_stack(|| {
        let sources: Vec<String> = (0..PROGRAMS).map(|seed| program(seed).to_string()).collect();
        for (verdict, source) in lab().check_all(&sources).iter().zip(&sources) {
            assert!(!matches!(verdict, Verdict::Rejected(_)), "{verdict:?}\n{source}");
        }
    });
}

/// One of 8,000 programs was refused, because a function value that nobody called had a `[]`
/// whose element type nothing determined.
#[test]
fn empty_sequences_in_function_values_have_a_type() {
    fn lambdas_with_bare(exp: &mut Exp, inside: bool) -> usize {
        let bare = matches!(&exp.kind, Kind::Template(text, _) if text.contains("[] "));
        let inside = inside || matches!(exp.kind, Kind::Lambda(..));
        let parts = exp.parts_mut().into_iter();
        usize::from(bare && inside) + parts.map(|p| lambdas_with_bare(p, inside)).sum::<usize>()
    }
    for seed in 0..5 * PROGRAMS {
        for form in &mut program(seed).forms {
            if let Form::Value(_, exp) = form
                && exp.ty.has_function()
            {
                assert_eq!(lambdas_with_bare(exp, false), 0, "seed {seed}");
            }
        }
    }
}

/// A construct that most programs lack still occurs in several of them.
#[test]
fn every_construct_occurs() {
    let mut programs = BTreeMap::<&str, usize>::new();
    for seed in 0..PROGRAMS {
        for construct in census(&mut program(seed)) {
            *programs.entry(construct).or_default() += 1;
        }
    }
    for construct in CONSTRUCTS {
        let count = programs.get(construct).copied().unwrap_or(0);
        assert!(count >= 3, "{construct}: in {count} programs of {PROGRAMS}; {programs:#?}");
    }
    let unknown: Vec<_> = programs.keys().filter(|c| !CONSTRUCTS.contains(c)).collect();
    assert!(unknown.is_empty(), "not in the list: {unknown:?}");
}

/// The smallest program found that is accepted and holds a construct.  The lab keeps quiet about
/// panics, so that what is wrong is told by results.
fn smallest(construct: &str) -> Option<Program> {
    value::on_big_stack(|| {
        let mut lab = lab();
        let mut holds = |program: &Program| {
            census(&mut program.clone()).contains(construct)
                && matches!(lab.check(&program.to_string()), Verdict::Agreed { .. })
        };
        let found = (0..PROGRAMS).map(program).find(|program| holds(program))?;
        Some(shrink(found, 3000, &mut holds))
    })
}

#[test]
fn new_constructs_shrink() -> Result<(), String> {
    let constructs = [
        "optional: some given",
        "optional: given in a lane",
        "datatype: two instances",
        "datatype: pattern in a generator",
        "top: function value called in a lane",
        "function: two instances",
    ];
    for construct in constructs {
        let text = smallest(construct).ok_or_else(|| construct.to_owned())?.to_string();
        if text.len() > 700 {
            return Err(format!("{construct}:\n{text}"));
        }
    }
    Ok(())
}
