//! Texts of the four stations and of scalar code: readers and verifiers take any text, and what
//! reads and verifies reads back equal when it is printed.
#![no_main]

use base::{Id, define_id};
use libfuzzer_sys::fuzz_target;
use prim::Ty;
use scalar::{Code, Func, Function, Scope};
use std::fmt::{Debug, Display};

define_id!(Outer, "v", "A value outside the scalar code.");

/// What is around scalar code: `v0..v9` are float vectors, `v10..v19` int vectors, others ints.
struct Around;

impl Scope<Outer> for Around {
    fn outer(&self, name: Outer) -> Option<Ty> {
        (name.index() >= 20).then_some(Ty::I64)
    }
    fn vector(&self, name: Outer) -> Option<Ty> {
        (name.index() < 20).then_some(if name.index() < 10 { Ty::F64 } else { Ty::I64 })
    }
    fn function(&self, _: Func) -> Option<&Function> {
        None
    }
}

fuzz_target!(|text: &str| {
    check(text, nest::read, |it| nest::verify(it).is_ok());
    check(text, flat::read, |it| flat::verify(it).is_ok());
    check(text, plan::read, |it| plan::verify(it).is_ok());
    check(text, kernel::read, |it| kernel::verify(it).is_ok());
    check(text, scalar::read, |it: &Code<Outer>| scalar::verify(it, &Around).is_ok());
});

fn check<T: PartialEq + Debug + Display, E: Debug>(
    text: &str,
    read: impl Fn(&str) -> Result<T, E>,
    verifies: impl Fn(&T) -> bool,
) {
    let Ok(program) = read(text) else { return };
    let printed = program.to_string();
    if !verifies(&program) {
        return;
    }
    let again = read(&printed).unwrap_or_else(|error| panic!("{error:?}\n{printed}"));
    assert!(again == program, "reads back as another:\n{printed}\n{again}");
    assert!(verifies(&again), "does not verify any more:\n{printed}");
}
