//! Names, patterns, scope (LANGUAGE 4).

use super::check;
use expect_test::expect;

#[test]
fn undefined() {
    check(
        "nosuch; nosuch(1) + other; (x => y)(1); _; 1 + _; let x = x in x; {x; y in [t]};
         {x : x in y; y in [1]}; function u(x) = let y = x + z in y; [] nosuchtype; helper(\"x\");",
        &expect![[r#"
            undefined: `nosuch` is not defined
            undefined: `nosuch` is not defined
            undefined: `other` is not defined
            undefined: `y` is not defined
            undefined: `_` has no value
            undefined: `_` has no value
            undefined: `x` is not defined
            undefined: `x` is not defined
            undefined: `y` is not defined
            undefined: `z` is not defined
            undefined: there is no type `nosuchtype`
            undefined: `helper` is not defined
        "#]],
    );
}

#[test]
fn suggestions() {
    let first = |source: &str| {
        let mut help = String::new();
        super::run(
            source,
            |_, _| String::new(),
            |errors, _| {
                errors
                    .iter()
                    .flat_map(|e| &e.suggestions)
                    .map(|s| s.advice.clone())
                    .collect::<Vec<_>>()
                    .join("\n")
            },
        )
        .lines()
        .for_each(|line| help.push_str(line));
        help
    };
    expect!["did you mean `plus_scan`?"].assert_eq(&first("pluss_scan([1]);"));
    expect!["did you mean `total`?"].assert_eq(&first("let total = 1 in totl;"));
    expect!["did you mean `float`?"].assert_eq(&first("function gg(x) : flot -> int = 1;"));
    expect!["did you mean `number`?"]
        .assert_eq(&first("function gg(x) : a -> int :: (a in numbr) = 1;"));
    expect!["did you mean `recur`?"].assert_eq(&first("function recur(x) = recurr(x);"));
    expect![[""]].assert_eq(&first("zzzzz;"));
}

#[test]
fn patterns() {
    check(
        "let (a, a) = (1, 2) in a; function g(a, a) = a; function h(a, b := 1, a := 2) = a;
         {x : x in [1]; x in [2]}; (a, 1) = (1, 2); 3 = 4; let (_, _) = (1, 2) in 3; (x => 1 => x);
         let con(a) = 3 in a; t = f; function bar(3) = 4;",
        &expect![[r#"
            pattern: `a` is bound twice
            pattern: `a` is bound twice
            pattern: `a` is bound twice
            pattern: `x` is bound twice
            pattern: the literal `1` cannot be bound
            pattern: the literal `3` cannot be bound
            it : int
            pattern: the literal `1` cannot be bound
            undefined: there is no datatype `con`
            pattern: `t` means true: choose another name
            pattern: the literal `3` cannot be bound
        "#]],
    );
}

#[test]
fn scope() {
    check(
        "let sum = 3 in sum + 1;
         function loc(max) = max + 1;
         function sh(x) = let x = x + 1; x = (x, x) in x;
         function sum(x) = sum(x - 1);
         function plus(a) = a -> [0]; function get(v, i) = 1; [5] -> [0]; get(1, 2);
         sin = 3; sin + 1;",
        &expect![[r#"
            it : int
            loc : int -> int
            sh : int -> (int, int)
            sum : int -> a :: (a in any)
            plus : [a] -> [a] :: (a in any)
            get : (a, b) -> int :: (a in any; b in any)
            it : [int]
            it : int
            sin : int
            it : int
        "#]],
    );
}

#[test]
fn highest_kind_comes_first() {
    check(
        "(1 + t) + nosuch; let (a, a) = nosuch in 1 + t; {print_char(1 + t) : x in [1]};",
        &expect![[r#"
            undefined: `nosuch` is not defined
            pattern: `a` is bound twice
            undefined: `nosuch` is not defined
            undefined: `print_char` is not defined
        "#]],
    );
}
