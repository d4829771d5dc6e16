//! Calls at the ends of several arms.

use super::{check, ints};
use flat::Op;
use nest::Datum;

/// Calls of each function, in nested blocks, too.
fn calls(text: &str) -> Vec<(String, usize)> {
    fn count(block: &flat::Block) -> usize {
        let own = |stmt: &flat::Stmt| match &stmt.op {
            Op::Call(..) => 1,
            Op::If(_, then, els) => count(then) + count(els),
            _ => 0,
        };
        block.stmts.iter().map(own).sum()
    }
    let program = flatten::flatten(&nest::read(text).unwrap_or_else(|e| panic!("{e}")));
    program.funcs.values().map(|f| (f.name.clone(), count(&f.body))).collect()
}

/// Halves a sequence until it is short: one call, whichever half.
const FIND: &str = r"entries f0

fn f0 all(v0: [[i64]]) -> [[i64]] {
  v1 = each v2 in v0 { v3 = 5; v4: [i64] = call f1(v2, v3); yield v4 }
  yield v1
}

fn f1 find(v0: [i64], v1: i64) -> [i64] {
  v2 = length v0
  v3 = 2
  v4 = lt v2 v3
  v20 = if v4 {
    v5 = sort v0
    yield v5
  } else {
    v6 = div v2 v3
    v7 = element v0 v6
    v8 = lt v1 v7
    v19 = if v8 {
      v9 = 0
      v10 = slice v0 v9 v6
      v11: [i64] = call f1(v10, v1)
      yield v11
    } else {
      v12 = sub v2 v6
      v13 = slice v0 v6 v12
      v14: [i64] = call f1(v13, v1)
      yield v14
    }
    yield v19
  }
  yield v20
}
";

#[test]
fn all_arms_of_an_inner_choice() {
    let rows = Datum::seq([&[1, 4, 6, 9][..], &[], &[7], &[2, 3, 5, 8, 9, 11]].map(ints));
    check(FIND, &[rows]);
    let found = calls(FIND);
    assert_eq!(found.iter().filter(|f| f.0.starts_with("find")).map(|f| f.1).max(), Some(1));
}

/// The same, but what is equal ends it between the calls.
#[test]
fn a_value_between_calls() {
    let text = FIND.replace(
        "      v12 = sub v2 v6
      v13 = slice v0 v6 v12
      v14: [i64] = call f1(v13, v1)
      yield v14
",
        "      v12 = eq v1 v7
      v18 = if v12 {
        v21 = 1
        v15 = slice v0 v6 v21
        yield v15
      } else {
        v16 = sub v2 v6
        v13 = slice v0 v6 v16
        v14: [i64] = call f1(v13, v1)
        yield v14
      }
      yield v18
",
    );
    assert_ne!(text, FIND);
    let rows = Datum::seq([&[1, 4, 6, 9][..], &[], &[5, 5, 5], &[2, 3, 5, 8, 9, 11]].map(ints));
    check(&text, &[rows]);
    let found = calls(&text);
    assert_eq!(found.iter().filter(|f| f.0.starts_with("find")).map(|f| f.1).max(), Some(1));
}

/// Arms that go on with the result, with what they have bound before the call.
#[test]
fn arms_that_go_on() {
    let text = FIND.replace(
        "      v11: [i64] = call f1(v10, v1)
      yield v11
",
        "      v21 = mul v6 v7
      v11: [i64] = call f1(v10, v1)
      v22 = each v23 in v11 { v24 = add v23 v21; yield v24 }
      yield v22
",
    );
    let text = text.replace(
        "      v14: [i64] = call f1(v13, v1)
      yield v14
",
        "      v14: [i64] = call f1(v13, v1)
      v15 = append v13 v14
      yield v15
",
    );
    let rows = Datum::seq([&[1, 4, 6, 9][..], &[], &[5, 5, 5], &[2, 3, 5, 8, 9, 11]].map(ints));
    check(&text, &[rows]);
    let found = calls(&text);
    assert_eq!(found.iter().filter(|f| f.0.starts_with("find")).map(|f| f.1).max(), Some(1));
}
