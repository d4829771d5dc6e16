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

/// Sequences of a pool each, and where all lanes of each choose.
const TWO: &str = "rows = {{i * k : i in [0:n]} : k in [0:30]}; more = {reverse(r) : r in rows};
                   cubes = {{reverse(r) : j in [0:3]} : r in rows}; dice = {[r, q] : r in rows; q in more};
                   ps = {rem(k, 2) == 0 : k in [0:30]}; qs = {rem(k, 3) == 0 : k in [0:30]};";

#[test]
fn arms_that_look_into_different_pools_copy_nothing() {
    for expression in [
        "{(if p then r else q)[5] : r in rows; q in more; p in ps}",
        "{#(if p then r else q) : r in rows; q in more; p in ps}",
        "{take((if p then take(r, 10) else take(q, 10)), 6)[5] : r in rows; q in more; p in ps}",
        "{let s = if p then r else q; u = if b then s else rows[3] in u[5] + #s
          : r in rows; q in more; p in ps; b in qs}",
        "{(if p then (if b then r else q) else reverse(take(q, 9)))[5]
          : r in rows; q in more; p in ps; b in qs}",
        "{let (s, i) = if p then (r, 2) else (q, 3) in s[i] : r in rows; q in more; p in ps}",
        "let chosen = {if p then r else q : r in rows; q in more; p in ps} in
         {chosen[i][5] : i in [0:#chosen]}",
        "let chosen = {if p then r else q : r in rows; q in more; p in ps} in
         {sum(take(r, 3)) : r in reverse(chosen)}",
        "{let s = if p then r else q in if b then s[3] else (if #s > 5 then s[5] else 7)
          : r in rows; q in more; p in ps; b in qs}",
        "{let s = if p then r else q in sum({take(s, 4)[i] : i in [0:3]})
          : r in rows; q in more; p in ps}",
        "{(if p then c else d)[1][5] : c in cubes; d in dice; p in ps}",
        "{let c = if p then c else d in if b then c[1][5] else #c
          : c in cubes; d in dice; p in ps; b in qs}",
        "{[r, q][i][5] : r in rows; q in more; i in {rem(k, 2) : k in [0:30]}}",
        "{(c ++ d)[4][5] : c in cubes; d in dice}",
        "(rows ++ more)[40][5]",
        "(rows <- [(3, more[4]), (5, rows[1])])[5][5]",
    ] {
        check_constant(TWO, expression, 4000);
    }
}

#[test]
fn results_that_lie_in_arguments_are_not_copied() {
    let given = "rows = {{i * k : i in [0:n]} : k in [0:30]}; more = {reverse(r) : r in rows};
                 ps = {rem(k, 2) == 0 : k in [0:30]};
                 function down(v, k) = if k == 0 then v else down(drop(v, 1), k - 1);
                 function halves(v, k) = if k == 0 then [take(v, #v / 2), drop(v, #v / 2)]
                                         else halves(take(v, #v - 2), k - 1);
                 function pick(v, i) = if i < 5 then v[i] else pick(v, i - 5);
                 function both(v, w, k) = if k == 0 then (v, #w) else both(v, drop(w, 1), k - 1);";
    for expression in [
        "{down(r, 5)[3] : r in rows}",
        "down(rows[3], 5)[3]",
        "(if #ps > 7 then down(rows[3], 5) else rows[4])[3]",
        "{#down((if p then r else take(r, 20)), 5) : r in rows; p in ps}",
        "{halves(r, 5)[1][3] : r in rows}",
        "{pick(rows, i)[3] : i in [0:30]}",
        "{let (v, k) = both(r, q, 5) in v[k - 10] : r in rows; q in more}",
        "{down((if p then down(r, 2) else down(down(r, 1), 3)), 1)[3] : r in rows; p in ps}",
    ] {
        check_constant(given, expression, 20000);
    }
}

/// A recursive function is given one pool: a choice between several is copied to one.
#[test]
fn choices_that_recursion_is_given_are_copied() {
    let given = "rows = {{i * k : i in [0:n]} : k in [0:30]}; more = {reverse(r) : r in rows};
                 function last(v, w, k) = if k == 0 then #v
                                          else last((if rem(k, 2) == 1 then v else w), w, k - 1);";
    let expression = "{last(r, q, 5) : r in rows; q in more}";
    for n in [1 << 8, 1 << 12] {
        let Measure { touched, .. } = measure(n, given, expression);
        // An element copied is five reads of descriptors and elements, and a write.
        let most = 6 * 5 * 30 * n as u64 + 6000;
        assert!(touched <= most, "{expression}: {touched} elements at {n}");
    }
}

#[test]
fn recursion_ends_where_no_lane_recurs() {
    let given = "function deep(r, k) = if k == 0 then #r
                                       else sum({deep({x * x : x in sort(r)}, k - 1) : i in [0:2]});
                 rows = {{i * k : i in [0:n]} : k in [0:30]};";
    check_constant(given, "{deep(r, 0) : r in rows}", 600);
}
