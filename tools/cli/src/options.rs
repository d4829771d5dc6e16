//! What can be written on the command line.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use prim::{Width, Widths};
use run::session::{self, EngineKind, Given, Wanted};
use std::path::PathBuf;
use value::input::names_file;

/// Nested data parallelism, compiled.
#[derive(Parser, Debug)]
#[command(name = "nesl", version, about, disable_help_subcommand = true)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    /// What to do; a session if nothing is said.
    #[command(subcommand)]
    command: Option<Command>,
    /// How the session runs
    #[command(flatten)]
    session: Session,
}

impl Arguments {
    /// What to do.
    pub(crate) fn chosen(self) -> Command {
        let Arguments { command, session } = self;
        command.unwrap_or(Command::Repl(Repl { files: Vec::new(), session }))
    }
}

/// Reads a path that may be empty.
fn path_or_nothing() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Evaluate forms as they are typed, or from standard input; so does `nesl` alone
    Repl(Repl),
    /// Run the forms of a file in order, or call one of its functions
    Run(Run),
    /// Check a file without running it
    Check(Check),
    /// Tell what a program costs by the language's model: work and depth, per function and line
    Cost(Cost),
    /// Show the documentation of a topic or name of the library, or of a file
    Doc(Doc),
    /// Format files: only white space changes, and every comment stays
    Fmt(Fmt),
    /// Serve an editor on standard input and output, by the Language Server Protocol
    Lsp {
        /// What editors add to the command; there is no other way
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Build functions of a file as C or CUDA C++ that runs by itself
    Build(Build),
    /// Run passes of the compiler on the text of an intermediate program
    Dev(Dev),
    /// Make a folder with a program to begin with
    New {
        /// The name of the program
        name: String,
        /// How errors are printed
        #[command(flatten)]
        errors: Errors,
    },
    /// Explain the code of a message, or list all codes
    Explain {
        /// A code, such as N0204
        code: Option<String>,
    },
    /// Explain a subcommand, a function of the library, or a topic
    Help {
        /// A subcommand, a topic or name of the library, `library`, `files`, `commands` or `passes`
        #[arg(allow_hyphen_values = true)]
        topic: Option<String>,
    },
}

/// Options of `nesl repl`.
#[derive(Args, Debug)]
pub(crate) struct Repl {
    /// Programs to run first
    pub(crate) files: Vec<PathBuf>,
    /// How the session runs
    #[command(flatten)]
    pub(crate) session: Session,
}

/// How a session runs.
#[derive(Args, Debug)]
pub(crate) struct Session {
    /// What evaluates forms: `auto` interprets those on small data and compiles others
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub(crate) engine: Engine,
    /// What it runs on
    #[command(flatten)]
    pub(crate) means: Means,
    /// Round floats of compiled code less exactly where that is faster
    #[arg(long)]
    pub(crate) fast_math: bool,
    /// Where what was typed is kept, instead of NESL_HISTORY or the usual place; "" is nowhere
    #[arg(long, value_name = "FILE", value_parser = path_or_nothing())]
    pub(crate) history: Option<PathBuf>,
    /// How errors are printed
    #[command(flatten)]
    pub(crate) errors: Errors,
}

