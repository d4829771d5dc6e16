//! What is found of sizes, and that it is true of data.

use super::{int, ints, parse};
use crate::shapes::check;
use crate::shapes::show::show;
use crate::{Data, read};
use base::Id;
use expect_test::{Expect, expect};

/// The facts of all functions of a program, which are tested on each of the lists of arguments.
fn all(text: &str, runs: &[Vec<Data>], expect: &Expect) {
    let text = read(text).unwrap_or_else(|e| panic!("{e}\n{text}")).to_string();
    let program = parse(&text);
    let shown = show(&program);
    assert_eq!(read(&shown).unwrap().to_string(), text, "facts are skipped by the reader");
    for args in runs {
        let tested = check::check(&program, Id::new(0), args.clone());
        assert!(tested.wrong.is_empty(), "{}\n{shown}", tested.wrong.join("\n"));
        assert!(tested.compared > 0 || tested.result.is_err(), "nothing was compared");
    }
    let facts = shown.lines().filter(|line| line.starts_with("-- "));
    expect.assert_eq(&facts.fold(String::new(), |text, line| text + &line[3..] + "\n"));
}

fn floats(elements: &[f64]) -> Data {
    super::floats(elements)
}

#[test]
fn generators_are_as_long_as_each_other_after_their_check() {
    all(
        r"fn f0 zip(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: i64 = map [s0] \{ x0 = eq v0 v2; require length x0 v0 v2 @0:1:2; x1 = min v0 v2; yield x1 }
  s3 = [s0 > v4]
  v5: vec i64 [s3] = map [s3] \x0 x1 {
    x2 = read v1 x0
    x3 = read v3 x0
    x4 = add x2 x3
    yield x4
  }
  yield v5
}

",
        &[
            vec![int(2), ints(&[1, 2]), int(2), ints(&[3, 4])],
            vec![int(0), ints(&[]), int(0), ints(&[])],
            vec![int(1), ints(&[1]), int(2), ints(&[3, 4])],
        ],
        &expect![[r#"
            s3: min(v0, v2) lanes
            v0 == v2
        "#]],
    );
}

#[test]
fn a_filter_keeps_at_most_its_source() {
    all(
        r"fn f0 evens(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s2], v3: i64 = filter [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = and x2 1
    x4 = eq x3 0
    yield x4
  }
  s2 = [s0 > v3] from s1 at v2
  v4: i64 = map [s0] \{ x0 = sub v0 v3; yield x0 }
  yield v3 v4
}

",
        &[vec![int(3), ints(&[4, 3, 2])], vec![int(0), ints(&[])]],
        &expect![[r#"
            v4 == v0 - v3
            v3 <= v0
        "#]],
    );
}

/// `x < p`, `x == p`, `x > p` of a type, in this order.
fn three(ty: &str) -> String {
    let filter = |n: usize, op: &str| {
        format!(
            r"  v{}: vec i64 [s{}], v{}: i64 = filter [s1] \x0 x1 {{
    x2{} = read v1 x0
    x3 = {op} x2 v2{}
    yield x3
  }}
  s{} = [s0 > v{}] from s1 at v{}
",
            2 * n + 1,
            n + 1,
            2 * n + 2,
            if ty == "i64" { "" } else { ": f64" },
            if ty == "i64" { "" } else { ":f64" },
            n + 1,
            2 * n + 2,
            2 * n + 1,
        )
    };
    format!(
        "fn f0 three(v0: i64, v1: vec {ty} [s1], v2: {ty}) {{\n  s1 = [s0 > v0]\n{}{}{}  yield v4 v6 v8\n}}\n\n",
        filter(1, "lt"),
        filter(2, "eq"),
        filter(3, "gt"),
    )
}

