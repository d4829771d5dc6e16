//! Programs in C that call the library: the example of `docs/embedding.md`, and what may go wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The folder in which cargo puts the library for C.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    let name = if cfg!(target_os = "macos") { "libnesl_capi.dylib" } else { "libnesl_capi.so" };
    assert!(folder.join(name).is_file(), "{} has no {name}", folder.display());
    folder.to_owned()
}

fn compiler() -> String {
    std::env::var("NESL_CC").unwrap_or_else(|_| "cc".to_owned())
}

/// Compiles a program of C; gives where it is, or none if the compiler lacks what the flags want.
fn compiled(name: &str, text: &str, flags: &[&str]) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("capi-{name}"));
    fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("main.c"), folder.join("main"));
    fs::write(&source, text).unwrap();
    let library = library();
    let mut command = Command::new(compiler());
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"]).args(flags);
    for headers in ["include", "tests"] {
        command.arg("-I").arg(Path::new(ROOT).join(headers));
    }
    command.arg(&source).arg("-o").arg(&program);
    command.arg("-L").arg(&library).arg("-lnesl_capi");
    command.arg(format!("-Wl,-rpath,{}", library.display()));
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || !flags.is_empty(), "{told}");
    output.status.success().then_some(program)
}

fn ran(program: &Path) -> Output {
    Command::new(program).output().unwrap()
}

#[track_caller]
fn check(program: &Path, expected: &str) {
    let output = ran(program);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{told}");
}

/// The first block of the page in this language.
fn block<'p>(page: &'p str, fence: &str) -> &'p str {
    let start = page.find(&format!("```{fence}\n")).unwrap() + fence.len() + 4;
    let end = start + page[start..].find("```").unwrap();
    &page[start..end]
}

/// The example prints the output that the page shows.
#[test]
fn the_example() {
    let page = fs::read_to_string(Path::new(ROOT).join("../../docs/embedding.md")).unwrap();
    let program = compiled("example", block(&page, "c smxv.c"), &[]).unwrap();
    let (command, printed) = block(&page, "console").split_once('\n').unwrap();
    assert!(command.starts_with("$ cc "), "{command}");
    check(&program, printed);
}

#[test]
fn calls_errors_and_releases() {
    let text = fs::read_to_string(Path::new(ROOT).join("tests/calls.c")).unwrap();
    check(&compiled("calls", &text, &["-pthread"]).unwrap(), "all is well\n");
    // Not every machine has the sanitizer.
    if let Some(program) = compiled("sanitized", &text, &["-pthread", "-fsanitize=address"]) {
        check(&program, "all is well\n");
    }
}

#[test]
fn forms_of_arguments_and_results() {
    let text = fs::read_to_string(Path::new(ROOT).join("tests/forms.c")).unwrap();
    check(&compiled("forms", &text, &[]).unwrap(), "all is well\n");
    // Not every machine has the sanitizer.
    if let Some(program) = compiled("forms-sanitized", &text, &["-fsanitize=address"]) {
        check(&program, "all is well\n");
    }
}
