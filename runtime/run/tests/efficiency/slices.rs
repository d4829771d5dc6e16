//! Slices cost no elements.

use crate::measure::{ROWS, check_constant, measure};

#[test]
fn slices_of_rows_cost_no_elements() {
    for slice in ["take(r, #r / 2)", "drop(r, 10)", "subseq(r, 10, #r - 10)", "take(r, -5)"] {
        check_constant(ROWS, &format!("{{#{slice} : r in rows}}"), 120);
        check_constant(ROWS, &format!("{{let s = {slice} in s[3] + #s : r in rows}}"), 180);
    }
}

#[test]
fn halves_of_rows_cost_no_elements() {
    check_constant(ROWS, "{{#h : h in bottop(r)} : r in rows}", 500);
    check_constant(ROWS, "{{h[0] : h in bottop(r)} : r in rows}", 700);
}

#[test]
fn elements_of_nested_sequences_cost_no_elements() {
    check_constant(ROWS, "{#rows[i] : i in [3, 1, 2, 3]}", 40);
    check_constant(ROWS, "{let r = rows[i] in r[5] + r[6] : i in [3, 1, 2, 3]}", 60);
    check_constant(ROWS, "{#r : r in rows -> [3, 1, 2, 3]}", 60);
    check_constant(ROWS, "{#r : r in take(drop(rows, 3), 10)}", 60);
    check_constant(ROWS, "{{rows[j][i] : j in [0:5]} : i in [0:5]}", 200);
    let cubes = "cubes = {{{i : i in [0:n]} : j in [0:3]} : k in [0:30]};";
    check_constant(cubes, "{#c[1] + c[2][3] : c in cubes}", 400);
    check_constant(cubes, "{{#take(r, 5) : r in take(c, 2)} : c in cubes}", 900);
}

#[test]
fn slices_through_calls_cost_no_elements() {
    let search = "function search(v, x) =
                    if #v == 1 then v[0]
                    else let h = #v / 2 in
                         if v[h] <= x then search(drop(v, h), x) else search(take(v, h), x);
                  rows = {{i * k : i in [0:n]} : k in [1:31]};";
    // The depth is log n; at each, a lane touches a few elements.
    let [small, large] =
        [1 << 10, 1 << 14].map(|n| measure(n, search, "{search(r, #r / 2) : r in rows}").touched);
    assert!(small > 0 && large * 10 <= small * 15, "{small} then {large}");
}
