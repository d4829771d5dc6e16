//! The library inlined, and operations derived for each type.

use super::{check, value};
use expect_test::expect;

#[test]
fn errors_of_the_library_are_the_callers() {
    value("function go(s) = take(s, 3) ++ s;\ngo([1, 2]);", &expect!["test:1:18 range"]);
    value("median([] int);", &expect!["test:1:1 index"]);
    value("{x / 0 : x in [1]};", &expect!["test:1:2 divide"]);
}

#[test]
fn equality() {
    check(
        "[(1, \"a\")] == [(2, \"b\")];",
        &expect![[r#"
        entries f0

        fn f0 it() -> bool {
          v0 = literal i64 (1)
          v1 = literal char "a"
          v2 = literal i64 (1)
          v3 = partition v1 v2
          v7 = each v4 in v0, v5 in v3 { v6 = tuple (v4, v5) yield v6 }
          v8 = literal i64 (2)
          v9 = literal char "b"
          v10 = literal i64 (1)
          v11 = partition v9 v10
          v15 = each v12 in v8, v13 in v11 { v14 = tuple (v12, v13) yield v14 }
          v16: bool = call f1(v7, v15)
          yield v16
        }

        fn f1 equal(v0: [(i64, [char])], v1: [(i64, [char])]) -> bool {
          v2 = length v0
          v3 = length v1
          v4 = eq v2 v3
          v17 = if v4 {
            v14 = each v5 in v0, v6 in v1 {
              v7 = field v5 0
              v8 = field v6 0
              v9 = eq v7 v8
              v10 = field v5 1
              v11 = field v6 1
              v12: bool = call f2(v10, v11)
              v13 = and v9 v12
              yield v13
            }
            v15 = reduce and v14
            yield v15
          } else {
            v16 = F
            yield v16
          }
          yield v17
        }

        fn f2 equal(v0: [char], v1: [char]) -> bool {
          v2 = length v0
          v3 = length v1
          v4 = eq v2 v3
          v11 = if v4 {
            v8 = each v5 in v0, v6 in v1 { v7 = eq v5 v6 yield v7 }
            v9 = reduce and v8
            yield v9
          } else {
            v10 = F
            yield v10
          }
          yield v11
        }

    "#]],
    );
}

#[test]
fn select_and_identity() {
    check(
        "{(select(b, (1, \"x\"), (2, \"y\")), identity((b, [1]))) : b in [t, f]};",
        &expect![[r#"
            entries f0

            fn f0 it() -> [((i64, [char]), bool, [i64])] {
              v0 = literal bool (T, F)
              v14 = each v1 in v0 {
                v2 = 1
                v3 = literal char "x"
                v4 = 2
                v5 = literal char "y"
                v6 = select v1 v2 v4
                v7 = if v1 { yield v3 } else { yield v5 }
                v8 = literal i64 (1)
                v9 = F
                v10: [i64] = seq ()
                v11 = tuple (v9, v10)
                v12 = tuple (v6, v7)
                v13 = tuple (v12, v9, v10)
                yield v13
              }
              yield v14
            }

        "#]],
    );
}

#[test]
fn hash_is_by_parts() {
    check(
        "hash((1, `a, [2.5]), 10);",
        &expect![[r#"
        entries f0

        fn f0 it() -> i64 {
          v0 = 1
          v1 = c97
          v2 = literal f64 (2.5)
          v3 = 10
          v4 = 0
          v5 = T
          v6 = 0
          v7 = tuple (v0, v1, v2)
          v8 = 0
          v9 = -7995527694508729151
          v10 = 97
          v11 = 3
          v12 = -1696640363275361782
          v13: i64 = call f1(v2)
          v14 = mix v12 v13
          v15 = mix v9 v14
          v16 = mulhigh v15 v3
          yield v16
        }

        fn f1 hash(v0: [f64]) -> i64 {
          v1 = length v0
          v2 = index v1
          v9 = each v3 in v0, v4 in v2 {
            v5 = floatbits v3
            v6 = 1
            v7 = mix v5 v6
            v8 = mix v7 v4
            yield v8
          }
          v10 = reduce add v9
          v11 = mix v10 v1
          yield v11
        }

    "#]],
    );
}

#[test]
fn texts() {
    value("@min_int;", &expect!["-9223372036854775808"]);
    value("@\"as is\";", &expect!["as is"]);
    value(
        "datatype point(float, float);
         @(point(1.0, -0.5), [\"a\\\"b\", \"\"], ([] int, t), sin, `\\n, `x);",
        &expect![[r#"(point(1.0, -0.5), ["a\"b", ""], ([], T), fn, `\n, `x)"#]],
    );
    value(
        "@[0.1, 0.00001, 0.000001, 1e16, 123456789.0e7, 1.5e300, -0.0, nan, -infinity, 100.0];",
        &expect![
            "[0.1, 0.00001, 1.0e-6, 1.0e+16, 1234567890000000.0, 1.5e+300, -0.0, nan, -inf, 100.0]"
        ],
    );
}

#[test]
fn draws() {
    check(
        "function draw(n) = rand(n); {draw(x) : x in [10, 20]};",
        &expect![[r#"
            entries f0

            fn f0 it(v0: i64) -> [i64] {
              v1 = literal i64 (10, 20)
              v9 = 25
              v10 = mix v0 v9
              v4 = copy v10
              v11 = length v1
              v12 = index v11
              v13 = each v2 in v1, v3 in v12 {
                v5 = mix v4 v3
                v6 = 4294967303
                v7 = mix v5 v6
                v8: i64 = call f1(v2, v7)
                yield v8
              }
              yield v13
            }

            fn f1 draw(v0: i64, v1: i64) -> i64 {
              v2 = 0
              v3 = gt v0 v2
              v4 = 0
              v5 = 0
              v6 = require domain v3 v0 v5
              v7 = 0
              v8 = 7
              v9 = mix v1 v8
              v10 = 352187318286
              v11 = mix v9 v10
              v12 = F
              v13 = 0
              v14 = mulhigh v11 v0
              v15 = lt v14 v0
              v17 = if v15 { yield v14 } else { v16 = 0 yield v16 }
              yield v17
            }

        "#]],
    );
    value(
        "let s = {rand(1000) : x in index(5)}; (a, b) = (rand(9), rand(9)) in (s, a, b);",
        &expect!["([905 570 827 480 39], 5, 0)"],
    );
}
