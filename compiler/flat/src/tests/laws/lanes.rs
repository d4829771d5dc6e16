//! Lanes that a filter keeps, and those that it does not.

use super::{law, stays};
use expect_test::expect;

/// Segments of at most one element are lanes under a condition: what recursion by lanes does when
/// it ends.
fn leaves(test: &str) -> String {
    format!(
        r"fn f0 leaves(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1], v3: i64, v4: vec i64 [s2]) {{
  s1 = [s0 > v0]
  s2 = [s0 > v3]
  v5: vec i64 [s3], v6: i64 = filter [s1] \x0 x1 {{ x2 = read v1 x0; x3 = {test}; yield x3 }}
  s3 = [s0 > v6] from s1 at v5
  v7: bool = map [s0] \{{ x0 = gt v6 0; yield x0 }}
  v8: vec i64 offsets s3 = offsets [s3] \x0 x1 {{ x2 = read v5 x0; x3 = read v1 x2; yield x3 }}
  s4 = [s3 > offsets v8]
  v9: vec i64 [s2] = if v7 {{
    v10: vec i64 [s4] = map [s4] \x0 x1 x2 {{
      x3 = read v5 x0
      x4 = read v2 x3
      x5 = add x4 x2
      yield x5
    }}
    v11: vec i64 [s2] = scatter [s4] to [s2] write v4 \x0 x1 x2 {{
      x3 = read v10 x1
      x4 = read v5 x0
      x5 = mul x4 10
      yield x3 x5
    }}
    yield v11
  }} else {{
    yield v4
  }}
  yield v9
}}

"
    )
}

const LEAVES: [&str; 2] = ["finish_leaves", "remove_dead_statements"];

#[test]
fn leaves_are_written_where_lanes_are_filtered() {
    let written = expect![[r#"
        fn f0 leaves(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1], v3: i64, v4: vec i64 [s2]) {
          s1 = [s0 > v0]
          s2 = [s0 > v3]
          s3 = [s0 > 0]
          s4 = [s0 > 0]
          v9: vec i64 [s2] = scatter [s1] to [s2] write v4 \x0 x1 {
            x2 = read v1 x0
            x3 = eq x2 1
            x6, x7 = if x3 {
              x4 = read v2 x0
              x5 = mul x0 10
              yield x4 x5
            } else {
              yield -1 0
            }
            yield x6 x7
          }
          yield v9
        }

    "#]];
    for test in ["lt x2 2", "le x2 1"] {
        law(&leaves(test), &LEAVES, &written);
    }
}

#[test]
fn more_than_one_element_is_a_segment() {
    stays(&leaves("lt x2 3"), &LEAVES);
    stays(&leaves("gt x2 1"), &LEAVES);
}

/// Where a segment starts plus the index in it is the position of the lane.
#[test]
fn lanes_know_their_position() {
    law(
        r"fn f0 zipped(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  s2 = [s1 > offsets v2]
  v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = mul x0 x2; x4 = add x3 x1; yield x4 }
  v4: vec i64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v2 x0
    x4 = add x2 x3
    x5 = read v3 x4
    x6 = read v2 x0
    x7 = add x6 x2
    x8 = read v3 x7
    x9 = mul x5 x8
    yield x9
  }
  yield v4
}

",
        &["own_positions"],
        &expect![[r#"
            fn f0 zipped(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              s2 = [s1 > offsets v2]
              v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = mul x0 x2; x4 = add x3 x1; yield x4 }
              v4: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v3 x1; x4 = mul x3 x3; yield x4 }
              yield v4
            }

        "#]],
    );
}

/// Other offsets, and the index of another level, are no position.
#[test]
fn sums_that_are_no_positions() {
    stays(
        r"fn f0 apart(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  s2 = [s1 > offsets v2]
  v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; x3 = max x2 1; yield x3 }
  v4: vec i64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v3 x0
    x4 = add x3 x2
    x5 = read v2 x0
    x6 = add x5 x0
    x7 = add x4 x6
    yield x7
  }
  yield v4
}

