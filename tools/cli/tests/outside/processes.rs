//! The cache, processes, and failures of the environment.

use crate::folder;
use pty_process::blocking::{Command as Spawned, open};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const NESL: &str = env!("CARGO_BIN_EXE_nesl");
const PROGRAM: &[u8] = b"sum({x * x : x in [1, 2, 3]});\n";
const ANSWER: &str = "it = 14 : int\n";
/// The first lines of a compiler that answers questions about itself; the rest follows.
const COMPILER: &str = "#!/bin/sh
for a; do case \"$a\" in --version|-E) exec gcc \"$@\";; esac; done
";

/// The command in a folder, with a cache in it, and all temporary files.
fn nesl(folder: &Path) -> Command {
    inside(Command::new(NESL), folder)
}

/// Lines of the shell there, in which `nesl` is the command.
fn shell(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("nesl() {{ {NESL} \"$@\"; }}\n{script}")]);
    inside(command, folder)
}

fn inside(mut command: Command, folder: &Path) -> Command {
    let temporary = folder.join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    command.current_dir(folder).env("NESL_CACHE_DIR", folder.join("cache"));
    command.env("TMPDIR", temporary).env("CUDA_VISIBLE_DEVICES", "");
    command.env_remove("CC").env_remove("NESL_CC").env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null());
    command
}

/// Standard output, standard error and the exit code.
fn told(command: &mut Command) -> (String, String, Option<i32>) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let [out, err] = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (out, err, status.code())
}

/// Runs the program on the cores with this compiler.
fn compiled(folder: &Path, compiler: &str) -> (String, String, Option<i32>) {
    told(nesl(folder).args(["run", "p.nesl", "--engine", "cpu"]).env("CC", compiler))
}

