//! Errors as users see them.

use super::{check, message};
use expect_test::expect;

#[test]
fn operands() {
    message(
        "1 + t;
         t + 1;
         1.5 * 2;
         \"a\" -> 1;
         -t;
         sin == cos;",
        &expect![[r#"
            error[N0302]: `+` needs int here, found bool
             --> test:1:5
              |
            1 | 1 + t;
              | -   ^ this is bool
              | |
              | this is int
              |
              = note: `+` has type (a, a) -> a :: (a in number)
              = help: `btoi` gives 1 for T and 0 for F
            error[N0302]: `+` needs int or float here, found bool
             --> test:2:10
              |
            2 |          t + 1;
              |          ^ this is bool
              |
              = note: `+` has type (a, a) -> a :: (a in number)
            error[N0302]: `*` needs float here, found int
             --> test:3:16
              |
            3 |          1.5 * 2;
              |          ---   ^ this is int
              |          |
              |          this is float
              |
              = note: `*` has type (a, a) -> a :: (a in number)
            help: write `2.0`
              |
            3 |          1.5 * 2.0;
              |                 ++
            error[N0302]: `->` needs [int] here, found int
             --> test:4:17
              |
            4 |          "a" -> 1;
              |          ---    ^ this is int
              |          |
              |          this is [char]
              |
              = note: `->` has type ([a], [int]) -> [a] :: (a in any)
            help: brackets make a sequence of one element
              |
            4 |          "a" -> [1];
              |                 + +
            error[N0302]: `-` needs int or float here, found bool
             --> test:5:11
              |
            5 |          -t;
              |           ^ this is bool
              |
              = note: `-` has type a -> a :: (a in number)
            error[N0313]: functions cannot be compared
             --> test:6:10
              |
            6 |          sin == cos;
              |          ^^^ this is float -> float
              |
              = note: `==` has type (a, a) -> bool :: (a in any)
              = note: functions cannot be compared or hashed, nor be elements of sequences
        "#]],
    );
}

#[test]
fn arguments() {
    message(
        "sqrt(4);
         sum([t]);
         dist(1);
         max(1, 2.0);
         \"a\"(1);
         dist(sin, 2);
         (g => g(1) + 1)(x => \"s\");",
        &expect![[r#"
            error[N0301]: `sqrt` takes float, found int
             --> test:1:5
              |
            1 | sqrt(4);
              |     ^^^ this is int
              |
              = note: `sqrt` has type float -> float
            help: write `4.0`
              |
            1 | sqrt(4.0);
              |       ++
            error[N0301]: `sum` takes [int] or [float], found [bool]
             --> test:2:13
              |
            2 |          sum([t]);
              |             ^^^^^ this is [bool]
              |
              = note: `sum` has type [a] -> a :: (a in number)
            error[N0301]: `dist` takes (a, int), found int
             --> test:3:14
              |
            3 |          dist(1);
              |              ^^^ this is int
              |
              = note: `dist` has type (a, int) -> [a] :: (a in any)
              = help: an argument is missing; arguments stand in parentheses, as in `g(x, y)`
            error[N0301]: `max` takes int, found float
             --> test:4:17
              |
            4 |          max(1, 2.0);
              |              -  ^^^ this is float
              |              |
              |              this is int
              |
              = note: `max` has type (a, a) -> a :: (a in ordinal)
              = help: `round`, `floor`, `ceil` or `trunc` converts a float
            error[N0314]: only a function can be applied, found [char]
             --> test:5:10
              |
            5 |          "a"(1);
              |          ^^^--- applied to this
              |          |
              |          this is [char]
              |
              = help: an element of a sequence is written `a[i]`
            error[N0313]: `dist` cannot be used with functions
             --> test:6:15
              |
            6 |          dist(sin, 2);
              |               ^^^ this is float -> float
              |
              = note: `dist` has type (a, int) -> [a] :: (a in any)
              = note: functions cannot be compared or hashed, nor be elements of sequences
            error[N0301]: this function takes int -> int, found a -> [char]
             --> test:7:25
              |
            7 |          (g => g(1) + 1)(x => "s");
              |                       - ^^^^^^^^^^ this is a -> [char]
              |                       |
              |                       this is int
        "#]],
    );
}

#[test]
fn branches_and_elements() {
    message(
        "if t then 1 else \"a\";
         if 1 then 2 else 3;
         [1, 2, \"three\"];
         [sin];",
        &expect![[r#"
            error[N0304]: the branches of `if` have different types: int and [char]
             --> test:1:18
              |
            1 | if t then 1 else "a";
              |           -      ^^^ this is [char]
              |           |
              |           this is int
            error[N0303]: a condition is a bool, found int
             --> test:2:13
              |
            2 |          if 1 then 2 else 3;
              |             ^ this is int
              |
              = help: compare it, as in `x /= 0`
            error[N0305]: the elements of a sequence have one type: expected int, found [char]
             --> test:3:17
              |
            3 |          [1, 2, "three"];
              |           -     ^^^^^^^ this is [char]
              |           |
              |           the first element is int
            error[N0313]: a sequence cannot have functions as elements
             --> test:4:11
              |
            4 |          [sin];
              |           ^^^ this is float -> float
              |
              = help: apply the functions, or choose between them with `if`
        "#]],
    );
}

#[test]
fn sequences() {
    message(
        "5[0];
         [1][t];
         [0:1.5];
         {x : x in 5};
         {x in [1] | x};
         [];
         let (a, b) = [1] in a;",
        &expect![[r#"
            error[N0306]: only a sequence has elements, found int
             --> test:1:1
              |
            1 | 5[0];
              | ^ this is int
            error[N0307]: an index is an int, found bool
             --> test:2:14
              |
            2 |          [1][t];
              |              ^ this is bool
              |
              = help: `btoi` gives 1 for T and 0 for F
            error[N0307]: the parts of a range are ints, found float
             --> test:3:13
              |
            3 |          [0:1.5];
              |             ^^^ this is float
              |
              = help: `round`, `floor`, `ceil` or `trunc` converts a float
            error[N0306]: an apply-to-each ranges over a sequence, found int
             --> test:4:20
              |
            4 |          {x : x in 5};
              |                    ^ this is int
              |
              = help: the ints below n are `[0:n]`
            error[N0303]: a test is a bool, found int
             --> test:5:22
              |
            5 |          {x in [1] | x};
              |                ---   ^ this is int
              |                |
              |                this makes `x` int
              |
              = help: compare it, as in `x /= 0`
            error[N0316]: nothing determines the element type of this `[]`
             --> test:6:10
              |
            6 |          [];
              |          ^^ of what type are its elements?
              |
            help: write the type after it, such as int
              |
            6 |          [] int;
              |             +++
            error[N0308]: the pattern is for (a, b), the value is [int]
             --> test:7:23
              |
            7 |          let (a, b) = [1] in a;
              |              ------   ^^^ this is [int]
              |              |
              |              this is for (a, b)
        "#]],
    );
}

#[test]
fn the_type_of_an_empty_sequence_stands_behind_its_brackets() {
    message(
        "sum(([ ]));",
        &expect![[r#"
        error[N0316]: nothing determines the element type of this `[]`
         --> test:1:6
          |
        1 | sum(([ ]));
          |      ^^^ of what type are its elements?
          |
        help: write the type after it, such as int
          |
        1 - sum(([ ]));
        1 + sum(([] int));
          |
    "#]],
    );
}

#[test]
fn definitions() {
    message(
        "function g1(x) : int -> float = x;
         function g2(x) : [int] -> int = x + 1;
         function g3(x) : int = x;
         function g4(x) = g4;
         function g5(a, b) : int -> int = 1;
         function d1(n) : int -> bool;
         function d1(n) = n;",
        &expect![[r#"
            error[N0309]: the result is int, but the annotation says float
             --> test:1:33
              |
            1 | function g1(x) : int -> float = x;
              |                  ------------   ^ this is int
              |                  |
              |                  the annotation
              |
              = help: `float` converts an int
            error[N0302]: `+` needs int or float here, found [int]
             --> test:2:42
              |
            2 |          function g2(x) : [int] -> int = x + 1;
              |                           ------------   ^ this is [int]
              |                           |
              |                           this makes `x` [int]
              |
              = note: `+` has type (a, a) -> a :: (a in number)
              = help: `++` joins sequences; `{x + y : x in a; y in b}` adds their elements
            error[N0315]: the type of a function has an arrow
             --> test:3:27
              |
            3 |          function g3(x) : int = x;
              |                           ^^^ this is int
              |
              = help: write `argument type -> result type`
            error[N0312]: this type would contain itself: b = a -> b
             --> test:4:27
              |
            4 |          function g4(x) = g4;
              |                           ^^ this is a -> b
            error[N0309]: the parameter is (a, b), but the annotation says int
             --> test:5:22
              |
            5 |          function g5(a, b) : int -> int = 1;
              |                      ^^^^    ---------- the annotation
              |                      |
              |                      this is (a, b)
            d1 : int -> bool
            error[N0320]: `d1` has type a -> a :: (a in any), but was declared as int -> bool
             --> test:7:19
              |
            6 |          function d1(n) : int -> bool;
              |          ---------------------------- declared here
            7 |          function d1(n) = n;
              |                   ^^ defined here
              |
              = help: leave the declaration of `d1` out: a function may use functions that the same text defines later
        "#]],
    );
}

#[test]
fn names() {
    message(
        "flaten([[1]]);
         _ + 1;
         let (a, a) = (1, 2) in a;
         let con(a) = 3 in a;
         [] flot;
         function wait(x) = never(x) + soon(x);
         function soon(x) = 1 + t;",
        &expect![[r#"
            error[N0204]: `flaten` is not defined
             --> test:1:1
              |
            1 | flaten([[1]]);
              | ^^^^^^ unknown name
              |
            help: did you mean `flatten`?
              |
            1 | flatten([[1]]);
              |     +
            error[N0203]: `_` has no value
             --> test:2:10
              |
            2 |          _ + 1;
              |          ^ `_` in a pattern binds nothing
              |
              = help: give the value a name to use it
            error[N0202]: `a` is bound twice
             --> test:3:18
              |
            3 |          let (a, a) = (1, 2) in a;
              |               -  ^ bound again here
              |               |
              |               first bound here
              |
              = help: use different names, or `_` for parts that are not needed
            error[N0207]: there is no datatype `con`
             --> test:4:14
              |
            4 |          let con(a) = 3 in a;
              |              ^^^ only a datatype can be taken apart here
              |
              = help: a function in a `let` is a value: `con = x => value`; it cannot call itself
            error[N0205]: there is no type `flot`
             --> test:5:13
              |
            5 |          [] flot;
              |             ^^^^ unknown type
              |
            help: did you mean `float`?
              |
            5 |          [] float;
              |                +
            error[N0204]: `never` is not defined
             --> test:6:29
              |
            6 |          function wait(x) = never(x) + soon(x);
              |                             ^^^^^ unknown name
            error[N0302]: `+` needs int here, found bool
             --> test:7:33
              |
            7 |          function soon(x) = 1 + t;
              |                             -   ^ this is bool
              |                             |
              |                             this is int
              |
              = note: `+` has type (a, a) -> a :: (a in number)
              = help: `btoi` gives 1 for T and 0 for F
        "#]],
    );
}

#[test]
fn effects() {
    message(
        "{print_string(s) : s in [\"a\"]};
         each(print_string, [\"a\"]);
         function say(x) = print_line(@x);
         {say(i) : i in [1]};",
        &expect![[r#"
            error[N0401]: `print_string` has an effect, which an apply-to-each does not allow
             --> test:1:2
              |
            1 | {print_string(s) : s in ["a"]};
              | -^^^^^^^^^^^^-----------------
              | ||
              | |this has an effect
              | the apply-to-each
              |
              = help: `{* ... }` goes through the elements one after the other and allows effects
            error[N0401]: `print_string` has an effect, which an apply-to-each does not allow
             --> test:2:15
              |
            2 |          each(print_string, ["a"]);
              |          ---- ^^^^^^^^^^^^ this has an effect
              |          |
              |          `each` applies its argument inside an apply-to-each
              |
              = help: `{* ... }` goes through the elements one after the other and allows effects
            say : a -> bool :: (a in any)
            error[N0401]: `say` has an effect, which an apply-to-each does not allow
             --> test:4:11
              |
            4 |          {say(i) : i in [1]};
              |          -^^^---------------
              |          ||
              |          |this has an effect
              |          the apply-to-each
              |
              = help: `{* ... }` goes through the elements one after the other and allows effects
        "#]],
    );
}

#[test]
fn optional_arguments() {
    message(
        "function k(a, b := 10) = a + b;
         k(1, c := 2);
         k(1, b := 2, b := 3);
         k(1.5);
         sin(1.0, b := 2);",
        &expect![[r#"
            k : (a, a) -> a :: (a in number)
            error[N0318]: `k` has no optional parameter `c`
             --> test:2:15
              |
            2 |          k(1, c := 2);
              |               ^ unknown optional parameter
              |
              = note: it has `b`
            error[N0319]: `b` is given twice
             --> test:3:23
              |
            3 |          k(1, b := 2, b := 3);
              |               -       ^ given again here
              |               |
              |               first given here
            error[N0311]: the default of `b` is int, but the parameter is float here
             --> test:4:10
              |
            4 |          k(1.5);
              |          ^^^^^^ this is int
              |
              = help: `float` converts an int
            error[N0318]: `sin` has no optional parameter `b`
             --> test:5:19
              |
            5 |          sin(1.0, b := 2);
              |                   ^ unknown optional parameter
        "#]],
    );
}

#[test]
fn habits() {
    message(
        "0x10; 1_000; (1, 2)[0]; max([1, 2]); sum(1, 2);
         5 mod 2;
         function k(a, b := 10) = a + b; k(1, 5);
         function g(x) = x + t;",
        &expect![[r#"
            error[N0204]: `x10` is not defined
             --> test:1:2
              |
            1 | 0x10; 1_000; (1, 2)[0]; max([1, 2]); sum(1, 2);
              |  ^^^ unknown name
              |
              = note: it stands right behind a number
              = help: numbers are written in decimal digits, without other signs among them
            error[N0204]: `_000` is not defined
             --> test:1:8
              |
            1 | 0x10; 1_000; (1, 2)[0]; max([1, 2]); sum(1, 2);
              |        ^^^^ unknown name
              |
              = note: it stands right behind a number
              = help: numbers are written in decimal digits, without other signs among them
            error[N0306]: only a sequence has elements, found (int, int)
             --> test:1:14
              |
            1 | 0x10; 1_000; (1, 2)[0]; max([1, 2]); sum(1, 2);
              |              ^^^^^^ this is (int, int)
              |
              = help: the parts of a tuple are bound by a pattern, as in `let (a, b) = p in a`
            error[N0301]: `max` takes (a, a) (a in ordinal), found [int]
             --> test:1:28
              |
            1 | 0x10; 1_000; (1, 2)[0]; max([1, 2]); sum(1, 2);
              |                            ^^^^^^^^ this is [int]
              |
              = note: `max` has type (a, a) -> a :: (a in ordinal)
              = help: the largest element of a sequence is `max_val(a)`
            error[N0301]: `sum` takes [int] or [float], found (int, int)
             --> test:1:41
              |
            1 | 0x10; 1_000; (1, 2)[0]; max([1, 2]); sum(1, 2);
              |                                         ^^^^^^ this is (int, int)
              |
              = note: `sum` has type [a] -> a :: (a in number)
              = help: the elements of a sequence stand in brackets: `g([x, y])`
            error[N0314]: only a function can be applied, found int
             --> test:2:10
              |
            2 |          5 mod 2;
              |          ^ --- applied to this
              |          |
              |          this is int
              |
            help: a function stands before its arguments: `mod(a, b)`
              |
            2 -          5 mod 2;
            2 +          mod(5, 2);
              |
            k : (a, a) -> a :: (a in number)
            error[N0301]: `k` takes int or float, found (int, int)
             --> test:3:43
              |
            3 |          function k(a, b := 10) = a + b; k(1, 5);
              |                                           ^^^^^^ this is (int, int)
              |
              = note: `k` has type (a, a) -> a :: (a in number)
              = help: optional arguments are given by name: `b := value`
            error[N0302]: `+` needs int or float here, found bool
             --> test:4:30
              |
            4 |          function g(x) = x + t;
              |                          -   ^ this is bool
              |                          |
              |                          this is int or float
              |
              = note: `+` has type (a, a) -> a :: (a in number)
        "#]],
    );
}

#[test]
fn definitions_of_other_languages() {
    message(
        "let g(x) = x + 1 in g(2);
         g(x) = x + 1;
         while t do 1; import math;",
        &expect![[r#"
            error[N0207]: there is no datatype `g`
             --> test:1:5
              |
            1 | let g(x) = x + 1 in g(2);
              |     ^ only a datatype can be taken apart here
              |
              = help: a function in a `let` is a value: `g = x => value`; it cannot call itself
            error[N0207]: there is no datatype `g`
             --> test:2:10
              |
            2 |          g(x) = x + 1;
              |          ^ only a datatype can be taken apart here
              |
            help: a function is defined by `function`
              |
            2 |          function g(x) = x + 1;
              |          ++++++++
            error[N0204]: `while` is not defined
             --> test:3:10
              |
            3 |          while t do 1; import math;
              |          ^^^^^ unknown name
              |
              = help: there are no loops: `{value : name in sequence}` computes a value for each element, and functions call themselves
            error[N0204]: `import` is not defined
             --> test:3:24
              |
            3 |          while t do 1; import math;
              |                        ^^^^^^ unknown name
              |
              = help: the library is there without a word about it
        "#]],
    );
}

#[test]
fn words_of_other_languages() {
    message(
        "# two words; -- a word;
         let rec h(n) = h(n - 1) in h(1);
         plus_reduce([1]); \"ab\"[0] == \"a\"; f(1);",
        &expect![[r#"
            error[N0204]: `two` is not defined
             --> test:1:3
              |
            1 | # two words; -- a word;
              |   ^^^ unknown name
              |
              = help: a comment runs from one `%` to the next
            error[N0204]: `a` is not defined
             --> test:1:17
              |
            1 | # two words; -- a word;
              |                 ^ unknown name
              |
              = help: a comment runs from one `%` to the next
            error[N0207]: there is no datatype `h`
             --> test:2:18
              |
            2 |          let rec h(n) = h(n - 1) in h(1);
              |                  ^ only a datatype can be taken apart here
              |
              = help: a function in a `let` is a value: `h = x => value`; it cannot call itself
            error[N0204]: `plus_reduce` is not defined
             --> test:3:10
              |
            3 |          plus_reduce([1]); "ab"[0] == "a"; f(1);
              |          ^^^^^^^^^^^ unknown name
              |
              = help: reductions are `sum`, `product`, `max_val`, `min_val`, `any` and `all`
            error[N0302]: `==` needs char here, found [char]
             --> test:3:39
              |
            3 |          plus_reduce([1]); "ab"[0] == "a"; f(1);
              |                            -------    ^^^ this is [char]
              |                            |
              |                            this is char
              |
              = note: `==` has type (a, a) -> bool :: (a in any)
              = help: a char is written with one backquote before it: `c
            error[N0314]: only a function can be applied, found bool
             --> test:3:44
              |
            3 |          plus_reduce([1]); "ab"[0] == "a"; f(1);
              |                                            ^--- applied to this
              |                                            |
              |                                            this is bool
              |
              = help: `t` and `f` are the truth values: functions have other names
        "#]],
    );
}

#[test]
fn one_mistake_is_one_error_and_two_are_two() {
    check(
        "function once(n) = if n == 0 then 0 else 1.0 + once(n - 1);
         function first_of(n) = (if n == 0 then \"a\" else n) ++ [1];
         function twice(n) = ((if n == 0 then 1 else 2.0), #n, [1, t]);
         function ping(n) = if n == 0 then \"a\" else pong(n - 1);
         function pong(n) = if n == 0 then 1 else ping(n) + #n;
         {(a + b, a < b, b < a, #a) : a in [1]; b in [1.0]};",
        &expect![[r#"
            type: the branches of `if` have different types: int and float
            type: the branches of `if` have different types: [char] and int
            type: the branches of `if` have different types: int and float
            type: `#` needs a sequence here, found int
            type: the elements of a sequence have one type: expected int, found bool
            type: `+` needs int or float here, found [char]
            type: `#` needs a sequence here, found int
            type: `+` needs int here, found float
            type: `#` needs a sequence here, found int
        "#]],
    );
}

#[test]
fn types_come_from_somewhere() {
    message(
        "function p(n) = let a = n + 1; b = a in #b;
         function q(n) = if n == 0 then 1 else q(\"a\");
         function r(n) = 1 + s(n);
         function s(n) = if r(n) == 0 then \"a\" else \"b\";",
        &expect![[r#"
            error[N0302]: `#` needs a sequence here, found int
             --> test:1:42
              |
            1 | function p(n) = let a = n + 1; b = a in #b;
              |                                    -     ^ this is int
              |                                    |
              |                                    this makes `b` int
              |
              = note: `#` has type [a] -> int :: (a in any)
              = help: `#a` is the length of the sequence `a`; the ints below n are `[0:n]`
            error[N0301]: `q` takes int, found [char]
             --> test:2:49
              |
            2 |          function q(n) = if n == 0 then 1 else q("a");
              |                             ------              ^^^^^ this is [char]
              |                             |
              |                             this makes `q` take int
              |
              = note: `q` has type int -> a
            error[N0310]: the result is used as int, but the body gives [char]
             --> test:4:26
              |
            3 |          function r(n) = 1 + s(n);
              |                          -------- here it is used as int
            4 |          function s(n) = if r(n) == 0 then "a" else "b";
              |                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is [char]
        "#]],
    );
}
