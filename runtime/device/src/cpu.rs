//! The CPU device: C compiled by the system's compiler, run by a pool of threads.
//!
//! The first fault of a launch sets a flag, its results are discarded, and the kernel runs again on
//! one worker in a build of the same text that reports which check failed and what it saw.  That
//! build is made when it is first needed.

#![expect(unsafe_code, reason = "compiled kernels are called")]

mod arena;
mod buffer;
mod compile;
mod guard;
mod module;
mod pool;
mod refusal;

pub use buffer::Buffer;
pub use module::Module;

use crate::arguments::check;
use crate::cache::{self, Cache, Entry};
use crate::{Argument, Device, Failure, Fault, Loaded, MemoryUse, OutOfMemory, Traffic};
use arena::Arenas;
use base::{Code, Diagnostic, Kind, Span};
use buffer::Memory;
use compile::{Compiler, Mode};
use emit::{CText, KernelFacts};
use kernel::KernelId;
use module::{Launch, Object, Plan, RawArgument, Report};
use pool::Pool;
use prim::Const;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use value::interrupt::interrupted;
use value::stack;
use value::{Budget, Interrupt};

/// Choices about the CPU device.
#[derive(Clone, Default, Debug)]
pub struct CpuOptions {
    /// How many threads; as many as there are cores if none.
    pub threads: Option<usize>,
    /// How many bytes of memory; [`value::memory::default_cap`] if none.
    pub memory: Option<usize>,
    /// The budget to which memory is charged, if it is shared with others.
    pub budget: Option<Budget>,
    /// Where compiled programs are kept; as the environment says if none.
    pub cache: Option<PathBuf>,
    /// Whether programs are compiled quickly rather than to run fast.
    pub quick: bool,
    /// The C compiler; as the environment says if none.
    pub compiler: Option<PathBuf>,
    /// The wish that kernels should stop; without one they run to their end.
    pub interrupt: Option<Interrupt>,
    /// Whether little data is treated as much is, as far as that is possible, for tests.
    pub tiny: bool,
}

impl CpuOptions {
    /// The budget to which memory is charged: the one that was given, or a new one.
    pub fn budget(&self) -> Budget {
        let own = || self.memory.map_or_else(Budget::default, Budget::new);
        self.budget.clone().unwrap_or_else(own)
    }
}

/// Why nothing was built in the folder of the cache.
enum Unmade {
    /// Nothing can be written there.
    Folder(io::Error),
    /// The compiler failed.
    Build(Diagnostic),
}

/// Builds the shared object of a text where temporary files are, and keeps no file of it.
fn make_elsewhere(compiler: &Compiler, text: &CText, mode: Mode) -> Result<Object, Diagnostic> {
    let scratch = cache::temporary().map_err(|error| {
        let folder = std::env::temp_dir();
        let message = format!("no temporary files can be made in {}", folder.display());
        Diagnostic::of(Code::File, message)
            .note(error.to_string())
            .help("set TMPDIR to a folder that can be written and has room")
    })?;
    Object::open(&compiler.build(&text.units, mode, scratch.path())?, text)
}

/// Elements over which calls of a lane must go to be worth an offer to another worker, which
/// takes a microsecond.
const WORTH: i64 = 2048;

/// Bytes of stack that the calling thread has to have left for a recursive kernel.
const OWN_STACK: usize = 1 << 20;

/// The most bytes of scratch memory that are kept between launches.
const KEPT_SCRATCH: usize = 1 << 20;

/// The CPU: a handle, of which each thread that launches has its own.
pub struct Cpu {
    shared: Arc<Shared>,
    /// Scratch memory of the last launch, for the next, unless it is large; held during a launch.
    scratch: Mutex<Option<Buffer>>,
    /// Memory of lanes: filled by one launch, read by the next.
    arenas: Mutex<Arenas>,
}

/// The parts of the device that all handles share.
struct Shared {
    /// The compiler, as soon as one was found.
    compiler: OnceLock<Compiler>,
    /// The compiler that the options name.
    named: Option<PathBuf>,
    /// Whether it was said that nothing can be kept.
    warned: AtomicBool,
    cache: Cache,
    pool: Pool,
    memory: Memory,
    /// How programs are compiled.
    mode: Mode,
    interrupt: Option<Interrupt>,
    /// Whether little data is treated as much is.
    tiny: bool,
    /// Elements that launches read and wrote, as far as their programs count.
    touched: AtomicU64,
    /// How many there were.
    launches: AtomicU64,
}