/// Writes a compiler; gives its path.
fn compiler(folder: &Path, name: &str, rest: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, format!("{COMPILER}{rest}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.into_os_string().into_string().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_build_replaces_all_files_or_none() {
    let folder = folder("build", &[("p.nesl", b"function g(x) = x + 1;\n")]);
    let out = folder.join("out");
    fs::create_dir_all(out.join("p.h")).unwrap();
    fs::write(out.join("p.c"), "old").unwrap();
    let build = || told(nesl(&folder).args(["build", "p.nesl", "-o", "out"]));
    let (_, error, code) = build();
    assert_eq!((error.contains("out/p.h cannot be written"), code), (true, Some(1)), "{error}");
    assert_eq!(fs::read_to_string(out.join("p.c")).unwrap(), "old");
    assert_eq!(names(&out), ["p.c", "p.h"]);
    // A link is followed, and the leftovers of a killed process are removed.
    fs::remove_dir(out.join("p.h")).unwrap();
    symlink("far.h", out.join("p.h")).unwrap();
    fs::write(out.join(".p.c.4194304.tmp"), "").unwrap();
    assert_eq!(build(), (String::new(), String::new(), Some(0)));
    assert_eq!(names(&out), ["far.h", "p.c", "p.h"]);
    assert!(fs::symlink_metadata(out.join("p.h")).unwrap().is_symlink());
}

/// Files may not grow here, which is as if the disk were full.
#[test]
fn a_full_disk_leaves_files_as_they_were() {
    let files: [(&str, &[u8]); 4] = [
        ("p.nesl", b"function g(x)  =  x + 1;\n"),
        ("old.txt", b"old"),
        ("p.c", b"old"),
        ("p.h", b"old"),
    ];
    let folder = folder("full", &files);
    let full = |line: &str| {
        let script = format!("trap '' XFSZ\nulimit -f 0\nnesl {line}");
        let (_, error, code) = told(&mut shell(&folder, &script));
        assert_eq!((error.contains("File too large"), code), (true, Some(1)), "{line}: {error}");
    };
    full("build p.nesl -o .");
    full("fmt p.nesl");
    full("new other");
    full("run p.nesl --engine interp --entry g x=1 -o old.txt");
    for (name, text) in files {
        assert_eq!(fs::read(folder.join(name)).unwrap(), text, "{name}");
    }
    assert_eq!(names(&folder), ["old.txt", "p.c", "p.h", "p.nesl", "tmp"]);
}

#[test]
fn what_a_killed_run_leaves_goes_with_the_next() {
    let folder = folder("killed", &[("p.nesl", PROGRAM)]);
    let kill = compiler(&folder, "kill", "touch unit0.o\nkill -9 $PPID");
    assert_eq!(compiled(&folder, &kill).2, None);
    let cache = folder.join("cache");
    let builds = || names(&cache).iter().filter(|name| name.starts_with("build-")).count();
    assert_eq!(builds(), 1);
    assert_eq!(compiled(&folder, "gcc").0, ANSWER);
    assert_eq!(builds(), 0);
    // The same where temporary files are, if there is no cache.
    let away = |cc: &str| {
        let mut command = nesl(&folder);
        command.args(["run", "p.nesl", "--engine", "cpu"]).env("NESL_CACHE_DIR", "/dev/null/x");
        told(command.env("CC", cc))
    };
    assert_eq!(away(&kill).2, None);
    assert_eq!(names(&folder.join("tmp")).len(), 1);
    let (out, warning, _) = away("gcc");
    assert_eq!(out, ANSWER);
    assert!(warning.contains("cannot be kept in /dev/null/x"), "{warning}");
    assert_eq!(names(&folder.join("tmp")).len(), 0);
}

#[test]
fn the_cache_is_the_users_alone() {
    let folder = folder("modes", &[("p.nesl", PROGRAM)]);
    let cache = folder.join("cache");
    let look = compiler(&folder, "look", "stat -c %a . >> ../../modes\nexec gcc \"$@\"");
    assert_eq!(compiled(&folder, &look).0, ANSWER);
    assert_eq!(fs::read_to_string(folder.join("modes")).unwrap(), "700\n");
    assert_eq!(mode(&cache), 0o700);
    let kept = names(&cache);
    assert_eq!(kept.len(), 3, "{kept:?}");
    for name in &kept {
        assert_eq!(mode(&cache.join(name)), 0o600, "{name}");
    }
    // Others could have put code there.
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let (out, warning, code) = compiled(&folder, "gcc");
    assert_eq!((out.as_str(), code), (ANSWER, Some(0)));
    assert!(
        warning.contains("others can write there") && warning.contains("chmod 700"),
        "{warning}"
    );
    assert_eq!(names(&cache), kept);
}

#[test]
fn a_compiler_that_does_not_work_is_told() {
    let folder = folder("compilers", &[("p.nesl", PROGRAM)]);
    let output = "while [ \"$1\" != -o ]; do shift; done";
    let failing = |text: &str| format!("echo '{text}' >&2\nexit 1");
    let cases = [
        ("nothing", String::new(), "has made no file", "NESL_CC"),
        ("garbage", format!("{output}\necho x > \"$2\""), "cannot be loaded", "NESL_CC"),
        ("killed", "kill -9 $$".to_owned(), "signal: 9", "more memory"),
        ("full", failing("ld: final link failed: No space left on device"), "final link", "TMPDIR"),
        ("forks", failing("vfork: Resource temporarily unavailable"), "vfork", "ulimit -u"),
        ("broken", failing("unit0.c:1:1: internal compiler error"), "failed", "another one"),
    ];
    for (name, rest, message, help) in cases {
        let (_, error, code) = compiled(&folder, &compiler(&folder, name, &rest));
        assert_eq!(code, Some(1), "{name}: {error}");
        assert!(error.starts_with("error[N0603]") && error.contains("--engine interp"), "{error}");
        assert!(error.contains(message) && error.contains(help), "{name}: {error}");
    }
    let silent = folder.join("silent");
    fs::write(&silent, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&silent, fs::Permissions::from_mode(0o755)).unwrap();
    let (_, error, code) = compiled(&folder, "./silent");
    assert_eq!((error.contains("`--version` prints nothing"), code), (true, Some(1)), "{error}");
    assert_eq!(names(&folder.join("tmp")).len(), 0);
}

#[test]
fn a_build_that_fails_in_the_cache_succeeds_elsewhere() {
    let folder = folder("elsewhere", &[("p.nesl", PROGRAM)]);
    let cases = [
        ("gone", "rm -rf \"$NESL_CACHE_DIR\"", "unit0.c"),
        ("full", "echo 'ld: No space left on device' >&2; exit 1", "No space left on device"),
    ];
    for (name, there, reason) in cases {
        let rest = format!("case \"$PWD\" in */cache/*) {there};; esac\nexec gcc \"$@\"");
        let (out, warning, code) = compiled(&folder, &compiler(&folder, name, &rest));
        assert_eq!((out.as_str(), code), (ANSWER, Some(0)), "{name}: {warning}");
        assert!(warning.contains("cannot be kept in") && warning.contains(reason), "{warning}");
    }
}

/// In a sandbox that allows no mount, this says so and tests nothing: the test above does the same
/// with a compiler that finds no room.
#[test]
fn a_small_disk_is_full() {
    let folder = folder("small", &[("p.nesl", PROGRAM)]);
    fs::create_dir(folder.join("cache")).unwrap();
    let script = "mount -t tmpfs -o size=16k,mode=700 none cache || { echo no mount; exit 0; }\n\
                  nesl run p.nesl --engine cpu";
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &format!("nesl() {{ {NESL} \"$@\"; }}\n{script}")]);
    let (out, warning, code) = told(&mut inside(command, &folder));
    if code != Some(0) && out.is_empty() || out == "no mount\n" {
        #[expect(clippy::print_stdout, reason = "the test says that it could not be made")]
        {
            println!("no file system can be mounted here: {warning}");
        }
        return;
    }
    assert_eq!(out, ANSWER, "{warning}");
    assert!(warning.contains("cannot be kept in"), "{warning}");
}

