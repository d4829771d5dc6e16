//! Segments of what is put together.

use super::{TIDY, law};
use expect_test::expect;

/// The length of a segment is what its offsets were made of; an element of sequences put together
/// is computed from its row and index.  Nobody needs the offsets then.
#[test]
fn segments_are_known_by_their_rows() {
    law(
        r"fn f0 chosen(v0: i64, v1: vec i64 [s1], v2: vec bool [s1]) {
  s1 = [s0 > v0]
  v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 2; yield x3 }
  s2 = [s1 > offsets v4]
  v5: vec i64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v1 x0
    x4 = mul x3 10
    x5 = add x4 x2
    yield x5
  }
  v6: vec i64 offsets s1 = offsets [s1] \x0 x1 {
    x2: bool = read v2 x0
    x3 = read v4 x0
    x4 = add x0 1
    x5 = read v4 x4
    x6 = sub x5 x3
    x7 = select x2 x6 0
    yield x7
  }
  s3 = [s1 > offsets v6]
  v7: vec i64 [s3] = map [s3] \x0 x1 x2 {
    x3 = read v4 x0
    x4 = add x3 x2
    x5 = read v5 x4
    yield x5
  }
  yield v6 v7
}

",
        &TIDY,
        &expect![[r#"
            fn f0 chosen(v0: i64, v1: vec i64 [s1], v2: vec bool [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v6: vec i64 offsets s1 = offsets [s1] \x0 x1 {
                x2: bool = read v2 x0
                x3 = read v1 x0
                x4 = mul x3 2
                x5 = max x4 0
                x6 = select x2 x5 0
                yield x6
              }
              s3 = [s1 > offsets v6]
              v7: vec i64 [s3] = map [s3] \x0 x1 x2 {
                x3 = read v1 x0
                x4 = mul x3 10
                x5 = add x4 x2
                yield x5
              }
              yield v6 v7
            }

        "#]],
    );
}

/// What an arm puts together last needs no condition, and is then copied once.
#[test]
fn what_an_arm_puts_together_is_lifted() {
    law(
        r"fn f0 doubled(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: bool = map [s0] \{ x0 = gt v2 0; yield x0 }
  v9: vec i64 [s2], v10: vec i64 pool = if v4 {
    v5: vec i64 [s2] = rank [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
    v6: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v5 x0; x3 = rem x2 3; yield x3 }
    v7: vec i64 offsets s2 = offsets [s2] \x0 x1 { x2 = read v6 x0; yield x2 }
    s3 = [s2 > offsets v7]
    v8: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v5 x0; x4 = add x3 x2; yield x4 }
    v13: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v7 x0; yield x2 }
    yield v13 v8
  } else {
    v11: vec i64 pool = literal i64 ()
    v12: vec i64 pool = literal i64 ()
    yield v11 v12
  }
  v14: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v9 x0
    x3 = lt 0 x2
    x4 = if x3 {
      x5 = sub x2 1
      x6 = read v10 x5
      yield x6
    } else {
      yield 7
    }
    yield x4
  }
  yield v2 v14
}

",
        &["lift_tails", "remove_dead_statements"],
        &expect![[r#"
            fn f0 doubled(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
              s2 = [s0 > v2] from s1 at v3
              v4: bool = map [s0] \{ x0 = gt v2 0; yield x0 }
              v15: vec i64 [s2] = if v4 {
                v5: vec i64 [s2] = rank [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
                yield v5
              } else {
                v16: vec i64 pool = literal i64 ()
                yield v16
              }
              v6: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v15 x0; x3 = rem x2 3; yield x3 }
              v7: vec i64 offsets s2 = offsets [s2] \x0 x1 { x2 = read v6 x0; yield x2 }
              s3 = [s2 > offsets v7]
              v8: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v15 x0; x4 = add x3 x2; yield x4 }
              v13: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v7 x0; yield x2 }
              v14: vec i64 [s2] = map [s2] \x0 x1 {
                x2 = read v13 x0
                x3 = lt 0 x2
                x4 = if x3 {
                  x5 = sub x2 1
                  x6 = read v8 x5
                  yield x6
                } else {
                  yield 7
                }
                yield x4
              }
              yield v2 v14
            }

        "#]],
    );
}