impl Cpu {
    /// The device.  Threads are started and the compiler is looked for when they are first needed.
    pub fn new(options: &CpuOptions) -> Cpu {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cache = options.cache.clone().map_or_else(
            || Cache::of_user(Entry::Object),
            |folder| Cache::in_folder(folder, Entry::Object),
        );
        if let Some(interrupt) = &options.interrupt {
            guard::watch(interrupt);
        }
        Cpu::of(Arc::new(Shared {
            compiler: OnceLock::new(),
            named: options.compiler.clone(),
            warned: AtomicBool::new(false),
            cache,
            pool: Pool::new(options.threads.unwrap_or(cores)),
            memory: Memory::new(options.budget()),
            mode: if options.quick { Mode::Quick } else { Mode::Normal },
            interrupt: options.interrupt.clone(),
            tiny: options.tiny,
            touched: AtomicU64::new(0),
            launches: AtomicU64::new(0),
        }))
    }

    fn of(shared: Arc<Shared>) -> Cpu {
        Cpu { shared, scratch: Mutex::new(None), arenas: Mutex::default() }
    }
}

impl Shared {
    fn compiler(&self) -> Result<&Compiler, Diagnostic> {
        if let Some(found) = self.compiler.get() {
            return Ok(found);
        }
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let found = Compiler::find(self.named.as_deref(), &self.cache, jobs)?.tiny(self.tiny);
        Ok(self.compiler.get_or_init(|| found))
    }

    /// The shared object of a text, and whether it was in the cache; if not, it is made now.
    fn object(
        &self,
        text: &CText,
        mode: Mode,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<(Object, bool), Diagnostic> {
        let compiler = self.compiler()?;
        let mode = if text.hurried { mode.hurried() } else { mode };
        let (flags, machine) = (compiler.flags(mode).join(" "), cache::machine());
        let about = [&compiler.identity(), &flags, &machine, guard::TEXT];
        let key = cache::key(about.into_iter().chain(text.units.iter().map(String::as_str)));
        if let Some(path) = self.cache.find(&key)
            && let Ok(object) = Object::open(&path, text)
        {
            return Ok((object, true));
        }
        if let Some(folder) = self.cache.folder() {
            let why = match self.make_kept(compiler, text, mode, &key) {
                Ok((object, None)) => return Ok((object, false)),
                Ok((object, Some(error))) => {
                    self.warn_once(cache::unwritable(folder, &error), notes);
                    return Ok((object, false));
                }
                Err(Unmade::Folder(error)) => error.to_string(),
                Err(Unmade::Build(error)) if self.is_final(&error) => return Err(error),
                Err(Unmade::Build(error)) => {
                    error.notes.into_iter().next().unwrap_or(error.message)
                }
            };
            let made = make_elsewhere(compiler, text, mode)?;
            self.warn_once(cache::unwritable(folder, &why), notes);
            return Ok((made, false));
        }
        Ok((make_elsewhere(compiler, text, mode)?, false))
    }

    /// Builds and keeps the shared object of a text; an error beside it says why it is not kept.
    fn make_kept(
        &self,
        compiler: &Compiler,
        text: &CText,
        mode: Mode,
        key: &str,
    ) -> Result<(Object, Option<io::Error>), Unmade> {
        let scratch = self.cache.scratch().map_err(Unmade::Folder)?;
        let built = compiler.build(&text.units, mode, scratch.path()).map_err(Unmade::Build)?;
        // It stays loaded when its file moves.
        let object = Object::open(&built, text).map_err(Unmade::Build)?;
        Ok((object, self.cache.store(key, &built).err()))
    }

    /// Returns true if a build with this error would fail in every folder, or was interrupted.
    fn is_final(&self, error: &Diagnostic) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_raised)
            || !refusal::may_be_of_folder(error)
    }

    fn warn_once(&self, warning: Diagnostic, notes: &mut Vec<Diagnostic>) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            notes.push(warning);
        }
    }
}

