//! Programs of several files: what `load` finds, whatever the command does with the program.

mod transcript;

use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of the program, in the folder of a test.
const FILES: [(&str, &str); 5] = [
    (
        "p/main.nesl",
        "load \"lib/sums\";\n\
         function spread(s) : [float] -> float \"how far from the mean\" =\n\
         \x20 let m = mean(s) in max_val({abs(x - m) : x in s});\n\
         mean([1.0, 2.0]);\n",
    ),
    (
        "p/lib/sums.nesl",
        "load \"more.nesl\";\n\
         function mean(s) \"the middle\" = total(s) / float(#s);\n",
    ),
    ("p/lib/more.nesl", "function total(s) : [float] -> float = sum(s);\n"),
    (
        "p/wrong.nesl",
        "load \"bad\";\n\
         g(1) + h(2);\n\
         nothing(1);\n\
         load \"none\";\n\
         other(2);\n\
         load \"wrong\";\n\
         load \"./../p/round\";\n\
         function quad(x) = x + `a;\n",
    ),
    ("p/bad.nesl", "function g(x) = summ(x); x = 1 + `a; function h(a) = a;\n"),
];

/// An empty folder with the program.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("p/lib")).unwrap();
    for (name, text) in FILES {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::write(folder.join("p/round.nesl"), "load \"wrong.nesl\";\n").unwrap();
    folder
}

/// Standard output, standard error and the exit code.
fn transcript(folder: &Path, line: &str, input: &str) -> String {
    transcript::transcript(folder, line, &[], input)
}

#[track_caller]
fn check(test: &str, line: &str, expected: &Expect) {
    expected.assert_eq(&transcript(&folder(test), line, ""));
}

#[test]
fn files_are_beside_the_file_that_loads_them() {
    check(
        "run",
        "run p/main.nesl --engine interp",
        &expect![[r#"
        total = fn : [float] -> float
        mean = fn : [float] -> float
        spread = fn : [float] -> float
        it = 1.5 : float
        -- exit 0
    "#]],
    );
    let typed = transcript(&folder("typed"), "", "load \"p/lib/sums\"; mean([3.0]);");
    expect![[r#"
        total = fn : [float] -> float
        mean = fn : [float] -> float
        it = 3.0 : float
        -- exit 0
    "#]]
    .assert_eq(&typed);
}

#[test]
fn programs_that_load_are_right() {
    check(
        "check",
        "check p/main.nesl",
        &expect![[r#"
        -- exit 0
    "#]],
    );
}

/// What follows from a file that cannot be read is not told.
#[test]
fn errors_of_loaded_files_are_told_with_their_names() {
    let told = transcript(&folder("wrong"), "check p/wrong.nesl --errors short", "");
    expect![[r#"
        -- stderr
        p/bad.nesl:1:17: undefined: `summ` is not defined [N0204]
        p/bad.nesl:1:34: type: `+` needs int here, found char [N0302]
        p/wrong.nesl:3:1: undefined: `nothing` is not defined [N0204]
        p/wrong.nesl:4:6: runtime(file): p/none cannot be read: No such file or directory (os error 2) [N0508]
        p/wrong.nesl:6:6: runtime(file): `wrong` is loaded by itself [N0508]
        p/./../p/round.nesl:1:6: runtime(file): `wrong.nesl` is loaded by itself [N0508]
        p/wrong.nesl:8:24: type: `+` needs int or float here, found char [N0302]
        -- exit 1
    "#]].assert_eq(&told);
    let run = "run p/wrong.nesl --engine interp --errors short --quiet";
    assert_eq!(transcript(&folder("wrong-run"), run, ""), told);
}

#[test]
fn functions_of_programs_that_load_are_called() {
    let call = "run p/main.nesl --engine cpu --entry spread s=[1.0,4.0]";
    check(
        "call",
        call,
        &expect![[r#"
        it = 1.5 : float
        -- exit 0
    "#]],
    );
    let call = "run p/main.nesl --engine interp --entry total s=[1.0,4.0]";
    check(
        "call-loaded",
        call,
        &expect![[r#"
        it = 5.0 : float
        -- exit 0
    "#]],
    );
}

#[test]
fn costs_name_the_files() {
    check(
        "cost",
        "cost p/main.nesl --entry spread s=[1.0,4.0]",
        &expect![[r#"
         form                 work  depth  parallelism 
         spread  main.nesl:2    54     36          1.5 

         function               calls  own work  share  work  depth  parallelism 
         spread    main.nesl:2      1        31  57.4%    54     36          1.5 
         mean      sums.nesl:2      1        13  24.1%    20     18          1.1 
         total     more.nesl:1      1         3   5.6%     6      4          1.5 
         sum       library          1         3   5.6%     3      1          3.0 
         max_val   library          1         3   5.6%     3      1          3.0 
         #         library          1         1   1.9%     1      1          1.0 

         line         own work  share  work  depth  parallelism  text                                                  
         main.nesl:3        34  63.0%    54     36          1.5  let m = mean(s) in max_val({abs(x - m) : x in s});    
         sums.nesl:2        14  25.9%    20     18          1.1  function mean(s) "the middle" = total(s) / float(#s); 
         more.nesl:1         6  11.1%     6      4          1.5  function total(s) : [float] -> float = sum(s);        
        -- exit 0
    "#]],
    );
}

#[test]
fn documentation_is_that_of_the_file_alone() {
    check(
        "doc",
        "doc p/main.nesl",
        &expect![[r#"
        spread : [float] -> float
          how far from the mean
        -- exit 0
    "#]],
    );
    check(
        "doc-lib",
        "doc p/lib/sums.nesl",
        &expect![[r#"
        mean : [float] -> float
          the middle
        -- exit 0
    "#]],
    );
}

#[test]
fn libraries_are_built_of_programs_that_load() {
    let folder = folder("build");
    let told = transcript(&folder, "build p/main.nesl -o out", "");
    assert_eq!(told, "-- exit 0\n");
    let header = fs::read_to_string(folder.join("out/main.h")).unwrap();
    assert!(header.contains("main_spread(") && !header.contains("main_mean("), "{header}");
}
