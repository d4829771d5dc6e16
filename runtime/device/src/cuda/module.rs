//! Programs on the GPU, and the structs that they share with the launcher (`rts/run.cuh`).

use super::build::{Builder, Mode, Unit};
use super::context::{Address, Context};
use super::driver::Error;
use super::image::{Function, Image};
use base::{Diagnostic, Id, Kind};
use emit::cuda::{CudaDescent, CudaText, Work};
use kernel::KernelId;
use std::ffi::CString;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What a launch hands to its kernel: `nesl_run`.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(super) struct Run {
    pub(super) failed: Address,
    pub(super) told: Address,
    pub(super) ended: Address,
    pub(super) scratch: Address,
    pub(super) report: Address,
    pub(super) tiles: i64,
    pub(super) number: u32,
    pub(super) few: u32,
}

/// What a report can hold of positions.
const DEPTH: usize = 6;

/// The first fault: `nesl_report`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Report {
    pub(super) key: u64,
    pub(super) tell: i32,
    pub(super) site: i32,
    pub(super) depth: i32,
    pub(super) unused: i32,
    pub(super) operands: [i64; 2],
    pub(super) positions: [i64; DEPTH],
}

const _: () = {
    assert!(size_of::<Run>() == 56 && std::mem::offset_of!(Run, number) == 48);
    assert!(size_of::<Report>() == 88 && std::mem::offset_of!(Report, operands) == 24);
};

impl Report {
    /// Before the first fault is looked for.
    pub(super) const NONE: Report = Report {
        key: u64::MAX,
        tell: 0,
        site: -1,
        depth: 0,
        unused: 0,
        operands: [0; 2],
        positions: [0; DEPTH],
    };
    /// The same as bytes.
    pub(super) fn bytes(&self) -> [u8; size_of::<Report>()] {
        let halves = [self.tell, self.site, self.depth, self.unused];
        let words = self.operands.iter().chain(&self.positions);
        let bytes = self.key.to_le_bytes().into_iter();
        let bytes = bytes.chain(halves.iter().flat_map(|half| half.to_le_bytes()));
        let mut bytes = bytes.chain(words.flat_map(|word| word.to_le_bytes()));
        std::array::from_fn(|_| bytes.next().unwrap_or(0))
    }
    /// A report from its bytes.
    pub(super) fn of_bytes(bytes: &[u8; size_of::<Report>()]) -> Report {
        let word = |at: usize| std::array::from_fn(|i| bytes[at + i]);
        let int = |at: usize| i64::from_le_bytes(word(at));
        let half = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Report {
            key: u64::from_le_bytes(word(0)),
            tell: half(8),
            site: half(12),
            depth: half(16),
            unused: half(20),
            operands: std::array::from_fn(|i| int(24 + 8 * i)),
            positions: std::array::from_fn(|i| int(40 + 8 * i)),
        }
    }
}

/// A program that can be launched; a cheap handle.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

struct Inner {
    text: CudaText,
    /// The code of each unit.
    images: Vec<Image>,
    /// Functions by kernel, looked up when they are first launched.
    functions: Vec<OnceLock<Function>>,
    /// The functions of descents, as [`Module::descent`] gives them.
    descents: Vec<OnceLock<[Function; 3]>>,
    /// The same units built for diagnosis, as far as that was needed.
    diagnosis: Mutex<Vec<Option<Arc<Image>>>>,
}

/// What makes code and loads it.
#[derive(Clone, Copy)]
pub(super) struct Loader<'a> {
    pub(super) builder: &'a Builder,
    pub(super) context: &'a Arc<Context>,
}

impl Loader<'_> {
    /// Units as loaded code, and whether all of it was found ready made.
    pub(super) fn images(
        self,
        units: &[Unit<'_>],
        mode: Mode,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<(Vec<Image>, bool), Diagnostic> {
        let arch = self.context.arch;
        let mut cached = true;
        let mut images = Vec::with_capacity(units.len());
        for (&unit, code) in units.iter().zip(self.builder.code(arch, units, mode, notes)?) {
            cached &= code.cached;
            images.push(match Image::load(self.context, &code.bytes) {
                Ok(image) => image,
                // Another driver may have liked it better.
                Err(_) if code.cached => {
                    cached = false;
                    let code = self.builder.anew(arch, unit, mode)?;
                    Image::load(self.context, &code).map_err(unloadable)?
                }
                Err(error) => return Err(unloadable(error)),
            });
        }
        Ok((images, cached))
    }
}

/// A unit of a program.
fn unit(text: &CudaText, number: usize) -> Unit<'_> {
    Unit { text: &text.units[number], hurried: text.hurried.contains(&number) }
}

fn unloadable(error: Error) -> Diagnostic {
    error.diagnostic().help("NVRTC must not be newer than the driver")
}

