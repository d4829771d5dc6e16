//! What does not fit is an error, never a crash.

use crate::session::{check, lines};
use expect_test::expect;
use value::stack::on_stack_of;

#[test]
fn deep_recursion() {
    check(
        "
        function down(n) = if n == 0 then 0 else 1 + down(n - 1);
        down(100000);
        function loop(n, s) = if n == 0 then s else loop(n - 1, s + n);
        loop(300000, 0);
        function compose(g, n) = if n == 0 then g else compose(x => g(x) + 1, n - 1);
        deep = compose(x => x, 100000);
        deep(1);
        function even(n) = if n == 0 then t else odd(n - 1);
        function odd(n) = if n == 0 then f else even(n - 1);
        even(100001);
        ",
        expect![[r#"
            it = 100000 : int
            it = 45000150000 : int
            deep = fn : int -> int
            it = 100001 : int
            it = F : bool
        "#]],
    );
}

#[test]
fn sequences_beyond_memory() {
    check(
        "index(1000000000000);\n#dist(\"abc\", max_int);\n[0:max_int];",
        expect![[r#"
            test:1:1: runtime(memory): out of memory for a sequence of 8000000000000 bytes
            test:2:2: runtime(memory): out of memory for a sequence of more than 2^47 elements
            test:3:1: runtime(memory): out of memory for a sequence of more than 2^47 elements
        "#]],
    );
}

/// On a stack of 64 MiB, so that the end comes soon.  After how many calls, and at which
/// expression, depends on the size of machine frames.
#[test]
fn recursion_without_end() {
    let source = "function forever(n) = 1 + forever(n + 1);\nforever(0);\n1 + 1;";
    let text = on_stack_of(64 << 20, || lines(source));
    let (error, rest) = text.split_once('\n').unwrap();
    assert!(error.starts_with("test:1:"), "{error}");
    assert!(error.contains(": runtime(memory): the recursion is too deep: "), "{error}");
    assert_eq!(rest, "it = 2 : int\n");
}
