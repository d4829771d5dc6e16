//! Programs that break rules, and text that is no program.

use super::*;
use crate::verify_lengths;
use expect_test::{Expect, expect};

/// Verifies a program that breaks rules; the errors stand under their lines.
fn broken(text: &str, expect: &Expect) {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let errors = verify(&program).unwrap_err();
    expect.assert_eq(&print_with_errors(&program, &errors));
}

/// The same for a program that comes from flattening.
fn unchecked(text: &str, expect: &Expect) {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let errors = verify_lengths(&program).unwrap_err();
    expect.assert_eq(&print_with_errors(&program, &errors));
}

#[test]
fn operations() {
    broken(
        r"entries f0, f9

fn f0 wrong(v0: i64, v1: vec f64 [s1], v10: vec i64 [s0]) {
  s1 = [s0 > v0]
  s2 = [s1 > 2]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2: f64 = read v1 x0; yield x2 }
  v3: f64 = reduce [s2] add mul \x0 x1 x2 { yield v5 }
  v4: vec bool [s1] = scan [s1] max \x0 { yield T }
  v5: vec i64 [s2] = sort [s0] \{ yield 1 }
  v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield 1.0 }
  v7: vec i64 [s1] = scatter [s1] to [s1] write v1 \x0 x1 { yield x0 x1 }
  v8: i64 = literal i64 (1, T)
  v9: vec i64 [s7] = map [s7] \x0 x1 { yield x0 }
  v2: vec i64 [s1] = map [s0] \{ x0 = add v1:f64 1.0; x1 = read v0 0; yield 1 }
  yield v99
}

",
        &expect![[r#"
            entries f0, f9
            -- error: f9: is missing

            fn f0 wrong(v0: i64, v1: vec f64 [s1], v10: vec i64 [s0]) {
            -- error: v10: a value of the root is a scalar
              s1 = [s0 > v0]
              s2 = [s1 > 2]
              v2: vec i64 [s1] = map [s1] \x0 x1 { x2: f64 = read v1 x0; yield x2 }
              -- error: v2: expected (vec f64 [s1]), found (vec i64 [s1])
              v3: f64 = reduce [s2] add mul \x0 x1 x2 { yield v5 }
              -- error: yield: v5 is no scalar here
              -- error: reduce: 2 monoids for 1 yields
              -- error: v3: expected (vec i64 [s1]), found (f64)
              v4: vec bool [s1] = scan [s1] max \x0 { yield T }
              -- error: scan: code over s1 has 2 parameters of type i64
              -- error: scan: max is no monoid of bool
              v5: vec i64 [s2] = sort [s0] \{ yield 1 }
              -- error: sort: cannot work over the root
              -- error: v5: expected (i64), found (vec i64 [s2])
              v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield 1.0 }
              -- error: offsets: its code yields (f64), not (i64)
              v7: vec i64 [s1] = scatter [s1] to [s1] write v1 \x0 x1 { yield x0 x1 }
              -- error: scatter: writes over (vec i64 [s1]), not (vec f64 [s1])
              v8: i64 = literal i64 (1, T)
              -- error: literal: T is not of type i64
              -- error: v8: expected (vec i64 pool), found (i64)
              v9: vec i64 [s7] = map [s7] \x0 x1 { yield x0 }
              -- error: map: there is no space s7
              -- error: v9: there is no space s7
              v2: vec i64 [s1] = map [s0] \{ x0 = add v1:f64 1.0; x1 = read v0 0; yield 1 }
              -- error: x0: v1 is no scalar here
              -- error: x1: v0 is no vector here
              -- error: v2: expected (i64), found (vec i64 [s1])
              -- error: v2: is defined twice
              yield v99
              -- error: yield: v99 is not defined here
            }

        "#]],
    );
}

