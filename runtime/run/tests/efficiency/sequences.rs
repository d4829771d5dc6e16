//! Elements of sequences are reached, not copied.

use crate::measure::{check_constant, measure};

#[test]
fn reads_cost_the_elements_read() {
    let given = "v = {i * i : i in [0:n]}; is = {7 * i : i in [0:50]};";
    check_constant(given, "{v[i] : i in is}", 200);
    check_constant(given, "v -> is", 200);
    check_constant(given, "sum({v[i] : i in is})", 150);
}

#[test]
fn free_variables_of_nested_lanes_are_reached_not_copied() {
    let given = "v = {i * i : i in [0:n]}; iss = {[0:k] : k in [0:20]};";
    check_constant(given, "{{v[i] : i in is} : is in iss}", 1000);
    check_constant(given, "{v -> is : is in iss}", 1000);
    // In a call that is lifted, too.
    let given = "v = {i * i : i in [0:n]};
                 function tree(v, k) = if k == 0 then v[0]
                                       else sum({tree(v, k - 1) + v[i] : i in [0:2]});";
    check_constant(given, "tree(v, 5)", 5000);
}

#[test]
fn free_variables_take_no_memory_in_lanes() {
    let given = "a = {i : i in [0:n]}; b = {i : i in [0:n]};";
    for expression in ["{sum({x * y : x in a}) : y in b}", "{sum(a -> [0:y]) : y in b}"] {
        let [small, large] = [1 << 8, 1 << 10].map(|n| measure(n, given, expression));
        // A few vectors of n ints, not n of them.
        assert!(large.peak <= 8 * 8 * (1 << 10), "{expression}: {large:?}");
        assert!(large.peak <= 5 * small.peak, "{expression}: {small:?} {large:?}");
        // An x and a y for each product, and what a lane takes.
        let (products, lanes) = (1 << 20, 1 << 10);
        let most = 2 * products + 16 * lanes;
        assert!(large.touched <= most, "{expression}: {large:?}");
    }
}
