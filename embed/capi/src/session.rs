//! Sessions, and the choices about them.

use crate::error::{ErrorList, guarded};
use nesl::{Engine, Session};
use std::ffi::c_int;
use std::mem::offset_of;
use std::ptr;

/// Choices about a session, as C gives them.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// How large the struct is that the caller knows.
    pub size: usize,
    engine: i32,
    threads: i32,
    memory: u64,
    int_bits: i32,
    float_bits: i32,
}

/// A session.
pub struct SessionHandle(pub(crate) Session);

impl Options {
    /// The choices of a caller, who may know fewer or more of them.
    ///
    /// # Safety
    ///
    /// `options` is null, or as many bytes as its size says can be read.
    unsafe fn read(options: *const Options) -> Result<Options, Box<ErrorList>> {
        let mut own = Options::default();
        if options.is_null() {
            return Ok(own);
        }
        // SAFETY: the size comes first.
        let size = unsafe { ptr::read_unaligned(options.cast::<usize>()) };
        if size < offset_of!(Options, engine) {
            let message = format!("`size` of the options is {size}, and not sizeof(nesl_options)");
            return Err(ErrorList::input(message));
        }
        let known = size.min(size_of::<Options>());
        // SAFETY: both have so many bytes, and any bits are numbers.
        unsafe {
            ptr::copy_nonoverlapping(options.cast::<u8>(), (&raw mut own).cast::<u8>(), known);
        };
        Ok(own)
    }

    fn session(&self) -> Result<nesl::Options, Box<ErrorList>> {
        let engine = match self.engine {
            0 => Engine::Auto,
            1 => Engine::Cpu,
            2 => Engine::Cuda,
            3 => Engine::Interp,
            other => return Err(ErrorList::input(format!("there is no engine {other}"))),
        };
        let narrow = |bits: i32, what: &str| match bits {
            0 | 64 => Ok(false),
            32 => Ok(true),
            other => Err(ErrorList::input(format!("{what} have 32 or 64 bits, and not {other}"))),
        };
        let threads = match usize::try_from(self.threads) {
            Ok(0) => None,
            Ok(threads) => Some(threads),
            Err(_) => return Err(ErrorList::input(format!("{} threads", self.threads))),
        };
        let memory = (self.memory > 0).then(|| usize::try_from(self.memory).unwrap_or(usize::MAX));
        Ok(nesl::Options {
            engine,
            threads,
            memory,
            narrow_ints: narrow(self.int_bits, "ints")?,
            narrow_floats: narrow(self.float_bits, "floats")?,
            // The signals of the process are the caller's.
            interruptible: false,
            compiler: None,
        })
    }
}

/// Makes a session.
///
/// # Safety
///
/// `options` is null or has a size that is right; `error` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_session_new(
    options: *const Options,
    error: *mut *mut ErrorList,
) -> *mut SessionHandle {
    // SAFETY: as the caller says.
    let made = unsafe {
        guarded(error, || {
            let session = Session::new(&Options::read(options)?.session()?)?;
            Ok(Box::new(SessionHandle(session)))
        })
    };
    made.map_or(ptr::null_mut(), Box::into_raw)
}

/// Lets a session go; programs of it go on.
///
/// # Safety
///
/// `session` is null or a session that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_session_free(session: *mut SessionHandle) {
    // SAFETY: as the caller says.
    unsafe { free(session) };
}

/// Frees a handle, whatever happens in it.
///
/// # Safety
///
/// It is null, or was made by `Box::into_raw` and not freed.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    // SAFETY: as the caller says.
    unsafe {
        guarded(ptr::null_mut(), || {
            if !handle.is_null() {
                drop(Box::from_raw(handle));
            }
            Ok(())
        })
    };
}

/// The number that C takes for success or failure.
pub(crate) fn status(done: Option<()>) -> c_int {
    c_int::from(done.is_none())
}
