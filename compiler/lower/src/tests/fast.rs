//! Floats that need not be rounded as they are written.

use super::{session, without_spans};
use crate::{Entry, Floats};

/// What each lane computes in `{exp : a in ...; b in ...; c in ...}`.
#[track_caller]
fn lane(exp: &str, floats: Floats) -> String {
    let session = session(&format!("{{{exp} : a in [1.0]; b in [2.0]; c in [3.0]}};"));
    let entry = Entry::Form(session.forms.last().expect("a form"));
    let lowered = session.lower_with(&entry, floats);
    let lowered = lowered.unwrap_or_else(|d| panic!("{}", session.short(&d)));
    let text = without_spans(&lowered.program.to_string());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let each = words.split_once("= each v3 in v0, v4 in v1, v5 in v2 { ").expect("one each").1;
    each.split_once(" yield").expect("a result").0.to_owned()
}

#[test]
fn products_and_sums_are_one() {
    let check = |exp, expected: &str| assert_eq!(lane(exp, Floats::Fast), expected, "{exp}");
    check("a * b + c", "v6 = mul v3 v4 v7 = fma v3 v4 v5");
    check("c + a * b", "v6 = mul v3 v4 v7 = fma v3 v4 v5");
    check("a * b - c", "v6 = mul v3 v4 v7 = neg v5 v8 = fma v3 v4 v7");
    check("c - a * b", "v6 = mul v3 v4 v7 = neg v3 v8 = fma v7 v4 v5");
    check("c + -(a * b)", "v6 = mul v3 v4 v7 = neg v3 v8 = mul v7 v4 v9 = fma v7 v4 v5");
    check("let p = a * b in p + p * c", "v6 = mul v3 v4 v7 = mul v6 v5 v8 = fma v3 v4 v7");
    check("a * b - b * a", "v6 = mul v3 v4 v7 = mul v4 v3 v8 = sub v6 v7");
    assert_eq!(lane("a * b + c", Floats::Exact), "v6 = mul v3 v4 v7 = add v6 v5");
}

#[test]
fn quotients_by_constants_are_products_where_that_is_safe() {
    let check = |exp, expected: &str| assert_eq!(lane(exp, Floats::Fast), expected, "{exp}");
    check("a / 3.0", "v6 = 3.0 v7 = 0.3333333333333333 v8 = mul v3 v7");
    check("a / 0.0", "v6 = 0.0 v7 = div v3 v6");
    check("a / 1.0e-310", "v6 = 1e-310 v7 = div v3 v6");
    check("a / 1.0e308", "v6 = 1e308 v7 = div v3 v6");
    check("3.0 / a", "v6 = 3.0 v7 = div v6 v3");
    assert_eq!(lane("a / 3.0", Floats::Exact), "v6 = 3.0 v7 = div v3 v6");
}

#[test]
fn ints_are_as_ever() {
    let exp = "let i = trunc(a) in i * i + i / 3";
    assert_eq!(lane(exp, Floats::Fast), lane(exp, Floats::Exact));
}

/// Also where functions of the library call themselves, or take a product of the program.
#[test]
fn the_library_is_exact() {
    for call in ["parse_float(\"0.1\")", "exp_string(0.1, 3)", "fseq(0.0, 0.1 * 0.1, 1.0)"] {
        let session = session(&format!("{call};"));
        let entry = Entry::Form(session.forms.last().expect("a form"));
        let [exact, fast] = [Floats::Exact, Floats::Fast].map(|floats| {
            let lowered = session.lower_with(&entry, floats);
            lowered.unwrap_or_else(|d| panic!("{}", session.short(&d))).program
        });
        assert_eq!(exact, fast, "{call}");
    }
}
