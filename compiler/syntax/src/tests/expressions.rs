//! Expressions (LANGUAGE 3.1 and 3.2).

use super::check_lines;
use expect_test::expect;

#[test]
fn consequences_of_the_table() {
    check_lines(
        "-3 ^ 2
         2 ^ 3 ^ 2
         -a[0]
         #a[0]
         #a -> b
         a ++ b -> c
         a -> b -> c
         a -> b <- c
         a <- b -> c
         a <- b <- c
         not a and b
         not a == b
         x => x, 2
         x, y => e
         let a = 1 in a, 2
         1 == 1 == 1",
        expect![[r#"
            (^ (negate 3) 2)
            (^ (^ 2 3) 2)
            (negate (elt a 0))
            (# (elt a 0))
            (-> (# a) b)
            (++ a (-> b c))
            (-> a (-> b c))
            (<- (-> a b) c)
            (<- a (-> b c))
            (<- (<- a b) c)
            (and (apply not a) b)
            (== (apply not a) b)
            (pair (=> x x) 2)
            (pair x (=> y e))
            (let (a 1) (pair a 2))
            (== (== 1 1) 1)"#]],
    );
}

#[test]
fn levels() {
    check_lines(
        "a or b and c == d + e * h ^ g <- h -> -i j
         -i -> h <- g ^ h * e + d == c and b or a
         a xor b nor c or d
         a nand b and c
         a < b > c <= d >= e /= h
         a - b + c ++ d
         a / b * c || d
         - - # @ a
         a - -b
         x => y => z + 1",
        expect![[r#"
            (or a (and b (== c (+ d (* e (^ h (<- g (-> h (negate (apply i j))))))))))
            (or (and (== (+ (* (^ (<- (-> (negate i) h) g) h) e) d) c) b) a)
            (or (nor (xor a b) c) d)
            (and (nand a b) c)
            (/= (>= (<= (> (< a b) c) d) e) h)
            (++ (+ (- a b) c) d)
            (|| (* (/ a b) c) d)
            (negate (negate (# (@ a))))
            (- a (negate b))
            (=> x (=> y (+ z 1)))"#]],
    );
}

#[test]
fn application() {
    check_lines(
        "h x
         h (x, y)
         h x y
         h(x)(y)
         h \"s\" `c 1 1.5 t
         h {x in s}
         h #s
         h @#s -> b
         h #s x
         h -1
         h [1, 2]
         h([1, 2])
         h x[0]
         g h(x)
         h if c then a else b, d
         h let a = 1 in a
         3(4)
         (x => x)(1)
         h _",
        expect![[r#"
            (apply h x)
            (apply h (pair x y))
            (apply (apply h x) y)
            (apply (apply h x) y)
            (apply (apply (apply (apply (apply h "s") (char 99)) 1) 1.5) T)
            (apply h (each (x s)))
            (apply h (# s))
            (-> (apply h (@ (# s))) b)
            (apply h (# (apply s x)))
            (- h 1)
            (elt h (pair 1 2))
            (apply h (seq 1 2))
            (elt (apply h x) 0)
            (apply (apply g h) x)
            (apply h (if c a (pair b d)))
            (apply h (let (a 1) a))
            (apply 3 4)
            (apply (=> x x) 1)
            (apply h _)"#]],
    );
}

#[test]
fn optional_arguments() {
    check_lines(
        "k(1, b := 5)
         k (1, 2, b := x => x, c := if p then 1 else 2, d := 3)
         k(let a = 1 in a, b := 2)
         k(b := 1)
         (k)(1, b := 2)
         g k(1, b := 2)
         k(1, b := 2, 3)
         k(1, t := 2)
         k(1, b := 2)(3)",
        expect![[r#"
            (apply k 1 (:= b 5))
            (apply k (pair 1 2) (:= b (=> x x)) (:= c (if p 1 2)) (:= d 3))
            (apply k (let (a 1) a) (:= b 2))
            (error parse: expected `)` or `,`, found `:=`)
            (error parse: expected `)`, found `,`)
            (error parse: expected `)`, found `,`)
            (error parse: expected a name and `:=`, found the number `3`)
            (error parse: expected a name, found the literal `t`)
            (apply (apply k 1 (:= b 2)) 3)"#]],
    );
}

#[test]
fn open_expressions() {
    check_lines(
        "if p then x else y, z
         (if p then x else y), z
         1 + if p then 2 else 3 + 4
         -if p then 2 else 3
         if p then if q then 1 else 2 else 3
         let a = 1; b = 2 in a + b
         let a = 1; in a
         let a, b = 1, 2 in a
         let x = let y = 1; z = 2 in y in x
         [if t then 1 else 2, 3]
         a and let b = t in b or c",
        expect![[r#"
            (if p x (pair y z))
            (pair (if p x y) z)
            (+ 1 (if p 2 (+ 3 4)))
            (negate (if p 2 3))
            (if p (if q 1 2) 3)
            (let (a 1) (b 2) (+ a b))
            (let (a 1) a)
            (let ((pair a b) (pair 1 2)) a)
            (let (x (let (y 1) (z 2) y)) x)
            (seq (if T 1 (pair 2 3)))
            (and a (let (b T) (or b c)))"#]],
    );
}

#[test]
fn sequences() {
    check_lines(
        "[1]
         [1, 2 + 3, (4, 5)]
         [0:n]
         [0 : n, 1 : 2]
         [x => x : 3]
         [1:2:3:4]
         [1, 2:3]
         [1,]
         [1 2]
         []
         [] int
         []int
         [] [char]
         [] (int, float)
         [] kv(int, a) -> b
         [] int (3)
         [] t
         [] == []
         [] ++ [1]
         a[1][2]
         a[]
         a[0:2]",
        expect![[r#"
            (seq 1)
            (seq 1 (+ 2 3) (pair 4 5))
            (range 0 n)
            (range 0 (pair n 1) 2)
            (range (=> x x) 3)
            (error parse: expected `]`, found `:`)
            (error parse: expected `]`, found `:`)
            (error parse: expected an expression, found `]`)
            (seq (apply 1 2))
            (empty)
            (empty int)
            (empty int)
            (empty (seq char))
            (empty (pair int float))
            (-> (empty (kv (pair int a))) b)
            (apply (empty int) 3)
            (empty t)
            (== (empty) (empty))
            (++ (empty) (seq 1))
            (elt (elt a 1) 2)
            (error parse: expected an index, found `]`)
            (error parse: expected `]`, found `:`)"#]],
    );
}

#[test]
fn apply_to_each() {
    check_lines(
        "{x + 1 : x in s}
         {x, y : x in s; y in t(1) | x > y}
         {v + 1 : v}
         {v}
         {x; y in s | y}
         {v + w : v; w}
         {x in s | c}
         {(a, b) in s}
         {a, b in s}
         {* h(x) : x in s}
         {*x in s}
         {p x : p x in s}
         {let a = 1; b = 2 in a : x in s}
         {if x then 1 else 2, 7 : x in s}
         {x => x : y in s}
         { {a : a in b} : b in c}
         {x in [1] : x}
         {x + 1}
         {x y z}
         {x : _}
         {x : t}
         {x : y z}
         {: x in s}
         {}",
        expect![[r#"
            (each (+ x 1) (x s))
            (each (pair x y) (x s) (y (apply T 1)) (| (> x y)))
            (each (+ v 1) (v v))
            (each (v v))
            (each (x x) (y s) (| y))
            (each (+ v w) (v v) (w w))
            (each (x s) (| c))
            (each ((pair a b) s))
            (each ((pair a b) s))
            (each* (apply h x) (x s))
            (each* (x s))
            (each (apply p x) ((p x) s))
            (each (let (a 1) (b 2) a) (x s))
            (each (if x 1 (pair 2 7)) (x s))
            (each (=> x x) (y s))
            (each (each a (a b)) (b c))
            (error parse: expected `;`, `|` or `}`, found `:`)
            (error parse: expected `in`, found `}`)
            (error parse: expected `in`, found `}`)
            (error parse: expected `in`, found `}`)
            (error parse: expected `in`, found `}`)
            (error parse: expected `in`, found `}`)
            (error parse: expected an expression, found `:`)
            (error parse: expected an expression, found `}`)"#]],
    );
}
