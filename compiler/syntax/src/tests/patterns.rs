//! Patterns, and what cannot be bound (LANGUAGE 3.3 and section 4).

use super::check_lines;
use expect_test::expect;

#[test]
fn patterns() {
    check_lines(
        "x = 1
         _ = 1
         (x) = 1
         (a, b), c = e
         (a, (b, _)) = e
         point(a, b) = e
         wrap x = e
         wrap point (a, b) = e
         wrap(point(a, b)), c = e
         let point(a, b) = p; (c, _) = q in r
         {a : wrap(a) in s}
         (a, wrap b) => a
         wrap a => a",
        expect![[r#"
            (= x 1)
            (= _ 1)
            (= x 1)
            (= (pair (pair a b) c) e)
            (= (pair a (pair b _)) e)
            (= (point (pair a b)) e)
            (= (wrap x) e)
            (= (wrap (point (pair a b))) e)
            (= (pair (wrap (point (pair a b))) c) e)
            (let ((point (pair a b)) p) ((pair c _) q) r)
            (each a ((wrap a) s))
            (=> (pair a (wrap b)) a)
            (=> (wrap a) a)"#]],
    );
}

#[test]
fn what_cannot_be_bound() {
    check_lines(
        "3 = 4
         t = f
         (a, \"s\") = e
         a + b = e
         -a = e
         #a = e
         [a] = e
         [] int = e
         [0:1] = e
         a[0] = e
         (if a then b else c) = e
         (let a = b in c) = e
         (x => y) = e
         {x in s} = e
         h(a, b := 1) = e
         h (a) b = e
         3 x = e
         1 => 2
         x + y => e
         let t = 3 in t
         {f : f in [1]}",
        expect![[r#"
            (= (invalid "the literal `3` cannot be bound") 4)
            (= (invalid "`t` means true: choose another name") F)
            (= (pair a (invalid "the literal `\"s\"` cannot be bound")) e)
            (= (invalid "an operator cannot stand in a pattern") e)
            (= (invalid "an operator cannot stand in a pattern") e)
            (= (invalid "an operator cannot stand in a pattern") e)
            (= (invalid "a sequence literal cannot stand in a pattern") e)
            (= (invalid "an empty sequence cannot stand in a pattern") e)
            (= (invalid "a range cannot stand in a pattern") e)
            (= (invalid "a sequence keeps its elements; `a <- [(i, x)]` is `a` with x at place i") e)
            (= (invalid "a conditional cannot stand in a pattern") e)
            (= (invalid "a `let` cannot stand in a pattern") e)
            (= (invalid "a function value cannot stand in a pattern") e)
            (= (invalid "an apply-to-each cannot stand in a pattern") e)
            (= (h (invalid "an optional argument cannot stand in a pattern")) e)
            (= (invalid "only the name of a datatype can stand before a pattern") e)
            (= (invalid "only the name of a datatype can stand before a pattern") e)
            (=> (invalid "the literal `1` cannot be bound") 2)
            (=> (invalid "an operator cannot stand in a pattern") e)
            (let ((invalid "`t` means true: choose another name") 3) T)
            (each F ((invalid "`f` means false: choose another name") (seq 1)))"#]],
    );
}

#[test]
fn no_patterns_at_all() {
    check_lines(
        "= 3
         () = 3
         (a, ) = 3
         let () = 3 in 4
         let = 3 in 4
         let in = 3 in 4
         () => 3
         {() in s}
         { in s}",
        expect![[r#"
            (error parse: expected an expression, found `=`)
            (error parse: expected an expression, found `)`)
            (error parse: expected an expression, found `)`)
            (error parse: expected an expression, found `)`)
            (error parse: expected a pattern, found `=`)
            (error parse: expected a pattern, found the reserved word `in`)
            (error parse: expected an expression, found `)`)
            (error parse: expected an expression, found `)`)
            (error parse: expected an expression, found the reserved word `in`)"#]],
    );
}