impl Cpu {
    /// Runs the kernel once on `size` workers; tells whether it failed.
    ///
    /// # Safety
    ///
    /// As for [`Device::launch`].
    unsafe fn run(
        &self,
        object: &Object,
        (id, facts): (KernelId, &KernelFacts),
        args: &[RawArgument],
        width: usize,
        report: &mut Report,
    ) -> Result<bool, Failure> {
        let (entry, plan_entry) = object.kernel(id);
        let mut plan = Plan::default();
        // SAFETY: the caller answers for the arguments.
        unsafe { plan_entry(width as i32, args.as_ptr(), &mut plan) };
        let tiles = usize::try_from(plan.tiles).unwrap_or(0);
        let mut kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = usize::try_from(plan.scratch).unwrap_or(0);
        if bytes > 0 && kept.as_ref().is_none_or(|scratch| scratch.len() < bytes) {
            *kept = None;
            *kept = Some(self.shared.memory.allocate(bytes).map_err(Failure::Memory)?);
        }
        let scratch = kept.as_ref().map_or(std::ptr::null_mut(), Buffer::pointer);
        let cleared = usize::try_from(plan.cleared).unwrap_or(0);
        if cleared > 0 {
            // SAFETY: the scratch is at least as long as what is to be cleared of it.
            unsafe { scratch.write_bytes(0, cleared) };
        }
        let size = width.min(tiles).max(1);
        let guard = self.shared.interrupt.clone().map(|interrupt| object.guard(interrupt));
        let mut launch = Launch::new(size, scratch, report);
        // Its lock is free: a handle launches one kernel after the other.
        let mut arenas = self.arenas.lock().unwrap_or_else(PoisonError::into_inner);
        if facts.arenas {
            let pointer = arenas.prepare(size, self.shared.memory.left());
            launch.set_arenas(pointer.map_err(Failure::Memory)?);
            launch.set_worth(if self.shared.tiny { 0 } else { WORTH });
        }
        // SAFETY: the caller answers for the arguments; the launch is made as the plan says.
        unsafe {
            self.shared.pool.run(
                entry,
                &mut launch,
                args,
                (guard.as_ref(), self.shared.memory.left()),
            );
        }
        if facts.arenas {
            self.shared.memory.note_peak(arenas.high());
        } else {
            arenas.done();
        }
        self.shared.touched.fetch_add(launch.touched(), Ordering::Relaxed);
        // A sort needs several vectors, which the next steps may need more.
        kept.take_if(|scratch| scratch.len() > KEPT_SCRATCH);
        if self.shared.interrupt.as_ref().is_some_and(Interrupt::is_raised) {
            return Err(Failure::Broken(Box::new(interrupted(Span::none()))));
        }
        Ok(launch.failed())
    }

    /// Finds out which check failed first.  Lanes that had too little memory, as many workers share
    /// what there is, may come to their end when one runs them: then all is well.
    ///
    /// # Safety
    ///
    /// As for [`Device::launch`].
    unsafe fn diagnose(
        &self,
        module: &Module,
        id: KernelId,
        args: &[RawArgument],
    ) -> Result<(), Failure> {
        let object = module.diagnosis.get_or_init(|| {
            let made =
                self.shared.object(&module.text, self.shared.mode.diagnosis(), &mut Vec::new());
            made.map(|(object, _)| object).map_err(Box::new)
        });
        let object = match object {
            Ok(object) => object,
            Err(diagnostic) => return Err(Failure::Broken(diagnostic.clone())),
        };
        let mut report = Report::NONE;
        let facts = &module.text.kernels[id];
        // SAFETY: the caller answers for the arguments.
        unsafe { self.run(object, (id, facts), args, 1, &mut report) }?;
        if report.site == Report::NONE.site && facts.arenas {
            return Ok(());
        }
        let text = &module.text;
        let row = usize::try_from(report.site).ok().map(|named| text.code.site(id, named));
        let Some(&(site, span)) = row.and_then(|row| text.sites.get(row)) else {
            let message = format!("a check in kernel {} failed, and then did not", facts.name);
            return Err(Failure::Broken(Box::new(Diagnostic::new(Kind::Bug, message))));
        };
        let depth = usize::try_from(report.depth).unwrap_or(0).min(report.positions.len());
        let positions = report.positions[..depth].to_vec();
        Err(Failure::Fault(Fault { site, span, operands: report.operands, positions }))
    }
}

impl Device for Cpu {
    type Text = CText;
    type Module = Module;
    type Buffer = Buffer;

