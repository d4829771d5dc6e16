//! Libraries: programs as `nesl build` prints them, compiled by the system's compiler.

use base::Kind;
use device::Paper;
use emit::CText;
use emit::host::Standalone;
use run::Session;
use run::session::{BuildOptions, EngineKind, Event, Options};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Builds a library of a program; an error is what is to be told.
pub fn build(program: &Path, options: &BuildOptions) -> Result<Standalone, String> {
    let text = fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let paper: Paper<CText> = Paper::default();
    let session = Session::on(paper, &Options::new(EngineKind::Cpu), Box::new(io::sink()));
    let mut session = session.map_err(|error| error.message)?;
    let mut errors = Vec::new();
    let _ = session.run(&program.display().to_string(), &text, &mut |_, event| {
        if let Event::Failed(reasons) = event {
            errors.extend(reasons);
        }
    });
    let built = if errors.is_empty() { session.build(program, options) } else { Err(errors) };
    built.map(|(library, _)| library).map_err(|errors| {
        let text: Vec<String> = errors.iter().map(|e| e.short(&session.files)).collect();
        debug_assert!(errors.iter().all(|e| e.kind != Kind::Bug), "{text:?}");
        text.join("\n")
    })
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
