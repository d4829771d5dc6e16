//! Memory, recursion and time that end where they should.

use crate::folder;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Runs the command in a folder, under what the shell says before.
fn shell(folder: &Path, before: &str, line: &str) -> Output {
    let mut command = Command::new("sh");
    let line = format!("{before} exec \"$0\" {line}");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_nesl")]).current_dir(folder);
    command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.env("CUDA_VISIBLE_DEVICES", "").env_remove("RUST_BACKTRACE").env_remove("CC");
    command.stdin(Stdio::null()).output().unwrap()
}

/// Checks that the call ends with N0509 and says this.
#[track_caller]
fn full(folder: &Path, line: &str, says: &str) {
    let output = shell(folder, "", line);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{line}: {error:.500}");
    assert!(error.contains("error[N0509]") && error.contains(says), "{line}: {error:.500}");
}

/// Checks that the call ends well and prints this last.
#[track_caller]
fn fits(folder: &Path, line: &str, last: &str) {
    let output = shell(folder, "", line);
    let [out, error] = [output.stdout, output.stderr]
        .map(|text| String::from_utf8_lossy(&text).trim_end().to_owned());
    assert!(output.status.success() && out.ends_with(last), "{line}: {out:.500}{error:.500}");
}

#[test]
fn values_of_the_interpreter() {
    let folder = folder(
        "values-of-the-interpreter",
        &[
            ("rows.nesl", b"#{[i] : i in [0:3000000]};\n"),
            ("pairs.nesl", b"#{(i, (i, i)) : i in [0:3000000]};\n"),
            ("sort.nesl", b"#sort([0:3000000]);\n"),
            ("text.nesl", b"#@index(3000000);\n"),
            ("names.nesl", b"a = index(2000000); b = index(2000000); c = index(2000000); #c;\n"),
            (
                "again.nesl",
                b"a = index(2000000); b = #a; a = index(2000000); a = b;\n\
                             a = index(2000000); #a;\n",
            ),
        ],
    );
    for name in ["rows", "pairs", "sort", "text"] {
        full(&folder, &format!("run {name}.nesl --engine interp --memory 40M"), "out of memory");
    }
    // The third one does not fit beside the two that names hold; replaced ones make room.
    full(&folder, "run names.nesl --quiet --engine interp --memory 40M", "16000000 bytes");
    fits(&folder, "run again.nesl --quiet --engine interp --memory 40M", "");
}

#[test]
fn files_without_end() {
    let folder = folder(
        "files-without-end",
        &[
            ("text.nesl", b"function count(text) : [char] -> int = #text;\n"),
            ("ints.nesl", b"function count(v) : [int] -> int = #v;\n"),
            ("pairs.nesl", b"function count(v) : [(int, int)] -> int = #v;\n"),
            ("load.nesl", b"load \"zero.nesl\";\n"),
            ("words.nesl", b"let (s, _, _) = open_in_file(\"/dev/zero\") in #read_word(s);\n"),
        ],
    );
    for name in ["zero.txt", "zero.npy", "zero.mtx", "given.nesl", "zero.nesl"] {
        symlink("/dev/zero", folder.join(name)).unwrap();
    }
    for engine in ["interp", "cpu"] {
        for (program, file) in [("text", "zero.txt"), ("ints", "given.nesl"), ("pairs", "zero.mtx")]
        {
            let line = format!("run {program}.nesl --memory 10M --engine {engine}");
            full(&folder, &format!("{line} --entry count -- {file}"), "out of memory");
        }
    }
    full(&folder, "run zero.nesl", "zero.nesl cannot be read: out of memory");
    full(&folder, "check - < /dev/zero", "out of memory");
    full(&folder, "run load.nesl", "zero.nesl cannot be read: out of memory");
}

