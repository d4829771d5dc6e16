//! Nest and flat evaluators agree before and after the passes of flat.

mod border;
mod doubling;
mod laws;
mod placed;
mod tails;

use border::{from_results, to_arguments};
use flat::Evaluator;
use nest::Datum;
use prim::Const;

/// Runs the first entry as nest, as flat, and as flat after each pass: the results, or the failures
/// with what is said about them, are the same.
fn check(text: &str, args: &[Datum]) {
    let nest = nest::read(text).unwrap_or_else(|e| panic!("{e}"));
    nest::verify(&nest).unwrap_or_else(|e| panic!("{}", nest::print_with_errors(&nest, &e)));
    let mut flat = flatten::flatten(&nest);
    after("flatten", &mut flat, |_| ());
    agree("flatten", &nest, &flat, args);
    for (name, pass) in flat::passes::ALL {
        after(name, &mut flat, |flat| flat::passes::run(name, pass, flat));
        agree(name, &nest, &flat, args);
    }
}

/// Runs a pass; what it gives obeys the rules and reads as it was printed.
fn after(pass: &str, program: &mut flat::Program, run: impl FnOnce(&mut flat::Program)) {
    run(program);
    if let Err(errors) = flat::verify(program) {
        panic!("after {pass}:\n{}", flat::print_with_errors(program, &errors));
    }
    let text = program.to_string();
    let back = flat::read(&text).unwrap_or_else(|e| panic!("after {pass}: {e}\n{text}"));
    assert_eq!(back.to_string(), text, "after {pass}");
}

fn agree(pass: &str, nest: &nest::Program, flat: &flat::Program, args: &[Datum]) {
    let function = &nest.funcs[nest.entries[0]];
    let mut given = Vec::new();
    for (&param, arg) in function.params.iter().zip(args) {
        to_arguments(arg, &function.values[param].ty, &mut given);
    }
    let got = Evaluator::new(flat).call(flat.entries[0], given);
    let want = nest::eval(nest, nest.entries[0], args.to_vec());
    match (got, want) {
        (Ok(got), Ok(want)) => {
            let got = from_results(function.result_type().unwrap(), &mut &got[..]);
            assert_eq!(got, want, "after {pass}:\n{flat}");
        }
        (Err(got), Err(want)) => assert_eq!(
            (got.fault.site, got.fault.span, got.fault.args, got.message),
            (want.site, want.span, want.args, want.message),
            "after {pass}:\n{flat}"
        ),
        (got, want) => panic!("after {pass}: {got:?}, not {want:?}\n{flat}"),
    }
}

fn ints(v: &[i64]) -> Datum {
    Datum::ints(v.iter().copied())
}

fn chars(s: &str) -> Datum {
    Datum::seq(s.bytes().map(|c| Datum::Scalar(Const::Char(c))))
}

#[test]
fn norms() {
    check(
        "entries f0 fn f0 norms(v0: [[i64]]) -> [i64] {
  v1 = each v2 in v0 {
    v3 = each v4 in v2 { v5 = mul v4 v4; yield v5 }
    v6 = reduce add v3
    yield v6
  }
  yield v1 }",
        &[Datum::seq([ints(&[1, 2]), ints(&[]), ints(&[5])])],
    );
}

const QS: &str = "entries f0 fn f0 quicksort(v0: [i64]) -> [i64] {
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
}";

#[test]
fn quicksort() {
    check(QS, &[ints(&[3, 1, 4, 1, 5, 9, 2, 6])]);
    check(QS, &[ints(&[])]);
}

#[test]
fn sparse() {
    let t = "entries f0 fn f0 sparse(v0: [[(i64, f64)]], v1: [f64]) -> [f64] {
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
  yield v2 }";
    let e = |j: i64, a: f64| Datum::Tuple(vec![Datum::int(j), Datum::Scalar(Const::F64(a))]);
    let x = Datum::seq([1.0, 10.0, 100.0].map(|x| Datum::Scalar(Const::F64(x))));
    check(
        t,
        &[Datum::seq([Datum::seq([e(0, 1.0), e(2, 2.0)]), Datum::seq([e(1, 3.0)])]), x.clone()],
    );
    check(t, &[Datum::seq([Datum::seq([e(0, 1.0), e(3, 2.0)]), Datum::seq([e(-1, 3.0)])]), x]);
}

