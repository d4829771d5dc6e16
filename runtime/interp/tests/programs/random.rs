//! Random numbers depend on the seed and on where they are drawn.

use crate::session::check;
use expect_test::expect;

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
            a = [5, 945, 759, 186, 608] : [int]
            it = 0.5146457851093617 : float
            it = T : bool
            b = [5, 945, 759, 186, 608] : [int]
            it = 0.5146457851093617 : float
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
            it = (944, 687) : int, int
            it = [521, 149, 199, 816] : [int]
            it = [57, 757, 401, 623] : [int]
            it = [[451, 720], [274, 632]] : [[int]]
            it = [636, 994, 614] : [int]
            g = fn : a -> a :: (a in number)
            it = (595, 276) : int, int
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
            it = (998, 998) : int, int
            it = T : bool
            it = [45, 45, 606] : [int]
        "#]],
    );
}
