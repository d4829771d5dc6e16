//! Programs with build scripts: built by cargo, and run.
//!
//! Cargo would compile the whole compiler again for a build script.  So a process of this test runs
//! the script, as cargo would, and cargo builds a copy of the program whose script hands over what
//! the other one made and said.  `scripts/rust-check` builds the programs as they are.

#![expect(clippy::print_stdout, reason = "cargo reads what build scripts print")]

use expect_test::expect;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[path = "../example/build.rs"]
mod example;
#[path = "kinds/build.rs"]
mod kinds;

/// The variable that names the script to be run.
const SCRIPT: &str = "NESL_BUILD_SCRIPT";

/// Not a test, but the process that runs a script.
#[test]
#[ignore = "it is the process of other tests"]
fn script() {
    let Ok(script) = env::var(SCRIPT) else { return };
    println!();
    match script.as_str() {
        "example" => example::main().unwrap(),
        "kinds" => kinds::main().unwrap(),
        "wrong" => {
            let error = nesl_build::compile("wrong.nesl").unwrap_err();
            assert_eq!(error.to_string(), format!("{error:?}").trim_start());
            println!("{error}");
        }
        other => panic!("no script {other}"),
    }
}

fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a script in a folder; gives what it prints.
fn script_in(name: &str, folder: &Path, out: &Path) -> String {
    let host = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let host = String::from_utf8(host).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let mut process = Command::new(env::current_exe().unwrap());
    process.args(["--ignored", "--exact", "script", "--nocapture"]).current_dir(folder);
    process.env(SCRIPT, name).env("OUT_DIR", out).env("TARGET", host).env("HOST", host);
    process.env("OPT_LEVEL", "0").env("DEBUG", "false").env("CARGO_CFG_UNIX", "");
    let output = process.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let begin = text.find("\n\n").unwrap_or_else(|| panic!("no script: {text}"));
    let end = text.find("\ntest result:").unwrap();
    text[begin..end].replace("test script ... ", "").trim_matches(['\n', '.', 'o', 'k']).to_owned()
}

/// Builds a program and runs it; gives what it prints, and what its script said.
fn program(name: &str, folder: &Path) -> (String, String) {
    let out = scratch(&format!("{name}-out"));
    let said = script_in(name, folder, &out);
    let copy = scratch(name);
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let (before, after) = manifest.split_once("[build-dependencies]").unwrap();
    let data = own("../data").canonicalize().unwrap();
    let line = before.lines().find(|line| line.starts_with("nesl-data")).unwrap();
    let before = before.replace(line, &format!("nesl-data = {{ path = {data:?} }}"));
    let after = after.split_once("\n\n").unwrap().1;
    fs::write(copy.join("Cargo.toml"), before + after).unwrap();
    fs::create_dir_all(copy.join("src")).unwrap();
    fs::copy(folder.join("src/main.rs"), copy.join("src/main.rs")).unwrap();
    fs::write(copy.join("build.rs"), handed_over(&out, &said)).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--offline"]).current_dir(&copy);
    cargo.env("CARGO_TARGET_DIR", copy.join("target"));
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), said)
}

/// A script that says the same, and has the same files.
fn handed_over(out: &Path, said: &str) -> String {
    let mut text = "fn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n".to_owned();
    for file in fs::read_dir(out).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|it| it == "rs") {
            let name = path.file_name().unwrap();
            text += &format!(
                "    std::fs::copy({path:?}, format!(\"{{out}}/{{}}\", {name:?})).unwrap();\n"
            );
        }
    }
    let lines = said.lines().filter(|line| !line.contains("rerun-if"));
    lines.for_each(|line| text += &format!("    println!(\"{{}}\", {line:?});\n"));
    text + "}\n"
}

#[test]
fn the_example_runs() {
    let (printed, said) = program("example", &own("example"));
    expect![[r#"
        [0, 1, 1, 2, 3, -1]
        [7.0, 0.0, 40.0]
        error[N0502]: graph.nesl:20:13: runtime(index): index 1 is outside a sequence of length 1, in element 1 of row 0
    "#]].assert_eq(&printed);
    assert!(said.lines().any(|line| line == "cargo::rerun-if-changed=src/graph.nesl"), "{said}");
    assert!(!said.contains("cargo::warning"), "{said}");
}

#[test]
fn all_types_go_in_and_come_out() {
    let (printed, said) = program("kinds", &own("tests/kinds"));
    assert_eq!(printed, "");
    let told = |key: &str| {
        let key = format!("cargo::{key}=");
        let lines = said.lines().filter_map(|line| line.strip_prefix(&key));
        lines.collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        src/kinds.nesl
        src/parts.nesl
        src/some-more.nesl"#]]
    .assert_eq(&told("rerun-if-changed"));
    expect![[r#"
        src/kinds.nesl:22:1: input: `anything` is left out: it is of many types; --entry 'anything : [int] -> [int]' builds it for one
        `wide` of kinds.nesl is left out: it has a sequence of tuples with more than six parts, or with none"#]].assert_eq(&told("warning"));
}

#[test]
fn errors_are_those_of_the_command() {
    let folder = scratch("wrong");
    fs::write(folder.join("wrong.nesl"), "function last(a) : [int] -> int = a + 1;\n").unwrap();
    expect![[r#"
        error[N0302]: `+` needs int or float here, found [int]
         --> wrong.nesl:1:35
          |
        1 | function last(a) : [int] -> int = a + 1;
          |                    ------------   ^ this is [int]
          |                    |
          |                    this makes `a` [int]
          |
          = note: `+` has type (a, a) -> a :: (a in number)
          = help: `++` joins sequences; `{x + y : x in a; y in b}` adds their elements"#]]
    .assert_eq(&script_in("wrong", &folder, &folder));
    assert!(!folder.join("wrong.rs").exists());
}

/// The page of the book shows the program that runs.
#[test]
fn the_page_shows_the_example() {
    let read = |path: &str| fs::read_to_string(own(path)).unwrap();
    let page = read("../../docs/rust.md");
    let shown: Vec<&str> = page.split("```rust,ignore\n").skip(1).collect();
    assert_eq!(shown.len(), 2);
    for (shown, file) in shown.iter().zip(["example/build.rs", "example/src/main.rs"]) {
        let shown = shown.split_once("```").unwrap().0;
        let text = read(file).replace("pub(crate) fn main", "fn main");
        assert!(text.contains(shown), "{file} does not contain\n{shown}");
    }
}
