//! Effects (LANGUAGE 12).

use super::check;
use expect_test::expect;

#[test]
fn in_bodies_and_tests() {
    check(
        "{print_string(s) : s in [\"a\"]}; {x in [1] | print_string(\"x\")};
         {print_string(s) : s in [] [char]}; {if x > 1 then print_string(\"a\") else t : x in [1]};
         {x : x in [print_string(\"a\")]}; {* print_string(s) : s in [\"a\"]};
         {{* print_string(s) : s in [\"a\"]} : i in [1]}; {print_debug(\"v\", x) : x in [1]};
         {rand_seed(x) : x in [1]}; {time(x) : x in [1]};",
        &expect![[r#"
            effect: `print_string` has an effect, which an apply-to-each does not allow
            effect: `print_string` has an effect, which an apply-to-each does not allow
            effect: `print_string` has an effect, which an apply-to-each does not allow
            effect: `print_string` has an effect, which an apply-to-each does not allow
            it : [bool]
            it : [bool]
            effect: `print_string` has an effect, which an apply-to-each does not allow
            it : [int]
            effect: `rand_seed` has an effect, which an apply-to-each does not allow
            effect: `time` has an effect, which an apply-to-each does not allow
        "#]],
    );
}

#[test]
fn through_calls() {
    check(
        "function say(x) = print_line(@x); function twice(x) = say(x) and say(x);
         say(1); {say(i) : i in [1]}; {twice(i) : i in [1]};
         function dump(s) = {print_line(x) : x in s};
         function ping(n) = if n == 0 then t else pong(n - 1);
         function pong(n) = let _ = print_line(\"\") in ping(n);
         {ping(i) : i in [1]};",
        &expect![[r#"
            say : a -> bool :: (a in any)
            twice : a -> bool :: (a in any)
            it : bool
            effect: `say` has an effect, which an apply-to-each does not allow
            effect: `twice` has an effect, which an apply-to-each does not allow
            effect: `print_line` has an effect, which an apply-to-each does not allow
            ping : int -> bool
            pong : int -> bool
            effect: `ping` has an effect, which an apply-to-each does not allow
        "#]],
    );
}

#[test]
fn through_arguments() {
    check(
        "each(print_string, [\"a\"]); map(print_string, [\"a\"]);
         {map(print_string, s) : s in [[\"a\"]]};
         function second(g, s) = each(x => g(x), s); second(print_string, [\"a\"]);
         function both(g, h, s) = let _ = g(s) in each(h, s);
         both(s => print_line(\"\"), x => x, [1]); both(s => t, print_line, [\"a\"]);
         (if t then each else map)(print_string, [\"a\"]);
         function curried(g) = (s => {g(x) : x in s}); curried(print_string);",
        &expect![[r#"
            effect: `print_string` has an effect, which an apply-to-each does not allow
            it : [bool]
            effect: `print_string` has an effect, which an apply-to-each does not allow
            second : (a -> b, [a]) -> [b] :: (a in any; b in any)
            effect: `print_string` has an effect, which an apply-to-each does not allow
            both : ([a] -> b, a -> c, [a]) -> [c] :: (a in any; b in any; c in any)
            it : [int]
            effect: `print_line` has an effect, which an apply-to-each does not allow
            effect: `print_string` has an effect, which an apply-to-each does not allow
            curried : (a -> b) -> [a] -> [b] :: (a in any; b in any)
            effect: `print_string` has an effect, which an apply-to-each does not allow
        "#]],
    );
}

#[test]
fn through_values() {
    check(
        "let g = print_string in {g(x) : x in [\"a\"]}; let g = print_string;
         h = sin in {h(x) : x in [1.0]};
         say = x => print_line(x); {say(x) : x in [\"a\"]};
         {(if x then print_string else error)(\"a\") : x in [t]};
         function mk(x) = (y => print_line(y)); {mk(x)(\"a\") : x in [1]};
         datatype op([char] -> bool); o = op(print_line); let op(g) = o in {g(x) : x in [\"a\"]};
         let op(g) = op(error) in {g(x) : x in [\"a\"]};
         function dflt(x, y := print_line(\"\")) = x; dflt(1); {dflt(i) : i in [1]};
         {dflt(i, y := t) : i in [1]};",
        &expect![[r#"
            effect: `print_string` has an effect, which an apply-to-each does not allow
            it : [float]
            say : [char] -> bool
            effect: `say` has an effect, which an apply-to-each does not allow
            effect: `print_string` has an effect, which an apply-to-each does not allow
            mk : a -> [char] -> bool :: (a in any)
            effect: `mk` has an effect, which an apply-to-each does not allow
            op : ([char] -> bool) -> op
            o : op
            effect: `o` has an effect, which an apply-to-each does not allow
            it : [bool]
            dflt : (a, b) -> a :: (a in any; b in any)
            it : int
            effect: the default of `y` in `dflt` has an effect, which an apply-to-each does not allow
            it : [int]
        "#]],
    );
}

#[test]
fn an_unrelated_effect_is_no_matter() {
    check(
        "let sq = (x => x * x); d = print_line(\"a\"); y = sq(3) in {sq(x) : x in [1]};
         function apply(g, x) = g(x); (apply(print_line, \"a\"), {apply(abs, x) : x in [1]});",
        &expect![[r#"
            it : [int]
            apply : (a -> b, a) -> b :: (a in any; b in any)
            it : bool, [int]
        "#]],
    );
}
