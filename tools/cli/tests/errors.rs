//! What people who come from other languages get wrong, and every word that they are told.
//!
//! Each program of `tests/errors` is run as `nesl run` does it, and its messages are compared with
//! the file `.err` beside it; `UPDATE_EXPECT=1` writes these files.  Read the difference as the
//! person would: does it say what is wrong, where, and what to write instead?

use base::Edit;
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

/// A session as that of `nesl run`.
fn session(engine: EngineKind) -> Session {
    let mut options = Options::new(engine);
    options.cpu.memory = Some(MEMORY);
    Session::new(&options, Box::new(io::sink())).unwrap()
}

/// The messages about a program, as the command prints them.
fn messages(session: &mut Session, file: &Path) -> Vec<String> {
    let name = file.file_name().unwrap().to_str().unwrap();
    let mut messages = Vec::new();
    let _ = session.run(name, &fs::read(file).unwrap(), &mut |files, event| match event {
        Event::Failed(errors) => {
            messages.extend(errors.iter().map(|error| error.render(files, false) + "\n"));
        }
        Event::Warning(warning) => messages.push(warning.short_warning(files) + "\n"),
        Event::Shown { .. } | Event::Said(_) => {}
    });
    session.reset();
    messages
}

/// A program after the first change that each error or warning about it suggests, if there is one.
fn repaired(session: &mut Session, text: &[u8]) -> Option<Vec<u8>> {
    let mut edits: Vec<Edit> = Vec::new();
    session.check("text", text, &mut |_, event| {
        let told = match event {
            Event::Failed(errors) => errors,
            Event::Warning(warning) => vec![warning],
            Event::Shown { .. } | Event::Said(_) => Vec::new(),
        };
        for suggestion in told.iter().filter_map(|error| error.suggestions.first()) {
            let new = |edit: &&Edit| !edits.contains(edit);
            let new: Vec<Edit> = suggestion.edits.iter().filter(new).cloned().collect();
            edits.extend(new);
        }
    });
    session.reset();
    // Changes of several errors at one place are made one after the other.
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut text = text.to_vec();
    for edit in edits.iter().rev() {
        let range = edit.span.start as usize..edit.span.end as usize;
        text.splice(range, edit.text.bytes());
    }
    (!edits.is_empty()).then_some(text)
}

/// Programs that have no error after the suggested edits, and their values then.
const REPAIRED: &[(&str, &[&str])] = &[
    ("175-function-between-its-arguments", &["2", "3", "2", "4", "7"]),
    (
        "176-range-without-brackets",
        &[
            SQUARES,
            SQUARES,
            SQUARES,
            "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "45",
            "20",
            "[4]",
            "[1, 3, 5]",
        ],
    ),
    ("177-closing-bracket-missing", &["3", "4"]),
    (
        "180-value-that-is-applied",
        &["9.42477796076938", "7.853981633974483", "9223372036854775805"],
    ),
    ("181-operator-by-its-name", &["[1, 2, 3]", "([0, 1, 3], 6)", "6"]),
    ("182-two-calls-on-a-line", &["T", "T", "3", "T"]),
    (
        "184-quotient-of-ints",
        &["[1, 2, 3]", "2.5", "1.4142135623730951", "2.0", "3.0", "1.0", "1.0", "1.5"],
    ),
    ("185-number-with-commas", &["1000000", "12345", "499500", "(1, 234)", "(0, 100)"]),
    ("186-elements-of-another-type", &["[1.0, 2.0]", "[1, 4]"]),
    ("190-mean-of-floats", &["1.75"]),
];

const SQUARES: &str = "[0, 1, 4, 9, 16, 25, 36, 49, 64, 81]";

#[test]
fn what_is_suggested_mends_a_program() {
    let mut session = session(EngineKind::Interp);
    for (name, values) in REPAIRED {
        let file = files("nesl").into_iter().find(|file| file.file_stem().unwrap() == *name);
        let mut text = fs::read(file.unwrap()).unwrap();
        let mut rounds = 0;
        while let Some(better) = repaired(&mut session, &text) {
            text = better;
            rounds += 1;
            assert!(rounds < 5, "{name}: {}", String::from_utf8_lossy(&text));
        }
        let mut given = Vec::new();
        let _ = session.run("text", &text, &mut |_, event| {
            if let Event::Shown { value, .. } = event
                && value != b"fn"
            {
                given.push(String::from_utf8(value).unwrap());
            }
        });
        session.reset();
        assert_eq!(given, *values, "{name}: {}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn people_are_told_what_is_wrong() {
    let mut session = session(EngineKind::Interp);
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
    let told = messages(&mut session(EngineKind::Interp), &mistakes.unwrap());
    assert_eq!(told.len(), 10, "{}", told.join("\n"));
}

/// Compiled code finds other ways to an error, and tells the same about it.
#[test]
fn errors_of_compiled_code_are_the_same() {
    let mut session = session(EngineKind::Cpu);
    let mut compiled = 0;
    for program in files("nesl") {
        let expected = fs::read_to_string(program.with_extension("err")).unwrap();
        if expected.contains("error[N05") {
            compiled += 1;
            assert_eq!(messages(&mut session, &program).join("\n"), expected);
        }
    }
    assert!(compiled >= 5);
}
