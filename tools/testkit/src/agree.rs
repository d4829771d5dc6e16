//! One program on all engines, and whether they agree.
//!
//! The interpreter says what is right.  Against it stand the evaluators of the stations (nest
//! behind `lower`, flat behind `flatten` and again behind its passes, plan behind `fuse`, kernel
//! behind `schedule`), the simulator of a GPU's threads, the CPU, and a GPU if that is wanted.
//! Values must be the same, floats up to what the order of a reduction may change.  Where the
//! interpreter fails every engine must fail; it may report another of several errors.

mod compare;
mod convert;
mod device;
mod engines;
mod lab;
#[path = "../../../compiler/schedule/src/tests/launch.rs"]
mod launch;
mod panics;

pub use lab::{Lab, LabOptions};

use base::Site;
use std::fmt;
use value::Value;

/// What runs a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// The reference.
    Interp,
    /// The evaluator of nest, behind `lower`.
    Nest,
    /// The evaluator of flat, behind `flatten`.
    Flat,
    /// The evaluator of flat, behind the passes of flat.
    Passes,
    /// The evaluator of plan, behind `fuse`.
    Plan,
    /// The evaluator of kernel, behind `schedule`, with small tiles.
    Kernel,
    /// The simulator of blocks of threads, behind `schedule` for GPUs, with small blocks and tiles.
    Threads,
    /// Compiled code on the cores of this machine.
    Cpu,
    /// Compiled code on an NVIDIA GPU.
    Cuda,
}

impl Engine {
    /// All of them, in the order of the pipeline.
    pub const ALL: [Engine; 9] = [
        Engine::Interp,
        Engine::Nest,
        Engine::Flat,
        Engine::Passes,
        Engine::Plan,
        Engine::Kernel,
        Engine::Threads,
        Engine::Cpu,
        Engine::Cuda,
    ];

    /// Whether it runs on any machine.
    pub fn is_everywhere(self) -> bool {
        self != Engine::Cuda
    }
    /// Whether it compiles programs, several at once.
    pub fn compiles(self) -> bool {
        matches!(self, Engine::Cpu | Engine::Cuda)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Interp => "interp",
            Engine::Nest => "nest",
            Engine::Flat => "flat",
            Engine::Passes => "passes",
            Engine::Plan => "plan",
            Engine::Kernel => "kernel",
            Engine::Threads => "threads",
            Engine::Cpu => "cpu",
            Engine::Cuda => "cuda",
        })
    }
}

/// What became of a form on an engine.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A value.
    Value(Value),
    /// A run-time error.
    Error(Site),
    /// The engine broke, and how.
    Broken(String),
}

/// What became of a program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All engines agree.
    Agreed {
        /// The last form that ran failed.
        failed: bool,
        /// An engine reported an error of another kind than the interpreter.
        other_site: bool,
    },
    /// It was not compared, and why.
    Skipped(String),
    /// It was not accepted: a diagnostic.
    Rejected(String),
    /// The engines disagree.
    Disagreed(Finding),
}

/// A disagreement.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The first engine of the pipeline that disagrees.
    pub engine: Engine,
    /// In a word: `value`, `error`, `no error`, or what broke.
    pub kind: String,
    /// What the interpreter says, what the engine says.
    pub text: String,
}

impl Finding {
    /// Whether two findings look like the same bug.
    pub fn is_like(&self, other: &Finding) -> bool {
        self.engine == other.engine && self.kind == other.kind
    }
}
