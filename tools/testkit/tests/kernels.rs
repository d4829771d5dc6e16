//! How many kernels the examples become on a GPU: NVRTC takes its time for each of them.

use std::collections::BTreeMap;
use std::path::Path;
use testkit::example;
use testkit::paper::Printer;

/// The most kernels of each example.
const MOST: [(&str, usize); 10] = [
    ("barnes-hut", 48),
    ("bfs", 28),
    ("black-scholes", 1),
    ("dotproduct", 1),
    ("mandelbrot", 2),
    ("primes", 5),
    ("quickhull", 56),
    ("quicksort", 25),
    ("smxv", 1),
    ("string-search", 4),
];

#[test]
fn examples_have_few_kernels() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let found = value::on_big_stack(|| {
        let mut printer = Printer::new().unwrap();
        let mut found = BTreeMap::new();
        for example in example::read(&folder).unwrap() {
            let name = example.name.split('/').next().unwrap().to_owned();
            found.insert(name, printer.kernels(&example).unwrap());
        }
        found
    });
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, MOST.map(|(name, _)| name), "each example has a limit");
    for (name, most) in MOST {
        assert!((1..=most).contains(&found[name]), "{name}: {found:?}");
    }
}
