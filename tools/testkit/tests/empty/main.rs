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
    let session = run::Session::new(&Options::new(EngineKind::Interp), Box::new(std::io::sink()));
    let session = session.unwrap_or_else(|error| panic!("{}", error.message));
    // The one effect that an apply-to-each allows; compiled code has none.
    let names = session.names().filter(|name| *name != "print_debug");
    let names: Vec<String> = names.map(str::to_owned).collect();
    let forms: Vec<String> = names.iter().map(|name| format!("{name};\n")).collect();
    // What is written between its operands is no expression; it has another name, too.
    let calls: Vec<Call> = names
        .iter()
        .zip(interpreted(&forms))
        .flat_map(|(name, told)| match told {
            Told::Shown { ty, .. } => calls(name, &ty),
            Told::Failed { errors, .. } if errors.iter().all(|e| e.kind == Kind::Parse) => {
                Vec::new()
            }
            told => panic!("{told:?}"),
        })
        .collect();
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

/// All engines must agree on all programs; the first on which they do not is the error.
fn check(programs: &[String], engines: Vec<Engine>, fails: bool) -> Result<(), String> {
    let options = LabOptions { engines, ..LabOptions::default() };
    let verdicts = value::on_big_stack(|| Ok(Lab::new(options)?.check_all(programs)));
    let verdicts = verdicts.map_err(|missing: base::Diagnostic| missing.message)?;
    let wrong = |(verdict, _): &(&Verdict, _)| !matches!(verdict, Verdict::Agreed { failed, .. } if *failed == fails);
    match verdicts.iter().zip(programs).find(wrong) {
        Some((verdict, program)) => Err(format!("{verdict:#?}\n{program}")),
        None => Ok(()),
    }
}

/// Both kinds of program on these engines.
fn check_all(engines: &[Engine]) -> Result<(), String> {
    let (good, bad) = programs(&pure_calls());
    assert!(good.len() > 200 && bad.len() > 100, "{} and {} programs", good.len(), bad.len());
    check(&good, engines.to_vec(), false)?;
    check(&bad, engines.to_vec(), true)
}

/// The evaluator of kernels stands behind all stations.
#[test]
fn all_functions_take_empty_sequences() -> Result<(), String> {
    check_all(&[Engine::Nest, Engine::Flat, Engine::Kernel])
}

/// The C compiler takes minutes: `cargo test -p nesl-testkit --test empty -- --ignored`.
#[test]
#[ignore = "compiles a thousand calls"]
fn all_functions_take_empty_sequences_on_all_engines() -> Result<(), String> {
    check_all(&LabOptions::default().engines)
}
