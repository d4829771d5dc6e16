//! Worker threads that run one function together.
//!
//! A launch is *fork-join*: the calling thread is worker 0, workers 1, 2, ... are threads that live
//! as long as the pool.  Each has a turn counter of its own; moving it on starts the worker, which
//! waits by spinning for some microseconds and then sleeps.  Threads are made when a launch first
//! needs them.  Their stacks are large, because compiled functions recurse; memory comes as a stack
//! is touched.

#![expect(unsafe_code, reason = "a job is handed to the workers by pointer")]

use super::guard::Guard;
use super::module::{Entry, Launch, RawArgument};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle, Thread};

/// How often a waiting thread looks before it sleeps: some tens of microseconds.
const SPINS: usize = 1500;
/// Bytes of the stack of a worker: enough for a hundred thousand calls of the largest functions,
/// and an endless recursion fails in a second or two.
const STACK: usize = 1 << 30;
/// The bytes of its stack that a worker may use in any case.
const LEAST: usize = 256 << 10;
/// Kept free below what recursive functions may use: for the system and the C library.
const MARGIN: usize = 1 << 20;

/// One launch, as the workers see it.
struct Job {
    entry: Entry,
    launch: *mut Launch,
    args: *const RawArgument,
    /// How the entry is called, if it may have to be left; it lives as long as the job.
    guard: Option<*const Guard>,
    /// Lowest stack addresses, by worker; each fills in its own.
    floors: *mut *const u8,
    /// The bytes of its stack that each worker may use.
    stack: usize,
    /// Workers other than the caller that have not finished.
    pending: AtomicUsize,
    caller: Thread,
}

impl Job {
    /// Runs the entry as this worker.
    ///
    /// # Safety
    ///
    /// The entry must be safe to call with what the job holds.
    unsafe fn call(&self, worker: i32) {
        // SAFETY: the caller answers for the entry; the guard lives as long as the job.
        unsafe {
            match self.guard {
                Some(guard) => (*guard).call(self.entry, self.launch, worker, self.args),
                None => (self.entry)(self.launch, worker, self.args),
            }
        }
    }
}

/// What a worker thread and the pool share.
struct Slot {
    /// The number of jobs given to the worker so far.
    turn: AtomicUsize,
    job: AtomicPtr<Job>,
    quit: AtomicBool,
    /// How often to look before sleeping.
    spins: usize,
}

struct Worker {
    slot: Arc<Slot>,
    thread: JoinHandle<()>,
}

/// The threads.
pub(super) struct Pool {
    size: usize,
    /// Workers 1, 2, ... made so far; held during a launch of several workers, so that launches do
    /// not mix.
    workers: Mutex<Vec<Worker>>,
}

