//! Building: from the units of a program to code for one GPU, through the cache.
//!
//! Each unit is an entry of its own, so a program that changes in one place is compiled there only.

use super::nvrtc::{Aim, Nvrtc, Target};
use crate::cache::{self, Cache, Entry};
use crate::jobs::side_by_side;
use base::{Diagnostic, Kind};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a build is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Speed.
    Normal,
    /// Finding the first fault.
    Diagnosis,
}

/// For both modes: the meaning of the text.  Functions without a qualifier are for the GPU.
const COMMON: [&str; 3] = ["--std=c++17", "--fmad=false", "--device-as-default-execution-space"];

/// With fast math: divisions and roots of singles by the GPU's approximations, which keep nans,
/// infinities and subnormal floats; elementary functions by CUDA's own (`elementary.h`).  Products
/// and sums that may be one operation are one in the text, whose copies of an expression must
/// agree.
const FAST: [&str; 3] = ["--prec-div=false", "--prec-sqrt=false", "-DNESL_FAST_MATH"];

impl Mode {
    fn flags(self, fast_math: bool) -> Vec<&'static str> {
        let own = match self {
            Mode::Normal => None,
            Mode::Diagnosis => Some("-DNESL_DIAGNOSE"),
        };
        let fast = FAST.into_iter().filter(|_| fast_math);
        COMMON.into_iter().chain(fast).chain(own).collect()
    }
}

/// What became of a unit: code, or what is wrong with the text.
pub type Made = Result<Vec<u8>, Diagnostic>;

/// Compiles units for an architecture such as `sm_90`, or to the text of a virtual one such as
/// `compute_90`; needs no GPU.  An error of all of them says why nothing can be compiled.
pub fn compile_for(
    arch: &str,
    units: &[String],
    mode: Mode,
    aim: Aim,
) -> Result<Vec<Made>, Diagnostic> {
    let number = |prefix| arch.strip_prefix(prefix)?.parse().ok();
    let target = number("sm_").map(Target::Code).or(number("compute_").map(Target::Text));
    let target = target.ok_or_else(|| {
        let message = format!("`{arch}` is no architecture of GPUs");
        Diagnostic::new(Kind::Input, message).help("write it like `sm_90` or `compute_90`")
    })?;
    let nvrtc = Nvrtc::find()?;
    let units: Vec<(&str, Aim)> = units.iter().map(|unit| (unit.as_str(), aim)).collect();
    Ok(build(&nvrtc, target, &units, &mode.flags(false)))
}

/// Compiles units, several at once, also when some of them are wrong.
fn build(nvrtc: &Nvrtc, target: Target, units: &[(&str, Aim)], flags: &[&str]) -> Vec<Made> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let made: Vec<OnceLock<Made>> = units.iter().map(|_| OnceLock::new()).collect();
    let compile = |i: usize| -> Result<(), Infallible> {
        let (text, aim) = units[i];
        made[i].get_or_init(|| nvrtc.compile(text, target, flags, aim));
        Ok(())
    };
    let texts: Vec<&str> = units.iter().map(|unit| unit.0).collect();
    let Ok(()) = side_by_side(&texts, jobs, compile);
    let result = |made: OnceLock<Made>| {
        made.into_inner().unwrap_or_else(|| unreachable!("each unit is compiled"))
    };
    made.into_iter().map(result).collect()
}

/// What is to be compiled.
#[derive(Clone, Copy)]
pub(super) struct Unit<'a> {
    /// Its text.
    pub(super) text: &'a str,
    /// Whether NVRTC is not to do all that it can, as that would take seconds.
    pub(super) hurried: bool,
}

/// What makes code for one GPU.
pub(super) struct Builder {
    aim: Aim,
    fast_math: bool,
    nvrtc: OnceLock<Result<Nvrtc, Box<Diagnostic>>>,
    cache: Cache,
    /// Whether it was said that nothing can be kept.
    warned: AtomicBool,
}

/// The code of a unit.
pub(super) struct Code {
    /// What the driver loads.
    pub(super) bytes: Vec<u8>,
    /// Whether it was found ready made.
    pub(super) cached: bool,
}