/// Options of `nesl run`.
#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The program; `-` is standard input
    pub(crate) file: PathBuf,
    /// Call this function with the arguments that follow, after all forms of the file
    #[arg(long, value_name = "FUNCTION", allow_hyphen_values = true)]
    pub(crate) entry: Option<String>,
    /// An argument: a file (.npy, .mtx, .txt, .nesl) or a literal.  Without NAME= it is the
    /// value of the next parameter.  Optional parameters can be left out
    #[arg(value_name = "NAME=VALUE", value_parser = given, requires = "entry")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) given: Vec<Given>,
    /// Write the result to this file (.npy, .txt, .nesl)
    #[arg(short, value_name = "FILE", requires = "entry")]
    pub(crate) output: Option<PathBuf>,
    /// What evaluates the program
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub(crate) engine: Engine,
    /// What it runs on
    #[command(flatten)]
    pub(crate) means: Means,
    /// Round floats less exactly where that is faster: products and sums together, quotients and
    /// roots up to the last bits; nans and infinities stay.  Not with `--engine interp`
    #[arg(long)]
    pub(crate) fast_math: bool,
    /// Print no results
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Print the compiled program at a stage: nest, flat, plan, kernel, c or cuda,
    /// or after:PASS
    #[arg(long, value_name = "STAGE", value_parser = stage)]
    pub(crate) dump: Option<String>,
    /// Draw what is fused, why the rest is not, and when vectors are in memory, to this file,
    /// which browsers show; with `--dump plan`
    #[arg(long, value_name = "FILE", requires = "dump")]
    pub(crate) svg: Option<PathBuf>,
    /// How operations are fused: not at all, each with the first that can take it, or at the least
    /// estimated cost
    #[arg(long, value_enum, default_value_t = Fusion::Optimal)]
    pub(crate) fusion: Fusion,
    /// Print what each pass of the compiler took
    #[arg(long)]
    pub(crate) timings: bool,
    /// Print what running did
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "text", value_enum)]
    pub(crate) stats: Option<Stats>,
    /// Write what happened when to this file, for <https://ui.perfetto.dev>
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Make the call this many times, with the same arguments; statistics and profile are of the
    /// last time
    #[arg(long, value_name = "N", default_value_t = 1, requires = "entry",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// How errors are printed
    #[command(flatten)]
    pub(crate) errors: Errors,
}

/// What programs run on, and how wide their numbers are.
#[derive(Args, Debug)]
pub(crate) struct Means {
    /// How many threads run, on the cores; as many as there are if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Most memory for values, such as 500M or 4G; three quarters of the machine if not given
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<usize>,
    /// How wide numbers are
    #[command(flatten)]
    pub(crate) widths: Numbers,
}

impl Means {
    /// The choices of a session with them.
    pub(crate) fn of_session(&self, engine: EngineKind) -> session::Options {
        let mut choices = session::Options::new(engine);
        choices.widths = self.widths.of();
        choices.cpu.threads = self.threads.map(usize::from);
        choices.cpu.memory = self.memory;
        choices.cuda.memory = self.memory;
        choices
    }
}

/// Options of `nesl check`.
#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The program; `-` is standard input
    pub(crate) file: PathBuf,
    /// Check the file again whenever it changes, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
    /// How wide numbers are
    #[command(flatten)]
    pub(crate) widths: Numbers,
    /// How errors are printed
    #[command(flatten)]
    pub(crate) errors: Errors,
}

/// Options of `nesl cost`.
#[derive(Args, Debug)]
#[command(after_long_help = COST)]
pub(crate) struct Cost {
    /// The program; `-` is standard input
    pub(crate) file: PathBuf,
    /// Count a call of this function with the arguments that follow, instead of the forms
    #[arg(long, value_name = "FUNCTION", allow_hyphen_values = true)]
    pub(crate) entry: Option<String>,
    /// An argument: a file (.npy, .mtx, .txt, .nesl) or a literal.  Without NAME= it is the
    /// value of the next parameter.  Optional parameters can be left out
    #[arg(value_name = "NAME=VALUE", value_parser = given, requires = "entry")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) given: Vec<Given>,
    /// Show all functions and lines, not only the most costly
    #[arg(long)]
    pub(crate) all: bool,
    /// Print one object of JSON with everything
    #[arg(long)]
    pub(crate) json: bool,
    /// How wide numbers are
    #[command(flatten)]
    pub(crate) widths: Numbers,
    /// How errors are printed
    #[command(flatten)]
    pub(crate) errors: Errors,
}

