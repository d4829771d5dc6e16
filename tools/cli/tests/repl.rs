//! The session as users meet it: without a terminal, and at one.

use expect_test::{Expect, expect};
use pty_process::Size;
use pty_process::blocking::{Command as Spawned, Pty, open};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// So long we wait for what must come.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder of its own for a test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("repl").join(test);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("twice.nesl"), "function twice(x) = 2 * x;\ntwice(4);\n").unwrap();
    fs::write(folder.join("wrong.nesl"), "one = 1;\none + `a;\n").unwrap();
    folder
}

/// What sessions find in their environment.
fn environment() -> [(&'static str, PathBuf); 4] {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    // Where there is a GPU, it would be taken.
    let no_gpu = ("CUDA_VISIBLE_DEVICES", PathBuf::new());
    let plain = [("TERM", PathBuf::from("xterm")), ("NO_COLOR", PathBuf::from("1"))];
    [no_gpu, ("NESL_CACHE_DIR", cache), plain[0].clone(), plain[1].clone()]
}

/// Standard output, standard error and the exit code of a session with this input.
fn transcript(test: &str, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(folder(test)).args(arguments).envs(environment());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let err = if err.is_empty() { err } else { format!("-- stderr\n{err}") };
    format!("{out}{err}-- exit {}\n", output.status.code().unwrap())
}

#[track_caller]
fn check(test: &str, arguments: &[&str], input: &str, expected: &Expect) {
    expected.assert_eq(&transcript(test, arguments, input));
}

#[test]
fn standard_input_is_one_group() {
    let input = "function even(n) = if n == 0 then t else odd(n - 1);\n\
                 function odd(n) = if n == 0 then f else even(n - 1);\n\
                 even(10); it;\n";
    check(
        "group",
        &[],
        input,
        &expect![[r#"
            even = fn : int -> bool
            odd = fn : int -> bool
            it = T : bool
            it = T : bool
            -- exit 0
        "#]],
    );
}

#[test]
fn files_come_first() {
    check(
        "files",
        &["repl", "twice.nesl"],
        "twice(it);",
        &expect![[r#"
            twice = fn : int -> int
            it = 8 : int
            it = 16 : int
            -- exit 0
        "#]],
    );
}

#[test]
fn forms_that_fail_count() {
    check(
        "fail",
        &["repl", "wrong.nesl", "none.nesl", "--errors=short"],
        "one; [1][1]; 2;",
        &expect![[r#"
            one = 1 : int
            it = 1 : int
            it = 2 : int
            -- stderr
            wrong.nesl:2:7: type: `+` needs int here, found char [N0302]
            nesl: input: none.nesl cannot be read: No such file or directory (os error 2) [N0602]
            <stdin>:1:6: runtime(index): index 1 is outside a sequence of length 1 [N0502]
            -- exit 1
        "#]],
    );
}

#[test]
fn commands() {
    let input = "describe sum; describe \"++\"; apropos kth_; load \"twice\"; show names;\n\
                 set print_length 2; set arg_check off; show settings; [1, 2, 3];\n\
                 set verbose off; function hidden(x) = x; hidden(1);\n\
                 set colour on; show time; describe nothing; set verbose 3; exit; 7;\n";
    check(
        "commands",
        &["repl", "--errors=short"],
        input,
        &expect![[r#"
            sum : [a] -> a :: (a in number)
            sum of the elements
            work n, depth 1
            sum([3, 1, 4, 1]) ==> 9
            sum([] float) ==> 0.0
            ++ : ([a], [a]) -> [a] :: (a in any)
            concatenation
            work S, depth 1
            [1, 2] ++ [3] ==> [1, 2, 3]
            kth_smallest : ([a], int) -> a :: (a in ordinal)
            median : [a] -> a :: (a in ordinal)
            twice = fn : int -> int
            it = 8 : int
            twice : int -> int
            it : int
            print_length 2
            arg_check off
            verbose on
            it = [1, 2,...] : [int]
            it = 1 : int
            -- stderr
            <stdin>:4:5: undefined: there is no setting `colour` [N0210]
            <stdin>:4:21: undefined: `show` has no topic `time` [N0210]
            <stdin>:4:36: undefined: there is no name `nothing` [N0210]
            <stdin>:4:57: parse: `verbose` cannot be set to this [N0108]
            -- exit 1
        "#]],
    );
    let help = transcript("commands", &[], "help;");
    for command in ["describe name;", "load \"file\";", "set print_length n;", "exit;"] {
        assert!(help.contains(command), "{help}");
    }
}

/// What is large takes the compiled road and comes back.
#[test]
fn sizes() {
    check(
        "sizes",
        &[],
        "set print_length 3; a = {x * x : x in [0:400000]}; sum(take(a, 5)); a; #it;",
        &expect![[r#"
            a = [0, 1, 4,...] : [int]
            it = 30 : int
            it = [0, 1, 4,...] : [int]
            it = 400000 : int
            -- exit 0
        "#]],
    );
}

/// Somebody at a terminal.
struct User {
    terminal: Arc<Pty>,
    child: Child,
    shown: Receiver<Vec<u8>>,
    /// What was shown and is not yet expected.
    rest: String,
}

impl User {
    fn new(test: &str, arguments: &[&str]) -> User {
        User::with(test, arguments, &[])
    }

    /// The same with more in the environment.
    fn with(test: &str, arguments: &[&str], variables: &[(&str, PathBuf)]) -> User {
        let (terminal, other) = open().unwrap();
        terminal.resize(Size::new(24, 80)).unwrap();
        let history = folder(test).join("history");
        let command = Spawned::new(env!("CARGO_BIN_EXE_nesl"));
        let command = command.current_dir(folder(test)).envs(environment());
        let command = command.env("NESL_HISTORY", history).args(arguments);
        let command = command.envs(variables.iter().map(|(name, value)| (name, value)));
        let child = command.spawn(other).unwrap();
        let terminal = Arc::new(terminal);
        let (send, shown) = channel();
        let reading = Arc::clone(&terminal);
        std::thread::spawn(move || {
            let mut text = [0; 4096];
            // Until the other side is closed.
            while let Ok(count @ 1..) = (&*reading).read(&mut text) {
                if send.send(text[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut user = User { terminal, child, shown, rest: String::new() };
        user.sees("nesl> ");
        user
    }

    fn types(&mut self, text: &str) {
        (&*self.terminal).write_all(text.as_bytes()).unwrap();
    }

    /// Waits until this is shown behind what was seen before; gives what was shown before it.
    #[track_caller]
    fn sees(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.rest.find(text) {
                let rest = self.rest.split_off(at + text.len());
                let mut before = std::mem::replace(&mut self.rest, rest);
                before.truncate(at);
                return before;
            }
            match self.shown.recv_timeout(PATIENCE) {
                Ok(more) => self.rest += &String::from_utf8_lossy(&more),
                Err(error) => panic!("no `{text}`, but {:?}: {error}", self.rest),
            }
        }
    }

    /// What is shown within this time.
    fn shows_within(&mut self, time: Duration) -> String {
        let end = Instant::now() + time;
        let mut shown = std::mem::take(&mut self.rest);
        while let Ok(more) = self.shown.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            shown += &String::from_utf8_lossy(&more);
        }
        shown
    }

    /// Types a line, and waits for what comes of it and for the prompt.
    #[track_caller]
    fn gets(&mut self, line: &str, result: &str) {
        self.types(line);
        self.types("\r");
        self.sees(result);
        self.sees("nesl> ");
    }

    /// Leaves, and gives the exit code.
    fn leaves(mut self, by: &str) -> Option<i32> {
        self.types(by);
        self.child.wait().unwrap().code()
    }
}

impl Drop for User {
    fn drop(&mut self) {
        // A test that fails leaves nobody behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn lines_are_joined_until_they_are_forms() {
    let mut user = User::new("lines", &[]);
    user.types("40 +\r");
    user.gets("2;", "it = 42 : int");
    user.types("let a = it;\r");
    user.types("b = 2\r");
    user.gets("in a * b;", "it = 84 : int");
    user.types("1 + 1\r");
    user.sees("; ends the form");
    user.gets(";", "it = 2 : int");
    user.gets("it + `a;", "<input 4>:1:6");
    assert_eq!(user.leaves("\x04"), Some(0));
}

#[test]
fn an_interrupt_at_the_prompt_clears_the_line() {
    let mut user = User::new("clear", &[]);
    user.gets("one = 1;", "one = 1 : int");
    user.types("sum([1, 2\x03");
    user.sees("nesl> ");
    user.gets("one + 1;", "it = 2 : int");
    assert_eq!(user.leaves("exit;\r"), Some(0));
}

/// Interrupts an endless program some time after it began, and looks whether the definitions are
/// still there.
fn endless(test: &str, arguments: &[&str], definitions: &[&str], after: Duration) {
    let mut user = User::new(test, arguments);
    for definition in definitions {
        user.gets(definition, "= fn");
    }
    user.types("print_line(\"be\" ++ \"gun\"); up(0); 1;\r");
    user.sees("begun");
    std::thread::sleep(after);
    user.types("\x03");
    user.sees("the program was interrupted");
    // The forms behind it are not run.
    let then = user.sees("nesl> ");
    assert!(!then.contains("it = 1"), "{then}");
    user.gets("up(0 - 5);", "it = -5 : int");
    assert_eq!(user.leaves("exit;\r"), Some(0));
}

/// A loop without end for what is not negative.
const UP: &str = "function up(n) = if n < 0 then n else up(n + 1);";

#[test]
fn an_interrupt_ends_an_endless_loop() {
    endless("endless-interp", &["repl", "--engine", "interp"], &[UP], Duration::ZERO);
    endless("endless-small", &[], &[UP], Duration::ZERO);
}

/// Whenever it comes, the result is the same; after a while the loop is compiled.
#[test]
fn an_interrupt_ends_compiled_loops() {
    let after = Duration::from_secs(2);
    endless("endless-cpu", &["repl", "--engine", "cpu"], &[UP], after);
    endless("endless-large", &[], &[UP], after);
}

#[test]
fn an_interrupt_points_at_the_users_text() {
    let mut user = User::new("place", &["repl", "--engine", "interp"]);
    user.types("{* print_string(take(\"\", #take(\"begun\", 0))) : i in [0:20000000]};\r");
    std::thread::sleep(Duration::from_secs(3));
    user.types("\x03");
    user.sees("the program was interrupted");
    let place = user.sees("nesl> ");
    assert!(place.contains("<input 1>:1:"), "{place}");
    assert_eq!(user.leaves("exit;\r"), Some(0));
}

#[test]
fn who_waits_sees_that_something_runs() {
    let mut user = User::new("running", &["repl", "--engine", "interp"]);
    user.gets(UP, "= fn");
    user.types("up(0);\r");
    user.sees("running, Ctrl-C stops 2s");
    user.types("\x03");
    user.sees("the program was interrupted");
    user.sees("nesl> ");
    assert_eq!(user.leaves("exit;\r"), Some(0));
}

/// A prompt, what is typed behind it, and a line that has begun stay as they are.
#[test]
fn nothing_is_drawn_over_lines_that_have_begun() {
    let mut user = User::new("begun", &["repl", "--engine", "interp"]);
    user.gets(UP, "= fn");
    user.types("n = prompt(\"na\" ++ \"me? \");\r");
    user.sees("name? ");
    std::thread::sleep(Duration::from_secs(2));
    user.types("An");
    std::thread::sleep(Duration::from_millis(500));
    user.types("na\r");
    let between = user.sees("n = \"Anna\" : [char]");
    assert!(!between.contains("running") && !between.contains('\x1b'), "{between:?}");
    user.sees("nesl> ");
    // What a busy machine draws before the program reads is taken away when it does.
    user.types("(line, _) = read_line(stdin);\r");
    user.shows_within(Duration::from_secs(2));
    let waiting = user.shows_within(Duration::from_secs(2));
    assert_eq!(waiting, "");
    user.types("typed\r");
    user.sees("(\"typed\", F)");
    user.sees("nesl> ");
    user.types("let u = print_string(\"working \" ++ \"on it... \") in up(0);\r");
    user.sees("working on it... ");
    std::thread::sleep(Duration::from_secs(2));
    user.types("\x03");
    let between = user.sees("the program was interrupted");
    assert!(!between.contains("running"), "{between:?}");
    user.sees("nesl> ");
    assert_eq!(user.leaves("exit;\r"), Some(0));
}

/// A compiler that never ends; it tells at the terminal that it has begun.
const COMPILER: &str = "#!/bin/sh\n\
    case \"$*\" in *--version*) echo slow 1.0; exit;; *\" -E \"*) exit;; esac\n\
    echo begun > /dev/tty\n\
    exec sleep 1000\n";

#[test]
fn an_interrupt_ends_the_compiler() {
    let compiler = folder("compiler").join("cc");
    fs::write(&compiler, COMPILER).unwrap();
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    let cache = folder("compiler").join("cache");
    let variables = [("NESL_CC", compiler), ("NESL_CACHE_DIR", cache)];
    let mut user = User::with("compiler", &[], &variables);
    user.gets("one = 1;", "one = 1 : int");
    // Twice: nothing wrong is remembered about the compiler.
    for _ in 0..2 {
        user.types("sum({i * i : i in [0:1000000]}); 5;\r");
        user.sees("begun");
        user.types("\x03");
        user.sees("error[N0801]: the program was interrupted");
        let then = user.sees("nesl> ");
        assert!(!then.contains("it = 5") && !then.contains("nothing is compiled"), "{then}");
    }
    user.gets("one + 1;", "it = 2 : int");
    assert_eq!(user.leaves("exit;\r"), Some(0));
}

/// Several threads are left together.
#[test]
fn an_interrupt_ends_all_threads() {
    let lane = "function slow(n) = if n < 0 then n else slow(n + 1);";
    let all = "function up(n) = if n < 0 then n else sum({slow(i) : i in [0:100000]});";
    let arguments = ["repl", "--engine", "cpu", "--threads", "3"];
    endless("endless-lanes", &arguments, &[lane, all], Duration::from_secs(2));
}

#[test]
fn names_are_completed() {
    let mut user = User::new("completion", &[]);
    user.gets("nothing_like_it = 5;", "nothing_like_it = 5 : int");
    user.gets("nothing_l\t + 1;", "it = 6 : int");
    user.gets("load \"tw\t\";", "it = 8 : int");
    assert_eq!(user.leaves("\x04"), Some(0));
}

#[test]
fn what_was_typed_is_kept() {
    let _ = fs::remove_file(folder("history").join("history"));
    let mut user = User::new("history", &[]);
    user.types("20 +\r");
    user.gets("3;", "it = 23 : int");
    assert_eq!(user.leaves("\x04"), Some(0));
    let mut user = User::new("history", &[]);
    user.gets("\x1b[A", "it = 23 : int");
    assert_eq!(user.leaves("exit;\r"), Some(0));
}

#[test]
fn where_it_is_kept_is_said_with_and_without_the_subcommand() {
    let [mine, other] = ["mine", "other"].map(|name| folder("history-option").join(name));
    for file in [&mine, &other] {
        let _ = fs::remove_file(file);
    }
    let mut user = User::new("history-option", &["--history", "mine"]);
    user.gets("20 + 4;", "it = 24 : int");
    assert_eq!(user.leaves("\x04"), Some(0));
    let mut user = User::new("history-option", &["repl", "--history", "mine"]);
    user.gets("\x1b[A", "it = 24 : int");
    assert_eq!(user.leaves("\x04"), Some(0));
    assert!(fs::read_to_string(mine).unwrap().contains("20 + 4;"));
    let mut user =
        User::with("history-option", &["--history", ""], &[("NESL_HISTORY", other.clone())]);
    user.gets("20 + 5;", "it = 25 : int");
    assert_eq!(user.leaves("\x04"), Some(0));
    assert!(!other.exists());
}

/// The session in docs/repl.md, typed as it stands there.
#[test]
fn the_session_of_the_manual() {
    let manual = include_str!("../../../docs/repl.md");
    let sample =
        manual.split("```nesl-session\n").nth(1).unwrap().split("```").next().unwrap().trim();
    let mut user = User::new("manual", &[]);
    let mut forms = sample.strip_prefix("nesl> ").unwrap().split("\nnesl> ").peekable();
    while let Some(form) = forms.next() {
        let lines = form.lines().enumerate();
        let typed = lines.take_while(|(n, line)| *n == 0 || line.starts_with("  ")).count();
        form.lines().take(typed).for_each(|line| user.types(&format!("{line}\r")));
        form.lines().skip(typed).for_each(|line| {
            user.sees(line);
        });
        if forms.peek().is_some() {
            user.sees("nesl> ");
        }
    }
    assert_eq!(user.child.wait().unwrap().code(), Some(0));
}
