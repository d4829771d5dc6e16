//! Functions: instances, function values, choices, recursion.

use super::{check, value};
use expect_test::expect;

#[test]
fn nested_sequences() {
    check(
        "function norms(m) = {sum({x * x : x in r}) : r in m}; norms([[1.0, 2.0], [3.0]]);",
        &expect![[r#"
            entries f0

            fn f0 it() -> [f64] {
              v0 = literal f64 (1.0, 2.0, 3.0)
              v1 = literal i64 (2, 1)
              v2 = partition v0 v1
              v3: [f64] = call f1(v2)
              yield v3
            }

            fn f1 norms(v0: [[f64]]) -> [f64] {
              v6 = each v1 in v0 {
                v4 = each v2 in v1 { v3 = mul v2 v2 yield v3 }
                v5 = reduce add v4
                yield v5
              }
              yield v6
            }

        "#]],
    );
}

#[test]
fn an_instance_for_each_type() {
    check(
        "function twice(x) = x + x; (twice(1), twice(2.5), twice(3));",
        &expect![[r#"
        entries f0

        fn f0 it() -> (i64, f64, i64) {
          v0 = 1
          v1: i64 = call f1(v0)
          v2 = 2.5
          v3: f64 = call f2(v2)
          v4 = 3
          v5: i64 = call f1(v4)
          v6 = tuple (v1, v3, v5)
          yield v6
        }

        fn f1 twice(v0: i64) -> i64 {
          v1 = add v0 v0
          yield v1
        }

        fn f2 twice(v0: f64) -> f64 {
          v1 = add v0 v0
          yield v1
        }

    "#]],
    );
}

#[test]
fn recursion_with_a_function_argument() {
    check(
        "function iterate(g, n, x) = if n == 0 then x else iterate(g, n - 1, g(x));
         let a = 4 in iterate(x => x * a, 3, 1);",
        &expect![[r#"
            entries f0

            fn f0 it() -> i64 {
              v0 = 4
              v1 = 3
              v2 = 1
              v3: i64 = call f1(v0, v1, v2)
              yield v3
            }

            fn f1 iterate(v0: i64, v1: i64, v2: i64) -> i64 {
              v3 = 0
              v4 = eq v1 v3
              v9 = if v4 {
                yield v2
              } else {
                v5 = 1
                v6 = sub v1 v5
                v7 = mul v2 v0
                v8: i64 = call f1(v0, v6, v7)
                yield v8
              }
              yield v9
            }

        "#]],
    );
}

#[test]
fn equal_functions_share_an_instance() {
    check(
        "function apply(g, x) = g(x);
         function add(a) = apply(x => x + a, 1);
         add(3) + add(4) + round(apply(sqrt, 4.0));",
        &expect![[r#"
            entries f0

            fn f0 it() -> i64 {
              v0 = 3
              v1: i64 = call f1(v0)
              v2 = 4
              v3: i64 = call f1(v2)
              v4 = add v1 v3
              v5 = 4.0
              v6: f64 = call f2(v5)
              v7 = round v6
              v8 = add v4 v7
              yield v8
            }

            fn f1 add(v0: i64) -> i64 {
              v1 = 1
              v2: i64 = call f3(v0, v1)
              yield v2
            }

            fn f2 apply(v0: f64) -> f64 {
              v1 = sqrt v0
              yield v1
            }

            fn f3 apply(v0: i64, v1: i64) -> i64 {
              v2 = add v1 v0
              yield v2
            }

        "#]],
    );
}

#[test]
fn choice_between_functions() {
    check(
        "{let g = if x > 2 then (let y = x * x in z => z + y) else negate in g(1) : x in [1, 3]};",
        &expect![[r#"
            entries f0

            fn f0 it() -> [i64] {
              v0 = literal i64 (1, 3)
              v12 = each v1 in v0 {
                v2 = 2
                v3 = gt v1 v2
                v7 = if v3 { v4 = mul v1 v1 yield v4 } else { v6 = 0 yield v6 }
                v5 = copy v7
                v8 = 1
                v11 = if v3 {
                  v9 = add v8 v5
                  yield v9
                } else {
                  v10 = -1
                  yield v10
                }
                yield v11
              }
              yield v12
            }

        "#]],
    );
}

#[test]
fn functions_in_datatypes_and_pairs() {
    value(
        "datatype rule(int -> int, int);
         function run(rule(g, n), k) = if k == 0 then n else run(rule(g, g(n)), k - 1);
         let (r, _) = (rule(x => x * 2, 3), sin) in run(r, 4);",
        &expect!["48"],
    );
}

#[test]
fn functions_that_return_functions() {
    value(
        "function compose(g, h) = x => g(h(x)); {compose(sqrt, float)(i) : i in [4, 9]};",
        &expect!["[2.0 3.0]"],
    );
}

#[test]
fn functions_bound_at_top_level() {
    value(
        "function adder(n) = x => x + n; (add, k) = (adder(3), 5); id = x => x;
         (add(1), id(`c), id(2));",
        &expect!["(4, c99, 2)"],
    );
}

#[test]
fn redefinition_reaches_earlier_functions() {
    value(
        "function g(x) = x + 1; function h(x) = g(x) * 2; function g(x) = x + 100; h(1);",
        &expect!["202"],
    );
}

#[test]
fn optional_parameters() {
    value("function inc(x, by := 1 + 1) = x + by; (inc(3), inc(3, by := 4));", &expect!["(5, 7)"]);
}

#[test]
fn choices_in_recursion_merge() {
    check(
        "function go(g, n, x) = if n == 0 then g(x)
                                else go((if n > x then g else negate), n - 1, x);
         let k = 3 in go(x => x + k, 2, 7);",
        &expect![[r#"
            entries f0

            fn f0 it() -> i64 {
              v0 = 3
              v1 = 2
              v2 = 7
              v3: i64 = call f1(v0, v1, v2)
              yield v3
            }

            fn f1 go(v0: i64, v1: i64, v2: i64) -> i64 {
              v3 = 0
              v4 = eq v1 v3
              v10 = if v4 {
                v5 = add v2 v0
                yield v5
              } else {
                v6 = gt v1 v2
                v7 = 1
                v8 = sub v1 v7
                v9: i64 = call f2(v6, v0, v8, v2)
                yield v9
              }
              yield v10
            }

            fn f2 go(v0: bool, v1: i64, v2: i64, v3: i64) -> i64 {
              v4 = 0
              v5 = eq v2 v4
              v14 = if v5 {
                v8 = if v0 {
                  v6 = add v3 v1
                  yield v6
                } else {
                  v7 = neg v3
                  yield v7
                }
                yield v8
              } else {
                v9 = gt v2 v3
                v10 = and v9 v0
                v11 = 1
                v12 = sub v2 v11
                v13: i64 = call f2(v10, v1, v12, v3)
                yield v13
              }
              yield v14
            }

        "#]],
    );
}