impl Module {
    /// Makes and loads a program; tells whether it was found ready made.
    pub(super) fn load(
        text: &CudaText,
        loader: Loader<'_>,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<(Module, bool), Diagnostic> {
        let unit = |number: usize| unit(text, number);
        let units: Vec<Unit<'_>> = (0..text.units.len()).map(unit).collect();
        let (images, cached) = loader.images(&units, Mode::Normal, notes)?;
        let functions = text.kernels.ids().map(|_| OnceLock::new()).collect();
        let descents = text.descents.iter().map(|_| OnceLock::new()).collect();
        let diagnosis = Mutex::new(units.iter().map(|_| None).collect());
        let text = text.clone();
        Ok((Module(Arc::new(Inner { text, images, functions, descents, diagnosis })), cached))
    }
    /// What launches of the kernels need.
    pub(super) fn text(&self) -> &CudaText {
        &self.0.text
    }
    /// The function of a kernel of a unit.
    pub(super) fn function(&self, id: KernelId, unit: usize) -> Result<Function, Error> {
        let known = &self.0.functions[id.index()];
        match known.get() {
            Some(&function) => Ok(function),
            None => {
                let function = self.0.images[unit].function(&self.name(id))?;
                Ok(*known.get_or_init(|| function))
            }
        }
    }
    /// The name of the function that does what a kernel does.
    fn name(&self, id: KernelId) -> CString {
        let code = self.0.text.code.printed(id).unwrap_or(id);
        CString::new(code.to_string()).unwrap_or_else(|_| unreachable!("{code} is a name"))
    }
    /// What weighs the lanes of a descent, what parts light ones from heavy ones, and what goes
    /// down.
    pub(super) fn descent(
        &self,
        number: usize,
        about: &CudaDescent,
    ) -> Result<[Function; 3], Error> {
        let known = &self.0.descents[number];
        if let Some(&functions) = known.get() {
            return Ok(functions);
        }
        let image = &self.0.images[about.unit];
        let find = |tail: &str| {
            let name = format!("{}{tail}", about.name);
            image.function(&CString::new(name).unwrap_or_else(|_| unreachable!("it is a name")))
        };
        let functions = [find("_weigh")?, find("_part")?, find("")?];
        Ok(*known.get_or_init(|| functions))
    }
    /// The function of a kernel, built for diagnosis, and the code that it is in.
    pub(super) fn diagnosis(
        &self,
        id: KernelId,
        loader: Loader<'_>,
    ) -> Result<(Arc<Image>, Function), Box<Diagnostic>> {
        let Work::Tiles { unit, .. } = self.0.text.kernels[id].work else {
            let message = format!("kernel {id} cannot fail, and did");
            return Err(Box::new(Diagnostic::new(Kind::Bug, message)));
        };
        let mut known = self.0.diagnosis.lock().unwrap_or_else(PoisonError::into_inner);
        let image = match &known[unit] {
            Some(image) => Arc::clone(image),
            None => {
                let units = [self::unit(&self.0.text, unit)];
                let (images, _) = loader.images(&units, Mode::Diagnosis, &mut Vec::new())?;
                let image = images.into_iter().next().map(Arc::new);
                let image = image.unwrap_or_else(|| unreachable!("one unit has one image"));
                known[unit] = Some(Arc::clone(&image));
                image
            }
        };
        let function = image.function(&self.name(id)).map_err(Error::diagnostic)?;
        Ok((image, function))
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({} kernels)", self.0.text.kernels.len())
    }
}

/// Kernels of the device itself, in one text.
pub(super) struct Library {
    image: Image,
    /// Those that were launched, with their shared memory.
    functions: Mutex<Vec<(&'static str, Function, u32)>>,
}

impl Library {
    /// Makes and loads the text.
    pub(super) fn load(text: &str, loader: Loader<'_>) -> Result<Library, Diagnostic> {
        let unit = Unit { text, hurried: false };
        let (images, _) = loader.images(&[unit], Mode::Normal, &mut Vec::new())?;
        let image = images.into_iter().next();
        let image = image.unwrap_or_else(|| unreachable!("one unit has one image"));
        Ok(Library { image, functions: Mutex::default() })
    }
    /// A kernel of it, for launches with so many bytes of shared memory.
    pub(super) fn function(&self, name: &'static str, shared: u32) -> Result<Function, Error> {
        let mut known = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let at = match known.iter().position(|function| function.0 == name) {
            Some(at) => at,
            None => {
                let text = CString::new(name).unwrap_or_else(|_| unreachable!("{name} is a name"));
                known.push((name, self.image.function(&text)?, 0));
                known.len() - 1
            }
        };
        let (_, function, allowed) = &mut known[at];
        if shared > *allowed {
            // How much needs no asking depends on what the kernel declares.
            function.share(shared)?;
            *allowed = shared;
        }
        Ok(*function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_travel_as_bytes() {
        let report = Report {
            key: 3 << 40,
            tell: 1,
            site: 7,
            depth: 2,
            unused: 0,
            operands: [-1, i64::MAX],
            positions: [1, 2, 3, 4, 5, -6],
        };
        assert_eq!(Report::of_bytes(&report.bytes()), report);
        assert_eq!(Report::of_bytes(&Report::NONE.bytes()), Report::NONE);
    }
}
