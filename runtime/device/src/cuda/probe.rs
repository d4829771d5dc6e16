//! Whether there is a GPU.
//!
//! The functions of the driver are looked up when they are first called, and a missing library
//! would end the program then.  So everything asks here first: is the library there, does it
//! start, is it new enough, and does it see a device.  What comes after may rely on it.

use super::driver::{Error, check};
use base::{Code, Diagnostic};
use cudarc::driver::sys;
use std::fs;
use std::sync::OnceLock;

/// A driver that works.
#[derive(Clone, Debug)]
pub(super) struct Driver {
    /// The newest CUDA that it serves: 1000 times the major number and 10 times the minor.
    pub(super) cuda: i32,
    /// How many devices it sees; at least 1.
    pub(super) devices: i32,
    /// Its own version, such as `580.159.04`, where the system tells it.
    pub(super) release: Option<String>,
}

/// The oldest CUDA whose driver has every function that is used here.
const OLDEST: i32 = 12_000;

/// Why there is no GPU to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Missing {
    /// The driver's library.
    Library,
    /// The library is there and does not start.
    Start(Error),
    /// The driver serves only this CUDA.
    Old(i32),
    /// It sees no device.
    Device,
}

/// The driver, asked once; without one, what to do about it.
pub(super) fn driver() -> Result<&'static Driver, Diagnostic> {
    static FOUND: OnceLock<Result<Driver, Missing>> = OnceLock::new();
    FOUND.get_or_init(look).as_ref().map_err(|&missing| missing.explain())
}

/// Whether the driver's library is there; without it, what to do about it.
pub(super) fn library() -> Result<(), Diagnostic> {
    is_present().map_err(Missing::explain)
}

fn is_present() -> Result<(), Missing> {
    // SAFETY: loading the driver's library runs only its own initialisers.
    let present = unsafe { sys::is_culib_present() };
    if present { Ok(()) } else { Err(Missing::Library) }
}

fn look() -> Result<Driver, Missing> {
    is_present()?;
    let (mut cuda, mut devices) = (0, 0);
    // SAFETY: the library is there, and every driver has these functions.
    let started = unsafe {
        check("cuInit", sys::cuInit(0))
            .and_then(|()| check("cuDriverGetVersion", sys::cuDriverGetVersion(&mut cuda)))
            .and_then(|()| check("cuDeviceGetCount", sys::cuDeviceGetCount(&mut devices)))
    };
    match started {
        Err(error) if error.code == sys::CUresult::CUDA_ERROR_NO_DEVICE => Err(Missing::Device),
        Err(error) => Err(Missing::Start(error)),
        Ok(()) if cuda < OLDEST => Err(Missing::Old(cuda)),
        Ok(()) if devices < 1 => Err(Missing::Device),
        Ok(()) => Ok(Driver { cuda, devices, release: release() }),
    }
}

impl Missing {
    fn explain(self) -> Diagnostic {
        let new = |message: String| Diagnostic::of(Code::Gpu, message);
        let diagnostic = match self {
            Missing::Library => new("no driver for NVIDIA GPUs was found".to_owned()).note(
                "`libcuda.so`, `libcuda.so.1` and other names were looked for where the \
                       system looks for libraries, LD_LIBRARY_PATH included",
            ),
            Missing::Start(error) => {
                new("the driver for NVIDIA GPUs does not start".to_owned()).note(error.to_string())
            }
            Missing::Old(cuda) => new(format!(
                "the driver for NVIDIA GPUs is too old: it serves CUDA {}, and {} is needed",
                version(cuda),
                version(OLDEST)
            )),
            Missing::Device => new("there is no NVIDIA GPU".to_owned())
                .note("the driver is there and sees no device; CUDA_VISIBLE_DEVICES may hide one"),
        };
        let diagnostic = match self {
            Missing::Device => diagnostic,
            Missing::Library | Missing::Start(_) | Missing::Old(_) => diagnostic.help(
                "install NVIDIA's driver 525 or newer; in a container, start it with the GPU",
            ),
        };
        diagnostic.help("`--engine cpu` runs the program without a GPU")
    }
}

/// `13.0` for 13000.
pub(super) fn version(cuda: i32) -> String {
    format!("{}.{}", cuda / 1000, cuda % 1000 / 10)
}

/// The version of the driver itself, which it tells only the system.
fn release() -> Option<String> {
    let module = fs::read_to_string("/sys/module/nvidia/version").ok();
    let known = module.or_else(|| fs::read_to_string("/proc/driver/nvidia/version").ok())?;
    release_in(&known)
}

/// The first word of a text that is numbers with dots between them.
fn release_in(text: &str) -> Option<String> {
    let fits =
        |word: &&str| word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok());
    text.split_whitespace().find(fits).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Kind;

    #[test]
    fn releases_are_found() {
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release";
        assert_eq!(release_in(open).as_deref(), Some("580.159.04"));
        assert_eq!(release_in("535.54\n").as_deref(), Some("535.54"));
        assert_eq!(release_in("no numbers."), None);
        assert_eq!(version(12_080), "12.8");
    }

    #[test]
    fn without_a_driver_there_is_advice() {
        let error = Error { call: "cuInit", code: sys::CUresult::CUDA_ERROR_STUB_LIBRARY };
        for missing in
            [Missing::Library, Missing::Start(error), Missing::Old(11_040), Missing::Device]
        {
            let diagnostic = missing.explain();
            assert_eq!(diagnostic.kind, Kind::Input);
            let engine = "`--engine cpu` runs the program without a GPU";
            assert_eq!(diagnostic.help.last().map(String::as_str), Some(engine));
        }
        let library = Missing::Library.explain();
        assert_eq!(library.message, "no driver for NVIDIA GPUs was found");
        assert!(library.notes[0].contains("`libcuda.so.1`"), "{library:?}");
        assert!(library.help[0].contains("driver 525"), "{library:?}");
        let old = Missing::Old(11_040).explain();
        assert!(old.message.contains("serves CUDA 11.4, and 12.0 is needed"), "{old:?}");
    }
}
