//! Random numbers depend on the seed and on where they are drawn.

use crate::session::check;
use expect_test::expect;

/// What is said about a function changes none of its numbers.
#[test]
fn documentation_draws_nothing() {
    check(
        "
        function draw(n) = {rand(1000) : i in [0:n]};
        function told(n)
          \"some numbers, each below a thousand\"
          = {rand(1000) : i in [0:n]};
        rand_seed(7); a = draw(4);
        rand_seed(7); a = told(4);
        ",
        expect![[r#"
            it = T : bool
            a = [69, 322, 924, 645] : [int]
            it = T : bool
            a = [69, 322, 924, 645] : [int]
        "#]],
    );
}

#[test]
fn equal_forms_after_equal_seeds() {
    check(
        "
        rand_seed(7);
        a = {rand(1000) : i in [0:5]};
        rand(1.0);
        rand_seed(7);
        b = {rand(1000) : i in [0:5]};
        rand(1.0);
        a == b;
        ",
        expect![[r#"
            it = T : bool
            a = [658, 9, 27, 31, 284] : [int]
            it = 0.2607070451695347 : float
            it = T : bool
            b = [658, 9, 27, 31, 284] : [int]
            it = 0.2607070451695347 : float
            it = T : bool
        "#]],
    );
}

#[test]
fn every_evaluation_draws_its_own() {
    check(
        "
        (rand(1000), rand(1000));
        {rand(1000) : i in [0:4]};
        {rand(1000) : i in [0:4]};
        {{rand(1000) : j in [0:2]} : i in [0:2]};
        function draw(n) = if n == 0 then [] int else [rand(1000)] ++ draw(n - 1);
        draw(3);
        g = n => rand(n);
        (g(1000), g(1000));
        ",
        expect![[r#"
            it = (236, 139) : int, int
            it = [482, 823, 962, 290] : [int]
            it = [274, 137, 194, 70] : [int]
            it = [[583, 345], [705, 611]] : [[int]]
            it = [948, 526, 438] : [int]
            g = fn : a -> a :: (a in number)
            it = (495, 501) : int, int
        "#]],
    );
}

#[test]
fn a_seed_inside_a_form() {
    check(
        "
        let s = rand_seed(7); a = rand(1000); s = rand_seed(7); b = rand(1000) in (a, b);
        function again(n) = rand_seed(n);
        let s = again(7); a = rand(1000); s = again(7); b = rand(1000) in a == b;
        {* let s = rand_seed(i) in rand(1000) : i in [7, 7, 8]};
        ",
        expect![[r#"
            it = (587, 587) : int, int
            it = T : bool
            it = [616, 616, 827] : [int]
        "#]],
    );
}
