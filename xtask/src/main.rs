//! Tasks of the workshop.
fn main() {}
