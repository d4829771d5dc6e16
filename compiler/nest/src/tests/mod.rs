//! Tests of nest programs, written in their text form.

mod errors;
mod hoist;
mod running;

use crate::{Datum, Program, eval, print_with_errors, read, verify};
use base::Id;

/// Reads a program, which must print as it was written and obey the rules.
fn parse(text: &str) -> Program {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(program.to_string(), text, "reading and printing gives the text back");
    verify(&program).unwrap_or_else(|e| panic!("{}", print_with_errors(&program, &e)));
    program
}

/// Calls `f0`; gives the result or the fault.
fn run(text: &str, args: &[Datum]) -> String {
    match eval(&parse(text), Id::new(0), args.to_vec()) {
        Ok(result) => result.to_string(),
        Err(fault) => {
            let message = fault.message.map(|m| format!(" {:?}", String::from_utf8(m).unwrap()));
            let (site, args) = (fault.site.name(), fault.args);
            format!("{site} {args:?} at{}{}", fault.span, message.unwrap_or_default())
        }
    }
}

fn floats(items: &[f64]) -> Datum {
    Datum::seq(items.iter().map(|&x| Datum::Scalar(prim::Const::F64(x))))
}

fn ints(items: &[i64]) -> Datum {
    Datum::ints(items.iter().copied())
}
