//! Programs that run.

use super::*;
use expect_test::{Expect, expect};

fn check(text: &str, args: &[Data], expect: &Expect) {
    expect.assert_eq(&run(text, args));
}

/// `{sum({x * x : x in r}) : r in m}`
#[test]
fn norms() {
    let text = r"entries f0

fn f0 norms(v0: i64, v1: vec i64 offsets s1, v2: vec f64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec f64 [s1] = reduce [s2] add \x0 x1 x2 { x3: f64 = read v2 x1; x4 = mul x3 x3; yield x4 }
  yield v3
}

";
    let args = [int(3), ints(&[0, 2, 2, 5]), floats(&[3.0, 4.0, 1.0, 2.0, 2.0])];
    check(text, &args, &expect!["[25.0 0.0 9.0]; 1 operations, 8 touched"]);
}

#[test]
fn dot_product() {
    let text = r"fn f0 dot(v0: i64, v1: vec f64 [s1], v2: vec f64 [s1]) {
  s1 = [s0 > v0]
  v3: f64 = reduce [s1] add \x0 x1 {
    x2: f64 = read v1 x0
    x3: f64 = read v2 x0
    x4 = mul x2 x3
    yield x4
  } @0:10:20
  yield v3
}

";
    let args = [int(3), floats(&[1.0, 2.0, 3.0]), floats(&[4.0, 5.0, 6.0])];
    check(text, &args, &expect!["32.0; 1 operations, 6 touched"]);
}

/// `{sum({a * x[j] : (a, j) in row}) : row in m}` with the check of each index.
const SPARSE: &str = r"fn f0 sparse(v0: i64, v1: vec i64 offsets s1, v2: vec f64 [s2], v3: vec i64 [s2], v4: i64, v5: vec f64 pool) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v6: vec f64 [s1] = reduce [s2] add \x0 x1 x2 {
    x3 = read v3 x1
    x4 = ge x3 0
    x5 = lt x3 v4
    x6 = and x4 x5
    require index x6 x3 v4 @0:31:35
    x7: f64 = read v2 x1
    x8: f64 = read v5 x3
    x9 = mul x7 x8
    yield x9
  }
  yield v6
}

";

#[test]
fn sparse_matrix_times_vector() {
    let matrix = [int(2), ints(&[0, 2, 3]), floats(&[1.0, 2.0, 3.0]), ints(&[0, 2, 1])];
    let args = [&matrix[..], &[int(3), floats(&[1.0, 10.0, 100.0])]].concat();
    check(SPARSE, &args, &expect!["[201.0 30.0]; 1 operations, 11 touched"]);
}

#[test]
fn failed_checks_name_their_lane() {
    let matrix = [int(2), ints(&[0, 2, 3]), floats(&[1.0, 2.0, 3.0]), ints(&[0, 2, 3])];
    let args = [&matrix[..], &[int(3), floats(&[1.0, 10.0, 100.0])]].concat();
    check(
        SPARSE,
        &args,
        &expect!["index [3, 3] at @0:31:35 in lane [1, 2, 0] None; 1 operations, 7 touched"],
    );
}

/// `{x : x in v | x mod 2 == 0}`, at the root and in lanes.
#[test]
fn filters() {
    let text = r"fn f0 evens(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s2], v3: i64 = filter [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = mod x2 2 @0:5:9
    x4 = eq x3 0
    yield x4
  }
  s2 = [s0 > v3] from s1 at v2
  v4: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v2 x0; x3 = read v1 x2; yield x3 }
  yield v3 v4
}

";
    let args = [int(5), ints(&[4, 3, 2, 1, 0])];
    check(text, &args, &expect!["3 [4 2 0]; 2 operations, 17 touched"]);
    let text = r"fn f0 evens(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec i64 [s3], v4: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x1
    x4 = and x3 1
    x5 = eq x4 0
    yield x5
  }
  s3 = [s1 > offsets v4] from s2 at v3
  yield v3 v4
}

";
    let args = [int(4), ints(&[0, 3, 3, 4, 6]), ints(&[4, 3, 2, 1, 0, 6])];
    check(text, &args, &expect!["[0 2 4 5] [0 2 2 2 4]; 1 operations, 15 touched"]);
}

