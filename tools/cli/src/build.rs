//! `nesl build`: functions of a file as C or CUDA C++ that runs without us.

use crate::messages::{Messages, harmless};
use crate::options::{Build, Platform};
use crate::{Status, manifest, packaging, run};
use ::run::session::{self, BuildOptions, Built, Told};
use base::{Code, Diagnostic, Files, Kind};
use std::fs;
use std::path::Path;

/// The program that calls a library.
const MAIN: &str = "main.c";

/// Builds a library.
pub(crate) fn build(options: &Build) -> Status {
    let mut messages = Messages::new(options.errors.form);
    if let Err(error) = build_file(options, &mut messages) {
        messages.error(&error, &Files::new());
    }
    messages.close();
    messages.status
}

/// Builds a library; errors that belong to no source text are given back.
fn build_file(options: &Build, messages: &mut Messages) -> Result<(), Diagnostic> {
    if options.file.as_os_str() == "-" {
        let message = "a library is named after its file, and `-` is none";
        return Err(Diagnostic::new(Kind::Input, message));
    }
    let (name, text) = run::source(&options.file)?;
    let wanted = BuildOptions {
        platform: match options.target {
            Platform::C => session::Platform::C,
            Platform::Cuda => session::Platform::Cuda,
        },
        wanted: options.entries.clone(),
        main: options.main,
        given: options.given.clone(),
    };
    let told =
        "this form is run, with its effects, to build the library; nothing that it prints is shown";
    let built =
        Built::of(&options.file, &text, &wanted, Some(told), &mut |files, told| match told {
            Told::Warning(warning) => messages.warning(warning, files),
            Told::Error(error) => messages.error(error, files),
        })?;
    let Some(Built { library, .. }) = built else { return Ok(()) };
    let ending = match options.target {
        Platform::C => "c",
        Platform::Cuda => "cu",
    };
    let stem = options.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = emit::host::identifier(&stem.unwrap_or_default());
    let folder = &options.output;
    if library.main.is_some() && format!("{stem}.{ending}") == MAIN {
        let message = format!("the library and the program that `--main` writes are both {MAIN}");
        let help = "give the file of the library another name than `main.nesl`";
        return Err(Diagnostic::new(Kind::Input, message).help(help));
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut files = vec![
        (folder.join(format!("{stem}.{ending}")), library.source),
        (folder.join(format!("{stem}.h")), library.header),
    ];
    files.extend(library.main.map(|main| (folder.join(MAIN), main)));
    if options.manifest {
        let text = manifest::json(&stem, &name, options.target, &library.manifest);
        files.push((folder.join(format!("{stem}.json")), text));
    }
    if options.package {
        let source = options.file.file_name().unwrap_or_default().to_string_lossy();
        let source = harmless(&source).replace('\n', " ");
        let cmake = packaging::cmake(&stem, options.target);
        let pkg_config = packaging::pkg_config(&stem, &source, options.target);
        files.push((folder.join(format!("{stem}.cmake")), cmake));
        files.push((folder.join(format!("{stem}.pc")), pkg_config));
    }
    value::whole::replace_all(&files).map_err(|(path, error)| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::of(Code::File, format!("{} cannot be written: {error}", path.display()))
}
