//! Kernels that end before their time, when the user wishes it.
//!
//! A kernel may be a loop without end, and looks at nothing while it runs.  Where there is somebody
//! who may wish that it stops, it is called through `guard.c`.  The wish sends a signal to the
//! threads that are in such calls; its handler goes back to before the call, over the frames of the
//! kernel only.  Locks and memory are taken outside of it, so nothing is left behind but results
//! that nobody reads.
//!
//! ```text
//! thread of the signal           worker
//! wish := yes                    enters the list
//! for each thread of the list    tells the handler where to go, looks at the wish
//!     sends it the signal        runs the kernel         <- is taken out of here
//!                                leaves the list
//! ```
//!
//! A worker that is not yet in the kernel when the signal comes sees the wish itself.

#![expect(unsafe_code, reason = "a signal takes threads out of compiled code")]

use super::module::{Entry, Launch, RawArgument};
use std::cell::Cell;
use std::sync::{Mutex, Once, PoisonError};
use value::Interrupt;

/// What is compiled with each program.
pub(super) const TEXT: &str = include_str!("guard.c");

/// The signal: one that nothing else of ours uses.
const SIGNAL: libc::c_int = libc::SIGUSR2;

/// `nesl_jump`: how to go back, and room for what the C library writes down.
#[repr(C, align(16))]
pub(super) struct Jump {
    leave: Option<unsafe extern "C" fn(*mut Jump)>,
    before: [u64; 127],
}

const _: () = assert!(size_of::<Jump>() == 1024);

/// `nesl_guarded`.
pub(super) type Guarded = unsafe extern "C" fn(
    Entry,
    *mut Launch,
    i32,
    *const RawArgument,
    *mut Jump,
    *mut *mut Jump,
    *const bool,
);

/// How a kernel is called.
#[derive(Clone)]
pub(super) struct Guard {
    pub(super) call: Guarded,
    pub(super) interrupt: Interrupt,
}

thread_local! {
    /// How the handler leaves the kernel that this thread runs; null outside of kernels.
    static OPEN: Cell<*mut Jump> = const { Cell::new(std::ptr::null_mut()) };
}

/// The threads that run kernels or are about to.
static RUNNING: Mutex<Vec<libc::pthread_t>> = Mutex::new(Vec::new());

/// Takes threads out of their kernels whenever this wish is raised.
pub(super) fn watch(interrupt: &Interrupt) {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // SAFETY: the action is whole, and its handler only leaves compiled code.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(libc::c_int) = on_signal;
            action.sa_sigaction = handler as libc::sighandler_t;
            // The handler does not return, so the signal must not wait for that.
            action.sa_flags = libc::SA_NODEFER | libc::SA_RESTART;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(SIGNAL, &raw const action, std::ptr::null_mut());
        }
    });
    interrupt.on_raise(|| {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        for &thread in &*running {
            // SAFETY: threads leave the list before they end.
            unsafe { libc::pthread_kill(thread, SIGNAL) };
        }
    });
}

extern "C" fn on_signal(_: libc::c_int) {
    let jump = OPEN.replace(std::ptr::null_mut());
    if jump.is_null() {
        return;
    }
    // SAFETY: the thread is inside the call that has set the jump, and nothing but compiled code
    // stands between.
    unsafe {
        if let Some(leave) = (*jump).leave {
            leave(jump);
        }
    }
}

impl Guard {
    /// Calls a kernel; returns early if the wish is raised.
    ///
    /// # Safety
    ///
    /// As for the kernel itself.  After a wish its results are not to be used.
    pub(super) unsafe fn call(
        &self,
        entry: Entry,
        launch: *mut Launch,
        worker: i32,
        args: *const RawArgument,
    ) {
        let mut jump = Jump { leave: None, before: [0; 127] };
        // SAFETY: every thread may ask who it is.
        let thread = unsafe { libc::pthread_self() };
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        let open = OPEN.with(Cell::as_ptr);
        let stop = self.interrupt.flag();
        // SAFETY: the caller answers for the kernel; jump and flag outlive the call.
        unsafe { (self.call)(entry, launch, worker, args, &raw mut jump, open, stop) };
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = running.iter().position(|&other| other == thread) {
            running.swap_remove(own);
        }
    }
}
