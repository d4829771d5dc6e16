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

mod auto;
mod bound;
mod build;
mod call;
mod command;
mod compiled;
mod costs;
mod defaults;
mod definitions;
mod described;
mod direct;
mod engine;
mod given;
mod group;
mod late;
mod launch;
mod message;
mod mirror;
mod names;
mod parameter;
mod parts;
mod refusal;
mod small;
mod spine;
mod uses;

pub use build::{BuildOptions, Platform, Wanted};
pub use call::Call;
pub use command::arguments_of;
pub use costs::{Costs, FormCost, FunctionCost, FunctionKind, LineCost};
pub use definitions::{Callable, Definitions, Returned};
pub use described::Described;
pub use direct::Direct;
pub use engine::{Answer, Interpreted, Report};
pub use given::{Given, Source};

use auto::Auto;
use base::{Diagnostic, FileId, Files, Kind, Loading};
use bound::Bound;
use command::Settings;
use compiled::Compiled;
use device::{Cpu, CpuOptions, Cuda, CudaOptions, Device};
use engine::{Engine, Interpreter};
use interp::Interp;
use interp::account::Account;
use late::Late;
use prim::Widths;
use rustc_hash::FxHashSet;
use small::Small;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use syntax::Texts;
use types::tree::{Form, FormKind, Global};
use types::{Checker, Checkpoint, Missing};
use uses::Uses;
use value::{Budget, Disk, Interrupt, Shape, on_big_stack};

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
    /// Whether pictures are wanted ([`Report::drawings`]).
    pub draw: bool,
    /// Whether kernels are timed one by one.
    pub time_kernels: bool,
    /// Whether it is noted what happened when ([`Report::trace`]).
    pub trace: bool,
    /// Whether the interpreter counts what each function and line costs ([`Session::costs`]).
    pub account: bool,
    /// Whether forms on small data are interpreted, and only others compiled.
    pub small_first: bool,
    /// True if the code compiled for a call is kept for calls at the same types, as long as the
    /// session is there.
    pub keep_calls: bool,
    /// The warning at the first form that has effects, if one is wanted.
    pub effects_told: Option<&'static str>,
    /// The wish that what runs should stop.
    pub interrupt: Interrupt,
}

impl Options {
    /// True if there is a GPU that [`EngineKind::Auto`] takes; NVRTC is not looked for.
    pub fn has_gpu() -> bool {
        Cuda::is_there()
    }

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
            account: false,
            small_first: false,
            keep_calls: false,
            effects_told: None,
            interrupt: Interrupt::default(),
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
        /// The value itself and its parts; none of a definition.
        data: Option<(Answer, Shape)>,
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
    bound: Bound,
    /// The moment after the library.
    start: Checkpoint,
    /// Texts that are being processed, and those that the command `load` looked for.
    loading: Loading,
    interrupt: Interrupt,
    /// What is still to be said at the first form that has effects.
    effects_told: Option<&'static str>,
    /// The budget of all values, whichever part of the session holds them.
    budget: Budget,
    /// The texts that name files for `load`.
    texts: Texts,
    /// What failed forms would have defined, those of texts that are loaded among them.
    missing: Missing,
    /// Why the rest of what was given is not run, until that is told.
    stopped: Option<Diagnostic>,
}

impl Session {
    /// A session in which only the library is known; programs print to `out`.
    pub fn new(options: &Options, out: Box<dyn Write + Send>) -> Result<Session, Diagnostic> {
        // The driver takes its time, in which the library and the program are read and compiled.
        let gpu = match options.engine {
            EngineKind::Cuda => Some(opening(options)?),
            EngineKind::Auto => opening(options).ok(),
            EngineKind::Cpu | EngineKind::Interp => None,
        };
        let mut options = options.clone();
        // One for each core: kernels are compiled apart, and larger units gain nothing.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        options.compile.units = options.compile.units.max(cores);
        options.cpu.budget = Some(options.cpu.budget());
        let options = &options;
        Session::with(options, out, move |interp, library| {
            let Some(gpu) = gpu else {
                return match options.engine {
                    EngineKind::Interp => Box::new(Interpreter::new(interp)),
                    EngineKind::Cpu | EngineKind::Cuda | EngineKind::Auto => {
                        let cpu = Late::now(Cpu::new(&options.cpu));
                        Box::new(Compiled::new(cpu, interp, options, library))
                    }
                };
            };
            let engine = Compiled::new(gpu, interp, options, library);
            match options.engine {
                EngineKind::Auto => Box::new(Auto::new(engine, options)),
                EngineKind::Cpu | EngineKind::Cuda | EngineKind::Interp => Box::new(engine),
            }
        })
    }