/// What `nesl help cost` says behind the options.
const COST: &str = "\
Work is the number of operations, depth the longest chain of those that wait for each other,
parallelism their quotient.  The interpreter counts them.  Own work is that of the text of a function
or line itself, without the functions of the program that it calls; a function of the library counts
where the program calls it.  Work has all that is called, and depth is the largest of one call, or of
a line in one evaluation of the text around it.  docs/cost.md says more.";

/// Options of `nesl doc`.
#[derive(Args, Debug)]
pub(crate) struct Doc {
    /// A topic or a name of the library, `syntax`, a word or sign of the language, or a file; the
    /// topics are listed if nothing is said
    #[arg(value_name = "TOPIC|NAME|FILE", allow_hyphen_values = true)]
    pub(crate) about: Option<String>,
    /// Write pages for a browser, of the library and the file, to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) html: Option<PathBuf>,
    /// Write pages of Markdown, of the library and the file, to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) markdown: Option<PathBuf>,
    /// How errors are printed
    #[command(flatten)]
    pub(crate) errors: Errors,
}

/// Options of `nesl fmt`.
#[derive(Args, Debug)]
pub(crate) struct Fmt {
    /// The files, which are rewritten; `-`, or none, is standard input to standard output
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing: show what would change, and fail if anything would
    #[arg(long)]
    pub(crate) check: bool,
    /// How errors are printed
    #[command(flatten)]
    pub(crate) errors: Errors,
}

/// Options of `nesl build`.
#[derive(Args, Debug)]
#[command(after_long_help = BUILD)]
pub(crate) struct Build {
    /// The program
    pub(crate) file: PathBuf,
    /// What it is built for
    #[arg(long, value_enum, default_value_t = Platform::C)]
    pub(crate) target: Platform,
    /// The folder that the files are written to
    #[arg(short, long, value_name = "FOLDER", default_value = "out")]
    pub(crate) output: PathBuf,
    /// A function to be built, perhaps with its type: 'f : [int] -> int'; all of the file if none
    /// is named
    #[arg(long = "entry", value_name = "FUNCTION[: TYPE]", value_parser = Wanted::parse,
          allow_hyphen_values = true)]
    pub(crate) entries: Vec<Wanted>,
    /// Also write FILE.cmake for CMake, and FILE.pc for pkg-config
    #[arg(long)]
    pub(crate) package: bool,
    /// Also write FILE.json, which says what the library has: functions, types, layout
    #[arg(long)]
    pub(crate) manifest: bool,
    /// Also write a program, main.c, that calls the first function and prints the result
    #[arg(long)]
    pub(crate) main: bool,
    /// An argument of that call: a file (.npy, .mtx, .txt, .nesl) or a literal; made up if none
    /// is given
    #[arg(value_name = "NAME=VALUE", value_parser = given, requires = "main")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) given: Vec<Given>,
    /// How errors are printed
    #[command(flatten)]
    pub(crate) errors: Errors,
}

/// What `nesl help build` says behind the options.
const BUILD: &str = "\
Writes FILE.h and FILE.c, or FILE.cu.  They need nothing but a compiler:

  cc -O2 -fopenmp -c FILE.c          without -fopenmp for one core
  nvcc -O3 -fmad=false -c FILE.cu

Each function becomes one of C: sequences are pointers and lengths, what it returns is 0 or what went
wrong.  docs/build.md says more.";

/// What a library is built for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Platform {
    /// C for CPUs
    C,
    /// CUDA C++ for NVIDIA GPUs
    Cuda,
}

/// Options of `nesl dev`.
#[derive(Args, Debug)]
pub(crate) struct Dev {
    /// What the text is
    #[arg(value_enum)]
    pub(crate) station: Station,
    /// The text, as `nesl run --dump` prints it; `-` is standard input
    pub(crate) file: PathBuf,
    /// Passes to run, in order; see `nesl help passes`
    #[arg(value_name = "PASS")]
    pub(crate) passes: Vec<String>,
    /// What kernels are made for
    #[arg(long, value_enum, default_value_t = Target::Cpu)]
    pub(crate) target: Target,
}

