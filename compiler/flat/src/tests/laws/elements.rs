//! Elements that are computed where they are read.

use super::{TIDY, law};
use expect_test::expect;

/// Parts of sequences that are computed where they are read: elements of what was distributed,
/// counted, joined, reversed, rotated, zipped.
#[test]
fn elements_are_computed_where_they_are_read() {
    law(
        r"fn f0 elements(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: i64 = map [s0] \{
    x0 = add v0 v2
    x1 = sub 140737488355328 v2
    x2 = le v0 x1
    require memory x2 x0 -1 @0:1:2
    yield x0
  }
  s3 = [s0 > v4]
  v5: vec i64 [s1] = map [s1] \x0 x1 { yield v2 }
  v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = mul x1 3; x3 = add x2 v2; yield x3 }
  v7: vec i64 [s1] = map [s1] \x0 x1 { x2 = sub v0 1; x3 = sub x2 x1; x4 = read v1 x3; yield x4 }
  v8: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v5 x0
    x3 = read v6 x0
    x4 = read v7 x0
    x5 = add x2 x3
    x6 = add x5 x4
    yield x6
  }
  v9: vec i64 [s3] = map [s3] \x0 x1 {
    x2 = lt x0 v0
    x5 = if x2 {
      x3 = read v8 x0
      yield x3
    } else {
      x4 = sub x0 v0
      x6 = read v3 x4
      yield x6
    }
    yield x5
  }
  v10: i64 = reduce [s3] add \x0 x1 { x2 = read v9 x0; yield x2 }
  yield v10
}

",
        &TIDY,
        &expect![[r#"
            fn f0 elements(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s0 > v2]
              v4: i64 = map [s0] \{
                x0 = add v0 v2
                x1 = sub 140737488355328 v2
                x2 = le v0 x1
                require memory x2 x0 -1 @0:1:2
                yield x0
              }
              s3 = [s0 > v4]
              v10: i64 = reduce [s3] add \x0 x1 {
                x2 = lt x0 v0
                x12 = if x2 {
                  x3 = mul x0 3
                  x4 = add x3 v2
                  x5 = sub v0 1
                  x6 = sub x5 x0
                  x7 = read v1 x6
                  x8 = add v2 x4
                  x9 = add x8 x7
                  yield x9
                } else {
                  x10 = sub x0 v0
                  x11 = read v3 x10
                  yield x11
                }
                yield x12
              }
              yield v10
            }

        "#]],
    );
}

/// `rotate(v, k)[i] = v[i - k]`, or from the end; of a rotated sequence only what is read is
/// computed.
#[test]
fn elements_of_rotated_sequences_are_read_where_they_were() {
    law(
        r"fn f0 rotated(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: i64 = map [s0] \{ x0 = max v0 1; x1 = rem 3 x0; yield x1 }
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = lt x1 v2
    x3 = sub x1 v2
    x4 = add x3 v0
    x5 = select x2 x4 x3
    x6 = read v1 x5
    yield x6
  }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = read v3 x0; x4 = sub x2 x3; yield x4 }
  yield v4
}

",
        &TIDY,
        &expect![[r#"
            fn f0 rotated(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v2: i64 = map [s0] \{ x0 = max v0 1; x1 = rem 3 x0; yield x1 }
              v4: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = read v1 x0
                x3 = lt x0 v2
                x4 = sub x0 v2
                x5 = add x4 v0
                x6 = select x3 x5 x4
                x7 = read v1 x6
                x8 = sub x2 x7
                yield x8
              }
              yield v4
            }

        "#]],
    );
}

/// A map over what is put together is one pass that reads the parts; how long it is, is known
/// without it.
#[test]
fn maps_over_what_is_put_together_read_its_parts() {
    law(
        r"fn f0 both(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: i64 = map [s0] \{
    x0 = add v0 v2
    x1 = sub 140737488355328 v2
    x2 = le v0 x1
    require memory x2 x0 -1 @0:1:2
    yield x0
  }
  s3 = [s0 > v4]
  v5: vec i64 [s3] = map [s3] \x0 x1 {
    x2 = lt x0 v0
    x5 = if x2 {
      x3 = read v1 x0
      yield x3
    } else {
      x4 = sub x0 v0
      x6 = read v3 x4
      yield x6
    }
    yield x5
  }
  v6: vec i64 [s3] = map [s3] \x0 x1 { x2 = read v5 x0; x3 = mul x2 x2; yield x3 }
  v8: i64 = map [s0] \{ yield v4 }
  yield v6 v8
}

",
        &TIDY,
        &expect![[r#"
            fn f0 both(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s0 > v2]
              v4: i64 = map [s0] \{
                x0 = add v0 v2
                x1 = sub 140737488355328 v2
                x2 = le v0 x1
                require memory x2 x0 -1 @0:1:2
                yield x0
              }
              s3 = [s0 > v4]
              v6: vec i64 [s3] = map [s3] \x0 x1 {
                x2 = lt x0 v0
                x6 = if x2 {
                  x3 = read v1 x0
                  yield x3
                } else {
                  x4 = sub x0 v0
                  x5 = read v3 x4
                  yield x5
                }
                x7 = mul x6 x6
                yield x7
              }
              v8: i64 = map [s0] \{ yield v4 }
              yield v6 v8
            }

        "#]],
    );
}
