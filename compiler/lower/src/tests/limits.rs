//! What is refused.

use super::check;
use expect_test::expect;

#[test]
fn recursion_that_returns_a_function() {
    check(
        "function make(n) = if n == 0 then (x => x) else make(n - 1); make(3)(4);",
        &expect![[r#"
            test:1:62: limit: `make` calls itself and returns a function
        "#]],
    );
}

#[test]
fn functions_that_grow() {
    check(
        "function grow(g, n) = if n == 0 then 0 else grow(x => g(x) + 1, n - 1);
         grow(x => x, 3);",
        &expect![[r#"
            test:1:45: limit: the functions passed here capture ever more functions
        "#]],
    );
    check(
        "function grow(g, n) = if n == 0 then g(0) else grow(x => g(g(x)), n - 1);
         grow(x => x, 3);",
        &expect![[r#"
            test:1:58: limit: inlining the calls of this program makes it too long
        "#]],
    );
}

#[test]
fn functions_known_only_at_run_time() {
    check(
        "g = if #[1] > 0 then sin else cos; g(1.0);",
        &expect![[r#"
        test:1:36: limit: which function `g` stands for is known only at run time
    "#]],
    );
    check(
        "(1, sin);",
        &expect![[r#"
        test:1:1: limit: the result contains a function
    "#]],
    );
}

#[test]
fn effects() {
    check(
        "print_line(\"a\");",
        &expect![[r#"
            test:1:1: limit: `print_line` has an effect, and compiled code has none
        "#]],
    );
    check(
        "first(time(3));",
        &expect![[r#"
            test:1:6: limit: `time` has an effect, and compiled code has none
        "#]],
    );
    check(
        "{print_debug(\"x\", i) : i in [1]};",
        &expect![[r#"
            test:1:2: limit: `print_debug` has an effect, and compiled code has none
        "#]],
    );
}
