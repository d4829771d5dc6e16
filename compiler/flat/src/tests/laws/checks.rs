//! Checks that were made before, and scalars that the host has.

use super::{law, stays};
use expect_test::expect;

/// Two sequences that are zipped twice.
fn zipped(second: &str) -> String {
    format!(
        r"fn f0 zipped(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {{
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: i64 = map [s0] \{{ x0 = eq v0 v2; require length x0 v0 v2 @1:1:2; x1 = min v0 v2; yield x1 }}
  s3 = [s0 > v4]
  v5: i64 = map [s0] \{{ {second} }}
  s4 = [s0 > v5]
  v6: i64 = reduce [s3] add \x0 x1 {{ x2 = read v1 x1; x3 = read v3 x1; x4 = mul x2 x3; yield x4 }}
  v7: i64 = reduce [s4] max \x0 x1 {{ x2 = read v1 x1; x3 = read v3 x1; x4 = sub x2 x3; yield x4 }}
  yield v6 v7
}}

"
    )
}

const BOTH: [&str; 3] = ["remove_checks", "share_equal_statements", "remove_dead_statements"];

#[test]
fn a_check_is_made_once() {
    law(
        &zipped("x0 = eq v0 v2; require length x0 v0 v2 @1:3:4; x1 = min v0 v2; yield x1"),
        &BOTH,
        &expect![[r#"
            fn f0 zipped(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s0 > v2]
              v4: i64 = map [s0] \{ x0 = eq v0 v2; require length x0 v0 v2 @1:1:2; x1 = min v0 v2; yield x1 }
              s3 = [s0 > v4]
              s4 = [s0 > v4]
              v6: i64 = reduce [s3] add \x0 x1 { x2 = read v1 x1; x3 = read v3 x1; x4 = mul x2 x3; yield x4 }
              v7: i64 = reduce [s3] max \x0 x1 { x2 = read v1 x1; x3 = read v3 x1; x4 = sub x2 x3; yield x4 }
              yield v6 v7
            }

        "#]],
    );
}

#[test]
fn another_check_is_made_too() {
    stays(
        &zipped("x0 = ge v0 v2; require length x0 v0 v2 @1:3:4; x1 = min v0 v2; yield x1"),
        &["share_equal_statements"],
    );
    stays(
        &zipped("x0 = lt v0 v2; require length x0 v0 v2 @1:3:4; x1 = min v0 v2; yield x1"),
        &BOTH,
    );
}

/// What one lane has checked, lanes of another space have not.
#[test]
fn lanes_check_for_themselves() {
    law(
        r"fn f0 lanes(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = gt x2 0
    require domain x3 x2 0 @1:1:2
    x4 = add x2 1
    yield x4
  }
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = gt x2 0
    require domain x3 x2 0 @1:3:4
    x4 = mul x2 2
    yield x4
  }
  v4: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = sub v0 1
    x3 = sub x2 x0
    x4 = read v1 x3
    x5 = gt x4 0
    require domain x5 x4 0 @1:5:6
    yield x4
  }
  yield v2 v3 v4
}

",
        &["remove_checks"],
        &expect![[r#"
            fn f0 lanes(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v2: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 0
                require domain x3 x2 0 @1:1:2
                x4 = add x2 1
                yield x4
              }
              v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 2; yield x3 }
              v4: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = sub v0 1
                x3 = sub x2 x0
                x4 = read v1 x3
                x5 = gt x4 0
                require domain x5 x4 0 @1:5:6
                yield x4
              }
              yield v2 v3 v4
            }

        "#]],
    );
}

/// A check in an arm says nothing after it.
#[test]
fn arms_check_for_themselves() {
    stays(
        r"fn f0 arms(v0: i64, v1: i64) {
  v2: bool = map [s0] \{ x0 = gt v1 3; yield x0 }
  v3: i64 = if v2 {
    v4: i64 = map [s0] \{ x0 = gt v0 v1; require domain x0 v0 v1 @1:1:2; yield v0 }
    yield v4
  } else {
    yield 7
  }
  v5: i64 = map [s0] \{ x0 = gt v0 v1; require domain x0 v0 v1 @1:3:4; yield v0 }
  yield v3 v5
}

",
        &BOTH,
    );
}
