//! Programs that run, and passes.

use super::*;
use crate::simplify::{remove_copies, remove_dead_values};
use expect_test::{Expect, expect};

fn check(text: &str, args: &[Datum], expect: &Expect) {
    expect.assert_eq(&run(text, args));
}

#[test]
fn norms() {
    let text = r"entries f0

fn f0 norms(v0: [[f64]]) -> [f64] @0:0:50 {
  v1 = each v2 in v0 {
    v3 = each v4 in v2 { v5 = mul v4 v4; yield v5 } @0:12:30
    v6 = reduce add v3
    yield v6
  }
  yield v1
}

";
    let rows = Datum::seq([floats(&[3.0, 4.0]), floats(&[]), floats(&[1.0, 2.0, 2.0])]);
    check(text, &[rows], &expect!["[25.0 0.0 9.0]"]);
}

/// `{sum({a * x[j] : (j, a) in row}) : row in m}`
#[test]
fn sparse_matrix_times_vector() {
    let text = r"fn f0 sparse(v0: [[(i64, f64)]], v1: [f64]) -> [f64] {
  v2 = each v3 in v0 {
    v4 = each v5 in v3 {
      v6 = field v5 0
      v7 = field v5 1
      v8 = element v1 v6 @0:20:24
      v9 = mul v7 v8
      yield v9
    }
    v10 = reduce add v4
    yield v10
  }
  yield v2
}

";
    let entry =
        |j: i64, a: f64| Datum::Tuple(vec![Datum::int(j), Datum::Scalar(prim::Const::F64(a))]);
    let rows =
        |j| Datum::seq([Datum::seq([entry(0, 1.0), entry(2, 2.0)]), Datum::seq([entry(j, 3.0)])]);
    let x = floats(&[1.0, 10.0, 100.0]);
    check(text, &[rows(1), x.clone()], &expect!["[201.0 30.0]"]);
    check(text, &[rows(3), x], &expect!["index [3, 3] at @0:20:24"]);
}

/// `{(x, y) : x in a; y in b | x < y}`
#[test]
fn lanes_with_a_test() {
    let text = r"fn f0 below(v0: [i64], v1: [i64]) -> [(i64, i64, bool)] {
  v2 = each v3 in v0, v4 in v1 where {
    v5 = lt v3 v4
    yield v5
  } do {
    v6 = tuple (v3, v4, v5)
    yield v6
  } @0:1:9
  yield v2
}

";
    check(text, &[ints(&[1, 5, 2]), ints(&[3, 4, 5])], &expect!["[(1, 3, T) (2, 5, T)]"]);
    check(text, &[ints(&[1, 5, 2]), ints(&[3])], &expect!["length [3, 1] at @0:1:9"]);
}

const SORT: &str = r"fn f0 quicksort(v0: [i64]) -> [i64] {
  v1 = length v0
  v2 = 2
  v3 = lt v1 v2
  v4 = if v3 {
    yield v0
  } else {
    v5 = div v1 v2 @0:9:10
    v6 = element v0 v5
    v7 = each v8 in v0 where { v9 = lt v8 v6; yield v9 } do { yield v8 }
    v10 = each v11 in v0 where { v12 = eq v11 v6; yield v12 } do { yield v11 }
    v13 = each v14 in v0 where { v15 = gt v14 v6; yield v15 } do { yield v14 }
    v16 = seq (v7, v13)
    v17 = each v18 in v16 { v19: [i64] = call f0(v18) @0:1:2; yield v19 }
    v20 = 0
    v21 = element v17 v20
    v22 = 1
    v23 = element v17 v22
    v24 = append v21 v10
    v25 = append v24 v23
    yield v25
  }
  yield v4
}

";

#[test]
fn recursion() {
    check(SORT, &[ints(&[3, 1, 4, 1, 5, 9, 2, 6])], &expect!["[1 1 2 3 4 5 6 9]"]);
    let text = "fn f0 forever(v0: i64) -> i64 {
  v1: i64 = call f0(v0) @1:0:9
  yield v1
}

";
    check(text, &[Datum::int(1)], &expect!["memory [0, 0] at @1:0:9"]);
}

#[test]
fn every_operation() {
    let text = r#"fn f0 all(v0: [i64], v1: [char]) -> ([[i64]], [i64], [i64], [i64], [i64], [char], [i64], i64, [[i64]], [bool]) {
  v2 = length v0
  v3 = index v2
  v4 = literal i64 (1, 0, 2)
  v5 = partition v0 v4
  v6 = flatten v5
  v7 = scan max v6
  v8 = 1
  v9 = slice v3 v8 v8
  v10 = append v9 v7
  v11 = seq (v8, v8)
  v12 = write v3 v11 v11
  v13 = literal i64 (2, 0, 1)
  v14 = permute v0 v13
  v15 = sort v1
  v16 = rank_down v1
  v17 = reduce min v0
  v18: [[i64]] = seq ()
  v19 = literal char "hi\00"
  v20 = each v21 in v19 { v22 = charcode v21; v23 = 105; v24 = lt v22 v23; yield v24 }
  v25 = which v20
  v26 = copy v25
  v27 = append v26 v16
  v28 = lt v8 v2
  v29 = require length v28 v2 v8 @0:2:3
  v30 = tuple (v5, v10, v12, v14, v27, v15, v16, v17, v18, v20)
  yield v30
}

