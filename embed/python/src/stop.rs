//! Ctrl-C while a call runs on the main thread.
//!
//! Python's handler of SIGINT only notes the signal; what is noted is looked at between
//! instructions of Python, and a call is one of them.  So the signal first comes to a handler of
//! ours, which posts a semaphore and goes on to the one before.  A thread waits for the semaphore,
//! and stops the calls of the main thread that run then.

use nesl::Session;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// Sessions in which the main thread calls now.
static CALLING: Mutex<Vec<Session>> = Mutex::new(Vec::new());
/// The handler before ours.
static BEFORE: AtomicUsize = AtomicUsize::new(0);
/// The semaphore, which lives as long as the process.
static POSTED: AtomicPtr<libc::sem_t> = AtomicPtr::new(std::ptr::null_mut());

extern "C" fn on_signal(signal: libc::c_int) {
    let posted = POSTED.load(Ordering::Acquire);
    // SAFETY: it was made before the handler was set; a handler may post a semaphore.
    unsafe { libc::sem_post(posted) };
    let before = BEFORE.load(Ordering::Acquire);
    if before != libc::SIG_DFL && before != libc::SIG_IGN {
        // SAFETY: the handler that the system had for this signal.
        let before: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(before) };
        before(signal);
    }
}

/// Sets the handler, once, if Python's own is there: other handlers are their makers' business.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let semaphore = Box::leak(Box::new(std::mem::MaybeUninit::<libc::sem_t>::uninit()));
        // SAFETY: the memory is there for good.
        let made = unsafe { libc::sem_init(semaphore.as_mut_ptr(), 0, 0) };
        // SAFETY: all zeros are an action; the system fills it in.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: the action can be written.
        let known = unsafe { libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut action) };
        let plain = action.sa_flags & libc::SA_SIGINFO == 0;
        let is_set = action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN;
        if made != 0 || known != 0 || !plain || !is_set {
            return;
        }
        POSTED.store(semaphore.as_mut_ptr(), Ordering::Release);
        let thread = std::thread::Builder::new().name("nesl-stop".to_owned());
        if thread.spawn(stop_when_posted).is_err() {
            return;
        }
        BEFORE.store(action.sa_sigaction, Ordering::Release);
        let handler: extern "C" fn(libc::c_int) = on_signal;
        action.sa_sigaction = handler as libc::sighandler_t;
        // SAFETY: the action is the one before, with another handler.
        unsafe { libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut()) };
    });
}

fn stop_when_posted() {
    let posted = POSTED.load(Ordering::Acquire);
    loop {
        // SAFETY: the semaphore is there for good.
        if unsafe { libc::sem_wait(posted) } == 0 {
            let calling = CALLING.lock().unwrap_or_else(PoisonError::into_inner);
            for session in &*calling {
                session.interrupt().raise();
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
    // SAFETY: every thread may ask who it is.
    let is_main = unsafe { libc::getpid() == libc::gettid() };
    if !is_main {
        return Ok(py.detach(work));
    }
    watch();
    CALLING.lock().unwrap_or_else(PoisonError::into_inner).push(session.clone());
    let done = py.detach(work);
    CALLING.lock().unwrap_or_else(PoisonError::into_inner).pop();
    if session.interrupt().is_raised() {
        session.interrupt().clear();
        py.check_signals()?;
    }
    Ok(done)
}
