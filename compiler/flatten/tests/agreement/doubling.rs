//! Functions that call the next one in two places: as many copies as there are ways through them
//! would be too many.

use super::{check, ints};
use nest::Datum;
use std::fmt::Write as _;

/// Functions of which each calls the next in both arms of an `if`; the last computes
/// something.
const DEEP: usize = 20;

fn doubling(ty: &str, test: &str, changed: &str, end: &str) -> String {
    let mut text = String::new();
    for n in 1..DEEP {
        let next = n + 1;
        write!(
            text,
            "fn f{n} g{n}(v0: {ty}) -> {ty} {{
  {test}
  v3 = lt v1 v2
  v4 = if v3 {{
    v5: {ty} = call f{next}(v0)
    yield v5
  }} else {{
    {changed}
    v7: {ty} = call f{next}(v6)
    yield v7
  }}
  yield v4 }}\n"
        )
        .unwrap();
    }
    format!("{text}fn f{DEEP} end(v0: {ty}) -> {ty} {{ {end} }}\n")
}

#[test]
fn scalar_functions() {
    let functions = doubling(
        "i64",
        "v1 = copy v0
  v2 = 10",
        "v8 = 3
    v6 = sub v0 v8",
        "v1 = mul v0 v0
  yield v1",
    );
    let text = format!(
        "entries f0 fn f0 all(v0: [i64]) -> [i64] {{
  v1 = each v2 in v0 {{ v3: i64 = call f1(v2); yield v3 }}
  yield v1 }}\n{functions}"
    );
    check(&text, &[ints(&[5, 25, 1000])]);
}

/// A map of a hundred statements: functions become large while few arms are in each other, which
/// take long in lanes.
fn long_map() -> String {
    let mut text = "v6 = each v8 in v0 { v100 = mul v8 v8".to_owned();
    for n in 100..200 {
        write!(text, "; v{} = xor v{n} v8", n + 1).unwrap();
    }
    text + "; yield v200 }"
}

#[test]
fn functions_of_sequences() {
    let functions = doubling(
        "[i64]",
        "v1 = length v0
  v2 = 2",
        &long_map(),
        "v1 = each v2 in v0 { v3 = add v2 v2; yield v3 }
  yield v1",
    );
    let text = format!(
        "entries f0 fn f0 all(v0: [i64]) -> [i64] {{
  v1: [i64] = call f1(v0)
  yield v1 }}\n{functions}"
    );
    check(&text, &[ints(&[5, 25, 1000])]);
    let text = format!(
        "entries f0 fn f0 all(v0: [[i64]]) -> [[i64]] {{
  v1 = each v2 in v0 {{ v3: [i64] = call f1(v2); yield v3 }}
  yield v1 }}\n{functions}"
    );
    check(&text, &[Datum::seq([ints(&[1, 2]), ints(&[]), ints(&[5])])]);
}
