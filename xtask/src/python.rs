//! A Python with NumPy and SciPy, for baselines and for checks.
//!
//! Unless one is named, it is a virtual environment below `data/`, made when it is first needed
//! with the versions that `benches/requirements.txt` says.

use std::path::{Path, PathBuf};

use anyhow::Context;
use xshell::{Shell, cmd};

use crate::root;

/// The interpreter: the one that is named, or that of the virtual environment.
pub(crate) fn interpreter(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(python) = named {
        return Ok(python.to_owned());
    }
    let environment = root().join("data/python");
    let python = environment.join("bin/python");
    let shell = Shell::new()?;
    let there = || cmd!(shell, "{python} -c 'import numpy, scipy'").quiet().ignore_stderr().run();
    if there().is_err() {
        println!("making {}", environment.display());
        let requirements = root().join("benches/requirements.txt");
        cmd!(shell, "python3 -m venv {environment}")
            .quiet()
            .run()
            .and_then(|()| {
                cmd!(shell, "{python} -m pip install -q -r {requirements}").quiet().run()
            })
            .context("there is no Python with NumPy and SciPy; name one with --python")?;
    }
    Ok(python)
}
