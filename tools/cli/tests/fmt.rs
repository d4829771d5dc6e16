//! `nesl fmt`: what becomes of files, of standard input, and of what cannot be formatted.

use expect_test::{Expect, expect};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const UNTIDY: &str = "\
% Doubles. %
function double(s)={x+x:x in s}; % of numbers %
double( [1,2] ) ;
";

const TIDY: &str = "\
% Doubles. %
function double(s) = {x + x : x in s}; % of numbers %
double([1, 2]);
";

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Standard output, standard error and the exit code.
fn transcript(folder: &Path, line: &str, input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(folder).args(line.split(' ')).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let err = if err.is_empty() { err } else { format!("-- stderr\n{err}") };
    format!("{out}{err}-- exit {}\n", output.status.code().unwrap())
}

#[track_caller]
fn check(folder: &Path, line: &str, expected: &Expect) {
    expected.assert_eq(&transcript(folder, line, ""));
}

#[test]
fn formatting_files() {
    let folder = folder("fmt-files");
    let [untidy, tidy] = ["untidy.nesl", "tidy.nesl"].map(|name| folder.join(name));
    fs::write(&untidy, UNTIDY).unwrap();
    fs::write(&tidy, TIDY).unwrap();
    check(
        &folder,
        "fmt --check untidy.nesl tidy.nesl",
        &expect![[r#"
            untidy.nesl is not formatted
            @@ -1,3 +1,3 @@
             % Doubles. %
            -function double(s)={x+x:x in s}; % of numbers %
            -double( [1,2] ) ;
            +function double(s) = {x + x : x in s}; % of numbers %
            +double([1, 2]);
            -- exit 1
        "#]],
    );
    assert_eq!(fs::read_to_string(&untidy).unwrap(), UNTIDY);
    let written = fs::metadata(&tidy).unwrap().modified().unwrap();
    check(
        &folder,
        "fmt untidy.nesl tidy.nesl",
        &expect![[r#"
        -- exit 0
    "#]],
    );
    assert_eq!(fs::read_to_string(&untidy).unwrap(), TIDY);
    assert_eq!(fs::metadata(&tidy).unwrap().modified().unwrap(), written);
    check(
        &folder,
        "fmt --check untidy.nesl tidy.nesl",
        &expect![[r#"
        -- exit 0
    "#]],
    );
}

#[test]
fn formatting_standard_input() {
    let folder = folder("fmt-input");
    let run = |line: &str| transcript(&folder, line, UNTIDY);
    let told = format!("{TIDY}-- exit 0\n");
    assert_eq!(run("fmt"), told);
    assert_eq!(run("fmt -"), told);
    expect![[r#"
        <stdin> is not formatted
        @@ -1,3 +1,3 @@
         % Doubles. %
        -function double(s)={x+x:x in s}; % of numbers %
        -double( [1,2] ) ;
        +function double(s) = {x + x : x in s}; % of numbers %
        +double([1, 2]);
        -- exit 1
    "#]]
    .assert_eq(&run("fmt --check"));
}

#[test]
fn long_differences_are_cut() {
    let input = "x=1;\n".repeat(100);
    let told = transcript(&folder("fmt-long"), "fmt --check -", &input);
    assert_eq!(told.lines().count(), 43, "{told}");
    assert!(told.contains("\nand 161 more lines\n"), "{told}");
}

#[test]
fn what_is_wrong_is_not_formatted() {
    let folder = folder("fmt-wrong");
    fs::write(folder.join("p.nesl"), "x  =  [1;\n").unwrap();
    fs::write(folder.join("v.nesl"), "[1.0,2.0]\n").unwrap();
    check(
        &folder,
        "fmt --errors=short nowhere.nesl p.nesl v.nesl",
        &expect![[r#"
            -- stderr
            nesl: input: nowhere.nesl cannot be read: No such file or directory (os error 2) [N0602]
            p.nesl:1:9: parse: expected `]`, found `;` [N0101]
            v.nesl:1:10: parse: expected `;`, found the end of the text [N0101]
            -- exit 1
        "#]],
    );
    assert_eq!(fs::read_to_string(folder.join("p.nesl")).unwrap(), "x  =  [1;\n");
}

#[cfg(unix)]
#[test]
fn formatted_files_keep_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("fmt-links");
    let [file, link] = ["file.nesl", "link.nesl"].map(|name| folder.join(name));
    fs::write(&file, UNTIDY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    symlink("file.nesl", &link).unwrap();
    check(
        &folder,
        "fmt link.nesl",
        &expect![[r#"
        -- exit 0
    "#]],
    );
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), TIDY);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
    fs::write(&file, UNTIDY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    check(
        &folder,
        "fmt link.nesl",
        &expect![[r#"
            -- stderr
            error[N0602]: link.nesl cannot be written: it is read-only

            more about N0602: nesl explain N0602
            -- exit 1
        "#]],
    );
}
