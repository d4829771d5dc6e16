//! Values that the command prints, and libraries that it builds.

use crate::{check, folder};
use expect_test::expect;
use std::path::Path;
use std::process::Command;

#[test]
fn narrow_ints_are_counted() {
    let folder = folder("narrow", &[("p.nesl", b"function count(n) = #index(n);\n")]);
    check(
        &folder,
        "run p.nesl --int 32 --entry count -- 3",
        &expect![[r#"
            it = 3 : int
            -- exit 0
        "#]],
    );
}

/// The program that `--main` writes prints what the command prints.
#[test]
fn built_programs_print_floats_as_the_command_does() {
    let floats = "v=[1.0e308, 1.0e-7, 5.0e-324, 0.0, -0.0, 1.0, 123456.789, 1.0e15, 1.0e16, 0.1, \
                  0.00001, 9007199254740993.0, -2.5, 1.7976931348623157e308, inf, -inf, nan]";
    let folder = folder("floats", &[("p.nesl", b"function same(v) : [float] -> [float] = v;\n")]);
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let shown = nesl(&folder, words("run p.nesl --engine interp --entry same"), floats);
    let (_, shown) = shown.trim_end().split_once("it = ").unwrap();
    nesl(&folder, words("build p.nesl -o out --main --entry same"), floats);
    let out = folder.join("out");
    let mut cc = Command::new("cc");
    cc.args(["p.c", "main.c", "-o", "main", "-lm", "-pthread"]).current_dir(&out);
    assert!(cc.status().unwrap().success());
    let printed = Command::new(out.join("main")).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(format!("{} : [float]", printed.trim_end()), shown);
}

/// Code for a tuple grows with the types of its parts, and not with their number.
#[test]
fn wide_tuples_are_compiled() {
    let parts: Vec<String> = (0..4096).map(|n| format!("n + {n}")).collect();
    let tuple = parts.join(", ");
    let program = format!(
        "function text(n) : int -> int = let a = ({tuple}) in #@a;\n\
         function same(n) : int -> bool = let a = ({tuple}) in a == a;\n"
    );
    let folder = folder("wide", &[("p.nesl", program.as_bytes())]);
    check(
        &folder,
        "run p.nesl --engine cpu --entry text n=0",
        &expect![[r#"
        it = 23466 : int
        -- exit 0
    "#]],
    );
    check(
        &folder,
        "run p.nesl --engine cpu --entry same n=0",
        &expect![[r#"
        it = T : bool
        -- exit 0
    "#]],
    );
}

/// The output of the command for some words and an argument.
fn nesl(folder: &Path, words: Vec<String>, argument: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    let output = command.args(words).arg(argument).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}
