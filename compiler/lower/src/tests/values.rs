//! Values: tuples, datatypes, literals, patterns.

use super::{check, session, value};
use expect_test::expect;

#[test]
fn tuples_are_flat_to_the_right() {
    check(
        "datatype point(int, int);
         [((1, 2), 3.0, `c)] ++ {((i, i), 0.5, `d) : point(i, _) in [point(7, 8)]};",
        &expect![[r#"
            entries f0

            fn f0 it() -> [((i64, i64), f64, char)] {
              v0 = literal i64 (1)
              v1 = literal i64 (2)
              v5 = each v2 in v0, v3 in v1 { v4 = tuple (v2, v3) yield v4 }
              v6 = literal f64 (3.0)
              v7 = literal char "c"
              v12 = each v8 in v5, v9 in v6, v10 in v7 {
                v11 = tuple (v8, v9, v10)
                yield v11
              }
              v13 = 7
              v14 = 8
              v15 = tuple (v13, v14)
              v16 = seq (v15)
              v23 = each v17 in v16 {
                v18 = field v17 0
                v19 = 0.5
                v20 = c100
                v21 = tuple (v18, v18)
                v22 = tuple (v21, v19, v20)
                yield v22
              }
              v24 = append v12 v23
              yield v24
            }

        "#]],
    );
}

#[test]
fn literals_are_columns() {
    check(
        "[(1, \"ab\"), (-2, \"\")];",
        &expect![[r#"
        entries f0

        fn f0 it() -> [(i64, [char])] {
          v0 = literal i64 (1, -2)
          v1 = literal char "ab"
          v2 = literal i64 (2, 0)
          v3 = partition v1 v2
          v7 = each v4 in v0, v5 in v3 { v6 = tuple (v4, v5) yield v6 }
          yield v7
        }

    "#]],
    );
    check(
        "[[[1], []], []];",
        &expect![[r#"
        entries f0

        fn f0 it() -> [[[i64]]] {
          v0 = literal i64 (1)
          v1 = literal i64 (1, 0)
          v2 = partition v0 v1
          v3 = literal i64 (2, 0)
          v4 = partition v2 v3
          yield v4
        }

    "#]],
    );
}

#[test]
fn long_literals_and_deep_expressions() {
    let long = format!("#[{}];", vec!["7"; 100_000].join(", "));
    let statements = session(&long).last().map(|l| l.program.funcs.values().len());
    assert_eq!(statements.ok(), Some(1));
    // Every pass goes down the tree by recursion; whoever calls them gives the stack, as drivers
    // do.
    let work = std::thread::Builder::new().stack_size(64 << 20).spawn(|| {
        let deep = format!("{}1{};", "(1 + ".repeat(1000), ")".repeat(1000));
        value(&deep, &expect!["1001"]);
    });
    work.expect("a thread").join().expect("the test passes");
}

#[test]
fn patterns() {
    value(
        "datatype point(int, (float, char));
         let ((a, _), point(b, c)) = ((1, 2), point(3, (4.0, `d))) in (a, b, c);",
        &expect!["(1, 3, 4.0, c100)"],
    );
}

#[test]
fn known_conditions_leave_one_arm() {
    check(
        "[0:6:2];",
        &expect![[r#"
        entries f0

        fn f0 it() -> [i64] {
          v0 = 0
          v1 = 6
          v2 = 2
          v3 = 0
          v4 = F
          v5 = T
          v6 = 0
          v7 = 0
          v8 = T
          v9 = T
          v10 = 6
          v11 = 1
          v12 = 5
          v13 = 1
          v14 = 0
          v15 = F
          v16 = 0
          v17 = T
          v18 = 2
          v19 = 3
          v20 = 0
          v21 = F
          v22 = index v19
          v26 = each v23 in v22 { v24 = mul v2 v23 v25 = add v0 v24 yield v25 }
          yield v26
        }

    "#]],
    );
}
