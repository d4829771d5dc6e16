//! What functions hand to each other.

use super::passes::after_all;
use super::{int, ints};
use crate::Program;
use crate::passes::{
    Pass, hand_over_offsets, make_regular, remove_checks, remove_dead_statements, run,
    share_equal_statements,
};
use expect_test::expect;

/// What a recursion gives is as long as its argument, so that an index below the one is below the
/// other, and rows of the one length are rows of the other.
#[test]
fn what_calls_give_is_used() {
    let passes = |program: &mut Program| {
        run("remove_checks", Pass::Each(remove_checks), program);
        run("make_regular", Pass::Each(make_regular), program);
        run("share_equal_statements", Pass::Each(share_equal_statements), program);
        program.funcs.iter_mut().for_each(|(_, function)| remove_dead_statements(function));
    };
    after_all(
        passes,
        r"fn f0 main(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: i64, v3: i64, v4: vec i64 pool = call f1(0, v0, v1)
  s2 = [s0 > v3]
  v5: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = lt x1 v0
    require index x2 x1 v0 @0:1:2
    x3 = select x2 x1 0
    x4 = read v1 x3
    x5 = add x4 v2
    yield x5
  }
  v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield v3 }
  s3 = [s1 > offsets v6]
  v7: vec i64 [s1] = reduce [s3] add \x0 x1 x2 { x3 = add x1 x2; yield x3 }
  v8: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield v0 }
  v9: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v6 x0; x3 = read v8 x0; x4 = mul x2 x3; yield x4 }
  yield v5 v7 v9
}

fn f1 down(v0: i64, v1: i64, v2: vec i64 pool) layout (start 0 1, len 0 1, item 1) to (start 0 1, len 0 1, item 1) {
  v3: bool = map [s0] \{ x0 = read v2 v0; x1 = gt x0 0; yield x1 }
  v4: i64, v5: i64, v6: vec i64 pool = if v3 {
    s1 = [s0 > v1]
    v7: vec i64 [s1] = map [s1] \x0 x1 { x2 = add v0 x0; x3 = read v2 x2; x4 = sub x3 1; yield x4 }
    v8: i64, v9: i64, v10: vec i64 pool = call f1(0, v1, v7)
    yield v8 v9 v10
  } else {
    yield 0 v1 v2
  }
  yield v4 v5 v6
}

",
        &[vec![int(2), ints(&[2, 7])], vec![int(1), ints(&[-4])]],
        &expect![[r#"
            fn f0 main(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v2: i64, v3: i64, v4: vec i64 pool = call f1(0, v0, v1)
              s2 = [s0 > v3]
              s3 = [s1 > v3]
              v5: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v1 x1; x3 = add x2 v2; yield x3 }
              v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield v3 }
              v7: vec i64 [s1] = reduce [s3] add \x0 x1 x2 { x3 = add x1 x2; yield x3 }
              v9: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v6 x0; x3 = read v6 x0; x4 = mul x2 x3; yield x4 }
              yield v5 v7 v9
            }

            fn f1 down(v0: i64, v1: i64, v2: vec i64 pool) layout (start 0 1, len 0 1, item 1) to (start 0 1, len 0 1, item 1) {
              s1 = [s0 > v1]
              v3: bool = map [s0] \{ x0 = read v2 v0; x1 = gt x0 0; yield x1 }
              v4: i64, v5: i64, v6: vec i64 pool = if v3 {
                v7: vec i64 [s1] = map [s1] \x0 x1 { x2 = add v0 x0; x3 = read v2 x2; x4 = sub x3 1; yield x4 }
                v8: i64, v9: i64, v10: vec i64 pool = call f1(0, v1, v7)
                yield v8 v9 v10
              } else {
                yield 0 v1 v2
              }
              yield v4 v5 v6
            }

        "#]],
    );
}

/// A function of lanes that calls itself, in an arm.
const LANES: &str = r"fn f0 main(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = add x2 1; yield x3 }
  v3: vec i64 [s1] = call f2(v0, v2)
  yield v3
}

fn f1 down(v0: i64) layout (item 0) to (item 0) {
  s1 = [s0 > v0]
  v1: i64 = reduce [s1] add \x0 x1 { yield x1 }
  yield v1
}

fn f2 down^(v0: i64, v1: vec i64 [s1]) lanes of f1 {
  s1 = [s0 > v0]
  v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; x3 = max x2 0; yield x3 }
  s2 = [s1 > offsets v2]
  v3: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { yield x2 }
  s3 = [s1 > 2]
  v4: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v1 x0; x4 = sub x3 3; x5 = sub x4 x2; yield x5 }
  v5: i64 = reduce [s1] max \x0 x1 { x2 = read v1 x0; yield x2 }
  v6: bool = map [s0] \{ x0 = gt v5 0; yield x0 }
  v7: vec i64 pool = if v6 {
    v8: i64 = map [s0] \{ x0 = mul v0 2; yield x0 }
    v9: vec i64 [s3] = call f2(v8, v4)
    yield v9
  } else {
    v10: vec i64 pool = literal i64 ()
    yield v10
  }
  v11: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v3 x0
    x7 = if v6:bool {
      x3 = mul x0 2
      x4 = read v7 x3
      x5 = add x2 x4
      yield x5
    } else {
      yield x2
    }
    yield x7
  }
  yield v11
}
";

/// Lengths of lanes are made by callers, one of which calls in an arm: their offsets stand behind
/// them.
#[test]
fn callers_make_offsets() {
    after_all(
        |program| run("hand_over_offsets", Pass::Whole(hand_over_offsets), program),
        LANES,
        &[vec![int(3), ints(&[4, 0, 2])], vec![int(1), ints(&[9])], vec![int(0), ints(&[])]],
        &expect![[r#"
            fn f0 main(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = add x2 1; yield x3 }
              v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; x3 = max x2 0; yield x3 }
              v3: vec i64 [s1] = call f2(v0, v2, v4)
              yield v3
            }

            fn f1 down(v0: i64) layout (item 0) to (item 0) {
              s1 = [s0 > v0]
              v1: i64 = reduce [s1] add \x0 x1 { yield x1 }
              yield v1
            }

            fn f2 down^(v0: i64, v1: vec i64 [s1], v2: vec i64 offsets s1) lanes of f1 {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v2]
              s3 = [s1 > 2]
              v3: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { yield x2 }
              v4: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v1 x0; x4 = sub x3 3; x5 = sub x4 x2; yield x5 }
              v12: vec i64 offsets s3 = offsets [s3] \x0 x1 x2 { x3 = read v4 x1; x4 = max x3 0; yield x4 }
              v5: i64 = reduce [s1] max \x0 x1 { x2 = read v1 x0; yield x2 }
              v6: bool = map [s0] \{ x0 = gt v5 0; yield x0 }
              v7: vec i64 pool = if v6 {
                v8: i64 = map [s0] \{ x0 = mul v0 2; yield x0 }
                v9: vec i64 [s3] = call f2(v8, v4, v12)
                yield v9
              } else {
                v10: vec i64 pool = literal i64 ()
                yield v10
              }
              v11: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = read v3 x0
                x7 = if v6:bool {
                  x3 = mul x0 2
                  x4 = read v7 x3
                  x5 = add x2 x4
                  yield x5
                } else {
                  yield x2
                }
                yield x7
              }
              yield v11
            }

        "#]],
    );
}
