//! Programs in which statements are better placed than where they first fit.

use super::{Fusion, agree, costs, floats, int, ints, plan};
use expect_test::{Expect, expect};
use flat::Data;

/// The cost of the greedy plan, that of the optimal one, and this plan.
#[track_caller]
fn check(text: &str, args: &[Data], expected: &Expect) {
    agree(text, args);
    let (flat, plan) = plan(text, Fusion::Optimal);
    let [_, greedy, optimal] = costs(&flat);
    assert!(optimal.total() < greedy.total(), "{optimal:?} is no better than {greedy:?}");
    expected.assert_eq(&format!("{greedy}\n{optimal}\n{plan}"));
}

/// The second map is for the reader of the first, which cannot run with it.
#[test]
fn maps_go_where_they_are_read() {
    let text = r"fn f0 late(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 x2; yield x3 }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; x3 = add x2 1; yield x3 }
  v5: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = sub v0 x0
    x3 = sub x2 1
    x4 = read v3 x3
    x5 = read v4 x0
    x6 = add x4 x5
    yield x6
  }
  yield v5
}
";
    check(
        text,
        &[int(3), ints(&[1, 2, 3]), ints(&[4, 5, 6])],
        &expect![[r#"
        2 launches, 32 MiB read, 24 MiB written
        2 launches, 24 MiB read, 16 MiB written
        plan f0 late(n0: i64, b0: i64, b1: i64) {
          b2: i64 = buffer n0
          launch c0(b0, n0, b2) work n0
          free b0
          b3: i64 = buffer n0
          launch c1(b1, n0, b2, b3) work n0
          free b1
          free b2
          yield b3
        }

        cluster c0 late(r0: in i64, r1: i64, r3: out i64) {
          s1 = [s0 > r1] lanes r1
          r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 x2; yield x3 } push r3
        }

        cluster c1 late(r0: in i64, r1: i64, r3: in i64, r5: out i64) {
          s1 = [s0 > r1] lanes r1
          r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = add x2 1; yield x3 }
          r4: i64 [s1] = map [s1] \x0 x1 {
            x2 = sub r1 x0
            x3 = sub x2 1
            x4 = read r3 x3
            x5 = read r2 x0
            x6 = add x4 x5
            yield x6
          } push r5
        }

    "#]],
    );
}

/// The first sum waits for the other, with which it reads the vector once.
#[test]
fn reductions_wait_for_each_other() {
    let text = r"fn f0 wait(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
  v5: i64 = reduce [s2] max \x0 x1 { x2 = read v3 x0; yield x2 }
  v6: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; x3 = mul x2 v5; yield x3 }
  yield v4 v6
}
";
    let args = [int(3), ints(&[1, 2, 3]), int(2), ints(&[4, 5])];
    check(
        text,
        &args,
        &expect![[r#"
        3 launches, 24 MiB read, 0 MiB written
        2 launches, 16 MiB read, 0 MiB written
        plan f0 wait(n0: i64, b0: i64, n1: i64, b1: i64) {
          launch c0(b1, n1, set n2: i64) work n1
          free b1
          launch c1(b0, n0, set n3: i64, n2, set n4: i64) work n0
          free b0
          yield n3 n4
        }

        cluster c0 wait(r0: in i64, r1: i64, r3: set i64) {
          s1 = [s0 > r1] lanes r1
          r2: i64 [s0] = reduce [s1] max \x0 x1 { x2 = read r0 x0; yield x2 } push r3
        }

        cluster c1 wait(r0: in i64, r1: i64, r3: set i64, r4: i64, r6: set i64) {
          s1 = [s0 > r1] lanes r1
          r2: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r0 x0; yield x2 } push r3
          r5: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r0 x0; x3 = mul x2 r4; yield x3 } push r6
        }

    "#]],
    );
}

