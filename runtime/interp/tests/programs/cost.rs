//! Work and depth of LANGUAGE section 15.

use crate::session::check_cost;
use expect_test::expect;

#[test]
fn expressions() {
    check_cost(
        "
        1;
        (1, 2);
        [1, 2, 3];
        if t then 1 else 2;
        let a = 1 in a;
        1 + 2;
        ",
        expect![[r#"
            it = 1 : int  -- work 1, depth 1
            it = (1, 2) : int, int  -- work 3, depth 3
            it = [1, 2, 3] : [int]  -- work 8, depth 4
            it = 1 : int  -- work 3, depth 3
            it = 1 : int  -- work 3, depth 3
            it = 3 : int  -- work 6, depth 6
        "#]],
    );
}

#[test]
fn lanes_add_work_and_share_depth() {
    check_cost(
        "
        v = [1, 2, 3];
        {x : x in v};
        {x + 1 : x in v};
        {* x + 1 : x in v};
        {x + 1 : x in v | x > 1};
        {{y : y in v} : x in v};
        sum(v);
        sum({x * x : x in v});
        ",
        expect![[r#"
            v = [1, 2, 3] : [int]  -- work 8, depth 4
            it = [1, 2, 3] : [int]  -- work 12, depth 3
            it = [2, 3, 4] : [int]  -- work 27, depth 8
            it = [2, 3, 4] : [int]  -- work 27, depth 20
            it = [3, 4] : [int]  -- work 38, depth 14
            it = [[1, 2, 3], [1, 2, 3], [1, 2, 3]] : [[int]]  -- work 54, depth 5
            it = 6 : int  -- work 7, depth 4
            it = 14 : int  -- work 33, depth 11
        "#]],
    );
}

#[test]
fn ranges_cost_their_parts_and_elements() {
    check_cost(
        "
        [0:10];
        [0:10:3];
        [10:0:-5];
        [5:5];
        [min_int:max_int:max_int];
        [1:1:0];
        iseq(0, 3, 10);
        ",
        expect![[r#"
            it = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] : [int]  -- work 13, depth 3
            it = [0, 3, 6, 9] : [int]  -- work 8, depth 4
            it = [10, 5] : [int]  -- work 9, depth 7
            it = [] : [int]  -- work 3, depth 3
            it = [-9223372036854775808, -1, 9223372036854775806] : [int]  -- work 7, depth 4
            test:7:9: runtime(range): the step of a range is 0
            it = [0, 3, 6, 9] : [int]  -- work 15, depth 11
        "#]],
    );
}

#[test]
fn slices_cost_nothing_per_element() {
    check_cost(
        "
        v = index(1000);
        #take(v, 500);
        #take(v, 5);
        #(v ++ v);
        #sort(v);
        ",
        expect![[r#"
            v = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99,...] : [int]  -- work 1005, depth 4
            it = 500 : int  -- work 62, depth 62
            it = 5 : int  -- work 62, depth 62
            it = 2000 : int  -- work 2009, depth 9
            it = 1000 : int  -- work 10007, depth 16
        "#]],
    );
}
