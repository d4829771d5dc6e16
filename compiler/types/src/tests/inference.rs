//! Types of expressions and functions (LANGUAGE 5).

use super::check;
use expect_test::expect;

#[test]
fn literals_and_tuples() {
    check(
        "1; 1.5; t; `a; \"s\"; (1, (t, 2.0)); ((1, 2), 3); [1, 2]; [[`a]]; [(1, t)];",
        &expect![[r#"
            it : int
            it : float
            it : bool
            it : char
            it : [char]
            it : int, bool, float
            it : (int, int), int
            it : [int]
            it : [[char]]
            it : [(int, bool)]
        "#]],
    );
}

#[test]
fn operators() {
    check(
        "1 + 2; 1.5 * 2.0; 1 < 2; not t; 1 and 2; t nor f; #[1]; @1; -1.5; [1] ++ [2];
         [5] -> [0]; [5] <- [(0, 1)]; 2 ^ 3; \"a\" || 3; [1, 2][0]; [0:5]; [9:0:-2];
         (1, 2) == (1, 2);",
        &expect![[r#"
            it : int
            it : float
            it : bool
            it : bool
            it : int
            it : bool
            it : int
            it : [char]
            it : float
            it : [int]
            it : [int]
            it : [int]
            it : int
            it : [char]
            it : int
            it : [int]
            it : [int]
            it : bool
        "#]],
    );
}

#[test]
fn functions_generalise() {
    check(
        "function swap(x, y) = (y, x);
         function add(x, y) = x + y;
         function bigger(a, b) = if a > b then a else b;
         function len(s) = #s;
         function msum(m) = {sum(r) : r in m};
         function same(a, b) = a == b;
         function compose(g, h) = (x => g(h(x)));
         function flip(g) = ((x, y) => g(y, x));
         function mk(x) = [x];
         function nil(x) = [];
         function fact(n) = if n <= 1 then 1 else n * fact(n - 1);
         function loop(x) = loop(x);",
        &expect![[r#"
            swap : (a, b) -> (b, a) :: (a in any; b in any)
            add : (a, a) -> a :: (a in number)
            bigger : (a, a) -> a :: (a in ordinal)
            len : [a] -> int :: (a in any)
            msum : [[a]] -> [a] :: (a in number)
            same : (a, a) -> bool :: (a in any)
            compose : (a -> b, c -> a) -> c -> b :: (a in any; b in any; c in any)
            flip : ((a, b) -> c) -> (b, a) -> c :: (a in any; b in any; c in any)
            mk : a -> [a] :: (a in any)
            nil : a -> [b] :: (a in any; b in any)
            fact : int -> int
            loop : a -> b :: (a in any; b in any)
        "#]],
    );
}

#[test]
fn classes_intersect() {
    check(
        "function z(x) = (x and x) < x;
         function w(x) = x + (x and 1);
         function q(x, y) = (x + y, x or y);
         function ord(x, y) = max(x, y) * min(x, y);
         function lg(x) = (x and x) == x;
         function bits(x) : a -> a :: (a in logical) = x + x;
         function s(x) : a -> a :: (a in scalar) = x;
         s([1]);",
        &expect![[r#"
            z : int -> bool
            w : int -> int
            q : (int, int) -> (int, int)
            ord : (a, a) -> a :: (a in number)
            lg : a -> bool :: (a in logical)
            bits : int -> int
            s : a -> a :: (a in scalar)
            type: `s` takes int, float, bool or char, found [int]
        "#]],
    );
}

#[test]
fn parameters_are_not_generalised() {
    check(
        "let id = (x => x) in (id(1), id(2));
         let id = (x => x) in (id(1), id(t));
         function dup(x) = (x, x);
         dup(dup(1));",
        &expect![[r#"
            it : int, int
            type: this function takes int, found bool
            dup : a -> (a, a) :: (a in any)
            it : (int, int), int, int
        "#]],
    );
}

#[test]
fn extra_arguments_fold() {
    check(
        "function third(a, b, c) = c; third(1, 2, 3, 4); third(1, 2);",
        &expect![[r#"
        third : (a, b, c) -> c :: (a in any; b in any; c in any)
        it : int, int
        type: `third` takes (a, b), found int
    "#]],
    );
}

#[test]
fn top_level_values() {
    check(
        "x => x; id = (x => x); (g, n) = (x => x, 3); g; n; (x, (y, _)) = (1, (t, 2)); y;
         it; pair = (1, 2); (u, v) = pair; u + v;",
        &expect![[r#"
            it : a -> a :: (a in any)
            id : a -> a :: (a in any)
            (g, n) : a -> a, int :: (a in any)
            it : a -> a :: (a in any)
            it : int
            (x, y, _) : int, bool, int
            it : bool
            it : bool
            pair : int, int
            (u, v) : int, int
            it : int
        "#]],
    );
}

#[test]
fn empty_sequences() {
    check(
        "[] int; [] (int, [bool]); [] ++ [1]; if t then [] else [2]; [[], [1]];
         []; #[]; [] == []; ([], 1); let e = [] in 3; function nil(x) = []; nil(1); nil(t) ++ [2];
         function lost(x) = #[]; (x => []);",
        &expect![[r#"
            it : [int]
            it : [(int, [bool])]
            it : [int]
            it : [int]
            it : [[int]]
            type: nothing determines the element type of this `[]`
            type: nothing determines the element type of this `[]`
            type: nothing determines the element type of this `[]`
            type: nothing determines the element type of this `[]`
            type: nothing determines the element type of this `[]`
            type: nothing determines the element type of this `[]`
            nil : a -> [b] :: (a in any; b in any)
            type: nothing determines the type of this value: [a]
            it : [int]
            type: nothing determines the element type of this `[]`
            it : a -> [b] :: (a in any; b in any)
        "#]],
    );
}

#[test]
fn annotations() {
    check(
        "function a1(x, y) : (int, int) -> int = x + y;
         function a2(s) : [a] -> [a] :: a in number = {x + x : x in s};
         function a3(x) : b -> b :: (b in any) = x + 1;
         function a4(x) : int -> float = x;
         function a5(x) : [int] -> int = x + 1;
         function a6(x) : int = x;
         function a7(x) : a -> [a] :: (a in any) = [] a;
         function a8(x) : zork -> int = 1;
         function a9(x) : a -> a :: (a in nosuch) = x;",
        &expect![[r#"
            a1 : (int, int) -> int
            a2 : [a] -> [a] :: (a in number)
            a3 : int -> int
            type: the result is int, but the annotation says float
            type: `+` needs int or float here, found [int]
            type: the type of a function has an arrow
            a7 : a -> [a] :: (a in any)
            undefined: there is no type `zork`
            undefined: there is no class `nosuch`
        "#]],
    );
}

#[test]
fn functions_are_values() {
    check(
        "if t then sin else cos; first((sin, 1))(0.0); sin; (sin, cos);
         [sin]; [x => x]; {y => x + y : x in [1]}; dist(sin, 2); sin == cos; (1, sin) == (1, cos);
         {(x => x + i)(10) : i in [1]};",
        &expect![[r#"
            it : float -> float
            it : float
            it : float -> float
            it : float -> float, float -> float
            type: a sequence cannot have functions as elements
            type: a sequence cannot have functions as elements
            type: a sequence cannot have functions as elements
            type: `dist` cannot be used with functions
            type: functions cannot be compared
            type: functions cannot be compared
            it : [int]
        "#]],
    );
}

#[test]
fn no_functions_at_each_use() {
    check(
        "function mk(x) = [x]; mk(sin);
         function count(x) = #[x]; count(sin);
         function same(x) = x == x; same(sin); same((1, sin));
         function keep(x) = x; keep(sin);",
        &expect![[r#"
            mk : a -> [a] :: (a in any)
            type: `mk` cannot be used with functions
            count : a -> int :: (a in any)
            type: `count` cannot be used with functions
            same : a -> bool :: (a in any)
            type: `same` cannot be used with functions
            type: `same` cannot be used with functions
            keep : a -> a :: (a in any)
            it : float -> float
        "#]],
    );
}

#[test]
fn apply_to_each() {
    check(
        "{x + 1 : x in [1]}; {x, y : x in [1]; y in [t]}; {x in [1.5] | x > 0.0};
         {(x, y) in [(1, t)] | y}; let v = [1] in {v * 2 : v}; {* x : x in \"ab\"};
         {x : x in 5}; {x in [1] | 1}; {p + q : (p, q) in [(1, 2)]};",
        &expect![[r#"
            it : [int]
            it : [(int, bool)]
            it : [float]
            it : [(int, bool)]
            it : [int]
            it : [char]
            type: an apply-to-each ranges over a sequence, found int
            type: a test is a bool, found int
            it : [int]
        "#]],
    );
}

#[test]
fn optional_parameters() {
    check(
        "function k(a, b := 10) = a + b; k; k(1); k(1, b := 5); k(1.5); k(1, c := 2); k(1, 2);
         k(1, b := 2, b := 3); k(1.5, b := 2.5); {k(x) : x in [1]};
         function m((a, b), c := 1, d := t) = (a, b, c, d); m; m(1, 2); m((1, 2), d := 0);
         function n(a, b, c := 1) = a + b + c; n; p = (1, 2); n(p); n(1, 2, 3);
         function bad(a, b := \"x\") = a + b;
         function r(n, acc := 1) = if n == 0 then acc else r(n - 1); r;",
        &expect![[r#"
            k : (a, a) -> a :: (a in number)
            it : (a, a) -> a :: (a in number)
            it : int
            it : int
            type: the default of `b` is int, but the parameter is float here
            type: `k` has no optional parameter `c`
            type: `k` takes int or float, found (int, int)
            type: `b` is given twice
            it : float
            it : [int]
            m : ((a, b), c, d) -> (a, b, c, d) :: (a in any; b in any; c in any; d in any)
            it : ((a, b), c, d) -> (a, b, c, d) :: (a in any; b in any; c in any; d in any)
            it : int, int, int, bool
            it : int, int, int, int
            n : (a, a, a) -> a :: (a in number)
            it : (a, a, a) -> a :: (a in number)
            p : int, int
            it : int
            type: `n` takes int, found (int, int)
            type: the default is [char], but the parameter is int or float
            r : (int, int) -> int
            it : (int, int) -> int
        "#]],
    );
}

#[test]
fn shown_types() {
    check(
        "function ap(g, x) = g(x);
         function curry(x) = (y => (z => x + y + z));
         function tup(x, y) = (x, (y, x), [(x, y)]);
         datatype kv(a, b) :: (a in any; b in any); datatype box(a) :: (a in any);
         kv(1, \"x\"); box((1, 2)); function unbox(box(x)) = x;",
        &expect![[r#"
            ap : (a -> b, a) -> b :: (a in any; b in any)
            curry : a -> a -> a -> a :: (a in number)
            tup : (a, b) -> (a, (b, a), [(a, b)]) :: (a in any; b in any)
            kv : (a, b) -> kv(a, b) :: (a in any; b in any)
            box : a -> box(a) :: (a in any)
            it : kv(int, [char])
            it : box((int, int))
            unbox : box(a) -> a :: (a in any)
        "#]],
    );
}
