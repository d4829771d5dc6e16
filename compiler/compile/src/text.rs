//! Texts: what the pipeline ends in, one for each kind of device.

use emit::{COptions, CText, CudaOptions, CudaText};
use schedule::Target;

/// Program text for a kind of device.
pub trait Text: Sized {
    /// What kernels are scheduled for.
    const TARGET: Target;
    /// What it is called in dumps.
    const NAME: &str;
    /// Prints the kernels of a plan.
    fn print(kernels: &kernel::Program, plan: &plan::Program, options: &Print<'_>) -> Self;
    /// All of it, for people.
    fn show(&self) -> String;
    /// How many kernels it has, of which some are launched for several steps.
    fn kernels(&self) -> usize;
}

/// How texts are printed.
#[derive(Clone, Copy, Debug)]
pub struct Print<'a> {
    /// Most translation units.
    pub units: usize,
    /// Source texts, whose lines then appear as comments.
    pub files: Option<&'a base::Files>,
    /// Whether kernels count the elements that they read and write, where they can.
    pub count: bool,
}

impl Text for CText {
    const TARGET: Target = Target::CPU;
    const NAME: &str = "c";

    fn print(kernels: &kernel::Program, plan: &plan::Program, options: &Print<'_>) -> Self {
        let &Print { units, files, count } = options;
        emit::c(kernels, &COptions { units, files, plan: Some(plan), count })
    }
    fn show(&self) -> String {
        self.units.join("\n")
    }
    fn kernels(&self) -> usize {
        self.code.len()
    }
}

impl Text for CudaText {
    const TARGET: Target = Target::GPU;
    const NAME: &str = "cuda";

    fn print(kernels: &kernel::Program, plan: &plan::Program, options: &Print<'_>) -> Self {
        let &Print { units, files, .. } = options;
        emit::cuda(kernels, &CudaOptions { units, files, plan: Some(plan) })
    }
    fn show(&self) -> String {
        self.units.join("\n")
    }
    fn kernels(&self) -> usize {
        self.code.len()
    }
}
