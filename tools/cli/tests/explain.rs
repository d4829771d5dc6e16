//! The pages of `nesl explain`: what is called wrong has that error and no other, what is called
//! right has none, and the messages shown are those that the command prints.
//!
//! `UPDATE_EXPECT=1` writes the messages into the pages.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Codes whose errors no example can show: two need more memory or another program than `nesl`, one
/// a person at the keyboard, and of the last no example is known.
const WITHOUT_EXAMPLE: [&str; 4] = ["N0703", "N0705", "N0801", "N0901"];
/// Codes without a right example, as what is right would need files.
const WITHOUT_RIGHT: [&str; 1] = ["N0508"];
/// Codes whose messages depend on the machine.
const BY_MACHINE: [&str; 1] = ["N0604"];

/// A fenced block under a heading.
struct Example<'p> {
    heading: &'p str,
    /// What is written behind the opening fence.
    info: &'p str,
    text: &'p str,
    /// The bytes of the text in the page.
    place: std::ops::Range<usize>,
}

fn examples(page: &str) -> Vec<Example<'_>> {
    let mut found = Vec::new();
    let (mut at, mut heading, mut open) = (0, "", None);
    for line in page.split_inclusive('\n') {
        let bare = line.trim_end();
        if let Some(title) = bare.strip_prefix("## ") {
            heading = title;
        } else if let Some(info) = bare.strip_prefix("```") {
            open = match open {
                None => Some((info, at + line.len())),
                Some((info, start)) => {
                    found.push(Example { heading, info, text: &page[start..at], place: start..at });
                    None
                }
            };
        }
        at += line.len();
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

fn nesl(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    let binary = Path::new(env!("CARGO_BIN_EXE_nesl")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .args(arguments)
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .env("CUDA_VISIBLE_DEVICES", "-1")
        .env_remove("NESL_CC")
        .env_remove("CC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a program, or the lines behind `$` of a console.
fn run(folder: &Path, example: &Example<'_>) -> Output {
    let (mut command, input) = match example.info {
        "console" => {
            let lines = example.text.lines().filter_map(|line| line.strip_prefix("$ "));
            (nesl(folder, "sh", &["-e"]), lines.map(|line| format!("{line}\n")).collect())
        }
        info => {
            let engine = if info == "nesl cpu" { "cpu" } else { "interp" };
            let arguments = ["run", "-", "--engine", engine];
            (nesl(folder, env!("CARGO_BIN_EXE_nesl"), &arguments), example.text.to_owned())
        }
    };
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The codes of a message.
fn codes(message: &str) -> Vec<&str> {
    message
        .lines()
        .filter_map(|line| line.split_once("[N"))
        .filter(|(word, _)| ["error", "limit", "bug"].contains(word))
        .map(|(_, rest)| rest.split(']').next().unwrap_or(""))
        .collect()
}

/// Runs the examples of a page; gives the page with the messages that they print.
fn checked(name: &str, page: &str, folder: &Path) -> String {
    let mut updated = page.to_owned();
    let [mut wrong, mut right] = [0, 0];
    // From the end, so that places stay.
    let all = examples(page);
    for (n, example) in all.iter().enumerate().rev() {
        if example.info == "text" {
            continue;
        }
        let output = run(folder, example);
        let message = String::from_utf8(output.stderr).unwrap();
        match example.heading {
            "Wrong" => {
                wrong += 1;
                assert!(!output.status.success(), "{name}: what is wrong succeeds");
                let codes = codes(&message);
                let own = codes.iter().all(|code| *code == &name[1..]);
                assert!(own && !codes.is_empty(), "{name}: {message}");
                let told = &all[n + 1];
                assert_eq!(told.info, "text", "{name}");
                if BY_MACHINE.contains(&name) {
                    continue;
                }
                updated.replace_range(told.place.clone(), &format!("{}\n", message.trim_end()));
            }
            "Right" => {
                right += 1;
                assert!(output.status.success(), "{name}: {message}");
                assert_eq!(message, "", "{name}");
            }
            heading => panic!("{name}: an example under `{heading}`"),
        }
    }
    assert_eq!(wrong > 0, !WITHOUT_EXAMPLE.contains(&name), "{name}");
    let without_right = WITHOUT_EXAMPLE.contains(&name) || WITHOUT_RIGHT.contains(&name);
    assert_eq!(right > 0, !without_right, "{name}");
    updated
}

#[test]
fn examples_have_the_errors_that_their_pages_say() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let mut files: Vec<PathBuf> =
        fs::read_dir(pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.file_stem().is_some_and(|s| s.to_string_lossy().starts_with('N')));
    files.sort();
    assert!(files.len() > 50);
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let page = fs::read_to_string(&file).unwrap();
        let inside = folder.join(name);
        fs::create_dir_all(&inside).unwrap();
        let updated = checked(name, &page, &inside);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&file, updated).unwrap();
        } else {
            assert_eq!(page, updated, "{name}");
        }
    }
}

#[test]
fn a_page_is_shown_and_an_unknown_code_is_not() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shown = nesl(folder, env!("CARGO_BIN_EXE_nesl"), &["explain", "n204"]).output().unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.starts_with("N0204: a name that is not defined\n"), "{text}");
    assert!(text.contains("\n    function mean(s) = summ(s) / float(#s);\n"), "{text}");
    let none = nesl(folder, env!("CARGO_BIN_EXE_nesl"), &["explain", "N9999"]).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
    let list = nesl(folder, env!("CARGO_BIN_EXE_nesl"), &["explain"]).output().unwrap();
    assert!(String::from_utf8(list.stdout).unwrap().lines().count() > 50);
}
