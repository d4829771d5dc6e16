//! Messages: what was found, what was expected, and what to do.

use super::check_messages;
use crate::ast::FormKind;
use expect_test::expect;

#[test]
fn unclosed_brackets_show_where_they_open() {
    check_messages(
        "h(1,\n  [2, 3);",
        expect![[r#"
            error[N0101]: expected `]`, found `)`
             --> in:2:8
              |
            2 |   [2, 3);
              |   -    ^
              |   |
              |   opened here
              |
            help: a `]` is missing here
              |
            2 |   [2, 3]);
              |        +"#]],
    );
}

#[test]
fn slips_have_advice() {
    check_messages(
        "if x = 1 then 2 else 3;",
        expect![[r#"
            error[N0101]: expected `then`, found `=`
             --> in:1:6
              |
            1 | if x = 1 then 2 else 3;
              |      ^
              |
            help: equality is written `==`
              |
            1 | if x == 1 then 2 else 3;
              |       +"#]],
    );
    check_messages(
        "{x in s | x = 1};",
        expect![[r#"
            error[N0101]: expected `}`, found `=`
             --> in:1:13
              |
            1 | {x in s | x = 1};
              | -           ^
              | |
              | opened here
              |
            help: equality is written `==`
              |
            1 | {x in s | x == 1};
              |              +"#]],
    );
    check_messages(
        "if a then b;",
        expect![[r#"
            error[N0101]: expected `else`, found `;`
             --> in:1:12
              |
            1 | if a then b;
              |            ^
              |
              = help: every `if` needs an `else`; both give a value"#]],
    );
    check_messages(
        "a != b;",
        expect![[r#"
            error[N0105]: `!=` has no meaning here
             --> in:1:3
              |
            1 | a != b;
              |   ^^
              |
            help: unequal is written `/=`
              |
            1 - a != b;
            1 + a /= b;
              |"#]],
    );
}

#[test]
fn what_other_languages_have_is_explained() {
    check_messages(
        "h();",
        expect![[r#"
            error[N0101]: expected an expression, found `)`
             --> in:1:3
              |
            1 | h();
              |   ^
              |
              = help: every function has an argument; there is no `()`"#]],
    );
    check_messages(
        "let a = 1, b = 2 in a;",
        expect![[r#"
            error[N0101]: expected `;` or `in`, found `=`
             --> in:1:14
              |
            1 | let a = 1, b = 2 in a;
              |              ^
              |
            help: bindings are separated by `;`
              |
            1 - let a = 1, b = 2 in a;
            1 + let a = 1; b = 2 in a;
              |"#]],
    );
    check_messages(
        "a[0:3];",
        expect![[r#"
            error[N0101]: expected `]`, found `:`
             --> in:1:4
              |
            1 | a[0:3];
              |    ^
              |
              = help: a part of a sequence is `subseq(a, start, end)`; write `g([0:n])` for a call"#]],
    );
    check_messages(
        "{x in s : x};",
        expect![[r#"
            error[N0101]: expected `;`, `|` or `}`, found `:`
             --> in:1:9
              |
            1 | {x in s : x};
              |         ^
              |
              = help: the body stands before the generators; these are separated by `;`"#]],
    );
    check_messages(
        "datatype u();",
        expect![[r#"
            error[N0101]: expected a type, found `)`
             --> in:1:12
              |
            1 | datatype u();
              |            ^
              |
              = help: a datatype has at least one field"#]],
    );
    check_messages(
        "x + 1",
        expect![[r#"
            error[N0101]: expected `;`, found the end of the text
             --> in:1:6
              |
            1 | x + 1
              |      ^
              |
            help: every form ends with `;`
              |
            1 | x + 1;
              |      +"#]],
    );
}

#[test]
fn literals_that_do_not_fit_do_not_hide_other_errors() {
    check_messages(
        "99999999999999999999 + \"\\q\" + 1e999 );",
        expect![[r#"
            error[N0104]: this number does not fit an int
             --> in:1:1
              |
            1 | 99999999999999999999 + "\q" + 1e999 );
              | ^^^^^^^^^^^^^^^^^^^^
              |
              = help: the largest int is 9223372036854775807; the smallest is `min_int`
            error[N0107]: there is no such escape
             --> in:1:25
              |
            1 | 99999999999999999999 + "\q" + 1e999 );
              |                         ^^
              |
              = help: the escapes are \n \t \r \0 \\ and \"
            error[N0104]: this number does not fit a float
             --> in:1:31
              |
            1 | 99999999999999999999 + "\q" + 1e999 );
              |                               ^^^^^
              |
              = help: the largest float is about 1.8e308; `infinity` is a name of the library
            error[N0101]: expected `;`, found `)`
             --> in:1:37
              |
            1 | 99999999999999999999 + "\q" + 1e999 );
              |                                     ^
              |
              = help: this bracket closes nothing"#]],
    );
}

#[test]
fn a_let_without_in_is_shown() {
    check_messages(
        "let x = 5;",
        expect![[r#"
        error[N0101]: expected another binding or `in`, found the end of the text
         --> in:1:11
          |
        1 | let x = 5;
          | ---       ^
          | |
          | this `let` has no `in`
          |
          = help: a `let` is written `let a = 1; b = 2 in a + b`; a form that defines a name is `a = 1;`"#]],
    );
    check_messages(
        "let x = 5; let y = x + 1; x * y;",
        expect![[r#"
        error[N0101]: expected another binding or `in`, found the reserved word `let`
         --> in:1:12
          |
        1 | let x = 5; let y = x + 1; x * y;
          | ---        ^^^
          | |
          | this `let` has no `in`
          |
          = help: a `let` is written `let a = 1; b = 2 in a + b`; a form that defines a name is `a = 1;`"#]],
    );
    check_messages(
        "let x = 5; function g(y) = x + y;",
        expect![[r#"
        error[N0101]: expected another binding or `in`, found the reserved word `function`
         --> in:1:12
          |
        1 | let x = 5; function g(y) = x + y;
          | ---        ^^^^^^^^
          | |
          | this `let` has no `in`
          |
          = help: a `let` is written `let a = 1; b = 2 in a + b`; a form that defines a name is `a = 1;`"#]],
    );
}

#[test]
fn tests_of_other_languages() {
    check_messages(
        "{x : x in s if x > 1};",
        expect![[r#"
        error[N0101]: expected `|`, found the reserved word `if`
         --> in:1:13
          |
        1 | {x : x in s if x > 1};
          |             ^^
          |
        help: a test stands behind `|`
          |
        1 - {x : x in s if x > 1};
        1 + {x : x in s | x > 1};
          |"#]],
    );
    check_messages(
        "{x : x in s; x > 1};",
        expect![[r#"
        error[N0101]: expected `in`, found `}`
         --> in:1:19
          |
        1 | {x : x in s; x > 1};
          |                   ^
          |
          = help: a generator is `pattern in sequence`; a test stands behind `|`"#]],
    );
    // Whole conditionals are none.
    check_messages(
        "{x : x in if c then s else};",
        expect![[r#"
        error[N0101]: expected an expression, found `}`
         --> in:1:27
          |
        1 | {x : x in if c then s else};
          |                           ^"#]],
    );
}

#[test]
fn names_with_types() {
    check_messages(
        "function g(x : int) : int = x + 1;",
        expect![[r#"
        error[N0101]: expected `)`, found `:`
         --> in:1:14
          |
        1 | function g(x : int) : int = x + 1;
          |           -  ^
          |           |
          |           opened here
          |
          = help: types stand behind the parameters: `function g(x, y) : (int, int) -> int = ...`"#]],
    );
    check_messages(
        "datatype point(x : int, y : int);",
        expect![[r#"
        error[N0101]: expected `)`, found `:`
         --> in:1:18
          |
        1 | datatype point(x : int, y : int);
          |               -  ^
          |               |
          |               opened here
          |
          = help: fields have types and no names, as in `datatype point(int, int);`"#]],
    );
    check_messages(
        "datatype point = Point of int * int;",
        expect![[r#"
        error[N0101]: expected the fields, found `=`
         --> in:1:16
          |
        1 | datatype point = Point of int * int;
          |                ^
          |
          = help: a datatype is written `datatype name(type, ...)`"#]],
    );
    check_messages(
        "datatype point = (int, int);",
        expect![[r#"
        error[N0101]: expected the fields, found `=`
         --> in:1:16
          |
        1 | datatype point = (int, int);
          |                ^
          |
        help: a datatype is written `datatype name(type, ...)`
          |
        1 - datatype point = (int, int);
        1 + datatype point  (int, int);
          |"#]],
    );
}

#[test]
fn functions_of_other_languages() {
    check_messages(
        "function g(n) if n == 0 then 1 else 2;",
        expect![[r#"
        error[N0101]: expected `=` or `:`, found the reserved word `if`
         --> in:1:15
          |
        1 | function g(n) if n == 0 then 1 else 2;
          |               ^^
          |
          = help: a function is written `function name(parameters) = value;`"#]],
    );
    check_messages(
        "def f(x): return x;",
        expect![[r#"
        error[N0101]: expected a form, found the name `def`
         --> in:1:1
          |
        1 | def f(x): return x;
          | ^^^
          |
          = help: a function is written `function name(parameters) = value;`"#]],
    );
}

#[test]
fn comments_that_end() {
    check_messages(
        "/* c */ 1;",
        expect![[r#"
        error[N0101]: a comment is not written like this
         --> in:1:1
          |
        1 | /* c */ 1;
          | ^^^^^^^
          |
        help: a comment runs from one `%` to the next
          |
        1 - /* c */ 1;
        1 + % c % 1;
          |"#]],
    );
    check_messages(
        "(* c *) 1;",
        expect![[r#"
        error[N0101]: a comment is not written like this
         --> in:1:1
          |
        1 | (* c *) 1;
          | ^^^^^^^
          |
        help: a comment runs from one `%` to the next
          |
        1 - (* c *) 1;
        1 + % c % 1;
          |"#]],
    );
    check_messages(
        "/* c\n   d */ 1;",
        expect![[r#"
        error[N0101]: a comment is not written like this
         --> in:1:1
          |
        1 | /* c
          | ^^^^
          |
          = help: a comment runs from one `%` to the next"#]],
    );
}

#[test]
fn what_is_open_at_the_end_is_shown() {
    check_messages(
        "{x : x in s;",
        expect![[r#"
        error[N0101]: expected an expression, found the end of the text
         --> in:1:13
          |
        1 | {x : x in s;
          | -           ^
          | |
          | opened here, and not closed"#]],
    );
}

#[test]
fn braces_that_group() {
    check_messages(
        "function g(n) = { if n > 0 then 1 else 2 };",
        expect![[r#"
        error[N0101]: expected `in`, found `}`
         --> in:1:42
          |
        1 | function g(n) = { if n > 0 then 1 else 2 };
          |                                          ^
          |
          = help: braces make an apply-to-each; parentheses group"#]],
    );
    check_messages(
        "{i * j : i in s : j in s};",
        expect![[r#"
        error[N0101]: expected `;`, `|` or `}`, found `:`
         --> in:1:17
          |
        1 | {i * j : i in s : j in s};
          |                 ^
          |
          = help: the body stands before the generators; these are separated by `;`"#]],
    );
}

#[test]
fn files_that_are_no_text() {
    // 16-bit characters.
    let wide: String = "x = 1;\ny = 2;\nz = 3;\n".chars().flat_map(|c| [c, '\0']).collect();
    check_messages(
        &wide,
        expect![[r#"
            error[N0105]: this file is no text
             --> in:1:2
              |
            1 | x␀ ␀=␀ ␀1␀;␀
              |  ^
              |
              = help: a program is a text of ASCII characters, with others in comments and strings"#]],
    );
    // In strings any bytes are legal.
    let bytes: Vec<u8> = (0..=255).filter(|byte| !b"\"\\".contains(byte)).collect();
    let (_, group) = super::parse(&[b"\"", &bytes[..], b"\";"].concat());
    assert!(matches!(group.forms[0].kind, FormKind::Exp(_)));
    let few = "x = \0;";
    check_messages(
        few,
        expect![[r#"
        error[N0105]: `\x00` has no meaning here
         --> in:1:5
          |
        1 | x = ␀;
          |     ^"#]],
    );
}

#[test]
fn signs_that_are_missing_lines_before() {
    check_messages(
        "g(\"doc\n\");\ny = \"one;\n\nprint_line(\"two\");",
        expect![[r#"
        error[N0103]: this string is not closed
         --> in:5:16
          |
        3 | y = "one;
          |     - the string that opens here goes over several lines
        4 |
        5 | print_line("two");
          |                ^"#]],
    );
    check_messages(
        "x = 1;\n% one\ny = 2;\nz = 3; % and two %\nw = 4;",
        expect![[r#"
        error[N0101]: expected an expression, found the reserved word `and`
         --> in:4:10
          |
        2 | % one
          | - the comment that opens here goes over several lines
        3 | y = 2;
        4 | z = 3; % and two %
          |          ^^^"#]],
    );
    // Without a form that ends in it, a comment of several lines is as it should be.
    check_messages(
        "% a\n   b %\ny = 1; % c\n",
        expect![[r#"
        error[N0102]: this comment is not closed
         --> in:3:8
          |
        3 | y = 1; % c
          |        ^
          |
          = help: a comment runs from one `%` to the next"#]],
    );
}

#[test]
fn arguments_of_definitions_and_types() {
    check_messages(
        "function g(x) : [int -> int = x;",
        expect![[r#"
        error[N0101]: expected `]`, found `=`
         --> in:1:29
          |
        1 | function g(x) : [int -> int = x;
          |                 -           ^
          |                 |
          |                 opened here
          |
        help: close the bracket
          |
        1 | function g(x) : [int -> int] = x;
          |                            +"#]],
    );
    check_messages(
        "functoin g(x) : int -> int = x;",
        expect![[r#"
        error[N0101]: expected a form, found the name `functoin`
         --> in:1:1
          |
        1 | functoin g(x) : int -> int = x;
          | ^^^^^^^^
          |
        help: did you mean `function`?
          |
        1 - functoin g(x) : int -> int = x;
        1 + function g(x) : int -> int = x;
          |"#]],
    );
    // A function of that name may be.
    check_messages(
        "functions g(x) +;",
        expect![[r#"
        error[N0101]: expected an expression, found `;`
         --> in:1:17
          |
        1 | functions g(x) +;
          |                 ^"#]],
    );
    check_messages(
        "else = 3;",
        expect![[r#"
        error[N0101]: expected an expression, found the reserved word `else`
         --> in:1:1
          |
        1 | else = 3;
          | ^^^^
          |
          = help: `else` is a reserved word, which cannot be a name"#]],
    );
}

#[test]
fn brackets_that_are_no_apply_to_each() {
    check_messages(
        "{(a, b) = p; a + b};",
        expect![[r#"
        error[N0101]: expected `:` or `in`, found `=`
         --> in:1:9
          |
        1 | {(a, b) = p; a + b};
          | -       ^
          | |
          | opened here
          |
          = help: braces make an apply-to-each; names are bound by `let a = 1; b = 2 in a + b`"#]],
    );
    check_messages(
        "[i : i in [0:10] | i > 3];",
        expect![[r#"
        error[N0101]: expected `]`, found the reserved word `in`
         --> in:1:8
          |
        1 | [i : i in [0:10] | i > 3];
          | -      ^^
          | |
          | opened here
          |
        help: an apply-to-each stands in braces
          |
        1 - [i : i in [0:10] | i > 3];
        1 + {i : i in [0:10] | i > 3};
          |"#]],
    );
}

#[test]
fn bytes_that_are_no_text_are_not_suggested() {
    let group = crate::parse(base::Id::new(0), b"function double(a) = [x * 2 | x\xe2<- a];");
    let FormKind::Error(errors) = &group.forms[0].kind else { panic!("{group:?}") };
    assert!(!errors.is_empty() && errors.iter().all(|error| error.suggestions.is_empty()));
}

#[test]
fn what_lacks_terminators_is_read_as_what_was_meant() {
    let text = b"x = 1\ny = x + 2\nfunction g(x) = (x;\nz = 3 y = 4;";
    let group = crate::parse(base::Id::new(0), text);
    let meant = |at: usize| {
        let forms = group.forms[at].meant.iter();
        forms.map(|form| format!("{} {:?}", form.span.start, form.defines)).collect::<Vec<_>>()
    };
    assert_eq!(meant(0), [r#"0 ["x"]"#, r#"6 ["y"]"#, r#"16 ["g"]"#]);
    // On one line it is not plain that a form begins.
    assert!(meant(1).is_empty());
}

#[test]
fn truth_values_and_reserved_words_name_no_optional_parameter() {
    check_messages(
        "function g(x, t := 2) = x;",
        expect![[r#"
        error[N0101]: expected a name, found the literal `t`
         --> in:1:15
          |
        1 | function g(x, t := 2) = x;
          |               ^
          |
          = help: `t` means true: choose another name"#]],
    );
    check_messages(
        "g(x, a := 1, F := 2);",
        expect![[r#"
        error[N0101]: expected a name, found the literal `f`
         --> in:1:14
          |
        1 | g(x, a := 1, F := 2);
          |              ^
          |
          = help: `f` means false: choose another name"#]],
    );
    check_messages(
        "g(x, then := 2);",
        expect![[r#"
        error[N0101]: expected a name, found the reserved word `then`
         --> in:1:6
          |
        1 | g(x, then := 2);
          |      ^^^^
          |
          = help: reserved words, the literals `t` and `f`, and `_` cannot be names"#]],
    );
}
