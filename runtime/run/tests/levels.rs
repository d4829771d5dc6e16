//! How many launches a step of a recursive program is on a GPU, of however many lanes: what is
//! planned for the function that runs them.
//!
//! The figures are what the compiler does today; a change that makes one smaller changes it here.
//! No GPU is needed: the plan is what counts.

use compile::Fusion;
use device::Paper;
use emit::cuda::CudaText;
use expect_test::{Expect, expect};
use run::Session;
use run::session::{EngineKind, Event, Given, Options};
use std::fs;
use std::path::Path;

/// The last plan of a function of an example, for a GPU.
fn plan(example: &str, function: &str, given: &[(&str, &str)], fusion: Fusion) -> plan::Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let text = fs::read(root.join(format!("{example}.nesl"))).unwrap();
    let mut options = Options::new(EngineKind::Cuda);
    options.dump = Some("after:overwrite".to_owned());
    options.compile.fusion = fusion;
    let paper: Paper<CudaText> = Paper::default();
    let mut session = Session::on(paper, &options, Box::new(std::io::sink())).unwrap();
    let _ = session.run(example, &text, &mut |files, event| {
        if let Event::Failed(errors) = event {
            panic!("{}", errors[0].short(files));
        }
    });
    let value = |value: &str| {
        let file = root.join(value);
        if file.is_file() { file.to_str().unwrap().to_owned() } else { value.to_owned() }
    };
    let given: Vec<Given> = given
        .iter()
        .map(|(name, given)| Given { name: (*name).to_owned(), value: value(given) })
        .collect();
    session.prepare_call(function, &given).unwrap_or_else(|e| panic!("{e:?}"));
    plan::read(&session.report().dump).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The launches of each function's own steps, and those of the longest way through its branches.
fn launches(program: &plan::Program) -> String {
    fn most(block: &plan::Block) -> usize {
        let of = |step: &plan::Step| match step {
            plan::Step::Launch { .. } => 1,
            plan::Step::If { then, els, .. } => most(then).max(most(els)),
            _ => 0,
        };
        block.steps.iter().map(of).sum()
    }
    let line = |function: &plan::Function| format!("{} {}\n", most(&function.body), function.name);
    program.funcs.values().map(line).collect()
}

#[track_caller]
fn check(example: &str, function: &str, given: &[(&str, &str)], expected: &Expect) {
    expected.assert_eq(&launches(&plan(example, function, given, Fusion::Optimal)));
}

#[test]
fn a_level_of_quicksort() {
    check(
        "quicksort",
        "quicksort",
        &[("a", "[3, 1, 2]")],
        &expect![[r#"
        1 quicksort
        3 quicksort
        3 quicksort^
    "#]],
    );
}

#[test]
fn a_level_of_the_hull() {
    check(
        "quickhull",
        "convex_hull",
        &[("points", "points.nesl")],
        &expect![[r#"
            4 convex_hull
            6 arc
            11 arc^
            10 arc^
        "#]],
    );
}

#[test]
fn a_step_of_the_sieve() {
    check(
        "primes",
        "primes",
        &[("n", "100")],
        &expect![[r#"
        0 primes
        4 primes
    "#]],
    );
}
