//! Programs that break rules, and text that is no program.

use super::*;
use expect_test::{Expect, expect};

/// Verifies a program that breaks rules; the errors stand under their lines.
fn broken(text: &str, expect: &Expect) {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let errors = verify(&program).unwrap_err();
    expect.assert_eq(&print_with_errors(&program, &errors));
}

#[test]
fn scalars_tuples_and_calls() {
    broken(
        r"entries f0, f1

fn f0 wrong(v0: [i64], v1: [[f64]], v2: (i64, f64), v3: bool, v4: (i64)) -> i64 {
  v5 = add v0 v0
  v6 = add v3 v3
  v7 = field v2 2
  v8: f64 = field v2 0
  v9 = field v0 0
  v10 = require index v0 v0 v0
  v11 = fail v0
  v12 = call f0(v0)
  v13 = call f1()
  v5 = 3
  yield v5
}

",
        &expect![[r#"
            entries f0, f1
            -- error: f1: is missing

            fn f0 wrong(v0: [i64], v1: [[f64]], v2: (i64, f64), v3: bool, v4: (i64)) -> i64 {
            -- error: v4: f0 has a tuple (i64) that is none
              v5: i64 = add v0 v0
              -- error: v5: add is not defined on ([i64], [i64])
              v6: i64 = add v3 v3
              -- error: v6: add is not defined on (bool, bool)
              v7: i64 = field v2 2
              -- error: v7: (i64, f64) has no field 2
              v8: f64 = field v2 0
              -- error: v8: is i64, not f64
              v9: i64 = field v0 0
              -- error: v9: [i64] has no field 0
              v10 = require index v0 v0 v0
              -- error: v10: expected (bool, i64, i64), found ([i64], [i64], [i64])
              v11 = fail v0
              -- error: v11: expected ([char]), found ([i64])
              v12: i64 = call f0(v0)
              -- error: v12: expected ([i64], [[f64]], (i64, f64), bool, (i64)), found ([i64])
              v13: i64 = call f1()
              -- error: v13: there is no function f1
              v5 = 3
              -- error: v5: is defined twice
              yield v5
            }

        "#]],
    );
}

#[test]
fn sequences() {
    broken(
        r"fn f0 wrong(v0: [i64], v1: [[f64]], v2: (i64, f64), v3: bool) -> i64 {
  v10 = seq (v0, v3)
  v11: i64 = seq ()
  v12 = literal i64 (T)
  v13 = length v3
  v14 = element v0 v3
  v15 = slice v2 v3 v3
  v16 = which v0
  v17 = reduce add v1
  v18 = scan and v1
  v19 = flatten v0
  v20 = partition v0 v1
  v21 = append v0 v1
  v22 = write v0 v0 v1
  v23 = sort v1
  v28 = permute v99 v0
  yield v13
}

",
        &expect![[r#"
            fn f0 wrong(v0: [i64], v1: [[f64]], v2: (i64, f64), v3: bool) -> i64 {
              v10 = seq (v0, v3)
              -- error: v10: expected ([i64], [i64]), found ([i64], bool)
              v11: i64 = seq ()
              -- error: v11: is a sequence, not i64
              v12 = literal i64 (T)
              -- error: v12: T is not of type i64
              v13 = length v3
              -- error: v13: v3 is no sequence but bool
              v14 = element v0 v3
              -- error: v14: expected (i64), found (bool)
              v15 = slice v2 v3 v3
              -- error: v15: v2 is no sequence but (i64, f64)
              -- error: v15: expected (i64, i64), found (bool, bool)
              v16 = which v0
              -- error: v16: expected ([bool]), found ([i64])
              v17 = reduce add v1
              -- error: v17: add is not defined on [[f64]]
              v18 = scan and v1
              -- error: v18: and is not defined on [[f64]]
              v19 = flatten v0
              -- error: v19: flatten is not defined on [i64]
              v20 = partition v0 v1
              -- error: v20: expected ([i64]), found ([[f64]])
              v21 = append v0 v1
              -- error: v21: expected ([i64]), found ([[f64]])
              v22 = write v0 v0 v1
              -- error: v22: expected ([i64], [i64]), found ([i64], [[f64]])
              v23 = sort v1
              -- error: v23: order is not defined on [[f64]]
              v28: i64 = permute v99 v0
              -- error: v28: v99 is not defined here
              yield v13
            }

        "#]],
    );
}

#[test]
fn blocks() {
    broken(
        r"fn f0 wrong(v0: [i64], v1: [f64]) -> i64 {
  v2 = each v3: bool in v0, v4 in v1 where {
    v5 = add v4 v4
    yield v5
  } do {
    v6 = neg v5
    yield v6
  }
  v7 = each v8 in v3 { yield v8 }
  v9 = 1
  v10 = if v9 { v11 = 2; yield v11 } else { yield v0 }
  v12 = neg v5
  yield v11
}

",
        &expect![[r#"
            fn f0 wrong(v0: [i64], v1: [f64]) -> i64 {
              v2 = each v3: bool in v0, v4 in v1 where { v5 = add v4 v4; yield v5 } do { v6 = neg v5; yield v6 }
              -- error: v2: v3 is i64, not bool
              -- error: yield: expected bool, found f64
              v7 = each v8 in v3 { yield v8 }
              -- error: v7: v3 is not defined here
              v9 = 1
              v10 = if v9 { v11 = 2; yield v11 } else { yield v0 }
              -- error: v10: expected (bool), found (i64)
              -- error: yield: expected i64, found [i64]
              v12 = neg v5
              -- error: v12: v5 is not defined here
              yield v11
              -- error: yield: v11 is not defined here
            }

        "#]],
    );
}

#[test]
fn what_cannot_be_read() {
    let message = |text: &str| read(text).unwrap_err().to_string();
    expect!["line 1: expected f0, found f1"]
        .assert_eq(&message("fn f1 a() -> i64 { v0 = 1 yield v0 }"));
    expect!["line 1: the result of f0 is bool, not i64"]
        .assert_eq(&message("fn f0 a() -> i64 { v0 = T yield v0 }"));
    expect!["line 1: there is no operation `transpose`"]
        .assert_eq(&message("fn f0 a() -> i64 { v0 = transpose v1 }"));
    expect!["line 3: expected an id such as v0, found `yield`"]
        .assert_eq(&message("fn f0 a(v0) -> i64 {\n v1 = add v0\n yield v1 }"));
    expect!["line 1: types are nested more than 200 deep"]
        .assert_eq(&message(&format!("fn f0 a(v0: {}", "[".repeat(100_000))));
    expect!["line 1: blocks are nested more than 200 deep"].assert_eq(&message(&format!(
        "fn f0 a(v0: bool) -> bool {{ {}",
        "v1 = if v0 { ".repeat(100_000)
    )));
    expect!["line 1: v99999999 is above v4194304"]
        .assert_eq(&message("fn f0 a(v99999999: i64) -> i64 { }"));
}
