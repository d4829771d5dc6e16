//! Compiles the parser and the scanner, which are C.

fn main() {
    let sources = ["src/parser.c", "src/scanner.c"];
    for source in sources {
        println!("cargo:rerun-if-changed={source}");
    }
    cc::Build::new().include("src").std("c11").warnings(false).files(sources).compile("nesl");
}
