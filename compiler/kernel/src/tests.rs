//! Text of kernels is read as it was printed; rules are enforced.

mod counts;
mod over;
mod simulate;

use crate::{print_with_errors, read, verify};
use expect_test::{Expect, expect};

fn check(text: &str) {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(errors) = verify(&program) {
        panic!("{}", print_with_errors(&program, &errors));
    }
    assert_eq!(program.to_string(), text);
}

/// Errors stand under their lines.
fn check_errors(text: &str, expected: &Expect) {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let errors = verify(&program).expect_err("there are errors");
    expected.assert_eq(&print_with_errors(&program, &errors));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one text with all forms")]
fn every_form_is_read_back() {
    check(
        "\
fn h0 half(x0: f64) -> f64 {
  x1 = mul x0 0.5
  yield x1
}

kernel k0 dot(a0: in f64, a1: in f64, a2: i64, a3: out f64) tiles of 16384 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0.0 {
    x5: f64 = read a0 x3
    x6: f64 = read a1 x3
    x7 = mul x5 x6
    x8 = add x4 x7
    next x8 add
  } gives x9
  partial 0 x9
} finish x10: f64 = add {
  store a3 0 x10
}

kernel k1 \"odd name\"(a0: inout i64, a1: i64, a2: out char) once as x0 x1 x2 {
  x3: f64 = call h0(2.0) @0:1:2
  x4 = lt x3 1.0
  when x4 {
    positions x0 x1
    store a0 0 1
  } else {
    positions
    require index x4 a1 3 @0:4:5
  }
  chain x5 = add a1, x6 = max 2.0
  for x7 in 0 .. a1 carry x8 = 1, x9 = x3 {
    x10 = if x4 {
      yield x8
    } else {
      x11 = add x8 1
      yield x11
    }
    next x10, x9 mul
  } gives x12, x13
  pack x14 in 0 .. x12 {
    x15 = eq x14 x12
  } keep x15 at x16 = x5 {
    x17 = codechar x14 @0:7:8
  } store a0 x14, a2 x17 gives x18
  pack x19 in 0 .. x18 {
  } keep T at x20 = 0 {
  } store a0 x19 gives x21
}

kernel k2 count(a0: i64, a1: in i64, a2: out i64) tiles of 64 over a0 by a1 of a0 as x0 x1 x2 {
}

kernel k3 cut(a0: i64, a1: in i64, a2: out i64) tiles of 64 over a0 cut by a1 of a0 as x0 x1 x2 x3 x4 x5 {
}

kernel k4 cut(a0: i64, a1: i64, a2: out i64) tiles of 64 over a0 cut every a1 as x0 x1 x2 x3 x4 x5 {
}

kernel k5 own(a0: i64, a1: out i64) owners over a0 as x0 x1 x2 {
} finish {
  store a1 0 1
}

kernel k6 order(a0: in f64, a1: i64, a2: in i64, a3: out i64) rank_down a0 of a1 in 3 by a2 to a3

kernel k7 order(a0: in char, a1: i64, a2: out char) sort a0 of a1 in 1 to a2

kernel k8 running(a0: in i64, a1: i64, a2: out i64, a3: private i64 [2], a4: private bool [2], a5: shared f64 [64]) tiles of 64 over a1 each by 32 threads x0 as x1 x2 x3 {
  for x4 in 0 .. 2 unroll {
    x5 = mul x4 32
    store a3 x4 x5
  }
  scan x6 = add a3 to a3, x7 = max a3 to a3
  barrier
  combine x8 = add x6
  chain x9 = add x8
  for x10 in x0 .. a1 stride 32 {
    store a2 x10 x9
  }
}

kernel k9 \"in turn\"(a0: i64) tiles of 64 over a0 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = chained 0 {
    x5 = add x4 x3
    next x5 add
  } gives x6
}

kernel k10 segments(a0: in i64, a1: i64, a2: private i64 [2], a3: private bool [2]) tiles of 64 over a1 cut by a0 of a1 each by 32 threads x0 as x1 x2 x3 x4 x5 x6 {
  owner x7 = x5 in x2 .. x3 by a0 of a1
  scan x8 = add a2 to a2 restarts a3 x9
  chain x10 = add x8, x11 = max x7 restarts 0 x9
}

kernel k11 \"from the start\"(a0: i64) tiles of 64 over a0 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = chained 0 {
    x5 = eq x3 7
    x6 = select x5 0 x4
    x7 = add x6 x3
    next x7 add restart x5
  } gives x8
}

