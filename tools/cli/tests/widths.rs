//! The options `--int` and `--float`: what programs of narrow numbers print, read and write.

use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "\
function ints(v) : [int] -> [int] = {x + 1 : x in v};
function floats(v) : [float] -> [float] = {x / 3.0 : x in v};
function rows(m) : [[(int, float)]] -> [float] = {sum({x : (_, x) in r}) : r in m};
";

/// A folder with the program and some inputs, for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("p.nesl"), PROGRAM).unwrap();
    array(&folder, "i4.npy", "<i4", &[7, i32::MAX].map(i32::to_le_bytes).concat());
    array(&folder, "u4.npy", "<u4", &[7, u32::MAX].map(u32::to_le_bytes).concat());
    array(&folder, "i2.npy", "<i2", &[7, -2].map(i16::to_le_bytes).concat());
    array(&folder, "i8.npy", "<i8", &[7, 8].map(i64::to_le_bytes).concat());
    array(&folder, "big.npy", ">i4", &[7, 8].map(i32::to_be_bytes).concat());
    array(&folder, "f4.npy", "<f4", &[1.0, 0.1].map(f32::to_le_bytes).concat());
    array(&folder, "f2.npy", "<f2", &[0, 0x3c, 0, 0xc0]);
    array(&folder, "f8.npy", "<f8", &[1.0, 0.1].map(f64::to_le_bytes).concat());
    fs::write(folder.join("large.txt"), "1 2147483648").unwrap();
    let matrix = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.1\n2 2 0.2\n";
    fs::write(folder.join("m.mtx"), matrix).unwrap();
    folder
}

/// Writes two elements as an array.
fn array(folder: &Path, name: &str, dtype: &str, data: &[u8]) {
    let mut text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': (2,), }}");
    text += &" ".repeat(128 - 10 - 1 - text.len());
    let header = [b"\x93NUMPY\x01\x00\x76\x00".as_slice(), text.as_bytes(), b"\n"].concat();
    fs::write(folder.join(name), [header.as_slice(), data].concat()).unwrap();
}

fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(folder).args(line.split(' '));
    command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().unwrap()
}

/// What a command prints, on both engines.
fn check(test: &str, line: &str, expected: &Expect) {
    let folder = folder(test);
    let told = ["interp", "cpu"].map(|engine| {
        let output = run(&folder, &format!("run --errors short --engine {engine} {line}"));
        let [out, err] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
        out + &err
    });
    assert_eq!(told[0], told[1]);
    expected.assert_eq(&told[0]);
}

/// What the forms of a text print.
fn forms(test: &str, widths: &str, text: &str, expected: &Expect) {
    fs::write(folder(test).join("forms.nesl"), text).unwrap();
    check(test, &format!("{widths} forms.nesl"), expected);
}

const NARROW: &str = "--int 32 --float 32";