"#;
    let chars = |s: &str| Datum::seq(s.bytes().map(|c| Datum::Scalar(prim::Const::Char(c))));
    check(
        text,
        &[ints(&[7, 8, 9]), chars("bab")],
        &expect![
            "([[7] [] [8 9]], [1 -9223372036854775808 7 8], [0 1 2], [8 9 7], [0 2 0 2 1], [c97 c98 c98], [0 2 1], 7, [], [T F T])"
        ],
    );
    check(
        text,
        &[ints(&[7, 8, 9]), chars("")],
        &expect![
            "([[7] [] [8 9]], [1 -9223372036854775808 7 8], [0 1 2], [8 9 7], [0 2], [], [], 7, [], [T F T])"
        ],
    );
}

#[test]
fn faults() {
    let fails = |op: &str, args: &[Datum]| {
        let text = format!(
            "fn f0 fails(v0: [i64], v1: [i64], v2: i64) -> {op} @0:5:9\n  yield v3\n}}\n\n"
        );
        run(&text, args)
    };
    let a = [ints(&[0, 3, 1]), ints(&[0, 0, 1]), Datum::int(-1)];
    let all = [
        "[i64] {\n  v3 = index v2",
        "[i64] {\n  v3 = write v1 v0 v1",
        "[i64] {\n  v3 = permute v0 v1",
        "i64 {\n  v3 = element v0 v2",
        "i64 {\n  v3 = shl v2 v2",
    ];
    let found: Vec<String> = all.iter().map(|op| fails(op, &a)).collect();
    expect![[r#"
        length [-1, 0] at @0:5:9
        index [3, 3] at @0:5:9
        permute [0, 3] at @0:5:9
        index [-1, 3] at @0:5:9
        domain [-1, -1] at @0:5:9"#]]
    .assert_eq(&found.join("\n"));
    let text = "fn f0 fails(v0: [char]) -> bool {
  v1 = fail v0 @0:1:2
  yield v1
}

";
    let chars = Datum::seq(b"no \"way\"".iter().map(|&c| Datum::Scalar(prim::Const::Char(c))));
    check(text, &[chars], &expect![[r#"user [0, 0] at @0:1:2 "no \"way\"""#]]);
}

#[test]
#[should_panic(expected = "bug: a slice outside in f\nv2 = slice v0 v1 v1 @0:1:2")]
fn promises_are_checked() {
    let text = "fn f0 f(v0: [i64], v1: i64) -> [i64] {
  v2 = slice v0 v1 v1 @0:1:2
  yield v2
}

";
    run(text, &[ints(&[1, 2, 3]), Datum::int(2)]);
}

#[test]
fn simplification() {
    let text = r"fn f0 f(v5: [i64], v6: [i64]) -> [i64] {
  v0 = length v5
  v1 = copy v6
  v2 = length v1
  v3 = eq v0 v2
  v4 = require length v3 v0 v2 @0:1:2
  v7 = each v8 in v5 {
    v9 = copy v8
    v10 = neg v9
    v11 = element v6 v9 @0:4:5
    v12 = copy v9
    yield v12
  }
  v13 = each v14 in v5 where {
    v15 = 0
    v16 = lt v14 v15
    v17 = neg v14
    yield v16
  } do {
    v18 = if v16 { yield v17 } else { yield v15 }
    yield v18
  }
  v19 = each v20 in v5 { v21 = neg v20; yield v21 }
  v22 = copy v13
  yield v22
}

";
    let mut program = parse(text);
    remove_copies(&mut program);
    remove_dead_values(&mut program);
    verify(&program).unwrap();
    expect![[r#"
        fn f0 f(v0: [i64], v1: [i64]) -> [i64] {
          v2 = length v0
          v3 = length v1
          v4 = eq v2 v3
          v5 = require length v4 v2 v3 @0:1:2
          v6 = each v7 in v0 { v8 = element v1 v7 @0:4:5; yield v7 }
          v9 = each v10 in v0 where {
            v11 = 0
            v12 = lt v10 v11
            v13 = neg v10
            yield v12
          } do {
            v14 = if v12 { yield v13 } else { yield v11 }
            yield v14
          }
          yield v9
        }

    "#]]
    .assert_eq(&program.to_string());
    assert_eq!(read(&program.to_string()).unwrap(), program);
}
