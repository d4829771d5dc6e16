//! When vectors are there, and in which memory.

use super::parse;
use crate::lifetimes::{Lifetimes, lifetimes};
use expect_test::expect;
use std::fmt::Write;

/// A line for each moment and each vector, and how many are there at once.
fn shown(found: &Lifetimes) -> String {
    let mut out = format!("{}\n", found.name);
    for (n, moment) in found.moments.iter().enumerate() {
        let _ = writeln!(out, "{n} {}{}", "  ".repeat(moment.depth), moment.text);
    }
    for vector in &found.vectors {
        let from = vector.from.map_or("given".to_owned(), |from| from.to_string());
        let len = vector.len.clone().unwrap_or_default();
        let names: Vec<String> = vector.names.iter().map(ToString::to_string).collect();
        let (names, memory) = (names.join(" = "), vector.memory);
        let _ = writeln!(out, "{names} [{len}] in {memory}: {from} to {}", vector.to);
    }
    let _ = writeln!(out, "at most {}", found.most());
    out
}

/// Room, copies in place, memory of another, branches, calls, and results that are numbers.
const PROGRAM: &str = r"entries f0

plan f0 f(n0: i64, b0: i64, n1: bool) {
  b1: i64 = room n0
  launch c0(n0, b0, set n2: i64, b1) work n0
  free b0
  b2: i64 = copy b1 n2
  free b1
  b3: i64 = buffer n2 over b2
  launch c1(b2, n2, b3) work n2
  free b2
  b4: i64 = if n1 {
    b5: i64 = copy b3 1
    launch c2(b3, b5) work n2
    free b3
    yield b5
  } else {
    b6: i64 = alias b3
    free b3
    yield b6
  }
  b7: i64 = call f1(b4)
  free b4
  yield n2 b7
}

plan f1 g(b0: i64) {
  b1: i64 = zeros 3
  free b0
  yield b1
}

plan f2 h(n0: i64) {
  yield n0
}

plan f3 i(b0: i64) {
  b1: i64 = zeros 1
  free b1
  b2: i64 = zeros 2
  n0: i64 = eval \{ x0 = read b0 0; yield x0 }
  free b0
  free b2
  yield n0
}

cluster c0 f(r0: i64, r1: in i64, r2: set i64, r3: out i64) {
  s1 = [s0 > r0] lanes r0
  s2 = [s0 > 0] lanes 0 from s1
  r4: i64 [s2], r5: i64 [s0] = filter [s1] to [s2] \x0 x1 {
    x2 = read r1 x0
    x3 = gt x2 0
    yield x3
  } push r3, r2
}

cluster c1 f(r0: in i64, r1: i64, r2: out i64) {
  s1 = [s0 > r1] lanes r1
  r3: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; yield x2 } push r2
}

cluster c2 f(r0: in i64, r1: out i64) {
  s1 = [s0 > 1] lanes 1
  r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; yield x2 } push r1
}

";

#[test]
fn memory_goes_from_vector_to_vector() {
    let program = parse(PROGRAM);
    let all: Vec<String> = lifetimes(&program).iter().map(shown).collect();
    expect![[r#"
        f
        0 launch c0
        1 launch c1
        2 if
        3   copy b3
        4   launch c2
        5 else
        6 call g
        7 result
        b0 [] in 0: given to 0
        b1 = b2 [n0] in 1: 0 to 1
        b3 = b6 [n2] in 1: 1 to 5
        b5 [1] in 2: 3 to 4
        b4 [] in 2: 6 to 6
        b7 [] in 3: 6 to 7
        at most 2

        g
        0 zeros
        1 result
        b0 [] in 0: given to 0
        b1 [3] in 1: 0 to 1
        at most 2

        i
        0 zeros
        1 zeros
        2 result
        b0 [] in 0: given to 1
        b1 [1] in 1: 0 to 0
        b2 [2] in 2: 1 to 1
        at most 2
    "#]]
    .assert_eq(&all.join("\n"));
}
