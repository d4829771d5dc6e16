//! Sorts, ranks, and permutations by them.

use super::{TIDY, after, law, program, stays};
use expect_test::{Expect, expect};

fn placed() -> Vec<&'static str> {
    [&["place_by_rank", "sort_once"], TIDY.as_slice()].concat()
}

/// A function of keys and two columns, with what is done with their ranks.
fn ranked(body: &str) -> String {
    format!(
        r"fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {{
  s1 = [s0 > v0]
  v4: vec i64 [s1] = rank [s1] \x0 x1 {{ x2 = read v1 x0; yield x2 }}
{body}}}

"
    )
}

/// A function of rows of keys and values, with their ranks, and what is done with these.
fn ranked_rows(body: &str) -> String {
    format!(
        r"fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec f64 [s2]) {{
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s2] = rank [s2] \x0 x1 x2 {{ x3 = read v2 x1; yield x3 }}
  v5: vec i64 [s2] = map [s2] \x0 x1 x2 {{
    x3 = read v4 x1
    x4 = read v1 x0
    x5 = add x0 1
    x6 = read v1 x5
    x7 = sub x6 x4
    x8 = lt x3 x7
    require permute x8 x3 x7 @0:3:7
    x9 = add x4 x3
    x10 = select x8 x9 -1
    yield x10
  }}
{body}}}

"
    )
}

#[track_caller]
fn orders(text: &str, expected: &Expect) {
    law(text, &placed(), expected);
}

/// `permute(v, rank(k))` needs no check, of ascending and of descending ranks.
#[test]
fn a_permutation_by_ranks_needs_no_check() {
    orders(
        &ranked(
            r"  v5: vec i64 [s1], v6: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3 = read v1 x0
    x4: f64 = read v2 x0
    yield x2 x3 x4
  } @0:1:2
  v7: vec i64 [s1] = rank_down [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 }
  v8: vec i64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v7 x0
    x3 = read v3 x0
    yield x2 x3
  } @0:3:4
  yield v5 v6 v8
",
        ),
        &expect![[r#"
            fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
              s1 = [s0 > v0]
              v4: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              v5: vec i64 [s1], v6: vec f64 [s1] = scatter [s1] to [s1] place \x0 x1 {
                x2 = read v4 x0
                x3 = read v1 x0
                x4: f64 = read v2 x0
                yield x2 x3 x4
              } @0:1:2
              v7: vec i64 [s1] = rank_down [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 }
              v8: vec i64 [s1] = scatter [s1] to [s1] place \x0 x1 {
                x2 = read v7 x0
                x3 = read v3 x0
                yield x2 x3
              } @0:3:4
              yield v5 v6 v8
            }

        "#]],
    );
}

/// The same in each segment, where the check that an index is inside its segment goes, too.
#[test]
fn a_permutation_by_ranks_of_segments_needs_no_check() {
    orders(
        &ranked_rows(
            r"  v6: vec f64 [s2] = scatter [s2] to [s2] permute \x0 x1 x2 {
    x3 = read v5 x1
    x4: f64 = read v3 x1
    yield x3 x4
  } @0:1:2
  yield v6
",
        ),
        &expect![[r#"
            fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec f64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              v4: vec i64 [s2] = rank [s2] \x0 x1 x2 { x3 = read v2 x1; yield x3 }
              v6: vec f64 [s2] = scatter [s2] to [s2] place \x0 x1 x2 {
                x3 = read v4 x1
                x4 = read v1 x0
                x5 = add x4 x3
                x6: f64 = read v3 x1
                yield x5 x6
              } @0:1:2
              yield v6
            }

        "#]],
    );
}