#[test]
fn three_ways_of_ints_are_all() {
    let runs = [vec![int(5), ints(&[4, 3, 2, 3, 9]), int(3)], vec![int(0), ints(&[]), int(3)]];
    all(
        &three("i64"),
        &runs,
        &expect![[r#"
        v4 <= v0
        v6 <= v0
        v4 + v6 <= v0
        v8 <= v0
        v4 + v6 + v8 == v0
    "#]],
    );
}

/// A `nan` goes none of the ways.
#[test]
fn three_ways_of_floats_are_at_most_all() {
    let pivot = Data::Scalar(prim::Const::F64(3.0));
    let runs = [vec![int(4), floats(&[4.0, f64::NAN, 2.0, 3.0]), pivot]];
    all(
        &three("f64"),
        &runs,
        &expect![[r#"
        v4 <= v0
        v6 <= v0
        v4 + v6 <= v0
        v8 <= v0
        v4 + v6 + v8 <= v0
    "#]],
    );
}

#[test]
fn a_predicate_and_its_negation_are_all() {
    all(
        r"fn f0 halves(v0: i64, v1: vec f64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s2], v3: i64 = filter [s1] \x0 x1 { x2: f64 = read v1 x0; x3 = lt x2 2.5; yield x3 }
  s2 = [s0 > v3] from s1 at v2
  v4: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 {
    x2: f64 = read v1 x0
    x3 = lt x2 2.5
    x4 = not x3
    yield x4
  }
  s3 = [s0 > v5] from s1 at v4
  yield v3 v5
}

",
        &[vec![int(4), floats(&[4.0, f64::NAN, 2.0, 3.0])]],
        &expect![[r#"
            v3 <= v0
            v5 <= v0
            v3 + v5 == v0
        "#]],
    );
}

#[test]
fn rows_have_equal_offsets_if_they_have_equal_lengths() {
    all(
        r"fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = add x0 1
    x3 = read v1 x2
    x4 = read v1 x0
    x5 = sub x3 x4
    yield x5
  }
  v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v3 x0; yield x2 }
  s3 = [s1 > offsets v4]
  v5: vec i64 offsets s1 = offsets [s1] \x0 x1 {
    x2 = add x0 1
    x3 = read v1 x2
    x4 = read v1 x0
    x5 = sub x3 x4
    yield x5
  }
  s4 = [s1 > offsets v5]
  v6: i64 = map [s0] \{ x0 = read v5 v0; yield x0 }
  v7: i64 = map [s0] \{ x0 = read v4 0; yield x0 }
  yield v6 v7
}

",
        &[
            vec![int(3), ints(&[0, 2, 2, 5]), ints(&[1, 2, 3, 4, 5])],
            vec![int(0), ints(&[0]), ints(&[])],
        ],
        &expect![[r#"
            s2: total v1 lanes
            s3: total v4 lanes
            s4: total v4 lanes
            v5 == v4
            v6 == total v4
            v7 == 0
        "#]],
    );
}

#[test]
fn a_matrix_has_rows_times_columns() {
    all(
        r"fn f0 matrix(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  s2 = [s1 > 3]
  s3 = [s2 > 2]
  s4 = [s1 > v0]
  v2: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x0; x4 = mul x3 x2; yield x4 }
  v3: vec i64 [s3] = map [s3] \x0 x1 x2 x3 { x4 = read v2 x1; yield x4 }
  v4: vec i64 [s4] = map [s4] \x0 x1 x2 { yield x2 }
  v5: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v2 x1; yield x3 }
  v6: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v1 x0; x4 = mul x3 x2; yield x4 }
  yield v3 v4 v5 v6
}

",
        &[vec![int(2), ints(&[1, 2])], vec![int(0), ints(&[])]],
        &expect![[r#"
            s2: 3 * v0 lanes
            s3: 6 * v0 lanes
            v6 == v5
        "#]],
    );
}

#[test]
fn a_transposed_matrix_is_as_large() {
    all(
        r"fn f0 transpose(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > 4]
  s2 = [s1 > v0]
  s3 = [s0 > v0]
  s4 = [s3 > 4]
  v2: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x0; x4 = add x3 x2; yield x4 }
  v3: vec i64 [s4] = map [s4] \x0 x1 x2 { x3 = mul x2 v0; x4 = add x3 x0; x5 = read v2 x4; yield x5 }
  yield v3
}

",
        &[vec![int(2), ints(&[1, 2, 3, 4])], vec![int(0), ints(&[1, 2, 3, 4])]],
        &expect![[r#"
            s2: 4 * max(v0, 0) lanes
            s3: max(v0, 0) lanes
            s4: 4 * max(v0, 0) lanes
        "#]],
    );
}

#[test]
fn three_ways_in_rows() {
    let filter = |n: usize, op: &str| {
        let (kept, shape, space) = (2 * n + 2, 2 * n + 3, n + 2);
        format!(
            r"  v{kept}: vec i64 [s{space}], v{shape}: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {{
    x3 = read v2 x1
    x4 = read v3 x0
    x5 = {op} x3 x4
    yield x5
  }}
  s{space} = [s1 > offsets v{shape}] from s2 at v{kept}
"
        )
    };
    let text = format!(
        r"fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec i64 [s1]) {{
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
{}{}{}  yield v5 v7 v9
}}

