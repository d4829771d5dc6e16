//! What is done with the lanes that a filter keeps.

use super::{TIDY, after, law, means_the_same, stays};
use crate::tests::program;
use expect_test::expect;

fn dissolve() -> Vec<&'static str> {
    [&["dissolve_filters"], TIDY.as_slice()].concat()
}

/// `sum (filter p (map f a)) = sum (map (\x -> if p x then f x else 0) a)`.
#[test]
fn a_sum_of_a_filter_is_a_guarded_sum() {
    law(
        r"fn f0 guarded(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = mul x3 x3
    yield x4
  }
  v5: i64 = reduce [s2] add \x0 x1 { x2 = read v4 x0; yield x2 }
  yield v5
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 guarded(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v5: i64 = reduce [s1] add \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 2
                x4 = mul x2 x2
                x5 = select x3 x4 0
                yield x5
              }
              yield v5
            }

        "#]],
    );
}

/// `length (filter p a) = sum (map (\x -> if p x then 1 else 0) a)`, also beside other uses.
#[test]
fn a_count_of_a_filter_needs_no_filter() {
    law(
        r"fn f0 mean(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: i64 = reduce [s2] max \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
  yield v4 v2
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 mean(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v2: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; x4 = btoi x3; yield x4 }
              v4: i64 = reduce [s1] max \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 2
                x4 = select x3 x2 -9223372036854775808
                yield x4
              }
              yield v4 v2
            }

        "#]],
    );
}

/// `filter q (filter p a) = filter (\x -> p x and q x) a`; `q` is not asked where `p` is not met.
#[test]
fn a_filter_of_a_filter_is_a_filter() {
    law(
        r"fn f0 twice(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 0; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; x4 = mul x3 2; yield x4 }
  v6: vec i64 [s3], v5: i64 = filter [s2] \x0 x1 {
    x2 = read v4 x0
    x3 = div 12 x2 @0:3:7
    x4 = lt x3 5
    yield x4
  }
  s3 = [s0 > v5] from s2 at v6
  v7: vec i64 [s3] = map [s3] \x0 x1 {
    x2 = read v6 x0
    x3 = read v4 x2
    x4 = read v3 x2
    x5 = add x3 x4
    yield x5
  }
  yield v5 v7
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 twice(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v6: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 0
                x7 = if x3 {
                  x4 = mul x2 2
                  x5 = div 12 x4 @0:3:7
                  x6 = lt x5 5
                  yield x6
                } else {
                  yield F
                }
                yield x7
              }
              s3 = [s0 > v5] from s1 at v6
              v7: vec i64 [s3] = map [s3] \x0 x1 {
                x2 = read v6 x0
                x3 = read v1 x2
                x4 = mul x3 2
                x5 = add x4 x2
                yield x5
              }
              yield v5 v7
            }

        "#]],
    );
}

/// What costs more to compute than to read is written for the kept lanes alone.
#[test]
fn a_costly_map_that_is_read_later_stays() {
    let text = r"fn f0 costly(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 0; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = isqrt x3 @0:3:7
    yield x4
  }
  v6: vec i64 [s3], v5: i64 = filter [s2] \x0 x1 { x2 = read v4 x0; x3 = lt x2 5; yield x3 }
  s3 = [s0 > v5] from s2 at v6
  v7: vec i64 [s3] = map [s3] \x0 x1 { x2 = read v6 x0; x3 = read v4 x2; yield x3 }
  yield v5 v7
}

";
    stays(text, &["dissolve_filters"]);
}

/// Where among the kept lanes the lanes are that another filter keeps is known by their numbers
/// alone: it may neither be computed with nor given.
#[test]
fn positions_among_kept_lanes_that_are_given_stay() {
    let filters = r"fn f0 places(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v5: vec i64 [s3], v4: i64 = filter [s2] \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = lt x3 5
    yield x4
  }
  s3 = [s0 > v4] from s2 at v5