/// `permute(v, rank(v)) = sort(v)`.
#[test]
fn a_permutation_by_the_own_ranks_is_a_sort() {
    orders(
        &ranked(
            r"  v5: vec i64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3 = read v1 x0
    yield x2 x3
  } @0:1:2
  yield v5
",
        ),
        &expect![[r#"
            fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
              s1 = [s0 > v0]
              v5: vec i64 [s1] = sort [s1] \x0 x1 { x2 = read v1 x0; yield x2 } @0:1:2
              yield v5
            }

        "#]],
    );
    orders(
        &ranked_rows(
            r"  v6: vec i64 [s2] = scatter [s2] to [s2] permute \x0 x1 x2 {
    x3 = read v5 x1
    x4 = read v2 x1
    yield x3 x4
  } @0:1:2
  yield v6
",
        ),
        &expect![[r#"
            fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec f64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              v6: vec i64 [s2] = sort [s2] \x0 x1 x2 { x3 = read v2 x1; yield x3 } @0:1:2
              yield v6
            }

        "#]],
    );
}

/// Where the ranks are needed, too, sorting would be done twice.
#[test]
fn ranks_that_somebody_needs_are_not_sorted_again() {
    orders(
        &ranked(
            r"  v5: vec i64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3 = read v1 x0
    yield x2 x3
  } @0:1:2
  yield v4 v5
",
        ),
        &expect![[r#"
            fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
              s1 = [s0 > v0]
              v4: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              v5: vec i64 [s1] = scatter [s1] to [s1] place \x0 x1 {
                x2 = read v4 x0
                x3 = read v1 x0
                yield x2 x3
              } @0:1:2
              yield v4 v5
            }

        "#]],
    );
}

/// `permute(permute(v, r), q)` is one permutation, by `q[r[i]]`.
#[test]
fn two_permutations_by_ranks_are_one() {
    orders(
        &ranked(
            r"  v5: vec i64 [s1] = rank_down [s1] \x0 x1 { x2 = read v3 x0; yield x2 }
  v6: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3: f64 = read v2 x0
    yield x2 x3
  } @0:1:2
  v7: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v5 x0
    x3: f64 = read v6 x0
    yield x2 x3
  } @0:3:4
  yield v7
",
        ),
        &expect![[r#"
            fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
              s1 = [s0 > v0]
              v4: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              v5: vec i64 [s1] = rank_down [s1] \x0 x1 { x2 = read v3 x0; yield x2 }
              v7: vec f64 [s1] = scatter [s1] to [s1] place \x0 x1 {
                x2 = read v4 x0
                x3 = read v5 x2
                x4: f64 = read v2 x0
                yield x3 x4
              } @0:3:4
              yield v7
            }

        "#]],
    );
}

/// The ranks of what is moved before it is moved do not sort it.
#[test]
fn ranks_from_before_a_permutation_sort_nothing() {
    orders(
        &ranked(
            r"  v5: vec i64 [s1] = rank [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 }
  v6: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3: f64 = read v2 x0
    yield x2 x3
  } @0:1:2
  v7: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v5 x0
    x3: f64 = read v6 x0
    yield x2 x3
  } @0:3:4
  yield v7
",
        ),
        &expect![[r#"
            fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
              s1 = [s0 > v0]
              v4: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              v5: vec i64 [s1] = rank [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 }
              v7: vec f64 [s1] = scatter [s1] to [s1] place \x0 x1 {
                x2 = read v4 x0
                x3 = read v5 x2
                x4: f64 = read v2 x0
                yield x3 x4
              } @0:3:4
              yield v7
            }

        "#]],
    );
}

/// They stay two where the first is wanted, too, or the second moves something else besides.
#[test]
fn permutations_that_somebody_needs_stay() {
    let first = r"  v5: vec i64 [s1] = rank_down [s1] \x0 x1 { x2 = read v3 x0; yield x2 }
  v6: vec f64 [s1] = scatter [s1] to [s1] place \x0 x1 {
    x2 = read v4 x0
    x3: f64 = read v2 x0
    yield x2 x3
  } @0:1:2
";
    let second = r"  v7: vec f64 [s1] = scatter [s1] to [s1] place \x0 x1 {
    x2 = read v5 x0
    x3: f64 = read v6 x0
    yield x2 x3
  } @0:3:4
  yield v6 v7
";
    let both = r"  v7: vec f64 [s1], v8: vec i64 [s1] = scatter [s1] to [s1] place \x0 x1 {
    x2 = read v5 x0
    x3: f64 = read v6 x0
    x4 = read v1 x0
    yield x2 x3 x4
  } @0:3:4
  yield v7 v8
