//! The C compiler: makes a library that cargo links.

use crate::{Build, Error};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Tells cargo something.
#[expect(clippy::print_stdout, reason = "cargo reads what build scripts print")]
pub(crate) fn tell(key: &str, value: &str) {
    // A line is an instruction.
    for line in value.lines() {
        println!("cargo::{key}={line}");
    }
}

/// Compiles the text of a library, and has it linked.
pub(crate) fn library(name: &str, text: &Path, choices: &Build) -> Result<(), Error> {
    let mut build = cc::Build::new();
    build.file(text).warnings(false);
    // GCC reads in the text that ints wrap.
    build.flag_if_supported("-fwrapv").flag_if_supported("-ffp-contract=off");
    // Without optimisation loops are ten times slower, and nobody looks for mistakes in them.
    let level: u32 = env::var("OPT_LEVEL").ok().and_then(|level| level.parse().ok()).unwrap_or(2);
    build.opt_level(level.max(2));
    choices.flags.iter().for_each(|flag| {
        build.flag(flag);
    });
    let compiler = build.try_get_compiler().map_err(|error| Error(error.to_string()))?;
    let openmp = if choices.one_core { None } else { openmp(&compiler, text) };
    if let Some(openmp) = &openmp {
        build.flag("-fopenmp");
        if let Some(folder) = &openmp.folder {
            tell("rustc-link-search", &format!("native={}", folder.display()));
        }
    } else if !choices.one_core {
        let reason = format!("{} has no OpenMP", compiler.path().display());
        tell("warning", &format!("the functions of {name}.nesl use one core: {reason}"));
    }
    build.try_compile(&format!("nesl_{name}")).map_err(|error| Error(error.to_string()))?;
    // Libraries come behind those that use them.
    if let Some(openmp) = &openmp {
        tell("rustc-link-lib", openmp.library);
    }
    if env::var("CARGO_CFG_UNIX").is_ok() {
        tell("rustc-link-lib", "m");
    }
    Ok(())
}

/// The library that runs loops on several cores.
struct OpenMp {
    library: &'static str,
    /// Its folder, if the compiler says it.
    folder: Option<PathBuf>,
}

/// OpenMP, if the compiler can make a program that uses it.
fn openmp(compiler: &cc::Tool, text: &Path) -> Option<OpenMp> {
    let (source, program) = (text.with_extension("openmp.c"), text.with_extension("openmp"));
    let probe = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n";
    fs::write(&source, probe).ok()?;
    let made = compiler.to_command().arg("-fopenmp").arg(&source).arg("-o").arg(&program).output();
    if !made.ok()?.status.success() {
        return None;
    }
    let library = if compiler.is_like_clang() { "omp" } else { "gomp" };
    // A linker that another compiler starts does not look into the folders of this one.
    let file = format!("-print-file-name=lib{library}.so");
    let found = compiler.to_command().arg(file).output().ok()?;
    let found = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
    let folder = found.parent().filter(|_| found.is_absolute()).map(Path::to_owned);
    Some(OpenMp { library, folder })
}
