//! Forms, types, and what stands between forms.

use super::{check, formatted};
use crate::format;
use base::Id;
use expect_test::expect;

#[test]
fn functions() {
    check(
        "function g ( x )=x;FUNCTION g x=x+1$ function g(x):int->int=x;
         function g(first, second) = first + second * 2;
         function g(first, second) : (int, int) -> int = first;",
        expect![[r#"
            function g(x) = x;
            FUNCTION g x = x + 1 $
            function g(x) : int -> int = x;
            function g(first, second) =
              first + second * 2;
            function g(first, second)
              : (int, int) -> int
              = first;
        "#]],
    );
}

#[test]
fn documentation() {
    check(
        "function g(x) \"twice x\" = 2*x; function g(x) : int->int \"twice\" = 2 * x;",
        expect![[r#"
        function g(x)
          "twice x"
          = 2 * x;
        function g(x) : int -> int
          "twice"
          = 2 * x;
    "#]],
    );
}

#[test]
fn long_headers() {
    check(
        "function g(first, second, third, (fourth, fifth)) : ([int], [(int, [char])], a, (b, b)) \
         -> ([int], [char]) :: (a in any; b in number) = first;
         function g(first_of_all, second, third, (fourth, fifth)) = first;
         function g(x, y := 10, z := \"abcdefghijkl\", w := 3): (int, int, [char], int) -> int;",
        expect![[r#"
            function g(first, second, third,
                       (fourth, fifth))
              : ([int], [(int, [char])], a, (b, b))
                -> ([int], [char])
              :: (a in any; b in number)
              = first;
            function g(first_of_all, second, third,
                       (fourth, fifth))
              = first;
            function g(x, y := 10,
                       z := "abcdefghijkl", w := 3)
              : (int, int, [char], int) -> int;
        "#]],
    );
}

#[test]
fn datatypes() {
    check(
        "datatype point(int,int);datatype box[int]; datatype kv(a,b)::(a in any;b in any);
         datatype kv(a, b) :: a in any; b in any;",
        expect![[r#"
            datatype point(int, int);
            datatype box [int];
            datatype kv(a, b)
              :: (a in any; b in any);
            datatype kv(a, b) :: a in any; b in any;
        "#]],
    );
}

#[test]
fn commands() {
    check(
        "help ; set print_length\n10; describe\"->\";",
        expect![[r#"
        help;
        set print_length 10;
        describe "->";
    "#]],
    );
}

#[test]
fn empty_lines_between_forms() {
    check(
        "\n\n1;\n\n\n\n2;3;\n% a %\n\n\n4;\n\n% b %\n5;\n\n\n",
        expect![[r#"
        1;

        2;
        3;
        % a %

        4;

        % b %
        5;

    "#]],
    );
}

#[test]
fn texts_without_forms() {
    check("", expect![[r#""#]]);
    check(" \n\n ", expect![[r#""#]]);
    check(
        "  % only this %",
        expect![[r#"
        % only this %
    "#]],
    );
}

#[test]
fn errors_are_given_back() {
    let errors = format(base::FileId::new(0), b"1; g(; 2; ?;", 40).unwrap_err();
    let messages: Vec<String> = errors.into_iter().map(|error| error.message).collect();
    expect![[r#"
        [
            "expected an expression, found `;`",
            "`?` has no meaning here",
        ]
    "#]]
    .assert_debug_eq(&messages);
}

#[test]
fn what_follows_from_an_error_is_not_told() {
    let errors = format(base::FileId::new(0), b"int main() { return 0; }", 40).unwrap_err();
    let messages: Vec<String> = errors.into_iter().map(|error| error.message).collect();
    assert_eq!(messages, ["expected a form, found the name `int`"]);
}

#[test]
fn bytes_that_are_not_utf8_stay() {
    assert_eq!(formatted(b"x=\"\xff\";%\xfe%\r\ny  ;", 40), b"x = \"\xff\"; %\xfe%\ny;\n");
}

#[test]
fn widths_count_characters() {
    check(
        &format!("\"{}\", 22222222, 3333333;", "\u{e9}".repeat(12)),
        expect![[r#"
        "éééééééééééé", 22222222, 3333333;
    "#]],
    );
}