/// What a filter decides by comes from a scan, which it cannot run with, and from a map.
#[test]
fn maps_go_to_the_second_chain() {
    let text = r"fn f0 chain(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; x3 = mul x2 3; yield x3 }
  v5: vec i64 [s2], v6: i64 = filter [s1] \x0 x1 {
    x2 = read v3 x0
    x3 = read v4 x0
    x4 = lt x2 x3
    yield x4
  }
  s2 = [s0 > v6] from s1 at v5
  v7: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v5 x0; x3 = read v4 x2; yield x3 }
  yield v6 v7
}
";
    check(
        text,
        &[int(4), ints(&[1, 5, 2, 3]), ints(&[2, 0, 7, 4])],
        &expect![[r#"
        2 launches, 32 MiB read, 20 MiB written
        2 launches, 24 MiB read, 12 MiB written
        plan f0 chain(n0: i64, b0: i64, b1: i64) {
          b2: i64 = buffer n0
          launch c0(b0, n0, b2) work n0
          free b0
          b3: i64 = room n0
          launch c1(b1, n0, b2, set n1: i64, b3) work n0
          free b1
          free b2
          b4: i64 = copy b3 n1
          free b3
          yield n1 b4
        }

        cluster c0 chain(r0: in i64, r1: i64, r3: out i64) {
          s1 = [s0 > r1] lanes r1
          r2: i64 [s1] = scan [s1] add \x0 x1 { x2 = read r0 x0; yield x2 } push r3
        }

        cluster c1 chain(r0: in i64, r1: i64, r3: in i64, r6: set i64, r8: out i64) {
          s1 = [s0 > r1] lanes r1
          s2 = [s0 > 0] lanes 0 from s1
          r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 3; yield x3 }
          r4: i64 [s2], r5: i64 [s0] = filter [s1] to [s2] \x0 x1 {
            x2 = read r3 x0
            x3 = read r2 x0
            x4 = lt x2 x3
            yield x4
          } push none, r6
          r7: i64 [s2] = map [s2] \x0 x1 { x2 = read r4 x0; x3 = read r2 x2; yield x3 } push r8
        }

    "#]],
    );
}

/// Positions are made with the permutation, not with the exponentials, which run in vectors.
#[test]
fn positions_go_to_their_scatter() {
    let text = r"fn f0 heavy(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1]) {
  s1 = [s0 > v0]
  v3: vec f64 [s1] = map [s1] \x0 x1 { x2: f64 = read v2 x0; x3 = exp x2; yield x3 }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = sub x2 1; yield x3 }
  v5: vec f64 [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v4 x0
    x3: f64 = read v3 x0
    yield x2 x3
  } @0:1:9
  yield v5
}
";
    let args = [int(3), ints(&[2, 3, 1]), floats(&[0.0, 0.0, 0.0])];
    check(
        text,
        &args,
        &expect![[r#"
        2 launches, 32 MiB read, 24 MiB written
        2 launches, 24 MiB read, 16 MiB written
        plan f0 heavy(n0: i64, b0: i64, b1: f64) {
          b2: f64 = buffer n0
          launch c0(b1, n0, b2) work n0
          free b1
          b3: f64 = buffer n0
          launch c1(b0, n0, b2, b3, set n1: i64) work n0
          free b0
          free b2
          launch c2(n0, set n2: i64) work n0
          eval \{ x0 = eq n1 n2; require permute x0 n0 -1 @0:1:9 }
          yield b3
        }

        cluster c0 heavy(r0: in f64, r1: i64, r3: out f64) {
          s1 = [s0 > r1] lanes r1
          r2: f64 [s1] = map [s1] \x0 x1 { x2: f64 = read r0 x0; x3 = exp x2; yield x3 } push r3
        }

        cluster c1 heavy(r0: in i64, r1: i64, r3: in f64, r5: out f64, r7: set i64) @0:1:9 {
          s1 = [s0 > r1] lanes r1
          r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = sub x2 1; yield x3 }
          r6: i64 [s0] = reduce [s1] add \x0 x1 {
            x2 = read r2 x0
            x3: f64 = read r3 x0
            x4 = mix x2 625341585
            yield x4
          } push r7
          r4: f64 [s1] = scatter [s1] to r1 \x0 x1 {
            x2 = read r2 x0
            x3: f64 = read r3 x0
            yield x2 x3
          } push r5
        }

        cluster c2 positions(r0: i64, r2: set i64) {
          s1 = [s0 > r0] lanes r0
          r1: i64 [s0] = reduce [s1] add \x0 x1 { x2 = mix x0 625341585; yield x2 } push r2
        }

    "#]],
    );
}