#[test]
fn all() {
    let t = r#"entries f0 fn f0 all(v0: [i64], v1: [char]) -> ([[i64]], [i64], [i64], [i64], [i64], [char], [i64], i64, [[i64]], [bool]) {
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
}"#;
    check(t, &[ints(&[7, 8, 9]), chars("bab")]);
    check(&t.replace("(2, 0, 1)", "(2, 0, 2)"), &[ints(&[7, 8, 9]), chars("bab")]);
    check(
        &t.replace("v8 = 1", "v8 = 3")
            .replace("slice v3 v8 v8", "slice v3 v2 v23")
            .replace("v7 = scan", "v23 = 0 v7 = scan")
            .replace("v23 = 105", "v99 = 105")
            .replace("lt v22 v23", "lt v22 v99"),
        &[ints(&[7, 8, 9]), chars("bab")],
    );
}

#[test]
fn all_in_lanes() {
    let t = r#"entries f0 fn f0 all(v80: [([i64], [char])]) -> [([[i64]], [i64], [i64], [i64], [i64], [char], [i64], i64, [[i64]], [bool])] {
  v81 = each v82 in v80 {
  v0 = field v82 0
  v1 = field v82 1
  v2 = length v0
  v3 = index v2
  v83 = 3
  v84 = sub v2 v83
  v85 = 1
  v86 = 2
  v4 = seq (v85, v84, v86)
  v5 = partition v0 v4
  v6 = flatten v5
  v7 = scan max v6
  v8 = 1
  v9 = slice v3 v8 v8
  v10 = append v9 v7
  v11 = seq (v8, v8)
  v12 = write v3 v11 v11
  v13 = rank v0
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
  yield v30 }
  yield v81
}"#;
    let p = |a: &[i64], c: &str| Datum::Tuple(vec![ints(a), chars(c)]);
    check(
        t,
        &[Datum::seq([p(&[7, 8, 9], "bab"), p(&[5, 4, 3, 2, 1], ""), p(&[5, 4, 3, 2], "hello")])],
    );
    check(t, &[Datum::seq([])]);
}

#[test]
fn branches() {
    let t = "entries f0 fn f0 b(v0: [[i64]], v9: i64) -> [[i64]] {
  v1 = each v2 in v0 {
    v3 = length v2
    v4 = lt v3 v9
    v5 = if v4 { v6 = index v3; v7 = append v6 v2; yield v7 } else {
      v8 = 0
      v10 = element v2 v8 @0:1:2
      v11 = lt v10 v8
      v12 = if v11 { yield v2 } else { v13 = each v14 in v2 { v15 = div v14 v10 @0:5:6 ; yield v15 } yield v13 }
      yield v12
    }
    yield v5
  }
  yield v1 }";
    let d = Datum::seq([ints(&[1, 2]), ints(&[]), ints(&[5, 7, 20]), ints(&[-5, 7, 20, 1])]);
    for n in [0, 1, 3, 4, 5] {
        check(t, &[d.clone(), Datum::int(n)]);
    }
    check(t, &[Datum::seq([ints(&[0, 2, 2]), ints(&[1])]), Datum::int(1)]);
}

#[test]
fn messages() {
    let t = r#"entries f0 fn f0 b(v0: [i64]) -> [bool] {
  v1 = each v2 in v0 {
    v3 = 3
    v4 = lt v2 v3
    v5 = if v4 { yield v4 } else { v6 = literal char "big" v7 = fail v6 @0:4:5 yield v7 }
    yield v5
  }
  yield v1 }"#;
    check(t, &[ints(&[1, 2])]);
    check(t, &[ints(&[1, 2, 4, 5])]);
}

#[test]
fn fib() {
    let t = "entries f1 fn f0 fib(v0: i64) -> i64 {
  v1 = 2
  v2 = lt v0 v1
  v3 = if v2 { yield v0 } else { v4 = 1 v5 = sub v0 v4 v6: i64 = call f0(v5) v7 = sub v0 v1 v8: i64 = call f0(v7) v9 = add v6 v8 yield v9 }
  yield v3 }
 fn f1 main(v0: [i64]) -> [i64] { v1 = each v2 in v0 { v3: i64 = call f0(v2) yield v3 } yield v1 }";
    check(t, &[ints(&[1, 10, 7])]);
}
