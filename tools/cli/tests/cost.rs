//! `nesl cost`: what it prints, as tables and as JSON.

use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with a program, for one test.
fn folder(test: &str, name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cost").join(test);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
    folder
}

fn nesl(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// Text as it is, but for blanks at the ends of lines.
fn plain(text: Vec<u8>) -> String {
    let text = String::from_utf8(text).unwrap();
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Runs `nesl cost p.nesl` with these arguments; shows standard output, standard error and status.
#[track_caller]
fn check(test: &str, program: &str, arguments: &[&str], expected: &Expect) {
    let folder = folder(test, "p.nesl", program);
    let output = nesl(&folder, &[&["cost", "p.nesl", "--errors=short"], arguments].concat());
    let (out, err) = (plain(output.stdout), plain(output.stderr));
    let error = if err.is_empty() { String::new() } else { format!("-- stderr\n{err}") };
    expected.assert_eq(&format!("{out}{error}-- exit {}\n", output.status.code().unwrap()));
}

const SQUARES: &str = "\
function square(x) = x * x;
function squares(v) =
  {square(x) : x in v};
v = squares([1, 2, 3]);
print_string(\"a line\\n\");
sum(v);
";

#[test]
fn forms_of_a_file() {
    check(
        "forms",
        SQUARES,
        &[],
        &expect![[r#"
            a line
             form            work  depth  parallelism
             v     p.nesl:4    46     17          2.7
             it    p.nesl:5    11      4          2.8
             it    p.nesl:6     7      4          1.8
             all               64     25          2.6

             function                calls  own work  share  work  depth  parallelism
             squares       p.nesl:2      1        18  28.1%    36     11          3.3
             square        p.nesl:1      3        18  28.1%    18      6          3.0
             top level                   3        16  25.0%    64     17          3.8
             print_string  library       1         8  12.5%     8      1          8.0
             sum           library       1         4   6.2%     4      1          4.0

             line      own work  share  work  depth  parallelism  text
             p.nesl:1        18  28.1%    18      6          3.0  function square(x) = x * x;
             p.nesl:3        18  28.1%    36     11          3.3  {square(x) : x in v};
             p.nesl:5        11  17.2%    11      4          2.8  print_string("a line\n");
             p.nesl:4        10  15.6%    46     17          2.7  v = squares([1, 2, 3]);
             p.nesl:6         7  10.9%     7      4          1.8  sum(v);
            -- stderr
            p.nesl:5:1: warning: this form is run, with its effects, to find what it costs
            -- exit 0
        "#]],
    );
}

#[test]
fn a_call() {
    check(
        "call",
        SQUARES,
        &["--entry", "squares", "v=[1, 2]"],
        &expect![[r#"
            a line
             form               work  depth  parallelism
             squares  p.nesl:2    25     11          2.3

             function            calls  own work  share  work  depth  parallelism
             squares   p.nesl:2      1        13  52.0%    25     11          2.3
             square    p.nesl:1      2        12  48.0%    12      6          2.0

             line      own work  share  work  depth  parallelism  text
             p.nesl:3        13  52.0%    25     11          2.3  {square(x) : x in v};
             p.nesl:1        12  48.0%    12      6          2.0  function square(x) = x * x;
            -- stderr
            p.nesl:5:1: warning: this form is run, with its effects, to find what it costs
            -- exit 0
        "#]],
    );
}

/// What fills in a default is the call from outside, and what the default costs is its own.
#[test]
fn a_call_with_a_default() {
    check(
        "default",
        "function scaled(s,\n  by := 1 + 2) =\n  {x * by : x in s};\n",
        &["--entry", "scaled", "[1, 2]"],
        &expect![[r#"
             form              work  depth  parallelism
             scaled  p.nesl:1    32     21          1.5

             function             calls  own work  share  work  depth  parallelism
             scaled     p.nesl:1      1        19  59.4%    19      8          2.4
             top level                1         7  21.9%    32     21          1.5
             scaled.by  p.nesl:2      1         6  18.8%     6      6          1.0

             line      own work  share  work  depth  parallelism  text
             p.nesl:3        19  59.4%    19      8          2.4  {x * by : x in s};
             p.nesl:1         7  21.9%    32     21          1.5  function scaled(s,
             p.nesl:2         6  18.8%     6      6          1.0  by := 1 + 2) =
            -- exit 0
        "#]],
    );
}

#[test]
fn json_stands_alone_on_standard_output() {
    let program = "print_string(\"a line\\n\");\nsum([1, 2]);\n";
    check(
        "json",
        program,
        &["--json"],
        &expect![[r#"
            {"depth":10,"forms":[{"depth":4,"file":"p.nesl","line":1,"name":"it","parallelism":2.75,"work":11},{"depth":6,"file":"p.nesl","line":2,"name":"it","parallelism":1.8333333333333333,"work":11}],"functions":[{"calls":2,"depth":6,"file":null,"kind":"forms","line":null,"name":"top level","own_work":11,"parallelism":3.6666666666666665,"work":22},{"calls":1,"depth":1,"file":null,"kind":"library","line":null,"name":"print_string","own_work":8,"parallelism":8.0,"work":8},{"calls":1,"depth":1,"file":null,"kind":"library","line":null,"name":"sum","own_work":3,"parallelism":3.0,"work":3}],"lines":[{"depth":4,"file":"p.nesl","line":1,"own_work":11,"parallelism":2.75,"text":"print_string(\"a line\\n\");","work":11},{"depth":6,"file":"p.nesl","line":2,"own_work":11,"parallelism":1.8333333333333333,"text":"sum([1, 2]);","work":11}],"parallelism":2.2,"work":22}
            -- stderr
            p.nesl:1:1: warning: this form is run, with its effects, to find what it costs
            a line
            -- exit 0
        "#]],
    );
}

#[test]
fn forms_that_fail_are_told_and_left_out() {
    check(
        "failing",
        "[1][2];\n1 +;\n[1, 2][0];\n",
        &[],
        &expect![[r#"
             form            work  depth  parallelism
             it    p.nesl:3    12      8          1.5

             function            calls  own work  share  work  depth  parallelism
             top level               1        10  83.3%    12      8          1.5
             elt        library      1         2  16.7%     2      1          2.0

             line      own work   share  work  depth  parallelism  text
             p.nesl:3        12  100.0%    12      8          1.5  [1, 2][0];
            -- stderr
            p.nesl:1:1: runtime(index): index 2 is outside a sequence of length 1 [N0502]
            p.nesl:2:4: parse: expected an expression, found `;` [N0101]
            -- exit 1
        "#]],
    );
    check(
        "failing",
        "[1][2];\n",
        &["--json"],
        &expect![[r#"
            {"depth":0,"forms":[],"functions":[],"lines":[],"parallelism":0.0,"work":0}
            -- stderr
            p.nesl:1:1: runtime(index): index 2 is outside a sequence of length 1 [N0502]
            -- exit 1
        "#]],
    );
}

#[test]
fn a_call_that_fails_has_no_costs() {
    let program = "function second(v) = v[1];\n";
    check(
        "call-fails",
        program,
        &["--entry", "second", "v=[1]"],
        &expect![[r#"
            -- stderr
            p.nesl:1:22: runtime(index): index 1 is outside a sequence of length 1 [N0502]
            -- exit 1
        "#]],
    );
    check(
        "call-fails",
        program,
        &["--entry", "second", "w=[1]", "--json"],
        &expect![[r#"
            -- stderr
            nesl: input: `second` has no parameter `w` [N0601]
            nesl: input: the parameter `v` is not given: write v=VALUE [N0601]
            -- exit 1
        "#]],
    );
}

#[test]
fn a_call_that_is_not_made_has_no_costs() {
    let program = "function id(x) = x;\nsum([1, 2]);\nexit;\n";
    check(
        "no-call",
        program,
        &["--entry", "id", "x=1"],
        &expect![[r#"
            -- stderr
            nesl: input: `exit;` ends the program before `id` is called [N0601]
            -- exit 1
        "#]],
    );
}

#[test]
fn only_definitions_cost_nothing() {
    check(
        "definitions",
        "function id(x) = x;\n",
        &[],
        &expect![[r#"
        nothing was evaluated
        -- exit 0
    "#]],
    );
}

#[test]
fn the_most_costly_rows_are_shown_unless_all_are_wanted() {
    let program: String = (1..=20).map(|n| format!("sum(index({n}));\n")).collect();
    let folder = folder("rows", "p.nesl", &program);
    let print = |more: &[&str]| {
        let output = nesl(&folder, &[&["cost", "p.nesl"], more].concat());
        plain(output.stdout)
    };
    let lines = |text: &str| {
        let table = text.split_once(" line ").unwrap().1;
        let words = |line: &str| line.split_whitespace().collect::<Vec<&str>>().join(" ");
        table.lines().skip(1).map(words).collect::<Vec<String>>()
    };
    let (few, all) = (lines(&print(&[])), lines(&print(&["--all"])));
    assert_eq!((few.len(), all.len()), (16, 20));
    assert_eq!(few[..15], all[..15]);
    expect!["5 more: --all 70 12.1%"].assert_eq(&few[15]);
    assert!(all[0].contains("sum(index(20));") && all[19].contains("sum(index(1));"), "{all:?}");
}
