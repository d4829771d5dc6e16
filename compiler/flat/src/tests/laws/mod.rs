//! Laws of the algebra: for each rewrite a program, what the passes make of it, and that both mean
//! the same on generated data.

mod checks;
mod constants;
mod elements;
mod filters;
mod generator;
mod lanes;
mod orders;
mod segments;

use self::generator::Generator;
use super::{obeys, program};
use crate::passes::{ALL, run};
use crate::{Evaluator, Failure, Program};
use base::Id;
use expect_test::Expect;

/// How often each law is tried.
const TRIES: u64 = 200;

/// What stands after flattening is simplified like this.
const TIDY: [&str; 3] = ["pull_maps", "simplify_code", "remove_dead_statements"];

/// Runs passes on a program, which then is as expected and means the same.
#[track_caller]
fn law(text: &str, passes: &[&str], expected: &Expect) {
    let program = program(text);
    let made = after(&program, passes);
    expected.assert_eq(&made.to_string());
    means_the_same(&program, &made);
}

/// Passes to which a law seems to apply, and does not, leave a program as it is.
#[track_caller]
fn stays(text: &str, passes: &[&str]) {
    let program = program(text);
    assert_eq!(after(&program, passes).to_string(), program.to_string());
}

/// The program after these passes.
fn after(program: &Program, passes: &[&str]) -> Program {
    let mut made = program.clone();
    for name in passes {
        let found = ALL.iter().find(|(known, _)| known == name);
        let (_, pass) = *found.unwrap_or_else(|| panic!("there is no pass {name}"));
        run(name, pass, &mut made);
        obeys(&made);
    }
    made
}

fn means_the_same(program: &Program, made: &Program) {
    for seed in 0..TRIES {
        let args = Generator::new(seed).arguments(&program.funcs[Id::new(0)]);
        let run = |program: &Program| {
            Evaluator::new(program).call(Id::new(0), args.clone()).map_err(|f| said(&f))
        };
        assert_eq!(run(made), run(program), "seed {seed}: {args:?}");
    }
}

/// What of a failure is told, apart from the lane, which may have another number.
fn said(failure: &Failure) -> String {
    let fault = &failure.fault;
    format!("{} {:?}{} {:?}", fault.site.name(), fault.args, fault.span, failure.message)
}
