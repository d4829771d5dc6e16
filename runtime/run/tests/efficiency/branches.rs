//! Choices and recursion cost what is chosen.

use crate::measure::{Measure, ROWS, check_constant, measure, with_noise};

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

/// What [`TWO`] has, and functions that call themselves with choices between their arguments.
const CALLED: &str = "
    function last(v, w, k) = if k == 0 then #v
                             else last((if rem(k, 2) == 1 then v else w), w, k - 1);
    function swapped(v, w, k) = if k == 0 then v[5] - #w else swapped(w, v, k - 1);
    function halved(v, w, x) = if #v < 2 then v[0] else
        let (a, b) = if x < v[#v / 2] then (take(v, #v / 2), drop(w, #w / 2))
                     else (drop(v, #v / 2), take(w, #w / 2))
        in if rem(#v, 3) == 0 then halved(b, a, x) else halved(a, b, x);
    function three(u, v, w, k) = if k == 0 then u[3] + v[4] + w[5]
        else three((if rem(k, 3) == 1 then w else u), (if rem(k, 2) == 1 then u else v), w, k - 1);
    function even(v, w, k) : ([int], [int], int) -> int;
    function odd(v, w, k) = if k == 0 then v[5] else even((if #v > 9 then w else v), v, k - 1);
    function even(v, w, k) : ([int], [int], int) -> int =
        if k == 0 then w[7] else odd(w, (if rem(k, 4) == 1 then v else w), k - 1);
    function at(v, i) = if i < 5 then v[i] else at(v, i - 5) + at(take(v, 20), i - 5);
    function inside(d, i) = if i < 5 then d[1][i] else inside(d, i - 5) + inside(take(d, 2), 0);
    function row(d, i) = if i < 2 then #d[i] else row(reverse(d), i - 1);
    function tree(k, v, w) = if k == 0 then v[5] else
        sum({tree(k - 1, (if i == 0 then v else w), w) : i in [0:2]});
    function marked(a, v, w) = if #a < 2 then {x + v[5] : x in a} else
        marked(take(a, #a / 2), w, (if #a > 10 then v else w)) ++ marked(drop(a, #a / 2), v, w);";

#[test]
fn recursion_is_given_choices_without_a_copy() {
    for expression in [
        "{last(r, q, 5) : r in rows; q in more}",
        "last(rows[3], more[4], 5)",
        "{last((if p then r else q), r, 6) : r in rows; q in more; p in ps}",
        "{last((if p then rows[2] else more[3]), r, 6) : r in rows; p in ps}",
        "{last(chosen[3], r, 5) : r in rows}",
        "last(chosen[3], chosen[4], 5)",
        "{swapped(r, q, 7) : r in rows; q in more}",
        "{swapped((if p then r else q), r, 7) : r in rows; q in more; p in ps}",
        "swapped(chosen[1], rows[2], 7)",
        "{three(r, q, c[1], 7) : r in rows; q in more; c in cubes}",
        "{three((if p then r else q), c[1], (if p then q else r), 7)
          : r in rows; q in more; c in cubes; p in ps}",
        "{even(r, q, 6) + odd(q, r, 5) : r in rows; q in more}",
        "{even((if p then r else q), q, 6) : r in rows; q in more; p in ps}",
        "{at((if p then r else q), 23) : r in rows; q in more; p in ps}",
        "at(chosen[3], 23)",
        "{inside((if p then c else d), 13) : c in cubes; d in dice; p in ps}",
        "{row((if p then c else d), 5) : c in cubes; d in dice; p in ps}",
        "{inside((if p then c else [r, chosen[4], r]), 8) : c in cubes; r in rows; p in ps}",
        "{row(chosen, i) : i in [0:5]}",
        "row(chosen, 4)",
        "{at(chosen[i], 13) : i in [0:30]}",
        "{if i > 3 then inside(chosen, i) else chosen[i][5] : i in [0:12]}",
        "{tree(3, r, q) : r in rows; q in more}",
        "{sum(marked([0:12], r, q)) : r in rows; q in more}",
        "marked([0:12], rows[3], more[4])[3]",
    ] {
        check_constant(&with_called(), expression, 60000);
    }
}

/// Whether such lanes run one by one depends on how long their sequences are, and so does how often
/// descriptors are read.
#[test]
fn recursion_in_few_lanes_is_given_choices_without_a_copy() {
    for n in [1 << 10, 1 << 14] {
        let Measure { touched, .. } = measure(n, &with_called(), "tree(3, rows[3], more[4])");
        assert!(touched <= 1000, "{touched} elements at {n}");
    }
}

fn with_called() -> String {
    format!("{TWO} chosen = {{if p then r else q : r in rows; q in more; p in ps}}; {CALLED}")
}

/// What is halved at each call, the elements seen on the way.
#[test]
fn recursion_over_chosen_halves_takes_a_step_a_half() {
    let steps = |n| {
        let expression = "{halved(r, q, 40) : r in rows; q in more}";
        measure(n, &with_called(), expression).touched
    };
    let [small, large] = [1 << 10, 1 << 14].map(steps);
    // 14 halves instead of 10.
    assert!(large <= small * 14 / 10 + 500, "{small} elements, then {large}");
}

#[test]
fn recursion_hands_up_choices_without_a_copy() {
    let given = format!(
        "{} function pick(v, w, k) = if k == 0 then v else pick(w, v, k - 1);
         function either(v, w, k) = if k == 0 then (if #v > 30 then v else w)
                                    else either((if rem(k, 2) == 1 then v else w), v, k - 1);
         function found(v, w, k) = if v[k] < k then drop(v, 1) else if w[k] > 40 then take(w, 9)
                                   else found(drop(w, 1), v, k + 1);
         function both(v, w, k) = if k == 0 then ((v, k), w) else let ((a, n), b) = both(w, v, k - 1)
                                  in if rem(k, 2) == 1 then ((b, n + 1), a) else ((a, n), a);
         function halves(v, w, k) = if k == 0 then [take(v, #v / 2), w, drop(v, 5)]
                                    else halves(w, v, k - 1);
         function element(d, e, k) = if k == 0 then d[1] else element(e, d, k - 1);
         function on(v, w, k) : ([int], [int], int) -> [int];
         function off(v, w, k) = if k == 0 then w else on(v, w, k - 1);
         function on(v, w, k) : ([int], [int], int) -> [int] =
             if k == 0 then v else off(w, v, k - 1);
         function some(v, k) = if k == 0 then {{x + 1 : x in take(v, 9)}}
                               else if k == 1 then v else some(drop(v, 1), k - 2);",
        with_called()
    );
    for expression in [
        "{pick(r, q, 5)[5] : r in rows; q in more}",
        "{pick(r, q, rem(#r + i, 7))[5] : r in rows; q in more; i in [0:30]}",
        "pick(rows[3], more[4], 5)[5]",
        "{pick(pick(r, q, 3), pick(q, r, 4), i)[5] : r in rows; q in more; i in [0:30]}",
        "{pick((if p then r else q), c[1], 5)[5] : r in rows; q in more; c in cubes; p in ps}",
        "{either(r, q, 5)[5] : r in rows; q in more}",
        "either(rows[3], more[4], 5)[5]",
        "(if #ps > 7 then either(rows[3], more[4], 5) else rows[4])[5]",
        "{found(r, q, 0)[5] : r in rows; q in more}",
        "{let ((v, k), w) = both(r, q, 5) in v[5] + w[6] + k : r in rows; q in more}",
        "let ((v, k), w) = both(rows[3], more[4], 5) in v[5] + w[6] + k",
        "{halves(r, q, 5)[1][5] : r in rows; q in more}",
        "halves(rows[3], more[4], 5)[1][5]",
        "{element(c, d, 5)[5] : c in cubes; d in dice}",
        "{element(d, [q, r], i)[5] : r in rows; q in more; d in dice; i in [0:30]}",
        "element(cubes[1], dice[2], 5)[5]",
        "{on(r, q, i)[5] + off(q, r, 3)[6] : r in rows; q in more; i in [0:30]}",
        "on(rows[3], more[4], 5)[5]",
        "{some(r, 5)[5] : r in rows}",
        "{some(r, rem(i, 2) + 4)[5] : r in rows; i in [0:30]}",
        "some(rows[3], 5)[5]",
        "last(pick(rows[3], more[4], 5), either(rows[3], more[4], 5), 3)",
        "{last(pick(r, q, 5), either(r, q, 5), 3) : r in rows; q in more}",
    ] {
        check_constant(&given, expression, 60000);
    }
}

/// Lanes that end at many depths cost what the same lanes cost that end at few: what is handed up
/// is moved once.  A function that sorts does not run lane by lane.
#[test]
fn results_made_at_several_depths_are_not_copied_again() {
    let given = "rows = {[i:n + i] : i in [0:32]}; flat = [0:n];
        function down(v, k) = if k == 0 then {x + 1 : x in v} else if #v == 1 then sort(v)
                              else down(v, k - 1);
        function pairs(v, k) = if k == 0 then {(x, x > 5) : x in v}
                               else if #v == 1 then {(x, t) : x in sort(v)} else pairs(v, k - 1);
        function some(v, k) = if k == 0 then {x + 1 : x in v} else if k == 1 then v
                              else if #v == 1 then sort(v) else some(v, k - 2);
        function text(v, k) = if k == 0 then (#v, {`a : x in v})
                              else if #v == 1 then (1, {`b : x in sort(v)}) else text(v, k - 1);
        function nested(v, k) = if k == 0 then [{x + 1 : x in v}, [k], v]
                                else if #v == 1 then [sort(v), v] else nested(v, k - 1);
        function inside(v, k) = if k == 0 then [([`a], [{x + 1 : x in v}])]
                                else if #v == 1 then [([`b], [sort(v)])] else inside(v, k - 1);";
    for expression in [
        "{down(r, rem(i, d))[5] : r in rows; i in [0:32]}",
        "{pairs(r, rem(i, d))[5] : r in rows; i in [0:32]}",
        "{some(r, rem(i, d))[5] : r in rows; i in [0:32]}",
        "{let (k, s) = text(r, rem(i, d)) in s[5] : r in rows; i in [0:32]}",
        "{nested(r, rem(i, d))[0][5] : r in rows; i in [0:32]}",
        "{let (s, m) = inside(r, rem(i, d))[0] in m[0][5] : r in rows; i in [0:32]}",
    ] {
        let [few, many] = [2, 32].map(|depths| {
            let given = format!("d = {depths}; {given}");
            measure(1 << 12, &given, expression).touched
        });
        // Where a pool grows, it is moved as often as its length doubles.
        assert!(many <= few * 3 / 2 + 60_000, "{expression}: {few} elements, then {many}");
        assert!(few > 30 << 12, "{expression}: {few} elements");
    }
}

/// Of sequences of sequences that come from below, not even the descriptors are read at each depth.
#[test]
fn rows_from_below_are_not_looked_through() {
    let given = "lines = {[i:n + i] : i in [0:32]};
        function last(v, k) = if k == 0 then {[x, x + 1] : x in v}
            else if #v == 1 then {sort([x]) : x in v} else last(v, k - 1);
        function after(v, k) = if k == 0 then {[x, x + 1] : x in v}
            else if #v == 1 then {sort([x]) : x in v}
            else let r = after(v, k - 1) in (if #r > 3 then r else []);
        function counted(v, k) = if k == 0 then ({[x, x + 1] : x in v}, 1)
            else if #v == 1 then ({sort([x]) : x in v}, 2)
            else let (r, d) = counted(v, k - 1) in (r, d + 1);
        function deeper(v, k) = if k == 0 then {[[x], [x, x + 1]] : x in v}
            else if #v == 1 then {[sort([x])] : x in v} else deeper(v, k - 1);
        function odd(v, k) : ([int], int) -> [[int]];
        function even(v, k) : ([int], int) -> [[int]] = if k == 0 then {[x, x + 1] : x in v}
            else if #v == 1 then {sort([x]) : x in v}
            else if rem(v[0] + k, 2) == 0 then even(v, k - 1) else odd(v, k - 1);
        function odd(v, k) : ([int], int) -> [[int]] = if k == 0 then {[x, x + 1] : x in v}
            else if #v == 1 then {sort([x]) : x in v}
            else if rem(v[0] + k, 3) == 0 then even(v, k - 1) else odd(v, k - 1);";
    for expression in [
        "{#last(v, d) : v in lines}",
        "{#after(v, d) : v in lines}",
        "{let (r, d) = counted(v, d) in #r + d : v in lines}",
        "{#deeper(v, d) : v in lines}",
        "{#even(v, d) : v in lines}",
    ] {
        let [few, many] = [4, 40].map(|depths| {
            let given = format!("d = {depths}; {given}");
            measure(1 << 12, &given, expression).touched
        });
        assert!(many <= few * 11 / 10, "{expression}: {few} elements, then {many}");
    }
}

/// Two functions that call each other in the arms of an `if` are one call at each depth, be there
/// ever more ways in which lanes have gone.
#[test]
fn arms_that_call_two_functions_share_a_call() {
    let given = "function odd(w, x, k) : ([int], int, int) -> [int];
        function even(v, k) : ([int], int) -> [int] =
            if #v == 1 then sort(v) else if k == 0 then {x + 1 : x in v}
            else if noise(v[0] + k, 100) < 50 then even(v, k - 1) else odd(v, k, k - 1);
        function odd(w, x, k) : ([int], int, int) -> [int] =
            if #w == 1 then sort(w) else if k == 0 then {y * 2 + x : y in w}
            else if noise(w[0] * 7 + k, 100) < 50 then even(w, k - 1) else odd(w, x + 1, k - 1);";
    let given = with_noise(&format!("{given} rows = {{[i * 31:i * 31 + 5] : i in [0:200]}};"));
    let [few, many] =
        [6, 24].map(|k| measure(1, &given, &format!("{{even(v, {k})[0] : v in rows}}")).launches);
    assert!(many <= 5 * few, "{few} launches, then {many}");
}

/// What two functions hand up that call each other is moved as often as sizes double, not at each
/// depth.
#[test]
fn results_of_two_functions_are_not_copied_at_each_depth() {
    let given = "rows = {[i:n + i] : i in [0:32]};
        function odd(v, k) : ([int], int) -> [int];
        function even(v, k) : ([int], int) -> [int] =
            if #v == 1 then sort(v) else if k == 0 then {x + 1 : x in v}
            else if rem(v[0] + k, 2) == 0 then even(v, k - 1) else odd(v, k - 1);
        function odd(v, k) : ([int], int) -> [int] =
            if #v == 1 then sort(v) else if rem(v[0] * 7 + k, 9) == 0 then {x * 2 : x in v}
            else if rem(v[0] + k, 3) == 0 then even(v, k - 1) else odd(v, k - 1);
        function others(v, k) : ([int], int) -> [[int]];
        function lists(v, k) : ([int], int) -> [[int]] =
            if #v == 1 then [sort(v)] else if k == 0 then [{x + 1 : x in v}, [k]]
            else if rem(v[0] + k, 2) == 0 then lists(v, k - 1) else others(v, k - 1);
        function others(v, k) : ([int], int) -> [[int]] =
            if #v == 1 then [sort(v)] else if rem(v[0] * 7 + k, 9) == 0 then [v, [k], {x * 2 : x in v}]
            else if rem(v[0] + k, 3) == 0 then lists(v, k - 1) else others(v, k - 1);";
    for expression in ["{even(r, d)[5] : r in rows}", "{lists(r, d)[0][5] : r in rows}"] {
        let [few, many] = [6, 24].map(|depths| {
            let given = format!("d = {depths}; {given}");
            measure(1 << 12, &given, expression).touched
        });
        assert!(many <= few * 3 / 2, "{expression}: {few} elements, then {many}");
        assert!(few > 30 << 12, "{expression}: {few} elements");
    }
}

/// What a recursion makes at each depth and hands on, or what it was given: where few elements are
/// made, few are touched, however large what is kept is.  A function that sorts does not run lane
/// by lane.
#[test]
fn recursion_that_makes_and_keeps_copies_nothing() {
    let called = "few = {[k, 1, 2, 3, 4, 5] : k in [0:30]};
        function rare(v, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            rare((if k == 3 then [k, 1, 2, 3, 4, v[0]] else v), k - 1);
        function often(v, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            often((if rem(v[0], 2) == 0 then v else [k, 1, 2, 3, 4, v[0]]), k - 1);
        function two(v, w, k) = if k == 0 then v[5] + w[5] else if #v == 1 then sort(v)[0] else
            two((if rem(k, 2) == 0 then [k, 1, 2, 3, 4, v[0]] else w),
                (if rem(k, 3) == 0 then [k, 1, 2, 3, 4, w[0]] else v), k - 1);
        function pairs(v, k) = if k == 0 then (let (x, _) = v[5] in x)
            else if #v == 1 then #sort({x : (x, _) in v}) else
            pairs((if rem(k, 3) == 0 then {(k + i, 1.5) : i in [0:6]} else v), k - 1);
        function after(v, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            let r = after((if rem(k, 2) == 0 then [k, 1, 2, 3, 4, v[0]] else v), k - 1)
            in r + v[5];
        function tree(v, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            let w = if rem(k, 2) == 0 then [k, 1, 2, 3, 4, v[0]] else v
            in sum({tree((if i == 0 then v else w), k - 1) : i in [0:2]});
        function back(v, k) = if k == 0 then v else if #v == 1 then sort(v) else
            back((if rem(k, 7) == 0 then [k, 1, 2, 3, 4, v[0]] else v), k - 1);
        function ping(v, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            pong((if rem(k, 3) == 0 then [k, 1, 2, 3, 4, v[0]] else v), v, k - 1);
        function pong(v, w, k) = if k == 0 then w[5] else if #v == 1 then sort(v)[0] else
            ping((if rem(k, 5) == 0 then w else v), k - 1);
        function walk(c, v, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            walk(c, (if rem(k, 3) == 0 then c[rem(k, 2)]
                     else if rem(k, 5) == 0 then [k, 1, 2, 3, 4, v[0]] else v), k - 1);
        function lists(c, d, k) = if k == 0 then c[0][5] else if #c == 9 then sort(c[0])[0] else
            lists((if rem(k, 3) == 0 then d else c), c, k - 1);
        function tables(c, k) = if k == 0 then c[0][5] else if #c == 9 then sort(c[0])[0] else
            tables((if rem(k, 3) == 0 then [c[1], [k, 1, 2, 3, 4, 5]] else c), k - 1);
        function beside(c, v, k) = if k == 0 then c[0][5] + v[5] else if #c == 9 then sort(c[0])[0] else
            beside((if rem(k, 3) == 0 then [v, c[0]] else c),
                (if rem(k, 5) == 0 then c[1] else if rem(k, 7) == 0 then [k, 1, 2, 3, 4, 5] else v), k - 1);
        function replaced(a, k) = if k == 0 then a[0][0] else if #a == 9 then sort(a[0])[0] else
            replaced(a <- [(rem(k, #a), [k, 1, 2, 3, 4, a[1][0]])], k - 1);
        function moved(a, k) = if k == 0 then a[0][0] else if #a == 9 then sort(a[0])[0] else
            moved((if rem(k, 3) == 0 then a <- [(rem(k, #a), a[rem(k * 7, #a)])]
                   else if rem(k, 3) == 1 then a else [[k]] ++ take(a, #a - 1)), k - 1);
        function state(a, s, k) = if k == 0 then a[0][0] + #s else if #a == 9 then sort(a[0])[0] else
            if rem(k, 4) == 1 then state(a <- [(0, s)], a[rem(k, #a)], k - 1)
            else if rem(k, 4) == 2 then state(a, [k, #s], k - 1)
            else state((if #s < 3 then [s] ++ take(a, #a - 1) else a), s, k - 1);
        function goes_on(c, k) = if k == 0 then c[0][5] else if #c == 9 then sort(c[0])[0] else
            let r = goes_on((if rem(k, 3) == 0 then [[k, 1, 2, 3, 4, 5], c[0]] else c), k - 1)
            in r + c[1][5];";
    let given = format!("{TWO} {called}");
    for expression in [
        "{rare(r, 40) : r in rows}",
        "{often(r, 40) : r in rows}",
        "{often((if p then r else q), 40) : r in rows; q in more; p in ps}",
        "{two(r, q, 40) : r in rows; q in more}",
        "{two(r, few[3], 40) : r in rows}",
        "{pairs((if p then {(x, 1.0) : x in s} else {(x, 2.0) : x in few[4]}), 20)
          : s in few; p in ps}",
        "{after(r, 40) : r in rows}",
        "{tree(r, 5) : r in rows}",
        "{#back(s, 12) : s in few}",
        "{walk(c, r, 40) : c in cubes; r in rows}",
        "{walk((if p then c else d), r, 40) : c in cubes; d in dice; r in rows; p in ps}",
        "{lists(c, d, 40) : c in cubes; d in dice}",
        "{tables(c, 40) : c in cubes}",
        "{tables((if p then c else d), 40) : c in cubes; d in dice; p in ps}",
        "{beside(c, r, 40) : c in cubes; r in rows}",
        "{goes_on(c, 40) : c in cubes}",
        "replaced(rows, 40)",
        "moved(rows, 40)",
        "state(rows, [1], 40)",
        "{replaced(c, 40) : c in cubes}",
        "{moved(c, 40) : c in cubes}",
        "{state(c, [1], 40) : c in cubes}",
        "{ping(r, 30) : r in rows}",
        "{ping((if p then r else s), 30) + often(s, 30) : r in rows; s in few; p in ps}",
    ] {
        check_constant(&given, expression, 300_000);
    }
}

/// What a recursion passes on as it was given it, beside what it makes and keeps, is handed up
/// without a copy.
#[test]
fn what_a_recursion_only_passes_on_is_not_copied() {
    let called = "
        function seek(v, w, k) = if k == 0 then (if #w > 3 then v else w)
            else if #v == 1 then sort(v) else seek(v, (if rem(k, 3) == 0 then w ++ [k] else w), k - 1);
        function rest(v, w, k) = if k == 0 then v else if #v == 1 then sort(w) else
            rest(drop(v, 1), (if rem(k, 3) == 0 then w ++ [k] else w), k - 1);
        function row(c, w, k) = if k == 0 then (if #w > 3 then c[rem(#w, 2)] else w)
            else if #w == 30 then sort(w) else row(c, (if rem(k, 3) == 0 then w ++ [k] else w), k - 1);
        function turns(u, v, w, k) = if k == 0 then (u, w) else if #v == 1 then (sort(v), w) else
            turns(v, u, (if rem(k, 3) == 0 then w ++ [k] else w), k - 1);
        function to(p, w, k) : ((int, [int]), [int], int) -> [int];
        function fro(v, w, k) = if k == 0 then v else if #v == 1 then sort(v) else
            to((k, v), (if rem(k, 3) == 0 then w ++ [k] else w), k - 1);
        function to(p, w, k) : ((int, [int]), [int], int) -> [int] =
            if k == 0 then w else let (_, v) = p in fro(v, (if rem(k, 5) == 0 then w else [k]), k - 1);
        function lists(c, w, k) = if k == 0 then (if #w > 3 then c else [w])
            else if #w == 30 then [sort(w)]
            else lists(c, (if rem(k, 3) == 0 then w ++ [k] else w), k - 1);";
    let given = format!("{TWO} few = {{[k, 1, 2, 3, 4, 5] : k in [0:30]}}; {called}");
    for expression in [
        "{seek(r, [1], 20)[0] : r in rows}",
        "{seek(rows[3], s, k)[0] : s in few; k in [0:30]}",
        "{seek((if p then r else q), [1], k)[0] : r in rows; q in more; p in ps; k in [0:30]}",
        "{rest(r, s, 20)[0] : r in rows; s in few}",
        "{row(c, [1], k)[0] : c in cubes; k in [0:30]}",
        "{row((if p then c else d), [1], k)[0] : c in cubes; d in dice; p in ps; k in [0:30]}",
        "{let (u, w) = turns(r, q, [1], k) in u[0] + #w : r in rows; q in more; k in [0:30]}",
        "{fro(r, s, k)[0] : r in rows; s in few; k in [0:30]}",
        "{#lists(c, [1], k)[0] : c in cubes; k in [0:30]}",
    ] {
        check_constant(&given, expression, 100_000);
    }
}

/// Of what a recursion makes, only what is looked at is kept, and a little more.
#[test]
fn what_a_recursion_does_not_need_any_more_is_given_up() {
    let given = "rows = {[i:n + i] : i in [0:30]};
        function steps(v, k) = if k == 0 then sum(v) else if #v == 1 then sort(v)[0] else
            steps((if rem(v[0] + k, 3) == 0 then v else {x + 1 : x in v}), k - 1);";
    let [few, many] =
        [6, 60].map(|k| measure(1 << 10, given, &format!("{{steps(r, {k}) : r in rows}}")));
    assert!(many.touched <= 12 * few.touched, "{} elements, then {}", few.touched, many.touched);
    assert!(many.peak <= 2 * few.peak, "{} bytes, then {}", few.peak, many.peak);
}

/// The same of sequences in those that a recursion hands on.
#[test]
fn rows_that_a_recursion_does_not_need_any_more_are_given_up() {
    let given = "rows = {[i:n + i] : i in [0:30]}; tables = {[r, take(r, n / 2)] : r in rows};
        function steps(a, k) = if k == 0 then a[0][n / 3] else if #a == 9 then sort(a[0])[0] else
            steps((if rem(k, 5) == 0 then a else a <- [(rem(k, #a), {x + 1 : x in a[0]})]), k - 1);";
    for called in ["steps(rows, 2 * k)", "{steps(a, k) : a in tables}"] {
        let [few, many] = [60, 600].map(|k| {
            let expression = called.replace('k', &k.to_string());
            measure(1 << 10, given, &expression)
        });
        assert!(
            many.touched <= 14 * few.touched,
            "{} elements, then {}",
            few.touched,
            many.touched
        );
        assert!(many.peak <= 3 * few.peak, "{} bytes, then {}", few.peak, many.peak);
    }
}

/// Whoever calls goes on with what it knows, which is not copied for it.
#[test]
fn recursion_that_is_not_the_last_thing_copies_nothing() {
    let given = "rows = {[i:n + i] : i in [0:30]};
        function once(v, j, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            if k > 100 then once(reverse(v), j, k - 100) else
            let r = once((if rem(j, 2) == 0 then [k, 1, 2, 3, 4, v[0]] else v), j, k - 1) in r + v[5];
        function twice(v, j, k) = if k == 0 then v[5] else if #v == 1 then sort(v)[0] else
            if k > 100 then twice(reverse(v), j, k - 100) else
            let r = twice((if rem(j, 2) == 0 then [k, 1, 2, 3, 4, v[0]] else v), j, k - 1);
                q = twice((if rem(j, 3) == 0 then [k, 1, 2, 3, 4, v[0]] else v), j, k - 1)
            in r + q + v[5];";
    for (name, few, many) in [("once", 104, 140), ("twice", 103, 106)] {
        let [few, many] = [few, many].map(|k| {
            let expression = format!("{{{name}(r, j, {k}) : r in rows; j in [0:30]}}");
            let [small, large] = [1 << 10, 1 << 14].map(|n| measure(n, given, &expression));
            assert!(large.peak < 20 * small.peak, "{expression}: {} bytes", large.peak);
            large.touched - small.touched
        });
        // What there is at first is copied once, when something is added.
        assert!(many <= few + few / 20, "{name}: {few} elements more, then {many}");
    }
}

/// A write in a loop takes over what nobody else has; the first copies what was given.
#[test]
fn writes_in_a_loop_copy_nothing() {
    let given = "v = [0:n]; pairs = {(x, 1.5) : x in v};
        function writes(p, i) = if i == 0 then p else writes(p <- [(rem(i * 7, #p), i)], i - 1);
        function both(p, q, i) = if i == 0 then (p, q)
            else both(p <- [(rem(i * 7, #p), (i, 2.5))], q <- [(i, i), (rem(i * 5, #q), i)], i - 1);";
    for call in ["#writes(v, k)", "let (p, q) = both(pairs, v, k) in #p + #q"] {
        let [few, many] = [20, 200].map(|k| {
            let expression = call.replace('k', &k.to_string());
            measure(1 << 14, given, &expression).touched
        });
        assert!(many <= few + 10_000, "{call}: {few} elements, then {many}");
    }
}

/// Where several arms of a function call it, lanes that take different arms run in one call: a
/// depth of the recursion has so many launches, however many lanes there are.
#[test]
fn arms_that_call_again_share_a_call() {
    let given = format!(
        "{} function select(a, k) = if #a == 0 then sort(a)[0] else
            let p = a[#a / 2]; less = {{x in a | x < p}}
            in if k < #less then select(less, k)
               else let more = {{x in a | x > p}} in
                    if k >= #a - #more then select(more, k - (#a - #more)) else p;
         function find(v, x) = if #v < 3 then sort(v) else
            let h = #v / 2 in if x < v[h] then find(take(v, h), x) else find(drop(v, h), x);
         function path(v, x) = if #v < 2 then [(#v, sort(v))] else let h = #v / 2 in
            if x < v[h] then path(take(v, h), x) else if x == v[h] then [(h, v)]
            else path(drop(v, h + 1), x);
         function walk(v, k) = if k == 0 then v else if rem(k, 3) == 0 then walk(drop(v, 1), k - 1)
            else if #v < 2 then sort(v) else if rem(k, 3) == 1 then walk(take(v, #v - 1), k - 1)
            else walk({{x + 1 : x in v}}, k - 1);
         rows = {{{{noise(i * n + j, 1000000) : j in [0:600]}} : i in [0:n]}}; line = [0:4096];",
        crate::measure::NOISE
    );
    for expression in [
        "sum({select(r, 300) : r in rows})",
        "sum({median(r) : r in rows})",
        "{find(line, i * 4096 / n)[0] : i in [0:n]}",
        "{#path(line, i * 4096 / n) : i in [0:n]}",
        "{#walk(take(r, 90), rem(i * 7 + 29, 30)) : r in rows; i in [0:n]}",
    ] {
        let [few, many] = [4, 128].map(|n| measure(n, &given, expression).launches);
        assert!(many <= 3 * few, "{expression}: {few} launches, then {many}");
    }
}

/// Arms that go on with the results of calls share a call, too, be it the only one or one of
/// several, in choices that are in each other, or of functions that call each other.
#[test]
fn arms_that_go_on_share_a_call() {
    let given = with_noise(
        "function one(v, k) : ([int], int) -> int =
            if k == 0 then sum(sort(v))
            else if noise(v[0] + k, 100) < 50 then 1 + one({x + 1 : x in v}, k - 1)
            else 2 * one({x * 3 : x in v}, k - 1) - k;
         function inner(v, k) : ([int], int) -> [int] =
            if noise(v[0] + k, 100) < 30 then (if k <= 0 then sort(v) else inner(v, k - 1))
            else let a = (if k <= 0 then [k, k] else if #v < 3 then inner(v ++ [k], k - 1) ++ [k]
                          else inner({x + k : x in v}, k - 1)) in {x + #v : x in take(a, 2)};
         function both(v, k) : ([int], int) -> int =
            if k <= 0 then sum(sort(v))
            else if noise(v[0] + k, 100) < 50 then let a = both(v, k - 3) in 1 + both([a], k - 3)
            else if noise(v[0] + k, 90) < 50 then both({x + 1 : x in v}, k - 3) * 2
            else both({x * 3 : x in v}, k - 3);
         function odd(v, x, k) : ([int], int, int) -> [int];
         function even(v, k) : ([int], int) -> [int] =
            if k == 0 then sort(v)
            else if noise(v[0] + k, 100) < 50 then [k] ++ take(even(v, k - 1), 3)
            else take(odd(v, k, k - 1), 3) ++ [k];
         function odd(v, x, k) : ([int], int, int) -> [int] =
            if k == 0 then {x - y : y in v}
            else if noise(v[0] - k, 100) < 50 then reverse(even({x + y : y in v}, k - 1))
            else odd(v, x + 1, k - 1);
         rows = {[i * 31:i * 31 + 5] : i in [0:400]};",
    );
    for (call, [few, many], most) in [
        ("one(v, k)", [5, 20], 5),
        ("inner(v, k)[0]", [5, 20], 5),
        ("both(v, k)", [9, 15], 5),
        ("even(v, k)[0]", [5, 20], 5),
    ] {
        let [few, many] = [few, many].map(|k| {
            let expression =
                format!("{{{} : v in rows}}", call.replace("(v, k", &format!("(v, {k}")));
            measure(1, &given, &expression).launches
        });
        assert!(many <= most * few, "{call}: {few} launches, then {many}");
    }
}

/// However many sequences functions that call each other take and give, they share a call.
#[test]
fn functions_of_many_sequences_share_a_call() {
    let names = |count: usize| (0..count).map(|n| format!("a{n}")).collect::<Vec<_>>().join(", ");
    let types = ["[int]"; 12].join(", ");
    let moved = |by: usize| {
        let part = |n: usize| format!("{{x + {n} : x in a{}}}", (n + by) % 12);
        (0..12).map(part).collect::<Vec<_>>().join(", ")
    };
    let all = names(12);
    let leaf = all.replace("a0,", "sort(a0),");
    let given = with_noise(&format!(
        "function even(k, {all}) : (int, {types}) -> ({types});
         function odd(k, {all}) : (int, {types}) -> ({types}) =
            if k == 0 then ({leaf})
            else if noise(a0[0] + k, 100) < 50 then odd(k - 1, {}) else even(k - 1, {});
         function even(k, {all}) : (int, {types}) -> ({types}) =
            if k == 0 then ({leaf})
            else if noise(a1[0] + k, 100) < 50 then even(k - 1, {}) else odd(k - 1, {});
         rows = {{[i * 31:i * 31 + 5] : i in [0:40]}};",
        moved(1),
        moved(2),
        moved(2),
        moved(1)
    ));
    let rows = ["r"; 12].join(", ");
    let [few, many] = [3, 12].map(|k| {
        let expression =
            format!("{{let ({all}) = even({k}, {rows}) in sum(a3) + #a11 : r in rows}}");
        measure(1, &given, &expression).launches
    });
    assert!(many <= 5 * few, "{few} launches, then {many}");
}

/// Arms that call for all elements of sequences, or of sequences in these, share a call, too, also
/// with arms that call once, and what elements were given is not copied for it.
#[test]
fn arms_that_call_for_elements_share_a_call() {
    let given = with_noise(
        "function halves(v, k) : ([int], int) -> int =
            if k == 0 then sum(sort(v))
            else if noise(v[0] + k, 100) < 50 then
                sum({1 + halves(w, k - 1) : w in [{x + 1 : x in v}, {x * 3 : x in v}]})
            else max_val({halves({x + i : x in v}, k - 1) * #v + i : i in [0, 7] | #v > i - 9});
         function right(v, k) : ([int], int) -> int;
         function left(v, k) : ([int], int) -> int =
            if k == 0 then sum(sort(v))
            else if noise(v[0] + k, 100) < 50 then sum({left({x + i : x in v}, k - 1) : i in [0, 7]})
            else sum({right([i] ++ v, k - 1) : i in [0, 7]});
         function right(v, k) : ([int], int) -> int =
            if k == 0 then #v
            else if noise(v[0] + k, 100) < 50 then sum({left({x + i : x in v}, k - 1) : i in [0, 7]})
            else sum({right([i] ++ v, k - 1) : i in [0, 7]});
         function once(v, k) : ([int], int) -> int =
            if k <= 0 then sum(sort(v))
            else if noise(v[0] + k, 100) < 50 then 1 + once({x + 1 : x in v}, k - 1)
            else sum({once({x + y : x in v}, k - 1) : y in [3]}) - k;
         function inner(v, k) : ([int], int) -> int =
            if k <= 0 then sum(sort(v))
            else if noise(v[0] + k, 100) < 30 then 1 + inner({x + 1 : x in v}, k - 1)
            else if noise(v[0] + k, 100) < 50 then sum({inner({x + y : x in v}, k - 1) : y in [3]}) - k
            else sum({max_val({inner({x + y : x in v}, k - 1) + z : z in [2:y]}) : y in [3]});
         function other(v, w, k) : ([int], [int], int) -> int =
            if k <= 0 then sum(sort(take(v, 3)))
            else if noise(v[0] + k, 100) < 50 then sum({other(v, {x + y : x in w}, k - 1) : y in [3]})
            else sum({other(u, w, k - 1) : u in [drop(v, 1)]});
         rows = {[i * 31:i * 31 + 5] : i in [0:20]};",
    );
    for call in ["halves(v", "left(v", "once(v", "inner(v", "other([0:90], v"] {
        let [few, many] = [3, 9].map(|k| {
            let expression = format!("{{{call}, {k}) : v in rows}}");
            measure(1, &given, &expression).launches
        });
        assert!(many <= 4 * few, "{call}: {few} launches, then {many}");
    }
    let given = with_noise(
        "function some(rows, x, k) : ([[int]], int, int) -> int =
            if k == 0 then sum(sort([#rows, x]))
            else if noise(x + k, 100) < 50 then
                sum({some(drop(rows, i), rows[i][3] + i, k - 1) : i in [0:2]})
            else sum({some(take(rows, #rows - i), r[5] + i, k - 1) + r[7] : r in take(rows, 2); i in [0:2]});
         function one(rows, x, k) : ([[int]], int, int) -> int =
            if k == 0 then sum(sort([#rows, x]))
            else if noise(x + k, 100) < 30 then one(rows, x + 1, k - 1)
            else if noise(x + k, 100) < 60 then sum({one(rows, x + i, k - 1) : i in [0:2]})
            else sum({sum({one(take(rows, #rows - i), x + j, k - 1) : j in [0:i]}) : i in [0:3]});
         rows = {[0:n] : i in [0:30]};",
    );
    for call in ["some", "one"] {
        let expression = format!("{{{call}(drop(rows, rem(i, 4)), i, 6) : i in [0:20]}}");
        check_constant(&given, &expression, 600_000);
    }
}

#[test]
fn choices_at_the_root_and_within_arms_copy_nothing() {
    for expression in [
        "(if #ps > 7 then chosen[3] else chosen[4])[3]",
        "(if #ps > 7 then chosen else rows)[3][5]",
        "(if #ps > 70 then rows else (if #ps > 7 then chosen else reverse(chosen)))[3][5]",
        "{(if p then {if rem(i, 2) == 0 then r else q : i in [0:3]} else [r])[0][5]
          : r in rows; q in more; p in ps}",
        "{if p then chosen[i][5] else chosen[i + 1][6] : i in [0:29]; p in take(ps, 29)}",
        "{let d = if p then {if rem(i, 2) == 0 then r else q : i in [0:3]} else [r, q]
          in if b then d[1][5] else #d : r in rows; q in more; p in ps; b in qs}",
    ] {
        check_constant(&with_called(), expression, 20000);
    }
}

#[test]
fn recursion_ends_where_no_lane_recurs() {
    let given = "function deep(r, k) = if k == 0 then #r
                                       else sum({deep({x * x : x in sort(r)}, k - 1) : i in [0:2]});
                 rows = {{i * k : i in [0:n]} : k in [0:30]};";
    check_constant(given, "{deep(r, 0) : r in rows}", 600);
}
