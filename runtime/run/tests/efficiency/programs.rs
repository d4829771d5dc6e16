//! Whole programs do the work of their cost.

use crate::measure::{Measure, check_work, measure, with_noise};

#[test]
fn quicksort_touches_n_log_n() {
    let given = with_noise(example!("quicksort")) + "keys = {noise(i, 1000000) : i in [0:n]};";
    let (n, m) = (500.0_f64, 4000.0_f64);
    let [small, large] = [500, 4000].map(|n| measure(n, &given, "quicksort(keys)").touched as f64);
    let growth = (m * m.log2()) / (n * n.log2());
    assert!(large / small <= growth * 1.25, "{small} then {large}: more than {growth}");
    check_work(&given, "quicksort(keys)", [500, 4000], 2.0);
}

#[test]
fn quickhull_does_the_work_of_its_cost() {
    let given = with_noise(example!("quickhull"))
        + "points = {(float(noise(i, 10007)), float(noise(i + n, 10007))) : i in [0:n]};";
    check_work(&given, "convex_hull(points)", [1000, 4000], 0.6);
}

#[test]
fn bfs_does_the_work_of_its_cost() {
    let given = with_noise(example!("bfs"))
        + "edges = {(noise(i, n), noise(i + 5 * n, n)) : i in [0:5 * n]};";
    check_work(&given, "bfs(edges, n, 0)", [500, 2000], 1.0);
}

#[test]
fn barnes_hut_does_the_work_of_its_cost() {
    let given = with_noise(example!("barnes-hut"))
        + "function place(i) = float(noise(i, 100003)) / 1000.0;
           bodies = {(1.0, place(i), place(i + n), place(i + 2 * n)) : i in [0:n]};";
    check_work(&given, "accelerations(bodies, 0.7)", [250, 1000], 0.1);
}

#[test]
fn smxv_does_the_work_of_its_cost() {
    let given = with_noise(example!("smxv"))
        + "m = {{(noise(i + j, n), float(j)) : j in [0:noise(i, 20)]} : i in [0:n]};
           v = {float(i) : i in [0:n]};";
    check_work(&given, "smxv(m, v)", [500, 2000], 0.3);
}

/// The multiples of all primes are more than the numbers below n; no vector is as long.
#[test]
fn primes_keeps_no_multiples() {
    let Measure { peak, .. } = measure(1 << 16, example!("primes"), "primes(n)");
    // Flags, n ints for what the filter may keep, and what it keeps.
    assert!(peak <= (1 + 8 + 2) << 16, "{peak} bytes");
}

#[test]
fn primes_does_the_work_of_its_cost() {
    check_work(example!("primes"), "primes(n)", [2000, 8000], 0.3);
}

#[test]
fn string_search_does_the_work_of_its_cost() {
    let given = with_noise(example!("string-search"))
        + "text = {code_char(97 + noise(i, 4)) : i in [0:n]};";
    check_work(&given, "string_search(\"abcab\", text)", [2000, 8000], 0.4);
}
