//! NESL in build scripts: compiles a file ahead of time, and makes functions for Rust of it.
//!
//! `build.rs`, with this crate among the `build-dependencies`:
//!
//! ```no_run
//! fn main() -> Result<(), nesl_build::Error> {
//!     nesl_build::compile("src/linear.nesl")
//! }
//! ```
//!
//! `main.rs`, with the crate `nesl-data` among the `dependencies`, which is small and depends on
//! no other:
//!
//! ```ignore
//! mod linear {
//!     nesl_data::include!("linear");
//! }
//!
//! let lengths: Vec<f64> = linear::norms(&nesl_data::Nested::from_rows([vec![3.0, 4.0]]))?;
//! ```
//!
//! The functions are those that `nesl build` makes, in C, which the compiler of the crate `cc`
//! compiles; there is no compiler in the program.  A function of NESL is one of Rust:
//!
//! | NESL | argument | result |
//! |---|---|---|
//! | `int`, `float`, `bool`, `char` | `i64`, `f64`, `bool`, `u8` | the same |
//! | `[float]` | `&[f64]` | `Vec<f64>` |
//! | `[(int, float)]` | `&[(i64, f64)]`, copied | `Vec<(i64, f64)>` |
//! | `[[float]]` | `&Nested<f64>` | `Nested<f64>` |
//! | `[[(int, float)]]`, `[[[float]]]` | `&Nested<(i64, f64)>`, `&Nested<Vec<f64>>` | `Nested` of these |
//! | `[([float], int)]` | `&(Nested<f64>, Vec<i64>)`: a vector for each part | the same, owned |
//! | `(int, [float])` | `(i64, &[f64])` | `(i64, Vec<f64>)` |
//!
//! A datatype is the tuple of its fields.  A function that draws random numbers has `seed: i64`
//! before its other parameters.  All functions give `Result<_, nesl_data::Error>`.

mod function;
mod link;
mod module;
mod types;

use base::{Diagnostic, Files};
use emit::host::identifier;
use run::session::{BuildOptions, Built, Platform, Told, Wanted};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs};

/// Compiles a file in a build script: all functions whose types are known.
///
/// The path is seen from the package's folder.  Functions that are left out, and other warnings,
/// are shown by cargo.
///
/// # Errors
///
/// If the file cannot be read or compiled, or if no C compiler works.
pub fn compile(file: impl AsRef<Path>) -> Result<(), Error> {
    Build::new().compile(file)
}

/// A file that is to be compiled, with choices.
#[derive(Clone, Debug, Default)]
pub struct Build {
    entries: Vec<String>,
    flags: Vec<OsString>,
    one_core: bool,
}

impl Build {
    /// All functions whose types are known, for all cores of a machine of the target's kind.
    pub fn new() -> Build {
        Build::default()
    }

    /// Compiles a function, and those that are named like this alone: `norms`, or, if it is of many
    /// types, `total : [int] -> int`.
    pub fn entry(&mut self, function: impl Into<String>) -> &mut Build {
        self.entries.push(function.into());
        self
    }

    /// Gives the C compiler an option, such as `-march=native` for the machine that compiles.
    pub fn flag(&mut self, flag: impl Into<OsString>) -> &mut Build {
        self.flags.push(flag.into());
        self
    }

    /// Uses one core, and does not need OpenMP.
    pub fn one_core(&mut self) -> &mut Build {
        self.one_core = true;
        self
    }

    /// Compiles them.
    ///
    /// # Errors
    ///
    /// As for [`compile`].
    pub fn compile(&self, file: impl AsRef<Path>) -> Result<(), Error> {
        let file = file.as_ref();
        let folder = env::var_os("OUT_DIR").ok_or_else(|| {
            Error("OUT_DIR is not set: `nesl_build` is for build scripts".to_owned())
        })?;
        let folder = PathBuf::from(folder);
        let (built, warnings) = self.build(file)?;
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = identifier(&stem.unwrap_or_default());
        let module = module::text(&name, file, &built.library.manifest);
        let (text, left_out) = module;
        if let (Some(left_out), false) = (left_out.first(), self.entries.is_empty()) {
            return Err(Error(left_out.clone()));
        }
        for warning in warnings.iter().chain(&left_out) {
            link::tell("warning", warning);
        }
        for source in &built.sources {
            link::tell("rerun-if-changed", &source.display().to_string());
        }
        let library = folder.join(format!("{name}.c"));
        let files = [
            (library.clone(), built.library.source),
            (folder.join(format!("{name}.h")), built.library.header),
            (folder.join(format!("{name}.rs")), text),
        ];
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        value::whole::replace_all(&files).map_err(|(path, error)| unwritable(path, &error))?;
        link::library(&name, &library, self)
    }

    /// Its library and the warnings about it.
    fn build(&self, file: &Path) -> Result<(Built, Vec<String>), Error> {
        let text = fs::read(file)
            .map_err(|error| Error(format!("{} cannot be read: {error}", file.display())))?;
        let wanted = self.entries.iter().map(|entry| Wanted::parse(entry));
        let wanted: Result<Vec<Wanted>, String> = wanted.collect();
        let options = BuildOptions {
            platform: Platform::C,
            wanted: wanted.map_err(Error)?,
            main: false,
            given: Vec::new(),
        };
        let effects =
            "this form is run, with its effects, to compile the file; what it prints is not shown";
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        let built =
            Built::of(file, &text, &options, Some(effects), &mut |files, told| match told {
                Told::Warning(warning) => warnings.push(warning.short(files)),
                Told::Error(error) => errors.push(error.render(files, false)),
            });
        let built = built.map_err(|error: Diagnostic| Error(error.render(&Files::new(), false)))?;
        built.map(|built| (built, warnings)).ok_or_else(|| Error(errors.join("\n")))
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error(format!("{} cannot be written: {error}", path.display()))
}

/// Why a file was not compiled: the messages of the command `nesl`, with the text at fault.
///
/// `main` of a build script may give it to cargo, which shows them.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

/// The same text: this is what the end of `main` shows.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {}
