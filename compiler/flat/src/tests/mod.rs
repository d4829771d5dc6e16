//! Tests of flat programs, written in their text form.

mod calls;
mod errors;
mod laws;
mod passes;
mod running;
mod shapes;

use crate::{Data, Evaluator, Function, Program, print_with_errors, read, verify};
use base::Id;
use prim::Const;

/// Reads a program, which must obey the rules.
fn program(text: &str) -> Program {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    obeys(&program);
    program
}

/// Reads a program, which must print as it was written and obey the rules.
fn parse(text: &str) -> Program {
    let program = program(text);
    assert_eq!(program.to_string(), text, "reading and printing gives the text back");
    program
}

fn obeys(program: &Program) {
    verify(program).unwrap_or_else(|e| panic!("{}", print_with_errors(program, &e)));
}

/// Runs passes on all functions; the program obeys the rules after each of them.
fn rewrite(program: &mut Program, passes: &[fn(&mut Function)]) {
    for pass in passes {
        program.funcs.iter_mut().for_each(|(_, function)| pass(function));
        obeys(program);
    }
}

fn show(data: &Data) -> String {
    match data {
        Data::Scalar(c) => c.to_string(),
        Data::Vector(elements) => format!("[{}]", base::print::join(elements.iter(), " ")),
    }
}

/// Calls `f0`; gives the results, or the failure, and what was touched.
fn run(text: &str, args: &[Data]) -> String {
    let program = parse(text);
    let evaluator = Evaluator::new(&program);
    let result = match evaluator.call(Id::new(0), args.to_vec()) {
        Ok(results) => results.iter().map(show).collect::<Vec<_>>().join(" "),
        Err(failure) => {
            let (site, args) = (failure.fault.site.name(), failure.fault.args);
            let message = failure.message.map(|m| String::from_utf8(m).unwrap());
            format!(
                "{site} {args:?} at{} in lane {:?} {message:?}",
                failure.fault.span, failure.lane
            )
        }
    };
    let counts = evaluator.counts();
    format!("{result}; {} operations, {} touched", counts.operations, counts.touched())
}

fn int(n: i64) -> Data {
    Data::Scalar(Const::I64(n))
}

fn ints(elements: &[i64]) -> Data {
    Data::ints(elements.iter().copied())
}

fn floats(elements: &[f64]) -> Data {
    Data::vector(elements.iter().map(|&x| Const::F64(x)))
}