#[test]
fn compilers_are_command_lines() {
    let folder = folder("lines", &[("p.nesl", PROGRAM)]);
    assert_eq!(compiled(&folder, "env gcc -O1").0, ANSWER);
    let (_, error, _) = compiled(&folder, "gcc -O1 -no-such-option");
    assert!(error.contains("gcc -O1 -no-such-option` does not work"), "{error}");
    // One that is named from here is run elsewhere.
    compiler(&folder, "my gcc", "exec gcc \"$@\"");
    assert_eq!(compiled(&folder, "./my gcc").0, ANSWER);
    assert_eq!(compiled(&folder, "'./my gcc' -O1").0, ANSWER);
}

#[test]
fn signs_that_steer_terminals_are_pictures() {
    let sign = "a\u{1b}[31m\u{9b}b";
    let file = format!("{sign}.nesl");
    let wrong: &[u8] = b"x = ;\nfunction h(x) = x;\nprint_line(\"\");\n";
    let folder = folder("signs", &[(&file, wrong)]);
    let call = format!("apropos \"{sign}\"; describe \"{sign}\"; load \"{file}\";\n");
    fs::write(folder.join("calls.nesl"), call).unwrap();
    fs::write(folder.join(format!("ok{file}")), "function g(x)  =  x + 1;\ng(1);\n").unwrap();
    let ok = format!("ok{file}");
    let lines: [&[&str]; 12] = [
        &["run", &file],
        &["run", &file, "--errors=short"],
        &["run", sign],
        &["run", "calls.nesl"],
        &["check", &file],
        &["fmt", "--check", &ok],
        &["cost", &ok],
        &["doc", sign],
        &["explain", sign],
        &["help", sign],
        &["build", &file, "-o", sign],
        &[sign],
    ];
    for line in lines {
        let (out, error, _) = told(nesl(&folder).args(line));
        let text = out + &error;
        assert!(!text.contains(['\u{1b}', '\u{9b}']), "{line:?}: {text:?}");
        assert!(text.contains('b'), "{line:?}: {text:?}");
    }
}