";
    for rest in [second, both] {
        stays(&ranked(&format!("{first}{rest}")), &["place_by_rank", "sort_once"]);
    }
}

/// `permute(v, r)[r[i]] = v[i]`, also in segments.
#[test]
fn what_was_placed_is_read_where_it_was() {
    orders(
        &ranked(
            r"  v5: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3: f64 = read v2 x0
    yield x2 x3
  } @0:1:2
  v6: vec f64 [s1] = map [s1] \x0 x1 { x2 = read v4 x0; x3: f64 = read v5 x2; yield x3 }
  yield v6
",
        ),
        &expect![[r#"
            fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
              s1 = [s0 > v0]
              v6: vec f64 [s1] = map [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 }
              yield v6
            }

        "#]],
    );
    orders(
        &ranked_rows(
            r"  v6: vec f64 [s2] = scatter [s2] to [s2] permute \x0 x1 x2 {
    x3 = read v5 x1
    x4: f64 = read v3 x1
    yield x3 x4
  } @0:1:2
  v7: vec f64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v1 x0
    x4 = read v4 x1
    x5 = add x3 x4
    x6: f64 = read v6 x5
    yield x6
  }
  yield v7
",
        ),
        &expect![[r#"
            fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec f64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              v7: vec f64 [s2] = map [s2] \x0 x1 x2 { x3: f64 = read v3 x1; yield x3 }
              yield v7
            }

        "#]],
    );
}

/// The inverse of ranks is `permute([0, 1, ...], r)`: `permute(permute(v, r), inverse) = v`.
#[test]
fn a_permutation_and_its_inverse_are_none() {
    orders(
        &ranked(
            r"  v5: vec i64 [s1] = scatter [s1] to [s1] permute \x0 x1 { x2 = read v4 x0; yield x2 x1 } @0:1:2
  v6: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3: f64 = read v2 x0
    yield x2 x3
  } @0:3:4
  v7: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v5 x0
    x3: f64 = read v6 x0
    yield x2 x3
  } @0:5:6
  yield v7
",
        ),
        &expect![[r#"
            fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
              s1 = [s0 > v0]
              v7: vec f64 [s1] = map [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 } @0:5:6
              yield v7
            }

        "#]],
    );
}

/// Positions that are no ranks are checked, those of two permutations each for itself: of two
/// errors the first is told.
#[test]
fn other_permutations_stay() {
    for rest in [
        r"  v5: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v3 x0
    x3: f64 = read v2 x0
    yield x2 x3
  } @0:1:2
  v6: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v1 x0
    x3: f64 = read v5 x0
    yield x2 x3
  } @0:3:4
  yield v6 v4
",
        r"  v5: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3 = and x2 6
    x4: f64 = read v2 x0
    yield x3 x4
  } @0:1:2
  yield v5
",
        // Indices of rows are no positions.
        r"  v5: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield 2 }
  s2 = [s1 > offsets v5]
  v6: vec f64 [s2] = map [s2] \x0 x1 x2 { x3: f64 = read v2 x0; yield x3 }
  v7: vec i64 [s2] = rank [s2] \x0 x1 x2 { x3: f64 = read v6 x1; yield x3 }
  v8: vec f64 [s2] = scatter [s2] to [s2] permute \x0 x1 x2 {
    x3 = read v7 x1
    x4: f64 = read v6 x1
    yield x3 x4
  } @0:1:2
  yield v8 v4
",
    ] {
        stays(&ranked(rest), &["place_by_rank", "sort_once"]);
    }
}

