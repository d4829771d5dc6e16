//! What expressions mean.

use crate::session::check;
use expect_test::expect;

#[test]
fn functions_and_patterns() {
    check(
        r#"
        function fact(n) = if n == 0 then 1 else n * fact(n - 1);
        fact(20);
        (a, (b, _), c) = (1, (2.5, `x), "s");
        datatype point(int, int);
        function swap(point(x, y)) = point(y, x);
        swap(point(a, 7));
        let x = 1; x = x + 1 in (x, x * x);
        function twice(g) = x => g(g(x));
        twice(twice(x => x + a))(10);
        add = (x, y) => x + y;
        reduce(add, 0, [1:101]);
        (if b > 2.0 then sin else cos)(0.0);
        point;
        function scale(x, by := 10) = x * by;
        (scale(2), scale(2, by := 3));
        "#,
        expect![[r#"
            it = 2432902008176640000 : int
            (a, (b, _), c) = (1, (2.5, `x), "s") : int, (float, char), [char]
            it = point(7, 1) : point
            it = (2, 4) : int, int
            it = 14 : int
            add = fn : (a, a) -> a :: (a in number)
            it = 5050 : int
            it = 0.0 : float
            it = fn : (int, int) -> point
            it = (20, 6) : int, int
        "#]],
    );
}

#[test]
fn apply_to_each() {
    check(
        r#"
        {x * x : x in [1:6]};
        {10 / x : x in [0, 5] | x /= 0};
        {(x, y) : x in [1, 2]; y in "ab"};
        {x in [3, 1, 2] | x > 1};
        v = [1, 2];
        {v + 1 : v};
        {{x * y : y in [0:x]} : x in [0:4]};
        {1 / 0 : x in [] int};
        function down(n) = sum({1 + down(n - 1) : i in [0:n]});
        down(4);
        function count_down(n) = [n] ++ flatten({count_down(m) : m in [n - 1] | n > 0});
        count_down(3);
        {* print_string(@x ++ " ") : x in [1, 2, 3] | x /= 2};
        {sum(row) : row in [[1, 2], [], [3]]};
        {sum(row) : row in [[1.5], []]};
        "#,
        expect![[r#"
            it = [1, 4, 9, 16, 25] : [int]
            it = [2] : [int]
            it = [(1, `a), (2, `b)] : [(int, char)]
            it = [3, 2] : [int]
            v = [1, 2] : [int]
            it = [2, 3] : [int]
            it = [[], [0], [0, 2], [0, 3, 6]] : [[int]]
            it = [] : [int]
            it = 64 : int
            it = [3, 2, 1, 0] : [int]
            1 3 it = [T, T] : [bool]
            it = [3, 0, 3] : [int]
            it = [1.5, 0.0] : [float]
        "#]],
    );
}

#[test]
fn polymorphism_at_run_time() {
    check(
        r#"
        function blank(x) = identity(x);
        (blank(7), blank(2.5), blank("abc"), blank((t, `a)));
        {@s : s in ["", "a"]};
        @([] [int]);
        function text(x) = @x;
        (text(""), text([] int), text(["a"]));
        show_it = x => @x;
        (show_it(""), show_it([] int));
        (p, q) = (x => @x, s => {x : x in s});
        (p("ab"), sum(q([1, 2])));
        unpack([(1, "a")], [f, t]);
        (sum([] float), product([] int), char_code(min_val([] char)), max_val([] float));
        "#,
        expect![[r#"
            it = (0, 0.0, "", F, `\0) : int, float, [char], bool, char
            it = ["", "a"] : [[char]]
            it = "[]" : [char]
            it = ("", "[]", "[\"a\"]") : [char], [char], [char]
            show_it = fn : a -> [char] :: (a in any)
            it = ("", "[]") : [char], [char]
            (p, q) = (fn, fn) : a -> [char], [b] -> [b] :: (a in any; b in any)
            it = ("ab", 3) : [char], int
            it = [(0, ""), (1, "a")] : [(int, [char])]
            it = (0.0, 1, 255, -inf) : float, int, int, float
        "#]],
    );
}

#[test]
fn equality_and_hashes() {
    check(
        r#"
        (nan == nan, 0.0 == -0.0, [1, 2] == [1, 2], ("a", [[1]]) == ("a", [[2]]), [] int == []);
        (hash(5, 1000), hash(0.0, 1000) == hash(-0.0, 1000), hash("ab", 1000), hash([(1, t)], 1000));
        (hash([1, 2], 1000000) == hash([2, 1], 1000000), hash("", 1000000) == hash("a", 1000000));
        "#,
        expect![[r#"
            it = (F, T, T, F, T) : bool, bool, bool, bool, bool
            it = (386, T, 938, 91) : int, bool, int, int
            it = (F, F) : bool, bool
        "#]],
    );
}

#[test]
fn effects_in_order() {
    check(
        r#"
        (print_string("a"), print_line("b"), print(1), printl("c"));
        {print_debug("x = ", x) : x in [1, 2]};
        (value, seconds) = let (v, s) = time(sum([0:1000])) in (v, s < 100.0);
        "#,
        expect![[r#"
            ab
            1 c
            it = (T, T, 1, "c") : bool, bool, int, [char]
            x = 1
            x = 2
            it = [1, 2] : [int]
            (value, seconds) = (499500, T) : int, bool
        "#]],
    );
}

#[test]
fn redefinition() {
    check(
        "
        n = 1;
        function g(x) = x + n;
        n = 10;
        g(0);
        n = 2.5;
        (g(0), n);
        function rev(s) = reverse(s);
        function reverse(s) = s;
        (rev([1, 2]), reverse([1, 2]));
        ",
        expect![[r#"
            n = 1 : int
            n = 10 : int
            it = 10 : int
            n = 2.5 : float
            it = (10, 2.5) : int, float
            it = ([2, 1], [1, 2]) : [int], [int]
        "#]],
    );
}
