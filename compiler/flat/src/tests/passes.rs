//! What passes make of programs.

use crate::{passes, read, verify};
use expect_test::{Expect, expect};

fn check(text: &str, pass: fn(&mut crate::Function), expected: &Expect) {
    let mut program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program.funcs.iter_mut().for_each(|(_, function)| pass(function));
    verify(&program).unwrap_or_else(|e| panic!("{e:?}\n{program}"));
    expected.assert_eq(&program.to_string());
}

#[test]
fn what_one_arm_needs_sinks_into_it() {
    check(
        r"fn f0 arms(v0: i64, v1: vec i64 [s1], v2: bool) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = add x2 1; yield x3 }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v3 x0; x3 = mul x2 x2; yield x3 }
  v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = sub x2 1; yield x3 }
  v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = div 1 x2 @0:1:2; yield x3 }
  v7: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
  s2 = [s0 > v7]
  v8: i64, v9: vec i64 pool = if v2 {
    yield 1 v4
  } else {
    v10: i64 = map [s0] \{ x0 = add v7 1; yield x0 }
    v11: i64 = if v2 {
      yield v10
    } else {
      v12: i64 = map [s0] \{ x0 = read v6 0; yield x0 }
      yield v12
    }
    yield v11 v5
  }
  yield v8 v9 v5
}
",
        passes::sink_into_arms,
        &expect![[r#"
            fn f0 arms(v0: i64, v1: vec i64 [s1], v2: bool) {
              s1 = [s0 > v0]
              v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = sub x2 1; yield x3 }
              v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = div 1 x2 @0:1:2; yield x3 }
              v7: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
              s2 = [s0 > v7]
              v8: i64, v9: vec i64 pool = if v2 {
                v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = add x2 1; yield x3 }
                v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v3 x0; x3 = mul x2 x2; yield x3 }
                yield 1 v4
              } else {
                v11: i64 = if v2 {
                  v10: i64 = map [s0] \{ x0 = add v7 1; yield x0 }
                  yield v10
                } else {
                  v12: i64 = map [s0] \{ x0 = read v6 0; yield x0 }
                  yield v12
                }
                yield v11 v5
              }
              yield v8 v9 v5
            }

        "#]],
    );
}
