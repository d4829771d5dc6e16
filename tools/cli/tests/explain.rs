//! The pages of `nesl explain`: what is called wrong has that error and no other, what is called
//! right has none, what is interpreted as it cannot be compiled has a warning, and the messages
//! shown are those that the command prints.
//!
//! `UPDATE_EXPECT=1` writes the messages into the pages.

mod pages;

use pages::{Block, blocks, command, expect, folder, root};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Codes whose errors no example can show: one needs another program than `nesl`, one a person at
/// the keyboard, and of the last no example is known.  Their pages say so.
const WITHOUT_EXAMPLE: [&str; 3] = ["N0705", "N0801", "N0901"];
/// Codes whose messages depend on the machine.
const BY_MACHINE: [&str; 1] = ["N0604"];

/// Runs a program, or the lines behind `$` of a console.
fn run(folder: &Path, example: &Block<'_>) -> Output {
    let (mut command, input) = match example.info {
        "console" => {
            let lines = example.text.lines().filter_map(|line| line.strip_prefix("$ "));
            (command(folder, "sh", &["-e"]), lines.map(|line| format!("{line}\n")).collect())
        }
        info => {
            let engine = if info == "nesl cpu" { "cpu" } else { "interp" };
            let run = ["run", "-", "--engine", engine];
            let arguments = if example.heading == "Warned" { &["check", "-"][..] } else { &run };
            (command(folder, env!("CARGO_BIN_EXE_nesl"), arguments), example.text.to_owned())
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
    let all = blocks(page);
    for (n, example) in all.iter().enumerate().rev() {
        if example.info == "text" {
            continue;
        }
        let output = run(folder, example);
        // The page is what the last line speaks of.
        let message = String::from_utf8(output.stderr).unwrap();
        let lines = message.split_inclusive('\n').filter(|line| !line.starts_with("more about "));
        let message: String = lines.collect();
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
            "Warned" => {
                wrong += 1;
                assert!(output.status.success(), "{name}: {message}");
                let warns = |line: &str| line.contains(": warning: ");
                assert!(!message.is_empty() && message.lines().all(warns), "{name}: {message}");
                let told = &all[n + 1];
                assert_eq!(told.info, "text", "{name}");
                updated.replace_range(told.place.clone(), &message);
            }
            "Interpreted" => {
                assert!(output.status.success(), "{name}: {message}");
                assert!(message.contains(": warning: interpreted"), "{name}: {message}");
                let told = &all[n + 1];
                assert_eq!(told.info, "text", "{name}");
                updated.replace_range(told.place.clone(), &message);
            }
            "Right" => {
                right += 1;
                assert!(output.status.success(), "{name}: {message}");
                assert_eq!(message, "", "{name}");
            }
            heading => panic!("{name}: an example under `{heading}`"),
        }
    }
    let without = WITHOUT_EXAMPLE.contains(&name);
    assert_eq!([wrong > 0, right > 0], [!without, !without], "{name}");
    assert_eq!(page.contains("There is no example to run: "), without, "{name}");
    updated
}

#[test]
fn examples_have_the_errors_that_their_pages_say() {
    let folder = folder("errors");
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("docs/errors"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|file| file.file_stem().is_some_and(|s| s.to_string_lossy().starts_with('N')));
    files.sort();
    assert!(files.len() > 50);
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let page = fs::read_to_string(&file).unwrap();
        let inside = folder.join(name);
        fs::create_dir_all(&inside).unwrap();
        let updated = checked(name, &page, &inside);
        expect(&file, &page, &updated);
    }
}

#[test]
fn a_page_is_shown_and_an_unknown_code_is_not() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let explain = |arguments: &[&str]| {
        let arguments = [&["explain"], arguments].concat();
        command(folder, env!("CARGO_BIN_EXE_nesl"), &arguments).output().unwrap()
    };
    let shown = explain(&["n204"]);
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.starts_with("N0204: a name that is not defined\n"), "{text}");
    assert!(text.contains("\n    function mean(s) = summ(s) / float(#s);\n"), "{text}");
    let none = explain(&["N9999"]);
    assert_eq!(none.status.code(), Some(2));
    let list = explain(&[]);
    assert!(String::from_utf8(list.stdout).unwrap().lines().count() > 50);
}
