//! Sessions, and the choices about them.

use crate::{Error, Program};
use base::{Files, Kind};
use prim::{Width, Widths};
use run::session::EngineKind;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use value::Interrupt;

/// The engine that evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// A GPU if there is one, else the cores.
    #[default]
    Auto,
    /// Compiled code on the cores; it needs a C compiler while the program runs.
    Cpu,
    /// Compiled code on an NVIDIA GPU.
    Cuda,
    /// The interpreter, which needs nothing.
    Interp,
}

/// Choices about a session.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine that evaluates.
    pub engine: Engine,
    /// The number of threads on the cores; one for each core if none.
    pub threads: Option<usize>,
    /// The bytes that all values may take; three quarters of the machine's memory if none.
    pub memory: Option<usize>,
    /// The command line of the C compiler, such as `clang` or `zig cc`; by the environment if none.
    pub compiler: Option<PathBuf>,
    /// True if ints have 32 bits, and not 64.
    pub narrow_ints: bool,
    /// True if floats have 32 bits, and not 64.
    pub narrow_floats: bool,
    /// True if calls can be stopped while compiled code runs on the cores.  That takes the signal
    /// SIGUSR2 for the whole process.
    pub interruptible: bool,
}

/// A session: an engine with its threads and its memory.  Programs of it are apart from each other.
#[derive(Clone)]
pub struct Session(pub(crate) Arc<Shared>);

/// The session as its programs share it.
pub(crate) struct Shared {
    session: Mutex<run::Session>,
    pub(crate) widths: Widths,
    /// True if arguments in the memory of a GPU have to be copied to the host.
    pub(crate) is_on_cores: bool,
    interrupt: Interrupt,
}

impl Session {
    /// A session whose programs print to standard output.
    pub fn new(options: &Options) -> Result<Session, Error> {
        Session::with_output(options, Box::new(io::stdout()))
    }

    /// A session whose programs print to `out`.
    pub fn with_output(options: &Options, out: Box<dyn Write + Send>) -> Result<Session, Error> {
        let is_on_cores = match options.engine {
            Engine::Cpu | Engine::Interp => true,
            Engine::Auto | Engine::Cuda => !Session::has_gpu(),
        };
        let options = options.lowered();
        let session = run::Session::new(&options, out);
        let session = session.map_err(|error| Error::of(&[error], &Files::new()))?;
        let shared = Shared {
            session: Mutex::new(session),
            widths: options.widths,
            is_on_cores,
            interrupt: options.interrupt,
        };
        Ok(Session(Arc::new(shared)))
    }

    /// True if there is a GPU that [`Engine::Auto`] takes.
    pub fn has_gpu() -> bool {
        run::session::Options::has_gpu()
    }

    /// Compiles a text.  Its functions are apart from those of other texts; values of the top level
    /// are computed now.
    pub fn compile(&self, text: &str) -> Result<Program, Error> {
        self.compile_named("program", text.as_bytes())
    }

    /// The same with a text of bytes that messages call `name`.
    pub fn compile_named(&self, name: &str, text: &[u8]) -> Result<Program, Error> {
        Program::compile(&self.0, name, text)
    }

    /// The widths of its numbers.
    #[doc(hidden)]
    pub fn widths(&self) -> Widths {
        self.0.widths
    }

    /// The wish that what runs should stop: once raised, calls fail until it is lowered.
    #[doc(hidden)]
    pub fn interrupt(&self) -> &Interrupt {
        &self.0.interrupt
    }

    /// Does something with the session itself, when nobody else uses it.
    #[doc(hidden)]
    pub fn locked<T>(&self, work: impl FnOnce(&mut run::Session) -> T) -> Result<T, Error> {
        Ok(work(&mut *self.0.lock()?))
    }
}

impl Shared {
    /// The session, when nobody else uses it.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, run::Session>, Error> {
        self.session.lock().map_err(|_| {
            let message = "the session cannot be used any more: an earlier call ended in a bug";
            Error::plain(Kind::Bug, message)
        })
    }
}

impl Options {
    /// The same for the session itself.
    fn lowered(&self) -> run::session::Options {
        let mut options = run::session::Options::new(match self.engine {
            Engine::Auto => EngineKind::Auto,
            Engine::Cpu => EngineKind::Cpu,
            Engine::Cuda => EngineKind::Cuda,
            Engine::Interp => EngineKind::Interp,
        });
        let width = |narrow| if narrow { Width::W32 } else { Width::W64 };
        options.widths = Widths { int: width(self.narrow_ints), float: width(self.narrow_floats) };
        options.cpu.threads = self.threads;
        options.cpu.memory = self.memory;
        options.cpu.compiler = self.compiler.clone();
        options.cpu.interrupt = self.interruptible.then(|| options.interrupt.clone());
        options.keep_calls = true;
        options.cuda.keep = true;
        options
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("widths", &self.0.widths).finish_non_exhaustive()
    }
}
