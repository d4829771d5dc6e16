//! What is the same in all lanes.

use super::{law, stays};
use expect_test::expect;

/// `plus_scan` of `n` times `c` is `[0, c, 2 c, ...]`, also in segments.
#[test]
fn prefixes_of_a_constant_are_a_range() {
    law(
        r"fn f0 ranges(v0: i64, v1: i64, v2: vec i64 offsets s1) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v2]
  v3: vec i64 [s1], v4: vec i64 [s1] = scan [s1] add max \x0 x1 { yield 3 v1 }
  v5: vec i64 [s2], v6: vec bool [s2] = scan [s2] add and \x0 x1 x2 { yield v1 F }
  yield v3 v4 v5 v6
}

",
        &["scan_constants", "simplify_code"],
        &expect![[r#"
            fn f0 ranges(v0: i64, v1: i64, v2: vec i64 offsets s1) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v2]
              v3: vec i64 [s1], v4: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = mul x1 3
                x3 = gt x1 0
                x4 = select x3 v1 -9223372036854775808
                yield x2 x4
              }
              v5: vec i64 [s2], v6: vec bool [s2] = map [s2] \x0 x1 x2 {
                x3 = mul x2 v1
                x4 = gt x2 0
                x5 = select x4 F T
                yield x3 x5
              }
              yield v3 v4 v5 v6
            }

        "#]],
    );
}

/// `sum` of `n` times `c` is `n c`; the least of them is `c`, if there is one.
#[test]
fn a_sum_of_a_constant_is_a_product() {
    law(
        r"fn f0 products(v0: i64, v1: i64, v2: vec i64 offsets s1) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v2]
  s3 = [s1 > v1]
  v3: i64, v4: i64 = reduce [s1] add min \x0 x1 { yield 3 v1 }
  v5: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { yield v1 }
  v6: vec i64 [s1], v7: vec bool [s1] = reduce [s3] max or \x0 x1 x2 { yield 7 T }
  yield v3 v4 v5 v6 v7
}

",
        &["scan_constants", "simplify_code"],
        &expect![[r#"
            fn f0 products(v0: i64, v1: i64, v2: vec i64 offsets s1) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v2]
              s3 = [s1 > v1]
              v3: i64, v4: i64 = map [s0] \{
                x0 = max v0 0
                x1 = mul x0 3
                x2 = gt x0 0
                x3 = select x2 v1 9223372036854775807
                yield x1 x3
              }
              v5: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = add x0 1
                x3 = read v2 x0
                x4 = read v2 x2
                x5 = sub x4 x3
                x6 = mul x5 v1
                yield x6
              }
              v6: vec i64 [s1], v7: vec bool [s1] = map [s1] \x0 x1 {
                x2 = max v1 0
                x3 = gt x2 0
                x4 = select x3 7 -9223372036854775808
                yield x4 x3
              }
              yield v3 v4 v5 v6 v7
            }

        "#]],
    );
}

/// Sums of floats are rounded at each step, and a product of ints is no multiple.
#[test]
fn other_sums_of_constants_stay() {
    let text = r"fn f0 rounded(v0: i64, v1: f64) {
  s1 = [s0 > v0]
  v2: f64 = reduce [s1] add \x0 x1 { yield v1:f64 }
  v3: i64 = reduce [s1] mul \x0 x1 { yield 3 }
  yield v2 v3
}

";
    stays(text, &["scan_constants"]);
}

/// What is the same in all lanes is computed once, if it cannot fail.
#[test]
fn what_is_dear_and_the_same_is_computed_once() {
    law(
        r"fn f0 scaled(v0: i64, v1: f64, v2: i64, v3: vec f64 [s1]) {
  s1 = [s0 > v0]
  v4: vec f64 [s1] = map [s1] \x0 x1 {
    x2 = mul v1:f64 v1:f64
    x3 = sqrt x2
    x4: f64 = read v3 x0
    x5 = div x4 x3
    x6 = div 12 v2 @0:3:7
    x7 = div x6 4 @0:3:8
    x8 = tofloat x7
    x9 = add x5 x8
    yield x9
  }
  yield v4
}

",
        &["hoist_invariants"],
        &expect![[r#"
            fn f0 scaled(v0: i64, v1: f64, v2: i64, v3: vec f64 [s1]) {
              s1 = [s0 > v0]
              v5: f64 = map [s0] \{ x0 = mul v1:f64 v1:f64; x1 = sqrt x0; yield x1 }
              v4: vec f64 [s1] = map [s1] \x0 x1 {
                x2: f64 = read v3 x0
                x3 = div x2 v5:f64
                x4 = div 12 v2 @0:3:7
                x5 = div x4 4 @0:3:8
                x6 = tofloat x5
                x7 = add x3 x6
                yield x7
              }
              yield v4
            }

        "#]],
    );
}

/// What is computed twice for a lane is computed once, but not what may not run: an arm that does
/// not run does not fail.
#[test]
fn equal_operations_of_a_lane_are_one() {
    law(
        r"fn f0 twice(v0: i64, v1: vec i64 [s1], v2: i64) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = mul x2 v2
    x4 = read v1 x0
    x5 = mul x4 v2
    x6 = add x3 x5
    x7 = gt x6 0
    x9 = if x7 {
      x8 = div v2 x6 @0:3:7
      yield x8
    } else {
      yield x5
    }
    yield x9
  }
  yield v3
}

",
        &["simplify_code"],
        &expect![[r#"
            fn f0 twice(v0: i64, v1: vec i64 [s1], v2: i64) {
              s1 = [s0 > v0]
              v3: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = read v1 x0
                x3 = mul x2 v2
                x4 = add x3 x3
                x5 = gt x4 0
                x7 = if x5 {
                  x6 = div v2 x4 @0:3:7
                  yield x6
                } else {
                  yield x3
                }
                yield x7
              }
              yield v3
            }

        "#]],
    );
}