",
        filter(1, "le"),
        filter(2, "gt"),
        filter(3, "eq"),
    );
    all(
        &text,
        &[vec![int(2), ints(&[0, 3, 5]), ints(&[1, 2, 3, 4, 5]), ints(&[2, 4])]],
        &expect![[r#"
            s2: total v1 lanes
            s3: total v5 lanes
            s4: total v7 lanes
            s5: total v9 lanes
            total v5 <= total v1
            total v7 <= total v1
            total v5 + total v7 == total v1
            total v9 <= total v1
            total v7 + total v9 <= total v1
        "#]],
    );
}

#[test]
fn results_of_calls() {
    all(
        r"fn f0 main(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: i64, v3: i64, v4: vec i64 pool = call f1(0, v0, v1)
  s2 = [s0 > v3]
  yield v2 v3 v4
}

fn f1 tail(v0: i64, v1: i64, v2: vec i64 pool) layout (start 0 1, len 0 1, item 1) to (start 0 1, len 0 1, item 1) {
  v3: i64, v4: i64 = map [s0] \{ x0 = add v0 1; x1 = sub v1 1; yield x0 x1 }
  yield v3 v4 v2
}

",
        &[vec![int(2), ints(&[1, 2])]],
        &expect![[r#"
            s2: max(v0 - 1, 0) lanes
            v2 == 1
            v3 == v0 - 1
            v3 == v0 + 1
            v4 == v1 - 1
        "#]],
    );
}

/// A length stays, and a number grows with each call.
const RECURSION: &str = r"fn f0 step(v0: i64, v1: i64, v2: vec i64 pool, v3: i64) layout (start 0 1, len 0 1, item 1, item 0) to (start 0 1, len 0 1, item 1, item 0) {
  s1 = [s0 > v1]
  v4: bool = map [s0] \{ x0 = lt v3 3; yield x0 }
  v5: i64, v6: i64, v7: vec i64 pool, v8: i64 = if v4 {
    v9: vec i64 [s1] = map [s1] \x0 x1 { x2 = add v0 x0; x3 = read v2 x2; x4 = add x3 1; yield x4 }
    v10: i64 = map [s0] \{ x0 = add v3 1; yield x0 }
    v11: i64, v12: i64, v13: vec i64 pool, v14: i64 = call f0(0, v1, v9, v10)
    yield v11 v12 v13 v14
  } else {
    yield 0 v1 v2 v3
  }
  yield v5 v6 v7 v8
}

";

#[test]
fn recursion_that_keeps_lengths() {
    let args = vec![int(0), int(2), ints(&[1, 2]), int(0)];
    all(
        RECURSION,
        &[args],
        &expect![[r#"
        v5 == 0
        v6 == v1
        v10 == v3 + 1
        v11 == 0
        v12 == v1
    "#]],
    );
}

#[test]
fn recursion_without_an_end_says_nothing() {
    all(
        r"fn f0 main(v0: i64) {
  v1: i64 = call f1(v0)
  yield v1
}

fn f1 odd(v0: i64) {
  v1: i64 = call f2(v0)
  yield v1
}

fn f2 even(v0: i64) {
  v1: i64 = call f1(v0)
  yield v1
}

",
        &[vec![int(1)]],
        &expect![[r#""#]],
    );
}

#[test]
fn arms_that_agree_and_arms_that_do_not() {
    all(
        r"fn f0 arms(v0: i64, v1: vec i64 [s1], v2: bool) {
  s1 = [s0 > v0]
  v3: i64, v4: i64, v5: i64 = if v2 {
    v6: i64 = map [s0] \{ x0 = add v0 1; yield x0 }
    v7: vec i64 [s2], v8: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
    s2 = [s0 > v8] from s1 at v7
    yield v6 v0 v8
  } else {
    v9: i64 = map [s0] \{ x0 = sub v0 -1; yield x0 }
    yield v9 0 0
  }
  s3 = [s0 > v5]
  v10: i64 = reduce [s3] add \x0 x1 { yield x0 }
  yield v3 v4 v10
}

",
        &[
            vec![int(2), ints(&[1, 2]), Data::Scalar(prim::Const::Bool(true))],
            vec![int(2), ints(&[1, 2]), Data::Scalar(prim::Const::Bool(false))],
        ],
        &expect![[r#"
            v3 == v0 + 1
            v6 == v0 + 1
            v9 == v0 + 1
            v8 <= v0
        "#]],
    );
}

#[test]
fn what_holds_in_an_arm_does_not_hold_behind_it() {
    // In the arm the filter keeps nothing, as there is nothing to be kept; the one behind it is the
    // same, and may keep something.
    let text = r"fn f0 arms(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: bool = map [s0] \{ x0 = eq v0 0; yield x0 }
  v3: i64 = if v2 {
    v5: vec i64 [s2], v4: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
    s2 = [s0 > v4] from s1 at v5
    yield v4
  } else {
    yield 7
  }
  v7: vec i64 [s3], v6: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
  s3 = [s0 > v6] from s1 at v7
  v8: i64 = map [s0] \{ x0 = le v6 0; require length x0 v6 0 @0:1:2; yield v3 }
  yield v8
}

";
    let runs = [vec![int(2), ints(&[1, 2])], vec![int(0), ints(&[])]];
    all(
        text,
        &runs,
        &expect![[r#"
            v8 == v3
            v4 <= 0
            v6 <= v0
            v6 <= 0
        "#]],
    );
    let mut program = parse(text);
    crate::passes::remove_checks(&mut program.funcs[Id::new(0)]);
    assert!(program.to_string().contains("require length x0 v6 0"), "{program}");
}

#[test]
fn parts_joined_and_positions() {
    all(
        r"fn f0 parts(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  v3: vec i64 [s1] = rank [s1] \x0 x1 { x2 = read v1 x1; yield x2 }
  v4: vec i64 pool, v5: i64 = join (v2) (v1)
  v6: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v1 x0; x3 = lt x2 2; x4 = btoi x3; yield x4 }
  v7: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v1 x0; x3 = lt x2 2; x4 = btoi x3; yield x4 }
  yield v3 v4 v5 v6 v7
}

",
        &[vec![int(3), ints(&[3, 1, 2])]],
        &expect![[r#"
            v3 == v2
            v7 == v6
        "#]],
    );
}

/// A number below 0 counts as no lanes, but is what it is.
#[test]
fn a_length_below_0() {
    all(
        r"fn f0 negative(v0: i64) {
  s1 = [s0 > v0]
  s2 = [s0 > v1]
  v1: i64 = map [s0] \{ x0 = sub v0 1; yield x0 }
  v2: vec i64 [s1] = map [s1] \x0 x1 { yield x1 }
  v3: vec i64 [s2] = map [s2] \x0 x1 { yield x1 }
  yield v2 v3
}

",
        &[vec![int(-2)], vec![int(0)], vec![int(3)]],
        &expect![[r#"
            s1: max(v0, 0) lanes
            s2: max(v0 - 1, 0) lanes
            v1 == v0 - 1
        "#]],
    );
}

/// Terms that grow with each statement stay short, and are not looked through each time.
#[test]
fn long_programs_end() {
    let mut text = String::from("fn f0 long(v0: i64, v1: vec i64 [s1]) {\n  s1 = [s0 > v0]\n");
    let mut next = 2;
    for n in 0..1000 {
        let before = next - 1;
        let of = if n == 0 { 1 } else { before };
        text += &format!(
            "  v{next}: vec i64 [s1] = map [s1] \\x0 x1 {{\n    x2 = read v{of} x0\n    x3 = read v1 x0\n    x4 = mul x2 x3\n    x5 = max x4 x0\n    yield x5\n  }}\n"
        );
        next += 1;
    }
    text += &format!("  yield v{}\n}}\n\n", next - 1);
    let program = read(&text).unwrap();
    let shapes = crate::shapes::Shapes::of(&program.funcs[Id::new(0)]);
    assert!(shapes.lines().is_empty());
}

/// The length of a vector needs no check; a length computed from two others keeps its check.
#[test]
fn lengths_that_exist_are_not_checked() {
    let text = r"fn f0 known(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: i64 = map [s0] \{ x0 = le v2 140737488355328; require memory x0 v2 -1 @0:1:2; yield v2 }
  v5: i64 = map [s0] \{
    x0 = add v0 v2
    x1 = sub 140737488355328 v2
    x2 = le v0 x1
    require memory x2 x0 -1 @0:1:2
    yield x0
  }
  v6: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = le v2 140737488355328
    require memory x2 v2 -1 @0:1:2
    x3 = read v1 x0
    x4 = le x3 140737488355328
    require memory x4 x3 -1 @0:1:2
    yield x3
  }
  yield v4 v5 v6
}

";
    let mut program = parse(text);
    crate::passes::remove_checks(&mut program.funcs[Id::new(0)]);
    let checks: Vec<String> = program
        .to_string()
        .lines()
        .filter(|line| line.contains("require"))
        .map(|line| line.trim().to_owned())
        .collect();
    assert_eq!(
        checks,
        ["require memory x2 x0 -1 @0:1:2", "require memory x3 x2 -1 @0:1:2"],
        "{program}"
    );
}
