//! Functions that use later ones (LANGUAGE 9.2).

use super::{check, library, shown};
use crate::Checker;
use base::Files;
use expect_test::expect;

#[test]
fn mutual_recursion() {
    check(
        "function ev(n) = if n == 0 then t else od(n - 1);
         function od(n) = if n == 0 then f else ev(n - 1);
         ev(3);",
        &expect![[r#"
            ev : int -> bool
            od : int -> bool
            it : bool
        "#]],
    );
}

#[test]
fn waiting() {
    check(
        "function outer(x) = helper1(x) + 1;
         outer(1);
         function other(x) = outer(x);
         function helper1(x) = x * 2;
         outer(5); other(1);",
        &expect![[r#"
            undefined: `outer` is not complete yet
            helper1 : int -> int
            outer : int -> int
            other : int -> int
            it : int
            it : int
        "#]],
    );
}

#[test]
fn one_unit_has_one_type() {
    check(
        "function ga(x) = let _ = gb(1) in x; function gb(x) = let _ = ga(t) in x;
         function ha(x) = hb(x); function hb(x) = x; (ha(1), ha(t));",
        &expect![[r#"
            ga : bool -> bool
            gb : int -> int
            hb : a -> a :: (a in any)
            ha : a -> a :: (a in any)
            it : int, bool
        "#]],
    );
}

#[test]
fn names_with_a_meaning_do_not_wait() {
    check(
        "function inc(x) = x + 1;
         function use(x) = inc(x) + later(x);
         function inc(x) = \"s\";
         function later(x) = x;
         use(1);
         function total(s) = sum(s);
         function sum(s) = 0;",
        &expect![[r#"
            inc : int -> int
            inc : a -> [char] :: (a in any)
            later : a -> a :: (a in any)
            use : int -> int
            it : int
            total : [a] -> a :: (a in number)
            sum : a -> int :: (a in any)
        "#]],
    );
}

#[test]
fn in_vain() {
    check(
        "function w1(x) = bad(x); function bad(x) = 1 + t; function w2(x) = w1(x); 5;",
        &expect![[r#"
            type: `+` needs int here, found bool
            it : int
            undefined: `bad` is not defined
            undefined: `w1` is not defined
        "#]],
    );
}

#[test]
fn the_waiting_one_is_wrong() {
    check(
        "function wrong(x) = 1.5 + good(x); function good(x) = x * 2; good(1); wrong(1);
         function p1(x) = p2(x) + 1.5; function p2(x) = if t then 1 else p1(x); p1(1);",
        &expect![[r#"
            good : int -> int
            it : int
            undefined: `wrong` is not defined
            type: the branches of `if` have different types: int and float
            undefined: `p1` is not defined
            type: `+` needs float here, found int
        "#]],
    );
}

#[test]
fn a_second_definition_serves() {
    check(
        "function w(x) = d(x); function d(x) = 1 + t; function d(x) = x; w(1);",
        &expect![[r#"
        type: `+` needs int here, found bool
        d : a -> a :: (a in any)
        w : a -> a :: (a in any)
        it : int
    "#]],
    );
}

#[test]
fn declarations() {
    check(
        "function od(n) : int -> bool;
         function ev(n) = if n == 0 then t else od(n - 1);
         function od(n) : int -> bool = if n == 0 then f else ev(n - 1);
         ev(6);
         function d(n) : int -> bool;
         function d(n) = n;",
        &expect![[r#"
            od : int -> bool
            ev : int -> bool
            od : int -> bool
            it : bool
            d : int -> bool
            type: `d` has type a -> a :: (a in any), but was declared as int -> bool
        "#]],
    );
}

/// A recursive call in lanes forbids an effect that there is none of.
#[test]
fn declared_functions_that_recur_in_lanes() {
    check(
        "function leaves(n) : int -> int;
         function leaves(n) : int -> int = if n == 0 then 1 else sum({leaves(n - 1) : i in [0:2]});
         leaves(3);
         function ev(n) : int -> bool = if n == 0 then t else all({od(n - 1) : i in [0:2]});
         function od(n) : int -> bool;
         function od(n) : int -> bool = if n == 0 then f else any({ev(n - 1) : i in [0:2]});
         ev(3);
         function each(g, s) : (int -> int, [int]) -> [int];
         function each(g, s) : (int -> int, [int]) -> [int] = {g(x) : x in s};",
        &expect![[r#"
            leaves : int -> int
            leaves : int -> int
            it : int
            od : int -> bool
            ev : int -> bool
            od : int -> bool
            it : bool
            each : (int -> int, [int]) -> [int]
            each : (int -> int, [int]) -> [int]
        "#]],
    );
}

/// What a declared function does with the functions that it is given shows later.
#[test]
fn declared_functions_of_functions() {
    check(
        "function each(g, s) : (int -> int, [int]) -> [int];
         function inc(x) = x + 1;
         function use(s) = each(inc, s);
         function each(g, s) : (int -> int, [int]) -> [int] = {g(x) : x in s};
         function apply(g, x) : (int -> int, int) -> int;
         function apply(g, x) : (int -> int, int) -> int = g(x);",
        &expect![[r#"
            each : (int -> int, [int]) -> [int]
            inc : int -> int
            each : (int -> int, [int]) -> [int]
            use : [int] -> [int]
            apply : (int -> int, int) -> int
            apply : (int -> int, int) -> int
        "#]],
    );
    check(
        "function apply(g, x) : (int -> bool, int) -> bool;
         function say(y) = if y == 0 then t else print_line(\"more\");
         function late(x) = apply(say, x);",
        &expect![[r#"
            apply : (int -> bool, int) -> bool
            say : int -> bool
            effect: `say` has an effect, which an apply-to-each does not allow
        "#]],
    );
}

/// Checks one submission after the other.
fn submit(checker: &mut Checker, files: &mut Files, text: &str) -> String {
    let file = files.add("test", text);
    let group = syntax::parse(file, text.as_bytes());
    checker.begin_group(&group);
    let mut lines = Vec::new();
    for form in &group.forms {
        match checker.check(form) {
            Ok(forms) => lines.extend(forms.iter().map(|f| shown(checker, f))),
            Err(errors) => {
                lines.extend(errors.iter().map(|e| format!("{}: {}", e.kind, e.message)));
            }
        }
    }
    lines.extend(checker.end_group().iter().map(|e| format!("{}: {}", e.kind, e.message)));
    lines.join("\n")
}

#[test]
fn declarations_in_an_earlier_group() {
    let mut files = Files::new();
    let mut checker = library(&mut files);
    let mut next = |text| submit(&mut checker, &mut files, text);
    expect![[r#"
        od : int -> bool
        say : int -> bool"#]]
    .assert_eq(&next("function od(n) : int -> bool; function say(x) : int -> bool;"));
    expect!["ev : int -> bool"]
        .assert_eq(&next("function ev(n) = if n == 0 then t else od(n - 1);"));
    expect![[r#"
        od : int -> bool
        it : bool"#]]
    .assert_eq(&next("function od(n) = if n == 0 then f else ev(n - 1); ev(1);"));
    expect!["type: `say` has type a -> bool :: (a in any), but was declared as int -> bool"]
        .assert_eq(&next("function say(x) = print_line(@x);"));
    expect![[r#"
        undefined: `nowhere` is not defined
        undefined: `alone` is not defined"#]]
    .assert_eq(&next("function alone(x) = nowhere(x); alone(1);"));
}
