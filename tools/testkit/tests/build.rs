//! Libraries that `nesl build` makes: compiled by the system's compiler without a warning, run, and
//! compared.
//!
//! For GPUs they are compiled where `NESL_NVCC` names `nvcc`; to run them takes a GPU, and is what
//! `scripts/build-check` does.

use libtest_mimic::{Arguments, Failed, Trial};
use run::session::{BuildOptions, Platform};
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use testkit::library::{build, told, write};
use testkit::{corpus, example};

/// What a library and a program that calls it are compiled with.
const STRICT: [&str; 6] = ["-O1", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-o"];

fn main() -> io::Result<()> {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let nvcc = env::var("NESL_NVCC").ok();
    let mut trials = Vec::new();
    let mut last = String::new();
    for example in example::read(&folder)? {
        let c = example.clone();
        trials.push(Trial::test(format!("c/{}", example.name), move || runs(&c)));
        // What is compiled does not depend on the case.
        if std::mem::replace(&mut last, example.stem()) != example.stem() {
            let nvcc = nvcc.clone();
            let name = format!("cuda/{}", example.stem());
            let left_out = nvcc.is_none();
            let trial = Trial::test(name, move || compiles(&example, &nvcc.unwrap_or_default()));
            trials.push(trial.with_ignored_flag(left_out));
        }
    }
    trials.push(Trial::test("errors", || checked("errors")));
    trials.push(Trial::test("loops", || checked("loops")));
    trials.push(Trial::test("lengths", || checked("lengths")));
    trials.push(Trial::test("types", types));
    trials.push(Trial::test("text", text));
    libtest_mimic::run(&arguments, trials).exit()
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("build").join(name)
}

/// Compiles `name.c` and `main.c` of a folder and runs the program.
fn compiled(folder: &Path, name: &str) -> Result<String, String> {
    let library = format!("{name}.c");
    let files = ["main", library.as_str(), "main.c", "-lm"];
    told(folder, "cc", &[&STRICT[..], &files[..]].concat())?;
    told(folder, "./main", &[])
}

fn runs(example: &example::Example) -> Result<(), Failed> {
    let library = example.library(Platform::C)?;
    let name = emit::host::identifier(&example.stem());
    let folder = scratch(&example.name.replace('/', "-"));
    let folder = write(folder, &format!("{name}.c"), &library)?;
    Ok(example.expects(&compiled(&folder, &name)?)?)
}

fn compiles(example: &example::Example, nvcc: &str) -> Result<(), Failed> {
    let library = example.library(Platform::Cuda)?;
    let name = format!("{}.cu", emit::host::identifier(&example.stem()));
    let folder = write(scratch(&format!("{}-cuda", example.stem())), &name, &library)?;
    let mut command: Vec<&str> = nvcc.split(' ').collect();
    let program = command.remove(0);
    command.extend(["-O1", "-fmad=false", "-arch=sm_90", "-Werror=all-warnings", "-c", &name]);
    told(&folder, program, &command)?;
    Ok(())
}

fn options(entries: &[(&str, Option<&str>)]) -> BuildOptions {
    let wanted = entries.iter().map(|(name, ty)| run::session::Wanted {
        name: (*name).to_owned(),
        ty: ty.map(str::to_owned),
    });
    let (wanted, given) = (wanted.collect(), Vec::new());
    BuildOptions { platform: Platform::C, wanted, main: false, given }
}

/// A program that calls a library says what it should, and leaves nothing behind.
fn checked(name: &str) -> Result<(), Failed> {
    let sources = corpus("build");
    let library = build(&sources.join(format!("{name}.nesl")), &options(&[]))?;
    let source = format!("{name}.c");
    let folder = write(scratch(name), &source, &library)?;
    fs::copy(sources.join(&source), folder.join("main.c"))?;
    let expected = fs::read_to_string(sources.join(format!("{name}.txt")))?;
    let said = compiled(&folder, name)?;
    if said != expected {
        return Err(format!("said:\n{said}").into());
    }
    // On one core, with all that the compiler can look for.
    let checks = "-fsanitize=address,undefined";
    let line = ["-g", "-O1", checks, "-o", "checked", &source, "main.c", "-lm"];
    told(&folder, "cc", &line)?;
    let said = told(&folder, "./checked", &[])?;
    if said == expected { Ok(()) } else { Err(format!("checked, it said:\n{said}").into()) }
}

/// Which functions are built, at which types.
fn types() -> Result<(), Failed> {
    let folder = scratch("types");
    fs::create_dir_all(&folder)?;
    let program = folder.join("types.nesl");
    let text = "function same(x) = x;\nfunction first(v) = v[0];\nfunction twice(g, x) = g(g(x));\n\
                function one(n) : int -> int = n + 1;\n";
    fs::write(&program, text)?;
    let header = |entries: &[(&str, Option<&str>)]| {
        build(&program, &options(entries)).map(|library| library.header)
    };
    let has = |header: &str, wanted: &str| -> Result<(), Failed> {
        if header.contains(wanted) {
            Ok(())
        } else {
            Err(format!("no {wanted} in {header}").into())
        }
    };
    let all = header(&[])?;
    has(&all, "int types_one(int64_t n, int64_t *result);")?;
    if all.contains("types_same") || all.contains("types_twice") {
        return Err("what has no type of its own is built".into());
    }
    let some = header(&[("first", Some("[float] -> float")), ("same", Some("char -> char"))])?;
    has(&some, "int types_first(const double *v, int64_t v_length, double *result);")?;
    has(&some, "int types_same(char x, char *result);")?;
    let refused = |entries: &[(&str, Option<&str>)], wanted: &str| match header(entries) {
        Ok(_) => Err(format!("{entries:?} is built")),
        Err(said) if said.contains(wanted) => Ok(()),
        Err(said) => Err(format!("{wanted} is not in {said}")),
    };
    refused(&[("first", None)], "`first` is of many types: [a] -> a")?;
    refused(&[("first", Some("[a] -> a :: (a in any)"))], "`first` is of many types")?;
    refused(&[("first", Some("[a] -> a"))], "there is no type `a`")?;
    refused(&[("first", Some("[int] -> float"))], "`first` cannot be built as")?;
    refused(&[("first", Some("nonsense"))], "there is no type `nonsense`")?;
    refused(&[("first", Some(") = ("))], "is no type of a function")?;
    refused(&[("twice", Some("(int -> int, int) -> int"))], "it takes or gives functions")?;
    refused(&[("none", None)], "there is no function `none`")?;
    Ok(())
}

/// Kernels say what they do, and of the run time there is what is used.
fn text() -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let examples = example::read(&folder)?;
    let dotproduct = examples.iter().find(|e| e.stem() == "dotproduct").ok_or("no example")?;
    for platform in [Platform::C, Platform::Cuda] {
        let text = dotproduct.library(platform)?.source;
        for wanted in [
            "/* k0: dotproduct.nesl:6: sum({x * y : x in a; y in b}) */",
            "static void dotproduct_f0(nesl_call *call, int64_t n0, nesl_buffer *b0,",
        ] {
            if !text.contains(wanted) {
                return Err(format!("there is no\n{wanted}\nin\n{text}").into());
            }
        }
        for unused in ["nesl_sort", "nesl_exp", "nesl_diagnosis", "#include \"dotproduct.c"] {
            if text.contains(unused) {
                return Err(format!("{unused} is there, and nobody uses it").into());
            }
        }
    }
    Ok(())
}