/// Of two sequences of segments of equal lengths one descriptor is made, and what has the lanes of
/// one has those of the other.
#[test]
fn equal_descriptors_are_made_once() {
    law(
        r"fn f0 shared(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; x3 = and x2 3; yield x3 }
  s2 = [s1 > offsets v2]
  v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x0; x4 = mul x3 x2; yield x4 }
  v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x1; x3 = and x2 3; yield x3 }
  s3 = [s1 > offsets v4]
  v5: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v3 x1; x4 = add x3 x2; yield x4 }
  v6: vec i64 [s1] = reduce [s3] add \x0 x1 x2 { x3 = read v5 x1; yield x3 }
  v7: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v3 x1; yield x3 }
  yield v6 v7
}

",
        &["share_equal_statements", "remove_dead_statements"],
        &expect![[r#"
            fn f0 shared(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; x3 = and x2 3; yield x3 }
              s2 = [s1 > offsets v2]
              s3 = [s1 > offsets v2]
              v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x0; x4 = mul x3 x2; yield x4 }
              v5: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v3 x1; x4 = add x3 x2; yield x4 }
              v6: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v5 x1; yield x3 }
              v7: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v3 x1; yield x3 }
              yield v6 v7
            }

        "#]],
    );
}

/// What nobody needs is not made, unless it may fail.
#[test]
fn what_nobody_needs_is_not_made() {
    law(
        r"fn f0 unused(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  v3: vec i64 [s1] = scatter [s1] to [s1] place \x0 x1 {
    x2 = read v2 x0
    x3 = read v1 x0
    yield x2 x3
  } @0:1:2
  v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v3 x0; yield x2 }
  v5: vec i64 [s1] = scatter [s1] to [s1] permute \x0 x1 { x2 = read v1 x0; yield x2 x0 } @0:3:4
  v6: vec i64 [s1], v7: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; yield x2 x1 }
  yield v7
}

",
        &["remove_dead_statements"],
        &expect![[r#"
            fn f0 unused(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v5: vec i64 [s1] = scatter [s1] to [s1] permute \x0 x1 { x2 = read v1 x0; yield x2 x0 } @0:3:4
              v7: vec i64 [s1] = map [s1] \x0 x1 { yield x1 }
              yield v7
            }

        "#]],
    );
}

/// All elements of the rows that are made of `v1`, combined.
fn all_elements(ty: &str, monoid: &str, element: &str) -> String {
    format!(
        r"fn f0 total(v0: i64, v1: vec {ty} [s1], v2: vec i64 [s1]) {{
  s1 = [s0 > v0]
  v3: vec i64 offsets s1 = offsets [s1] \x0 x1 {{ x2 = read v2 x0; yield x2 }}
  s2 = [s1 > offsets v3]
  v4: vec {ty} [s2] = map [s2] \x0 x1 x2 {{ {element} }}
  v5: i64, v6: i64 = map [s0] \{{ x0 = read v3 0; x1 = read v3 v0; x2 = sub x1 x0; yield x0 x2 }}
  s3 = [s0 > v6]
  v7: {ty} = reduce [s3] {monoid} \x0 x1 {{ x2 = add v5 x0; x3: {ty} = read v4 x2; yield x3 }}
  yield v7
}}

"
    )
}

