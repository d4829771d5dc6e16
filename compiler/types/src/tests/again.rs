//! Forms that are not checked again (`check/again.rs`), and functions in any order.

use super::library;
use crate::{Checker, Known};
use base::Files;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Checks texts one after another as versions of one text; gives for each the forms that are
/// checked, or `+` for those that are taken as they were.
fn versions(texts: &[&str]) -> Vec<String> {
    let mut files = Files::new();
    let mut checker = library(&mut files);
    checker.take_notes();
    let mut before: BTreeMap<String, Known> = BTreeMap::new();
    let mut out = Vec::new();
    for text in texts {
        let file = files.add("test", *text);
        let group = syntax::parse(file, text.as_bytes());
        let start = checker.checkpoint();
        checker.begin_group(&group);
        let (mut now, mut told) = (BTreeMap::new(), String::new());
        for form in &group.forms {
            let written = text[form.span.start as usize..form.span.end as usize].to_owned();
            let known = before.get(&written);
            if let Some(known) = known
                && let Some(others) = checker.check_again(form, known)
            {
                told.push('+');
                others.iter().for_each(|form| write!(told, "[{}]", form.shown).unwrap());
                now.insert(written, known.clone());
                continue;
            }
            match checker.check(form) {
                Ok(forms) => {
                    forms.iter().for_each(|form| write!(told, "[{}]", form.shown).unwrap());
                }
                Err(errors) => write!(told, "({})", errors[0].message).unwrap(),
            }
            replace_old(&mut checker, &before, form);
            now.extend(checker.known().map(|known| (written, known)));
        }
        assert!(checker.end_group().is_empty());
        checker.rollback(&start);
        before = now;
        out.push(told);
    }
    out
}

/// Replaces the earlier definitions by those of a form, name by name.
fn replace_old(checker: &mut Checker, before: &BTreeMap<String, Known>, form: &syntax::ast::Form) {
    for name in &form.defines {
        let Some(new) = checker.lookup(name) else { continue };
        let mut olds = before.values().flat_map(Known::defines);
        let old = olds.find(|old| checker.program.globals[*old].name == *name && *old != new);
        if let Some(old) = old {
            checker.take_place(new, old);
        }
    }
}

fn check(texts: &[&str], expected: &[&str]) {
    assert_eq!(versions(texts), expected);
}

#[test]
fn unchanged_forms_are_taken_as_they_were() {
    let text = "function g(x) = x + 1; datatype p(int, int); v = g(2); g(v); p(v, v);";
    check(&[text, text], &["[g][p][v][it][it]", "+++++"]);
    check(&[text, &format!("% moved % {text}")], &["[g][p][v][it][it]", "+++++"]);
}

#[test]
fn a_change_that_nobody_sees_is_checked_alone() {
    check(
        &[
            "function g(x, d := 2) = x + d; function h(x) = g(x); v = 1; h(v);",
            "function g(x, d := 2) = x * d; function h(x) = g(x); v = 3; h(v);",
        ],
        &["[g][h][v][it]", "[g]+[v]+"],
    );
}

#[test]
fn users_of_what_changed_are_checked() {
    let text = |g: &str| format!("{g} function h(x) = g(x); function k(x) = x; h(1); k(1);");
    let [plain, float] = ["function g(x) = x + 1;", "function g(x) = floor(x);"].map(text);
    let error = "[g][h]+(`h` takes float, found int)+";
    check(&[&plain, &float, &plain], &["[g][h][k][it][it]", error, "[g][h]+[it]+"]);
    let effect = text("function g(x) = let _ = print_string(\"\") in x + 1;");
    check(&[&plain, &effect], &["[g][h][k][it][it]", "[g][h]+[it]+"]);
}

#[test]
fn a_name_that_means_something_else_is_checked() {
    let text = |before: &str| format!("{before} function h(x) = first(x, 1); h(2);");
    let own = "function first(a, b) = b;";
    check(&[&text(""), &text(own), &text("")], &["[h][it]", "[first][h][it]", "[h][it]"]);
    let typed = |before: &str| format!("{before} function h(x) : p -> p = x;");
    let [one, two] = ["datatype p(int);", "datatype p(float);"].map(typed);
    check(&[&one, &two, &two], &["[p][h]", "[p][h]", "++"]);
}

#[test]
fn functions_that_wait_are_checked() {
    let text = "function od(n) = ev(n - 1) or n == 1; function ev(n) = n == 0 or od(n - 1); ev(2);";
    check(&[text, text], &["[od][ev][it]", "[od][ev][it]"]);
    let late = "function g(x) = x; function h(x) = g(x) + later(x); function later(x) = x; h(1);";
    check(&[late, late], &["[g][later][h][it]", "++[h][it]"]);
}

#[test]
fn a_declaration_waits_for_its_definition() {
    let text =
        "function g(x) : int -> int; function h(x) = g(x); h(1); function g(x) = x + 1; h(2);";
    let again = versions(&[text, text]);
    assert!(again[1].starts_with('+'), "{again:?}");
    let without = "function g(x) : int -> int; function h(x) = g(x);";
    check(&[without, without], &["[g][h]", "++"]);
}

/// Cubic in the number of functions where each was looked at after each form.
#[test]
fn functions_may_stand_in_any_order() {
    let count = 5_000;
    let function = |n: usize| match n + 1 {
        next if next < count => {
            format!("function f{n}(x) = f{next}(x) + f{}(x);\n", next.min(n / 2 * 2))
        }
        _ => format!("function f{n}(x) = x + 1;\n"),
    };
    for text in
        [(0..count).map(function).collect::<String>(), (0..count).rev().map(function).collect()]
    {
        let mut files = Files::new();
        let mut checker = library(&mut files);
        let file = files.add("test", text.as_str());
        let group = syntax::parse(file, text.as_bytes());
        checker.begin_group(&group);
        let forms: usize = group.forms.iter().map(|form| checker.check(form).unwrap().len()).sum();
        assert_eq!(forms, count);
        assert!(checker.end_group().is_empty());
    }
}
