//! The examples run; they check what they compute.

#[path = "../examples/errors.rs"]
mod errors;
#[path = "../examples/quicksort.rs"]
mod quicksort;
#[path = "../examples/search.rs"]
mod search;
#[path = "../examples/sparse.rs"]
mod sparse;
#[path = "../examples/threads.rs"]
mod threads;

type Example = fn() -> Result<(), nesl::Error>;

const EXAMPLES: &[(&str, Example)] = &[
    ("errors.rs", errors::main),
    ("quicksort.rs", quicksort::main),
    ("search.rs", search::main),
    ("sparse.rs", sparse::main),
    ("threads.rs", threads::main),
];

#[test]
fn all_run() {
    for (name, example) in EXAMPLES {
        example().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// An example that is not run would rot.
#[test]
fn all_are_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let files = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    let listed: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed);
}
