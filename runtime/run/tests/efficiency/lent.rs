//! What recursions in lanes hand up as they were given it.

use crate::measure::{check_constant, measure};

/// Functions whose recursion gives itself what it has made, in a parameter that they hand up.
const STEPS: &str = "
    rows = {[i:n + i] : i in [0:32]}; few = {[k, 1, 2, 3, 4, 5] : k in [0:32]};
    ks = {(if rem(i, 2) == 0 then 0 else 3) : i in [0:32]};
    given = {(if k == 0 then r else s) : r in rows; s in few; k in ks};
    function steps(v, k) = if k == 0 then v else steps({x + 1 : x in v}, k - 1);
    function pair(v, w, k) = if k == 0 then (v, w) else pair(w, {x + 1 : x in v}, k - 1);
    function either(v, w, k) = if k == 0 then (if v[0] > 2 then v else w)
        else either({x + 1 : x in w}, v, k - 1);
    function lists(a, k) = if k == 0 then a else lists({{x + 1 : x in v} : v in a}, k - 1);
    function halves(v, k) = if k == 0 then v else
        let parts = {halves(p, k - 1) : p in [take(v, #v / 2), drop(v, #v / 2)]}
        in parts[0] ++ parts[1];
    function to(v, k) : ([int], int) -> [int];
    function fro(v, k) = if k == 0 then v else to({x + 1 : x in v}, k - 1);
    function to(v, k) : ([int], int) -> [int] = if k == 0 then reverse(v) else fro(v, k - 1);
    function helped(v, k) = let u = steps(v, k) in if #u > 3 then u else v;
    function sorted(v, k) = if k == 0 then v else if #v == 1 then sort(v)
        else sorted({x + 1 : x in v}, k - 1);";

/// A lane that hands up what it was given from outside pays nothing for it.
#[test]
fn what_a_recursion_is_given_from_outside_is_not_copied() {
    for expression in [
        "{steps(v, k)[0] : v in given; k in ks}",
        "{#steps(given[i], k) + k : i in index(#ks); k in ks}",
        "{let (u, w) = pair(v, u, k) in u[0] + #w : v in given; u in given; k in ks}",
        "{either(v, s, k)[1] : v in given; s in given; k in ks}",
        "{#lists([v, s], k) : v in given; s in few; k in ks}",
        "{halves(v, k)[1] : v in given; k in ks}",
        "{fro(v, k)[1] : v in given; k in ks}",
        "{helped(v, k)[1] : v in given; k in ks}",
        "{sorted(v, k)[1] : v in given; k in ks}",
        "let v = given[0] in {steps((if k == 0 then v else s), k)[1] : k in ks; s in few}",
    ] {
        check_constant(STEPS, expression, 60_000);
        // Copies of routines count as memory.
        let [nothing, peak] = ["#given", expression].map(|e| measure(1 << 14, STEPS, e).peak);
        assert!(
            peak <= nothing + (1 << 18),
            "{expression}: {nothing} bytes of data, {peak} in all"
        );
    }
}

/// What a lane has made is copied at most once, however many lanes and calls are given it.
#[test]
fn what_a_recursion_gives_to_several_is_not_copied_for_each() {
    let given = "rows = {[i:n + i] : i in [0:4]}; m = d;
        function lanes(v, k) = if k == 0 then v else
            let w = {x + 1 : x in v} in [sum({lanes(w, 0)[0] : i in [0:m]})] ++ lanes(w, k - 1);
        function again(v, k) = if k < 1 then v else if k > m then again({x + 1 : x in v}, m)
            else let a = again(v, 0) in again(v, k - #take(a, 1));
        function twice(v, k) = if k < 1 then v else if k > m then twice({x + 1 : x in v}, m)
            else twice(twice(v, 0), k - 1);
        function besides(v, k) = if k < 1 then v else if k > m then besides({x + 1 : x in v}, m)
            else let a = besides(v, k - 1) in (if a[0] > 0 then v else a);
        function sorted(v, k) = if k == 0 then v else if #v == 1 then sort(v) else
            let w = {x + 1 : x in v} in [sum({sorted(w, 0)[0] : i in [0:m]})] ++ sorted(w, k - 1);";
    for called in
        ["lanes(v, 1)", "again(v, m + 1)", "twice(v, m + 1)", "besides(v, m + 1)", "sorted(v, 1)"]
    {
        let expression = format!("{{{called}[0] : v in rows}}");
        let [few, many] =
            [2, 40].map(|d| measure(1 << 12, &format!("d = {d}; {given}"), &expression).touched);
        assert!(many <= few + 30_000, "{expression}: {few} elements, then {many}");
    }
}

/// The same where lanes hand on what they were given or what they have made, this or that.
#[test]
fn what_looks_into_heaps_and_was_given_is_not_copied() {
    let called = "
        function some(v, k) = if k == 0 then v else if #v == 1 then sort(v) else
            some((if rem(k, 3) == 2 then [k, 1, 2] else v), k - 1);
        function two(v, w, k) = if k == 0 then (w, v) else if #v == 1 then (sort(v), w) else
            two((if rem(k, 3) == 2 then [k, 1, 2] else w), v, k - 1);
        function after(v, k) = if k == 0 then v else if #v == 1 then sort(v) else
            let r = after((if rem(k, 2) == 0 then [k, 1, 2, 3, 4, v[0]] else v), k - 1)
            in (if r[0] > 0 then r else v);
        function tables(a, k) = if k == 0 then a else if #a == 9 then [sort(a[0])] else
            tables((if rem(k, 3) == 2 then [[k], a[1]] else a), k - 1);
        function inner(a, v, k) = if k == 0 then v else if #a == 9 then sort(a[0]) else
            inner(a, (if rem(k, 4) == 2 then a[rem(k, #a)] else if rem(k, 4) == 3 then [k, 1] else v), k - 1);
        function odd(v, k) : ([int], int) -> [int];
        function even(v, k) = if k == 0 then v else if #v == 1 then sort(v) else
            odd((if rem(k, 5) == 1 then [k, 1, 2] else v), k - 1);
        function odd(v, k) : ([int], int) -> [int] = if k == 0 then v else
            even((if rem(k, 7) == 1 then [k, 1, 2] else v), k - 1);";
    let given = format!("{STEPS} steps = {{(if k == 0 then 1 else 4) : k in ks}}; {called}");
    for expression in [
        "{some(v, k)[0] : v in rows; k in steps}",
        "{some((if k == 1 then v else rows[3]), k)[0] : v in rows; k in steps}",
        "{let (u, w) = two(v, rows[5], k) in u[0] + #w : v in rows; k in steps}",
        "{after(v, k)[1] : v in rows; k in steps}",
        "{#tables([v, s], k) : v in given; s in few; k in steps}",
        "{inner([v, s], s, k)[0] : v in given; s in few; k in steps}",
        "{even(v, k)[0] + even(rows[2], 2 * k)[1] : v in rows; k in steps}",
    ] {
        check_constant(&given, expression, 60_000);
    }
}

/// Rows that look into arguments which the recursion hands to itself in another order.
#[test]
fn rows_of_arguments_that_change_places_are_not_looked_through() {
    let given = "lines = {[i:n + i] : i in [0:32]}; more = {reverse(v) : v in lines};
        function turns(v, w, k) = if k == 0 then {take((if rem(x, 3) == 0 then v else w), 2) : x in v}
            else if #v == 1 then [take(v, sort(v)[0])] else turns(w, v, k - 1);
        function one(v, w, k) = if k == 0 then {take((if rem(x, 3) == 0 then v else w), 2) : x in v}
            else if #v == 1 then [take(v, sort(v)[0])] else one(v, (if rem(k, 2) == 0 then v else w), k - 1);
        function round(u, v, w, k) = if k == 0 then {drop((if rem(x, 2) == 0 then u else w), n - 3) : x in v}
            else if #v == 1 then [take(v, sort(v)[0])] else round(v, w, u, k - 1);
        function pair(v, w, k) = if k == 0 then ({take((if rem(x, 3) == 0 then v else w), 2) : x in v}, 1)
            else if #v == 1 then ([take(v, sort(v)[0])], 1)
            else let (r, d) = pair(w, v, k - 1) in (r, d + 1);
        function odd(v, w, k) : ([int], [int], int) -> [[int]];
        function even(v, w, k) = if k == 0 then {take(v, 2) : x in v}
            else if #v == 1 then [take(v, sort(v)[0])] else odd(w, v, k - 1);
        function odd(v, w, k) : ([int], [int], int) -> [[int]] = if k == 0 then {take(w, 2) : x in v}
            else if #v == 1 then [take(v, sort(v)[0])] else even(v, w, k - 1);
        function same(v, w, k) = if k == 0 then {take((if rem(x, 3) == 0 then v else w), 2) : x in v}
            else if #v == 1 then [take(v, sort(v)[0])] else same(v, w, k - 1);
        function chosen(v, w, k) = if k == 0 then {take(w, 2) : x in v}
            else if #v == 1 then [take(v, sort(v)[0])] else chosen(v, w, k - 1);
        function flips(u, v, w, k) = if k == 0 then {take(w, 2) : x in v}
            else if #v == 1 then [take(w, sort(v)[0])] else flips(v, u, w, k - 1);";
    for expression in [
        "{#turns(v, w, d) : v in lines; w in more}",
        "{#one(v, w, d) : v in lines; w in more}",
        "{#round(v, w, v, d) : v in lines; w in more}",
        "{let (r, k) = pair(v, w, d) in #r + k : v in lines; w in more}",
        "{#even(v, w, d) : v in lines; w in more}",
        "{#same(v, w, d) : v in lines; w in more}",
        "{#flips(v, w, (if rem(i, 2) == 0 then v else w), d)
          : v in lines; w in more; i in index(#lines)}",
        "{#chosen((if rem(i, 2) == 0 then v else w), (if rem(i, 3) == 0 then v else w), d)
          : v in lines; w in more; i in index(#lines)}",
    ] {
        let [few, many] = [4, 40].map(|depths| {
            let given = format!("d = {depths}; {given}");
            measure(1 << 12, &given, expression).touched
        });
        assert!(many <= few * 11 / 10, "{expression}: {few} elements, then {many}");
    }
}

/// The same where lanes run one by one.
#[test]
fn what_lanes_are_given_and_hand_up_one_by_one_is_not_copied() {
    let given = "u = [0:n]; v = [5:n + 5]; steps = {rem(i, 2) : i in [0:2000]};
        function some(v, k) = if k == 0 then v else some((if rem(k, 3) == 2 then [k, 1] else v), k - 1);
        function two(v, w, k) = if k == 0 then (w, v) else
            two((if rem(k, 3) == 2 then [k, 1, 2] else w), v, k - 1);
        function after(v, k) = if k == 0 then v else
            let r = after((if rem(k, 3) == 2 then [k, 1, 2] else v), k - 1) in (if r[0] > 7 then r else v);
        function beside(u, v, k) = if k == 0 then (if v[0] > 3 then u else v) else
            beside(u, (if rem(k, 4) == 2 then [k, 1, 2] else if rem(k, 4) == 3 then u else v), k - 1);
        function odd(v, k) : ([int], int) -> [int];
        function even(v, k) = if k == 0 then v else odd((if rem(k, 5) == 2 then [k] else v), k - 1);
        function odd(v, k) : ([int], int) -> [int] = if k == 0 then v else
            even((if rem(k, 7) == 2 then [k, 1, 2] else v), k - 1);";
    for expression in [
        "{some(u, k)[0] : k in steps}",
        "{let (x, y) = two(u, v, k) in x[0] + #y : k in steps}",
        "{after(u, k)[1] : k in steps}",
        "{beside(v, u, k)[0] : k in steps}",
        "{even(u, k)[0] + odd(v, k)[1] : k in steps}",
    ] {
        let peak = measure(1 << 13, given, expression).peak;
        assert!(peak <= 1 << 21, "{expression}: {peak} bytes");
    }
}

/// What lies in heaps and is given to several lanes or calls.
#[test]
fn what_lies_in_heaps_and_is_given_to_several_is_not_copied_for_each() {
    let given = "rows = {[i:n + i] : i in [0:4]}; m = d;
        function lanes(v, k) = if k < 1 then v else if #v == 1 then sort(v)
            else let w = if rem(k, 3) == 2 then {x + 1 : x in v} else v
            in [sum({lanes(w, rem(i, 2) - 1)[0] : i in [0:m]})] ++ lanes(w, k - 1);
        function again(v, k) = if k < 1 then v else if #v == 1 then sort(v)
            else if k > m then again((if k == m + 1 then {x + 1 : x in v} else v), m)
            else let a = again(v, 0) in again((if rem(k, 7) == 8 then [k] else v), k - #take(a, 1));
        function deeper(v, k, j) = if k < 1 then v else if #v == 1 then sort(v)
            else if j > 0 then (let r = deeper((if rem(k, 5) == 3 then [k] else v), k - 1, j) in (if r[0] < 0 then v else r))
            else let w = {x + 1 : x in v} in [sum({deeper(w, 2 + rem(i, 2), 1)[0] : i in [0:m]})];
        function tables(a, k) = if k < 1 then a else if #a == 9 then [sort(a[0])]
            else let b = if rem(k, 3) == 2 then {{x + 1 : x in v} : v in a} else a
            in [[sum({#tables(b, rem(i, 2) - 1) + i : i in [0:m]})]] ++ tables(b, k - 1);
        function deep(a, k, j) = if k < 1 then a else if #a == 9 then [sort(a[0])]
            else if j > 0 then (let r = deep((if rem(k, 5) == 3 then [[k]] else a), k - 1, j) in (if #r == 7 then a else r))
            else let b = {{x + 1 : x in v} : v in a} in [[sum({#deep(b, 2 + rem(i, 2), 1)[0] : i in [0:m]})]];
        function serial(v, k) = if k < 1 then v else
            let w = if rem(k, 3) == 2 then {x + 1 : x in v} else v
            in [sum({serial(w, rem(i, 2) - 1)[0] : i in [0:m]})] ++ serial(w, k - 1);";
    for called in [
        "lanes(v, 2)",
        "again(v, m + 1)",
        "deeper(v, 2, 0)",
        "#tables([[1], v, v], 2)",
        "#deep([v, v, v], 2, 0)",
        "serial(v, 2)",
    ] {
        let expression = format!("{{{called}[0] : v in rows}}");
        let [few, many] =
            [2, 40].map(|d| measure(1 << 12, &format!("d = {d}; {given}"), &expression).touched);
        // What each lane costs beside its elements; copying what is lent would be 2,000,000 or so.
        assert!(many <= few + 150_000, "{expression}: {few} elements, then {many}");
    }
}
