//! Which examples have a recursion that blocks of a GPU can run to its end, and one whose
//! partitions workers of a CPU share.

use device::Paper;
use emit::CText;
use run::Session;
use run::session::{EngineKind, Options};
use std::path::Path;
use testkit::example::{self, Example};
use testkit::paper::Printer;

/// The examples whose texts have this in them.
fn with(marker: &str, mut print: impl FnMut(&Example) -> Vec<String>) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    for example in example::read(&folder).unwrap() {
        if print(&example).iter().any(|unit| unit.contains(marker)) {
            found.push(example.name);
        }
    }
    found.dedup();
    found
}

#[test]
fn quicksort_goes_down_alone() {
    let mut printer = Printer::new().unwrap();
    let print = |example: &Example| printer.example(example).unwrap();
    // Elsewhere, results are put together after the calls.
    assert_eq!(with("void __launch_bounds__(1024) descent0_weigh(", print), ["quicksort/1"]);
}

#[test]
fn workers_share_partitions_of_quicksort() {
    let paper: Paper<CText> = Paper::default();
    let options = Options::new(EngineKind::Cpu);
    let mut session = Session::on(paper.clone(), &options, Box::new(std::io::sink())).unwrap();
    let print = |example: &Example| {
        assert!(example.prepare(&mut session).is_ok(), "{}", example.name);
        session.reset();
        paper.take().into_iter().flat_map(|text| text.units).collect()
    };
    assert_eq!(with("= nesl_part(state, ", print), ["quicksort/1"]);
}
