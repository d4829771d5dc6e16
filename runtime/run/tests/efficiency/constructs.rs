//! Every row of the cost model's table.

use crate::measure::measure;
use crate::promise::check;

/// Names reach what they name; parts are evaluated once.
const PARTS: &str = "
    literal | 1 / 1 | 1 | 5
    name | 1 / 1 | 1 | v
    function | 1 / 1 | 0.5 | (x => x + 1)(2)
    tuple | 1 / 1 | 1 | (v, u)
    application | 1 / 1 | 0.5 | ((x, y) => (y, x))(v, u)
    let | 1 / 1 | 0.5 | let x = v; y = (x, u); (z, _) = y in z
    if | 1 / 1 | 4 | if #v > 0 then v else u
    if | n / 1 | 4 | if #v < 0 then sort(v) else {x + 1 : x in v}
    list | n / 1 | 3 | [v, u, v]
    list | 1 / 1 | 3 | [#v, #u, 3]
    range | n / 1 | 1 | [0:#v]
    range | n / 1 | 1 | [#v:0:-1]
    element | 1 / 1 | 0.5 | v[#v - 1]
    element | 1 / 1 | 0.5 | #r[#r - 1]
    element | n / 1 | 0.5 | r[0]
    datatype | 1 / 1 | 1 | let labelled(x, k) = labelled(v, 3) in (k, x)
";

/// Lanes and what passes a filter are counted, and nothing that a lane only names.
const EACH: &str = "
    each | n / 1 | 0.5 | {x * x : x in v}
    zipped | n / 1 | 1 | {float(x * y) + z : x in v; y in u; z in w}
    filter | n / 1 | 2 | {x in v | x > 5}
    test-of-one-body-of-another | n / 1 | 2 | {x * y : x in v; y in u | x > y}
    body-where-nothing-passes | n / 1 | 1 | {sum({i * x : i in v}) : x in v | x < 0}
    free-variable | n / 1 | 2 | {v[i] + u[i] : i in [0:#v]}
    free-variable | n / 1 | 2 | {{v[i] : i in [0:min(3, #v)]} : x in u}
    free-variable | n / 1 | 2 | let s = sort(v) in {s[0] + x : x in v}
    sequence-of-a-name | n / 1 | 1 | {#v : x in u}
    nested | n / 1 | 1 | {{x + 1 : x in row} : row in r}
    nested | n / 1 | 1 | {sum(row) : row in r}
    nested-filter | n / 1 | 2 | {{x : x in row | x > 3} : row in r}
    choice | n / 1 | 1 | {if x > 3 then x * 2 else x + y : x in v; y in u}
    choice-of-rows | n / 1 | 2 | {if #row > 3 then sum(row) else #row : row in r}
    pairs | n / 1 | 1 | {(x, (y, x)) : x in v; y in u}
    serial | n / n | 0.5 | {* x + 1 : x in v}
    serial-filter | n / n | 2 | {* x : x in v | x > 3}
";

/// Calls cost what their unfolding costs.
const CALLS: &str = "
    loop | n / n | 0.5 | down(0, #v)
    loop | n / 1 | 0.5 | {down(x, 5) : x in v}
    halving | n / log | 0.5 | halve(v)
    tree | n log / log | 0.5 | tree(v)
    odd-and-even | n / n | 0.5 | is_even(#v)
    function-as-argument | n / 1 | 0.5 | twice(s => {x + 1 : x in s}, v)
";

const FUNCTIONS: &str = "
function down(x, k) = if k == 0 then x else down(x + k, k - 1);
function halve(v) = if #v == 1 then v[0] else halve({x + y : x in even_elts(v); y in odd_elts(v)});
function tree(v) = if #v < 2 then v
                   else let halves = {tree(h) : h in bottop(v)}
                        in {x + 1 : x in halves[0]} ++ halves[1];
function is_even(k) = if k == 0 then t else is_odd(k - 1);
function is_odd(k) = if k == 0 then f else is_even(k - 1);
function twice(g, x) = g(g(x));
";

#[test]
fn parts() {
    check("datatype labelled([int], int);\n", PARTS);
}

#[test]
fn lanes() {
    check("", EACH);
}

#[test]
fn calls() {
    check(FUNCTIONS, CALLS);
}

/// What all lanes would find the same is found once, though the cost model counts it in each lane;
/// where there is no lane, it is not looked for.
#[test]
fn what_all_lanes_share_is_found_once() {
    let given = "v = {float(rem(i * 7, 100)) : i in [0:n]}; rows = {{float(i + j) : i in [0:n]} : j in [0:4]};
                 none = drop(v, n); pairs = {(x, 1) : x in v};";
    for (expression, most) in [
        ("sum({x / sum(v) : x in v})", 4),
        ("#{x in v | x >= max_val(v)}", 4),
        ("sum({sum({x / sum(r) : x in r}) : r in rows})", 16),
        ("sum({x + sum(v) : x in rows[0]})", 4),
        ("sum({float(count({y < 5.0 : y in v})) + x : x in rows[0]})", 4),
        ("#{x + sum({a : (a, b) in pairs}) : x in none}", 0),
        ("#{#{x + sum(v) : x in none} : r in rows}", 0),
    ] {
        let [small, large] = [1 << 10, 1 << 12].map(|n| measure(n, given, expression).touched);
        assert!(large <= most * (1 << 12) + 100, "{expression}: {small} elements, then {large}");
    }
}