/// What kernels are made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Target {
    /// Units that run a tile alone, and C
    Cpu,
    /// Blocks of threads, and CUDA C++
    Gpu,
}

/// How wide numbers are.
#[derive(Args, Debug)]
pub(crate) struct Numbers {
    /// Bits of an int, 32 or 64
    #[arg(long, value_name = "BITS", default_value_t = Width::W64)]
    pub(crate) int: Width,
    /// Bits of a float, 32 or 64
    #[arg(long, value_name = "BITS", default_value_t = Width::W64)]
    pub(crate) float: Width,
}

impl Numbers {
    /// The choice.
    pub(crate) fn of(&self) -> Widths {
        Widths { int: self.int, float: self.float }
    }
}

/// How errors are printed.
#[derive(Args, Debug)]
pub(crate) struct Errors {
    /// How errors are printed: with the source, or one a line
    #[arg(long = "errors", value_name = "FORM", value_enum, default_value_t = ErrorForm::Pretty)]
    pub(crate) form: ErrorForm,
}

/// How errors are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ErrorForm {
    /// With the source text
    Pretty,
    /// One line for each
    Short,
}

/// What evaluates a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Engine {
    /// A GPU if there is one, else all cores; cores, too, for `--threads` and `--dump c`
    Auto,
    /// Compiled code on all cores
    Cpu,
    /// Compiled code on an NVIDIA GPU
    Cuda,
    /// The reference interpreter
    Interp,
}

/// How much is fused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Fusion {
    /// Every operation runs alone
    Off,
    /// Operations join the first that can take them
    Greedy,
    /// At the least estimated cost
    Optimal,
}

impl From<Fusion> for compile::Fusion {
    fn from(fusion: Fusion) -> compile::Fusion {
        match fusion {
            Fusion::Off => compile::Fusion::Off,
            Fusion::Greedy => compile::Fusion::Greedy,
            Fusion::Optimal => compile::Fusion::Optimal,
        }
    }
}

impl Run {
    /// The engine that the options ask for.
    pub(crate) fn kind(&self) -> EngineKind {
        let dumps = |stage| self.dump.as_deref() == Some(stage);
        match self.engine {
            // These are of one engine only.
            Engine::Auto if self.means.threads.is_some() || dumps("c") => EngineKind::Cpu,
            Engine::Auto if dumps("cuda") => EngineKind::Cuda,
            engine => engine.into(),
        }
    }
}

impl From<Engine> for EngineKind {
    fn from(engine: Engine) -> EngineKind {
        match engine {
            Engine::Auto => EngineKind::Auto,
            Engine::Cpu => EngineKind::Cpu,
            Engine::Cuda => EngineKind::Cuda,
            Engine::Interp => EngineKind::Interp,
        }
    }
}

/// How statistics are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Stats {
    /// For people
    Text,
    /// One JSON object on the last line of standard error
    Json,
}

/// A station whose text can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Station {
    /// Monomorphic, nested
    Nest,
    /// Vectors and scalars
    Flat,
    /// Host steps and clusters
    Plan,
    /// Loops
    Kernel,
}

/// `NAME=VALUE`, or a value alone; that of strings, for example, may have an `=` in it.
fn given(text: &str) -> Result<Given, String> {
    let named = text.split_once('=').map(|(name, value)| (name.trim(), value));
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match named.filter(|(name, _)| is_name(name)) {
        Some(("", _) | (_, "")) => Err("write NAME=VALUE, or VALUE alone".to_owned()),
        // Case is ignored in names (LANGUAGE 2).
        Some((name, value)) => Ok(given_as(name.to_ascii_lowercase(), value)),
        None if text.trim().is_empty() => Err("write NAME=VALUE, or VALUE alone".to_owned()),
        None => Ok(given_as(String::new(), text)),
    }
}

