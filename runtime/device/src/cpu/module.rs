//! Compiled programs, and the structs that they share with the launcher (`rts/run.h`).

#![expect(unsafe_code, reason = "symbols of a shared object are called")]

use super::arena::Arena;
use super::guard::{Guard, Guarded};
use super::refusal;
use base::{Diagnostic, Kind};
use emit::CText;
use kernel::KernelId;
use libloading::Library;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use value::Interrupt;

/// An argument or a word of scratch: `nesl_arg`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) union RawArgument {
    /// A buffer.
    pub(super) pointer: *mut u8,
    /// An int.
    pub(super) int: i64,
    /// A float.
    pub(super) float: f64,
    /// A bool or char.
    pub(super) byte: u8,
}

// SAFETY: an argument is a number until a kernel is launched, and launching is unsafe.
unsafe impl Send for RawArgument {}
// SAFETY: as above.
unsafe impl Sync for RawArgument {}

/// How a launch will be cut: `nesl_plan`.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(super) struct Plan {
    pub(super) tiles: i64,
    pub(super) scratch: i64,
    pub(super) cleared: i64,
}

/// What a report can hold of positions.
const DEPTH: usize = 6;

/// The first fault: `nesl_report`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Report {
    pub(super) site: i32,
    pub(super) depth: i32,
    pub(super) operands: [i64; 2],
    pub(super) positions: [i64; DEPTH],
}

impl Report {
    /// Of a run without faults.
    pub(super) const NONE: Report =
        Report { site: -1, depth: 0, operands: [0; 2], positions: [0; DEPTH] };
}

/// A value in a cache line of its own.
#[repr(C, align(64))]
struct Line<T>(T);

/// `nesl_team`: workers and their barrier.
#[repr(C, align(64))]
struct Team {
    size: i32,
    arrived: Line<i32>,
    phase: Line<i32>,
}

/// `nesl_launch`.
#[repr(C, align(64))]
pub(super) struct Launch {
    team: Team,
    next: Line<i64>,
    // These share a cache line.
    failed: AtomicI32,
    scratch: *mut u8,
    stack: *const *const u8,
    report: *mut Report,
    arenas: *mut Arena,
    touched: AtomicU64,
    sharing: Line<Sharing>,
}

/// How workers share the calls of lanes.
#[repr(C)]
struct Sharing {
    ended: i32,
    idle: i32,
    worth: i64,
}

const _: () = {
    assert!(std::mem::offset_of!(Launch, next) == 192);
    assert!(std::mem::offset_of!(Launch, failed) == 256);
    assert!(std::mem::offset_of!(Launch, scratch) == 264);
    assert!(std::mem::offset_of!(Launch, touched) == 296);
    assert!(std::mem::offset_of!(Launch, sharing) == 320);
    assert!(std::mem::offset_of!(Sharing, worth) == 8);
    assert!(size_of::<Launch>() == 384);
};

impl Launch {
    /// A launch by `size` workers.
    pub(super) fn new(size: usize, scratch: *mut u8, report: *mut Report) -> Launch {
        Launch {
            team: Team { size: size as i32, arrived: Line(0), phase: Line(0) },
            next: Line(0),
            failed: AtomicI32::new(0),
            scratch,
            stack: std::ptr::null(),
            report,
            arenas: std::ptr::null_mut(),
            touched: AtomicU64::new(0),
            sharing: Line(Sharing { ended: 0, idle: 0, worth: i64::MAX }),
        }
    }
    /// Sets over how many elements calls must go to be offered to others.
    pub(super) fn set_worth(&mut self, elements: i64) {
        self.sharing.0.worth = elements;
    }
    /// Elements read and written, if the program counts.
    pub(super) fn touched(&self) -> u64 {
        self.touched.load(Ordering::Relaxed)
    }
    /// How many workers run it.
    pub(super) fn size(&self) -> usize {
        self.team.size as usize
    }
    /// Sets how many workers run it.
    pub(super) fn set_size(&mut self, size: usize) {
        self.team.size = size as i32;
    }
    /// Sets the lowest stack addresses, by worker.
    pub(super) fn set_stack(&mut self, floors: *const *const u8) {
        self.stack = floors;
    }
    /// Sets the memory of lanes, by worker.
    pub(super) fn set_arenas(&mut self, arenas: *mut Arena) {
        self.arenas = arenas;
    }
    /// Whether a fault was recorded.
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed) != 0
    }
}

/// The function of a kernel.
pub(super) type Entry = unsafe extern "C" fn(*mut Launch, i32, *const RawArgument);
/// The function that says how a kernel will be cut.
pub(super) type PlanEntry = unsafe extern "C" fn(i32, *const RawArgument, *mut Plan);

/// A program that can be launched.
pub struct Module {
    /// Facts about its kernels, and its fault sites.
    pub(super) text: Arc<CText>,
    pub(super) code: Object,
    /// The same program built for diagnosis, once that was needed.
    pub(super) diagnosis: OnceLock<Result<Object, Box<Diagnostic>>>,
    /// True if a recursive kernel has failed on the stack of a thread that the caller made.
    pub(super) is_deep: AtomicBool,
}

/// A loaded shared object.
pub(super) struct Object {
    /// Functions by kernel; none for a kernel that is never launched.
    entries: Vec<Option<(Entry, PlanEntry)>>,
    /// Calls them so that they can be left.
    guarded: Guarded,
    /// Keeps the code in memory.
    _library: Library,
}

impl Object {
    /// Loads the shared object of a text.
    pub(super) fn open(path: &Path, text: &CText) -> Result<Object, Diagnostic> {
        let broken = |error: libloading::Error| {
            let message = format!("what the C compiler made cannot be loaded: {}", path.display());
            refusal::of_environment(message, "").note(error.to_string())
        };
        let unloaded = |error: libloading::Error| {
            let told = error.to_string();
            if !told.contains("undefined symbol") {
                return broken(error);
            }
            // All that a whole object needs is in its text or in the C library.
            Diagnostic::new(Kind::Bug, "the compiled program is not whole").note(told)
        };
        // SAFETY: the object was made from text that `emit` printed; it has no initialisers.
        let library = unsafe { Library::new(path) }.map_err(unloaded)?;
        let mut entries = Vec::with_capacity(text.kernels.len());
        for id in text.kernels.ids() {
            let Some(code) = text.code.printed(id) else {
                entries.push(None);
                continue;
            };
            let names = [code.to_string(), format!("{code}_plan")];
            // SAFETY: the text defines these functions with these types.
            let (entry, plan) = unsafe {
                let entry = library.get::<Entry>(names[0].as_bytes()).map_err(broken)?;
                let plan = library.get::<PlanEntry>(names[1].as_bytes()).map_err(broken)?;
                (*entry, *plan)
            };
            entries.push(Some((entry, plan)));
        }
        // SAFETY: every program is compiled together with this function.
        let guarded = unsafe { *library.get::<Guarded>(b"nesl_guarded").map_err(broken)? };
        Ok(Object { entries, guarded, _library: library })
    }
    /// What calls kernels so that this wish ends them.
    pub(super) fn guard(&self, interrupt: Interrupt) -> Guard {
        Guard { call: self.guarded, interrupt }
    }
    /// The functions of a kernel.
    pub(super) fn kernel(&self, id: KernelId) -> (Entry, PlanEntry) {
        let found = self.entries[base::Id::index(id)];
        found.unwrap_or_else(|| unreachable!("{id} is launched and was not compiled"))
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Module({} kernels)", self.text.kernels.len())
    }
}