#[test]
fn effects_are_told() {
    let program = b"function h(x) = let y = print_line(\"seen\") in x;\nh(1);\nh(2);\n";
    let folder =
        folder("effects", &[("p.nesl", program), ("q.nesl", b"function g(x) = x + 1;\ng(1);")]);
    let (out, warning, _) = told(nesl(&folder).args(["cost", "p.nesl"]));
    assert!(out.starts_with("seen\nseen\n"), "{out}");
    assert_eq!(
        warning,
        "p.nesl:2:1: warning: this form is run, with its effects, to find what it costs\n"
    );
    let (_, warning, _) = told(nesl(&folder).args(["build", "p.nesl"]));
    assert!(
        warning.starts_with("p.nesl:2:1: warning: this form is run, with its effects"),
        "{warning}"
    );
    for command in ["cost", "build"] {
        assert_eq!(told(nesl(&folder).args([command, "q.nesl"])).1, "", "{command}");
    }
}

/// A shell at a terminal runs the session and then looks at the terminal.
#[test]
fn a_signal_at_the_prompt_leaves_the_terminal_as_it_was() {
    let folder = folder("signal", &[]);
    let (mut terminal, other) = open().unwrap();
    let script = format!(
        "stty -g > before; sh -c 'echo $$ > pid; exec {NESL} repl'; echo $? > code; stty -g > after"
    );
    let mut child = Spawned::new("sh")
        .args(["-c", script.as_str()])
        .current_dir(&folder)
        .env("CUDA_VISIBLE_DEVICES", "")
        .env("NESL_HISTORY", "")
        .env("TERM", "xterm")
        .spawn(other)
        .unwrap();
    let mut seen: Vec<u8> = Vec::new();
    let mut buffer = [0; 1024];
    while !seen.windows(5).any(|part| part == b"nesl>") {
        let count = terminal.read(&mut buffer).unwrap();
        seen.extend(&buffer[..count]);
    }
    // The prompt comes after the terminal was switched.
    let pid = fs::read_to_string(folder.join("pid")).unwrap();
    assert!(Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap().success());
    // The session blocks if nobody reads its output.
    let reader =
        thread::spawn(move || while terminal.read(&mut buffer).is_ok_and(|count| count > 0) {});
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "the session goes on");
        thread::sleep(Duration::from_millis(20));
    }
    reader.join().unwrap();
    let [before, code, after] =
        ["before", "code", "after"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(code.trim(), "143");
    assert_eq!(before, after);
}

/// A built library: the arguments that it refuses, and memory of its callers.
#[test]
fn libraries_take_memory_of_their_callers() {
    let program = b"function twice(v) : [int] -> [int] = {2 * x : x in v};\n\
                    function rows(m) : [[int]] -> [[int]] = {{x + #r : x in r} : r in m};\n\
                    function into(twice_into) : int -> int = twice_into;\n";
    let files: [(&str, &[u8]); 2] =
        [("p.nesl", program), ("main.c", include_bytes!("library.c").as_slice())];
    let folder = folder("library", &files);
    let built = told(nesl(&folder).args(["build", "p.nesl", "-o", ".", "--package"]));
    assert_eq!(built, (String::new(), String::new(), Some(0)));
    let checks = "-fsanitize=address,undefined";
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fopenmp", checks];
    let mut compiler = Command::new("gcc");
    compiler.args(strict).args(["main.c", "p.c", "-o", "main", "-lm"]).current_dir(&folder);
    assert_eq!(told(&mut compiler).1, "");
    let expected = "1 p.nesl: input: `v`: null, and so many elements: 3\n\
                    1 p.nesl: input: `m`: null, and so many elements: 3\n\
                    0 0\n\
                    1 p.nesl: input: `result`: too little room for so many elements: 3\n\
                    3 -1 0\n\
                    0 3 6\n\
                    0 2 3 3\n\
                    1 4\n\
                    1 1\n";
    let (out, error, code) = told(&mut inside(Command::new(folder.join("main")), &folder));
    assert_eq!((out.as_str(), error.as_str(), code), (expected, "", Some(0)));

    let module = fs::read_to_string(folder.join("p.cmake")).unwrap();
    assert!(module.contains("add_library(p STATIC \"${CMAKE_CURRENT_LIST_DIR}/p.c\")"), "{module}");
    let description = fs::read_to_string(folder.join("p.pc")).unwrap();
    assert!(description.contains("Libs: -L${folder} -lp -fopenmp -lm"), "{description}");
}
