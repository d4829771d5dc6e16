//! NVRTC: from CUDA C++ to code for a GPU, with no other compiler installed and no GPU needed.
//!
//! The library is loaded when it is needed and speaks a small C interface, declared here, which has
//! been the same since CUDA 11.1.

#![expect(unsafe_code, reason = "a C library is called")]

use super::search::{self, Place};
use base::{Code, Diagnostic, Kind};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// What a program is in C.
type Handle = *mut c_void;
/// Success is 0.
type Status = c_int;

/// The functions that are used.
struct Api {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    count_archs: unsafe extern "C" fn(*mut c_int) -> Status,
    archs: unsafe extern "C" fn(*mut c_int) -> Status,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status,
    log: Text,
    cubin: Text,
    ptx: Text,
    explain: unsafe extern "C" fn(Status) -> *const c_char,
}

/// A function for the length of a text, and one for the text.
#[derive(Clone, Copy)]
struct Text {
    len: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    get: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
}

/// A library that works.
pub(super) struct Nvrtc {
    api: Api,
    /// Such as `NVRTC 13.0`.
    pub(super) version: String,
    /// Whether it can be told to do without most optimisations, which take most of the time.
    hurries: bool,
    /// The architectures it knows, such as 90, in ascending order.
    archs: Vec<c_int>,
    /// Keeps the code in memory.
    _library: Library,
    /// What it needs, which is in the same folder.
    _beside: Vec<Library>,
}

/// What is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// Code of this architecture, such as 90.
    Code(c_int),
    /// Text of this virtual architecture, which the driver makes into code.
    Text(c_int),
}

impl Target {
    /// The compiler's option.
    pub(super) fn option(self) -> String {
        match self {
            Target::Code(arch) => format!("--gpu-architecture=sm_{arch}"),
            Target::Text(arch) => format!("--gpu-architecture=compute_{arch}"),
        }
    }
}

/// What a unit is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// Running it.  Warnings are for us, not for users.
    Run,
    /// Running it once or twice: code need not be fast.
    Try,
    /// Knowing whether the text is right: warnings are errors, and code need not be fast.
    Check,
    /// Running it, where NVRTC would take seconds for all that it can do.
    Hurried,
}

impl Nvrtc {
    /// The library, wherever it is.
    pub(super) fn find() -> Result<Nvrtc, Diagnostic> {
        let mut refused = Vec::new();
        let attempt = |place: &Place| match Nvrtc::open(place) {
            Ok(library) => Some(library),
            Err(reason) => {
                if let Place::File(path) = place {
                    refused.push(format!("{} cannot be used: {reason}", path.display()));
                }
                None
            }
        };
        search::in_this_world(attempt).map_err(|looked| missing(&looked, refused))
    }

    fn open(place: &Place) -> Result<Nvrtc, String> {
        // The library asks the loader for another one when it compiles.  The loader does not look
        // beside it, but knows what is loaded already.
        let beside = match place {
            Place::File(path) => search::beside(path, "libnvrtc-builtins.so"),
            Place::Name(_) => Vec::new(),
        };
        // SAFETY: loading NVIDIA's library runs only its own initialisers.
        let beside = beside.iter().filter_map(|path| unsafe { Library::new(path) }.ok()).collect();
        // SAFETY: as above.
        let library = unsafe {
            match place {
                Place::File(path) => Library::new(path),
                Place::Name(name) => Library::new(*name),
            }
        };
        let library = library.map_err(|error| error.to_string())?;
        // SAFETY: these are the functions' types in NVIDIA's header.
        let api = unsafe { Api::of(&library) }.map_err(|error| error.to_string())?;
        let refuse = |status: Status| match status {
            0 => Ok(()),
            status => Err(format!("it gives error {status} when asked who it is")),
        };
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the pointers are to ints, and there are as many architectures as it says.
        let archs = unsafe {
            refuse((api.version)(&mut major, &mut minor))?;
            refuse((api.count_archs)(&mut count))?;
            let mut archs = vec![0; usize::try_from(count).unwrap_or(0)];
            refuse((api.archs)(archs.as_mut_ptr()))?;
            archs.sort_unstable();
            archs
        };
        let version = format!("NVRTC {major}.{minor}");
        Ok(Nvrtc { api, version, hurries: major >= 13, archs, _library: library, _beside: beside })
    }

    /// How to compile for a GPU of this architecture: to its code if it is known; if the library
    /// is older than the GPU, to text for the newest that it knows.
    pub(super) fn target(&self, arch: c_int) -> Target {
        let older = self.archs.iter().copied().filter(|&known| known <= arch).max();
        match older {
            Some(known) if known == arch => Target::Code(arch),
            Some(known) => Target::Text(known),
            // The library's own message is the best there is.
            None => Target::Code(arch),
        }
    }

