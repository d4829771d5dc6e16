//! What runs with a scatter.

use super::check;
use super::programs::*;
use expect_test::expect;

#[test]
fn scatters() {
    check(
        SCATTERS,
        &expect![[r#"
            plan f0 scatters(n0: i64, b0: i64, b1: i64) {
              b2: i64 = buffer n0
              b3: bool = buffer n0
              launch c0(b0, n0, b1, b2, b3, set n1: i64) work n0
              free b0
              free b1
              launch c1(n0, set n2: i64) work n0
              eval \{ x0 = eq n1 n2; require permute x0 n0 -1 @0:1:9 }
              b4: i64 = copy b2 n0
              launch c2(n0, b4) work n0
              b5: i64 = buffer n0
              launch c3(b4, n0, b5) work n0
              launch c4(b5, n0, set n3: i64) work n0
              yield b2 b3 b4 b5 n3
            }

            cluster c0 scatters(r0: in i64, r1: i64, r3: in i64, r5: out i64, r7: out bool, r9: set i64) @0:1:9 {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 10; yield x3 }
              r8: i64 [s0] = reduce [s1] add \x0 x1 {
                x2 = read r3 x0
                x3 = read r2 x0
                x4 = gt x3 20
                x5 = mix x2 625341585
                yield x5
              } push r9
              r4: i64 [s1], r6: bool [s1] = scatter [s1] to r1 \x0 x1 {
                x2 = read r3 x0
                x3 = read r2 x0
                x4 = gt x3 20
                yield x2 x3 x4
              } push r5, r7
            }

            cluster c1 positions(r0: i64, r2: set i64) {
              s1 = [s0 > r0] lanes r0
              r1: i64 [s0] = reduce [s1] add \x0 x1 { x2 = mix x0 625341585; yield x2 } push r2
            }

            cluster c2 scatters(r0: i64, r2: out i64) {
              s1 = [s0 > r0] lanes r0
              r1: i64 [s1] = scatter [s1] ordered to r0 \x0 x1 { x2 = div x0 2; yield x2 x0 } push r2
            }

            cluster c3 scatters(r0: in i64, r1: i64, r3: out i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = rank_down [s1] \x0 x1 { x2 = read r0 x0; yield x2 } push r3
            }

            cluster c4 scatters(r0: in i64, r1: i64, r3: set i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r0 x0; x3 = mul x2 x0; yield x3 } push r3
            }

        "#]],
    );
}

