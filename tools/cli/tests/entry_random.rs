//! Random numbers of a function that is called by itself: what they depend on.

use std::path::Path;
use std::process::Command;
use std::{array, fs};

/// What the interpreter and compiled code print for `g(8)`, defined in this text.
fn drawn(name: &str, text: &str) -> [String; 2] {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("entry-random-{name}.nesl"));
    fs::write(&file, text).unwrap();
    ["interp", "cpu"].map(|engine| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
        command.arg("run").arg(&file).args(["--engine", engine, "--entry", "g", "n=8"]);
        command.env("NESL_CACHE_DIR", folder.join("cache"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    })
}

#[test]
fn documentation_does_not_change_random_numbers() {
    let body = "{rand(1000000) + 0 * i : i in [0:n]}";
    let [first, same] = drawn("plain", &format!("function g(n) : int -> [int] = {body};\n"));
    assert_eq!(first, same);
    let documented = format!("function g(n) : int -> [int]\n  \"n numbers\"\n  = {body};\n");
    assert_eq!(drawn("documented", &documented), array::from_fn(|_| first.clone()));
    // Recursive functions are called otherwise.
    let tail = "if n == 0 then [] int else [rand(1000000)] ++ g(n - 1)";
    let [first, same] = drawn("plain-tail", &format!("function g(n) : int -> [int] = {tail};\n"));
    assert_eq!(first, same);
    let documented = format!("function g(n) : int -> [int]\n  \"n numbers\"\n  = {tail};\n");
    assert_eq!(drawn("documented-tail", &documented), array::from_fn(|_| first.clone()));
}
