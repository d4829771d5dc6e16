//! Broken rules, each shown under the line that breaks it.

use super::parse;
use crate::{print_with_errors, verify};
use expect_test::{Expect, expect};

/// Errors stand under their lines.
fn check(text: &str, expected: &Expect) {
    let program = parse(text);
    let errors = verify(&program).expect_err("there are errors");
    expected.assert_eq(&print_with_errors(&program, &errors));
}

#[test]
fn buffers_are_set_filled_and_freed() {
    check(
        r"plan f0 life(n0: i64, b0: i64, b10: i64) {
  b1: i64 = buffer n0
  n1: i64 = eval \{ x0 = read b1 0; yield x0 }
  b2: i64 = copy b0 n0
  free b0
  free b2
  free b2
  free b11
  b3: i64 = alias b2
  b4: i64 = alias b9
  b5: i64 = zeros b10
  b6: i64 = if T {
    b7: i64 = literal (1.5)
    yield 1
  } else {
    b8: i64 = literal ()
    free b3
    yield b8
  }
  yield b7 n2 b6 b3
}

",
        &expect![[r#"
            plan f0 life(n0: i64, b0: i64, b10: i64) {
              b1: i64 = buffer n0
              n1: i64 = eval \{ x0 = read b1 0; yield x0 }
              -- error: x0: b1 is no vector here
              b2: i64 = copy b0 n0
              free b0
              free b2
              free b2
              -- error: b2: is freed twice
              free b11
              -- error: b11: is not set here
              b3: i64 = alias b2
              -- error: b3: b2 is freed before
              b4: i64 = alias b9
              -- error: b4: b9 is not set here
              b5: i64 = zeros b10
              -- error: b5: length: expected (i64), found (buffer i64)
              b6: i64 = if T {
                b7: i64 = literal (1.5)
                -- error: b7: 1.5 is not of type i64
                yield 1
                -- error: b7: is neither freed nor yielded
                -- error: yield: results: expected (buffer i64), found (i64)
              } else {
                b8: i64 = literal ()
                free b3
                yield b8
                -- error: b3: is freed by one arm only
              }
              yield b7 n2 b6 b3
              -- error: yield: b7 is not set here
              -- error: yield: n2 is not set here
              -- error: yield: b3 is freed before
              -- error: b1: is neither freed nor yielded
              -- error: b4: is neither freed nor yielded
              -- error: b5: is neither freed nor yielded
            }

        "#]],
    );
}

#[test]
fn arguments_fit() {
    check(
        r"entries f3

plan f0 caller(n0: f64, b0: i64) {
  b1: f64 = buffer 1
  launch c0(n0, b1, b1, set n1: i64) work n0
  launch c0(1, b0, b0, set n2: i64) work 1
  launch c0(b0, 1, n2, b0) work 1
  launch c1() work 1
  n3: i64 = call f1(n0) @0:1:2
  n4: i64 = call f2()
  free b1
}

plan f1 callee(b0: i64) {
}

cluster c0 all(r0: i64, r1: in i64, r2: out i64, r3: set i64) {
  s1 = [s0 > r0] lanes r0
  r4: i64 [s1] = map [s1] \x0 x1 { x2 = read r1 x0; yield x2 } push r2
  r5: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r4 x0; yield x2 } push r3
}

",
        &expect![[r#"
            entries f3
            -- error: f3: is missing

            plan f0 caller(n0: f64, b0: i64) {
              b1: f64 = buffer 1
              launch c0(n0, b1, b1, set n1: i64) work n0
              -- error: c0: work: expected (i64), found (f64)
              -- error: r0: n0 is of type f64, not i64
              -- error: r1: b1 has no elements yet
              -- error: r2: b1 is written and stands for something else
              -- error: r2: b1 is of type f64, not i64
              launch c0(1, b0, b0, set n2: i64) work 1
              -- error: c0: is launched from two places
              -- error: r2: b0 is written and stands for something else
              launch c0(b0, 1, n2, b0) work 1
              -- error: c0: is launched from two places
              -- error: r0: b0 is no scalar
              -- error: r1: 1 is no buffer to be read
              -- error: r2: n2 is no buffer to be written
              -- error: r3: b0 is no scalar to be set
              launch c1() work 1
              -- error: c1: there is no such cluster
              n3: i64 = call f1(n0) @0:1:2
              -- error: f1: arguments: expected (buffer i64), found (f64)
              -- error: f1: results: expected (), found (i64)
              n4: i64 = call f2()
              -- error: f2: there is no such plan
              free b1
            }

            plan f1 callee(b0: i64) {
            }

            cluster c0 all(r0: i64, r1: in i64, r2: out i64, r3: set i64) {
              s1 = [s0 > r0] lanes r0
              r4: i64 [s1] = map [s1] \x0 x1 { x2 = read r1 x0; yield x2 } push r2
              r5: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r4 x0; yield x2 } push r3
            }

        "#]],
    );
}

#[test]
fn spaces_of_clusters() {
    check(
        r"cluster c0 spaces(r0: f64, r1: in f64, r2: out i64) {
  s1 = [s0 > r0:f64] lanes r2
  s2 = [s0 > offsets r1] lanes 1
  s3 = [s3 > 1] lanes 1
  s4 = [s0 > 1] lanes 1 from s3
  r3: i64 [s1] = map [s1] \x0 x1 { yield x0 } push r2
}

",
        &expect![[r#"
            cluster c0 spaces(r0: f64, r1: in f64, r2: out i64) {
              s1 = [s0 > r0:f64] lanes r2
              -- error: s1: its lanes r2 is no scalar i64
              -- error: s1: its length r0:f64 is no scalar i64
              s2 = [s0 > offsets r1] lanes 1
              -- error: s2: its offsets r1 are no `in` of ints
              -- error: s2: a child of the root has no offsets
              s3 = [s3 > 1] lanes 1
              -- error: s3: the number of its parent is not smaller
              s4 = [s0 > 1] lanes 1 from s3
              -- error: s4: s3 has another parent
              -- error: s4: a kept space has no length and no lanes
              -- error: s4: not one filter of s3 makes it
              r3: i64 [s1] = map [s1] \x0 x1 { yield x0 } push r2
            }

        "#]],
    );
}

#[test]
fn locals_are_read_in_their_own_lane() {
    check(
        r"cluster c0 reads(r0: i64, r1: in i64, r2: out i64, r3: out i64) {
  s1 = [s0 > r0] lanes r0
  s2 = [s1 > 2] lanes 20
  s3 = [s1 > 0] lanes 0 from s2
  r4: i64 [s2] = map [s2] \x0 x1 x2 { x3 = read r5 x0; yield x3 }
  r5: i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read r4 x0; x4 = read r4 x1; yield x4 }
  r6: i64 [s3], r7: i64 [s0] = filter [s2] to [s3] \x0 x1 x2 {
    x3 = read r5 x0
    x4 = read r2 0
    x5 = gt x3 0
    yield x5
  } push r2, r3
  r8: i64 [s3] = map [s3] \x0 x1 x2 {
    x3 = read r6 x1
    x4 = read r4 x3
    x5 = read r4 x1
    x6 = read r5 x0
    yield x6
  }
  r9: i64 [s3] = scan [s3] add \x0 x1 x2 { yield x0 }
  r10: i64 [s1] = scan [s1] add \x0 x1 { x2 = read r5 x1; yield x2 }
  r11: i64 [s0] = offsets [s1] \x0 x1 { x2 = read r10 x0; yield x2 }
}

",
        &expect![[r#"
            cluster c0 reads(r0: i64, r1: in i64, r2: out i64, r3: out i64) {
              s1 = [s0 > r0] lanes r0
              s2 = [s1 > 2] lanes 20
              s3 = [s1 > 0] lanes 0 from s2
              r4: i64 [s2] = map [s2] \x0 x1 x2 { x3 = read r5 x0; yield x3 }
              -- error: x3: r5 is no vector here
              r5: i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read r4 x0; x4 = read r4 x1; yield x4 }
              -- error: r5: r4 is read elsewhere than in the own lane
              r6: i64 [s3], r7: i64 [s0] = filter [s2] to [s3] \x0 x1 x2 {
                x3 = read r5 x0
                x4 = read r2 0
                -- error: x4: r2 is no vector here
                x5 = gt x3 0
                yield x5
              } push r2, r3
              r8: i64 [s3] = map [s3] \x0 x1 x2 {
              -- error: r8: r4 is read elsewhere than in the own lane
                x3 = read r6 x1
                x4 = read r4 x3
                x5 = read r4 x1
                x6 = read r5 x0
                yield x6
              }
              r9: i64 [s3] = scan [s3] add \x0 x1 x2 { yield x0 }
              -- error: r9: only maps and offsets work over a kept space
              r10: i64 [s1] = scan [s1] add \x0 x1 { x2 = read r5 x1; yield x2 }
              r11: i64 [s0] = offsets [s1] \x0 x1 { x2 = read r10 x0; yield x2 }
              -- error: r11: a chain node depends on another
            }

        "#]],
    );
}

#[test]
fn scatters_with_others() {
    check(
        r"cluster c0 others(r0: i64, r1: in i64, r2: out i64, r3: out i64, r4: out i64) {
  s1 = [s0 > r0] lanes r0
  r5: i64 [s1] = scatter [s1] same to r0 \x0 x1 { yield x0 7 } push r2
  r6: i64 [s1] = map [s1] \x0 x1 { x2 = read r5 x0; yield x2 } push r3
  r7: i64 [s1] = scatter [s1] ordered to r0 \x0 x1 { x2 = read r1 x0; yield x2 x0 } push r4
}

",
        &expect![[r#"
            cluster c0 others(r0: i64, r1: in i64, r2: out i64, r3: out i64, r4: out i64) {
            -- error: c0: beside an ordered scatter there are not only maps without pushes
              s1 = [s0 > r0] lanes r0
              r5: i64 [s1] = scatter [s1] same to r0 \x0 x1 { yield x0 7 } push r2
              r6: i64 [s1] = map [s1] \x0 x1 { x2 = read r5 x0; yield x2 } push r3
              -- error: r6: r5 is read before it is whole
              r7: i64 [s1] = scatter [s1] ordered to r0 \x0 x1 { x2 = read r1 x0; yield x2 x0 } push r4
            }

        "#]],
    );
}

#[test]
fn segments_without_offsets_are_not_sorted() {
    check(
        r"cluster c0 sort(r0: in i64, r1: i64, r2: i64, r3: out i64) {
  s1 = [s0 > r1] lanes r1
  s2 = [s1 > 3] lanes r2
  r4: i64 [s2] = sort [s2] \x0 x1 x2 { x3 = read r0 x1; yield x3 } push r3
}

",
        &expect![[r#"
            cluster c0 sort(r0: in i64, r1: i64, r2: i64, r3: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s1 > 3] lanes r2
              r4: i64 [s2] = sort [s2] \x0 x1 x2 { x3 = read r0 x1; yield x3 } push r3
              -- error: r4: its segments have no offsets
            }

        "#]],
    );
}

#[test]
fn greatest_of_what_is_no_int() {
    check(
        r"cluster c0 greatest(r0: i64, r1: out f64) {
  s1 = [s0 > r0] lanes r0
  r2: f64 [s1] = scatter [s1] greatest to r0 \x0 x1 { yield x0 1.5 } push r1
}

",
        &expect![[r#"
            cluster c0 greatest(r0: i64, r1: out f64) {
              s1 = [s0 > r0] lanes r0
              r2: f64 [s1] = scatter [s1] greatest to r0 \x0 x1 { yield x0 1.5 } push r1
              -- error: r2: of ints alone the greatest can stay
            }

        "#]],
    );
}

#[test]
fn results_of_nodes() {
    check(
        r"cluster c0 results(r0: i64, r1: out i64, r2: set f64, r3: out i64) {
  s1 = [s0 > r0] lanes r0
  s2 = [s0 > 5] lanes 5
  r4: i64 [s2], r5: f64 [s1] = map [s1] \x0 { yield x0 x0 } push r1, r2
  r6: i64 [s1] = reduce [s1] add and \x0 x1 { yield 1.5 } push r0
  r7: i64 [s0] = reduce [s0] add \{ yield 1 }
  r8: i64 [s1], r9: i64 [s0] = filter [s1] to [s2] \x0 x1 { yield x0 } push r1
  r10: bool [s1] = sort [s2] \x0 x1 { yield T }
  r11: i64 [s0] = offsets [s9] \x0 x1 { yield x0 }
}

",
        &expect![[r#"
            cluster c0 results(r0: i64, r1: out i64, r2: set f64, r3: out i64) {
            -- error: r1: is pushed to 2 times
            -- error: r3: is pushed to 0 times
            -- error: r11: is given by no node
            -- error: c0: works over s0 and s1 and s2
            -- error: c0: a sort is not alone
              s1 = [s0 > r0] lanes r0
              s2 = [s0 > 5] lanes 5
              r4: i64 [s2], r5: f64 [s1] = map [s1] \x0 { yield x0 x0 } push r1, r2
              -- error: r4, r5: code over s1 has 2 parameters of type i64
              -- error: r4: expected i64 [s1], found i64 [s2]
              -- error: r5: expected i64 [s1], found f64 [s1]
              -- error: r5: r2 is no `out`
              r6: i64 [s1] = reduce [s1] add and \x0 x1 { yield 1.5 } push r0
              -- error: r6: 2 monoids for 1 yields
              -- error: r6: expected f64 [s0], found i64 [s1]
              -- error: r6: r0 is no `set`
              r7: i64 [s0] = reduce [s0] add \{ yield 1 }
              -- error: r7: cannot work over the root
              r8: i64 [s1], r9: i64 [s0] = filter [s1] to [s2] \x0 x1 { yield x0 } push r1
              -- error: r8, r9: its code yields (i64), not (bool)
              -- error: r8, r9: s2 is not kept from s1
              -- error: r8: expected i64 [s2], found i64 [s1]
              -- error: r8, r9: has not one push for each result
              r10: bool [s1] = sort [s2] \x0 x1 { yield T }
              -- error: r10: its code yields one ordered key
              -- error: r10: expected bool [s2], found bool [s1]
              r11: i64 [s0] = offsets [s9] \x0 x1 { yield x0 }
              -- error: r11: there is no space s9
            }

        "#]],
    );
}

#[test]
fn what_is_made_over_another() {
    check(
        r"plan f0 over(n0: i64, b0: i64, b1: f64, b2: i64) {
  b5: i64 = buffer n0 over b0
  b6: i64 = buffer n0 over b0
  b7: i64 = buffer n0 over b1
  launch c0(b0, b2, b5, b6, b7) work n0
  free b0
  b8: i64 = buffer n0 over b2
  b9: i64 = alias b2
  launch c1(n0, b2, b8) work n0
  free b2
  yield b5 b6 b7 b8 b9
}

cluster c0 a(r0: in i64, r1: in i64, r2: out i64, r3: out i64, r4: out i64) {
}

cluster c1 b(r0: i64, r1: in i64, r2: out i64) {
}

",
        &expect![[r#"
            plan f0 over(n0: i64, b0: i64, b1: f64, b2: i64) {
              b5: i64 = buffer n0 over b0
              -- error: b5: is over what has other uses before its launch
              b6: i64 = buffer n0 over b0
              b7: i64 = buffer n0 over b1
              -- error: b7: elements: expected (buffer i64), found (buffer f64)
              -- error: b7: is over what is used after its launch
              launch c0(b0, b2, b5, b6, b7) work n0
              free b0
              b8: i64 = buffer n0 over b2
              -- error: b8: is over what has other uses before its launch
              b9: i64 = alias b2
              launch c1(n0, b2, b8) work n0
              free b2
              yield b5 b6 b7 b8 b9
            }

            cluster c0 a(r0: in i64, r1: in i64, r2: out i64, r3: out i64, r4: out i64) {
            -- error: r2: is pushed to 0 times
            -- error: r3: is pushed to 0 times
            -- error: r4: is pushed to 0 times
            }

            cluster c1 b(r0: i64, r1: in i64, r2: out i64) {
            -- error: r2: is pushed to 0 times
            }

        "#]],
    );
}

#[test]
fn what_ends_with_a_launch() {
    check(
        r"plan f0 over(n0: i64, b0: i64, b1: i64, b2: i64, b3: i64) {
  b4: i64 = buffer n0 over b0
  n1: i64 = eval \{ x0 = read b0 0; yield x0 }
  launch c0(n0, b0, b4) work n0
  n2: i64 = eval \{ x0 = read b0 0; yield x0 }
  free b0
  b5: i64 = buffer n0 over b1 at n1
  launch c1(b1, b1, b5) work n0
  free b1
  b6: i64 = buffer n0 over b2 at n1
  launch c2(n0, b2, b6) work n0
  free b2
  b7: i64 = buffer n0 over b3 at T
  b8: i64 = copy b7 n0
  free b3
  yield b4 b5 b6 b7 b8
}

cluster c0 a(r0: i64, r1: in i64, r2: out i64) {
}

cluster c1 b(r0: in i64, r1: in i64, r2: out i64) {
}

cluster c2 c(r0: i64, r1: in i64, r2: out i64) {
}

",
        &expect![[r#"
            plan f0 over(n0: i64, b0: i64, b1: i64, b2: i64, b3: i64) {
              b4: i64 = buffer n0 over b0
              -- error: b4: is over what is used after its launch
              n1: i64 = eval \{ x0 = read b0 0; yield x0 }
              launch c0(n0, b0, b4) work n0
              n2: i64 = eval \{ x0 = read b0 0; yield x0 }
              free b0
              b5: i64 = buffer n0 over b1 at n1
              -- error: b5: is over what its launch does not read
              launch c1(b1, b1, b5) work n0
              free b1
              b6: i64 = buffer n0 over b2 at n1
              -- error: b6: is over what its launch reads from another place on
              launch c2(n0, b2, b6) work n0
              free b2
              b7: i64 = buffer n0 over b3 at T
              -- error: b7: start: expected (i64), found (bool)
              -- error: b7: is filled by no launch in this block
              b8: i64 = copy b7 n0
              -- error: b8: b7 has no elements yet
              free b3
              yield b4 b5 b6 b7 b8
              -- error: yield: b7 has no elements yet
            }

            cluster c0 a(r0: i64, r1: in i64, r2: out i64) {
            -- error: r2: is pushed to 0 times
            }

            cluster c1 b(r0: in i64, r1: in i64, r2: out i64) {
            -- error: r2: is pushed to 0 times
            }

            cluster c2 c(r0: i64, r1: in i64, r2: out i64) {
            -- error: r2: is pushed to 0 times
            }

        "#]],
    );
}
