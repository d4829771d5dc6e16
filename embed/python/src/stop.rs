//! Ctrl-C while a call runs on the main thread.
//!
//! Python's handler of SIGINT only notes the signal; what is noted is looked at between
//! instructions of Python, and a call is one of them.  So the signal first comes to a handler of
//! ours, which has the one before note it, and posts a semaphore.  A thread waits for the
//! semaphore, and stops the calls of the main thread that run then.  Who sets the handler of Python
//! anew, as kernels of notebooks do for each cell, takes ours away; the next call sets it again.

use nesl::Session;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use value::Interrupt;

/// The wishes that what the main thread calls now should stop.
static CALLING: Mutex<Vec<Interrupt>> = Mutex::new(Vec::new());
/// The handler before ours, 0 if ours was never set.
static BEFORE: AtomicUsize = AtomicUsize::new(0);
/// True if that handler is told of the signal's origin, as the one of polars is.
static INFORMED: AtomicBool = AtomicBool::new(false);
/// The semaphore, which lives as long as the process.
static POSTED: AtomicPtr<libc::sem_t> = AtomicPtr::new(std::ptr::null_mut());

type Plain = extern "C" fn(libc::c_int);
type Informed = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn on_signal(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // Python notes the signal first: the run that is stopped ends with its exception.
    let before = BEFORE.load(Ordering::Acquire);
    if before != libc::SIG_DFL && before != libc::SIG_IGN {
        // SAFETY: the handler that the system had for this signal, of the kind that it was.
        unsafe {
            match INFORMED.load(Ordering::Acquire) {
                true => std::mem::transmute::<usize, Informed>(before)(signal, info, context),
                false => std::mem::transmute::<usize, Plain>(before)(signal),
            }
        }
    }
    let posted = POSTED.load(Ordering::Acquire);
    // SAFETY: it was made before the handler was set; a handler may post a semaphore.
    unsafe { libc::sem_post(posted) };
}

/// Sets the handler, which goes on to the one that is there: Python's own, or that of a library
/// which goes on to it.
fn watch() {
    static ONCE: Once = Once::new();
    let mut first = false;
    ONCE.call_once(|| first = true);
    let before = BEFORE.load(Ordering::Acquire);
    if !first && before == 0 {
        return;
    }
    // SAFETY: all zeros are an action; the system fills it in.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the action can be written.
    let known = unsafe { libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut action) };
    let is_set = action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN;
    if known != 0 || !is_set {
        return;
    }
    // A handler that is neither ours nor Python's may go on to ours, and ours must not go on to it.
    if !first && action.sa_sigaction != before {
        return;
    }
    if first && !start_waiting() {
        return;
    }
    INFORMED.store(action.sa_flags & libc::SA_SIGINFO != 0, Ordering::Release);
    BEFORE.store(action.sa_sigaction, Ordering::Release);
    let handler: Informed = on_signal;
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags |= libc::SA_SIGINFO;
    // The signal by which kernels are left waits until the handler has returned: who left a kernel
    // from within it would leave SIGINT blocked in this thread.
    // SAFETY: the mask is that of the action.
    unsafe { libc::sigaddset(&raw mut action.sa_mask, libc::SIGUSR2) };
    // SAFETY: the action is the one before, with another handler.
    unsafe { libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut()) };
}

/// Makes the semaphore and the thread that waits for it; says if that succeeded.
fn start_waiting() -> bool {
    let semaphore = Box::leak(Box::new(std::mem::MaybeUninit::<libc::sem_t>::uninit()));
    // SAFETY: the memory is there for good.
    if unsafe { libc::sem_init(semaphore.as_mut_ptr(), 0, 0) } != 0 {
        return false;
    }
    POSTED.store(semaphore.as_mut_ptr(), Ordering::Release);
    let thread = std::thread::Builder::new().name("nesl-stop".to_owned());
    thread.spawn(stop_when_posted).is_ok()
}

fn stop_when_posted() {
    let posted = POSTED.load(Ordering::Acquire);
    loop {
        // SAFETY: the semaphore is there for good.
        if unsafe { libc::sem_wait(posted) } == 0 {
            let calling = CALLING.lock().unwrap_or_else(PoisonError::into_inner);
            for interrupt in &*calling {
                interrupt.raise();
            }
        }
    }
}

/// Does work in a session without the interpreter lock of Python.  A signal stops it if this is the
/// main thread; then the exception of Python's handler is the error.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    session: &Session,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    stoppable(py, session.interrupt(), work)
}

/// The same for work that this wish stops.
pub(crate) fn stoppable<T: Send>(
    py: Python<'_>,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    // SAFETY: every thread may ask who it is.
    let is_main = unsafe { libc::getpid() == libc::gettid() };
    if !is_main {
        return Ok(py.detach(work));
    }
    watch();
    CALLING.lock().unwrap_or_else(PoisonError::into_inner).push(interrupt.clone());
    // A signal that came before nobody else would hear of until the work is done.
    let early = py.check_signals();
    let done = early.map(|()| py.detach(work));
    CALLING.lock().unwrap_or_else(PoisonError::into_inner).pop();
    if done.is_err() {
        interrupt.clear();
    }
    let done = done?;
    if interrupt.is_raised() {
        interrupt.clear();
        py.check_signals()?;
        // A library's handler may keep the signal from Python for a while, and the run has ended.
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    Ok(done)
}