/// `{if x < 0 then sum([0:-x]) else x : x in v}`: each arm runs for the lanes that take it.
#[test]
fn arms_over_filtered_spaces() {
    let text = r"fn f0 arms(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s2], v3: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = lt x2 0; yield x3 }
  s2 = [s0 > v3] from s1 at v2
  v4: bool = map [s0] \{ x0 = gt v3 0; yield x0 }
  v5: vec i64 [s2] = if v4 {
    v6: vec i64 offsets s2 = offsets [s2] \x0 x1 {
      x2 = read v2 x0
      x3 = read v1 x2
      x4 = neg x3
      yield x4
    }
    s3 = [s2 > offsets v6]
    v7: vec i64 [s2] = reduce [s3] add \x0 x1 x2 { yield x2 }
    yield v7
  } else {
    v8: vec i64 pool = literal i64 ()
    yield v8
  } @0:3:40
  v9: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v1 x0; x3 = lt x2 0; x4 = btoi x3; yield x4 }
  v10: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = lt x2 0
    x4 = if x3 {
      x5 = read v9 x0
      x6 = read v5 x5
      yield x6
    } else {
      yield x2
    }
    yield x4
  }
  yield v10
}

";
    let args = [int(4), ints(&[-3, 7, -5, 1])];
    check(text, &args, &expect!["[3 7 10 1]; 6 operations, 35 touched"]);
    let args = [int(2), ints(&[7, 1])];
    check(text, &args, &expect!["[7 1]; 5 operations, 10 touched"]);
}

/// A function lifted over lanes that calls itself while some lanes are left.
#[test]
fn recursion() {
    let text = r#"fn f0 halve(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: bool = map [s0] \{ x0 = gt v0 0; yield x0 }
  v3: i64 = if v2 {
    v4: vec i64 [s2], v5: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
    s2 = [s0 > v5] from s1 at v4
    v6: vec i64 [s2] = map [s2] \x0 x1 {
      x2 = read v4 x0
      x3 = read v1 x2
      x4 = div x3 2 @1:2:3
      yield x4
    }
    v7: i64 = call f0(v5, v6) @1:0:9
    v8: i64 = map [s0] \{ x0 = add v7 1; yield x0 }
    yield v8
  } else {
    yield 0
  }
  yield v3
}

"#;
    check(text, &[int(3), ints(&[9, 1, 5])], &expect!["4; 17 operations, 28 touched"]);
    let text = "fn f0 forever(v0: i64) {
  v1: i64 = call f0(v0) @1:0:9
  yield v1
}

";
    check(
        text,
        &[int(1)],
        &expect!["memory [0, 0] at @1:0:9 in lane [] None; 0 operations, 0 touched"],
    );
}

#[test]
fn moving() {
    let text = r#"fn f0 "move it"(v0: i64, v1: vec char [s1], v2: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec char [s1] = scatter [s1] to [s1] write v1 \x0 x1 {
    x2 = read v2 x0
    x3: char = read v1 x0
    yield x2 x3
  }
  v4: vec char [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v2 x0
    x3: char = read v1 x0
    yield x2 x3
  } @0:1:8
  v5: vec i64 [s1] = rank_down [s1] \x0 x1 { x2: char = read v1 x0; yield x2 }
  v6: vec char [s1] = sort [s1] \x0 x1 { x2: char = read v4 x0; yield x2 }
  yield v3 v4 v5 v6
}

"#;
    let chars = |s: &str| Data::vector(s.bytes().map(Const::Char));
    let args = [int(3), chars("aab"), ints(&[1, 2, 0])];
    check(
        text,
        &args,
        &expect!["[c98 c97 c97] [c98 c97 c97] [1 2 0] [c97 c97 c98]; 4 operations, 30 touched"],
    );
    let args = [int(3), chars("aab"), ints(&[1, 1, 0])];
    check(
        text,
        &args,
        &expect!["permute [1, 3] at @0:1:8 in lane [1, 1] None; 2 operations, 15 touched"],
    );
}

#[test]
fn sorts_in_segments() {
    let text = r"fn f0 sorts(v0: vec f64 pool, v5: vec i64 offsets s1) {
  s1 = [s0 > 2]
  s2 = [s1 > offsets v5]
  v1: vec f64 [s2] = sort [s2] \x0 x1 x2 { x3: f64 = read v0 x1; yield x3 }
  v2: vec i64 [s2] = rank [s2] \x0 x1 x2 { x3: f64 = read v0 x1; yield x3 }
  v3: vec f64 [s1], v4: vec i64 [s1] = reduce [s2] max add \x0 x1 x2 {
    x3: f64 = read v0 x1
    yield x3 x0
  }
  yield v1 v2 v3 v4
}

";
    let args = [floats(&[f64::NAN, 2.0, 1.0, 0.0, -0.0, f64::NEG_INFINITY]), ints(&[0, 3, 6])];
    check(
        text,
        &args,
        &expect![
            "[1.0 2.0 nan -inf 0.0 -0.0] [2 1 0 1 2 0] [2.0 -0.0] [0 3]; 3 operations, 34 touched"
        ],
    );
}