/// What all rows come to is what comes of each, combined: the elements need not be in memory.
#[test]
fn a_sum_of_all_elements_is_one_of_sums() {
    law(
        &all_elements("i64", "add", "x3 = read v1 x0; x4 = mul x3 x2; yield x4"),
        &["keep_segments", "pull_maps", "remove_dead_statements"],
        &expect![[r#"
            fn f0 total(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1]) {
              s1 = [s0 > v0]
              s3 = [s0 > 0]
              v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; yield x2 }
              s2 = [s1 > offsets v3]
              v8: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v1 x0; x4 = mul x3 x2; yield x4 }
              v7: i64 = reduce [s1] add \x0 x1 { x2 = read v8 x0; yield x2 }
              yield v7
            }

        "#]],
    );
    law(
        &all_elements("bool", "or", "x3: bool = read v1 x0; yield x3"),
        &["keep_segments", "remove_dead_statements"],
        &expect![[r#"
            fn f0 total(v0: i64, v1: vec bool [s1], v2: vec i64 [s1]) {
              s1 = [s0 > v0]
              s3 = [s0 > 0]
              v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; yield x2 }
              s2 = [s1 > offsets v3]
              v4: vec bool [s2] = map [s2] \x0 x1 x2 { x3: bool = read v1 x0; yield x3 }
              v8: vec bool [s1] = reduce [s2] or \x0 x1 x2 { x3: bool = read v4 x1; yield x3 }
              v7: bool = reduce [s1] or \x0 x1 { x2: bool = read v8 x0; yield x2 }
              yield v7
            }

        "#]],
    );
}

/// Floats are rounded at each step, from left to right.
#[test]
fn a_sum_of_all_floats_stays() {
    law(
        &all_elements("f64", "add", "x3: f64 = read v1 x0; yield x3"),
        &["keep_segments"],
        &expect![[r#"
            fn f0 total(v0: i64, v1: vec f64 [s1], v2: vec i64 [s1]) {
              s1 = [s0 > v0]
              v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; yield x2 }
              s2 = [s1 > offsets v3]
              v4: vec f64 [s2] = map [s2] \x0 x1 x2 { x3: f64 = read v1 x0; yield x3 }
              v5: i64, v6: i64 = map [s0] \{ x0 = read v3 v0; yield 0 x0 }
              s3 = [s0 > v6]
              v7: f64 = reduce [s3] add \x0 x1 { x2: f64 = read v4 x0; yield x2 }
              yield v7
            }

        "#]],
    );
}

/// An element that does not ask for its row is computed where it is added.
#[test]
fn a_sum_of_elements_without_rows_stays() {
    law(
        &all_elements("i64", "add", "x3 = mul x1 x1; yield x3"),
        &["keep_segments"],
        &expect![[r#"
            fn f0 total(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1]) {
              s1 = [s0 > v0]
              v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; yield x2 }
              s2 = [s1 > offsets v3]
              v4: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = mul x1 x1; yield x3 }
              v5: i64, v6: i64 = map [s0] \{ x0 = read v3 v0; yield 0 x0 }
              s3 = [s0 > v6]
              v7: i64 = reduce [s3] add \x0 x1 { x2 = read v4 x0; yield x2 }
              yield v7
            }

        "#]],
    );
}

/// Rows of `v9` with lanes that are not known to be its own, behind a statement that makes it.
fn zipped(own: &str, lengths: &str) -> String {
    format!(
        r"fn f0 zipped(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec i64 [s1]) {{
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
{own}
  v4: i64 = map [s0] \{{ x0 = max v0 0; yield x0 }}
  s3 = [s0 > v4]
  v5: vec i64 offsets s3 = offsets [s3] \x0 x1 {{ {lengths} }}
  s4 = [s3 > offsets v5]
  v6: vec i64 [s3] = reduce [s4] add \x0 x1 x2 {{
    x3 = read v9 x0
    x4 = add x3 x2
    x5 = read v2 x4
    x6 = read v3 x0
    x7 = mul x5 x6
    yield x7
  }}
  yield v5 v6
}}

"
    )
}

const PASSES: [&str; 2] = ["own_positions", "remove_dead_statements"];
const OWN_LENGTHS: &str =
    "x2 = read v9 x0; x3 = add x0 1; x4 = read v9 x3; x5 = sub x4 x2; yield x5";