impl Builder {
    /// A builder that keeps code in this folder; as the environment says if none.
    pub(super) fn new(folder: Option<PathBuf>, aim: Aim, fast_math: bool) -> Builder {
        let cache = folder.map_or_else(
            || Cache::of_user(Entry::Cubin),
            |folder| Cache::in_folder(folder, Entry::Cubin),
        );
        Builder { aim, fast_math, nvrtc: OnceLock::new(), cache, warned: AtomicBool::new(false) }
    }
    /// The compiler, looked for when it is first needed.
    pub(super) fn nvrtc(&self) -> Result<&Nvrtc, Diagnostic> {
        let found = self.nvrtc.get_or_init(|| Nvrtc::find().map_err(Box::new));
        found.as_ref().map_err(|diagnostic| (**diagnostic).clone())
    }

    /// The code of units for a GPU of this architecture, from the cache where it is there.
    pub(super) fn code(
        &self,
        arch: i32,
        units: &[Unit<'_>],
        mode: Mode,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Code>, Diagnostic> {
        let nvrtc = self.nvrtc()?;
        let target = nvrtc.target(arch);
        let keys: Vec<String> =
            units.iter().map(|&unit| self.key(nvrtc, target, unit, mode)).collect();
        let mut found: Vec<Option<Code>> = keys
            .iter()
            .map(|key| self.cache.read(key).map(|bytes| Code { bytes, cached: true }))
            .collect();
        let lacking: Vec<usize> = (0..units.len()).filter(|&i| found[i].is_none()).collect();
        let wanted = |&i: &usize| (units[i].text, self.aim_of(units[i]));
        let wanted: Vec<(&str, Aim)> = lacking.iter().map(wanted).collect();
        let made = build(nvrtc, target, &wanted, &mode.flags(self.fast_math));
        for (&i, made) in lacking.iter().zip(made) {
            let bytes = made?;
            self.keep(&keys[i], &bytes, notes);
            found[i] = Some(Code { bytes, cached: false });
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// The code of a unit, made anew; for an entry of the cache that the driver does not take.
    pub(super) fn anew(
        &self,
        arch: i32,
        unit: Unit<'_>,
        mode: Mode,
    ) -> Result<Vec<u8>, Diagnostic> {
        let nvrtc = self.nvrtc()?;
        let target = nvrtc.target(arch);
        let (flags, aim) = (mode.flags(self.fast_math), self.aim_of(unit));
        let bytes = nvrtc.compile(unit.text, target, &flags, aim)?;
        self.keep(&self.key(nvrtc, target, unit, mode), &bytes, &mut Vec::new());
        Ok(bytes)
    }

    fn aim_of(&self, unit: Unit<'_>) -> Aim {
        if unit.hurried && self.aim == Aim::Run { Aim::Hurried } else { self.aim }
    }

    fn key(&self, nvrtc: &Nvrtc, target: Target, unit: Unit<'_>, mode: Mode) -> String {
        let aim = nvrtc.own_options(self.aim_of(unit));
        let flags = [mode.flags(self.fast_math), aim].concat().join(" ");
        cache::key([nvrtc.version.as_str(), &target.option(), &flags, unit.text])
    }

    fn keep(&self, key: &str, bytes: &[u8], notes: &mut Vec<Diagnostic>) {
        if let (Err(error), Some(folder)) = (self.cache.write(key, bytes), self.cache.folder())
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            notes.push(cache::unwritable(folder, &error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::own::BUILTIN;
    use std::{env, fs};

    /// Whether NVRTC is to be used.  Where `NESL_NVRTC` is set, it has to be there.
    fn wanted() -> bool {
        env::var_os("NESL_NVRTC").is_some()
    }

    fn compiled(unit: &str, mode: Mode, aim: Aim) -> Made {
        compile_for("sm_90", &[unit.to_owned()], mode, aim)?.remove(0)
    }

    #[test]
    fn own_kernels_compile_without_warnings() {
        if wanted() {
            for mode in [Mode::Normal, Mode::Diagnosis] {
                let code = compiled(BUILTIN, mode, Aim::Check).unwrap();
                assert!(code.starts_with(b"\x7fELF"));
            }
        }
    }

    #[test]
    fn fast_math_changes_flags_and_nothing_else() {
        for mode in [Mode::Normal, Mode::Diagnosis] {
            let (exact, fast) = (mode.flags(false), mode.flags(true));
            assert!(FAST.iter().all(|flag| fast.contains(flag) && !exact.contains(flag)));
            assert!(exact.iter().all(|flag| fast.contains(flag)));
        }
    }

    #[test]
    fn what_is_wrong_with_a_text_is_told() {
        let arch = compile_for("90", &[], Mode::Normal, Aim::Run).unwrap_err();
        assert_eq!(arch.message, "`90` is no architecture of GPUs");
        if wanted() {
            let strictly = |unit| compiled(unit, Mode::Normal, Aim::Check);
            let wrong = strictly("__global__ void k0() { x = 1; }").unwrap_err();
            assert_eq!(wrong.kind, Kind::Bug);
            assert!(wrong.notes[0].contains("identifier \"x\" is undefined"), "{wrong:?}");
            let unused = "__global__ void k0() { int x; }";
            let warned = strictly(unused).unwrap_err();
            assert!(warned.notes[0].contains("never referenced"), "{warned:?}");
            assert!(compiled(unused, Mode::Normal, Aim::Run).is_ok());
        }
    }

    #[test]
    fn units_are_compiled_once() {
        if !wanted() {
            return;
        }
        let folder = env::temp_dir().join(format!("nesl-build-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let units = ["extern \"C\" __global__ void k0() {}", "__device__ int x;"];
        let cached_with = |units: &[&str], mode, fast_math| -> Vec<bool> {
            let builder = Builder::new(Some(folder.clone()), Aim::Run, fast_math);
            let units: Vec<Unit<'_>> =
                units.iter().map(|text| Unit { text, hurried: false }).collect();
            let code = builder.code(90, &units, mode, &mut Vec::new()).unwrap();
            assert!(code.iter().all(|code| code.bytes.starts_with(b"\x7fELF")));
            code.iter().map(|code| code.cached).collect()
        };
        let cached = |units: &[&str], mode| cached_with(units, mode, false);
        assert_eq!(cached(&units, Mode::Normal), [false, false]);
        assert_eq!(cached(&units, Mode::Normal), [true, true]);
        assert_eq!(cached(&[units[1], "__device__ int y;"], Mode::Normal), [true, false]);
        assert_eq!(cached(&units, Mode::Diagnosis), [false, false]);
        assert_eq!(cached_with(&units, Mode::Normal, true), [false, false]);
        assert_eq!(cached_with(&units, Mode::Normal, true), [true, true]);
        for file in fs::read_dir(&folder).unwrap() {
            fs::write(file.unwrap().path(), "damaged").unwrap();
        }
        assert_eq!(cached(&units, Mode::Normal), [false, false]);
        assert_eq!(cached(&units, Mode::Normal), [true, true]);
        fs::remove_dir_all(folder).unwrap();
    }

    /// A GPU that is newer than NVRTC gets text, which its driver makes into code.
    #[test]
    fn newer_gpus_get_text() {
        if wanted() {
            let builder =
                Builder::new(Some(env::temp_dir().join("nesl-never-written")), Aim::Run, false);
            let nvrtc = builder.nvrtc().unwrap();
            assert_eq!(nvrtc.target(90), Target::Code(90));
            let Target::Text(newest) = nvrtc.target(9999) else { panic!("9999 is known") };
            let unit = "extern \"C\" __global__ void k0() {}";
            let target = Target::Text(newest);
            let code = nvrtc.compile(unit, target, &Mode::Normal.flags(false), Aim::Check);
            let code = code.unwrap();
            assert!(String::from_utf8_lossy(&code).contains(".visible .entry k0"));
            assert_eq!(code.last(), Some(&0));
        }
    }
}