kernel k12 rows(a0: in i64, a1: i64, a2: private i64 [2], a3: private bool [2], a4: shared i64 [64], a5: shared i64 [64], a6: shared bool [64]) tiles of 64 over a1 cut by a0 of a1 each by 32 threads x0 as x1 x2 x3 x4 x5 x6 {
  owners a4 of x5 .. x6 in x2 .. x3 by a0 of a1
  scan x7 = add a2 to a2 restarts a3 x8 inclusive
  ends a6 of x5 .. x6 in x2 .. x3 by a0 of a1
  x9 = sub x6 x5
  rows x10 = max a2 to a5 by a6 x11 of x9
}

kernel k13 raise(a0: inout i64) tiles of 64 over 7 as x0 x1 x2 {
  raise a0 0 x1
}

kernel k14 rows(a0: i64, a1: i64) tiles of 64 over a0 every a1 as x0 x1 x2 {
}
",
    );
}

#[test]
fn rules() {
    check_errors(
        "\
kernel k0 bad(a0: in f64, a1: i64, a2: out f64) tiles of 0 over a1 as x0 x1 x2 {
  x3: f64 = read a2 0
  store a0 0 1.0
  store a2 0.0 1
  for x4 in 0 .. a1 simd carry x5 = 0 {
    x6 = add x5 x4
    chain x7 = add x6
    next x6
  } gives x8
  partial 1 x8
  partial 0 2
  partial 0 2
  store a2 x4 1.0
} finish x9 = max {
  partial 0 x8
  chain x10 = add 1
}

kernel k1 sort(a0: in bool, a1: in bool, a2: out i64) sort a0 of 1 in 1 by a1 to a2

kernel k2 raise(a0: inout i64, a1: inout i64, a2: out i64, a3: inout f64) once as x0 x1 x2 {
  raise a0 0 1
  raise a1 0 1
  raise a2 0 1
  raise a3 0.0 1.0
  x3 = read a1 0
  store a0 1 x3
} finish {
}
",
        &expect![[r#"
            kernel k0 bad(a0: in f64, a1: i64, a2: out f64) tiles of 0 over a1 as x0 x1 x2 {
            -- error: k0: the grain is 0
              x3: f64 = read a2 0
              -- error: x3: a2 is no vector here
              store a0 0 1.0
              -- error: store: a0 is no buffer for this
              store a2 0.0 1
              -- error: store: index: expected (i64), found (f64)
              -- error: store: value: expected (f64), found (i64)
              for x4 in 0 .. a1 simd carry x5 = 0 {
              -- error: for: x5 has no monoid
                x6 = add x5 x4
                chain x7 = add x6
                -- error: chain: a tile has one, in its outermost block
                next x6
              } gives x8
              partial 1 x8
              -- error: partial: there is no partial 1 here
              partial 0 2
              partial 0 2
              -- error: partial: partial 0 is given twice
              store a2 x4 1.0
              -- error: store: x4 is not defined here
            } finish x9 = max {
              partial 0 x8
              -- error: partial: there is no partial 0 here
              chain x10 = add 1
              -- error: chain: a tile has one, in its outermost block
            }

            kernel k1 sort(a0: in bool, a1: in bool, a2: out i64) sort a0 of 1 in 1 by a1 to a2
            -- error: k1: the offsets a1 are no ints
            -- error: k1: bool is not ordered
            -- error: k1: the output is i64, not bool

            kernel k2 raise(a0: inout i64, a1: inout i64, a2: out i64, a3: inout f64) once as x0 x1 x2 {
              raise a0 0 1
              -- error: raise: a0 is used in other ways
              raise a1 0 1
              -- error: raise: a1 is used in other ways
              raise a2 0 1
              -- error: raise: a2 is no buffer for this
              raise a3 0.0 1.0
              -- error: raise: index and value: expected (i64, i64), found (f64, f64)
              -- error: raise: a3 has no ints
              x3 = read a1 0
              store a0 1 x3
            }
        "#]],
    );
}

#[test]
fn bad_text_is_refused() {
    for text in [
        "kernel k1 a() once as x0 x1 x2 { }",
        "kernel k0 a(a1: i64) once as x0 x1 x2 { }",
        "kernel k0 a() once as x0 x1 x2 { for x3 in 0 .. 1 carry x4 = 0 { } }",
        "kernel k0 a() once as x0 x1 x2 { for x3 in 0 .. 1 { next 1 } gives x4 }",
        "kernel k0 a() once as x0 x1 x2 { x3 = nothing 1 }",
        "kernel k0 a() often as x0 x1 x2 { }",
        "kernel k0 a() once as x0 x1 x2 {",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}
