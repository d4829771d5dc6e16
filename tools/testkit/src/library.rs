//! Libraries: programs as `nesl build` prints them, compiled by the system's compiler.

use base::Kind;
use emit::host::Standalone;
use run::session::{BuildOptions, Built, Told};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Builds a library of a program; an error is what is to be told.
pub fn build(program: &Path, options: &BuildOptions) -> Result<Standalone, String> {
    let text = fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut errors = Vec::new();
    let built = Built::of(program, &text, options, None, &mut |files, told| {
        if let Told::Error(error) = told {
            debug_assert!(error.kind != Kind::Bug, "{error:?}");
            errors.push(error.short(files));
        }
    });
    let built = built.map_err(|error| error.message)?;
    built.map(|built| built.library).ok_or_else(|| errors.join("\n"))
}

/// A folder with the files of a library.
pub fn write(folder: PathBuf, name: &str, library: &Standalone) -> io::Result<PathBuf> {
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), &library.source)?;
    fs::write(folder.join(name).with_extension("h"), &library.header)?;
    if let Some(main) = &library.main {
        fs::write(folder.join("main.c"), main)?;
    }
    Ok(folder)
}

/// Runs a command in a folder; gives what it prints, or, if it fails, all that it says.
pub fn told(folder: &Path, program: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(args).current_dir(folder).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        let said = text(&output.stdout) + &text(&output.stderr);
        Err(format!("{program} {}: {}\n{said}", args.join(" "), output.status))
    }
}