/// An argument whose text is the name of a file, if it looks like one, or a literal.  This is
/// decided here alone.
fn given_as(name: String, text: &str) -> Given {
    if names_file(text) { Given::file(name, text) } else { Given::literal(name, text) }
}

/// A number of bytes: `500M`, `1.5G`, `4096`.
fn size(text: &str) -> Result<usize, String> {
    let wrong = || "write a number of bytes, such as 500M or 4G".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_ascii_uppercase().trim_end_matches("IB") {
        "" | "B" => 1,
        "K" | "KB" => 1 << 10,
        "M" | "MB" => 1 << 20,
        "G" | "GB" => 1 << 30,
        "T" | "TB" => 1 << 40,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let bytes = number * factor as f64;
    if bytes >= 1.0 && bytes < usize::MAX as f64 { Ok(bytes as usize) } else { Err(wrong()) }
}

/// A station or `after:PASS`.
fn stage(text: &str) -> Result<String, String> {
    let known = |pass: &compile::Pass| match text.strip_prefix("after:") {
        Some(name) => pass.name == name,
        None => pass.station == text || ["c", "cuda"].contains(&text),
    };
    if compile::PASSES.iter().any(known) {
        return Ok(text.to_owned());
    }
    let passes: Vec<&str> = compile::PASSES.iter().map(|pass| pass.name).collect();
    Err(format!(
        "the stages are nest, flat, plan, kernel, c or cuda, and after:PASS for the passes {}",
        passes.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use run::session::Source;

    #[test]
    fn declarations_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("1.5k"), Ok(1536));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert!(size("").is_err());
        assert!(size("-1").is_err());
        assert!(size("0").is_err());
        assert!(size("1e400").is_err());
        assert!(size("3 apples").is_err());
    }

    #[test]
    fn what_is_of_one_engine_chooses_it() {
        let kind = |line: &str| {
            let words = ["nesl", "run", "f.nesl"].into_iter().chain(line.split_whitespace());
            match Arguments::parse_from(words).chosen() {
                Command::Run(run) => run.kind(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(kind(""), EngineKind::Auto);
        assert_eq!(kind("--dump plan"), EngineKind::Auto);
        assert_eq!(kind("--dump c"), EngineKind::Cpu);
        assert_eq!(kind("--dump cuda"), EngineKind::Cuda);
        assert_eq!(kind("--threads 2"), EngineKind::Cpu);
        assert_eq!(kind("--threads 2 --engine cuda"), EngineKind::Cuda);
    }

    #[test]
    fn arguments_of_calls() {
        let check = |text: &str, name: &str, source: Source| {
            let given = given(text).unwrap();
            assert_eq!(given.name, name);
            assert_eq!(format!("{:?}", given.source), format!("{source:?}"));
        };
        check("V=a=b.npy", "v", Source::File("a=b.npy".into()));
        check("dir/a=b.npy", "", Source::File("dir/a=b.npy".into()));
        check("v=(1, \"a.npy\")", "v", Source::Literal("(1, \"a.npy\")".to_owned()));
        for alone in ["v", "[1, 2]", "-1", "\"a=b\"", "\"a.npy\""] {
            check(alone, "", Source::Literal(alone.to_owned()));
        }
        assert!(given("=1").is_err());
        assert!(given("v=").is_err());
        assert!(given("").is_err());
    }

    #[test]
    fn functions_to_build() {
        let ty = Some("[int] -> int".to_owned());
        assert_eq!(Wanted::parse("F : [int] -> int"), Ok(Wanted { name: "f".to_owned(), ty }));
        assert_eq!(Wanted::parse("f"), Ok(Wanted { name: "f".to_owned(), ty: None }));
        assert!(Wanted::parse("f:").is_err());
        assert!(Wanted::parse(": int").is_err());
    }

    #[test]
    fn stages() {
        assert!(stage("flat").is_ok());
        assert!(stage("after:pull_maps").is_ok());
        assert!(stage("after:flat").is_err());
        assert!(stage("nonsense").is_err());
    }
}
