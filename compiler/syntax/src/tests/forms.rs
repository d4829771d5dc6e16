//! Forms and commands (LANGUAGE sections 1, 3.3 and 14).

use super::{check, check_lines};
use expect_test::expect;

#[test]
fn functions() {
    check_lines(
        "function sq x = x * x
         function k _ = 1
         function f3(a, b, c) = a
         function g((a, b), point(c, _)) = a
         function k(a, b := 10, c := x => x) = a
         function k(a, b := if p then 1 else 2, c := 3) = a
         function doc(x) \"Adds \\\"one\\\".\" = x + 1
         function g(x) : int -> int = x
         function g(x) : a -> a :: (a in number) \"doc\" = x
         function g(x) : a -> b :: a in number; b in any = x
         function od(n) : int -> bool
         function od(n, k := 1) : (int, int) -> bool :: (a in any)
         function bar(3) = 4
         function bar 3 = 4
         function bar t = 4
         function sum(x) = y = 3",
        expect![[r#"
            (function sq x (* x x))
            (function k _ 1)
            (function f3 (pair a (pair b c)) a)
            (function g (pair (pair a b) (point (pair c _))) a)
            (function k a (:= b 10) (:= c (=> x x)) a)
            (function k a (:= b (if p 1 2)) (:= c 3) a)
            (function doc x (doc "Adds \22one\22.") (+ x 1))
            (function g x (: (-> int int)) x)
            (function g x (: (-> a a) (in a number)) (doc "doc") x)
            (function g x (: (-> a b) (in a number) (in b any)) x)
            (function od n (: (-> int bool)))
            (function od n (:= k 1) (: (-> (pair int int) bool) (in a any)))
            (function bar (invalid "the literal `3` cannot be bound") 4)
            (function bar (invalid "the literal `3` cannot be bound") 4)
            (function bar (invalid "`t` means true: choose another name") 4)
            (error parse: expected `;`, found `=`)"#]],
    );
    check(
        "function h(x) : a -> b :: a in any; b; function g(x) : a -> a :: a in any$",
        expect![[r#"
            (function h x (: (-> a b) (in a any)))
            b
            (function g x (: (-> a a) (in a any)))"#]],
    );
}

#[test]
fn malformed_functions() {
    check_lines(
        "function
         function if(x) = x
         function t(x) = x
         function _(x) = x
         function 3(x) = x
         function h = 3
         function h() = 3
         function h(x)
         function h(x) x + 1
         function h(x) : int -> int \"doc\"
         function h(x) : = x
         function h(x) =
         function h(a := 1) = a
         function h(a, b := 1, c) = a
         function h [x] = x
         function h(x) \"one\" \"two\" = x",
        expect![[r#"
            (error parse: expected the name of a function, found `;`)
            (error parse: expected the name of a function, found the reserved word `if`)
            (error parse: expected the name of a function, found the literal `t`)
            (error parse: expected the name of a function, found the wildcard `_`)
            (error parse: expected the name of a function, found the number `3`)
            (error parse: expected the parameters, found `=`)
            (error parse: expected a parameter, found `)`)
            (error parse: expected `=` or `:`, found `;`)
            (error parse: expected `=` or `:`, found the name `x`)
            (error parse: expected `=`, found `;`)
            (error parse: expected a type, found `=`)
            (error parse: expected an expression, found `;`)
            (error parse: expected `)` or `,`, found `:=`)
            (error parse: expected a name and `:=`, found the name `c`)
            (error parse: expected the parameters, found `[`)
            (error parse: expected `=`, found a string)"#]],
    );
}

#[test]
fn datatypes() {
    check_lines(
        "datatype point(int, int)
         datatype wrap int
         datatype kv(a, b) :: (a in any; b in any)
         datatype s [a] :: a in any
         datatype u()
         datatype foo
         datatype pt = int
         datatype 3(int)
         datatype p(int) = 3",
        expect![[r#"
            (datatype point (pair int int))
            (datatype wrap int)
            (datatype kv (pair a b) (in a any) (in b any))
            (datatype s (seq a) (in a any))
            (error parse: expected a type, found `)`)
            (error parse: expected a type, found `;`)
            (error parse: expected the fields, found `=`)
            (error parse: expected the name of a datatype, found the number `3`)
            (error parse: expected `;`, found `=`)"#]],
    );
}

#[test]
fn bindings_and_expressions() {
    check(
        "x = 3; (a, b) = x, y; x => x; a, b; x == 3; x = y == z; x = y = z; (x := 3);",
        expect![[r#"
            (= x 3)
            (= (pair a b) (pair x y))
            (=> x x)
            (pair a b)
            (== x 3)
            (= x (== y z))
            (error parse: expected `;`, found `=`)
            (error parse: expected `)`, found `:=`)"#]],
    );
}

#[test]
fn commands() {
    check_lines(
        "help
         exit
         describe \"->\"
         describe sum
         apropos sort
         load \"file\"
         set print_length 3
         SET Arg_Check ON
         show settings
         show bogus 1 \"x\"
         show(3)
         help = 1
         show + 1
         show
         set x -1
         set x 1.5
         describe and
         show t",
        expect![[r#"
            (command help)
            (command exit)
            (command describe "->")
            (command describe sum)
            (command apropos sort)
            (command load "file")
            (command set print_length 3)
            (command set arg_check on)
            (command show settings)
            (command show bogus 1 "x")
            (apply show 3)
            (= help 1)
            (+ show 1)
            (command show)
            (error parse: expected `;`, found `-`)
            (error parse: expected a name, a whole number or a string, found the number `1.5`)
            (command describe and)
            (apply show T)"#]],
    );
}

#[test]
fn terminators_and_recovery() {
    check(
        "1$ 2;;3; % only a comment % ",
        expect![[r#"
        1
        2
        (error parse: expected a form, found `;`)
        3"#]],
    );
    check("", expect![[""]]);
    check(
        "1; 2",
        expect![[r#"
        1
        (error parse: expected `;`, found the end of the text)"#]],
    );
    check(
        "a b ) c ? d; 2; let x = ; y = 2 in x; 3; \"\\q\" + ; 4;",
        expect![[r#"
            (error parse: expected `;`, found `)`)
            2
            (error parse: expected an expression, found `;`)
            (error )
            3
            (error parse: there is no such escape; parse: expected an expression, found `;`)
            4"#]],
    );
    check("exit", expect!["(error parse: expected `;`, found the end of the text)"]);
}

#[test]
fn spans() {
    let (_, group) = super::parse(b" %c% (1 + x) % d % ; ; h(y)$ ) 3 ;z");
    let spans: Vec<(u32, u32)> = group.forms.iter().map(|f| (f.span.start, f.span.end)).collect();
    expect!["[(5, 12), (21, 21), (23, 27), (29, 32), (34, 35)]"].assert_eq(&format!("{spans:?}"));
}

#[test]
fn forms_that_may_have_ended() {
    let ends = |source: &str| -> Vec<(u32, u32)> {
        let (_, group) = super::parse(source.as_bytes());
        let ends = group.forms.iter().filter_map(|form| form.ends);
        ends.map(|end| (end.line, end.span.start)).collect()
    };
    assert_eq!(ends("x = 3\n(x + 1);"), [(1, 5)]);
    assert_eq!(ends("x = 3 % c %\n% d % #x\n-1;"), [(1, 5)]);
    assert_eq!(ends("a;\n  g(1)\n  g(2);"), [(2, 9)]);
    // What goes on stands further right, in brackets, in a `let`, or behind an operator.
    assert_eq!(ends("x = 3\n  (x + 1);"), []);
    assert_eq!(ends("x = [1,\n2\n];"), []);
    assert_eq!(ends("let a = 1\nin\na;"), []);
    assert_eq!(ends("x = 1 +\n2;"), []);
    assert_eq!(ends("x = 1\n+ 2;"), []);
    // The value of a definition is behind its sign.
    assert_eq!(ends("function g\n(x)\n= x;"), []);
}
