//! Text of plans is read as it was printed; rules are enforced.

mod descents;
mod errors;
mod home;
mod lifetimes;
mod pieces;

use crate::{Program, free_dead_buffers, print_with_errors, read, verify};
use expect_test::expect;

/// Reads a program, which must print as it was written.
fn parse(text: &str) -> Program {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(program.to_string(), text, "reading and printing gives the text back");
    program
}

#[test]
fn every_step_is_read_back() {
    let program = parse(
        r#"entries f0, f1

fn h0 half(x0: f64) -> f64 {
  x1 = mul x0 0.5
  yield x1
}

plan f0 "odd name"(n0: i64, b0: i64, b1: f64, b2: char) {
  b3: f64 = buffer n0 over b1 @0:1:2
  b11: f64 = buffer 7 over b1 at n0
  b4: i64 = literal (1, -2)
  b5: char = literal "ab\0a"
  b6: i64 = alias b4
  b7: f64 = copy b1 3 @0:1:2
  n6: i64, n7: bool = behind (b1, b4) 3 for n0
  b12: f64 = grow b1 3 at n6 to n0 @0:1:2
  b8: bool = zeros n0
  n1: i64, n2: bool = eval \{ x0 = read b0 n0; x1 = gt x0 0; yield x0 x1 }
  eval \{ require permute n2:bool n0 n1 @0:3:4 }
  launch c0(b1, n0, b3, set n3: f64) work n1
  launch c0(b1, n0, b3 past n0, set n3: f64) work n1
  n4: f64, b9: f64 = if n2 {
    b10: f64 = literal ()
    yield n3 b10
  } else {
    fail b2 n0 1 @0:4:5
    b10: f64 = literal (inf)
    yield 0.5 b3
  }
  free b10
  n5: i64 = call f1(n0, b3, T) @0:12:40
  call f1(n0, b3, F)
  yield n5 b7 2.5
}

plan f1 f(n0: i64, b0: f64, n1: bool) {
  yield n0
}

cluster c0 c(r0: in f64, r1: i64, r2: out f64, r3: set f64) {
}

"#,
    );
    assert!(verify(&program).is_err(), "b10 is set twice");
}

#[test]
fn every_node_is_read_back() {
    let program = parse(
        r#"cluster c0 all(r0: in i64, r1: i64, r2: in i64, r3: bool, r4: out i64, r5: set i64, r6: out i64) {
  s1 = [s0 > r1] lanes r1
  s2 = [s1 > offsets r0] lanes r1
  s3 = [s0 > 0] lanes 0 from s1
  r7: i64 [s1] = map [s1] \x0 x1 { x2 = read r2 x0; yield x2 }
  r8: i64 [s1], r9: bool [s1] = reduce [s2] add or \x0 x1 x2 { yield x1 r3:bool }
  r10: i64 [s2] = scan [s2] max \x0 x1 x2 { x3 = read r7 x0; yield x3 }
  r11: i64 [s3], r12: i64 [s0] = filter [s1] to [s3] \x0 x1 {
    x2: bool = read r9 x0
    yield x2
  } push none, r5
  r13: i64 [s3] = map [s3] \x0 x1 {
    x2 = read r11 x0
    x3 = read r8 x2
    x4 = if r3:bool {
      yield x3
    } else {
      yield x0
    }
    yield x4
  } push r4
  r14: i64 [s0] = offsets [s1] \x0 x1 { yield x1 } push r6
  map [s2] \x0 x1 x2 { require index r3:bool x0 x1 @0:1:2 }
}

cluster c1 write(r0: i64, r1: out char) {
  s1 = [s0 > 4] lanes 4
  s2 = [s0 > r0] lanes r0
  r2: char [s2] = scatter [s1] ordered to r0 \x0 x1 { x2 = mul x0 2; yield x2 c32 } push r1
}

cluster c2 permute(r0: out char) {
  s1 = [s0 > 4] lanes 4
  r1: char [s1] = scatter [s1] to 4 \x0 x1 { yield x0 c32 } push r0
}

cluster c3 ranks(r0: in f64, r1: in i64, r2: i64, r3: i64, r4: out i64) {
  s1 = [s0 > r2] lanes r2
  s2 = [s1 > offsets r1] lanes r3
  r5: i64 [s2] = rank_down [s2] \x0 x1 x2 { x3: f64 = read r0 x1; yield x3 } push r4
}

cluster c4 once(r0: set i64) {
  r1: i64 [s0] = map [s0] \{
    x0 = loop x1 = 0 {
      x2 = add x1 1
      x3 = lt x2 10
      yield x3 x2 x2
    }
    yield x0
  } push r0
}

"#,
    );
    verify(&program).unwrap_or_else(|e| panic!("{}", print_with_errors(&program, &e)));
}

#[test]
fn bad_text_is_refused() {
    for text in [
        "plan f1 a() { }",
        "plan f0 a(v0: i64) { }",
        "plan f0 a() { b0: i64 = eval \\{ yield 0 } }",
        "plan f0 a() { n0: i64 = launch c0() work 0 }",
        "plan f0 a() { n0: i64 = buffer 1 }",
        "plan f0 a() { launch c0() }",
        "plan f0 a() { n99999999: i64 = eval \\{ yield 0 } }",
        "cluster c0 a(r1: in i64) { }",
        "cluster c0 a() { s2 = [s0 > 1] lanes 1 }",
        "cluster c0 a() { r0: i64 [s0] = nothing [s0] \\{ yield 0 } }",
        "cluster c0 a() { r0: i64 = map [s0] \\{ yield 0 } }",
        "cluster c0 a() { r0: i64 [s0] = map [s0] \\{ yield 0 }",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn arms_free_what_is_used_last_in_them() {
    let mut program = parse(
        r"entries f0

plan f0 f(n0: i64, n1: bool, b0: i64, b1: i64, b2: i64) {
  b3: i64, b4: i64 = if n1 {
    yield b0 b1
  } else {
    b5: i64 = call f0(n0, F, b0, b0, b1) @0:1:2
    n2: i64 = eval \{ x0 = read b1 0; yield x0 }
    yield b5 b5
  }
  b6: i64 = copy b1 n0
  yield b3
}

",
    );
    let only = program.entries[0];
    free_dead_buffers(&mut program.funcs[only]);
    expect![[r#"
        entries f0

        plan f0 f(n0: i64, n1: bool, b0: i64, b1: i64, b2: i64) {
          free b2
          b3: i64, b4: i64 = if n1 {
            b7: i64 = alias b0
            free b0
            yield b7 b1
          } else {
            b5: i64 = call f0(n0, F, b0, b0, b1) @0:1:2
            free b0
            n2: i64 = eval \{ x0 = read b1 0; yield x0 }
            yield b5 b5
          }
          free b4
          b6: i64 = copy b1 n0
          free b1
          free b6
          yield b3
        }

    "#]]
    .assert_eq(&program.to_string());
}
