//! How many launches a step of a recursive program is, of however many lanes, on cores and on a
//! GPU, and how often the host of a GPU waits between them: what is planned for the function that
//! runs them.
//!
//! The figures are what the compiler does today; a change that makes one smaller changes it here.
//! No GPU is needed: the plan is what counts.

mod planned;

use compile::Fusion;
use emit::CText;
use emit::cuda::CudaText;
use expect_test::{Expect, expect};
use plan::{Arg, Block, Func, ParamKind, Program, Slot, Step};
use prim::Widths;
use run::session::Given;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// How often the host waits for what its launches set, on the longest way through the branches of a
/// function.
fn waits(program: &Program, function: Func) -> usize {
    fn most(program: &Program, block: &Block, mut set: HashSet<Slot>) -> usize {
        let mut waits = 0;
        for step in &block.steps {
            let own = sets(program, step);
            if step.scalars().iter().any(|slot| set.contains(slot) && !own.contains(slot)) {
                waits += 1;
                set.clear();
            }
            set.extend(own);
            if let Step::If { then, els, .. } = step {
                let [then, els] = [then, els].map(|arm| most(program, arm, set.clone()));
                waits += then.max(els);
            }
        }
        waits
    }
    most(program, &program.funcs[function].body, HashSet::new())
}

/// What a launch sets.
fn sets(program: &Program, step: &Step) -> HashSet<Slot> {
    let Step::Launch { cluster, args, .. } = step else { return HashSet::new() };
    let params = args.iter().zip(&program.clusters[*cluster].params);
    params
        .filter(|(_, p)| p.kind == ParamKind::Set)
        .filter_map(|(a, _): (&Arg, _)| a.slot())
        .collect()
}

#[track_caller]
fn check(
    widths: Widths,
    (example, function): (&str, &str),
    given: &[(&str, &str)],
    expected: &Expect,
) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let text = fs::read(root.join(format!("{example}.nesl"))).unwrap();
    let given: Vec<Given> = given
        .iter()
        .map(|(name, value)| match root.join(value) {
            file if file.is_file() => Given::file(*name, file),
            _ => Given::literal(*name, *value),
        })
        .collect();
    let how = (Fusion::Optimal, widths);
    let cores = planned::plan::<CText>(&text, function, &given, how);
    let gpu = planned::plan::<CudaText>(&text, function, &given, how);
    let line = |id| {
        let launches = [&cores, &gpu].map(|plan| planned::launches(plan, id));
        let ([on_cores, on_gpu], waits) = (launches, waits(&gpu, id));
        format!("{}: {on_cores}; {on_gpu}, {waits} waits\n", gpu.funcs[id].name)
    };
    expected.assert_eq(&gpu.funcs.ids().map(line).collect::<String>());
}

/// In 32 bits lengths are added with checks; those that cannot fail are not waited for.
#[test]
fn a_level_of_quicksort() {
    let expected = expect![[r#"
        quicksort: 1; 1, 0 waits
        quicksort: 4; 3, 1 waits
        quicksort^: 3; 3, 1 waits
    "#]];
    for widths in [Widths::WIDE, Widths::NARROW] {
        check(widths, ("quicksort", "quicksort"), &[("a", "[3, 1, 2]")], &expected);
    }
}

#[test]
fn a_level_of_the_hull() {
    check(
        Widths::WIDE,
        ("quickhull", "convex_hull"),
        &[("points", "points.nesl")],
        &expect![[r#"
            convex_hull: 3; 3, 2 waits
            arc: 5; 5, 3 waits
            arc^: 7; 9, 3 waits
            arc^: 6; 6, 2 waits
        "#]],
    );
}

#[test]
fn a_step_of_the_sieve() {
    check(
        Widths::WIDE,
        ("primes", "primes"),
        &[("n", "100")],
        &expect![[r#"
            primes: 0; 0, 0 waits
            primes: 4; 4, 2 waits
        "#]],
    );
}
