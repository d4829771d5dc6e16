//! Run-time errors: what they say, and where.

use crate::session::{check, check_error};
use expect_test::expect;

#[test]
fn messages() {
    check(
        r#"
        1 / 0;
        [1, 2, 3][5];
        index(-1);
        [1:2:0];
        take([1, 2], 3);
        subseq([1, 2], 1, 5);
        zip([1], [2, 3]);
        partition([1, 2], [3, -1]);
        permute([1, 2, 3], [0, 0, 1]);
        permute([1, 2, 3], [0, 1]);
        [1, 2] <- [(2, 0)];
        [1, 2] -> [7];
        code_char(300);
        isqrt(-4);
        lshift(1, -1);
        2 ^ -1;
        rand(0);
        error("this is wrong");
        head_rest([] int);
        median([] float);
        transpose([[1], [2, 3]]);
        "#,
        expect![[r#"
            test:2:9: runtime(divide): 1 is divided by 0
            test:3:9: runtime(index): index 5 is outside a sequence of length 3
            test:4:9: runtime(length): the length -1 is negative
            test:5:9: runtime(range): the step of a range is 0
            test:6:9: runtime(range): 3 is beyond the ends of a sequence of length 2
            test:7:9: runtime(range): 5 is beyond the ends of a sequence of length 2
            test:8:9: runtime(length): the lengths 1 and 2 do not fit
            test:9:9: runtime(length): the length -1 is negative
            test:10:9: runtime(permute): the positions of 3 elements are no permutation: 0 is wrong or repeated
            test:11:9: runtime(permute): the positions of 3 elements are no permutation: 2 is wrong or repeated
            test:12:9: runtime(index): index 2 is outside a sequence of length 2
            test:13:9: runtime(index): index 7 is outside a sequence of length 2
            test:14:9: runtime(domain): 300 is no code of a character: these go from 0 to 255
            test:15:9: runtime(domain): -4 has no square root
            test:16:9: runtime(domain): the shift count -1 is negative
            test:17:9: runtime(domain): the argument -1 is outside the domain of the function
            test:18:9: runtime(domain): the argument 0 is outside the domain of the function
            test:19:9: runtime(user): this is wrong
            test:20:9: runtime(index): index 0 is outside a sequence of length 0
            test:21:9: runtime(index): index 0 is outside a sequence of length 0
            test:22:9: runtime(length): the lengths 1 and 2 do not fit
        "#]],
    );
}

#[test]
fn errors_in_lanes_tell_the_lane() {
    check_error(
        "{{10 / j : j in [i : i + 3]} : i in [3, -1]};",
        expect![[r#"
            error[N0501]: 10 is divided by 0
             --> test:1:3
              |
            1 | {{10 / j : j in [i : i + 3]} : i in [3, -1]};
              |   ^^^^^^
              |
              = note: in element 1 of row 1
        "#]],
    );
    check_error(
        "function deep(n) = {if n == 0 then 1 / i else deep(n - 1)[0] : i in [1, 0]};\ndeep(6);",
        expect![[r#"
            error[N0501]: 1 is divided by 0
             --> test:1:36
              |
            1 | function deep(n) = {if n == 0 then 1 / i else deep(n - 1)[0] : i in [1, 0]};
              |                                    ^^^^^
              |
              = note: in element 1 of row 0 of row 0 of row 0 (3 more around it)
              = note: `deep` is called in `deep` at test:1:47, 6 times
                      `deep` is called at test:2:1
        "#]],
    );
}

#[test]
fn errors_in_the_library_are_at_the_call() {
    check_error(
        "{take([1, 2, 3], n) : n in [1, 9]};",
        expect![[r#"
            error[N0503]: 9 is beyond the ends of a sequence of length 3
             --> test:1:2
              |
            1 | {take([1, 2, 3], n) : n in [1, 9]};
              |  ^^^^^^^^^^^^^^^^^^
              |
              = note: in element 1
        "#]],
    );
    check_error(
        "reduce((a, b) => a / b, 0, [1, 0, 2]);",
        expect![[r#"
            error[N0501]: 1 is divided by 0
             --> test:1:18
              |
            1 | reduce((a, b) => a / b, 0, [1, 0, 2]);
              |                  ^^^^^
              |
              = note: a function is called in `reduce` at test:1:1
        "#]],
    );
    check_error(
        "function pick(a, b) = [a][b];\nreduce(pick, 0, [1, 0, 2]);",
        expect![[r#"
            error[N0502]: index 2 is outside a sequence of length 1
             --> test:1:23
              |
            1 | function pick(a, b) = [a][b];
              |                       ^^^^^^
              |
              = note: `pick` is called in `reduce` at test:2:1
        "#]],
    );
    check_error(
        "let divide = (a, b) => a / b in divide(1, 0);",
        expect![[r#"
            error[N0501]: 1 is divided by 0
             --> test:1:24
              |
            1 | let divide = (a, b) => a / b in divide(1, 0);
              |                        ^^^^^
              |
              = note: a function is called at test:1:33
        "#]],
    );
}

#[test]
fn a_failed_form_binds_nothing() {
    check(
        "(a, b) = (1, 1 / 0);\n3;",
        expect![[r#"
        test:1:14: runtime(divide): 1 is divided by 0
        it = 3 : int
    "#]],
    );
}