",
        &["own_positions"],
    );
}

/// Rows of one element each are lanes.
#[test]
fn one_element_for_each_lane() {
    law(
        r"fn f0 single(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  s2 = [s1 > 1]
  s4 = [s3 > 1]
  v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  s3 = [s1 > offsets v2]
  v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x0; x4 = add x3 x2; x5 = mul x4 x1; yield x5 }
  v4: vec i64 [s4] = map [s4] \x0 x1 x2 x3 { x4 = mul x0 100; x5 = add x4 x1; x6 = sub x5 x2; x7 = add x6 x3; yield x7 }
  v5: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v3 x1; x4 = sub 0 x3; yield x4 }
  yield v5 v4
}

",
        &["single_elements"],
        &expect![[r#"
            fn f0 single(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s1 > 1]
              v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              s3 = [s1 > offsets v2]
              s4 = [s3 > 1]
              v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 x0; yield x3 }
              v4: vec i64 [s3] = map [s3] \x0 x1 x2 {
                x3 = mul x0 100
                x4 = add x3 x1
                x5 = sub x4 x1
                yield x5
              }
              v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v3 x0; x3 = sub 0 x2; yield x3 }
              yield v5 v4
            }

        "#]],
    );
}

/// What is combined in rows of one element stays: its result has another shape.
#[test]
fn rows_that_are_combined_stay() {
    stays(
        r"fn f0 combined(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  s2 = [s1 > 1]
  v2: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x0; yield x3 }
  v3: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v2 x1; yield x3 }
  yield v3
}

",
        &["single_elements"],
    );
}

/// The least index of the greatest element, of the lanes with more than one.
const BEST: &str = r"fn f0 best(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  s2 = [s1 > offsets v2]
  v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = add x0 x1; x4 = rem x3 3; yield x4 }
  v4: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
  s3 = [s0 > v5] from s1 at v4
  v6: bool = map [s0] \{ x0 = gt v5 0; yield x0 }
  v7: vec i64 pool = if v6 {
    v8: vec i64 [s3] = map [s3] \x0 x1 {
      x2 = read v4 x0
      x3 = read v2 x2
      x4 = add x2 1
      x5 = read v2 x4
      x6 = sub x5 x3
      yield x6
    }
    v9: vec i64 offsets s3 = offsets [s3] \x0 x1 { x2 = read v8 x0; yield x2 }
    s4 = [s3 > offsets v9]
    v10: vec i64 [s3] = map [s3] \x0 x1 { x2 = read v4 x0; x3 = read v2 x2; yield x3 }
    v11: vec i64 [s3] = reduce [s4] max \x0 x1 x2 {
      x3 = read v10 x0
      x4 = add x3 x2
      x5 = read v3 x4
      yield x5
    }
    v12: vec i64 [s3] = reduce [s4] min \x0 x1 x2 {
      x3 = read v10 x0
      x4 = add x3 x2
      x5 = read v3 x4
      x6 = read v11 x0
      x7 = eq x5 x6
      x8 = select x7 x2 99
      yield x8
    }
    v13: vec i64 [s3] = map [s3] \x0 x1 {
      x2 = read v9 x0
      x3 = add x0 1
      x4 = read v9 x3
      x5 = sub x4 x2
      x6 = read v12 x0
      x7 = mul x5 x6
      yield x7
    }
    yield v13
  } else {
    v14: vec i64 pool = literal i64 ()
    yield v14
  }
  yield v7
}

";

