//! What launches of clusters that look alike hand over.

use super::{Fusion, agree, compile, floats, int, ints};
use expect_test::{Expect, expect};
use std::fmt::Write;

/// So many scans, each of the one before, at the position beside the own one, so that each is a
/// launch.  `code` tells the rest by the number of the scan.
fn scans(count: usize, ty: &str, code: impl Fn(usize) -> String) -> String {
    let mut text = format!("fn f0 scans(v0: i64, v1: vec {ty} pool) {{\n  s1 = [s0 > v0]\n");
    for n in 1..=count {
        let _ = writeln!(
            text,
            "  v{}: vec {ty} [s1] = scan [s1] add \\x0 x1 {{ x2 = sub x0 1; x3 = max x2 0; \
             x4: {ty} = read v{n} x3; {} }}",
            n + 1,
            code(n)
        );
    }
    let _ = writeln!(text, "  yield v{}\n}}", count + 1);
    text
}

/// The last launch of so many scans, and the code of its cluster.
fn check(count: usize, ty: &str, code: impl Fn(usize) -> String, expected: &Expect) {
    let text = scans(count, ty, code);
    let plan = compile(&text, Fusion::Greedy).plan.to_string();
    let mut launches = plan.lines().filter(|line| line.contains("launch c"));
    let mut code = plan.lines().filter(|line| line.trim().starts_with("x5"));
    let last = [launches.next_back(), code.next_back()].map(Option::unwrap_or_default);
    expected.assert_eq(&last.map(|line| line.trim().to_owned() + "\n").concat());
    let elements = if ty == "f64" { floats(&[2.0, 5.5, -3.0]) } else { ints(&[2, 5, -3]) };
    agree(&text, &[int(3), elements]);
}

#[test]
fn numbers_that_differ_are_handed_over() {
    check(
        49,
        "i64",
        |n| format!("x5 = add x4 {n}; x6 = mul x5 3; x7 = max x6 {n}; yield x7"),
        &expect![[r#"
            launch c48(b48, n0, b49, 49) work n0
            x5 = add x4 r4
        "#]],
    );
    check(
        49,
        "f64",
        |n| format!("x5: f64 = mul x4 {n}.5; yield x5"),
        &expect![[r#"
        launch c48(b48, n0, b49, 49.5) work n0
        x5 = mul x4 r4:f64
    "#]],
    );
}

/// Compilers make multiplications of divisions by a number that they know.
#[test]
fn divisors_stay() {
    check(
        49,
        "i64",
        |n| format!("x5 = div x4 {n}; yield x5"),
        &expect![[r#"
        launch c48(b48, n0, b49) work n0
        x5 = div x4 49
    "#]],
    );
}

#[test]
fn few_clusters_stay_as_they_are() {
    check(
        48,
        "i64",
        |n| format!("x5 = add x4 {n}; yield x5"),
        &expect![[r#"
        launch c47(b47, n0, b48) work n0
        x5 = add x4 48
    "#]],
    );
}