    /// The same on a device of the caller's, whatever engine the options name.
    pub fn on<D>(
        device: D,
        options: &Options,
        out: Box<dyn Write + Send>,
    ) -> Result<Session, Diagnostic>
    where
        D: Device<Text: compile::Text, Module: Send + Sync, Buffer: Send> + Send + 'static,
    {
        Session::with(options, out, |interp, library| {
            Box::new(Compiled::new(Late::now(device), interp, options, library))
        })
    }

    /// A session with the engine that is made of an interpreter and the values of the library.
    fn with(
        options: &Options,
        out: Box<dyn Write + Send>,
        engine: impl FnOnce(Interp, &[Form]) -> Box<dyn Engine + Send> + Send,
    ) -> Result<Session, Diagnostic> {
        let budget = options.cpu.budget();
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
            interp.set_budget(&budget);
            interp.interrupt = options.interrupt.clone();
            interp.account = options.account.then(Account::default);
            let mut engine = engine(interp, checker.library_values());
            if options.small_first && options.engine != EngineKind::Interp {
                engine = Box::new(Small::new(engine, options.interrupt.clone()));
            }
            let start = checker.checkpoint();
            Ok(Session {
                files,
                checker,
                engine,
                settings: Settings::default(),
                uses: Uses::default(),
                bound: Bound::default(),
                start,
                loading: Loading::default(),
                texts: Texts::default(),
                interrupt: options.interrupt.clone(),
                effects_told: options.effects_told,
                budget,
                missing: Missing::default(),
                stopped: None,
            })
        })
    }

    /// Processes a text as one group.  Tells whether to go on: `exit` and a broken engine end the
    /// session.  An [`Interrupt`] ends the form that runs and skips the rest; the session stays as
    /// the forms before have left it.  `name` is the path of its file, if it has one.
    pub fn run(&mut self, name: &str, text: &[u8], sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.begin(name);
        let flow = self.run_text(name, text, sink);
        self.loading.end();
        if let Some(why) = self.stopped.take() {
            sink(&self.files, Event::Failed(vec![why]));
        }
        flow
    }

    /// The same with a text that may be loaded by another.
    fn run_text(&mut self, name: &str, text: &[u8], sink: &mut Sink<'_>) -> ControlFlow<()> {
        on_big_stack(|| {
            let file = self.files.add(name, text);
            let group = syntax::parse(file, text);
            self.group(&group, sink)
        })
    }

    /// Checks a text as one group, and those that it loads, without evaluating anything; gives the
    /// file that it is now.
    pub fn check(&mut self, name: &str, text: &[u8], sink: &mut Sink<'_>) -> FileId {
        self.begin(name);
        let file = self.check_text(name, text, sink);
        self.loading.end();
        file
    }

    /// The same with a text that may be loaded by another.
    fn check_text(&mut self, name: &str, text: &[u8], sink: &mut Sink<'_>) -> FileId {
        on_big_stack(|| {
            let file = self.files.add(name, text);
            let group = syntax::parse(file, text);
            self.check_group(&group, sink);
            file
        })
    }

    /// Begins with a text that nobody loads.
    fn begin(&mut self, name: &str) {
        self.loading.begin(Path::new(name), &Disk);
        self.missing = Missing::default();
    }

    /// Where `load` has looked for files since the session began or was reset, whether or not there
    /// were any.
    pub fn sought(&self) -> &[PathBuf] {
        self.loading.sought()
    }

    /// Forgets everything but the library.
    pub fn reset(&mut self) {
        self.checker.rollback(&self.start);
        self.settings = Settings::default();
        self.uses = Uses::default();
        self.bound = Bound::default();
        self.texts = Texts::default();
        self.loading.forget_sought();
        self.engine.reset(self.checker.library_values());
    }

    /// All names that have a meaning now.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.checker.names()
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

/// The GPU, which is opened meanwhile; without a driver, what to do about it.
fn opening(options: &Options) -> Result<Late<Cuda>, Diagnostic> {
    Cuda::look_for_driver()?;
    let choices = CudaOptions { fast_math: options.fast_math, ..options.cuda.clone() };
    let open = move || Cuda::new(&choices);
    // Forms on small data never need it.
    Ok(if options.small_first { Late::when_asked(open) } else { Late::start(open) })
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
