//! The pictures of the book are those that `nesl run --svg` draws today.
//!
//! `UPDATE_EXPECT=1` draws them again.

use expect_test::expect_file;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Draws a program of `docs/how-it-works/pictures`; its function has its name.
fn drawn(name: &str, arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    fs::create_dir_all(&folder).unwrap();
    let to = folder.join(format!("{name}.svg"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(root.join("docs/how-it-works/pictures"));
    command.args(["run", &format!("{name}.nesl"), "--entry", name]).args(arguments);
    command.args(["--engine", "cpu", "--quiet", "--dump", "plan", "--svg"]).arg(&to);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(to).unwrap()
}

macro_rules! pictures {
    ($($name:ident $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            let name = stringify!($name);
            let path = concat!("../../../docs/how-it-works/pictures/", stringify!($name), ".svg");
            expect_file![path].assert_eq(&drawn(name, &$arguments));
        }
    )*};
}

pictures! {
    mean ["[1.0]"];
    norm2 ["[1.0]"];
    parts ["[1]", "1"];
    smooth ["[1.0]"];
    twice ["[1]", "1"];
}

/// Each picture is in a chapter, and has its program.
#[test]
fn each_is_shown() {
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/how-it-works");
    let mut text = String::new();
    for entry in fs::read_dir(&chapters).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "md") {
            text += &fs::read_to_string(path).unwrap();
        }
    }
    let mut count = 0;
    for entry in fs::read_dir(chapters.join("pictures")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "svg") {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(text.contains(&format!("](pictures/{name})")), "no chapter shows {name}");
            assert!(path.with_extension("nesl").exists(), "no program of {name}");
            count += 1;
        }
    }
    assert_eq!(count, 5);
}