#[test]
fn failing_on_purpose() {
    let text = r#"fn f0 fails(v0: i64) {
  s1 = [s0 > v0]
  v1: vec char pool = literal char "good\0a bad"
  fail [s1] v1 \x0 x1 { x2 = add x0 6; yield x2 3 } @0:1:2
}

"#;
    check(text, &[int(0)], &expect!["; 2 operations, 9 touched"]);
    check(
        text,
        &[int(1)],
        &expect![[r#"user [0, 0] at @0:1:2 in lane [0, 0] Some("bad"); 2 operations, 9 touched"#]],
    );
}

#[test]
fn scalar_functions_are_part_of_the_program() {
    let text = r"entries f0

fn h0 count(p0: vec i64, x0, x1) -> i64 {
  x2 = loop x3 = 0, x4 = 0 {
    x5 = read p0 x3
    x6 = eq x5 x1
    x7 = btoi x6
    x8 = add x4 x7
    x9 = add x3 1
    x10 = lt x9 x0
    yield x10 x9 x8 x8
  }
  yield x2
}

fn f0 counts(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = call h0(v0, x2; v1) @0:4:5; yield x3 }
  yield v2
}

";
    check(text, &[int(3), ints(&[7, 8, 7])], &expect!["[2 1 2]; 1 operations, 15 touched"]);
}

#[test]
#[should_panic(expected = "bug: x2 reads element 3 outside v1")]
fn reads_are_inside() {
    let text = r"fn f0 outside(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = add x0 1; x3 = read v1 x2; yield x3 }
}

";
    let text =
        text.replace("x2 = add x0 1; x3 = read v1 x2; yield x3", "x2 = read v1 v0; yield x2");
    run(&text, &[int(3), ints(&[7, 8, 7])]);
}

#[test]
#[should_panic(expected = "bug: elements of v1 in wrong")]
fn vectors_have_the_lengths_of_their_domains() {
    let text = r"fn f0 wrong() {
  s1 = [s0 > 3]
  v1: vec i64 [s1] = if T {
    v2: vec i64 pool = literal i64 (1, 2)
    yield v2
  } else {
    v3: vec i64 pool = literal i64 ()
    yield v3
  }
}

";
    run(text, &[]);
}

#[test]
fn grows() {
    let text = r"fn f0 grows(v0: i64, v1: vec i64 pool, v2: vec bool pool, v3: i64) {
  s1 = [s0 > 2]
  s2 = [s0 > v3]
  v7: i64, v8: bool = behind (v1, v2) v0 for 2
  v4: vec i64 [s2], v5: vec bool [s2] = grow (v1, v2) v0 at v7 to v3
  v6: vec i64 [s2] = scatter [s1] to [s2] into v4 \x0 x1 { x2 = add v7 x0; yield x2 x1 }
  yield v6 v8
}

";
    let flags = |n: usize| Data::vector((0..n).map(|_| Const::Bool(true)));
    let args = [int(1), ints(&[7, 8, 9]), flags(3), int(3)];
    check(text, &args, &expect!["[7 0 1] T; 3 operations, 9 touched"]);
    for (right, wrong) in [
        ("to v3\n", "to v0\n"),
        ("grow (v1, v2)", "grow (v2, v1)"),
        ("s2 = [s0", "s2 = [s1"),
        ("v0 for 2", "v1 for 2"),
        ("at v7", "at v8"),
    ] {
        assert_ne!(text, text.replace(right, wrong));
        let wrong = read(&text.replace(right, wrong)).map(|program| verify(&program).is_err());
        assert_eq!(wrong.ok(), Some(true), "{right}");
    }
}

#[test]
fn joins() {
    let text = r"fn f0 joins(v0: i64, v1: vec i64 [s1], v2: vec bool [s1], v3: i64, v4: vec i64 [s2], v5: vec bool [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v3]
  v6: vec i64 pool, v7: vec bool pool, v8: i64, v9: i64 = join (v1, v2) (v4, v5) (v4, v2)
  yield v6 v8
}

";
    let wrong = read(text).map(|program| verify(&program).is_err());
    assert_eq!(wrong.ok(), Some(true));
    let text = text.replace(" (v4, v2)", " (v4, v5)");
    let flags = |n: usize| Data::vector((0..n).map(|_| Const::Bool(true)));
    let args = [int(2), ints(&[1, 2]), flags(2), int(1), ints(&[7]), flags(1)];
    check(&text, &args, &expect!["[1 2 7 7] 2; 1 operations, 8 touched"]);
}
