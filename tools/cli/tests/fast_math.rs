//! The option `--fast-math`: what it may change and what it may not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of this text, for one test.
fn file(test: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fast-math");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(test).with_extension("nesl");
    fs::write(&path, text).unwrap();
    path
}

/// What `nesl run` prints with these options.
fn run(file: &Path, options: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.arg("run").args(options.split(' ')).arg(file);
    command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The floats in a text, in order.
fn floats(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_matches('.'));
    words.filter(|word| word.contains(['.', 'n'])).filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn floats_are_close_and_the_rest_is_the_same() {
    let text = "\
        v = {1.0 + float(i) / 7.0 : i in index(200)};\n\
        {x * y + x / 3.0 - sqrt(y) : x in v; y in drop(v, 0)};\n\
        {exp(0.0 - x / 10.0) * x - ln(x) * x * x : x in v};\n\
        sum({x * x - x * 0.5 : x in v});\n\
        plus_scan({x * x + 0.1 : x in v});\n\
        function horner(x, n) = if n == 0 then 1.0 else horner(x, n - 1) * x + 1.0;\n\
        {horner(0.5 + x / 100.0, 12) : x in v};\n\
        {i * i + i / 3 - rem(i, 7) : i in index(20)};\n";
    let file = file("close", text);
    let told = ["--engine cpu", "--engine cpu --fast-math", "--engine interp --fast-math"]
        .map(|options| run(&file, options));
    let [exact, fast, interp] = told.each_ref().map(|text| floats(text));
    assert!(exact.len() > 40 && exact.len() == fast.len() && exact.len() == interp.len());
    for ((a, b), c) in exact.iter().zip(&fast).zip(&interp) {
        let close = |x: f64| (a - x).abs() <= 1e-9 * a.abs().max(1.0);
        assert!(close(*b) && close(*c), "{a} {b} {c}");
    }
    let ints = |text: &str| text.lines().last().unwrap().to_owned();
    assert_eq!(ints(&told[0]), ints(&told[1]));
}

/// Nans and infinities of the input and of operations on numbers, and all that is printed or read
/// of floats.
#[test]
fn special_floats_and_texts_are_exact() {
    let text = "\
        v = [nan, infinity, 0.0 - infinity, 1.0e308, 0.0, 1.0];\n\
        {x * 0.0 + 1.0 : x in v};\n\
        {x / 3.0 == x / 3.0 : x in v};\n\
        {x - x : x in v};\n\
        {x / 0.0 : x in v};\n\
        {1.0 / (x / 1.0e-310) : x in v};\n\
        {max(x * 2.0 + 0.0, 1.0) : x in v};\n\
        {sqrt(0.0 - x * 2.0) : x in v};\n\
        {@x : x in [0.1, 1.0e300, 5.0e-324, 2.2250738585072014e-308, 1.7976931348623157e308]};\n\
        [0.1, 1.0e300, 5.0e-324, 2.2250738585072014e-308, 1.7976931348623157e308];\n\
        {parse_float(s) : s in [\"0.1\", \"1e300\", \"4.9e-324\", \"0.3\", \"nan\", \"123.456e-7\"]};\n\
        {exp_string(x, 16) : x in [0.1, 1.0e300, 5.0e-324, 2.5]};\n\
        {round(x) : x in [0.5, -0.5, 2.5, 0.49999999999999994, 4503599627370497.5]};\n\
        {hash(x, 1000) : x in [0.1, 0.0, -0.0]};\n\
        sort([0.1, nan, -0.0, 5.0e-324, 0.0 - infinity]);\n\
        let (whole, ok) = parse_float(\"17.25\") in (whole, isqrt(trunc(whole)), ok);\n";
    let file = file("special", text);
    assert_eq!(run(&file, "--engine cpu --fast-math"), run(&file, "--engine cpu"));
    assert_eq!(run(&file, "--engine cpu --fast-math"), run(&file, "--engine interp"));
}

/// A test that decides what is kept is evaluated when elements are counted and when they are
/// written, here just where roundings matter.
#[test]
fn tests_are_the_same_each_time() {
    let text = "\
        n = 100000;\n\
        function near(i) = let x = float(i) * 0.1 in x * x - 0.01 * float(i) * float(i);\n\
        kept = {i : i in index(n) | near(i) > 0.0};\n\
        flags = {near(i) > 0.0 : i in index(n)};\n\
        #kept == count(flags);\n\
        all({flags[i] : i in kept});\n";
    let file = file("kept", text);
    for threads in ["1", "3"] {
        let told = run(&file, &format!("--engine cpu --fast-math --threads {threads}"));
        assert!(told.ends_with("it = T : bool\nit = T : bool\n"), "{told}");
    }
}

/// The text is what a compiled program is cached under.
#[test]
fn the_text_changes_only_if_asked() {
    let file = file("text", "{x * 2.5 + 1.0 : x in [1.0, 2.0]};");
    let [exact, fast] = ["", " --fast-math"]
        .map(|option| run(&file, &format!("--engine cpu --quiet --dump c{option}")));
    assert!(fast.contains("= fma(") && !exact.contains("= fma("));
}
