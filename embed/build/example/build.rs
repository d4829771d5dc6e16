//! Compiles `src/graph.nesl`, and makes `graph.rs` of it.

/// Fails with the messages of the compiler.
pub(crate) fn main() -> Result<(), nesl_build::Error> {
    nesl_build::compile("src/graph.nesl")
}
