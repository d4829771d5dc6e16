//! Large programs: literals, nesting, definitions and recursion at the sizes of docs/limits.md.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{fs, iter};

/// How deep expressions nest.
const DEEP: usize = 10_000;

/// Runs a program on both engines; gives what it prints last, which must be the same.
#[track_caller]
fn last_line(name: &str, text: &str) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("limit-{name}.nesl"));
    fs::write(&file, text).unwrap();
    let [interp, cpu] = ["interp", "cpu"].map(|engine| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
        command.arg("run").arg(&file).args(["--engine", engine]).env_remove("RUST_BACKTRACE");
        command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name} on {engine}: {error:.500}");
        let out = String::from_utf8(output.stdout).unwrap();
        out.lines().last().unwrap().to_owned()
    });
    assert_eq!(interp, cpu, "{name}");
    cpu
}

fn repeated(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

#[test]
fn literals_of_a_million_elements() {
    let items: Vec<String> = (0..1_000_000).map(|i| (i % 1000).to_string()).collect();
    let text = format!("a = [{}];\nsum(a);\n", items.join(", "));
    assert_eq!(last_line("literal", &text), "it = 499500000 : int");
}

#[test]
fn deep_expressions() {
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{};\n", open.repeat(DEEP), close.repeat(DEEP))
    };
    for (name, text, expected) in [
        ("parentheses", around("(", "1", ")"), "it = 1 : int"),
        ("sums", around("1 + (", "1", ")"), "it = 10001 : int"),
        ("chains", format!("1{};\n", " + 1".repeat(DEEP)), "it = 10001 : int"),
        ("signs", format!("{}1;\n", "- ".repeat(DEEP)), "it = 1 : int"),
        (
            "calls",
            format!("function g(x) = x + 1;\n{}", around("g(", "1", ")")),
            "it = 10001 : int",
        ),
        (
            "choices",
            format!(
                "function g(x) = {}99;\nsum({{g(i) : i in [9990:10010]}});\n",
                repeated(DEEP, |i| format!("if x == {i} then {} else ", i % 13))
            ),
            "it = 1056 : int",
        ),
        (
            "lets",
            format!("{}x5;\n", repeated(DEEP, |i| format!("let x{i} = {i} in "))),
            "it = 5 : int",
        ),
        (
            "bindings",
            format!(
                "let x0 = 1{} in x{};\n",
                repeated(DEEP, |i| format!("; x{} = x{i} + 1", i + 1)),
                DEEP
            ),
            "it = 10001 : int",
        ),
    ] {
        assert_eq!(last_line(name, &text), expected, "{name}");
    }
}

#[test]
fn many_definitions() {
    let functions = repeated(100_000, |i| format!("function g{i}(x) = x + {i};\n"));
    assert_eq!(last_line("functions", &format!("{functions}g77(1);\n")), "it = 78 : int");
    let values = repeated(100_000, |i| format!("x{i} = {i};\n"));
    assert_eq!(last_line("values", &format!("{values}x77 + 1;\n")), "it = 78 : int");
}

#[test]
fn long_chains_of_functions() {
    let mut text = "function g0(x) = x;\n".to_owned();
    for i in 1..2_000 {
        writeln!(text, "function g{i}(x) = g{}(x) + 1;", i - 1).unwrap();
    }
    assert_eq!(last_line("chain", &format!("{text}g1999(1);\n")), "it = 2000 : int");
}

#[test]
fn functions_that_call_each_other_twice() {
    let mut text = "function g0(x) = x;\n".to_owned();
    for i in 1..=100 {
        let f = i - 1;
        writeln!(text, "function g{i}(x) = if x > {i} then g{f}(x - 1) else g{f}(x + 1);").unwrap();
    }
    let text = format!("{text}{{g100(x) : x in [50, 100, 150]}};\n");
    assert_eq!(last_line("twice", &text), "it = [2, 2, 50] : [int]");
}

#[test]
fn deep_lanes() {
    let nest = |open: &str, close: &str, count: usize| {
        let sources = repeated(count, |i| format!(" : x{i} in [0:1]{close}"));
        format!("{}1{sources}", open.repeat(count))
    };
    assert_eq!(last_line("folds", &format!("{};\n", nest("sum({", "})", 500))), "it = 1 : int");
    assert_eq!(last_line("each", &format!("#{};\n", nest("{", "}", 1000))), "it = 1 : int");
}

#[test]
fn long_rows_of_appends() {
    let literals: Vec<String> = (0..2_000).map(|i| format!("[{i}]")).collect();
    let literals = literals.join(" ++ ");
    assert_eq!(last_line("literals", &format!("sum({literals});\n")), "it = 1999000 : int");
}

#[test]
fn deep_recursion() {
    let text = "function down(n) = if n == 0 then 0 else 1 + down(n - 1);
        function loop(n, a) = if n == 0 then a else loop(n - 1, a + n);
        (down(1000000), loop(1000000, 0));\n";
    assert_eq!(last_line("recursion", text), "it = (1000000, 500000500000) : int, int");
}

#[test]
fn deep_recursion_on_sequences() {
    let text = "function up(s, n) = if n == 0 then s
            else let v = up(s, n - 1) in {x + 1 : x in v};
        function heads(s) = if #s == 0 then 0 else s[0] + heads(drop(s, 1));
        (up([1, 2, 3], 1000000), heads([0:1000000]));\n";
    let expected = "it = ([1000001, 1000002, 1000003], 499999500000) : [int], int";
    assert_eq!(last_line("recursion-on-sequences", text), expected);
}

#[test]
fn loops_over_sequences() {
    let text = "function steps(v, k) = if k == 0 then v
            else steps({rem(x * 7 + k, 1000) : x in rotate(v, 1)}, k - 1);
        function writes(p, i, k) =
            if i == k then p else writes(p <- [(rem(i * 7, #p), i)], i + 1, k);
        (sum(steps([0:10], 300000)), sum(writes([0:10], 0, 300000)));\n";
    assert_eq!(last_line("loops", text), "it = (45, 2999945) : int, int");
}

#[test]
fn deep_values() {
    let open: String = iter::repeat_n('[', 500).collect();
    let close: String = iter::repeat_n(']', 500).collect();
    assert_eq!(last_line("nested", &format!("#{open}1{close};\n")), "it = 1 : int");
}

/// What the system refuses is told as what the options forbid; the process is not ended for it.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_limits() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limit-memory.nesl");
    let text = "function deep(n, s) = let v = {x + n : x in s} in sum(v) + deep(n + 1, v) + v[0];\n\
                function grow(s) = #s + grow(s ++ s);\n\
                function main(n) = deep(n, [0:1000]);\n\
                function all(n) = sum({deep(i, [i:i + 100]) : i in [0:n]});\n\
                function large(n) = grow([0:n]);\n";
    fs::write(&file, text).unwrap();
    let calls = ["cpu --entry main n=0", "cpu --entry all n=100", "interp --entry large n=10"];
    for call in calls {
        let line = format!("ulimit -v 1200000; exec \"$0\" run \"$1\" --engine {call}");
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_nesl")]).arg(&file);
        command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        let output = command.env_remove("RUST_BACKTRACE").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("error[N0509]"), "{call}: {error:.500}");
        assert_eq!(output.status.code(), Some(1), "{call}: {error:.500}");
    }
}