";
    for given in [
        "  v6: vec i64 [s3] = map [s3] \\x0 x1 { x2 = read v5 x0; x3 = mul x2 2; yield x3 }\n  \
         yield v4 v6\n",
        "  yield v4 v5\n",
    ] {
        stays(&format!("{filters}{given}}}\n\n"), &["dissolve_filters"]);
    }
}

/// The same in each of several segments.
#[test]
fn filters_of_segments_are_guards_in_them() {
    law(
        r"fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s3], v3: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x1
    x4 = gt x3 x2
    yield x4
  }
  s3 = [s1 > offsets v3] from s2 at v4
  v5: vec i64 [s1] = reduce [s3] min \x0 x1 x2 { x3 = read v4 x1; x4 = read v2 x3; yield x4 }
  yield v5
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              s3 = [s1 > 0]
              v5: vec i64 [s1] = reduce [s2] min \x0 x1 x2 {
                x3 = read v2 x1
                x4 = gt x3 x2
                x5 = select x4 x3 9223372036854775807
                yield x5
              }
              yield v5
            }

        "#]],
    );
}

/// How many of each segment are kept is a sum in each; offsets would be one over all.
#[test]
fn counts_of_filtered_segments_need_no_offsets() {
    law(
        r"fn f0 counts(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s3], v3: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x1
    x4 = gt x3 1
    yield x4
  }
  s3 = [s1 > offsets v3] from s2 at v4
  v5: vec i64 [s1] = reduce [s3] add \x0 x1 x2 { x3 = read v4 x1; x4 = read v2 x3; yield x4 }
  v6: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v3 x0
    x3 = add x0 1
    x4 = read v3 x3
    x5 = sub x4 x2
    x6 = read v5 x0
    x7 = mul x5 x6
    yield x7
  }
  yield v6
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 counts(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              s3 = [s1 > 0]
              v8: vec i64 [s1] = reduce [s2] add \x0 x1 x2 {
                x3 = read v2 x1
                x4 = gt x3 1
                x5 = btoi x4
                yield x5
              }
              v5: vec i64 [s1] = reduce [s2] add \x0 x1 x2 {
                x3 = read v2 x1
                x4 = gt x3 1
                x5 = select x4 x3 0
                yield x5
              }
              v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v8 x0; x3 = read v5 x0; x4 = mul x2 x3; yield x4 }
              yield v6
            }

        "#]],
    );
}

/// `head (filter p a)` is the element at the least position that meets `p`.
#[test]
fn the_first_of_a_filter_is_searched() {
    law(
        r"fn f0 first(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: i64 = map [s0] \{
    x0 = lt 0 v2
    require index x0 0 v2 @0:3:7
    x1 = read v3 0
    x2 = read v1 x1
    yield x2
  }
  yield v4
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 first(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v2: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; x4 = btoi x3; yield x4 }
              v6: i64 = reduce [s1] min \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 2
                x4 = select x3 x0 9223372036854775807
                yield x4
              }
              v4: i64 = map [s0] \{
                x0 = lt 0 v2
                require index x0 0 v2 @0:3:7
                x1 = ne v6 9223372036854775807
                x2 = select x1 v6 0
                x3 = read v1 x2
                yield x3
              }
              yield v4
            }

        "#]],
    );
}

/// Kept lanes that are wanted in memory are kept, and so are those with a number of their own.
#[test]
fn filters_that_somebody_needs_stay() {
    let filter = r"  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
";
    for rest in [
        // What is kept is given.
        r"  v4: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
  v5: i64 = reduce [s2] add \x0 x1 { x2 = read v4 x0; yield x2 }
  yield v5 v4
",
        // The number of a lane among those kept counts.
        r"  v4: i64 = reduce [s2] add \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = mul x3 x0
    yield x4
  }
  yield v4
",
        // Another kept lane is looked at.
        r"  v4: i64 = reduce [s2] add \x0 x1 {
    x2 = sub x0 1
    x3 = max x2 0
    x4 = read v3 x3
    x5 = read v1 x4
    yield x5
  }
  yield v4
