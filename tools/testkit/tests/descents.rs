//! Which examples have a recursion that blocks of a GPU can run to its end.

use std::path::Path;
use testkit::example;
use testkit::paper::Printer;

#[test]
fn quicksort_goes_down_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut printer = Printer::new().unwrap();
    let mut found = Vec::new();
    for example in example::read(&folder).unwrap() {
        let units = printer.example(&example).unwrap();
        if units.iter().any(|unit| unit.contains("void __launch_bounds__(1024) descent0_weigh(")) {
            found.push(example.name);
        }
    }
    found.dedup();
    assert_eq!(found, ["quicksort/1"], "elsewhere, results are put together after the calls");
}
