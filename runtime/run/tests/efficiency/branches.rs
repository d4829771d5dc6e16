//! Choices and recursion cost what is chosen.

use crate::measure::{Measure, ROWS, check_constant, measure};

#[test]
fn an_arm_without_lanes_does_nothing() {
    let given = "rows = {{i * k : i in [0:n]} : k in [0:30]};
                 none = {#r < 0 : r in rows};";
    let arms = "{if p then sum({x * x : x in sort(r)}) else #r : r in rows; p in none}";
    check_constant(given, arms, 600);
    let arms = "{if p then #r else sum({x * x : x in sort(r)})
                : r in rows; p in {not(p) : p in none}}";
    check_constant(given, arms, 600);
}

#[test]
fn arms_that_look_into_one_pool_copy_nothing() {
    let slices = "{(if p then take(r, 3) else drop(r, 3))[1] : r in rows; p in ps}";
    check_constant(ROWS, slices, 900);
    let nested = "{let s = if p then (if #r > 3 then take(r, 3) else r) else r in s[1] + #s
                  : r in rows; p in ps}";
    check_constant(ROWS, nested, 1500);
    let pairs = "{let (a, i) = if p then (take(r, 3), 1) else (r, 2) in a[i] : r in rows; p in ps}";
    check_constant(ROWS, pairs, 900);
    let cubes = "cubes = {{{i : i in [0:n]} : j in [0:3]} : k in [0:30]};
                 ps = {rem(k, 2) == 0 : k in [0:30]};";
    let levels = "{(if p then c else take(c, 2))[1][2] : c in cubes; p in ps}";
    check_constant(cubes, levels, 1000);
    let levels = "{(if p then c else {take(r, 5) : r in c})[1][2] : c in cubes; p in ps}";
    check_constant(cubes, levels, 2500);
}

/// Where the arms of an `if` in lanes, or a call and what it is given, look into different pools,
/// the sequences that are chosen are copied, though the cost model gives an `if` O(1).
#[test]
fn arms_that_look_into_different_pools_copy_what_is_chosen() {
    let given = "rows = {{i * k : i in [0:n]} : k in [0:30]}; more = {reverse(r) : r in rows};
                 ps = {rem(k, 2) == 0 : k in [0:30]};
                 function down(v, k) = if k == 0 then v else down(v, k - 1);";
    for (expression, copies) in [
        ("{(if p then r else q)[5] : r in rows; q in more; p in ps}", 1),
        ("{(if p then take(r, 10) else take(q, 10))[5] : r in rows; q in more; p in ps}", 0),
        ("{down(r, 5)[3] : r in rows}", 5),
    ] {
        for n in [1 << 8, 1 << 12] {
            let Measure { touched, .. } = measure(n, given, expression);
            // An element copied is five reads of descriptors and elements, and a write.
            let most = 6 * copies * 30 * n as u64 + 6000;
            assert!(touched <= most, "{expression}: {touched} elements at {n}");
        }
    }
}

#[test]
fn recursion_ends_where_no_lane_recurs() {
    let given = "function deep(r, k) = if k == 0 then #r
                                       else sum({deep({x * x : x in sort(r)}, k - 1) : i in [0:2]});
                 rows = {{i * k : i in [0:n]} : k in [0:30]};";
    check_constant(given, "{deep(r, 0) : r in rows}", 600);
}
