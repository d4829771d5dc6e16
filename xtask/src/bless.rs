//! `cargo xtask bless`: tests rewrite their expectations.
//!
//! Expectations stand beside the input in test files, written with `expect_test`; it rewrites them
//! where the environment has `UPDATE_EXPECT=1`.

use std::process::Command;

use anyhow::bail;

use crate::root;

/// Which tests.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Package, such as nesl-lower; all of them if none is named
    package: Vec<String>,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["test", "--quiet", "--no-fail-fast"]).current_dir(root());
    command.env("UPDATE_EXPECT", "1");
    match options.package.as_slice() {
        [] => command.arg("--workspace"),
        packages => command.args(packages.iter().flat_map(|p| ["--package", p.as_str()])),
    };
    if !command.status()?.success() {
        bail!("some tests fail for other reasons than what they expect");
    }
    Ok(())
}