/// They follow each other all the same, from wherever the first of them starts.
#[test]
fn rows_one_behind_the_other_are_read_side_by_side() {
    let given = zipped("", OWN_LENGTHS).replace("v9", "v1");
    law(
        &given,
        &PASSES,
        &expect![[r#"
        fn f0 zipped(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec i64 [s1]) {
          s1 = [s0 > v0]
          s2 = [s1 > offsets v1]
          v4: i64 = map [s0] \{ x0 = max v0 0; yield x0 }
          s3 = [s0 > v4]
          v5: vec i64 offsets s3 = offsets [s3] \x0 x1 {
            x2 = read v1 x0
            x3 = add x0 1
            x4 = read v1 x3
            x5 = sub x4 x2
            yield x5
          }
          s4 = [s3 > offsets v5]
          v6: vec i64 [s3] = reduce [s4] add \x0 x1 x2 {
            x3 = read v1 0
            x4 = add x3 x1
            x5 = read v2 x4
            x6 = read v3 x0
            x7 = mul x5 x6
            yield x7
          }
          yield v5 v6
        }

    "#]],
    );
}

/// Offsets that are made here start at 0.
#[test]
fn rows_that_are_made_are_read_at_the_own_position() {
    let made = "  v9: vec i64 offsets s1 = offsets [s1] \\x0 x1 {\
                x2 = read v1 x0; x3 = add x0 1; x4 = read v1 x3; x5 = sub x4 x2; yield x5 }";
    law(
        &zipped(made, OWN_LENGTHS),
        &PASSES,
        &expect![[r#"
        fn f0 zipped(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec i64 [s1]) {
          s1 = [s0 > v0]
          s2 = [s1 > offsets v1]
          v9: vec i64 offsets s1 = offsets [s1] \x0 x1 {
            x2 = read v1 x0
            x3 = add x0 1
            x4 = read v1 x3
            x5 = sub x4 x2
            yield x5
          }
          v4: i64 = map [s0] \{ x0 = max v0 0; yield x0 }
          s3 = [s0 > v4]
          v5: vec i64 offsets s3 = offsets [s3] \x0 x1 {
            x2 = read v9 x0
            x3 = add x0 1
            x4 = read v9 x3
            x5 = sub x4 x2
            yield x5
          }
          s4 = [s3 > offsets v5]
          v6: vec i64 [s3] = reduce [s4] add \x0 x1 x2 {
            x3 = read v2 x1
            x4 = read v3 x0
            x5 = mul x3 x4
            yield x5
          }
          yield v5 v6
        }

    "#]],
    );
}

/// What looks like the length of a row is not: its end comes first.
#[test]
fn rows_in_another_order_are_looked_up() {
    let turned = "x2 = add x0 1; x3 = read v9 x2; x4 = read v9 x0; x5 = sub x4 x3; yield x5";
    law(
        &zipped("", turned).replace("v9", "v1"),
        &PASSES,
        &expect![[r#"
        fn f0 zipped(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec i64 [s1]) {
          s1 = [s0 > v0]
          s2 = [s1 > offsets v1]
          v4: i64 = map [s0] \{ x0 = max v0 0; yield x0 }
          s3 = [s0 > v4]
          v5: vec i64 offsets s3 = offsets [s3] \x0 x1 {
            x2 = add x0 1
            x3 = read v1 x2
            x4 = read v1 x0
            x5 = sub x4 x3
            yield x5
          }
          s4 = [s3 > offsets v5]
          v6: vec i64 [s3] = reduce [s4] add \x0 x1 x2 {
            x3 = read v1 x0
            x4 = add x3 x2
            x5 = read v2 x4
            x6 = read v3 x0
            x7 = mul x5 x6
            yield x7
          }
          yield v5 v6
        }

    "#]],
    );
}
