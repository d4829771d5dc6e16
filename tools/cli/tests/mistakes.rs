//! What is told about calls, options and arguments that cannot be meant, and what may have been
//! meant.

use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with programs, for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes").join(test);
    fs::create_dir_all(&folder).unwrap();
    let inc = "function inc(x) : int -> int = x + 1;\n";
    let rest = "function total(v) = sum(v);\nfunction size(c) : [char] -> int = #c;\n\
                function same(v) : [float] -> [float] = v;\n";
    fs::write(folder.join("p.nesl"), format!("{inc}{rest}")).unwrap();
    fs::write(folder.join("leaves.nesl"), format!("{inc}print_line(\"seen\");\nexit;\n")).unwrap();
    let words = "describ sum;\nlaod \"x\";\nsett verbose on;\nexti;\nshow setings;\nlod(3);\n";
    fs::write(folder.join("words.nesl"), words).unwrap();
    fs::write(folder.join("fails.nesl"), format!("{inc}1 + `a;\n")).unwrap();
    folder
}

/// Standard output, standard error and the exit code, for each of these lines.
#[track_caller]
fn check(test: &str, lines: &[&str], expected: &Expect) {
    let mut text = String::new();
    for line in lines {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
        command.current_dir(folder(test)).args(line.split(' '));
        // Where there is a GPU, it would be taken.
        command.env("CUDA_VISIBLE_DEVICES", "").env("RUST_BACKTRACE", "0");
        command.env("NESL_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        let output = command.output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
        text += &format!("$ nesl {line}\n{out}{err}-- exit {}\n", output.status.code().unwrap());
    }
    expected.assert_eq(&text);
}

#[test]
fn a_file_that_leaves_before_the_call() {
    let lines =
        ["run leaves.nesl --engine interp --entry inc x=1", "cost leaves.nesl --entry inc x=1"];
    check(
        "leaves",
        &lines,
        &expect![[r#"
            $ nesl run leaves.nesl --engine interp --entry inc x=1
            seen
            error[N0601]: `exit;` ends the program before `inc` is called
             |
             = help: all forms of the file are evaluated before the call: leave `exit;` out

            more about N0601: nesl explain N0601
            -- exit 1
            $ nesl cost leaves.nesl --entry inc x=1
            seen
            leaves.nesl:2:1: warning: this form is run, with its effects, to find what it costs
            error[N0601]: `exit;` ends the program before `inc` is called
             |
             = help: all forms of the file are evaluated before the call: leave `exit;` out

            more about N0601: nesl explain N0601
            -- exit 1
        "#]],
    );
}

#[test]
fn a_file_with_a_form_that_fails_before_the_call() {
    check(
        "fails",
        &["run fails.nesl --engine interp --entry inc x=1"],
        &expect![[r#"
            $ nesl run fails.nesl --engine interp --entry inc x=1
            it = 2 : int
            error[N0302]: `+` needs int here, found char
             --> fails.nesl:2:5
              |
            2 | 1 + `a;
              | -   ^^ this is char
              | |
              | this is int
              |
              = note: `+` has type (a, a) -> a :: (a in number)
              = help: `char_code` gives the code of a char

            `inc` is called, as it uses nothing of what failed
            more about N0302: nesl explain N0302
            -- exit 1
        "#]],
    );
}

#[test]
fn functions_that_are_no_entries() {
    check(
        "entries",
        &[
            "run p.nesl --engine interp --errors short --entry sum a=[1,2]",
            "run p.nesl --engine interp --entry sum",
            "run p.nesl --engine interp --entry sum [1,2] 3",
            "run p.nesl --engine interp --entry sum [1,2]",
            "run p.nesl --engine interp --entry inc=3",
            "build p.nesl --entry total:[int]->int --entry total:[float]->float",
            "build p.nesl --entry sum",
        ],
        &expect![[r#"
            $ nesl run p.nesl --engine interp --errors short --entry sum a=[1,2]
            nesl: input: `sum` has no parameter `a` [N0601]
            nesl: input: parameter 1 of `sum`, which has no name, is not given: write VALUE alone [N0601]
            -- exit 1
            $ nesl run p.nesl --engine interp --entry sum
            error[N0601]: parameter 1 of `sum`, which has no name, is not given: write VALUE alone
             |
             = note: the parameters of `sum` are: one without a name, of type [a]

            more about N0601: nesl explain N0601
            -- exit 1
            $ nesl run p.nesl --engine interp --entry sum [1,2] 3
            error[N0601]: `sum` has no parameter for the value `3`
             |
             = note: the parameters of `sum` are: one without a name, of type [a]

            more about N0601: nesl explain N0601
            -- exit 1
            $ nesl run p.nesl --engine interp --entry sum [1,2]
            it = 3 : int
            -- exit 0
            $ nesl run p.nesl --engine interp --entry inc=3
            error[N0204]: there is no function `inc=3`
             |
             = help: write `--entry inc` and then arguments, such as `x=3`

            more about N0204: nesl explain N0204
            -- exit 1
            $ nesl build p.nesl --entry total:[int]->int --entry total:[float]->float
            error[N0601]: `total` is named twice, but a library has one function of a name
             |
             = help: for another type build another function, such as `function total2(x) : [float]->float = total(x);`

            more about N0601: nesl explain N0601
            -- exit 1
            $ nesl build p.nesl --entry sum
            error[N0321]: `sum` is of many types: [a] -> a :: (a in number)
             |
             = help: say which one is to be built, such as --entry 'sum : [int] -> int'

            more about N0321: nesl explain N0321
            -- exit 1
        "#]],
    );
}

#[test]
fn arguments_that_are_no_literals() {
    check(
        "arguments",
        &[
            "run p.nesl --engine interp --entry size c=hello",
            "run p.nesl --engine interp --entry same v=./data.csv",
            "run p.nesl --engine interp --entry same v=[1.0,-inf]",
            "run p.nesl --engine interp --entry inc x=-9223372036854775808",
        ],
        &expect![[r#"
            $ nesl run p.nesl --engine interp --entry size c=hello
            error[N0601]: `c`: line 1, column 1: this is no literal of type [char]
             |
             = note: `c` has type [char]
             = help: a string has quotes, also for the shell: 'c="hello"'

            more about N0601: nesl explain N0601
            -- exit 1
            $ nesl run p.nesl --engine interp --entry same v=./data.csv
            error[N0601]: `./data.csv`: no .npy, .mtx, .txt or .nesl file
             |
             = note: `v` has type [float]
             = help: Python converts it: `numpy.save("./data.npy", numpy.loadtxt("./data.csv", delimiter=","))`

            more about N0601: nesl explain N0601
            -- exit 1
            $ nesl run p.nesl --engine interp --entry same v=[1.0,-inf]
            it = [1.0, -inf] : [float]
            -- exit 0
            $ nesl run p.nesl --engine interp --entry inc x=-9223372036854775808
            it = -9223372036854775807 : int
            -- exit 0
        "#]],
    );
}

#[test]
fn words_that_are_no_subcommands_or_topics() {
    check(
        "words",
        &["p.nesl", "help ->", "help summ", "help sequenc", "help rnu", "help nothing_like_it"],
        &expect![[r#"
            $ nesl p.nesl
            error: unrecognized subcommand 'p.nesl'

            Usage: nesl [OPTIONS]
                   nesl <COMMAND>

            For more information, try '--help'.

            `nesl run p.nesl` runs a program
            -- exit 2
            $ nesl help ->
            -> : ([a], [int]) -> [a] :: (a in any)
            v -> i: the elements v[i[0]], v[i[1]], ...; fails (index)
            work m + S, depth 1
            "abcd" -> [3, 0, 0] ==> "daa"
            "abcd" -> [4] ==> fails (index)
            -- exit 0
            $ nesl help summ
            error: there is no topic `summ`; near it: `sum`

            Topics of `nesl help TOPIC`:
              repl, run, check, cost, doc, fmt, lsp, build, new, explain, dev
                               a subcommand with all its options
              library          every function of the library with its type; see also `nesl doc`
              TOPIC            a topic of the library, such as sequences; `nesl doc` lists them
              NAME             a function or operator of the library, such as plus_scan or '->'
              files            which files arguments can be, and what values they become
              commands         what forms like `set print_length 10;` do inside programs
              passes           the passes of the compiler
            -- exit 2
            $ nesl help sequenc
            error: there is no topic `sequenc`; near it: `sequences`

            Topics of `nesl help TOPIC`:
              repl, run, check, cost, doc, fmt, lsp, build, new, explain, dev
                               a subcommand with all its options
              library          every function of the library with its type; see also `nesl doc`
              TOPIC            a topic of the library, such as sequences; `nesl doc` lists them
              NAME             a function or operator of the library, such as plus_scan or '->'
              files            which files arguments can be, and what values they become
              commands         what forms like `set print_length 10;` do inside programs
              passes           the passes of the compiler
            -- exit 2
            $ nesl help rnu
            error: there is no topic `rnu`; near it: `run`

            Topics of `nesl help TOPIC`:
              repl, run, check, cost, doc, fmt, lsp, build, new, explain, dev
                               a subcommand with all its options
              library          every function of the library with its type; see also `nesl doc`
              TOPIC            a topic of the library, such as sequences; `nesl doc` lists them
              NAME             a function or operator of the library, such as plus_scan or '->'
              files            which files arguments can be, and what values they become
              commands         what forms like `set print_length 10;` do inside programs
              passes           the passes of the compiler
            -- exit 2
            $ nesl help nothing_like_it
            error: there is no topic `nothing_like_it`

            Topics of `nesl help TOPIC`:
              repl, run, check, cost, doc, fmt, lsp, build, new, explain, dev
                               a subcommand with all its options
              library          every function of the library with its type; see also `nesl doc`
              TOPIC            a topic of the library, such as sequences; `nesl doc` lists them
              NAME             a function or operator of the library, such as plus_scan or '->'
              files            which files arguments can be, and what values they become
              commands         what forms like `set print_length 10;` do inside programs
              passes           the passes of the compiler
            -- exit 2
        "#]],
    );
    let told = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
        String::from_utf8(command.args(line.split(' ')).output().unwrap().stdout).unwrap()
    };
    assert_eq!(told("help sequences"), told("doc sequences"));
    assert!(told("help files").contains("[[(int, float)]]"));
}

/// What is no command, but would be one but for its spelling, is no expression of unknown names.
#[test]
fn words_that_are_nearly_commands() {
    check(
        "commands",
        &["run words.nesl --engine interp"],
        &expect![[r#"
            $ nesl run words.nesl --engine interp
            error[N0204]: `describ` is not defined
             --> words.nesl:1:1
              |
            1 | describ sum;
              | ^^^^^^^ unknown name
              |
            help: did you mean `describe`?
              |
            1 | describe sum;
              |        +

            error[N0204]: `laod` is not defined
             --> words.nesl:2:1
              |
            2 | laod "x";
              | ^^^^ unknown name
              |
            help: did you mean `load`?
              |
            2 - laod "x";
            2 + load "x";
              |

            error[N0204]: `sett` is not defined
             --> words.nesl:3:1
              |
            3 | sett verbose on;
              | ^^^^ unknown name
              |
            help: did you mean `set`?
              |
            3 - sett verbose on;
            3 + set verbose on;
              |

            error[N0204]: `exti` is not defined
             --> words.nesl:4:1
              |
            4 | exti;
              | ^^^^ unknown name
              |
            help: did you mean `exit`?
              |
            4 - exti;
            4 + exit;
              |

            error[N0210]: `show` has no topic `setings`
             --> words.nesl:5:6
              |
            5 | show setings;
              |      ^^^^^^^
              |
            help: did you mean `settings`?
              |
            5 | show settings;
              |         +

            error[N0204]: `lod` is not defined
             --> words.nesl:6:1
              |
            6 | lod(3);
              | ^^^ unknown name
              |
            help: did you mean `log`?
              |
            6 - lod(3);
            6 + log(3);
              |

            more about these errors: nesl explain N0204; nesl explain N0210
            -- exit 1
        "#]],
    );
}

#[test]
fn where_errors_are_explained() {
    check(
        "explained",
        &["cost no.nesl", "fmt no.nesl", "doc no.nesl", "build no.nesl", "new a/b"],
        &expect![[r#"
            $ nesl cost no.nesl
            error[N0602]: no.nesl cannot be read: No such file or directory (os error 2)

            more about N0602: nesl explain N0602
            -- exit 1
            $ nesl fmt no.nesl
            error[N0602]: no.nesl cannot be read: No such file or directory (os error 2)

            more about N0602: nesl explain N0602
            -- exit 1
            $ nesl doc no.nesl
            error[N0602]: no.nesl cannot be read: No such file or directory (os error 2)

            more about N0602: nesl explain N0602
            -- exit 1
            $ nesl build no.nesl
            error[N0602]: no.nesl cannot be read: No such file or directory (os error 2)

            more about N0602: nesl explain N0602
            -- exit 1
            $ nesl new a/b
            error[N0601]: `a/b` is no name for a program
             |
             = help: a name has letters, digits, `-` and `_`

            more about N0601: nesl explain N0601
            -- exit 1
        "#]],
    );
}

/// There is no GPU: the text is shown, and nothing is called.
#[test]
fn code_for_gpus() {
    check(
        "no-gpu",
        &["run p.nesl --dump cuda --engine cpu", "run p.nesl --dump c --engine cuda"],
        &expect![[r#"
            $ nesl run p.nesl --dump cuda --engine cpu
            error: `--dump cuda` shows code for GPUs; `--engine cpu` and `--threads` make none
            -- exit 2
            $ nesl run p.nesl --dump c --engine cuda
            error: `--dump c` shows code for the cores; `--engine cuda` makes none
            -- exit 2
        "#]],
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(folder("gpu")).args(["run", "p.nesl", "--dump", "cuda"]);
    let output =
        command.args(["--entry", "inc", "x=1"]).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(err, "there is no GPU: `inc` is compiled, not called\n");
    assert!(
        out.contains("NVRTC") || out.contains("__global__") || out.contains("__CUDACC__"),
        "{out}"
    );
}