#[test]
fn spaces() {
    broken(
        r"fn f0 wrong(v0: f64, v1: vec i64 offsets s1) {
  s1 = [s0 > v0]
  s2 = [s0 > offsets v1]
  s3 = [s1 > offsets v2]
  s4 = [s1 > 3] from s2 at v1
  v3: i64 = if T {
    v4: i64 = map [s0] \{ yield 1 }
    s5 = [s0 > v4]
    yield v4
  } else {
    yield 2
  }
  v5: vec i64 [s5] = map [s5] \x0 x1 { yield x0 }
  v6: vec i64 [s3] = map [s3] \x0 x1 x2 { yield x0 }
}

",
        &expect![[r#"
            fn f0 wrong(v0: f64, v1: vec i64 offsets s1) {
              s1 = [s0 > v0]
              -- error: s1: its length v0 is no scalar i64
              s2 = [s0 > offsets v1]
              -- error: s2: a child of the root is regular
              s4 = [s1 > 3] from s2 at v1
              -- error: s4: s2 has another parent
              -- error: s4: v1 is not vec i64 [s4]
              v3: i64 = if T {
                v4: i64 = map [s0] \{ yield 1 }
                s5 = [s0 > v4]
                yield v4
              } else {
                yield 2
              }
              v5: vec i64 [s5] = map [s5] \x0 x1 { yield x0 }
              -- error: map: the shape v4 of s5 is not defined here
              -- error: v5: the shape v4 of s5 is not defined here
              v6: vec i64 [s3] = map [s3] \x0 x1 x2 { yield x0 }
              -- error: map: the shape v2 of s3 is not defined here
              -- error: v6: the shape v2 of s3 is not defined here
              s3 = [s1 > offsets v2]
              -- error: s3: v2 is not vec i64 offsets s1
            }

        "#]],
    );
    broken(
        r"fn f0 cycle() {
  s1 = [s2 > 1]
  s2 = [s1 > 1]
  v1: vec i64 [s2] = map [s2] \x0 x1 { yield x0 }
}

fn f1 next() {
  v1: vec i64 pool = literal i64 (T)
}

",
        &expect![[r#"
            fn f0 cycle() {
              s1 = [s2 > 1]
              -- error: s1: the number of its parent is not smaller
              s2 = [s1 > 1]
              v1: vec i64 [s2] = map [s2] \x0 x1 { yield x0 }
            }

            fn f1 next() {
              v1: vec i64 pool = literal i64 (T)
              -- error: literal: T is not of type i64
            }

        "#]],
    );
}

#[test]
fn filters_calls_and_arms() {
    broken(
        r"fn h0 f(x0) -> i64 {
  yield T
}

fn f0 wrong(v0: i64, v1: vec f64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1], v3: i64 = filter [s1] \x0 x1 { yield T }
  v4: vec i64 [s2], v5: i64 = filter [s1] \x0 x1 { yield 1 }
  s2 = [s0 > v5] from s1 at v4
  v6: i64, v7: f64 = call f0(1.0, v1)
  v8: i64 = call f1(v1) @0:1:2
  v9: vec f64 pool, v10: i64 = if v0 {
    v11: i64 = map [s0] \{ x0 = call h0(1.0); yield x0 }
    yield v11 v11
  } else {
    yield v1
  }
  yield v11 v9
}

",
        &expect![[r#"
            fn h0 f(x0) -> i64 {
            -- error: h0: yields (bool), but its results are (i64)
              yield T
            }

            fn f0 wrong(v0: i64, v1: vec f64 [s1]) {
              s1 = [s0 > v0]
              v2: vec i64 [s1], v3: i64 = filter [s1] \x0 x1 { yield T }
              -- error: v2: s1 is not filtered from s1 so
              v4: vec i64 [s2], v5: i64 = filter [s1] \x0 x1 { yield 1 }
              -- error: filter: its code yields (i64), not (bool)
              s2 = [s0 > v5] from s1 at v4
              v6: i64, v7: f64 = call f0(1.0, v1)
              -- error: f0: expected (i64, vec f64 [s1]), found (f64, vec f64 [s1])
              -- error: f0: expected (i64, vec f64 pool), found (i64, f64)
              v8: i64 = call f1(v1) @0:1:2
              -- error: f1: there is no such function
              v9: vec f64 pool, v10: i64 = if v0 {
              -- error: if: expected (bool), found (i64)
                v11: i64 = map [s0] \{ x0 = call h0(1.0); yield x0 }
                -- error: h0: arguments: expected (i64), found (f64)
                yield v11 v11
                -- error: yield: expected (vec f64 pool, i64), found (i64, i64)
              } else {
                yield v1
                -- error: yield: expected (vec f64 pool, i64), found (vec f64 [s1])
              }
              yield v11 v9
              -- error: yield: v11 is not defined here
            }

        "#]],
    );
}

#[test]
fn segments_without_offsets_are_not_sorted() {
    broken(
        r"fn f0 wrong(v0: i64, v1: vec f64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > v0]
  v2: vec f64 [s2] = sort [s2] \x0 x1 x2 { x3: f64 = read v1 x1; yield x3 }
  yield v2
}

",
        &expect![[r#"
            fn f0 wrong(v0: i64, v1: vec f64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > v0]
              v2: vec f64 [s2] = sort [s2] \x0 x1 x2 { x3: f64 = read v1 x1; yield x3 }
              -- error: sort: the segments of s2 have no offsets
              yield v2
            }

        "#]],
    );
}

#[test]
fn what_cannot_be_read() {
    let message = |text: &str| read(text).unwrap_err().to_string();
    expect!["line 1: expected f0, found f1"].assert_eq(&message("fn f1 a() { }"));
    expect!["line 1: there is no operation `transpose`"]
        .assert_eq(&message("fn f0 a() { v0: i64 = transpose [s0] }"));
    expect!["line 2: s1 is missing"].assert_eq(&message("fn f0 a() {\n s2 = [s0 > 1] }"));
    expect!["line 3: s1 is defined twice"]
        .assert_eq(&message("fn f0 a() {\n s1 = [s0 > 1]\n s1 = [s0 > 1] }"));
    expect!["line 1: expected a scalar type, found `)`"]
        .assert_eq(&message("fn f0 a(v0: vec) { }"));
    expect!["line 1: v99999999 is above v4194304"]
        .assert_eq(&message("fn f0 a(v99999999: i64) { }"));
    expect!["line 1: blocks are nested more than 200 deep"]
        .assert_eq(&message(&format!("fn f0 a() {{ {}", "if T { ".repeat(1000))));
    expect!["line 1: expected a text, found `5`"]
        .assert_eq(&message("fn f0 a() { v0: vec char pool = literal char 5 }"));
}

#[test]
fn constants_wider_than_numbers() {
    broken(
        r"widths int 32 float 32
entries f0

fn f0 wide(v0: i64) {
  s1 = [s0 > 2147483648]
  v1: i64 = reduce [s1] min \x0 x1 { yield 9223372036854775807 }
  v2: vec i64 pool = literal i64 (1, -2147483649)
  yield v1
}

",
        &expect![[r#"
            widths int 32 float 32

            entries f0

            fn f0 wide(v0: i64) {
              s1 = [s0 > 2147483648]
              v1: i64 = reduce [s1] min \x0 x1 { yield 9223372036854775807 }
              -- error: yield: 9223372036854775807 is wider than the program's numbers
              v2: vec i64 pool = literal i64 (1, -2147483649)
              -- error: literal: -2147483649 is wider than the program's numbers
              yield v1
            }

        "#]],
    );
}

#[test]
fn lengths_that_nothing_has_checked() {
    unchecked(
        r"fn f0 sums(v0: i64, v1: i64) {
  s1 = [s0 > v2]
  s2 = [s0 > v4]
  s3 = [s0 > v5]
  v2: i64 = map [s0] \{ x0 = mul v0 v1; yield x0 }
  v3: i64, v4: i64 = map [s0] \{ x0 = add v0 v1; x1 = max x0 0; yield x0 x1 }
  v5: i64 = if T {
    yield v3
  } else {
    yield 7
  }
  v6: vec i64 [s1] = map [s1] \x0 x1 { yield x0 }
  yield v6
}

",
        &expect![[r#"
            fn f0 sums(v0: i64, v1: i64) {
              v2: i64 = map [s0] \{ x0 = mul v0 v1; yield x0 }
              s1 = [s0 > v2]
              -- error: s1: its length v2 is not checked
              v3: i64, v4: i64 = map [s0] \{ x0 = add v0 v1; x1 = max x0 0; yield x0 x1 }
              s2 = [s0 > v4]
              -- error: s2: its length v4 is not checked
              v5: i64 = if T {
                yield v3
              } else {
                yield 7
              }
              s3 = [s0 > v5]
              -- error: s3: its length v5 is not checked
              v6: vec i64 [s1] = map [s1] \x0 x1 { yield x0 }
              yield v6
            }

        "#]],
    );
}

#[test]
fn lengths_that_are_checked() {
    let text = r"fn f0 sums(v0: i64, v1: i64) {
  s1 = [s0 > v2]
  s2 = [s0 > v4]
  s3 = [s0 > v5]
  v2: i64 = map [s0] \{
    x0 = add v0 v1
    x1 = sub 140737488355328 v1
    x2 = le v0 x1
    require memory x2 x0 -1
    yield x0
  }
  v3: i64 = map [s0] \{ x0 = add v0 v1; yield x0 }
  v4: i64 = map [s0] \{
    x0 = le v3 140737488355328
    require memory x0 v3 -1
    x1 = max v3 0
    yield x1
  }
  v5: i64 = map [s0] \{ x0 = mul v0 v1; x1 = min x0 v0; x2 = add x1 1; yield x2 }
  v6: vec i64 [s1] = map [s1] \x0 x1 { yield x0 }
  yield v6
}

";
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(verify_lengths(&program), Ok(()));
}
