//! Runs generated programs on all engines and reports where these disagree.
//!
//! ```text
//! nesl-fuzz --count 3000 --seed 0 --engines nest,flat,passes,plan,kernel,threads,cpu
//! ```
//!
//! The engine `cuda` is not among those that run when none are named: it needs an NVIDIA GPU.
//!
//! The programs are run by worker processes, one for each core, so that a crash or a loop without
//! end is a finding like others.

mod fuzz;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = fuzz::Options::parse();
    let agree = match (&options.file, options.worker) {
        _ if options.show => fuzz::show(&options),
        (Some(file), _) => fuzz::worker::file(&options, file),
        (None, true) => fuzz::worker::run(&options),
        (None, false) => fuzz::parent::run(&options),
    };
    match agree {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => fuzz::fail(&error),
    }
}
