//! Kernels as they are printed.

use emit::{COptions, c};

/// The C of the first kernel of a text.
pub(crate) fn print(text: &str) -> String {
    let program = kernel::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(errors) = kernel::verify(&program) {
        panic!("{}", kernel::print_with_errors(&program, &errors));
    }
    let unit = c(&program, &COptions::default()).units[0].clone();
    let (_, own) = unit.split_once("/* ---- k0").unwrap();
    own.to_owned()
}
