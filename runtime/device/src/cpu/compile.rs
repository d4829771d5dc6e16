//! The system's C compiler: finding it, and making shared objects with it.

use super::guard;
use crate::cache::Cache;
use crate::jobs::side_by_side;
use base::{Code, Diagnostic, Kind};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io};

/// What a build is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Speed.
    Normal,
    /// Speed, of so many kernels that compiling takes seconds.
    Hurried,
    /// Being compiled quickly.
    Quick,
    /// Finding the first fault.
    Diagnosis,
    /// The same, compiled quickly.
    QuickDiagnosis,
}

/// For both modes: the meaning of the text, and position-independent code.  A recursion that became
/// a loop would never run out of stack.  Warnings are for us, not for users.
const COMMON: [&str; 8] = [
    "-std=gnu11",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-optimize-sibling-calls",
    "-fPIC",
    "-w",
];
/// Clang ends at 256 braces in each other unless it is told otherwise.
const CLANG: &str = "-fbracket-depth=1000000";
/// For tests: little data is treated as much is.
const TINY: &str = "-DNESL_TINY";
/// For the machine that compiles, which is the one that runs.
const NATIVE: &str = "-march=native";

/// What makes fast code of the loops that we print.  Long chains of float operations are
/// interleaved before registers are given out, for which a processor does not look far enough
/// ahead: that takes a seventh off Black-Scholes, and less off the hull and trees.  The other
/// passes of GCC's -O2 take a quarter of its time and made no program faster.
const GCC: &[&str] = &[
    "-O1",
    "-ftree-vectorize",
    "-fvect-cost-model=dynamic",
    "-fopenmp-simd",
    "-finline-functions",
    "-finline-small-functions",
    "-fstrict-aliasing",
    "-fexpensive-optimizations",
    "-ftree-vrp",
    "-fthread-jumps",
    "-fstore-merging",
    "-ftree-loop-distribute-patterns",
    "-fcaller-saves",
    "-fschedule-insns",
    "-fschedule-insns2",
    "-freorder-blocks-algorithm=stc",
    "-falign-functions=16",
    "-falign-loops=16",
];
/// For many kernels: vectors, and what costs the compiler least beside.  It takes two thirds of
/// the time.  Two programs of 2,000 random operations each ran no slower.
const GCC_HURRIED: &[&str] =
    &["-O1", "-ftree-vectorize", "-fvect-cost-model=dynamic", "-fopenmp-simd", "-fstrict-aliasing"];
/// The same for others, whose levels differ and whose passes have other names.
const OTHERS: &[&str] = &["-O2", "-fopenmp-simd"];

impl Mode {
    /// What is for speed, but compiled in a hurry.
    pub(super) fn hurried(self) -> Mode {
        if self == Mode::Normal { Mode::Hurried } else { self }
    }

    /// What finds the faults of code that was built like this.
    pub(super) fn diagnosis(self) -> Mode {
        match self {
            Mode::Normal | Mode::Hurried | Mode::Diagnosis => Mode::Diagnosis,
            Mode::Quick | Mode::QuickDiagnosis => Mode::QuickDiagnosis,
        }
    }

    fn flags(self, gcc: bool) -> &'static [&'static str] {
        match self {
            Mode::Normal if gcc => GCC,
            Mode::Hurried if gcc => GCC_HURRIED,
            Mode::Normal | Mode::Hurried => OTHERS,
            Mode::Quick => &["-O0", "-fopenmp-simd"],
            Mode::Diagnosis => &["-O1", "-DNESL_DIAGNOSE"],
            Mode::QuickDiagnosis => &["-O0", "-fopenmp-simd", "-DNESL_DIAGNOSE"],
        }
    }
}

/// A C compiler that works.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    path: PathBuf,
    /// The first line of what `--version` prints.
    pub(super) version: String,
    /// Whether it knows the machine it runs on.
    native: bool,
    /// How many of its processes run at once.
    jobs: usize,
    /// Whether what it makes treats little data as much is.
    tiny: bool,
}

