//! Which functions are descents.

use super::parse;
use crate::Func;
use crate::descent::{Part, descents};
use base::Id;

/// A function of lanes that halves their lengths until they are done.  Its steps, and what it gives
/// the next call, are filled in.
fn program(steps: &str, length: &str, after: &str) -> String {
    format!(
        "entries f0

lanes l0 of f2 by f1

plan f0 main(n0: i64, b0: i64) {{
  b1: i64 = call f1(n0, b0, b0)
  yield b1
}}

plan f1 down(n0: i64, b0: i64, b1: i64) layout (len 0 1, item 1, into 0) to (into 0) {{
  free b0
  yield b1
}}

plan f2 down^(n0: i64, b0: i64, b1: i64, b2: i64) {{
  n1: bool = eval \\{{ x0 = gt n0 0; yield x0 }}
  b3: i64 = if n1 {{
    b4: i64 = buffer n0
    launch c0(b0, b4) work n0
    free b0
{steps}    b5: i64 = call f2(n0, {length}, b1, b2)
{after}    yield b5
  }} else {{
    free b0
    yield b2
  }}
  yield b3
}}

cluster c0 down^(r0: in i64, r1: out i64) {{
}}

"
    )
}

/// The parts of the parameters of its descents.
fn parts(text: &str) -> Vec<Vec<Part>> {
    let found = descents(&parse(text));
    assert!(found.iter().all(|descent| descent.func == Func::new(2)));
    found.into_iter().map(|descent| descent.params).collect()
}

#[test]
fn what_calls_itself_last_is_one() {
    let parts = parts(&program("", "b4", "    free b4\n"));
    assert_eq!(parts, [[Part::Length, Part::Shared, Part::Into]]);
}

#[test]
fn what_goes_on_after_the_call_is_none() {
    let after = "    launch c0(b5, b4) work n0\n";
    assert_eq!(parts(&program("", "b4", after)), [[Part::Shared; 0]; 0]);
}

#[test]
fn what_copies_elements_is_none() {
    // The original is needed afterwards.
    let steps = "    b6: i64 = copy b4 n0\n    launch c0(b4, b6) work n0\n";
    assert_eq!(parts(&program(steps, "b6", "")), [[Part::Shared; 0]; 0]);
}

#[test]
fn what_has_other_buffers_than_the_call_before_is_none() {
    // The lengths of two calls before are passed as those of lanes, and as what all share.
    let steps = "    b6: i64 = alias b1\n";
    assert_eq!(parts(&program(steps, "b6", "")), [[Part::Shared; 0]; 0]);
}