#[test]
fn ints_wrap_and_floats_are_rounded() {
    let text = "max_int; min_int; max_int + 1; 100000 * 100000; sum(dist(1000000000, 3)); 0.1; \
                1.0 / 3.0; 16777216.0 + 1.0; pi; trunc(1.0e10); lshift(1, 32); max_val([] int);\
                @[1.0 / 3.0, 1.0e-7];";
    forms(
        "wrap",
        NARROW,
        text,
        &expect![[r#"
            it = 2147483647 : int
            it = -2147483648 : int
            it = -2147483648 : int
            it = 1410065408 : int
            it = -1294967296 : int
            it = 0.1 : float
            it = 0.33333334 : float
            it = 16777216.0 : float
            it = 3.1415927 : float
            it = 2147483647 : int
            it = 0 : int
            it = -2147483648 : int
            it = "[0.33333334, 1.0e-7]" : [char]
        "#]],
    );
}

#[test]
fn each_width_is_chosen_alone() {
    let text = "max_int; 1.0 / 3.0; @(1.0 / 3.0); @1.7976931348623157e300;";
    forms(
        "only-int",
        "--int 32",
        text,
        &expect![[r#"
            it = 2147483647 : int
            it = 0.3333333333333333 : float
            it = "0.3333333333333333" : [char]
            it = "1.7976931348623156e+300" : [char]
        "#]],
    );
    forms(
        "only-float",
        "--float 32",
        "max_int; 1.0 / 3.0; @(1.0 / 3.0);",
        &expect![[r#"
            it = 9223372036854775807 : int
            it = 0.33333334 : float
            it = "0.33333334" : [char]
        "#]],
    );
}

#[test]
fn literals_must_fit() {
    forms(
        "literals",
        NARROW,
        "2147483647; 2147483648; 3.4e38; 1.0e39; {x : x in [1, 3000000000]};",
        &expect![[r#"
            it = 2147483647 : int
            it = 3.4e+38 : float
            forms.nesl:1:13: parse: this number does not fit an int of 32 bits [N0104]
            forms.nesl:1:33: parse: this number does not fit a float of 32 bits [N0104]
            forms.nesl:1:55: parse: this number does not fit an int of 32 bits [N0104]
        "#]],
    );
    check(
        "literals",
        "--int 32 p.nesl --entry ints v=[1,-2147483648]",
        &expect![[r#"
            it = [2, -2147483647] : [int]
        "#]],
    );
}

#[test]
fn numbers_in_text() {
    forms(
        "text",
        NARROW,
        "parse_int(\"2147483648\"); parse_int(\"-2147483648\"); parse_float(\"0.1\"); \
         parse_float(\"1e39\"); parse_float(\"-1e-46\"); exp_string(0.1, 8); exp_string(0.1, 9);",
        &expect![[r#"
            it = (0, F) : int, bool
            it = (-2147483648, T) : int, bool
            it = (0.1, T) : float, bool
            it = (inf, T) : float, bool
            it = (-0.0, T) : float, bool
            it = "1.00000001e-1" : [char]
            forms.nesl:1:136: runtime(domain): the argument 9 is outside the domain of the function [N0506]
        "#]],
    );
}

/// Compiled programs know lengths of sequences that nobody makes.
#[test]
fn lengths_are_counted() {
    let folder = folder("lengths");
    let text = "#index(2147483647); sum({sum(index(n)) : n in dist(100000, 3)});
                index(2147483647);
                #([0:2000000000] ++ [0:2000000000]);
                #flatten(dist(dist(1, 100000), 100000));
                {sum({i + j : j in index(50000)}) : i in [0:50000]}[7];
                sum({sum({1 : j in index(i)}) : i in [0:70000]});";
    fs::write(folder.join("forms.nesl"), text).unwrap();
    let output = run(&folder, &format!("run {NARROW} --errors short forms.nesl"));
    let [out, err] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
    expect![[r#"
        it = 2114948112 : int
        forms.nesl:1:2: limit: a sequence of more than 2146435072 elements, which are the most with `--int 32` [N0703]
        forms.nesl:2:17: limit: a sequence of more than 2146435072 elements, which are the most with `--int 32` [N0703]
        forms.nesl:3:18: limit: a sequence of more than 2146435072 elements, which are the most with `--int 32` [N0703]
        forms.nesl:4:18: limit: a sequence of more than 2146435072 elements, which are the most with `--int 32` [N0703]
        forms.nesl:5:18: limit: a sequence of more than 2146435072 elements, which are the most with `--int 32` [N0703]
        forms.nesl:6:17: limit: a sequence of more than 2146435072 elements, which are the most with `--int 32` [N0703]
    "#]].assert_eq(&(out + &err));
    // The interpreter makes them.
    fs::write(folder.join("one.nesl"), "index(2147483647);").unwrap();
    check(
        "lengths",
        &format!("{NARROW} one.nesl"),
        &expect![[r#"
            one.nesl:1:1: limit: a sequence of more than 2146435072 elements, which are the most with `--int 32` [N0703]
        "#]],
    );
}

#[test]
fn arrays_are_as_wide_as_numbers() {
    for file in ["i4", "u4", "i2", "i8", "big"] {
        let shown = match file {
            "i4" => expect![[r#"
                it = [8, -2147483648] : [int]
            "#]],
            "u4" => expect![[r#"
                nesl: input: `u4.npy`: element 1 is 4294967295, which is beyond the largest int [N0601]
            "#]],
            "i2" => expect![[r#"
                it = [8, -1] : [int]
            "#]],
            "i8" => expect![[r#"
                nesl: input: `i8.npy`: the file holds a 1-d array of int64 with shape (2,), but a 1-d array of ints (int8 to int32, uint8 to uint32, whole floats; others with the option `--int 64`) is needed [N0601]
            "#]],
            _ => expect![[r#"
                it = [8, 9] : [int]
            "#]],
        };
        check("arrays", &format!("{NARROW} p.nesl --entry ints v={file}.npy"), &shown);
    }
    for file in ["f4", "f2", "f8"] {
        let shown = match file {
            "f4" => expect![[r#"
                it = [0.33333334, 0.033333335] : [float]
            "#]],
            "f2" => expect![[r#"
                it = [0.33333334, -0.6666667] : [float]
            "#]],
            _ => expect![[r#"
                nesl: input: `f8.npy`: the file holds a 1-d array of float64 with shape (2,), but a 1-d array of floats (float16 or float32; float64 with the option `--float 64`) is needed [N0601]
            "#]],
        };
        check("arrays", &format!("{NARROW} p.nesl --entry floats v={file}.npy"), &shown);
    }
    check(
        "arrays",
        &format!("{NARROW} p.nesl --entry rows m=m.mtx"),
        &expect![[r#"
            it = [0.1, 0.2] : [float]
        "#]],
    );
    check(
        "arrays",
        &format!("{NARROW} p.nesl --entry ints v=large.txt"),
        &expect![[r#"
            nesl: input: `large.txt`: line 1: `2147483648` is not an int of 32 bits [N0601]
        "#]],
    );
}

#[test]
fn outputs_are_as_wide_as_numbers() {
    let folder = folder("outputs");
    for engine in ["interp", "cpu"] {
        for (entry, dtype, data) in [
            ("ints v=[1,2]", "'<i4'", [2, 3].map(i32::to_le_bytes).concat()),
            ("floats v=[1.0,3.0]", "'<f4'", [1.0_f32 / 3.0, 1.0].map(f32::to_le_bytes).concat()),
        ] {
            let line = format!("run {NARROW} --engine {engine} p.nesl --entry {entry} -o o.npy");
            assert!(run(&folder, &line).status.success(), "{line}");
            let written = fs::read(folder.join("o.npy")).unwrap();
            assert!(String::from_utf8_lossy(&written).contains(dtype), "{line}");
            assert!(written.ends_with(&data) && written.len() % 64 == data.len(), "{line}");
        }
    }
}

#[test]
fn dumps_say_the_widths_and_are_read() {
    let folder = folder("dumps");
    fs::write(folder.join("one.nesl"), "sum({max(x, 2) : x in [1, 2]});").unwrap();
    for station in ["nest", "flat", "plan", "kernel"] {
        let dump = run(&folder, &format!("run --quiet --int 32 --dump {station} one.nesl")).stdout;
        assert!(dump.starts_with(b"widths int 32 float 64\n"), "{station}");
        fs::write(folder.join(station), &dump).unwrap();
        assert_eq!(run(&folder, &format!("dev {station} {station}")).stdout, dump);
    }
    let text = run(&folder, "dev kernel kernel emit").stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("#define NESL_INT_32\n") && !text.contains("#define NESL_FLOAT_32\n"));
    // What is compiled is kept apart from what is compiled with other widths.
    for line in ["run one.nesl", "run --int 32 one.nesl", "run one.nesl"] {
        assert_eq!(run(&folder, line).stdout, b"it = 4 : int\n");
    }
}

#[test]
fn checks_know_the_widths() {
    let folder = folder("checks");
    fs::write(folder.join("large.nesl"), "function over(n) = n + 3000000000;").unwrap();
    assert!(run(&folder, "check large.nesl").status.success());
    assert!(!run(&folder, "check --int 32 large.nesl").status.success());
    assert!(!run(&folder, "check --int 16 large.nesl").status.success());
}
