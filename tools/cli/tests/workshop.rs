//! Commands around writing programs: `nesl new` and `nesl check --watch`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn nesl(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(folder).args(line.split(' ')).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_new_program_runs_and_is_formatted() {
    let folder = folder("new");
    let made = nesl(&folder, "new first-try");
    let told = "first-try/first-try.nesl is there; `nesl run first-try/first-try.nesl` runs it\n";
    assert_eq!(text(&made.stdout), told);
    let run = nesl(&folder, "run first-try/first-try.nesl --engine interp");
    let results = "mean = fn : [float] -> float\n\
         rows = [[1.0, 2.0], [3.0], [4.0, 5.0, 9.0]] : [[float]]\n\
         it = [1.5, 3.0, 6.0] : [float]\n";
    assert_eq!((text(&run.stdout).as_str(), text(&run.stderr).as_str()), (results, ""));
    let call = "run first-try/first-try.nesl --engine interp --entry mean numbers=[1.0,2.0]";
    assert!(text(&nesl(&folder, call).stdout).ends_with("it = 1.5 : float\n"));
    assert!(nesl(&folder, "fmt --check first-try/first-try.nesl").status.success());
}

#[test]
fn a_name_that_is_taken_or_none() {
    let folder = folder("new-again");
    assert!(nesl(&folder, "new twice").status.success());
    fs::write(folder.join("twice/twice.nesl"), "1;").unwrap();
    let again = nesl(&folder, "new twice --errors short");
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(text(&again.stderr), "nesl: input: twice is there already [N0602]\n");
    assert_eq!(fs::read_to_string(folder.join("twice/twice.nesl")).unwrap(), "1;");
    let path = nesl(&folder, "new a/b --errors short");
    assert_eq!(text(&path.stderr), "nesl: input: `a/b` is no name for a program [N0601]\n");
}

#[test]
fn a_file_is_checked_whenever_it_changes() {
    let folder = folder("watch");
    let file = folder.join("p.nesl");
    fs::write(&file, "sum(1);\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(&folder).args(["check", "--watch", "p.nesl", "--errors", "short"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "p.nesl:1:4: type: `sum` takes [int] or [float], found int [N0301]");
    assert_eq!(next(), "p.nesl: 1 error; Ctrl-C ends the watch");
    fs::write(&file, "function total(s) = sum(s);\n").unwrap();
    assert_eq!(next(), "p.nesl: no errors; Ctrl-C ends the watch");
    // What the file defined before is forgotten.
    fs::write(&file, "total([1]) + 0; sum(0);\n").unwrap();
    assert_eq!(next(), "p.nesl:1:1: undefined: `total` is not defined [N0204]");
    assert_eq!(next(), "p.nesl:1:20: type: `sum` takes [int] or [float], found int [N0301]");
    assert_eq!(next(), "p.nesl: 2 errors; Ctrl-C ends the watch");
    fs::remove_file(&file).unwrap();
    let gone = "p.nesl cannot be read: No such file or directory (os error 2)";
    assert_eq!(next(), format!("nesl: input: {gone} [N0602]"));
    assert_eq!(next(), "p.nesl: 1 error; Ctrl-C ends the watch");
    fs::write(&file, "1;\n").unwrap();
    assert_eq!(next(), "p.nesl: no errors; Ctrl-C ends the watch");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn loaded_files_are_watched() {
    let folder = folder("watch-loaded");
    fs::write(folder.join("p.nesl"), "load \"lib\";\ntwice(1);\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(&folder).args(["check", "--watch", "p.nesl", "--errors", "short"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    let gone = "lib cannot be read: No such file or directory (os error 2)";
    assert_eq!(next(), format!("p.nesl:1:6: runtime(file): {gone} [N0508]"));
    assert_eq!(next(), "p.nesl: 1 error; Ctrl-C ends the watch");
    fs::write(folder.join("lib.nesl"), "function twice(x) = 2 * y;\n").unwrap();
    assert_eq!(next(), "lib.nesl:1:25: undefined: `y` is not defined [N0204]");
    assert_eq!(next(), "p.nesl: 1 error; Ctrl-C ends the watch");
    fs::write(folder.join("lib.nesl"), "function twice(x) = 2 * x;\n").unwrap();
    assert_eq!(next(), "p.nesl: no errors; Ctrl-C ends the watch");
    child.kill().unwrap();
    child.wait().unwrap();
}
