//! `nesl build`: what it tells, and what the programs print that call the libraries.

mod transcript;

use expect_test::expect;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use transcript::transcript;

/// A folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Optional parameters of a program that calls a library may be left out.
#[test]
fn programs_that_call_libraries() {
    let folder = folder("called-libraries");
    let program = "base = 10;\n\
                   function scaled(x, y, by := 2, add := base + 1) = (x * by + add, y);\n\
                   function gen((a, b), n := [1.5], e := [] int) = ({a + v : v in n}, b, e);\n\
                   function bad(a, b := 1 / 0) = a + b;\n\
                   function opt(a, b := 2, c := [1.0]) = (a * b, c);\n\
                   function met(x, x_length, nesl_call) : ([int], int, int) -> int\n\
                     = sum(x) + x_length + nesl_call;\n";
    fs::write(folder.join("called.nesl"), program).unwrap();
    let told = |line: &str| transcript(&folder, line, &[], "");
    let printed = |entry: &str, given: &str| {
        let build =
            format!("build called.nesl -o out --errors short --main --entry {entry} {given}");
        let text = told(build.trim_end());
        if text != "-- exit 0\n" {
            return text;
        }
        let mut compiler = Command::new(std::env::var("NESL_CC").unwrap_or("cc".to_owned()));
        let compiler = compiler.args(["called.c", "main.c", "-o", "called", "-lm"]);
        assert!(compiler.current_dir(folder.join("out")).status().unwrap().success());
        let output = Command::new(folder.join("out/called")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(printed("scaled", "x=3 y=2.5"), "(17, 2.5)\n");
    assert_eq!(printed("scaled", "x=3 y=2.5 add=4"), "(10, 2.5)\n");
    assert_eq!(printed("scaled", "3 2.5 add=4 by=1"), "(7, 2.5)\n");
    assert_eq!(printed("gen", "(1.0,2)"), "([2.5], 2, [])\n");
    expect![[r#"
        -- stderr
        called.nesl:4:22: runtime(divide): 1 is divided by 0 [N0501]
        -- exit 1
    "#]]
    .assert_eq(&printed("bad", "1"));
    expect![[r#"
        -- stderr
        nesl: input: the parameter `y` is not given: write y=VALUE [N0601]
        -- exit 1
    "#]]
    .assert_eq(&printed("scaled", "x=3"));
    // By its type it has all parameters, which are made up.
    let typed = "bad:(int,int)->int";
    assert_eq!(printed(typed, ""), "6\n");
    let typed = "opt:(int,int,int)->(int,int)";
    assert_eq!(printed(typed, "a=3 c=4"), "(6, 4)\n");
    expect![[r#"
        -- stderr
        nesl: input: `opt` is built as (int, int, int) -> (int, int), but its arguments make it (int, int, [float]) -> (int, [float]) [N0601]
        -- exit 1
    "#]].assert_eq(&printed(typed, "a=3"));
    assert_eq!(printed("met", "[1,2] 3 4"), "10\n");
}

#[test]
fn libraries() {
    let folder = folder("libraries");
    let told = |line: &str| transcript(&folder, line, &[], "");
    let program = "function twice(n) : int -> int = n + n;\nfunction same(x) = x;\n";
    fs::write(folder.join("some-sums.nesl"), program).unwrap();
    expect![[r#"
        -- stderr
        some-sums.nesl:2:1: warning: `same` is left out: it is of many types; --entry 'same : int -> int' builds it for one
        -- exit 0
    "#]]
    .assert_eq(&told("build some-sums.nesl -o c"));
    expect![[r#"
        -- exit 0
    "#]]
    .assert_eq(&told("build some-sums.nesl -o cuda --target cuda --entry twice --main n=4"));
    for file in ["c/some_sums.c", "c/some_sums.h", "cuda/some_sums.cu", "cuda/main.c"] {
        assert!(folder.join(file).is_file(), "{file} is not there");
    }
    expect![[r#"
        -- stderr
        some-sums.nesl:2:1: type: `same` is of many types: a -> a :: (a in any) [N0321]
        -- exit 1
    "#]]
    .assert_eq(&told("build some-sums.nesl --entry same --errors short"));
    expect![[r#"
        -- stderr
        nesl: input: `twice` has no parameter `m` [N0601]
        -- exit 1
    "#]]
    .assert_eq(&told("build some-sums.nesl --entry twice --main n=1 m=2 --errors short"));
    fs::write(folder.join("main.nesl"), program).unwrap();
    expect![[r#"
        -- stderr
        nesl: input: the library and the program that `--main` writes are both main.c [N0601]
        -- exit 1
    "#]]
    .assert_eq(&told("build main.nesl --entry twice --main --errors short"));
    expect![[r#"
        -- stderr
        nesl: input: a library is named after its file, and `-` is none [N0601]
        -- exit 1
    "#]]
    .assert_eq(&told("build - --errors short"));
}

/// What `nesl build --entry` says of a function that cannot be built.
fn not_built(test: &str, entry: &str) -> String {
    let folder = folder(test);
    let program = "function total(a) = sum(a) + 1;\n\
                   function apply(g, x) = g(x);\n\
                   function said(x) = let _ = print_line(\"hi\") in x;\n";
    fs::write(folder.join("not.nesl"), program).unwrap();
    transcript(&folder, &format!("build not.nesl -o out --entry {entry}"), &[], "")
}

#[test]
fn types_that_are_not_those_of_functions() {
    let told = |entry| not_built("other-types", entry);
    expect![[r#"
        -- stderr
        error[N0601]: `total` cannot be built as [int]->bool
         --> not.nesl:1:1
          |
        1 | function total(a) = sum(a) + 1;
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = note: `total` has type [int] -> int

        more about N0601: nesl explain N0601
        -- exit 1
    "#]]
    .assert_eq(&told("total:[int]->bool"));
    expect![[r#"
        -- stderr
        error[N0601]: `[int` is no type of a function
         |
         = help: write it like `[int] -> int`

        more about N0601: nesl explain N0601
        -- exit 1
    "#]]
    .assert_eq(&told("total:[int"));
    expect![[r#"
        -- stderr
        error[N0205]: there is no type `foo`
         --> --entry:1:10
          |
        1 | total : [foo]->int
          |          ^^^ unknown type
          |
          = help: a type variable is listed: `:: (foo in any)`

        more about N0205: nesl explain N0205
        -- exit 1
    "#]]
    .assert_eq(&told("total:[foo]->int"));
    expect![[r#"
        -- stderr
        error[N0315]: the type of a function has an arrow
         --> --entry:1:9
          |
        1 | total : int
          |         ^^^ this is int
          |
          = help: write `argument type -> result type`

        more about N0315: nesl explain N0315
        -- exit 1
    "#]]
    .assert_eq(&told("total:int"));
}

#[test]
fn functions_that_cannot_be_built() {
    let told = |entry| not_built("not-built", entry);
    expect![[r#"
        -- stderr
        limit[N0701]: `apply` cannot be built: it takes or gives functions
         --> not.nesl:2:1
          |
        2 | function apply(g, x) = g(x);
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = note: `apply` has type (a -> b, a) -> b :: (a in any; b in any)
          = help: build a function that calls it with functions of its own

        more about N0701: nesl explain N0701
        -- exit 1
    "#]]
    .assert_eq(&told("apply"));
    expect![[r#"
        -- stderr
        limit[N0701]: `reduce` cannot be built: it takes or gives functions
         |
         = note: `reduce` has type ((a, a) -> a, a, [a]) -> a :: (a in any)
         = help: build a function that calls it with functions of its own

        more about N0701: nesl explain N0701
        -- exit 1
    "#]]
    .assert_eq(&told("reduce"));
    expect![[r#"
        -- stderr
        limit[N0701]: `print_line` has an effect, and compiled code has none
         --> not.nesl:3:28
          |
        3 | function said(x) = let _ = print_line("hi") in x;
          |                            ^^^^^^^^^^^^^^^^
          |
          = help: the interpreter can run it: `nesl run`

        more about N0701: nesl explain N0701
        -- exit 1
    "#]]
    .assert_eq(&told("said:int->int"));
    expect![[r#"
        -- stderr
        limit[N0701]: `print_line` has an effect, and compiled code has none
         |
         = note: in a call of `print_line`
         = help: the interpreter can run it: `nesl run`

        more about N0701: nesl explain N0701
        -- exit 1
    "#]]
    .assert_eq(&told("print_line"));
}

/// The file of `--manifest` names what the header declares.
#[test]
fn manifests() {
    let folder = folder("manifests");
    let program = "function scaled(m, k) : ([[(int, float)]], int) -> [[float]] = \
                     {{x * float(i + k) : (i, x) in r} : r in m};\n\
                   function one(b) : bool -> bool = not(b);\n";
    fs::write(folder.join("some-sums.nesl"), program).unwrap();
    let told = transcript(&folder, "build some-sums.nesl -o out --manifest", &[], "");
    assert_eq!(told, "-- exit 0\n");
    let text = fs::read_to_string(folder.join("out/some_sums.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["format"], 1);
    assert_eq!(manifest["nesl"], env!("CARGO_PKG_VERSION"));
    assert_eq!([&manifest["library"], &manifest["engine"]], ["some_sums", "c"]);
    assert_eq!(manifest["codes"]["ok"], 0);
    assert_eq!(manifest["symbols"]["free"], "some_sums_free");
    let function = &manifest["functions"][0];
    assert_eq!(function["symbol"], "some_sums_scaled");
    assert_eq!(function["parameters"][0]["type"], "[[(int, float)]]");
    let roles = |value: &serde_json::Value| -> Vec<String> {
        let parts = value["parts"].as_array().unwrap().iter();
        parts.map(|part| part["role"].as_str().unwrap().to_owned()).collect()
    };
    let nested = ["elements", "elements", "offsets", "length"];
    assert_eq!(roles(&function["parameters"][0]), nested);
    assert_eq!(roles(&function["parameters"][1]), ["scalar"]);
    assert_eq!(roles(&function["result"]), nested[1..]);
    assert_eq!(manifest["functions"][1]["into"], serde_json::Value::Null);
    // The declarations are those of the header, line breaks apart.
    let header = fs::read_to_string(folder.join("out/some_sums.h")).unwrap();
    let header = header.split_whitespace().collect::<Vec<_>>().join(" ");
    for function in manifest["functions"].as_array().unwrap() {
        let values = function["parameters"].as_array().unwrap().iter();
        let parts = values.chain([&function["result"]]).flat_map(|value| {
            value["parts"].as_array().unwrap().iter().map(|part| part["c"].as_str().unwrap())
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        let declared = format!("int {}({parts});", function["symbol"].as_str().unwrap());
        assert!(header.contains(&declared), "{declared}");
    }
}
