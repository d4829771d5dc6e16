//! Libraries of files: a session on paper that runs the forms of a file and builds its functions.
//!
//! The command, build scripts and tests make libraries by it.

use super::build::BuildOptions;
use super::{EngineKind, Event, Options, Session};
use base::{Diagnostic, Files};
use device::Paper;
use emit::CText;
use emit::host::Standalone;
use std::path::{Path, PathBuf};

/// The messages about a file while its library is built.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// Something that does not keep it from being built.
    Warning(&'a Diagnostic),
    /// Why it is not built.
    Error(&'a Diagnostic),
}

/// The library that was made of a file.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its library.
    pub library: Standalone,
    /// The files that it was made of: the file itself, and those that it loads.
    pub sources: Vec<PathBuf>,
}

impl Built {
    /// Builds functions of a text that is, or stands for, the contents of `file`; `effects` is the
    /// warning about the first form that has any.  There is nothing if an error was told.
    ///
    /// # Errors
    ///
    /// The messages that belong to no text.
    pub fn of(
        file: &Path,
        text: &[u8],
        options: &BuildOptions,
        effects: Option<&'static str>,
        tell: &mut (dyn FnMut(&Files, Told<'_>) + Send),
    ) -> Result<Option<Built>, Diagnostic> {
        let paper: Paper<CText> = Paper::default();
        let mut choices = Options::new(EngineKind::Cpu);
        choices.effects_told = effects;
        let mut session = Session::on(paper, &choices, Box::new(std::io::sink()))?;
        let mut failed = false;
        let _ = session.run(&file.display().to_string(), text, &mut |files, event| match event {
            Event::Failed(errors) => {
                failed = true;
                errors.iter().for_each(|error| tell(files, Told::Error(error)));
            }
            Event::Warning(warning) => tell(files, Told::Warning(&warning)),
            Event::Shown { .. } | Event::Said(_) => {}
        });
        if failed {
            return Ok(None);
        }
        let own = session.files.iter().filter(|(_, file)| !file.library);
        let sources = own.map(|(_, file)| PathBuf::from(&file.name)).collect();
        match session.build(file, options) {
            Ok((library, notes)) => {
                notes.iter().for_each(|note| tell(&session.files, Told::Warning(note)));
                Ok(Some(Built { library, sources }))
            }
            Err(errors) => {
                errors.iter().for_each(|error| tell(&session.files, Told::Error(error)));
                Ok(None)
            }
        }
    }
}
