//! The system's C compiler: finding it, and making shared objects with it.

use super::guard;
use super::refusal;
use crate::cache::Cache;
use crate::jobs::side_by_side;
use base::{Code, Diagnostic};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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
    program: Program,
    /// The first line of what `--version` prints.
    pub(super) version: String,
    /// Whether it knows the machine it runs on.
    native: bool,
    /// How many of its processes run at once.
    jobs: usize,
    /// Whether what it makes treats little data as much is.
    tiny: bool,
}

/// The command of a compiler and its first arguments: `gcc`, or `ccache gcc -O1`.
#[derive(Clone, Debug)]
struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
}

impl Program {
    /// Resolves a name: to a program, or else to a command line, as `make` does.
    fn named(name: &OsStr) -> Option<Program> {
        if let Some(path) = search(name) {
            return Some(Program { path, arguments: Vec::new() });
        }
        let words = words(name.to_str()?);
        let (first, rest) = words.split_first()?;
        let arguments = rest.iter().map(OsString::from).collect();
        Some(Program { path: search(OsStr::new(first))?, arguments })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        // Its messages are read by programs.
        command.args(&self.arguments).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }

    /// The command line, for messages and keys.
    fn text(&self) -> String {
        let arguments = self.arguments.iter().map(|word| word.to_string_lossy().into_owned());
        let words = [self.path.display().to_string()].into_iter().chain(arguments);
        words.collect::<Vec<String>>().join(" ")
    }

    /// The identity of the compiler: the command line, and the identity of the file of each program
    /// in it.
    fn identity(&self) -> String {
        let own = std::iter::once(self.path.clone());
        let others = self.arguments.iter().filter_map(|word| search(word));
        own.chain(others).fold(self.text(), |text, path| format!("{text}; {}", identity(&path)))
    }

