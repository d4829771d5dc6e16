//! Which statements become one cluster.

use super::check;
use super::programs::*;
use expect_test::expect;

#[test]
fn squares() {
    check(
        SQUARES,
        &expect![[r#"
            plan f0 squares(n0: i64, b0: i64) {
              launch c0(b0, n0, set n1: i64) work n0
              free b0
              yield n1
            }

            cluster c0 squares(r0: in i64, r1: i64, r4: set i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 x2; yield x3 }
              r3: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r2 x1; yield x2 } push r4
            }

        "#]],
    );
}

#[test]
fn sparse() {
    check(
        SPARSE,
        &expect![[r#"
            plan f0 sparse(n0: i64, b0: i64, b1: f64, b2: i64, n1: i64, b3: f64) {
              n2: i64 = eval \{ x0 = read b0 n0; yield x0 }
              b4: f64 = buffer n0
              n3: i64 = eval \{ x0 = max n0 n2; yield x0 }
              launch c0(b2, n1, b3, n0, b0, n2, b1, b4) work n3
              free b0
              free b1
              free b2
              free b3
              yield b4
            }

            cluster c0 sparse(r0: in i64, r1: i64, r2: in f64, r3: i64, r4: in i64, r5: i64, r7: in f64, r9: out f64) {
              s1 = [s0 > r3] lanes r3
              s2 = [s1 > offsets r4] lanes r5
              r6: f64 [s2] = map [s2] \x0 x1 x2 {
                x3 = read r0 x1
                x4 = ge x3 0
                x5 = lt x3 r1
                x6 = and x4 x5
                require index x6 x3 r1 @0:31:35
                x7 = min x3 r1
                x8 = select x6 x7 0
                x9: f64 = read r2 x8
                yield x9
              }
              r8: f64 [s1] = reduce [s2] add \x0 x1 x2 {
                x3: f64 = read r7 x1
                x4: f64 = read r6 x1
                x5 = mul x3 x4
                yield x5
              } push r9
            }

        "#]],
    );
}

#[test]
fn filter_map() {
    check(
        FILTER_MAP,
        &expect![[r#"
            plan f0 keep(n0: i64, b0: i64) {
              b1: i64 = room n0
              launch c0(b0, n0, set n1: i64, b1) work n0
              free b0
              b2: i64 = copy b1 n1
              free b1
              yield n1 b2
            }

            cluster c0 keep(r0: in i64, r1: i64, r5: set i64, r7: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s0 > 0] lanes 0 from s1
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 x2; yield x3 }
              r3: i64 [s2], r4: i64 [s0] = filter [s1] to [s2] \x0 x1 {
                x2 = read r0 x0
                x3 = gt x2 2
                yield x3
              } push none, r5
              r6: i64 [s2] = map [s2] \x0 x1 {
                x2 = read r3 x0
                x3 = read r2 x2
                x4 = add x3 x1
                yield x4
              } push r7
            }

        "#]],
    );
}

#[test]
fn two_reductions() {
    check(
        TWO_REDUCTIONS,
        &expect![[r#"
            plan f0 both(n0: i64, b0: f64) {
              launch c0(b0, n0, set n1: f64, set n2: f64) work n0
              free b0
              yield n1 n2
            }

            cluster c0 both(r0: in f64, r1: i64, r3: set f64, r5: set f64) {
              s1 = [s0 > r1] lanes r1
              r2: f64 [s0] = reduce [s1] add \x0 x1 { x2: f64 = read r0 x0; yield x2 } push r3
              r4: f64 [s0] = reduce [s1] max \x0 x1 { x2: f64 = read r0 x0; yield x2 } push r5
            }

        "#]],
    );
}

#[test]
fn scan() {
    check(
        SCAN,
        &expect![[r#"
            plan f0 scans(n0: i64, b0: i64) {
              b1: i64 = buffer n0
              launch c0(b0, n0, b1) work n0
              free b0
              yield b1
            }

            cluster c0 scans(r0: in i64, r1: i64, r5: out i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = abs x2; yield x3 }
              r3: i64 [s1] = scan [s1] add \x0 x1 { x2 = read r2 x0; yield x2 }
              r4: i64 [s1] = map [s1] \x0 x1 {
                x2 = read r3 x0
                x3 = read r2 x0
                x4 = add x2 x3
                yield x4
              } push r5
            }

        "#]],
    );
}

#[test]
fn epilogue() {
    check(
        EPILOGUE,
        &expect![[r#"
            plan f0 center(n0: i64, b0: i64, b1: f64) {
              n1: i64 = eval \{ x0 = read b0 n0; yield x0 }
              b2: f64 = buffer n1
              n2: i64 = eval \{ x0 = max n0 n1; yield x0 }
              launch c0(b1, n0, b0, n1, b2) work n2
              free b0
              free b1
              yield b2
            }

            cluster c0 center(r0: in f64, r1: i64, r2: in i64, r3: i64, r8: out f64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s1 > offsets r2] lanes r3
              r4: f64 [s1] = reduce [s2] add \x0 x1 x2 { x3: f64 = read r0 x1; yield x3 }
              r5: f64 [s1] = reduce [s2] add \x0 x1 x2 { yield 1.0 }
              r6: f64 [s1] = map [s1] \x0 x1 {
                x2: f64 = read r4 x0
                x3: f64 = read r5 x0
                x4 = div x2 x3
                yield x4
              }
              r7: f64 [s2] = map [s2] \x0 x1 x2 {
                x3: f64 = read r0 x1
                x4: f64 = read r6 x0
                x5 = sub x3 x4
                yield x5
              } push r8
            }

        "#]],
    );
}

#[test]
fn gather() {
    check(
        GATHER,
        &expect![[r#"
            plan f0 reverse(n0: i64, b0: i64) {
              b1: i64 = buffer n0
              launch c0(b0, n0, b1) work n0
              free b0
              b2: i64 = buffer n0
              launch c1(n0, b1, b2) work n0
              free b1
              yield b2
            }

            cluster c0 reverse(r0: in i64, r1: i64, r3: out i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 x2; yield x3 } push r3
            }

            cluster c1 reverse(r0: i64, r1: in i64, r3: out i64) {
              s1 = [s0 > r0] lanes r0
              r2: i64 [s1] = map [s1] \x0 x1 {
                x2 = sub r0 x0
                x3 = sub x2 1
                x4 = read r1 x3
                yield x4
              } push r3
            }

        "#]],
    );
}

#[test]
fn two_chains() {
    check(
        TWO_CHAINS,
        &expect![[r#"
            plan f0 chains(n0: i64, b0: i64) {
              b1: i64 = buffer n0
              launch c0(b0, n0, b1) work n0
              free b0
              b2: i64 = room n0
              launch c1(b1, n0, set n1: i64, b2) work n0
              free b1
              b3: i64 = copy b2 n1
              free b2
              yield n1 b3
            }

            cluster c0 chains(r0: in i64, r1: i64, r3: out i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = scan [s1] add \x0 x1 { x2 = read r0 x0; yield x2 } push r3
            }

            cluster c1 chains(r0: in i64, r1: i64, r4: set i64, r6: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s0 > 0] lanes 0 from s1
              r2: i64 [s2], r3: i64 [s0] = filter [s1] to [s2] \x0 x1 {
                x2 = read r0 x0
                x3 = and x2 1
                x4 = eq x3 0
                yield x4
              } push none, r4
              r5: i64 [s2] = map [s2] \x0 x1 { x2 = read r2 x0; x3 = read r0 x2; yield x3 } push r6
            }

        "#]],
    );
}

#[test]
fn kept_later() {
    check(
        KEPT_LATER,
        &expect![[r#"
            plan f0 later(n0: i64, b0: i64, b1: i64) {
              n1: i64 = eval \{ x0 = read b0 n0; yield x0 }
              b2: i64 = room n1
              n2: i64 = eval \{ x0 = add n0 1; yield x0 }
              b3: i64 = buffer n2
              n3: i64 = eval \{ x0 = max n0 n1; yield x0 }
              launch c0(b1, n0, b0, n1, b2, b3) work n3
              free b1
              n4: i64 = eval \{ x0 = read b3 n0; yield x0 }
              b4: i64 = copy b2 n4
              free b2
              b5: i64 = buffer n1
              n5: i64 = eval \{ x0 = max n0 n1; yield x0 }
              launch c1(b3, n0, b0, n1, b5) work n5
              free b0
              b6: i64 = buffer n4
              n6: i64 = eval \{ x0 = max n0 n4; yield x0 }
              launch c2(b4, b5, n0, b3, n4, b6) work n6
              free b4
              free b5
              yield b3 b6
            }

            cluster c0 later(r0: in i64, r1: i64, r2: in i64, r3: i64, r5: out i64, r7: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s1 > offsets r2] lanes r3
              s3 = [s1 > 0] lanes 0 from s2
              r4: i64 [s3], r6: i64 [s0] = filter [s2] to [s3] \x0 x1 x2 {
                x3 = read r0 x1
                x4 = gt x3 1
                yield x4
              } push r5, r7
            }

            cluster c1 later(r0: in i64, r1: i64, r3: in i64, r4: i64, r6: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s1 > offsets r3] lanes r4
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; yield x2 }
              r5: i64 [s2] = map [s2] \x0 x1 x2 { x3 = read r2 x0; x4 = add x3 x1; yield x4 } push r6
            }

            cluster c2 later(r0: in i64, r1: in i64, r2: i64, r3: in i64, r4: i64, r6: out i64) {
              s1 = [s0 > r2] lanes r2
              s2 = [s1 > offsets r3] lanes r4
              r5: i64 [s2] = map [s2] \x0 x1 x2 {
                x3 = read r0 x1
                x4 = read r1 x3
                x5 = add x4 x2
                yield x5
              } push r6
            }

        "#]],
    );
}

#[test]
fn kept_scan() {
    check(
        KEPT_SCAN,
        &expect![[r#"
            plan f0 kept(n0: i64, b0: i64, b1: i64) {
              n1: i64 = eval \{ x0 = read b0 n0; yield x0 }
              b2: i64 = room n1
              n2: i64 = eval \{ x0 = add n0 1; yield x0 }
              b3: i64 = buffer n2
              b4: i64 = room n1
              n3: i64 = eval \{ x0 = max n0 n1; yield x0 }
              launch c0(b1, n0, b0, n1, b2, b3, b4) work n3
              free b0
              free b1
              n4: i64 = eval \{ x0 = read b3 n0; yield x0 }
              b5: i64 = copy b2 n4
              free b2
              b6: i64 = copy b4 n4
              free b4
              yield b3 b5 b6
            }

            cluster c0 kept(r0: in i64, r1: i64, r2: in i64, r3: i64, r7: out i64, r9: out i64, r12: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s1 > offsets r2] lanes r3
              s3 = [s1 > 0] lanes 0 from s2
              r4: i64 [s1] = reduce [s2] max \x0 x1 x2 { x3 = read r0 x1; yield x3 }
              r5: i64 [s2] = scan [s2] add \x0 x1 x2 { x3 = read r0 x1; yield x3 }
              r6: i64 [s3], r8: i64 [s0] = filter [s2] to [s3] \x0 x1 x2 {
                x3 = read r5 x1
                x4 = read r4 x0
                x5 = lt x3 x4
                yield x5
              } push r7, r9
              r10: i64 [s3] = map [s3] \x0 x1 x2 { x3 = read r6 x1; x4 = read r5 x3; x5 = add x4 x2; yield x5 }
              r11: i64 [s3] = map [s3] \x0 x1 x2 {
                x3 = read r10 x1
                x4 = read r4 x0
                x5 = mul x3 x4
                yield x5
              } push r12
            }

        "#]],
    );
}

#[test]
fn offsets() {
    check(
        OFFSETS,
        &expect![[r#"
            plan f0 triangle(n0: i64) {
              n1: i64 = eval \{ x0 = add n0 1; yield x0 }
              b0: i64 = buffer n1
              launch c0(n0, b0) work n0
              n2: i64 = eval \{ x0 = read b0 n0; yield x0 }
              b1: i64 = buffer n0
              b2: bool = buffer n0
              n3: i64 = eval \{ x0 = max n0 n2; yield x0 }
              launch c1(n0, b0, n2, b1, b2) work n3
              yield b0 b1 b2
            }

            cluster c0 triangle(r0: i64, r2: out i64) {
              s1 = [s0 > r0] lanes r0
              r1: i64 [s0] = offsets [s1] \x0 x1 { x2 = sub x0 1; yield x2 } push r2
            }

            cluster c1 triangle(r0: i64, r1: in i64, r2: i64, r5: out i64, r7: out bool) {
              s1 = [s0 > r0] lanes r0
              s2 = [s1 > offsets r1] lanes r2
              r3: i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = add x1 x2; yield x3 }
              r4: i64 [s1] = scan [s1] max \x0 x1 { x2 = read r3 x0; yield x2 } push r5
              r6: bool [s1] = reduce [s2] or \x0 x1 x2 { x3 = eq x2 3; yield x3 } push r7
            }

        "#]],
    );
}

#[test]
fn fails() {
    check(
        FAILS,
        &expect![[r#"
            plan f0 fails(n0: i64, b0: i64) {
              eval \{ x0 = lt n0 5; require length x0 n0 5 @0:7:8 }
              launch c0(b0, n0, set n1: i64) work n0
              free b0
              b1: char = literal "big"
              n4: bool = eval \{ x0 = gt n1 0; yield x0 }
              if n4 {
                n2: i64, n3: i64 = eval \{ yield 1 2 }
                fail b1 n2 n3 @0:4:5
                free b1
              } else {
                free b1
              }
              launch c1(n0, set n5: i64) work 1
              yield n5
            }

            cluster c0 fails(r0: in i64, r1: i64, r4: set i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s0 > 0] lanes 0 from s1
              r2: i64 [s2], r3: i64 [s0] = filter [s1] to [s2] \x0 x1 {
                x2 = read r0 x0
                x3 = gt x2 2
                yield x3
              } push none, r4
            }

            cluster c1 fails(r0: i64, r2: set i64) {
              r1: i64 [s0] = map [s0] \{
                x0 = loop x1 = 0 {
                  x2 = add x1 1
                  x3 = lt x2 r0
                  yield x3 x2 x2
                }
                yield x0
              } push r2
            }

        "#]],
    );
}
