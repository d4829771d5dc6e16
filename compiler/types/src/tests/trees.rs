//! The typed program.

use super::tree;
use expect_test::expect;

#[test]
fn operators_are_functions() {
    tree(
        "1 + 2; -1.5; \"a\" == \"b\"; t nand f; [1, 2] -> [0]; [3][0]; [0:9]; 2 ^ 3; #[t]; @1;
         \"a\" || 2;",
        &expect![[r#"
            x0 : int = +[int](1, 2)
            x0 : float = negate[float](1.5)
            x0 : bool = ==[[char]]("a", "b")
            x0 : bool = not[bool](and[bool](T, F))
            x0 : [int] = get[int]([1, 2], [0])
            x0 : int = elt[int]([3], 0)
            x0 : [int] = range(0, 9, 1)
            x0 : int = power[int](2, 3)
            x0 : int = #[bool]([T])
            x0 : [char] = @[int](1)
            x0 : [char] = pad_string("a", 2)
        "#]],
    );
}

#[test]
fn instances() {
    tree(
        "function add(x, y) = x + y; function msum(m) = {sum(r) : r in m}; msum([[1.5]]);
         function fact(n) = if n == 0 then 1 else n * fact(n - 1);
         function dep(n, x) = if n == 0 then [x] else dep(n - 1, x);
         let g = (x => 3) in 4; function loop(x) = loop(x);",
        &expect![[r#"
            add : (a, a) -> a :: (a in number) = (x0, x1) => +[a](x0, x1)
            msum : [[a]] -> [a] :: (a in number) = x0 => {sum[a](x1) : x1 in x0}
            x0 : [float] = msum[float]([[1.5]])
            fact : int -> int = x0 => (if ==[int](x0, 0) then 1 else *[int](x0, fact(-[int](x0, 1))))
            dep : (int, a) -> [a] :: (a in any) = (x0, x1) => (if ==[int](x0, 0) then [x1] else dep[a](-[int](x0, 1), x1))
            x2 : int = (let x1 = (x0 => 3) in 4)
            loop : a -> b :: (a in any; b in any) = x0 => loop[a; b](x0)
        "#]],
    );
}

#[test]
fn unit_instances() {
    tree(
        "function pa(n, x) = if n == 0 then [x] else pb(n, [x, x][0]);
         function pb(n, x) = let y = qa(1) in pa(n, x);
         function qa(n) = n;",
        &expect![[r#"
            qa : a -> a :: (a in any) = x0 => x0
            pa : (int, a) -> [a] :: (a in any) = (x0, x1) => (if ==[int](x0, 0) then [x1] else pb[a](x0, elt[a]([x1, x1], 0)))
            pb : (int, a) -> [a] :: (a in any) = (x0, x1) => (let x2 = qa[int](1) in pa[a](x0, x1))
        "#]],
    );
}

#[test]
fn elements_of_the_first_source() {
    tree(
        "{x in [1] | x > 0}; {(x, y) in [(1, t)] | y}; {_ in [1]}; {(x, y) in [(1, t)];
         z in [f] | z};",
        &expect![[r#"
            x1 : [int] = {x0 : x0 in [1] | >[int](x0, 0)}
            x3 : [(int, bool)] = {x2 : x2 in [(1, T)] | (let (x0, x1) = x2 in x1)}
            x1 : [int] = {x0 : x0 in [1]}
            x4 : [(int, bool)] = {x3 : x3 in [(1, T)]; x2 in [F] | (let (x0, x1) = x3 in x2)}
        "#]],
    );
}

#[test]
fn optional_parameters() {
    tree(
        "function k(a, b := 10) = a + b; k(1); k(1, b := 5); k;
         function n(a, b, c := 1, d := [] int) = (a, b, c, d); n(1, 2, d := [3]); p = (1, 2); n(p);
         function m((a, b), c := 1) = a; m(1, 2); m(p);",
        &expect![[r#"
            k : (a, a) -> a :: (a in number) = (x0, x1) => +[a](x0, x1)
            x0 : int = k[int](1, k.b(0))
            x0 : int = k[int](1, 5)
            x0 : (a, a) -> a :: (a in number) = k[a]
            n : (a, b, c, d) -> (a, b, c, d) :: (a in any; b in any; c in any; d in any) = (x0, x1, x2, x3) => (x0, x1, x2, x3)
            x0 : int, int, int, [int] = n[int; int; int; [int]](1, 2, n.c(0), [3])
            x0 : int, int = (1, 2)
            x2 : int, int, int, [int] = (let (x0, x1) = p in n[int; int; int; [int]](x0, x1, n.c(0), n.d(0)))
            m : ((a, b), c) -> a :: (a in any; b in any; c in any) = ((x0, x1), x2) => x0
            x0 : int = m[int; int; int]((1, 2), m.c(0))
            x0 : int = m[int; int; int](p, m.c(0))
        "#]],
    );
}

#[test]
fn patterns() {
    tree(
        "datatype point(int, int); function px(point(a, _)) = a;
         (u, point(_, v)) = (1, point(2, 3));
         let (a, b) = (1, 2) in a + b; ((x, y) => y)(1, 2, 3);",
        &expect![[r#"
            point : (int, int) -> point, constructor of d1
            px : point -> int = point(x0, _) => x0
            (x0, point(_, x1)) : int, point = (1, point(2, 3))
            x2 : int = (let (x0, x1) = (1, 2) in +[int](x0, x1))
            x2 : int, int = ((x0, x1) => x1)(1, 2, 3)
        "#]],
    );
}

#[test]
fn what_nothing_determines_is_int() {
    tree(
        "let g = x => x in 3; function c(x) = let h = (y => y) in x;",
        &expect![[r#"
        x2 : int = (let x1 = (x0 => x0) in 3)
        c : a -> a :: (a in any) = x0 => (let x2 = (x1 => x1) in x0)
    "#]],
    );
}
