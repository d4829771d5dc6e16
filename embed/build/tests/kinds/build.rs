//! Compiles `kinds.nesl`, and two functions of `some-more.nesl`.

/// Fails with the messages of the compiler.
pub(crate) fn main() -> Result<(), nesl_build::Error> {
    nesl_build::compile("src/kinds.nesl")?;
    let mut build = nesl_build::Build::new();
    build.entry("total : [float] -> float").entry("Twice : [int] -> [int]").one_core();
    build.flag("-DUNUSED").compile("src/some-more.nesl")
}
