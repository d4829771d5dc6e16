//! What moves out of an apply-to-each, and what stays.

use crate::hoist::hoist_sequences;
use crate::read;
use crate::verify;
use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    let mut program = read(text).unwrap();
    verify(&program).unwrap();
    hoist_sequences(&mut program);
    verify(&program).unwrap();
    let text = program.to_string();
    expected.assert_eq(text.trim_start_matches("entries f0\n\n").trim_end());
}

#[test]
fn what_goes_over_the_source_itself_is_done_before() {
    check(
        "entries f0
        fn f0 f(v0: [f64]) -> [f64] {
          v1 = each v2 in v0 { v3 = reduce add v0; v4 = length v0; v5 = tofloat v4; v6 = div v3 v5; v7 = sub v2 v6; yield v7 }
          yield v1
        }",
        &expect![[r#"
            fn f0 f(v0: [f64]) -> [f64] {
              v3 = reduce add v0
              v1 = each v2 in v0 { v4 = length v0; v5 = tofloat v4; v6 = div v3 v5; v7 = sub v2 v6; yield v7 }
              yield v1
            }"#]],
    );
}

#[test]
fn in_lanes_it_is_done_for_each_of_them() {
    check(
        "entries f0
        fn f0 f(v0: [[i64]]) -> [[i64]] {
          v1 = each v2 in v0 {
            v3 = each v4 in v2 where { v5 = reduce max v2; v6 = lt v4 v5; yield v6 } do { v7 = scan add v2; v8 = length v7; yield v8 }
            yield v3
          }
          yield v1
        }",
        &expect![[r#"
            fn f0 f(v0: [[i64]]) -> [[i64]] {
              v1 = each v2 in v0 {
                v5 = reduce max v2
                v7 = scan add v2
                v3 = each v4 in v2 where { v6 = lt v4 v5; yield v6 } do { v8 = length v7; yield v8 }
                yield v3
              }
              yield v1
            }"#]],
    );
}

#[test]
fn other_sequences_are_gone_over_if_there_is_a_lane() {
    check(
        "entries f0
        fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
          v2 = each v3 in v0 { v4 = 1; v5 = each v6 in v1 { v7 = add v6 v4; yield v7 }; v8 = reduce add v5; v9 = add v8 v3; v10 = scan add v1; v11 = length v10; v12 = add v9 v11; yield v12 }
          yield v2
        }",
        &expect![[r#"
            fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
              v4 = 1
              v13 = length v0
              v14 = 0
              v15 = gt v13 v14
              v22 = if v15 {
                v5 = each v6 in v1 { v7 = add v6 v4; yield v7 }
                v16 = reduce add v5
                v17 = scan add v1
                v18 = tuple (v16, v17)
                yield v18
              } else {
                v19 = 0
                v20: [i64] = seq ()
                v21 = tuple (v19, v20)
                yield v21
              }
              v8 = field v22 0
              v10 = field v22 1
              v2 = each v3 in v0 { v9 = add v8 v3; v11 = length v10; v12 = add v9 v11; yield v12 }
              yield v2
            }"#]],
    );
}

#[test]
fn what_may_fail_or_may_not_be_wanted_stays() {
    check(
        "entries f0
        fn f0 f(v0: [i64], v1: [i64], v2: [[i64]]) -> [[i64]] {
          v3 = each v4 in v0 where { v5 = lt v4 v4; yield v5 } do { v6 = reduce add v1; yield v6 }
          v7 = each v8 in v2 { v9 = each v10 in v8 { v11 = reduce add v1; yield v11 }; yield v9 }
          v12 = each v13 in v0 { v14 = permute v0 v0; v15 = reduce add v14; v16 = index v13; yield v15 }
          yield v7
        }",
        &expect![[r#"
            fn f0 f(v0: [i64], v1: [i64], v2: [[i64]]) -> [[i64]] {
              v3 = each v4 in v0 where { v5 = lt v4 v4; yield v5 } do { v6 = reduce add v1; yield v6 }
              v7 = each v8 in v2 {
                v9 = each v10 in v8 { v11 = reduce add v1; yield v11 }
                yield v9
              }
              v12 = each v13 in v0 { v14 = permute v0 v0; v15 = reduce add v14; v16 = index v13; yield v15 }
              yield v7
            }"#]],
    );
}

#[test]
fn what_needs_something_that_is_done_on_a_condition_is_done_on_it_too() {
    check(
        "entries f0
        fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
          v2 = each v3 in v0 { v4 = reduce add v1; v5 = tuple (v4, v4); v6 = seq (v5); v7 = each v8 in v6 { v9 = field v8 0; yield v9 }; v10 = each v11 in v0 { yield v4 }; v12 = reduce max v10; v13 = reduce add v7; v14 = add v12 v13; yield v14 }
          yield v2
        }",
        &expect![[r#"
            fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
              v15 = length v0
              v16 = 0
              v17 = gt v15 v16
              v24 = if v17 {
                v4 = reduce add v1
                v5 = tuple (v4, v4)
                v6 = seq (v5)
                v7 = each v8 in v6 { v9 = field v8 0; yield v9 }
                v10 = each v11 in v0 { yield v4 }
                v18 = reduce max v10
                v19 = reduce add v7
                v20 = tuple (v18, v19)
                yield v20
              } else {
                v21 = 0
                v22 = 0
                v23 = tuple (v21, v22)
                yield v23
              }
              v12 = field v24 0
              v13 = field v24 1
              v2 = each v3 in v0 { v14 = add v12 v13; yield v14 }
              yield v2
            }"#]],
    );
}

#[test]
fn kept_lanes_use_what_the_test_has_found() {
    check(
        "entries f0
        fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
          v2 = each v3 in v0 where { v4 = reduce add v1; v5 = lt v3 v4; v10 = 7; yield v5 } do { v6 = each v7 in v0 { v8 = add v7 v4; yield v8 }; v9 = reduce add v6; v11 = each v12 in v0 { v13 = mul v12 v10; yield v13 }; v14 = reduce add v11; v15 = add v9 v14; yield v15 }
          yield v2
        }",
        &expect![[r#"
            fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
              v10 = 7
              v11 = each v12 in v0 { v13 = mul v12 v10; yield v13 }
              v14 = reduce add v11
              v16 = length v0
              v17 = 0
              v18 = gt v16 v17
              v4 = if v18 { v19 = reduce add v1; yield v19 } else { v20 = 0; yield v20 }
              v2 = each v3 in v0 where {
                v5 = lt v3 v4
                yield v5
              } do {
                v6 = each v7 in v0 { v8 = add v7 v4; yield v8 }
                v9 = reduce add v6
                v15 = add v9 v14
                yield v15
              }
              yield v2
            }"#]],
    );
}

#[test]
fn what_nobody_uses_is_not_done() {
    check(
        "entries f0
        fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
          v2 = each v3 in v0 { v4 = reduce add v1; yield v3 }
          yield v2
        }",
        &expect![[r#"
            fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
              v5 = length v0
              v6 = 0
              v7 = gt v5 v6
              v2 = each v3 in v0 { yield v3 }
              yield v2
            }"#]],
    );
}