#[test]
fn sieve() {
    check(
        SIEVE,
        &expect![[r#"
            plan f0 sieve(n0: i64, b0: i64, b1: i64, n1: i64) {
              b2: bool = buffer n1
              launch c0(n1, b2) work n1
              b3: bool = copy b2 n1
              free b2
              n2: i64 = eval \{ x0 = read b0 n0; yield x0 }
              n3: i64 = eval \{ x0 = max n0 n2; yield x0 }
              launch c1(b1, n0, b0, n2, n1, b3) work n3
              free b0
              free b1
              yield b3
            }

            cluster c0 sieve(r0: i64, r2: out bool) {
              s1 = [s0 > r0] lanes r0
              r1: bool [s1] = map [s1] \x0 x1 { yield T } push r2
            }

            cluster c1 sieve(r0: in i64, r1: i64, r2: in i64, r3: i64, r5: i64, r8: out bool) {
              s1 = [s0 > r1] lanes r1
              s2 = [s1 > offsets r2] lanes r3
              s3 = [s0 > r5] lanes r5
              r4: i64 [s2] = map [s2] \x0 x1 x2 { x3 = read r0 x0; x4 = add x2 1; x5 = mul x3 x4; yield x5 }
              r6: i64 [s2] = map [s2] \x0 x1 x2 {
                x3 = read r4 x1
                x4 = ge x3 0
                x5 = lt x3 r5
                x6 = and x4 x5
                require index x6 x3 r5 @0:3:4
                x7 = select x6 x3 -1
                yield x7
              }
              r7: bool [s3] = scatter [s2] same to r5 \x0 x1 x2 { x3 = read r6 x1; yield x3 F } push r8
            }

        "#]],
    );
}

#[test]
fn last_writes() {
    check(
        LAST_WRITES,
        &expect![[r#"
            plan f0 last(n0: i64, b0: i64, b1: i64, n1: i64, b2: i64) {
              b3: i64 = copy b2 n1
              free b2
              launch c0(b1, n0, b0, n1, b3) work n0
              b4: i64 = buffer n0
              launch c1(b1, n0, b4, set n2: i64) work n0
              free b1
              b5: i64 = copy b3 n1
              free b3
              launch c2(b0, b4, n0, n1, b5) work n0
              free b0
              yield b4 b5 n2
            }

            cluster c0 last(r0: in i64, r1: i64, r3: in i64, r4: i64, r6: out i64) {
              s1 = [s0 > r1] lanes r1
              s2 = [s0 > r4] lanes r4
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 x2; yield x3 }
              r5: i64 [s2] = scatter [s1] ordered to r4 \x0 x1 {
                x2 = read r3 x0
                x3 = read r2 x0
                yield x2 x3
              } push r6
            }

            cluster c1 last(r0: in i64, r1: i64, r3: out i64, r5: set i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = add x2 1; yield x3 } push r3
              r4: i64 [s0] = reduce [s1] add \x0 x1 { x2 = read r2 x0; yield x2 } push r5
            }

            cluster c2 last(r0: in i64, r1: in i64, r2: i64, r3: i64, r5: out i64) {
              s1 = [s0 > r2] lanes r2
              s2 = [s0 > r3] lanes r3
              r4: i64 [s2] = scatter [s1] ordered to r3 \x0 x1 {
                x2 = read r0 x0
                x3 = read r1 x0
                yield x2 x3
              } push r5
            }

        "#]],
    );
}

#[test]
fn own_base() {
    check(
        OWN_BASE,
        &expect![[r#"
            plan f0 own(n0: i64, b0: i64, n1: i64, b1: i64) {
              b2: i64 = buffer n0
              launch c0(b0, b1, n0, b2) work n0
              b3: i64 = copy b1 n1
              free b1
              launch c1(b0, b2, n0, n1, b3) work n0
              free b0
              free b2
              b4: i64 = copy b3 n1
              b5: bool = buffer n1
              launch c2(n1, b5, b4) work n1
              b6: i64 = buffer n1
              launch c3(b3, n1, b6) work n1
              free b3
              yield b5 b4 b6
            }

            cluster c0 own(r0: in i64, r1: in i64, r2: i64, r4: out i64) {
              s1 = [s0 > r2] lanes r2
              r3: i64 [s1] = map [s1] \x0 x1 {
                x2 = read r0 x0
                x3 = read r1 x2
                x4 = add x3 1
                yield x4
              } push r4
            }

            cluster c1 own(r0: in i64, r1: in i64, r2: i64, r3: i64, r5: out i64) {
              s1 = [s0 > r2] lanes r2
              s2 = [s0 > r3] lanes r3
              r4: i64 [s2] = scatter [s1] ordered to r3 \x0 x1 {
                x2 = read r0 x0
                x3 = read r1 x0
                yield x2 x3
              } push r5
            }

            cluster c2 own(r0: i64, r2: out bool, r4: out i64) {
              s1 = [s0 > r0] lanes r0
              r1: bool [s1] = map [s1] \x0 x1 { yield F } push r2
              r3: i64 [s1] = scatter [s1] same to r0 \x0 x1 { x2 = sub x0 1; yield x2 0 } push r4
            }

            cluster c3 own(r0: in i64, r1: i64, r3: out i64) {
              s1 = [s0 > r1] lanes r1
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 10; yield x3 } push r3
            }

        "#]],
    );
}

#[test]
fn late_base() {
    check(
        LATE_BASE,
        &expect![[r#"
            plan f0 late(n0: i64, b0: i64, n1: i64) {
              b1: bool = buffer n1
              launch c0(n1, b1) work n1
              b2: bool = copy b1 n1
              free b1
              launch c1(b0, n0, n1, b2) work n0
              free b0
              yield b2
            }

            cluster c0 late(r0: i64, r2: out bool) {
              s1 = [s0 > r0] lanes r0
              r1: bool [s1] = map [s1] \x0 x1 { yield F } push r2
            }

            cluster c1 late(r0: in i64, r1: i64, r3: i64, r5: out bool) {
              s1 = [s0 > r1] lanes r1
              s2 = [s0 > r3] lanes r3
              r2: i64 [s1] = map [s1] \x0 x1 { x2 = read r0 x0; x3 = mul x2 x2; yield x3 }
              r4: bool [s2] = scatter [s1] same to r3 \x0 x1 { x2 = read r2 x0; yield x2 T } push r5
            }

        "#]],
    );
}

#[test]
fn heavy_values() {
    check(
        HEAVY_VALUES,
        &expect![[r#"
            plan f0 heavy(n0: i64, b0: i64, b1: f64, n1: i64, b2: f64) {
              b3: f64 = buffer n0
              launch c0(b1, n0, b3) work n0
              free b1
              b4: f64 = copy b2 n1
              free b2
              launch c1(b0, b3, n0, n1, b4) work n0
              free b0
              free b3
              yield b4
            }

            cluster c0 heavy(r0: in f64, r1: i64, r3: out f64) {
              s1 = [s0 > r1] lanes r1
              r2: f64 [s1] = map [s1] \x0 x1 { x2: f64 = read r0 x0; x3 = exp x2; yield x3 } push r3
            }

            cluster c1 heavy(r0: in i64, r1: in f64, r2: i64, r3: i64, r5: out f64) {
              s1 = [s0 > r2] lanes r2
              s2 = [s0 > r3] lanes r3
              r4: f64 [s2] = scatter [s1] ordered to r3 \x0 x1 {
                x2 = read r0 x0
                x3: f64 = read r1 x0
                yield x2 x3
              } push r5
            }

        "#]],
    );
}
