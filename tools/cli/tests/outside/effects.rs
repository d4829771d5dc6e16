//! Effects among compiled forms, and statistics.

use crate::{check, folder};
use expect_test::expect;
use std::path::Path;
use std::process::Command;

/// Standard output and standard error of a call of the command in a folder.
fn run(folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let output =
        command.current_dir(folder).env("NESL_CACHE_DIR", cache).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// A figure of the statistics of a run.
fn figure(folder: &Path, arguments: &[&str], name: &str) -> f64 {
    let (_, told) = run(folder, &[&["run", "--quiet", "--stats=json"], arguments].concat());
    let line = told.lines().last().unwrap_or_default();
    let stats: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{told}"));
    stats[name].as_f64().unwrap_or_else(|| panic!("{name}: {line}"))
}

#[test]
fn a_late_effect_is_told_at_its_place() {
    let text = b"function late(a) : int -> int = 0;
function each(s) = {late(x) : x in s};
function late(a) = let x = print_string(\"hi \") in a + 1;
each([1]);
";
    let folder = folder("late_effect", &[("late.nesl", text)]);
    check(
        &folder,
        "run late.nesl",
        &expect![[r#"
        late = fn : int -> int
        each = fn : [int] -> [int]
        it = [0] : [int]
        -- stderr
        error[N0402]: `late` has an effect, which an apply-to-each does not allow
         --> late.nesl:2:21
          |
        2 | function each(s) = {late(x) : x in s};
          |                    -^^^^-------------
          |                    ||
          |                    |this has an effect
          |                    the apply-to-each
        3 | function late(a) = let x = print_string("hi ") in a + 1;
          | ------------------------------------------------------- the new definition of `late`
          |
          = note: functions that were defined before use the new definition from now on
          = help: `{* ... }` goes through the elements one after the other and allows effects

        more about N0402: nesl explain N0402
        -- exit 1
    "#]],
    );
}

#[test]
fn a_declaration_without_a_definition() {
    let folder = folder("declared", &[("d.nesl", b"function late(a) : int -> int; late(5);\n")]);
    check(
        &folder,
        "run d.nesl --engine interp",
        &expect![[r#"
        late = fn : int -> int
        -- stderr
        error[N0209]: `late` is declared but not defined
         --> d.nesl:1:32
          |
        1 | function late(a) : int -> int; late(5);
          |                                ^^^^
          |
          = help: define `late`, and leave its declaration out: a function may use functions that the same text defines later

        more about N0209: nesl explain N0209
        -- exit 1
    "#]],
    );
}

/// Measured expressions (`time`) and large ones are compiled.
#[test]
fn parts_without_effects_are_compiled() {
    let text = b"keys = {rand(1000) : i in [0:5]};
let said = print_line(\"sorting\"); (sorted, seconds) = time(sort(keys)) in sorted == sort(keys);
";
    let folder = folder("parts", &[("sort.nesl", text)]);
    check(
        &folder,
        "run sort.nesl --engine cpu",
        &expect![[r#"
        keys = [849, 156, 58, 216, 802] : [int]
        sorting
        it = T : bool
        -- exit 0
    "#]],
    );
    let arguments = ["--engine", "cpu", "sort.nesl"];
    let kernels = figure(&folder, &arguments, "kernels_compiled");
    std::fs::write(folder.join("keys.nesl"), "keys = {rand(1000) : i in [0:5]};").unwrap();
    let alone = figure(&folder, &["--engine", "cpu", "keys.nesl"], "kernels_compiled");
    assert!(kernels > alone, "{kernels} {alone}");
    // The profile shows them, too.
    let (_, wrong) = run(&folder, &["run", "--profile", "p.json", "--engine", "cpu", "sort.nesl"]);
    assert_eq!(wrong, "");
    let profile = std::fs::read_to_string(folder.join("p.json")).unwrap();
    assert!(profile.contains("sort.nesl:2"), "{profile}");
}

/// All forms count, the interpreted ones, too.
#[test]
fn running_is_the_sum_of_all_forms() {
    let text =
        b"function loop(n) = if n == 0 then 0 else let said = print_string(\"\") in loop(n - 1);
loop(100000);
1;
function one(x) = x + 1;
";
    let folder = folder("running", &[("loop.nesl", text)]);
    let arguments = ["--engine", "cpu", "loop.nesl"];
    let (all, loops) = (
        figure(&folder, &arguments, "run_ms"),
        figure(&folder, &[&arguments[..], &["--entry", "one", "x=1"]].concat(), "forms_ms"),
    );
    assert!(all > 1.0 && loops > 1.0, "{all} {loops}");
    let call = figure(&folder, &[&arguments[..], &["--entry", "one", "x=1"]].concat(), "run_ms");
    assert!(call < loops, "{call} {loops}");
}

/// Without a C compiler only interpreted forms have values.
#[test]
fn a_small_call_is_not_compiled() {
    let text = b"function squares(v) = {x * x : x in v};";
    let folder = folder("small_call", &[("s.nesl", text)]);
    let call = |engine: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
        command.current_dir(&folder).env("CC", "/no/such/compiler").env("CUDA_VISIBLE_DEVICES", "");
        let arguments = ["run", "s.nesl", "--entry", "squares", "v=[1, 2, 3]"];
        let output = command.args(arguments).args(engine).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(call(&[]), "it = [1, 4, 9] : [int]\n");
    // Whoever asks what compiled code does gets that, or an error.
    assert_eq!(call(&["--timings"]), "");
    assert_eq!(call(&["--repeat", "2"]), "");
    assert_eq!(call(&["--engine", "cpu"]), "");
}