/// What some segments are combined to is what all are, of which some are taken.
#[test]
fn reductions_run_over_the_segments_of_all_lanes() {
    law(
        BEST,
        &["widen_reductions", "simplify_code", "remove_dead_statements"],
        &expect![[r#"
            fn f0 best(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s4 = [s0 > 0]
              v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              s2 = [s1 > offsets v2]
              v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = add x0 x1; x4 = rem x3 3; yield x4 }
              v4: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
              s3 = [s0 > v5] from s1 at v4
              v6: bool = map [s0] \{ x0 = gt v5 0; yield x0 }
              v15: vec i64 [s1] = reduce [s2] max \x0 x1 x2 { x3 = read v3 x1; yield x3 }
              v16: vec i64 [s1] = reduce [s2] min \x0 x1 x2 {
                x3 = read v3 x1
                x4 = read v15 x0
                x5 = eq x3 x4
                x6 = select x5 x2 99
                yield x6
              }
              v7: vec i64 pool = if v6 {
                v12: vec i64 [s3] = map [s3] \x0 x1 { x2 = read v4 x0; x3 = read v16 x2; yield x3 }
                v13: vec i64 [s3] = map [s3] \x0 x1 {
                  x2 = read v4 x0
                  x3 = read v2 x2
                  x4 = add x2 1
                  x5 = read v2 x4
                  x6 = sub x5 x3
                  x7 = read v12 x0
                  x8 = mul x6 x7
                  yield x8
                }
                yield v13
              } else {
                v14: vec i64 pool = literal i64 ()
                yield v14
              }
              yield v7
            }

        "#]],
    );
}

/// Elements that are not those of the source's segments are reduced where they are.
#[test]
fn reductions_of_other_elements_stay() {
    stays(
        r"fn f0 shifted(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  s2 = [s1 > offsets v2]
  v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = rem x1 3; yield x3 }
  v4: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
  s3 = [s0 > v5] from s1 at v4
  v6: bool = map [s0] \{ x0 = gt v5 0; yield x0 }
  v7: vec i64 pool = if v6 {
    v9: vec i64 offsets s3 = offsets [s3] \x0 x1 {
      x2 = read v4 x0
      x3 = read v2 x2
      x4 = add x2 1
      x5 = read v2 x4
      x6 = sub x5 x3
      yield x6
    }
    s4 = [s3 > offsets v9]
    v11: vec i64 [s3] = reduce [s4] max \x0 x1 x2 { x3 = sub x2 x0; yield x3 }
    v12: vec i64 [s3] = reduce [s4] add \x0 x1 x2 { x3 = read v3 x1; yield x3 }
    v13: vec i64 [s3] = map [s3] \x0 x1 { x2 = read v11 x0; x3 = read v12 x0; x4 = add x2 x3; yield x4 }
    yield v13
  } else {
    v14: vec i64 pool = literal i64 ()
    yield v14
  }
  yield v7
}

",
        &["widen_reductions"],
    );
}

/// The elements that a filter keeps are taken once, where several arms take them.
#[test]
fn kept_elements_come_out_of_arms() {
    law(
        r"fn f0 taken(v0: i64, v1: vec i64 [s1], v2: bool) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v4: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
  s2 = [s0 > v4] from s1 at v3
  v5: vec i64 pool = if v2 {
    v6: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
    v7: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = add x2 7; yield x3 }
    v8: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v6 x0; x3 = read v7 x0; x4 = mul x2 x3; yield x4 }
    yield v8
  } else {
    v9: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
    yield v9
  }
  v10: vec i64 pool = if v2 {
    v11: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = add x2 7; yield x3 }
    yield v11
  } else {
    yield v5
  }
  yield v5 v10
}

",
        &["lift_out_of_arms"],
        &expect![[r#"
            fn f0 taken(v0: i64, v1: vec i64 [s1], v2: bool) {
              s1 = [s0 > v0]
              v3: vec i64 [s2], v4: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
              s2 = [s0 > v4] from s1 at v3
              v6: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
              v7: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = add x2 7; yield x3 }
              v5: vec i64 pool = if v2 {
                v8: vec i64 [s2] = map [s2] \x0 x1 {
                  x2 = read v6 x0
                  x3 = read v7 x0
                  x4 = mul x2 x3
                  yield x4
                }
                yield v8
              } else {
                yield v6
              }
              v10: vec i64 pool = if v2 {
                yield v7
              } else {
                yield v5
              }
              yield v5 v10
            }

        "#]],
    );
}