impl Pool {
    /// A pool of `size` workers, the calling thread included.
    pub(super) fn new(size: usize) -> Pool {
        Pool { size: size.max(1), workers: Mutex::new(Vec::new()) }
    }
    /// How many workers there can be.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The workers, unless they run the launch of another thread.
    fn idle_workers(&self) -> Option<MutexGuard<'_, Vec<Worker>>> {
        match self.workers.try_lock() {
            Ok(workers) => Some(workers),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Lets `launch.team.size` workers run the kernel.  It runs on the calling thread alone if the
    /// workers are busy with the launch of another thread, and on fewer workers if the system has
    /// no more threads.
    ///
    /// # Safety
    ///
    /// `entry` must be safe to call with these arguments by that many workers at once.
    pub(super) unsafe fn run(
        &self,
        entry: Entry,
        launch: &mut Launch,
        args: &[RawArgument],
        (guard, room): (Option<&Guard>, usize),
    ) {
        let wanted = launch.size().min(self.size);
        // Threads that each run their own launch use the cores as well as launches that take turns.
        let mut workers = if wanted > 1 { self.idle_workers() } else { None };
        let helpers: &[Worker] = match &mut workers {
            Some(workers) => {
                while workers.len() + 1 < wanted {
                    match Worker::start(workers.len() + 1, self.size) {
                        Some(worker) => workers.push(worker),
                        None => break,
                    }
                }
                &workers[..(wanted - 1).min(workers.len())]
            }
            None => &[],
        };
        launch.set_size(helpers.len() + 1);
        // The stacks of recursive functions are charged as memory, too.
        let stack = (room / (helpers.len() + 1)).clamp(LEAST, STACK - MARGIN);
        let mut floors = vec![floor_of_caller(stack); helpers.len() + 1];
        launch.set_stack(floors.as_mut_ptr());
        let launch: *mut Launch = launch;
        let job = Job {
            entry,
            launch,
            args: args.as_ptr(),
            guard: guard.map(std::ptr::from_ref),
            floors: floors.as_mut_ptr(),
            stack,
            pending: AtomicUsize::new(helpers.len()),
            caller: thread::current(),
        };
        for helper in helpers {
            helper.give(&job);
        }
        // SAFETY: the caller of this function answers for the arguments.
        unsafe { job.call(0) };
        // The job and the floors live on this stack: nobody may leave before all are done.
        wait(SPINS, || job.pending.load(Ordering::Acquire) == 0);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let workers = self.workers.get_mut().unwrap_or_else(PoisonError::into_inner);
        for worker in workers.drain(..) {
            worker.slot.quit.store(true, Ordering::Release);
            worker.thread.thread().unpark();
            // A worker that panicked has nothing left to clean up.
            let _ = worker.thread.join();
        }
    }
}

impl Worker {
    fn start(number: usize, size: usize) -> Option<Worker> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let spins = if size > cores { 1 } else { SPINS };
        let slot = Arc::new(Slot {
            turn: AtomicUsize::new(0),
            job: AtomicPtr::new(std::ptr::null_mut()),
            quit: AtomicBool::new(false),
            spins,
        });
        // Where address space is rationed, a smaller stack has to do.
        let mut stack = STACK;
        while stack > 2 * LEAST {
            let own = Arc::clone(&slot);
            let builder = thread::Builder::new().name(format!("nesl-{number}")).stack_size(stack);
            if let Ok(thread) = builder.spawn(move || serve(&own, number, stack)) {
                return Some(Worker { slot, thread });
            }
            stack /= 2;
        }
        None
    }
    fn give(&self, job: &Job) {
        self.slot.job.store(std::ptr::from_ref(job).cast_mut(), Ordering::Relaxed);
        self.slot.turn.fetch_add(1, Ordering::Release);
        self.thread.thread().unpark();
    }
}

/// The life of a worker.
fn serve(slot: &Slot, number: usize, stack: usize) {
    let floor = here().wrapping_sub(stack - MARGIN.min(stack / 4));
    let mut turn = 0;
    loop {
        wait(slot.spins, || {
            slot.turn.load(Ordering::Acquire) != turn || slot.quit.load(Ordering::Acquire)
        });
        if slot.quit.load(Ordering::Acquire) {
            return;
        }
        turn += 1;
        // SAFETY: the job lives until `pending` is 0, which takes this worker's decrement below;
        // the entry may be called with what it holds by as many workers as the team has.
        let caller = unsafe {
            let job = &*slot.job.load(Ordering::Relaxed);
            job.floors.add(number).write(floor.max(here().wrapping_sub(job.stack)));
            job.call(number as i32);
            let caller = job.caller.clone();
            job.pending.fetch_sub(1, Ordering::Release);
            caller
        };
        caller.unpark();
    }
}

/// Returns when `ready` says so: spins, then sleeps between looks.
fn wait(spins: usize, ready: impl Fn() -> bool) {
    for _ in 0..spins {
        if ready() {
            return;
        }
        std::hint::spin_loop();
    }
    while !ready() {
        thread::park();
    }
}

/// The lowest address of the stack that the calling thread may use, at most `stack` bytes from
/// here.  The launch of a recursive kernel runs on a large stack; other kernels never read it.
fn floor_of_caller(stack: usize) -> *const u8 {
    let floor = |left: usize| here().wrapping_sub(left.min(stack));
    value::stack::remaining().map_or(std::ptr::null(), floor)
}

/// An address in the current stack frame; stacks grow towards 0.
#[inline(never)]
fn here() -> *const u8 {
    let mark = 0_u8;
    std::ptr::without_provenance(std::ptr::from_ref(&mark).addr())
}