    /// Returns true if the command line has options.
    fn has_options(&self) -> bool {
        self.arguments.iter().any(|word| word.as_encoded_bytes().starts_with(b"-"))
    }
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
            let program = Program::named(&name).ok_or_else(|| {
                let message = format!("the C compiler `{}` cannot be run", name.display());
                advise(Diagnostic::of(Code::Compiler, message))
            })?;
            return Compiler::probe(program, cache, jobs);
        }
        let program =
            ["cc", "gcc", "clang"].iter().find_map(|name| Program::named(OsStr::new(name)));
        match program {
            Some(program) => Compiler::probe(program, cache, jobs),
            None => Err(advise(Diagnostic::of(Code::Compiler, "no C compiler was found"))),
        }
    }

    /// Asks the compiler who it is; the answer is remembered as long as its file is the same.
    fn probe(program: Program, cache: &Cache, jobs: usize) -> Result<Compiler, Diagnostic> {
        let failed = |what: &str| {
            let message = format!("the C compiler `{}` does not work: {what}", program.text());
            advise(Diagnostic::of(Code::Compiler, message))
        };
        let lost = |error: io::Error| {
            let why = error.to_string();
            let diagnostic = failed(&why);
            refusal::advice(&why).map_or(diagnostic.clone(), |advice| diagnostic.help(advice))
        };
        let identity = program.identity();
        if let Some(known) = cache.recall(&identity)
            && let Some((native, version)) = known.split_once(' ')
        {
            let (native, version) = (native == "native", version.to_owned());
            return Ok(Compiler { program, version, native, jobs, tiny: false });
        }
        let output = program.command().arg("--version").output().map_err(lost)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        if !output.status.success() {
            return Err(failed("`--version` fails"));
        }
        if version.is_empty() {
            return Err(failed("`--version` prints nothing"));
        }
        let accepts = |flags: &[&str]| {
            let mut command = program.command();
            // `zig cc` takes `-fsyntax-only`, and then misses the object file.
            command.args(COMMON).args(flags).args(["-x", "c", "-E", "-"]);
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            // One that was stopped has refused nothing.
            let code = status.map_err(lost)?.code().ok_or_else(|| failed("it was stopped"))?;
            Ok(code == 0)
        };
        let native = accepts(&[NATIVE])?;
        if !native && !accepts(&[])? {
            return Err(failed("it refuses its options"));
        }
        cache.remember(&identity, &format!("{} {version}", if native { "native" } else { "any" }));
        Ok(Compiler { program, version, native, jobs, tiny: false })
    }

    /// The version and the command line of the compiler.  The code depends on them besides text,
    /// mode and machine.
    pub(super) fn identity(&self) -> String {
        format!("{} {}", self.version, self.program.text())
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

    /// Compiles the units, several at once, and links them into a shared object in `folder`, where
    /// the compiler's own temporary files are, too.
    pub(super) fn build(
        &self,
        units: &[String],
        mode: Mode,
        folder: &Path,
    ) -> Result<PathBuf, Diagnostic> {
        let trouble = |error: io::Error| {
            let why = error.to_string();
            let message = format!("cannot compile in {}: {why}", folder.display());
            refusal::of_environment(message, &why)
        };
        let flags = self.flags(mode);
        let library = folder.join("program.so");
        for (i, unit) in units.iter().enumerate() {
            let guard = if i == 0 { guard::TEXT } else { "" };
            fs::write(folder.join(format!("unit{i}.c")), format!("{unit}\n{guard}"))
                .map_err(trouble)?;
        }
        let command = || {
            let mut command = self.program.command();
            command.current_dir(folder).env("TMPDIR", folder).args(&flags);
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command
        };
        if let [_] = units {
            let mut whole = command();
            whole.args(["-shared", "unit0.c", "-o"]).arg(&library).arg("-lm");
            self.finish(whole.spawn().map_err(trouble)?)?;
        } else {
            side_by_side(units, self.jobs, |i| {
                let mut one = command();
                one.args(["-c", &format!("unit{i}.c"), "-o", &format!("unit{i}.o")]);
                self.finish(one.spawn().map_err(trouble)?)
            })?;
            let mut link = command();
            link.arg("-shared").args((0..units.len()).map(|i| format!("unit{i}.o")));
            link.arg("-o").arg(&library).arg("-lm");
            self.finish(link.spawn().map_err(trouble)?)?;
        }
        if !library.is_file() {
            let message = format!("the C compiler `{}` has made no file", self.program.text());
            return Err(refusal::of_environment(message, ""));
        }
        Ok(library)
    }

    /// Waits for a compiler process, and returns its error if it failed.
    fn finish(&self, child: Child) -> Result<(), Diagnostic> {
        let output = child.wait_with_output().map_err(|error| {
            let why = error.to_string();
            refusal::of_environment(format!("the C compiler was lost: {why}"), &why)
        })?;
        if output.status.success() {
            return Ok(());
        }
        let told = String::from_utf8_lossy(&output.stderr);
        Err(refusal::of_compiler(output.status, &told, self.program.has_options()))
    }
}

fn advise(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .help("install a C compiler, such as the package `gcc` or `clang`, or set NESL_CC")
        .help("`--engine interp` runs the program without one")
}

/// The file that a command name stands for, from wherever it is run.
fn search(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    let found = if path.components().count() > 1 {
        is_program(path).then(|| path.to_owned())
    } else {
        let folders = env::var_os("PATH")?;
        env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| is_program(path))
    };
    found.and_then(|path| std::path::absolute(path).ok())
}

/// The words of a command line: blanks divide, quotes and backslashes hold together.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut inside, mut quote) = (false, None);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let letter = match (letter, quote) {
            (c, None) if c.is_whitespace() => {
                inside = false;
                continue;
            }
            (c, Some(open)) if c == open => {
                quote = None;
                continue;
            }
            ('\'' | '"', None) => {
                quote = Some(letter);
                None
            }
            ('\\', None | Some('"')) => letters.next(),
            (c, _) => Some(c),
        };
        if !std::mem::replace(&mut inside, true) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter);
        }
    }
    words
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

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn command_lines_are_taken_apart() {
        let of = |line| words(line).join("|");
        assert_eq!(of("gcc"), "gcc");
        assert_eq!(of("  ccache  gcc\t-O1 "), "ccache|gcc|-O1");
        assert_eq!(of(r#""/opt/my cc" -DA='b c' '' -D\"x\""#), r#"/opt/my cc|-DA=b c||-D"x""#);
        assert_eq!(of(r"a\ b \\"), r"a b|\");
        assert_eq!(words(" "), [""; 0]);
    }
}
