//! What people who come from other languages get wrong, and every word that they are told.
//!
//! Each program of `tests/errors` is run as `nesl run` does it, and its messages are compared with
//! the file `.err` beside it; `UPDATE_EXPECT=1` writes these files.  Read the difference as the
//! person would: does it say what is wrong, where, and what to write instead?

use expect_test::expect_file;
use run::Session;
use run::session::{EngineKind, Event, Options};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Enough for every program that ends.
const MEMORY: usize = 64 << 20;

/// The files of the corpus with this ending, in order.
fn files(ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/errors");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|file| file.extension().is_some_and(|e| e == ending)).collect();
    files.sort();
    files
}

/// A session as that of `nesl run --engine interp`.
fn session() -> Session {
    let mut options = Options::new(EngineKind::Interp);
    options.cpu.memory = Some(MEMORY);
    Session::new(&options, Box::new(io::sink())).unwrap()
}

/// The messages about a program, as the command prints them.
fn messages(session: &mut Session, file: &Path) -> Vec<String> {
    let name = file.file_name().unwrap().to_str().unwrap();
    let mut messages = Vec::new();
    let _ = session.run(name, &fs::read(file).unwrap(), &mut |files, event| {
        if let Event::Failed(errors) = event {
            messages.extend(errors.iter().map(|error| error.render(files, false) + "\n"));
        }
    });
    session.reset();
    messages
}

#[test]
fn people_are_told_what_is_wrong() {
    let mut session = session();
    let programs = files("nesl");
    assert!(programs.len() > 90);
    for program in &programs {
        let told = messages(&mut session, program);
        assert!(!told.is_empty(), "{} has no error", program.display());
        expect_file![program.with_extension("err")].assert_eq(&told.join("\n"));
    }
    let of_programs: Vec<PathBuf> = programs.iter().map(|p| p.with_extension("err")).collect();
    assert_eq!(files("err"), of_programs, "messages without a program");
}

#[test]
fn ten_mistakes_are_ten_errors() {
    let mistakes = files("nesl").into_iter().find(|file| file.ends_with("ten-mistakes.nesl"));
    let told = messages(&mut session(), &mistakes.unwrap());
    assert_eq!(told.len(), 10, "{}", told.join("\n"));
}
