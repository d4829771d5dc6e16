//! How many launches a step of a recursive program is on a GPU, of however many lanes: what is
//! planned for the function that runs them.
//!
//! The figures are what the compiler does today; a change that makes one smaller changes it here.
//! No GPU is needed: the plan is what counts.

mod planned;

use compile::Fusion;
use expect_test::{Expect, expect};
use run::session::Given;
use std::fs;
use std::path::Path;

#[track_caller]
fn check(example: &str, function: &str, given: &[(&str, &str)], expected: &Expect) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let text = fs::read(root.join(format!("{example}.nesl"))).unwrap();
    let value = |value: &str| {
        let file = root.join(value);
        if file.is_file() { file.to_str().unwrap().to_owned() } else { value.to_owned() }
    };
    let given: Vec<Given> = given
        .iter()
        .map(|(name, given)| Given { name: (*name).to_owned(), value: value(given) })
        .collect();
    let plan = planned::plan(&text, function, &given, Fusion::Optimal);
    let line = |id| format!("{} {}\n", planned::launches(&plan, id), plan.funcs[id].name);
    expected.assert_eq(&plan.funcs.ids().map(line).collect::<String>());
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
            3 convex_hull
            5 arc
            8 arc^
            5 arc^
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
