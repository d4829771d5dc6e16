//! A session: source texts in, results out, one form after the other.
//!
//! It holds the library, everything defined so far, and an [engine](Engine) that evaluates.  What
//! happens is told as [`Event`]s, in order; programs print to the output that the session was
//! given.
//!
//! ```text
//! text --parse--> forms --check--> typed forms --engine--> answers --print--> events
//! ```
//!
//! Knows neither terminals nor options of commands.

mod build;
mod call;
mod command;
mod compiled;
mod engine;
mod group;
mod message;
mod uses;

pub use build::{BuildOptions, Platform, Wanted};
pub use call::{Call, Given};
pub use engine::{Answer, Report};

use base::{Diagnostic, Files, Kind};
use command::Settings;
use compiled::Compiled;
use device::{Cpu, CpuOptions, Cuda, CudaOptions, Device};
use engine::Engine;
use interp::Interp;
use prim::Widths;
use rustc_hash::FxHashSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::thread::JoinHandle;
use types::tree::{Form, FormKind, Global};
use types::{Checker, Checkpoint};
use uses::Uses;
use value::on_big_stack;

/// Which engine evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    /// The reference evaluator.
    Interp,
    /// Compiled code on the cores of this machine.
    Cpu,
    /// Compiled code on an NVIDIA GPU.
    Cuda,
    /// The GPU if there is one, else the cores.
    Auto,
}

/// Choices about a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which engine evaluates.
    pub engine: EngineKind,
    /// Choices about the CPU device.
    pub cpu: CpuOptions,
    /// Choices about the CUDA device.
    pub cuda: CudaOptions,
    /// How wide ints and floats are.
    pub widths: Widths,
    /// Whether floats of compiled code may be rounded otherwise than the program is written.
    pub fast_math: bool,
    /// Choices of the compiler.
    pub compile: compile::Options,
    /// A station or pass whose programs are to be shown, as in [`compile::Dump`].
    pub dump: Option<String>,
    /// Whether it is drawn what is fused ([`Report::drawings`]).
    pub draw: bool,
    /// Whether kernels are timed one by one.
    pub time_kernels: bool,
    /// Whether it is noted what happened when ([`Report::trace`]).
    pub trace: bool,
}