#[test]
fn streams_without_end() {
    let folder = folder("streams-without-end", &[]);
    for read in ["read_line(s)", "read_word(s)", "read_string(\"x\", max_int, s)"] {
        let text = format!("let (s, _, _) = open_in_file(\"/dev/zero\") in {read};\n");
        std::fs::write(folder.join("read.nesl"), text).unwrap();
        full(&folder, "run read.nesl --memory 10M", "what is read is larger than");
    }
    let text = "#read_string_from_file(\"/dev/zero\");\n";
    std::fs::write(folder.join("read.nesl"), text).unwrap();
    full(&folder, "run read.nesl --memory 10M", "what is read is larger than");
}

/// The budget is charged for the text of a file while it is read, and for its value.
#[test]
fn arguments_are_charged() {
    let ints = vec![b"1000000\n".as_slice(); 500_000].concat();
    let folder = folder(
        "arguments-are-charged",
        &[
            ("sort.nesl", b"function last(v) : [int] -> int = let s = sort(v) in s[#s - 1];\n"),
            ("ints.txt", &ints),
        ],
    );
    for engine in ["interp", "cpu"] {
        let line = |memory| {
            let engine = format!("--engine {engine} --entry last -- v=ints.txt");
            format!("run sort.nesl --memory {memory} {engine}")
        };
        full(&folder, &line("3M"), "`ints.txt`: out of memory");
        full(&folder, &line("6M"), "out of memory");
        fits(&folder, &line("100M"), "it = 1000000 : int");
    }
}

#[test]
fn pending_calls_are_charged() {
    let folder = folder(
        "pending-calls",
        &[
            (
                "down.nesl",
                b"function down(n) = if n == 0 then 0 else 1 + down(n - 1);\n\
                            down(1000000000);\n",
            ),
            (
                "lanes.nesl",
                b"function down(n) = if n == 0 then 0 else 1 + down(n - 1);\n\
                             {down(n) : n in [1000000000, 2]};\n",
            ),
            (
                "grow.nesl",
                b"function down(v) = if #v == 0 then 0 else sum(v) + down(v ++ [1]);\n\
                            down([1]);\n",
            ),
        ],
    );
    for engine in ["interp", "cpu"] {
        for name in ["down", "lanes"] {
            let line = format!("run {name}.nesl --memory 10M --engine {engine}");
            full(&folder, &line, "the recursion is too deep");
        }
        full(&folder, &format!("run grow.nesl --memory 10M --engine {engine}"), "N0509");
    }
}

/// Recursion with unchanged arguments is an error, through any number of functions; loops that end
/// are not.
#[test]
fn endless_recursion() {
    let never = "the recursion never ends";
    let deep = "the recursion is too deep";
    let cases = [
        ("go(x) = if x == 0 then 0 else go(x); go(1)", never, never),
        ("go(x) = if x == 0 then 0 else go(x); {go(x) : x in [0, 1, 2]}", never, never),
        ("go(x, y) = if x == y then 0 else go(y, max(x, y)); go(1, 2)", "", ""),
        ("go(x, y) = if x == 0 then 0 else go(min(x, y), y); go(1, 2)", never, never),
        ("go(x) = if x == 1.0 then x else go(x / 2.0); go(0.5)", never, ""),
        ("go(x) = if x == 1.0 then x else go(sqrt(x)); go(nan)", never, ""),
        ("go(v) = if sum(v) == 0 then v else go(v); go([1, 2])", never, never),
        ("go(v) = if sum(v) == 0 then v else go({x : x in v}); go([1, 2])", never, never),
        (
            "even(x) = if x == 0 then t else odd(x); function odd(x) = if x == 0 then f \
             else even(x); even(1)",
            never,
            never,
        ),
        ("go(x) = if x == 0 then 0 else go(x) + 1; go(1)", never, never),
        ("go(v) = if #v == 0 then 0 else go(v) + sum(v); go([1, 2])", never, never),
        ("go(x) = if x == 0 then 0 else go(x + 1) + 1; go(1)", deep, deep),
    ];
    let folder = folder("endless", &[]);
    for (text, interp, cpu) in cases {
        let text = format!("function {text};\n");
        std::fs::write(folder.join("go.nesl"), &text).unwrap();
        for (engine, says) in [("interp", interp), ("cpu", cpu)] {
            if says.is_empty() {
                continue;
            }
            let output = shell(&folder, "", &format!("run go.nesl --memory 20M --engine {engine}"));
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let told = error.contains("error[N0509]") && error.contains(says);
            assert!(told && error.contains("go.nesl:1:"), "{engine}: {text}{error:.500}");
        }
    }
}

