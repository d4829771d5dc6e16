//! Warnings (`warnings.rs`).

use crate::warnings;
use base::Id;

/// The warnings, each with its place.
fn check(text: &str, expected: &[&str]) {
    let group = syntax::parse(Id::new(0), text.as_bytes());
    let shown: Vec<String> = group
        .forms
        .iter()
        .flat_map(warnings)
        .map(|warning| {
            let span = warning.primary.as_ref().unwrap().span;
            format!("{} {}: {}", warning.code, span.start, warning.message)
        })
        .collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn names_that_nobody_uses() {
    check(
        "function g(s, n) = let total = 1 in s;",
        &["N0211 14: `n` is not used", "N0211 23: `total` is not used"],
    );
    check("{0 : x in [1]};", &["N0211 5: `x` is not used"]);
    check("v = (x, y) => x;", &["N0211 8: `y` is not used"]);
    check("function g(x, by := 2) = x;", &["N0211 14: `by` is not used"]);
    check("let p(a, b) = q in a;", &["N0211 9: `b` is not used"]);
    check(
        "function g(x) = (let x = 1 in 2) + x;",
        &["N0211 21: `x` is not used", "N0212 21: `x` hides another `x`"],
    );
}

#[test]
fn names_that_may_go_unused() {
    check("function g(_, _n) = 1; x = 1; function h(a) : int -> int; datatype p(int);", &[]);
    check("{x in [1] | t}; {v}; {w : v; w}; {a in s | f(a)};", &[]);
    check("function g(x) = {x + y : y in [x]};", &[]);
    check("function g(a, d := 1) = h(a, d := d);", &[]);
    check("function g(x = ;", &[]);
}

#[test]
fn names_that_hide_others() {
    check(
        "function g(a, b) = {{a * b : a in row} : row in b};",
        &["N0211 11: `a` is not used", "N0212 29: `a` hides another `a`"],
    );
    check(
        "function g(a, b) = ({{a : a in row} : row in b}, a);",
        &["N0212 26: `a` hides another `a`"],
    );
    check("function g(x) = (map(x => x, [1]), x);", &["N0212 21: `x` hides another `x`"]);
    check(
        "function g(x, y) = let x = y in x;",
        &["N0211 11: `x` is not used", "N0212 23: `x` hides another `x`"],
    );
}

#[test]
fn a_name_may_hide_what_it_is_made_from() {
    check("function g(s) = let s = sum(s); s = s + 1 in {s : s in [s]};", &[]);
    check("x = 1; let x = 2 in x; function sum(plus) = plus;", &[]);
    check("function g(s) = ({x : x in s}, {x : x in s}, (let y = 1 in y), (let y = 2 in y));", &[]);
}