impl Options {
    /// The usual choices for an engine.
    pub fn new(engine: EngineKind) -> Options {
        Options {
            engine,
            cpu: CpuOptions::default(),
            cuda: CudaOptions::default(),
            widths: Widths::WIDE,
            fast_math: false,
            compile: compile::Options::default(),
            dump: None,
            draw: false,
            time_kernels: false,
            trace: false,
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A form was processed.
    Shown {
        /// `it`, a pattern, or the name of a definition.
        name: String,
        /// The value as printed.
        value: Vec<u8>,
        /// Its type as printed.
        ty: String,
    },
    /// A form failed, for these reasons, and defined nothing.
    Failed(Vec<Diagnostic>),
    /// Something that does not keep the program from running.
    Warning(Diagnostic),
    /// What a command says, without a final newline.
    Said(String),
}

/// Who is told of events.
pub type Sink<'a> = dyn FnMut(&Files, Event) + Send + 'a;

/// Whether to go on after a form.
type Flow = ControlFlow<()>;

/// A session.
pub struct Session {
    /// All texts, for messages.
    pub files: Files,
    checker: Checker,
    engine: Box<dyn Engine + Send>,
    settings: Settings,
    uses: Uses,
    /// The moment after the library.
    start: Checkpoint,
    /// Groups that are being loaded, by the command `load`.
    loading: usize,
}

impl Session {
    /// A session in which only the library is known; programs print to `out`.
    pub fn new(options: &Options, out: Box<dyn Write + Send>) -> Result<Session, Diagnostic> {
        // The driver takes its time, in which the library is read and checked.
        let opening = Opening::start(options);
        Session::with(options, out, move |interp, library| {
            if options.engine == EngineKind::Interp {
                return Ok(Box::new(engine::Interpreter::new(interp)));
            }
            let unused = match opening.device() {
                Some(Ok(device)) => {
                    let mut options = options.clone();
                    // NVRTC has no optimiser that would gain from larger units.
                    options.compile.units =
                        std::thread::available_parallelism().map_or(1, usize::from);
                    return Ok(Box::new(Compiled::new(device, interp, &options, library)));
                }
                Some(Err(missing)) if options.engine == EngineKind::Cuda => return Err(missing),
                Some(Err(missing)) => Some(missing),
                None => None,
            };
            let mut engine = Compiled::new(Cpu::new(&options.cpu), interp, options, library);
            engine.warnings.extend(unused.map(cores_instead));
            Ok(Box::new(engine))
        })
    }

    /// The same on a device of the caller's, whatever engine the options name.
    pub fn on<D>(
        device: D,
        options: &Options,
        out: Box<dyn Write + Send>,
    ) -> Result<Session, Diagnostic>
    where
        D: Device<Text: compile::Text, Module: Send, Buffer: Send> + Send + 'static,
    {
        Session::with(options, out, |interp, library| {
            Ok(Box::new(Compiled::new(device, interp, options, library)))
        })
    }

    /// A session with the engine that is made of an interpreter and the values of the library.
    fn with(
        options: &Options,
        out: Box<dyn Write + Send>,
        engine: impl FnOnce(Interp, &[Form]) -> Result<Box<dyn Engine + Send>, Diagnostic> + Send,
    ) -> Result<Session, Diagnostic> {
        on_big_stack(move || {
            let mut files = Files::new();
            let library: Vec<_> = stdlib::FILES
                .iter()
                .map(|(name, text)| syntax::parse(files.add_library(*name, *text), text.as_bytes()))
                .collect();
            let checker = Checker::of_widths(options.widths, &library)
                .map_err(|errors| in_library(&errors, &files))?;
            let mut interp = Interp::new(out);
            for form in checker.library_values() {
                interp.evaluate(&checker.program, form)?;
            }
            interp.set_seed(0);
            interp.cap = options.cpu.memory;
            let engine = engine(interp, checker.library_values())?;
            let start = checker.checkpoint();
            Ok(Session {
                files,
                checker,
                engine,
                settings: Settings::default(),
                uses: Uses::default(),
                start,
                loading: 0,
            })
        })
    }

    /// Processes a text as one group.  Tells whether to go on: `exit` and a broken engine end the
    /// session.
    pub fn run(&mut self, name: &str, text: &[u8], sink: &mut Sink<'_>) -> ControlFlow<()> {
        on_big_stack(|| {
            let file = self.files.add(name, text);
            let group = syntax::parse(file, text);
            self.group(&group, sink)
        })
    }

    /// Checks a text as one group, without evaluating anything.
    pub fn check(&mut self, name: &str, text: &[u8], sink: &mut Sink<'_>) {
        on_big_stack(|| {
            let file = self.files.add(name, text);
            let group = syntax::parse(file, text);
            self.checker.begin_group(&group);
            for form in &group.forms {
                if let Err(errors) = self.checker.check(form) {
                    sink(&self.files, Event::Failed(errors));
                }
            }
            self.end_group(sink);
        });
    }

    /// Forgets everything but the library.
    pub fn reset(&mut self) {
        self.checker.rollback(&self.start);
        self.settings = Settings::default();
        self.uses = Uses::default();
        self.engine.reset(self.checker.library_values());
    }

    /// What the engine did so far.
    pub fn report(&self) -> &Report {
        self.engine.report()
    }

    /// Starts the counts of the report anew.
    pub fn reset_counts(&mut self) {
        self.engine.reset_counts();
    }
}

/// A GPU that is being opened, on a thread of its own; none if none is wanted.
struct Opening(Option<JoinHandle<Option<Result<Cuda, Diagnostic>>>>);

impl Opening {
    fn start(options: &Options) -> Opening {
        let wanted = matches!(options.engine, EngineKind::Cuda | EngineKind::Auto);
        let options = options.clone();
        let open = move || {
            let there = options.engine == EngineKind::Cuda || Cuda::is_there();
            there.then(|| gpu(&options))
        };
        Opening(wanted.then(|| std::thread::spawn(open)))
    }
    /// The device, or why it cannot be used; none if there is none, and any engine will do.
    fn device(self) -> Option<Result<Cuda, Diagnostic>> {
        self.0?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// The GPU.
fn gpu(options: &Options) -> Result<Cuda, Diagnostic> {
    let fast_math = options.fast_math;
    Cuda::new(&CudaOptions { fast_math, ..options.cuda.clone() })
}

/// There is a GPU, but something is missing that it takes.
fn cores_instead(missing: Diagnostic) -> Diagnostic {
    let mut told = Diagnostic::new(missing.kind, "the GPU is not used, but the cores");
    told.notes.push(missing.message);
    told.notes.extend(missing.notes);
    told.help = missing.help;
    told
}

/// The names that forms bind.
fn bound(forms: &[Form]) -> FxHashSet<Global> {
    let binds = forms.iter().filter_map(|form| match &form.kind {
        FormKind::Evaluate { binds, .. } => Some(binds),
        FormKind::Defined(_) | FormKind::Command(..) => None,
    });
    binds.flatten().map(|(_, global)| *global).collect()
}

/// An error in the library is ours.
fn in_library(errors: &[Diagnostic], files: &Files) -> Diagnostic {
    let mut bug = Diagnostic::new(Kind::Bug, "the library is wrong");
    for error in errors {
        bug = bug.note(error.short(files));
    }
    bug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_the_gpu_is_not_used() {
        let missing =
            Diagnostic::new(Kind::Input, "NVRTC was not found").note("in /lib").help("install it");
        let told = cores_instead(missing);
        assert_eq!(told.message, "the GPU is not used, but the cores");
        assert_eq!(told.notes, ["NVRTC was not found", "in /lib"]);
        assert_eq!(told.help, ["install it"]);
    }
}
