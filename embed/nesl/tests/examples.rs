//! The examples run; they check what they compute.

macro_rules! examples {
    ($($name:ident $path:literal;)*) => {$(
        mod $name {
            #[path = $path]
            mod example;

            #[test]
            fn runs() {
                example::main().unwrap();
            }
        }
    )*};
}

examples! {
    errors "../../examples/errors.rs";
    quicksort "../../examples/quicksort.rs";
    search "../../examples/search.rs";
    sparse "../../examples/sparse.rs";
    threads "../../examples/threads.rs";
}

/// An example that is not run would rot.
#[test]
fn all_are_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let files = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["errors.rs", "quicksort.rs", "search.rs", "sparse.rs", "threads.rs"]);
}