/// The values of an ordered write are for it alone, if nothing else is with it.
#[test]
fn values_go_to_their_write() {
    let text = r"fn f0 last(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1], v3: i64, v4: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v3]
  v5: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
  v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; x3 = mul x2 x2; yield x3 }
  v7: vec i64 [s2] = scatter [s1] to [s2] write v4 \x0 x1 {
    x2 = read v1 x0
    x3 = read v6 x0
    yield x2 x3
  }
  yield v5 v7
}
";
    let args = [int(3), ints(&[1, 0, 1]), ints(&[5, 6, 7]), int(2), ints(&[1, 2])];
    check(
        text,
        &args,
        &expect![[r#"
            2 launches, 40 MiB read, 16 MiB written
            2 launches, 32 MiB read, 8 MiB written
            plan f0 last(n0: i64, b0: i64, b1: i64, n1: i64, b2: i64) {
              launch c0(b0, n0, set n2: i64) work n0
              b3: i64 = copy b2 n1
              free b2
              launch c1(b1, n0, b0, n1, b3) work n0
              free b0
              free b1
              yield n2 b3
            }

            cluster c0 last(r0: in i64, r1: i64, r3: set i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r0 x0; yield x2 } push r3
            }

            cluster c1 last(r0: in i64, r1: i64, r3: in i64, r4: i64, r6: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s0 > r4] lanes r4
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 x2; yield x3 }
              r5: i64 [s2] = scatter [s1] ordered to r4 \x0 x1 {
                x2 = read r3 x0
                x3 = read r2 x0
                yield x2 x3
              } push r6
            }

        "#]],
    );
}

/// Rows: what is computed for each element goes to the sums that need it, after the offsets.
#[test]
fn elements_go_to_the_sums_of_rows() {
    let text = r"fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: vec i64 [s1]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v2 x1; x4 = mul x3 x2; yield x4 }
  v5: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v3 x0; yield x2 }
  v6: i64 = reduce [s1] max \x0 x1 { x2 = read v5 x0; yield x2 }
  v7: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v4 x1; x4 = mul x3 v6; yield x4 }
  yield v5 v7
}
";
    let args = [int(3), ints(&[0, 2, 2, 3]), ints(&[4, 5, 6]), ints(&[1, 2, 3])];
    check(
        text,
        &args,
        &expect![[r#"
        2 launches, 152 MiB read, 80 MiB written
        2 launches, 80 MiB read, 16 MiB written
        plan f0 rows(n0: i64, b0: i64, b1: i64, b2: i64) {
          b3: i64 = buffer n0
          launch c0(b2, n0, b3, set n1: i64) work n0
          free b2
          n2: i64 = eval \{ x0 = read b0 n0; yield x0 }
          b4: i64 = buffer n0
          n3: i64 = eval \{ x0 = max n0 n2; yield x0 }
          launch c1(b1, n0, b0, n2, n1, b4) work n3
          free b0
          free b1
          yield b3 b4
        }

        cluster c0 rows(r0: in i64, r1: i64, r3: out i64, r5: set i64) {
          s1 = [s0 > r1] lanes r1
          r2: i64 [s1] = scan [s1] add \x0 x1 { x2 = read r0 x0; yield x2 } push r3
          r4: i64 [s0] = reduce [s1] max \x0 x1 { x2 = read r2 x0; yield x2 } push r5
        }

        cluster c1 rows(r0: in i64, r1: i64, r2: in i64, r3: i64, r5: i64, r7: out i64) {
          s1 = [s0 > r1] lanes r1
          s2 = [s1 > offsets r2] lanes r3
          r4: i64 [s2] = map [s2] \x0 x1 x2 { x3 = read r0 x1; x4 = mul x3 x2; yield x4 }
          r6: i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read r4 x1; x4 = mul x3 r5; yield x4 } push r7
        }

    "#]],
    );
}