",
        // Two may fail: which is told?
        r"  v4: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = div 12 x3 @0:3:7
    yield x4
  }
  v5: i64 = reduce [s2] add \x0 x1 {
    x2 = read v4 x0
    x3 = read v1 x0
    x4 = div x2 x3 @0:3:8
    yield x4
  }
  yield v5
",
        // Three passes over what is kept, which may be little.
        r"  v4: i64 = reduce [s2] max \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
  v5: i64 = reduce [s2] max \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = sub v4 x3
    yield x4
  }
  v6: i64 = reduce [s2] max \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = sub v5 x3
    yield x4
  }
  yield v6
",
    ] {
        let text = format!("fn f0 stays(v0: i64, v1: vec i64 [s1]) {{\n{filter}{rest}}}\n\n");
        stays(&text, &["dissolve_filters"]);
    }
}

/// Rows of which a filter keeps what has a relation to a number of the row's own, and what is made
/// of the kept.
fn related(relation: &str, ty: &str) -> String {
    format!(
        r"fn f0 related(v0: i64, v1: vec i64 offsets s1, v2: vec {ty} [s2], v3: vec {ty} [s1]) {{
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v5: vec bool [s2], v6: vec {ty} [s2] = map [s2] \x0 x1 x2 {{
    x3: {ty} = read v2 x1
    x4: {ty} = read v3 x0
    x5 = {relation}
    yield x5 x3
  }}
  v7: vec i64 [s3], v8: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {{
    x3: bool = read v5 x1
    yield x3
  }}
  s3 = [s1 > offsets v8] from s2 at v7
  v9: vec {ty} [s3] = map [s3] \x0 x1 x2 {{
    x3 = read v7 x1
    x4: {ty} = read v6 x3
    yield x4
  }}
  yield v8 v9
}}

"
    )
}

/// `{x : x in row | x == p} = dist(p, #{x : x in row | x == p})`.
#[test]
fn what_equals_something_is_that() {
    for relation in ["eq x3 x4", "eq x4 x3"] {
        let made = after(&program(&related(relation, "i64")), &["equal_elements"]).to_string();
        assert!(
            made.contains(r"v9: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v3 x0; yield x3 }")
        );
        means_the_same(&program(&related(relation, "i64")), &program(&made));
    }
    law(
        r"fn f0 known(v0: i64, v1: vec i64 [s1], v2: i64) {
  s1 = [s0 > v0]
  v3: vec bool [s1], v4: vec i64 [s1], v5: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = mod x0 3
    x4 = eq x2 v2
    x5 = eq x3 1
    x6 = and x4 x5
    yield x6 x2 x3
  }
  v6: vec i64 [s2], v7: i64 = filter [s1] \x0 x1 { x2: bool = read v3 x0; yield x2 }
  s2 = [s0 > v7] from s1 at v6
  v8: vec i64 [s2], v9: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v6 x0
    x3 = read v4 x2
    x4 = read v5 x2
    yield x3 x4
  }
  yield v7 v8 v9
}

",
        &["equal_elements"],
        &expect![[r#"
            fn f0 known(v0: i64, v1: vec i64 [s1], v2: i64) {
              s1 = [s0 > v0]
              v3: vec bool [s1], v4: vec i64 [s1], v5: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = read v1 x0
                x3 = mod x0 3
                x4 = eq x2 v2
                x5 = eq x3 1
                x6 = and x4 x5
                yield x6 x2 x3
              }
              v6: vec i64 [s2], v7: i64 = filter [s1] \x0 x1 { x2: bool = read v3 x0; yield x2 }
              s2 = [s0 > v7] from s1 at v6
              v8: vec i64 [s2], v9: vec i64 [s2] = map [s2] \x0 x1 { yield v2 1 }
              yield v7 v8 v9
            }

        "#]],
    );
}

/// Other relations tell nothing, and `-0.0 == 0.0`.
#[test]
fn what_is_less_or_a_float_is_read() {
    stays(&related("lt x3 x4", "i64"), &["equal_elements"]);
    stays(&related("eq x3 x4", "f64"), &["equal_elements"]);
    stays(&related("eq x3 x2", "i64"), &["equal_elements"]);
}
