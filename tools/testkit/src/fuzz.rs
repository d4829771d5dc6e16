//! The command `nesl-fuzz`: its options, and how parent and workers talk.
//!
//! A worker writes a line for each thing that happens: `start SEED` before programs that are run
//! together, `done KIND` for each program, and a finding between `finding SEED` and `end`.

pub(crate) mod parent;
pub(crate) mod worker;

use base::Diagnostic;
use clap::Parser;
use fuse::Fusion;
use prim::Width;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use testkit::agree::Engine;
use testkit::generate::{Program, at_the_ends, program};

/// The command line.
#[derive(Parser, Clone, Debug)]
#[command(name = "nesl-fuzz", about = "Compares all engines on generated programs")]
pub(crate) struct Options {
    /// How many programs
    #[arg(long, default_value_t = 200)]
    pub(crate) count: u64,
    /// The seed of the first program; the others follow
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// The engines to compare with the interpreter: nest, flat, passes, plan, kernel, threads,
    /// cpu, cuda; the last one needs an NVIDIA GPU
    #[arg(long, value_delimiter = ',', value_parser = engine,
          default_value = "nest,flat,passes,plan,kernel,threads,cpu")]
    pub(crate) engines: Vec<Engine>,
    /// Bits of an int
    #[arg(long, default_value_t = Width::W64)]
    pub(crate) int: Width,
    /// Bits of a float
    #[arg(long, default_value_t = Width::W64)]
    pub(crate) float: Width,
    /// How many processes share the work; as many as there are cores if not given, fewer on a GPU
    #[arg(long)]
    pub(crate) workers: Option<u64>,
    /// Programs that are compiled together
    #[arg(long, default_value_t = 16)]
    pub(crate) together: u64,
    /// Seconds without a word after which a process is taken to be in a loop
    #[arg(long, default_value_t = 240)]
    pub(crate) patience: u64,
    /// Compile programs to run fast, as users do; this takes longer
    #[arg(long)]
    pub(crate) optimise: bool,
    /// How operations are fused in what is compiled: off, greedy, optimal
    #[arg(long, value_parser = fusion, default_value = "optimal")]
    pub(crate) fusion: Fusion,
    /// Ints, and so lengths and positions, are near the ends
    #[arg(long)]
    pub(crate) ends: bool,
    /// Compile for the CPU under AddressSanitizer and UndefinedBehaviorSanitizer; needs GCC
    #[arg(long)]
    pub(crate) sanitize: bool,
    /// Show findings as they are generated
    #[arg(long)]
    pub(crate) no_shrink: bool,
    /// Show the programs instead of running them
    #[arg(long)]
    pub(crate) show: bool,
    /// Run the program in this file instead
    #[arg(long)]
    pub(crate) file: Option<PathBuf>,
    /// Report to the parent process
    #[arg(long, hide = true)]
    pub(crate) worker: bool,
    /// Seeds from one program to the next
    #[arg(long, hide = true, default_value_t = 1)]
    pub(crate) stride: u64,
}

impl Options {
    /// The program of a seed.
    pub(crate) fn program(&self, seed: u64) -> Program {
        if self.ends { at_the_ends(seed) } else { program(seed) }
    }
}

/// Shows the programs.
pub(crate) fn show(options: &Options) -> std::io::Result<bool> {
    for seed in options.seed..options.seed.saturating_add(options.count) {
        say(&format!("% {seed} %\n{}", options.program(seed)))?;
    }
    Ok(true)
}

fn engine(name: &str) -> Result<Engine, String> {
    let found = Engine::ALL.into_iter().find(|engine| engine.to_string() == name);
    found.ok_or_else(|| format!("there is no engine `{name}`"))
}

fn fusion(name: &str) -> Result<Fusion, String> {
    let found = Fusion::ALL.into_iter().find(|fusion| fusion.to_string() == name);
    found.ok_or_else(|| format!("there is no fusion `{name}`"))
}

/// Writes a line for whoever reads standard output.
pub(crate) fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// A diagnostic that belongs to no source text.
pub(crate) fn told(diagnostic: &Diagnostic) -> String {
    let rows = [("note", &diagnostic.notes), ("help", &diagnostic.help)];
    let lines = rows
        .into_iter()
        .flat_map(|(word, lines)| lines.iter().map(move |line| format!("\n  {word}: {line}")));
    diagnostic.message.clone() + &lines.collect::<String>()
}

/// Ends the command with an error of its own.
pub(crate) fn fail(error: &std::io::Error) -> ExitCode {
    // Where it cannot be told there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "nesl-fuzz: {error}");
    ExitCode::from(2)
}
