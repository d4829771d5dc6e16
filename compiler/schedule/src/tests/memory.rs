//! What is made over what.

use super::{Fusion, agree, compile, floats, int, ints};
use expect_test::{Expect, expect};

/// The steps that make buffers, and the kernels' arguments.
fn check(text: &str, expected: &Expect) {
    let stations = compile(text, Fusion::Greedy);
    let (plan, kernels) = (stations.plan.to_string(), stations.kernels.to_string());
    let made = plan.lines().filter(|line| line.contains(" = buffer "));
    let heads = kernels.lines().filter(|line| line.starts_with("kernel "));
    expected.assert_eq(&made.chain(heads).map(|line| format!("{line}\n")).collect::<String>());
}

/// Two scans and a map; `v1` is used twice, `v2` and what comes after it once.
const CHAIN: &str = r"fn f0 chain(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
  v3: vec i64 [s1] = scan [s1] max \x0 x1 { x2 = read v2 x0; x3 = read v1 x0; x4 = mul x2 x3; yield x4 }
  v4: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v3 x0; yield x2 }
  yield v2 v4
}
";

/// The element beside the own one.
const SHIFT: &str = r"fn f0 shift(v0: i64, v1: vec i64 pool) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = add x0 1
    x3 = min x2 x0
    x4 = read v1 x3
    yield x4
  }
  yield v2
}
";

/// The same three times, of which the last needs only the one before it.
const SHIFTS: &str = r"fn f0 shifts(v0: i64, v1: vec i64 pool) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = add x0 1; x3 = min x2 x0; x4 = read v1 x3; yield x4 }
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = sub x0 1; x3 = max x2 0; x4 = read v2 x3; yield x4 }
  v4: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = sub x0 1; x3 = max x2 0; x4 = read v3 x3; yield x4 }
  v5: vec i64 [s1] = scan [s1] max \x0 x1 { x2 = sub x0 1; x3 = max x2 0; x4 = read v4 x3; yield x4 }
  yield v5
}
";

/// As above, but the first result is needed to the end.
const KEPT: &str = r"fn f0 kept(v0: i64, v1: vec i64 pool) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = sub x0 1; x3 = max x2 0; x4 = read v1 x3; yield x4 }
  v3: vec i64 [s1] = scan [s1] max \x0 x1 { x2 = sub x0 1; x3 = max x2 0; x4 = read v2 x3; yield x4 }
  v4: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = sub x0 1; x3 = max x2 0; x4 = read v3 x3; yield x4 }
  yield v2 v4
}
";

/// A view that starts at `v0`.
const VIEW: &str = r"fn f0 view(v0: i64, v1: i64, v2: vec i64 pool) {
  s1 = [s0 > v1]
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = add v0 x0
    x3 = read v2 x2
    x4 = mul x3 x3
    yield x4
  }
  yield v3
}
";

/// A division that may fail.
const FAILS: &str = r"fn f0 fails(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = div 100 x2 @0:1:2; yield x3 }
  yield v2
}
";

/// An input for each of two outputs of one launch, of two types.
const TWO: &str = r"fn f0 two(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec f64 [s1]) {
  s1 = [s0 > v0]
  v4: vec f64 [s1], v5: vec i64 [s1], v6: vec f64 [s1] = map [s1] \x0 x1 {
    x2 = read v1 x0
    x3: f64 = read v2 x0
    x4: f64 = read v3 x0
    x5 = mul x3 x4
    x6 = add x2 1
    yield x5 x6 x3
  }
  yield v4 v5 v6
}
";

#[test]
fn inputs_that_end() {
    check(
        CHAIN,
        &expect![[r#"
          b1: i64 = buffer n0
          b2: i64 = buffer n0 over b0
          b3: i64 = buffer n0 over b2
        kernel k0 chain(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
        kernel k1 chain(a0: in i64, a1: in i64, a2: i64, a3: out i64 over a1) tiles of 16384 over a2 as x0 x1 x2 {
        kernel k2 chain(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 16384 over a1 as x0 x1 x2 {
    "#]],
    );
    check(
        TWO,
        &expect![[r#"
          b3: f64 = buffer n0 over b1
          b4: i64 = buffer n0 over b0
          b5: f64 = buffer n0 over b2
        kernel k0 two(a0: in i64, a1: in f64, a2: in f64, a3: i64, a4: out f64 over a1, a5: out i64 over a0, a6: out f64 over a2) tiles of 16384 over a3 as x0 x1 x2 {
    "#]],
    );
    check(
        VIEW,
        &expect![[r#"
          b1: i64 = buffer n1 over b0 at n0
        kernel k0 view(a0: i64, a1: in i64, a2: i64, a3: out i64 over a1 at a0) tiles of 16384 over a2 as x0 x1 x2 {
    "#]],
    );
}

#[test]
fn inputs_that_are_needed() {
    check(
        SHIFT,
        &expect![[r#"
          b1: i64 = buffer n0
        kernel k0 shift(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
    "#]],
    );
    check(
        FAILS,
        &expect![[r#"
          b1: i64 = buffer n0
        kernel k0 fails(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
    "#]],
    );
}

#[test]
fn what_is_dead() {
    check(
        SHIFTS,
        &expect![[r#"
          b1: i64 = buffer n0
          b2: i64 = buffer n0
          b3: i64 = buffer n0 over b1
          b4: i64 = buffer n0 over b2
        kernel k0 shifts(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
        kernel k1 shifts(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
        kernel k2 shifts(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
        kernel k3 shifts(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
    "#]],
    );
    check(
        KEPT,
        &expect![[r#"
          b1: i64 = buffer n0
          b2: i64 = buffer n0
          b3: i64 = buffer n0
        kernel k0 kept(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
        kernel k1 kept(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
        kernel k2 kept(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
    "#]],
    );
}

#[test]
fn they_agree() {
    agree(CHAIN, &[int(5), ints(&[1, 5, -2, 3, 9])]);
    agree(TWO, &[int(3), ints(&[1, 5, 2]), floats(&[1.5, 2.0, 3.0]), floats(&[2.0, 4.0, 1.0])]);
    agree(VIEW, &[int(0), int(3), ints(&[1, 5, 2])]);
    agree(VIEW, &[int(2), int(3), ints(&[1, 5, 2, 7, 8])]);
    agree(SHIFT, &[int(3), ints(&[1, 5, 2])]);
    agree(SHIFTS, &[int(5), ints(&[1, 5, -2, 3, 9])]);
    agree(KEPT, &[int(5), ints(&[1, 5, -2, 3, 9])]);
    agree(FAILS, &[int(3), ints(&[1, 5, 0])]);
}