    fn describe(&self) -> String {
        let compiler = match self.shared.compiler() {
            Ok(compiler) => compiler.version.clone(),
            Err(_) => "no C compiler".to_owned(),
        };
        format!("{} threads, {}, {compiler}", self.shared.pool.size(), std::env::consts::ARCH)
    }
    fn share(&self) -> Option<Cpu> {
        Some(Cpu::of(Arc::clone(&self.shared)))
    }
    fn units(&self) -> usize {
        self.shared.pool.size()
    }
    fn has_routines(&self) -> bool {
        true
    }
    fn has_fma(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            std::arch::is_x86_feature_detected!("fma")
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            cfg!(target_arch = "aarch64")
        }
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        self.shared.memory.allocate(bytes)
    }
    fn room(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        self.shared.memory.room(bytes)
    }
    fn settle(&self, room: &Buffer, bytes: usize) {
        room.settle(bytes);
    }
    fn cell(&self) -> Result<Buffer, OutOfMemory> {
        self.shared.memory.allocate(size_of::<u64>())
    }
    fn wait(&self) -> Result<(), Failure> {
        Ok(())
    }
    fn read(&self, buffer: &Buffer, from: usize, bytes: &mut [u8]) {
        bytes.copy_from_slice(&buffer.host().as_slice()[from..from + bytes.len()]);
    }
    fn upload(&self, bytes: &Arc<value::Buffer>) -> Result<Buffer, OutOfMemory> {
        Ok(Buffer::of_host(bytes))
    }
    fn download(&self, buffer: &Buffer) -> Result<Arc<value::Buffer>, OutOfMemory> {
        Ok(buffer.host())
    }
    fn zero(&self, buffer: &Buffer, bytes: usize) {
        // SAFETY: the buffer is that long, and nothing else uses it.
        unsafe { buffer.pointer().write_bytes(0, bytes.min(buffer.len())) };
    }
    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) {
        let bytes = bytes.min(from.len()).min(to.len());
        // SAFETY: both are that long; buffers are the same memory or do not overlap.
        unsafe { from.pointer().copy_to(to.pointer(), bytes) };
    }
    fn size(&self, buffer: &Buffer) -> usize {
        buffer.used()
    }
    fn capacity(&self, buffer: &Buffer) -> usize {
        buffer.len()
    }
    fn filled(&self, buffer: &Buffer) -> Option<usize> {
        buffer.filled()
    }
    fn fill(&self, buffer: &Buffer, bytes: Option<usize>) {
        buffer.fill(bytes);
    }
    fn is_shared(&self, buffer: &Buffer) -> bool {
        buffer.is_shared()
    }
    fn is_same(&self, a: &Buffer, b: &Buffer) -> bool {
        a.is_same(b)
    }
    fn memory(&self) -> MemoryUse {
        self.shared.memory.count()
    }
    fn traffic(&self) -> Traffic {
        Traffic { launches: self.shared.launches.load(Ordering::Relaxed), ..Traffic::default() }
    }
    fn touched(&self) -> u64 {
        self.shared.touched.load(Ordering::Relaxed)
    }
    fn load(&self, text: &CText) -> Result<Loaded<Module>, Diagnostic> {
        let mut notes = Vec::new();
        let (code, cached) = self.shared.object(text, self.shared.mode, &mut notes)?;
        let module = Module {
            text: Arc::new(text.clone()),
            code,
            diagnosis: OnceLock::new(),
            is_deep: AtomicBool::new(false),
        };
        Ok(Loaded { module, cached, notes })
    }

    unsafe fn launch(
        &self,
        module: &Module,
        kernel: KernelId,
        args: &[Argument<'_, Buffer>],
        width: usize,
    ) -> Result<(), Failure> {
        let facts = &module.text.kernels[kernel];
        check(&facts.name, &facts.args, args, |buffer| {
            (!buffer.is_empty()).then(|| buffer.pointer().addr())
        })?;
        self.shared.launches.fetch_add(1, Ordering::Relaxed);
        let raw: Vec<RawArgument> = args.iter().map(raw).collect();
        let width = width.clamp(1, self.shared.pool.size());
        let flag = facts.spends.map(|place| args[place]);
        let spends = matches!(flag, Some(Argument::Scalar(Const::Bool(true))));
        // SAFETY: the caller answers for the arguments.
        let attempt = || unsafe {
            let mut report = Report::NONE;
            self.run(&module.code, (kernel, facts), &raw, width, &mut report)
        };
        let run = || {
            if !attempt()? {
                return Ok(());
            }
            if spends {
                return Err(Failure::Spent);
            }
            // SAFETY: the caller answers for the arguments.
            unsafe { self.diagnose(module, kernel, &raw) }
        };
        if !facts.recursive || stack::remaining().is_some() {
            return run();
        }
        // To start a thread takes longer than most calls on little data.
        if !spends && !module.is_deep.load(Ordering::Relaxed) {
            match stack::on_own_stack(OWN_STACK, attempt) {
                None => {}
                Some(Ok(true)) => module.is_deep.store(true, Ordering::Relaxed),
                Some(done) => return done.map(drop),
            }
        }
        stack::on_big_stack(run)
    }
}

fn raw(arg: &Argument<'_, Buffer>) -> RawArgument {
    // Bytes beside a small value are 0, so that equal arguments are equal.
    let word = |int| RawArgument { int };
    match *arg {
        Argument::Scalar(Const::I64(int)) => word(int),
        Argument::Scalar(Const::F64(float)) => RawArgument { float },
        Argument::Scalar(Const::Bool(value)) => word(i64::from(u8::from(value)).to_le()),
        Argument::Scalar(Const::Char(value)) => word(i64::from(value).to_le()),
        Argument::Buffer(buffer) => RawArgument { pointer: buffer.pointer() },
        Argument::Past(buffer, from) => {
            RawArgument { pointer: buffer.pointer().wrapping_add(from) }
        }
    }
}