/// `sort(sort(v)) = sort(v)`, `rank(sort(v)) = [0:#v] = sort(rank(v))`, `rank(rank(v)) = rank(v)`.
#[test]
fn what_is_in_order_is_not_sorted_again() {
    let text = ranked(
        r"  v5: vec f64 [s1] = sort [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 }
  v6: vec f64 [s1] = sort [s1] \x0 x1 { x2: f64 = read v5 x0; yield x2 }
  v7: vec i64 [s1] = rank [s1] \x0 x1 { x2: f64 = read v6 x0; yield x2 }
  v8: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v4 x0; yield x2 }
  v9: vec i64 [s1] = sort [s1] \x0 x1 { x2 = read v8 x0; yield x2 }
  v10: vec i64 [s1] = sort [s1] \x0 x1 { x2 = read v7 x0; yield x2 }
  yield v6 v7 v8 v9 v10
",
    );
    orders(
        &text,
        &expect![[r#"
        fn f0 ranked(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: vec i64 [s1]) {
          s1 = [s0 > v0]
          v4: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
          v5: vec f64 [s1] = sort [s1] \x0 x1 { x2: f64 = read v2 x0; yield x2 }
          v6: vec f64 [s1] = map [s1] \x0 x1 { x2: f64 = read v5 x0; yield x2 }
          v7: vec i64 [s1] = map [s1] \x0 x1 { yield x1 }
          v8: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v4 x0; yield x2 }
          v9: vec i64 [s1] = map [s1] \x0 x1 { yield x1 }
          v10: vec i64 [s1] = map [s1] \x0 x1 { yield x0 }
          yield v6 v7 v8 v9 v10
        }

    "#]],
    );
    let sorts = after(&program(&text), &placed()).to_string().matches("= sort").count();
    assert_eq!(sorts, 1);
}

/// Equal elements keep their order: the descending ranks of what ascends depend on them.
#[test]
fn what_may_not_be_in_order_is_sorted() {
    stays(
        &ranked(
            r"  v5: vec i64 [s1] = sort [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  v6: vec i64 [s1] = rank_down [s1] \x0 x1 { x2 = read v5 x0; yield x2 }
  v7: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v5 x0; x3 = and x2 3; yield x3 }
  v8: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v7 x0; yield x2 }
  yield v4 v6 v8
",
        ),
        &["place_by_rank", "sort_once"],
    );
}

/// Keys and values that are checked to be as many; `rest` permutes the values.
fn two_sequences(check: &str, rest: &str) -> String {
    format!(
        r"fn f0 two(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec f64 [s2]) {{
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: vec i64 [s1] = rank [s1] \x0 x1 {{ x2 = read v1 x0; yield x2 }}
  v5: i64 = map [s0] \{{ {check}x1 = min v2 v0; yield x1 }}
  s3 = [s0 > v5]
  v6: vec i64 [s3], v7: vec f64 [s3] = map [s3] \x0 x1 {{
    x2 = read v4 x1
    x3: f64 = read v3 x1
    x4 = lt x2 v2
    require permute x4 x2 v2 @0:3:4
    x5 = select x4 x2 -1
    yield x5 x3
  }}
  v8: vec f64 [s2] = scatter [s3] to [s2] permute \x0 x1 {{
    x2 = read v6 x0
    x3: f64 = read v7 x0
    yield x2 x3
  }} @0:5:6
  yield v8{rest}
}}

"
    )
}

/// Keys and values may be two sequences: that they are as many is checked before.
#[test]
fn ranks_of_another_sequence_of_this_length_need_no_check() {
    orders(
        &two_sequences("x0 = eq v2 v0; require permute x0 v0 v2 @0:1:2; ", ""),
        &expect![[r#"
            fn f0 two(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec f64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s0 > v2]
              v4: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              v5: i64 = map [s0] \{ x0 = eq v2 v0; require permute x0 v0 v2 @0:1:2; x1 = min v2 v0; yield x1 }
              s3 = [s0 > v5]
              v8: vec f64 [s2] = scatter [s3] to [s2] place \x0 x1 {
                x2 = read v4 x0
                x3 = lt x2 v2
                x4 = select x3 x2 -1
                x5: f64 = read v3 x0
                yield x4 x5
              } @0:5:6
              yield v8
            }

        "#]],
    );
}

/// Without that check they may be fewer.
#[test]
fn ranks_of_another_sequence_are_checked() {
    let text = two_sequences("", " v4");
    let made = after(&program(&text), &placed()).to_string();
    assert!(made.contains("permute \\x0") && made.contains("require permute"), "{made}");
}
