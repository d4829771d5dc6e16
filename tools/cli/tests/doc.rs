//! `nesl doc`: what is told of the library and of files, in the terminal and on pages; that every
//! example of the library gives what it says; and that `docs/library` is what is told now.
//!
//! `UPDATE_EXPECT=1` writes the pages of `docs/library`.

mod pages;

use ::run::Session;
use ::run::session::{Described, EngineKind, Options};
use expect_test::{Expect, expect};
use pages::{command, folder, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use stdlib::{Gives, TOPICS, Topic};

/// A file with a function of each kind that documentation has something to say about.
const SHAPES: &str = "\
datatype circle(float);

function area(circle(r)) : circle -> float
  \"what it covers; <always> & `never` below 0

   cost: 1 / 1
   example: area(circle(2.0)) ==> 12.566370614359172\"
  = pi * r * r;

function bare(x) = x;

function told(s) : [char] -> bool
  \"tells it\"
  = print_line(s);

unit = circle(1.0);
";

/// What the library says of all its names.
fn library() -> Vec<Described> {
    let session = Session::new(&Options::new(EngineKind::Interp), Box::new(std::io::sink()));
    let Ok(session) = session else { panic!("no session") };
    let names = TOPICS.iter().flat_map(Topic::names);
    names.map(|name| session.described(name).unwrap_or_else(|| panic!("no `{name}`"))).collect()
}

/// Standard output and standard error of `nesl doc`, and its exit code.
fn told(folder: &Path, arguments: &[&str]) -> String {
    let mut command = command(folder, env!("CARGO_BIN_EXE_nesl"), &["doc"]);
    let output = command.args(arguments).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let err = if err.is_empty() { err } else { format!("-- stderr\n{err}") };
    let code = output.status.code().unwrap();
    format!("{out}{err}{}", if code == 0 { String::new() } else { format!("-- exit {code}\n") })
}

#[track_caller]
fn check(arguments: &[&str], expected: &Expect) {
    expected.assert_eq(&told(&root(), arguments));
}

/// Texts of the files in a folder, by name.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    entries.map(text).collect()
}

/// What stands between two marks, wherever it does.
fn between<'t>(text: &'t str, open: &'static str, close: char) -> impl Iterator<Item = &'t str> {
    text.split(open).skip(1).map(move |rest| rest.split(close).next().unwrap_or(rest))
}

// The library

/// All run in one program, each in a line of its own behind a mark, so that what it prints, its
/// value and its errors can be told apart.
#[test]
fn examples_give_what_they_say() {
    let library = library();
    let without: Vec<&str> = library
        .iter()
        .filter(|described| described.doc.as_ref().is_none_or(|doc| doc.examples.is_empty()))
        .map(|described| described.name.as_str())
        .collect();
    assert!(without.is_empty(), "without an example: {without:?}");

    let examples = library.iter().flat_map(|described| {
        let examples = described.doc.iter().flat_map(|doc| &doc.examples);
        examples.map(|example| (&described.name, example))
    });
    let examples: Vec<_> = examples.collect();
    let forms = examples.iter().enumerate().map(|(place, (_, example))| {
        format!("_ = print_string(\"\\n@{place}@\\n\"); {};\n", example.input)
    });
    let folder = folder("examples");
    fs::write(folder.join("examples.nesl"), forms.collect::<String>()).unwrap();
    let arguments = ["run", "--engine", "interp", "--errors", "short", "examples.nesl"];
    let mut run = command(&folder, env!("CARGO_BIN_EXE_nesl"), &arguments);
    let output = run.stdin(std::process::Stdio::null()).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());

    let mut wrong = String::new();
    for (place, (name, example)) in examples.iter().enumerate() {
        let mark = format!("\n@{place}@\n");
        let behind = out.split_once(&mark).unwrap_or_else(|| panic!("no {place}: {out}\n{err}")).1;
        let shown = behind.split("\n@").next().unwrap_or(behind);
        let at = format!("examples.nesl:{}:", place + 1);
        let errors: Vec<&str> = err.lines().filter(|line| line.starts_with(&at)).collect();
        let prints = example.prints.as_deref().unwrap_or_default();
        let right = match &example.gives {
            Some(Gives::Value(value)) => {
                let printed = shown.split_once(&format!("it = {value} : "));
                errors.is_empty() && printed.is_some_and(|(printed, _)| printed.trim() == prints)
            }
            Some(Gives::Failure(site)) => {
                let kind = format!(" runtime({site}): ");
                matches!(errors[..], [error] if error.contains(&kind)) && shown.trim() == prints
            }
            None => errors.is_empty() && shown.contains("it = "),
        };
        if !right {
            wrong += &format!("{name}: {example}\n  shows {shown:?}, {errors:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