#[test]
fn loops_that_end() {
    let text = "function gcd(a, b) = if b == 0 then a else gcd(b, rem(a, b));
        function swap(a, b, n) = if n == 0 then a else swap(b, a, n - 1);
        function zero(x, n) = if 1.0 / x == -infinity then n else zero(x * -1.0, n + 1);
        function negate_all(x) = if 1.0 / x == -infinity then x else negate_all(x * -1.0);
        function random(n) = if rand(5000) == 7 then n else random(n);
        function keep(v, n) = if n == 0 then sum(v) else keep({x : x in v}, n - 1);
        (gcd(0, 5), gcd(12, 18), swap(1, 2, 5001), zero(0.0, 0), negate_all(0.0), random(3),
         keep([1, 2], 3000));\n";
    let folder = folder("loops-that-end", &[("loops.nesl", text.as_bytes())]);
    for engine in ["interp", "cpu"] {
        let last = "it = (5, 6, 2, 1, -0.0, 3, 3) : int, int, int, int, float, int, int";
        fits(&folder, &format!("run loops.nesl --engine {engine}"), last);
    }
}

/// Ctrl-C ends a loop whose arguments change for ever, and says which call ran.
#[test]
fn an_interrupt_names_the_call() {
    let text = "function go(n, s) = if n < 0 then s else go(n + 1, rem(s * 3 + n, 1000003));\n\
                print_line(\"begun\"); go(0, 0);\n";
    let folder = folder("interrupt", &[("loop.nesl", text.as_bytes())]);
    for engine in ["interp", "cpu"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
        command.args(["run", "loop.nesl", "--engine", engine]).current_dir(&folder);
        command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "begun"), "{engine}");
        sleep(Duration::from_millis(300));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{engine}: {error}");
        assert!(
            error.contains("error[N0801]") && error.contains("loop.nesl:"),
            "{engine}: {error}"
        );
    }
}

/// Under limits of the system programs work or end with N0509; nothing aborts.
#[test]
fn limits_on_addresses() {
    let folder = folder(
        "limits-on-addresses",
        &[
            ("small.nesl", b"sum({x * x : x in [0:100]});\n"),
            ("large.nesl", b"sum(sort({rem(7 * x, 1000) : x in [0:100000]}));\n"),
            ("rows.nesl", b"#{[i] : i in [0:100000]};\n"),
            (
                "deep.nesl",
                b"function down(n) = if n == 0 then 0 else 1 + down(n - 1);\n\
                            down(20000);\n",
            ),
        ],
    );
    let mut worked = 0;
    let limits = [20, 60, 130, 150, 180, 220, 400, 1000, 2500];
    for (n, megabytes) in limits.into_iter().enumerate() {
        let before = format!("ulimit -v {megabytes}000;");
        // The system itself ends a command that it cannot load.
        let version = shell(&folder, &before, "--version");
        let is_loaded = version.status.success() || !version.stderr.is_empty();
        if !is_loaded || String::from_utf8_lossy(&version.stderr).contains("shared librar") {
            continue;
        }
        // Each limit with one program, to be quick.
        let name = ["small", "large", "rows", "deep"][n % 4];
        let output = shell(&folder, &before, &format!("run {name}.nesl --engine interp"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let told = output.status.code() == Some(1) && error.contains("error[N0509]");
        let what = format!("{name} at {megabytes} MB: {}: {error:.500}", output.status);
        assert!(output.status.signal().is_none(), "{what}");
        assert!(output.status.success() || told, "{what}");
        worked += usize::from(output.status.success());
    }
    assert!(worked > 0, "nothing works under any limit");
}
