//! Sorting on the GPU, by kernels of the device's own.

use super::Buffer;
use super::launcher::Launcher;
use crate::{Argument, Failure};
use base::{Diagnostic, Kind};
use emit::cuda::Work;

/// Launches the kernels of a sort, which `work` describes.
///
/// They are those of one text, which [`Launcher::library`] compiles when it is first needed.
pub(super) fn launch(
    launcher: &mut Launcher<'_>,
    work: &Work,
    args: &[Argument<'_, Buffer>],
) -> Result<(), Failure> {
    let _ = (launcher, work, args);
    let message = "the CUDA device cannot sort yet";
    let diagnostic = Diagnostic::new(Kind::Limit, message);
    let diagnostic = diagnostic.help("`--engine cpu` runs the program without a GPU");
    Err(Failure::Broken(Box::new(diagnostic)))
}
