//! Calls of functions by `--entry`: what their arguments make of their types, and what is told when
//! the function is one of the library.

mod transcript;

use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};
use transcript::transcript;

/// A folder for one test, with a program.
fn folder(test: &str, name: &str, program: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("entry").join(test);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), program).unwrap();
    folder
}

/// Both engines print the same.
#[track_caller]
fn check_engines(folder: &Path, line: &str, expected: &Expect) {
    let [cpu, interp] = ["cpu", "interp"].map(|engine| {
        let line = format!("run --engine {engine} --errors=short {line}");
        transcript(folder, &line, &[], "")
    });
    expected.assert_eq(&cpu);
    assert_eq!(cpu, interp);
}

/// What variables of the type stand for is taken from all arguments; nothing else determines an
/// empty sequence.
#[test]
fn calls_of_functions_of_many_types() {
    let program = "function id(x) = x; function both(x, y) = x ++ y;\n\
                   function pair(x, y) : ([float], a) -> ([float], a) :: (a in any) = (x, y);";
    let folder = folder("many-types", "many.nesl", program);
    let call = |line: &str, expected: Expect| {
        check_engines(&folder, &format!("many.nesl {line}"), &expected);
    };
    call(
        "--entry id x=([],1)",
        expect![[r#"
        it = ([], 1) : [int], int
        -- exit 0
    "#]],
    );
    call(
        "--entry id x=[[],[[]]]",
        expect![[r#"
        it = [[], [[]]] : [[[int]]]
        -- exit 0
    "#]],
    );
    call(
        "--entry both x=[] y=[1.5]",
        expect![[r#"
        it = [1.5] : [float]
        -- exit 0
    "#]],
    );
    call(
        "--entry pair [] ([],\"a\")",
        expect![[r#"
        it = ([], [], "a") : [float], [int], [char]
        -- exit 0
    "#]],
    );
    call(
        "--entry id x=word",
        expect![[r#"
        -- stderr
        nesl: input: `x`: line 1, column 1: this is no literal of type int [N0601]
        -- exit 1
    "#]],
    );
    call(
        "--entry sum word",
        expect![[r#"
        -- stderr
        nesl: input: `parameter 1`: line 1, column 1: this is no literal of type [int] [N0601]
        -- exit 1
    "#]],
    );
}

/// Errors have no places in texts that are not the user's.
#[test]
fn calls_of_the_library() {
    let program = "function inv(x) = 3 / x; function opt(a, b := inv(0)) = a + b;";
    let folder = folder("of-library", "of.nesl", program);
    let call = |line: &str, expected: Expect| {
        check_engines(&folder, &format!("of.nesl {line}"), &expected);
    };
    call(
        "--entry code_char 300",
        expect![[r#"
        -- stderr
        nesl: runtime(domain): 300 is no code of a character: these go from 0 to 255 [N0506]
        -- exit 1
    "#]],
    );
    call(
        "--entry take v=[1,2] n=-5",
        expect![[r#"
        -- stderr
        nesl: runtime(range): -5 is beyond the ends of a sequence of length 2 [N0503]
        -- exit 1
    "#]],
    );
    call(
        "--entry -> [1,2] [5]",
        expect![[r#"
        -- stderr
        nesl: runtime(index): index 5 is outside a sequence of length 2 [N0502]
        -- exit 1
    "#]],
    );
    let pretty = |line: &str| transcript(&folder, line, &[], "");
    expect![[r#"
        -- stderr
        error[N0503]: 2 is beyond the ends of a sequence of length 1
         |
         = note: in a call of `take`

        more about N0503: nesl explain N0503
        -- exit 1
    "#]]
    .assert_eq(&pretty("run of.nesl --entry take v=[1] n=2 --errors pretty"));
    expect![[r#"
        -- stderr
        error[N0501]: 3 is divided by 0
         --> of.nesl:1:19
          |
        1 | function inv(x) = 3 / x; function opt(a, b := inv(0)) = a + b;
          |                   ^^^^^
          |
          = note: `inv` is called in the default of `b` of `opt` at of.nesl:1:47

        more about N0501: nesl explain N0501
        -- exit 1
    "#]]
    .assert_eq(&pretty("run of.nesl --entry opt a=2 --errors pretty"));
}