    /// The options that follow from what a unit is compiled for.
    pub(super) fn own_options(&self, aim: Aim) -> Vec<&'static str> {
        let checks = aim == Aim::Check;
        // Nobody knows how deep a program recurses: launches ask for a large stack.
        let quiet = checks.then_some("--ptxas-options=--suppress-stack-size-warning");
        let hurry = match aim {
            Aim::Run => None,
            Aim::Hurried => Some("--Ofast-compile=mid"),
            _ => Some("--Ofast-compile=max"),
        };
        quiet.into_iter().chain(hurry.filter(|_| self.hurries)).collect()
    }

    /// Compiles a unit.
    pub(super) fn compile(
        &self,
        unit: &str,
        target: Target,
        options: &[&str],
        aim: Aim,
    ) -> Result<Vec<u8>, Diagnostic> {
        let failed = |status: Status| {
            // SAFETY: the text of a status is a constant of the library.
            let text = unsafe { CStr::from_ptr((self.api.explain)(status)) };
            let message = format!("{} failed: {}", self.version, text.to_string_lossy());
            Diagnostic::new(Kind::Bug, message)
        };
        let nul = |_| Diagnostic::new(Kind::Bug, "a kernel's text contains the character 0");
        let text = CString::new(unit).map_err(nul)?;
        let arch = target.option();
        let options = [arch.as_str()].into_iter().chain(options.iter().copied());
        let options = options.chain(self.own_options(aim));
        let options: Vec<CString> =
            options.map(CString::new).collect::<Result<_, _>>().map_err(nul)?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = Program { api: &self.api, handle: std::ptr::null_mut() };
        let none: *const *const c_char = std::ptr::null();
        // SAFETY: the text and the name live during the call; there are no headers.
        let status = unsafe {
            let name = c"kernels.cu".as_ptr();
            (self.api.create)(&mut program.handle, text.as_ptr(), name, 0, none, none)
        };
        if status != 0 {
            return Err(failed(status));
        }
        // SAFETY: the program is there, and so are as many options as it is told.
        let status = unsafe {
            (self.api.compile)(program.handle, pointers.len() as c_int, pointers.as_ptr())
        };
        let log = program.text(self.api.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let log = log.trim_end_matches('\0').trim();
        if status != 0 || (aim == Aim::Check && !log.is_empty()) {
            let refused = if status == 0 { warned(&self.version) } else { failed(status) };
            return Err(log.lines().take(20).fold(refused, Diagnostic::note));
        }
        let made = match target {
            Target::Code(_) => self.api.cubin,
            Target::Text(_) => self.api.ptx,
        };
        program.text(made).map_err(failed)
    }
}

fn warned(version: &str) -> Diagnostic {
    Diagnostic::new(Kind::Bug, format!("{version} warns of a kernel's text"))
}

fn missing(looked: &[String], refused: Vec<String>) -> Diagnostic {
    let message = "NVRTC, NVIDIA's compiler for kernels, was not found";
    let places = format!("`libnvrtc.so` was looked for in {}", looked.join("; "));
    let diagnostic = Diagnostic::of(Code::Gpu, message).note(places);
    refused
        .into_iter()
        .fold(diagnostic, Diagnostic::note)
        .help("install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc`, or set NESL_CUDA_PATH")
        .help("`--engine cpu` runs the program without it")
}

/// A program of the library.
struct Program<'a> {
    api: &'a Api,
    handle: Handle,
}

impl Program<'_> {
    /// Something that it is asked for in two steps.
    fn text(&self, text: Text) -> Result<Vec<u8>, Status> {
        let mut len = 0;
        // SAFETY: the program is there, and the bytes have the length that it says.
        unsafe {
            let status = (text.len)(self.handle, &mut len);
            if status != 0 {
                return Err(status);
            }
            let mut bytes = vec![0u8; len];
            match (text.get)(self.handle, bytes.as_mut_ptr().cast()) {
                0 => Ok(bytes),
                status => Err(status),
            }
        }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the program was made and is not used any more.
            unsafe { (self.api.destroy)(&mut self.handle) };
        }
    }
}

impl Api {
    /// # Safety
    ///
    /// The library must be NVRTC.
    unsafe fn of(library: &Library) -> Result<Api, libloading::Error> {
        /// # Safety
        ///
        /// The function must have this type.
        unsafe fn get<F: Copy>(library: &Library, name: &str) -> Result<F, libloading::Error> {
            // SAFETY: the caller says so.
            unsafe { library.get::<F>(name.as_bytes()).map(|function| *function) }
        }
        // SAFETY: the fields have the types of NVIDIA's header.
        unsafe {
            let text = |len, get_it| -> Result<Text, libloading::Error> {
                Ok(Text { len: get(library, len)?, get: get(library, get_it)? })
            };
            Ok(Api {
                version: get(library, "nvrtcVersion")?,
                count_archs: get(library, "nvrtcGetNumSupportedArchs")?,
                archs: get(library, "nvrtcGetSupportedArchs")?,
                create: get(library, "nvrtcCreateProgram")?,
                destroy: get(library, "nvrtcDestroyProgram")?,
                compile: get(library, "nvrtcCompileProgram")?,
                log: text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?,
                cubin: text("nvrtcGetCUBINSize", "nvrtcGetCUBIN")?,
                ptx: text("nvrtcGetPTXSize", "nvrtcGetPTX")?,
                explain: get(library, "nvrtcGetErrorString")?,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_it_there_is_advice() {
        let looked = ["here".to_owned(), "there".to_owned()];
        let diagnostic = missing(&looked, vec!["it cannot be used".to_owned()]);
        assert_eq!(diagnostic.kind, Kind::Input);
        let notes = ["`libnvrtc.so` was looked for in here; there", "it cannot be used"];
        assert_eq!(diagnostic.notes, notes);
        assert!(diagnostic.help[0].contains("pip install nvidia-cuda-nvrtc"));
        assert!(diagnostic.help[1].contains("--engine cpu"));
    }
}
