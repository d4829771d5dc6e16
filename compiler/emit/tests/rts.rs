//! Compiles the tests of the C run time with the system's compiler and runs them.
//!
//! The run time is C text that becomes part of every compiled program, so it is tested as C: each
//! file in `tests/rts` is a program of its own that compares the run time with a plain reference
//! and prints `ok`. To look for data races or bad accesses, compile one of them by hand with
//! `-fsanitize=thread` or `-fsanitize=address,undefined` and run it with an argument.
#![expect(clippy::disallowed_methods, reason = "the test runs the C compiler")]
#![allow(clippy::print_stdout, reason = "a test says which half of it is left out")]

use std::path::Path;
use std::process::{Command, Output};

/// Compiles `tests/rts/{name}.c` with warnings as errors, runs it, and wants it to print `ok`.
fn check(name: &str, args: &[&str]) {
    check_with("cc", name, &[], args);
}

/// Does so with a given compiler and flags of its own.
fn check_with(cc: &str, name: &str, flags: &[&str], args: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/rts/{name}.c"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "rts-{}-{name}{}-{}",
        cc.replace('/', "-"),
        flags.concat(),
        args.len()
    ));
    let mut cc = Command::new(cc);
    cc.args(["-std=c11", "-O3", "-march=native", "-ffp-contract=off", "-Wall", "-Wextra"]);
    cc.args(["-fopenmp-simd", "-Werror", "-pthread"]).args(flags);
    cc.arg("-o").arg(&program).arg(&source).arg("-lm");
    succeed(&mut cc);
    let output = succeed(Command::new(&program).args(args));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ok\n");
}

/// Clang's names here; says so if there is none.
fn clangs() -> impl Iterator<Item = &'static str> {
    let is_here = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found: Vec<&str> = ["clang", "clang-14"].into_iter().filter(is_here).collect();
    if found.is_empty() {
        println!("clang is not found: its half of the test is left out");
    }
    found.into_iter()
}

/// Runs a command that has to succeed; shows what it said otherwise.
fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&said));
    output
}

#[test]
fn sorts() {
    check("sort", &["quick"]);
}

#[test]
fn results_past_the_caches() {
    check("past", &[]);
}

#[test]
fn values_that_are_kept() {
    check("pack", &[]);
}

#[test]
fn rows_of_which_elements_are_looked_up() {
    check("octets", &[]);
}

#[test]
fn work_is_cut_into_tiles() {
    check("tiles", &[]);
}

#[test]
fn calls_that_workers_offer() {
    check("offers", &[]);
}

#[test]
fn extrema_of_infinite_floats() {
    check("fold", &[]);
    // Where it differed: GCC begins with infinity by itself.
    clangs().for_each(|clang| check_with(clang, "fold", &[], &[]));
}

#[test]
fn elementary_functions_and_digits() {
    check("math", &["quick"]);
    check("branches", &["quick"]);
}

/// With the flags of compiled programs, and with those that a user of built libraries may choose.
#[test]
fn corners_of_elementary_functions() {
    let ways: [&[&str]; 2] =
        [&["-fno-math-errno"], &["-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-O2"]];
    for cc in ["cc"].into_iter().chain(clangs()) {
        for flags in ways {
            check_with(cc, "corners", flags, &[]);
            check_with(cc, "corners", &[flags, &["-DNESL_FLOAT_32"]].concat(), &[]);
        }
    }
}

#[test]
#[ignore = "takes ten seconds"]
fn sorts_of_a_million() {
    check("sort", &[]);
}
