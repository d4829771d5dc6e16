//! Datatypes (LANGUAGE 6).

use super::check;
use expect_test::expect;

#[test]
fn definitions() {
    check(
        "datatype point(int, int); point(1, 2); point; point(1, 2.0); point(1); point(1, 2, 3);
         datatype cplx(a, a) :: (a in number); cplx(1, 2); cplx(1, 2.0); cplx(t, f);
         datatype bag([a]) :: (a in any); bag(\"x\"); datatype pt int; pt(3); pt 4;
         datatype loop(int, loop); datatype nope(a); datatype d(x) :: (y in any);
         datatype phantom(int) :: (a in any); phantom(1);",
        &expect![[r#"
            point : (int, int) -> point
            it : point
            it : (int, int) -> point
            type: `point` takes int, found float
            type: `point` takes (int, int), found int
            type: `point` takes int, found (int, int)
            cplx : (a, a) -> cplx(a) :: (a in number)
            it : cplx(int)
            type: `cplx` takes int, found float
            type: `cplx` takes int or float, found bool
            bag : [a] -> bag(a) :: (a in any)
            it : bag(char)
            pt : int -> pt
            it : pt
            it : pt
            undefined: the datatype `loop` contains itself
            undefined: there is no type `a`
            undefined: there is no type `x`
            phantom : int -> phantom(a) :: (a in any)
            type: nothing determines the type of this value: phantom(a)
        "#]],
    );
}

#[test]
fn patterns() {
    check(
        "datatype point(int, int); datatype other(int, int); datatype bag([a]) :: (a in any);
         function px(point(a, b)) = a;
         let point(a, b) = other(1, 2) in a;
         {a + b : point(a, b) in [point(1, 2)]};
         function un(bag(v)) = v; un(bag([t]));
         point(_, y) = point(5, 6); (bag(s), n) = (bag(\"abc\"), 1); let token(i) = stdin in i;
         stdin;",
        &expect![[r#"
            point : (int, int) -> point
            other : (int, int) -> other
            bag : [a] -> bag(a) :: (a in any)
            px : point -> int
            type: the pattern is for point, the value is other
            it : [int]
            un : bag(a) -> [a] :: (a in any)
            it : [bool]
            point(_, y) : point
            (bag(s), n) : bag(char), int
            undefined: there is no datatype `token`
            it : token
        "#]],
    );
}

#[test]
fn written_arguments() {
    check(
        "datatype kv(a, b) :: (a in any; b in number);
         function g1(x) : kv(int, float) -> int = 1;
         function g2(x) : kv(int, char) -> int = 1;
         function g3(x) : kv(int) -> int = 1;
         function g4(x) : kv -> int = 1;
         function g5(x) : kv(a, b) -> b :: (a in any; b in any) = let kv(_, y) = x in y;
         datatype box(a) :: (a in any);
         function g6(x) : box(int, int) -> int = 1;
         function g7(x) : [token] -> int = #x;",
        &expect![[r#"
            kv : (a, b) -> kv(a, b) :: (a in any; b in number)
            g1 : kv(int, float) -> int
            type: `kv` needs int or float here, found char
            type: `kv` takes 2 type arguments
            type: `kv` takes 2 type arguments
            g5 : kv(a, b) -> b :: (a in any; b in number)
            box : a -> box(a) :: (a in any)
            g6 : box((int, int)) -> int
            g7 : [token] -> int
        "#]],
    );
}

#[test]
fn functions_inside() {
    check(
        "datatype op(int -> int); let op(g) = op(x => x + 1) in g(3); [op(negate)];
         op(negate) == op(abs); datatype box(a) :: (a in any); box(sin); [box(sin)]; [box(1)];
         box(sin) == box(cos); datatype bag([a]) :: (a in any); function b(x) = bag([x]); b(sin);
         datatype two(op, a) :: (a in any); [two(op(negate), 1)];",
        &expect![[r#"
            op : (int -> int) -> op
            it : int
            type: a sequence cannot have functions as elements
            type: functions cannot be compared
            box : a -> box(a) :: (a in any)
            it : box(float -> float)
            type: a sequence cannot have functions as elements
            it : [box(int)]
            type: functions cannot be compared
            bag : [a] -> bag(a) :: (a in any)
            b : a -> bag(a) :: (a in any)
            type: `b` cannot be used with functions
            two : (op, a) -> two(a) :: (a in any)
            type: a sequence cannot have functions as elements
        "#]],
    );
}

#[test]
fn a_new_type_each_time() {
    check(
        "datatype point(int, int); old = point(1, 2); datatype point(int, int);
         point(1, 2) == old; let point(a, b) = old in a;",
        &expect![[r#"
            point : (int, int) -> point
            old : point
            point : (int, int) -> point
            type: `==` needs point here, found point
            type: the pattern is for point, the value is point
        "#]],
    );
}
