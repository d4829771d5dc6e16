//! Every function of the library takes empty sequences: alone, with arguments that are not empty
//! beside them, with rows that are all empty, in no lanes, and in lanes of which some have them.
//!
//! Calls are made from the types of the functions, and the interpreter says which of them fail.
//! All that do not are one program for each function, which all engines must agree on; each of the
//! others is a program, which must fail everywhere.

mod arguments;

use arguments::{Call, calls};
use base::Kind;
use run::session::{EngineKind, Options};
use testkit::agree::{Engine, Lab, LabOptions, Verdict};
use testkit::{Told, on_session};

/// What the interpreter tells about each of the forms.
fn interpreted(forms: &[String]) -> Vec<Told> {
    let text = forms.concat();
    let told = on_session(&Options::new(EngineKind::Interp), text.as_bytes());
    let told = told.unwrap_or_else(|panic| panic!("{panic}"));
    assert_eq!(told.len(), forms.len(), "each form is told of");
    told
}

/// The calls to make: those of all functions that an apply-to-each may call.  Functions with
/// effects are left out; in no lanes they are refused before they run.
fn pure_calls() -> Vec<Call> {
    let session = run::Session::new(
        &Options::new(EngineKind::Interp),
        Box::new(std::io::sink()),
    );
    let session = session.unwrap_or_else(|error| panic!("{}", error.message));
    let names: Vec<String> = session.names().map(str::to_owned).collect();
    let forms: Vec<String> = names.iter().map(|name| format!("{name};\n")).collect();
    let types = interpreted(&forms).into_iter().map(|told| match told {
        Told::Shown { ty, .. } => ty,
        told => panic!("{told:?}"),
    });
    let calls: Vec<Call> = names.iter().zip(types).flat_map(|(name, ty)| calls(name, &ty)).collect();
    let nowhere: Vec<String> = calls.iter().map(Call::in_no_lanes).collect();
    let keep = |(call, told)| match told {
        Told::Shown { .. } => Some(call),
        Told::Failed { errors, .. } if errors.iter().all(|e| e.kind == Kind::Effect) => None,
        told => panic!("{told:?}"),
    };
    calls.into_iter().zip(interpreted(&nowhere)).filter_map(keep).collect()
}

/// Programs of calls that succeed, and programs of one call that fails.
fn programs(calls: &[Call]) -> (Vec<String>, Vec<String>) {
    let forms: Vec<String> = calls.iter().flat_map(Call::alone).collect();
    let mut told = interpreted(&forms).into_iter();
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for call in calls {
        let mut text = call.in_no_lanes();
        let mut lanes = Vec::new();
        for (number, form) in call.alone().into_iter().enumerate() {
            if let Some(Told::Shown { .. }) = told.next() {
                text.push_str(&form);
                lanes.push(number);
            } else {
                bad.push(form);
            }
        }
        text.push_str(&call.in_lanes(&lanes));
        good.push(text);
    }
    (good, bad)
}

#[track_caller]
fn check(programs: &[String], engines: Vec<Engine>, fails: bool) {
    let options = LabOptions { engines, ..LabOptions::default() };
    let verdicts = value::on_big_stack(|| Ok(Lab::new(options)?.check_all(programs)));
    let verdicts = verdicts.unwrap_or_else(|missing: base::Diagnostic| panic!("{}", missing.message));
    for (verdict, program) in verdicts.iter().zip(programs) {
        match verdict {
            Verdict::Agreed { failed, .. } => assert_eq!(*failed, fails, "{program}"),
            verdict => panic!("{verdict:#?}\n{program}"),
        }
    }
}

fn evaluators() -> Vec<Engine> {
    Engine::ALL.into_iter().filter(|engine| !engine.compiles()).collect()
}

#[test]
fn all_functions_take_empty_sequences() {
    let (good, bad) = programs(&pure_calls());
    assert!(good.len() > 200 && bad.len() > 100, "{} and {} programs", good.len(), bad.len());
    check(&good, evaluators(), false);
    check(&bad, evaluators(), true);
}

/// The C compiler takes minutes: `cargo test -p nesl-testkit --test empty -- --ignored`.
#[test]
#[ignore = "compiles a thousand calls"]
fn all_functions_take_empty_sequences_on_the_cpu() {
    let (good, bad) = programs(&pure_calls());
    check(&good, vec![Engine::Interp, Engine::Cpu], false);
    check(&bad, vec![Engine::Interp, Engine::Cpu], true);
}