impl Compiler {
    /// The compiler given, or the one that `NESL_CC` or `CC` names, else the first of `cc`, `gcc`
    /// and `clang`.
    pub(super) fn find(
        given: Option<&Path>,
        cache: &Cache,
        jobs: usize,
    ) -> Result<Compiler, Diagnostic> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
        let named = given
            .map(|path| path.as_os_str().to_owned())
            .or_else(|| variable("NESL_CC"))
            .or_else(|| variable("CC"));
        if let Some(name) = named {
            let path = search(&name).ok_or_else(|| {
                let message = format!("the C compiler `{}` cannot be run", name.display());
                advise(Diagnostic::of(Code::Compiler, message))
            })?;
            return Compiler::probe(path, cache, jobs);
        }
        let path = ["cc", "gcc", "clang"].iter().find_map(|name| search(OsStr::new(name)));
        match path {
            Some(path) => Compiler::probe(path, cache, jobs),
            None => Err(advise(Diagnostic::of(Code::Compiler, "no C compiler was found"))),
        }
    }

    /// Asks the compiler who it is; the answer is remembered as long as its file is the same.
    fn probe(path: PathBuf, cache: &Cache, jobs: usize) -> Result<Compiler, Diagnostic> {
        let failed = |what: &str| {
            let message = format!("the C compiler `{}` does not work: {what}", path.display());
            advise(Diagnostic::of(Code::Compiler, message))
        };
        let identity = identity(&path);
        if let Some(known) = cache.recall(&identity)
            && let Some((native, version)) = known.split_once(' ')
        {
            let (native, version) = (native == "native", version.to_owned());
            return Ok(Compiler { path, version, native, jobs, tiny: false });
        }
        let output = Command::new(&path)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|e| failed(&e.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        if !output.status.success() {
            return Err(failed("`--version` fails"));
        }
        let accepts = |flags: &[&str]| {
            Command::new(&path)
                .args(COMMON)
                .args(flags)
                .args(["-x", "c", "-fsyntax-only", "-"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .map_err(|e| failed(&e.to_string()))?
                .code()
                // One that was stopped has refused nothing.
                .map_or_else(|| Err(failed("it was stopped")), |code| Ok(code == 0))
        };
        let native = accepts(&[NATIVE])?;
        if !native && !accepts(&[])? {
            return Err(failed("it refuses its options"));
        }
        cache.remember(&identity, &format!("{} {version}", if native { "native" } else { "any" }));
        Ok(Compiler { path, version, native, jobs, tiny: false })
    }

    /// The same for tests in which little data is treated as much is, or as it is.
    pub(super) fn tiny(self, tiny: bool) -> Compiler {
        Compiler { tiny, ..self }
    }

    /// All options of a build, as far as they matter to what it makes.
    pub(super) fn flags(&self, mode: Mode) -> Vec<&'static str> {
        let clang = self.version.contains("clang");
        let own =
            [self.native.then_some(NATIVE), clang.then_some(CLANG), self.tiny.then_some(TINY)];
        let flags = mode.flags(!clang).iter().copied();
        COMMON.iter().copied().chain(own.into_iter().flatten()).chain(flags).collect()
    }

    /// Compiles the units, several at once, and links them into a shared object in `folder`.
    pub(super) fn build(
        &self,
        units: &[String],
        mode: Mode,
        folder: &Path,
    ) -> Result<PathBuf, Diagnostic> {
        let trouble = |error: io::Error| {
            let message = format!("cannot compile in {}: {error}", folder.display());
            Diagnostic::of(Code::Compiler, message)
        };
        let flags = self.flags(mode);
        let library = folder.join("program.so");
        for (i, unit) in units.iter().enumerate() {
            let guard = if i == 0 { guard::TEXT } else { "" };
            fs::write(folder.join(format!("unit{i}.c")), format!("{unit}\n{guard}"))
                .map_err(trouble)?;
        }
        let command = || {
            let mut command = Command::new(&self.path);
            command.current_dir(folder).args(&flags);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            command
        };
        if let [_] = units {
            let mut whole = command();
            whole.args(["-shared", "unit0.c", "-o"]).arg(&library).arg("-lm");
            finish(whole.spawn().map_err(trouble)?)?;
            return Ok(library);
        }
        side_by_side(units, self.jobs, |i| {
            let mut one = command();
            one.args(["-c", &format!("unit{i}.c"), "-o", &format!("unit{i}.o")]);
            finish(one.spawn().map_err(trouble)?)
        })?;
        let mut link = command();
        link.arg("-shared").args((0..units.len()).map(|i| format!("unit{i}.o")));
        link.arg("-o").arg(&library).arg("-lm");
        finish(link.spawn().map_err(trouble)?)?;
        Ok(library)
    }
}

/// Waits for a compiler process and says what went wrong in it.
fn finish(child: Child) -> Result<(), Diagnostic> {
    let output = child.wait_with_output().map_err(|error| {
        Diagnostic::of(Code::Compiler, format!("the C compiler was lost: {error}"))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let mut diagnostic =
        Diagnostic::new(Kind::Bug, format!("the C compiler failed ({})", output.status));
    for line in String::from_utf8_lossy(&output.stderr).lines().take(8) {
        diagnostic = diagnostic.note(line);
    }
    Err(diagnostic)
}

fn advise(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .help("install a C compiler, such as the package `gcc` or `clang`, or set NESL_CC")
        .help("`--engine interp` runs the program without one")
}

/// The file that a command name stands for.
fn search(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return is_program(path).then(|| path.to_owned());
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(path)).find(|p| is_program(p))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}

/// What tells this file from another compiler's: path, size and time.
fn identity(path: &Path) -> String {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let meta = fs::metadata(&real);
    let size = meta.as_ref().map_or(0, fs::Metadata::len);
    let time = meta.and_then(|m| m.modified()).ok();
    format!("{} {size} {time:?}", real.display())
}

/// A folder for the files of one build, removed with everything in it.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder in `parent`.
    pub(super) fn new(parent: &Path) -> io::Result<Scratch> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("build-{}-{number}", std::process::id()));
        fs::create_dir_all(parent)?;
        fs::create_dir(&path)?;
        Ok(Scratch(path))
    }
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind is found by the next clean-up of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
