//! The command as users meet it: what it prints where, and how it ends.

mod transcript;

use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};
use transcript::transcript;

const PROGRAM: &str = "\
function double(s) = {x + x : x in s};
function at(a, i) = {a[j] : j in i};
function both(a, b) = {x + y : x in a; y in b};
function mean(s) : [float] -> float = sum(s) / float(#s);
function divided(a, b) = {x / b : x in a};
function filled(n) = dist(1, n);
function endless(n) = endless(n + 1) + 1;
function large(n) = let s = plus_scan(dist(1, n)) in s[n - 1];
double([1, 2]);
double([1.5];
at([1, 2], [0, 2]);
";

const READS: &str = "\
name = prompt(\"Who? \");
read_word(stdin);
read_char(stdin);
((line, _), _) = read_line(stdin);
write_string(line ++ \"!\\n\", stdout);
prompt(\"More? \");
read_line(stdin);
";

/// A folder with the program and some inputs, for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("p.nesl"), PROGRAM).unwrap();
    fs::write(folder.join("reads.nesl"), READS).unwrap();
    fs::write(folder.join("words.txt"), "1 2 three").unwrap();
    fs::write(folder.join("bad.npy"), b"\x93NUMPY\x01\x00junk").unwrap();
    fs::write(folder.join("bad.mtx"), "a matrix").unwrap();
    fs::write(folder.join("v.nesl"), "[1.0, 2.0, 6.0]").unwrap();
    folder
}

struct Run<'a> {
    test: &'a str,
    variables: &'a [(&'a str, &'a str)],
    input: &'a str,
}

impl Run<'_> {
    /// Standard output, standard error and the exit code.
    fn transcript(&self, line: &str) -> String {
        transcript(&folder(self.test), line, self.variables, self.input)
    }
}

#[track_caller]
fn check(test: &str, line: &str, expected: &Expect) {
    let run = Run { test, variables: &[], input: "" };
    expected.assert_eq(&run.transcript(line));
}

/// Both engines print the same.
#[track_caller]
fn check_engines(test: &str, line: &str, expected: &Expect) {
    let [cpu, interp] = ["cpu", "interp"].map(|engine| {
        let line = format!("run --engine {engine} --errors=short {line}");
        Run { test, variables: &[], input: "" }.transcript(&line)
    });
    expected.assert_eq(&cpu);
    assert_eq!(cpu, interp);
}

#[test]
fn programs_read_what_is_typed() {
    let input = "\nAnna\n3 4 rest\nlast";
    for engine in ["cpu", "interp"] {
        let run = Run { test: "programs_read", variables: &[], input };
        expect![[r#"
            Who? Who? name = "Anna" : [char]
            it = (("3", ` , F), T, "") : ([char], char, bool), bool, [char]
            it = (`4, T, "") : char, bool, [char]
            ((line, _), _) = ((" rest", F), T, "") : ([char], bool), bool, [char]
             rest!
            it = (T, "") : bool, [char]
            More? it = "last" : [char]
            it = (("", T), T, "") : ([char], bool), bool, [char]
            -- exit 0
        "#]]
        .assert_eq(&run.transcript(&format!("run reads.nesl --engine {engine}")));
    }
}

#[test]
fn forms() {
    check_engines(
        "forms",
        "p.nesl",
        &expect![[r#"
            double = fn : [a] -> [a] :: (a in number)
            at = fn : ([a], [int]) -> [a] :: (a in any)
            both = fn : ([a], [a]) -> [a] :: (a in number)
            mean = fn : [float] -> float
            divided = fn : ([a], a) -> [a] :: (a in number)
            filled = fn : int -> [int]
            endless = fn : int -> int
            large = fn : int -> int
            it = [2, 4] : [int]
            -- stderr
            p.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            p.nesl:10:13: parse: expected `)`, found `;` [N0101]
            p.nesl:2:22: runtime(index): index 2 is outside a sequence of length 2 [N0502]
            -- exit 1
        "#]],
    );
    check(
        "forms",
        "run p.nesl --quiet",
        &expect![[r#"
            -- stderr
            p.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            error[N0101]: expected `)`, found `;`
              --> p.nesl:10:13
               |
            10 | double([1.5];
               |       -     ^
               |       |
               |       opened here

            error[N0502]: index 2 is outside a sequence of length 2
             --> p.nesl:2:22
              |
            2 | function at(a, i) = {a[j] : j in i};
              |                      ^^^^
              |
              = note: in element 1
              = note: `at` is called at p.nesl:11:1
              = help: indices begin at 0, so that the last one is the length less 1

            more about these errors: nesl explain N0101; nesl explain N0502
            -- exit 1
        "#]],
    );
    check(
        "forms",
        "check --errors=short p.nesl",
        &expect![[r#"
            -- stderr
            p.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            p.nesl:10:13: parse: expected `)`, found `;` [N0101]
            -- exit 1
        "#]],
    );
}

#[test]
fn standard_input() {
    let run = Run { test: "stdin", variables: &[], input: "1 + 1; sum([1, 2, 3]);" };
    expect![[r#"
        it = 2 : int
        it = 6 : int
        -- exit 0
    "#]]
    .assert_eq(&run.transcript("run -"));
}

/// The program without forms that fail.
fn call(test: &str, line: &str, expected: &Expect) {
    let folder = folder(test);
    let functions = PROGRAM.split_inclusive('\n').take(8).collect::<String>();
    fs::write(folder.join("f.nesl"), functions).unwrap();
    check_engines(test, &format!("f.nesl {line}"), expected);
}

#[test]
fn calls() {
    let call = |line, expected: Expect| call("calls", line, &expected);
    call(
        "--entry mean s=v.nesl",
        expect![[r#"
            it = 3.0 : float
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            -- exit 0
        "#]],
    );
    call(
        "--entry double s=v.nesl -o out.txt",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            -- exit 0
        "#]],
    );
    let written = fs::read_to_string(folder("calls").join("out.txt")).unwrap();
    assert_eq!(written, "2.0\n4.0\n12.0\n");
}

#[test]
fn calls_with_defaults_and_values_alone() {
    let program = "function scaled(s, by := 3) = {x * by : x in s};";
    fs::write(folder("defaults").join("scaled.nesl"), program).unwrap();
    let call = |line: &str, expected: Expect| {
        check_engines("defaults", &format!("scaled.nesl {line}"), &expected);
    };
    call(
        "--entry scaled s=[1,2]",
        expect![[r#"
        it = [3, 6] : [int]
        -- exit 0
    "#]],
    );
    call(
        "--entry scaled [1,2] by=10",
        expect![[r#"
        it = [10, 20] : [int]
        -- exit 0
    "#]],
    );
    call(
        "--entry max -5 2",
        expect![[r#"
        it = 2 : int
        -- exit 0
    "#]],
    );
    call(
        "--entry scaled by=2",
        expect![[r#"
        -- stderr
        nesl: input: the parameter `s` is not given: write s=VALUE [N0601]
        -- exit 1
    "#]],
    );
}

/// What prints is interpreted on every engine, with the values that were computed before.
#[test]
fn calls_that_print() {
    let text = "\
        table = {i * i : i in [0:4]};\n\
        function shown(i) = let _ = print_debug(\"i is \", i) in table[i];\n\
        function said(s) = let _ = print_line(s) in #s;\n";
    fs::write(folder("calls_that_print").join("prints.nesl"), text).unwrap();
    let call = |line, expected: Expect| check_engines("calls_that_print", line, &expected);
    call(
        "prints.nesl --entry shown i=3",
        expect![[r#"
        i is 3
        it = 9 : int
        -- exit 0
    "#]],
    );
    call(
        "prints.nesl --entry shown i=4",
        expect![[r#"
            i is 4
            -- stderr
            prints.nesl:2:56: runtime(index): index 4 is outside a sequence of length 4 [N0502]
            -- exit 1
        "#]],
    );
    call(
        "prints.nesl --entry said s=\"word\"",
        expect![[r#"
        word
        it = 4 : int
        -- exit 0
    "#]],
    );
}

#[test]
fn bad_input() {
    let call = |line, expected: Expect| call("bad_input", line, &expected);
    call(
        "--entry mean s=none.npy",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `none.npy`: No such file or directory (os error 2) [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=bad.npy",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `bad.npy`: the file is truncated: it ends inside its header [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=bad.mtx",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `bad.mtx`: a matrix cannot be read as a value of type [float] [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=words.txt",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `words.txt`: line 1: `three` is not a float [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=[1]",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `s`: line 1, column 2: this is an int, but a float is needed: write 1.0 [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=[1.0",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `s`: the literal ends before it is complete [N0601]
            -- exit 1
        "#]],
    );
}

#[test]
fn more_bad_input() {
    let call = |line, expected: Expect| call("more_bad_input", line, &expected);
    call(
        "--entry mean s=[[1.0]]",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `s`: line 1, column 2: this is no literal of type float [N0601]
            -- exit 1
        "#]],
    );
}

#[test]
fn bad_calls() {
    let call = |line, expected: Expect| call("bad_calls", line, &expected);
    call(
        "--entry mean",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: the parameter `s` is not given: write s=VALUE [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=[1.0] t=1",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: input: `mean` has no parameter `t` [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry median_of s=[1.0]",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            nesl: undefined: there is no function `median_of` [N0204]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=v.nesl -o out.pdf",
        expect![[r#"
            -- stderr
            nesl: input: `out.pdf`: values are written to .npy, .txt or .nesl files [N0601]
            -- exit 1
        "#]],
    );
    call(
        "--entry mean s=v.nesl -o /no/folder/out.npy",
        expect![[r#"
            -- stderr
            nesl: input: `/no/folder/out.npy`: No such file or directory (os error 2) [N0601]
            -- exit 1
        "#]],
    );
}

#[test]
fn errors_while_running() {
    let call = |line, expected: Expect| call("running", line, &expected);
    call(
        "--entry at a=[1,2,3] i=[0,7]",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            f.nesl:2:22: runtime(index): index 7 is outside a sequence of length 3 [N0502]
            -- exit 1
        "#]],
    );
    call(
        "--entry both a=[1,2,3] b=[1]",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            f.nesl:3:23: runtime(length): the lengths 3 and 1 do not fit [N0504]
            -- exit 1
        "#]],
    );
    call(
        "--entry divided a=[1] b=0",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            f.nesl:5:27: runtime(divide): 1 is divided by 0 [N0501]
            -- exit 1
        "#]],
    );
    call(
        "--entry filled n=-1",
        expect![[r#"
            -- stderr
            f.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            f.nesl:6:22: runtime(length): the length -1 is negative [N0504]
            -- exit 1
        "#]],
    );
    let folder = folder("running").join("out.nesl");
    assert!(!folder.exists());
}

/// Messages of these differ in numbers.
#[test]
fn out_of_memory() {
    let folder = folder("memory");
    let functions = PROGRAM.split_inclusive('\n').take(8).collect::<String>();
    fs::write(folder.join("f.nesl"), functions).unwrap();
    for engine in ["cpu", "interp"] {
        for (call, place) in [
            ("--memory 1M --entry large n=40000000", "f.nesl:8:"),
            ("--entry endless n=0", "f.nesl:7:"),
        ] {
            let run = Run { test: "memory", variables: &[], input: "" };
            let line = format!("run --engine {engine} --errors=short f.nesl {call}");
            let told = run.transcript(&line);
            assert!(told.contains("runtime(memory): "), "{told}");
            assert!(told.contains(place), "{told}");
            assert!(told.ends_with("-- exit 1\n"), "{told}");
        }
    }
}

#[test]
fn without_a_compiler() {
    let run =
        |variables, line: &str| Run { test: "compiler", variables, input: "1;" }.transcript(line);
    expect![[r#"
        -- stderr
        error[N0603]: the C compiler `/no/cc` cannot be run
         |
         = help: install a C compiler, such as the package `gcc` or `clang`, or set NESL_CC
         = help: `--engine interp` runs the program without one

        more about N0603: nesl explain N0603
        -- exit 1
    "#]]
    .assert_eq(&run(&[("NESL_CC", "/no/cc")], "run -"));
    expect![[r#"
        -- stderr
        nesl: input: no C compiler was found [N0603]
        -- exit 1
    "#]]
    .assert_eq(&run(&[("PATH", "/nowhere")], "run --errors=short -"));
    expect![[r#"
        it = 1 : int
        -- exit 0
    "#]]
    .assert_eq(&run(&[("PATH", "/nowhere")], "run --engine interp -"));
}

#[test]
fn without_a_cache() {
    let run =
        Run { test: "cache", variables: &[("NESL_CACHE_DIR", "/proc/nesl")], input: "[1]; 2;" };
    expect![[r#"
        it = [1] : [int]
        it = 2 : int
        -- stderr
        nesl: warning: compiled programs cannot be kept in /proc/nesl: No such file or directory
        -- exit 0
    "#]]
    .assert_eq(&run.transcript("run -").replace(" (os error 2)", ""));
}

/// The compiler runs in a folder of its own.
#[test]
fn a_cache_named_from_here() {
    let kept = folder("here").join("kept");
    let _ = fs::remove_dir_all(&kept);
    let run = Run { test: "here", variables: &[("NESL_CACHE_DIR", "kept")], input: "[1]; 2;" };
    expect![[r#"
        it = [1] : [int]
        it = 2 : int
        -- exit 0
    "#]]
    .assert_eq(&run.transcript("run --engine cpu -"));
    assert!(fs::read_dir(&kept).unwrap().count() > 0);
}

#[test]
fn pretty_errors() {
    check(
        "pretty",
        "run p.nesl --quiet --engine interp",
        &expect![[r#"
            -- stderr
            p.nesl:7:23: warning: no call of `endless` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
            error[N0101]: expected `)`, found `;`
              --> p.nesl:10:13
               |
            10 | double([1.5];
               |       -     ^
               |       |
               |       opened here

            error[N0502]: index 2 is outside a sequence of length 2
             --> p.nesl:2:22
              |
            2 | function at(a, i) = {a[j] : j in i};
              |                      ^^^^
              |
              = note: in element 1
              = note: `at` is called at p.nesl:11:1
              = help: indices begin at 0, so that the last one is the length less 1

            more about these errors: nesl explain N0101; nesl explain N0502
            -- exit 1
        "#]],
    );
}

#[test]
fn usage() {
    let code = |line: &str| {
        let run = Run { test: "usage", variables: &[], input: "" };
        let told = run.transcript(line);
        told.lines().last().map(str::to_owned)
    };
    for line in [
        "run",
        "run p.nesl --threads 0",
        "run p.nesl --memory lots",
        "run p.nesl --dump nothing",
        "run p.nesl --engine gpu",
        "run p.nesl x=1",
        "run p.nesl --entry mean v=",
        "run p.nesl --entry mean =1",
        "run p.nesl --engine interp --dump flat",
        "run p.nesl --engine interp --profile out.json",
        "run p.nesl --svg out.svg",
        "run p.nesl --dump flat --svg out.svg",
        "run p.nesl --fusion much",
        "dev flat p.nesl nonsense",
        "help nonsense",
        "walk",
    ] {
        let expected = if line.starts_with("dev") { "-- exit 1" } else { "-- exit 2" };
        assert_eq!(code(line).as_deref(), Some(expected), "{line}");
    }
    for line in ["help", "help run", "help passes", "help library", "help plus_scan", "--version"] {
        assert_eq!(code(line).as_deref(), Some("-- exit 0"), "{line}");
    }
}

/// What `--dump` prints can be read, transformed and printed again.
#[test]
fn dumps_are_read() {
    let dump = |stage: &str| {
        let run = Run { test: "dumps", variables: &[], input: "{x * x : x in [1, 2] | x > 1};" };
        let told = run.transcript(&format!("run --quiet --dump {stage} -"));
        told.strip_suffix("-- exit 0\n").unwrap().to_owned()
    };
    let dev = |line: &str, input: &str| {
        Run { test: "dumps", variables: &[], input }.transcript(&format!("dev {line}"))
    };
    for station in ["nest", "flat", "plan", "kernel"] {
        let text = dump(station);
        assert_eq!(dev(&format!("{station} -"), &text), format!("{text}-- exit 0\n"));
    }
    let flat: Vec<&str> = flat::passes::ALL.iter().map(|(name, _)| *name).collect();
    let passes = format!("nest - flatten {}", flat.join(" "));
    assert_eq!(dev(&passes, &dump("nest")), format!("{}-- exit 0\n", dump("flat")));
    expect![[r#"
        -- stderr
        error: the pass emit does not take a program of flat
        -- exit 2
    "#]]
    .assert_eq(&dev("flat - emit", &dump("flat")));
    expect![[r#"
        -- stderr
        <stdin>: line 1: expected a word, found the end
        -- exit 1
    "#]]
    .assert_eq(&dev("nest -", "fn f0"));
}

/// What is fused is drawn, and what is not has a reason; markup of the program is text.
#[test]
fn drawings() {
    let run = Run { test: "drawings", variables: &[], input: "" };
    let folder = folder("drawings");
    let program = "\
function turned(v) =
  let small = {rem(x, 7) : x in v | x < 9};
      sums = plus_scan(small)
  in {sums[#v - i - 1] + x : i in [0:#v]; x in small};
";
    fs::write(folder.join("f.nesl"), program).unwrap();
    let line = "run f.nesl --engine cpu --entry turned v=[1,2,3] --quiet --dump plan --svg";
    let told = run.transcript(&format!("{line} out.svg"));
    assert!(told.contains("\nplan f0 turned(") && told.ends_with("-- exit 0\n"), "{told}");
    let drawn = fs::read_to_string(folder.join("out.svg")).unwrap();
    assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"), "{drawn}");
    // Tags are all that is in angles.
    for part in drawn.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(["svg", "style", "rect", "path", "text"].contains(&name), "{part}");
        assert!(!text.contains('>') && tag.matches('"').count() % 2 == 0, "{part}");
    }
    for part in [
        "class=\"fused\"",
        "class=\"memory\"",
        ">2: {rem(x, 7) : x in v | …<",
        "they work over different spaces",
        ">memory of turned<",
        "class=\"given\"",
        "class=\"made\"",
    ] {
        assert!(drawn.contains(part), "{part} is not in\n{drawn}");
    }
    let nowhere = run.transcript(&format!("{line} nowhere/out.svg"));
    assert!(nowhere.contains("-- stderr\nerror") && nowhere.ends_with("-- exit 1\n"), "{nowhere}");
}

/// Results are the same however much is fused.
#[test]
fn fusion() {
    let input =
        "function both(v) = let s = {rem(x * 7, 5) : x in v} in (sum(s), s); both([1, 2, 3]);";
    let run = Run { test: "fusion", variables: &[], input };
    let told = |options: &str| run.transcript(&format!("run --engine cpu {options} -"));
    let [off, greedy, optimal] =
        ["off", "greedy", "optimal"].map(|fusion| told(&format!("--fusion {fusion}")));
    assert!(off.contains("it = (7, [2, 4, 1]) : int, [int]"), "{off}");
    assert_eq!([&off, &off], [&greedy, &optimal]);
    assert_eq!(told("--int 64"), optimal);
    let launches = |fusion: &str| {
        let plan = told(&format!("--quiet --dump plan --fusion {fusion}"));
        plan.matches("launch ").count()
    };
    assert!(launches("off") > launches("greedy"));
    assert_eq!(launches("greedy"), launches("optimal"));
}

/// The tracks of a profile hold what happened: passes, calls inside each other, launches.
#[test]
fn profiles() {
    let run = Run { test: "profiles", variables: &[], input: "" };
    let folder = folder("profiles");
    let program = "\
function sums(n) =
  if n == 0 then 0
  else let numbers = index(n * 100000);
           prefixes = plus_scan({rem(x * 7, 1000) : x in numbers | x /= n})
       in sum({y : y in prefixes}) + sums(n - 1);
";
    fs::write(folder.join("f.nesl"), program).unwrap();
    let told = run.transcript("run f.nesl --entry sums n=2 --quiet --repeat 2 --profile out.json");
    assert_eq!(told, "-- exit 0\n");
    let text = fs::read_to_string(folder.join("out.json")).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |kind: &str| -> Vec<&serde_json::Value> {
        events.iter().filter(|event| event["cat"] == kind).collect()
    };
    let number = |event: &serde_json::Value, key: &str| event[key].as_f64().unwrap();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        assert!(number(event, "ts") >= 0.0 && number(event, "dur") >= 0.0, "{event}");
    }
    let passes: Vec<_> = of("compile").iter().map(|event| event["name"].clone()).collect();
    assert!(
        ["lower", "flatten", "fuse", "emit", "load"].iter().all(|p| passes.contains(&(*p).into()))
    );
    // Of two calls the last one is there, and the recursion lies inside of it; what the entry ends
    // with comes after it.
    let calls: Vec<_> = of("call").into_iter().filter(|call| call["name"] == "sums").collect();
    assert!(calls.len() >= 4, "{calls:?}");
    for pair in calls[1..].windows(2) {
        let ends = |event| number(event, "ts") + number(event, "dur");
        assert!(number(pair[1], "ts") >= number(pair[0], "ts") && ends(pair[1]) <= ends(pair[0]));
        assert_eq!(pair[1]["tid"], 1);
    }
    let kernels = of("kernel");
    let named = |kernel: &&&serde_json::Value| {
        let name = kernel["name"].as_str().unwrap();
        kernel["args"]["lanes"] == 200_000 && name.starts_with("f.nesl:4 ({rem(x * 7, 1000)")
    };
    assert_eq!(kernels.iter().find(named).unwrap()["tid"], 2);
    let bytes = kernels.iter().map(|kernel| kernel["args"]["bytes"].as_u64().unwrap());
    assert!(bytes.max().unwrap() >= 1_600_000, "{kernels:?}");
    assert!(of("memory").iter().any(|memory| memory["args"]["bytes"] == 1_600_000));
    assert_eq!(of("border").len(), 2);
}

#[test]
fn statistics() {
    let run = Run { test: "statistics", variables: &[], input: "" };
    fs::write(folder("statistics").join("f.nesl"), "function total(s) = plus_scan(s);").unwrap();
    let told = run.transcript("run f.nesl --entry total s=[1,2,3] --repeat 3 --quiet --stats=json");
    let json = told.lines().nth(1).unwrap();
    for key in [
        "\"kernels_compiled\":1,",
        "\"kernels_run\":1,",
        "\"launches\":1,",
        "\"waits\":0}",
        "\"readbacks\":0,",
        "\"bytes_up\":0,",
        "\"bytes_down\":0,",
        "\"elements_touched\":6,",
        "\"lanes\":3,",
        "\"bytes_moved\":",
        "\"allocations\":1,",
        "\"allocations_reused\":1,",
        "\"peak_bytes\":",
        "\"compile_ms\":",
        "\"cached\":",
        "\"run_ms\":",
        "\"run_ms_all\":[",
        "\"kernels\":[{",
        "\"source\":[\"f.nesl:1 plus_scan(s)\"]",
    ] {
        assert!(json.contains(key), "{key} is not in {json}");
    }
}
