//! `cargo xtask fuzz`, `original`, `respell` and `measure respelled`: programs of the testkit.
//!
//! The testkit's binaries do the work; they are built with optimisation and started here.

use std::process::Command;

use anyhow::bail;

use crate::root;

/// Options of a binary of the testkit, passed on as they are.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// As the binary takes them; --help shows all
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// Builds and runs a binary of the testkit.
pub(crate) fn run(binary: &str, options: &Options) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--release", "--package", "nesl-testkit"]);
    command.args(["--bin", binary, "--"]).args(&options.options).current_dir(root());
    if !command.status()?.success() {
        bail!("{binary} failed, or found a difference");
    }
    Ok(())
}
