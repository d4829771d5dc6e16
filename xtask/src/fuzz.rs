//! `cargo xtask fuzz`: generated programs on all engines.
//!
//! The work is done by `nesl-fuzz` of the testkit, built with optimisation and started here.

use std::process::Command;

use anyhow::bail;

use crate::root;

/// Options of `nesl-fuzz`, passed on as they are.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Such as --count 1000 --seed 0; --help shows all
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--release", "--package", "nesl-testkit"]);
    command.args(["--bin", "nesl-fuzz", "--"]).args(&options.options).current_dir(root());
    if !command.status()?.success() {
        bail!("the engines do not agree on all programs");
    }
    Ok(())
}
