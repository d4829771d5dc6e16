//! Sorting on the GPU, by kernels of the device's own: `emit` says which, this launches them.

#![expect(unsafe_code, reason = "kernels are launched")]

use super::Buffer;
use super::context::Grid;
use super::launch::scalar;
use super::launcher::Launcher;
use crate::{Argument, Failure};
use base::Id;
use emit::cuda::Work;
use emit::cuda::sort::{self, Arg, Step};

/// Launches the kernels of a sort, which `work` describes.
pub(super) fn launch(
    launcher: &mut Launcher<'_>,
    work: &Work,
    args: &[Argument<'_, Buffer>],
) -> Result<(), Failure> {
    let &Work::Sort { kind, key, int, keys, length, segments, offsets, out } = work else {
        unreachable!("only sorts are launched here")
    };
    // These kernels trust offsets, which a launch that failed has not made.
    launcher.settle()?;
    let number = |arg| scalar(args, arg);
    let segments = offsets.map(|_| segments.of(number));
    let plan = sort::steps(kind, key, int, length.of(number), segments);
    let bytes = |&bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
    let temps: Vec<Buffer> =
        plan.temps.iter().map(|temp| launcher.temporary(bytes(temp))).collect::<Result<_, _>>()?;
    let address = |arg: kernel::Arg| match args[arg.index()] {
        Argument::Buffer(buffer) => buffer.address(),
        Argument::Past(buffer, from) => buffer.address() + from as u64,
        Argument::Scalar(_) => unreachable!("{arg} is a buffer"),
    };
    let word = |arg: &Arg| match *arg {
        Arg::Keys => address(keys),
        Arg::Out => address(out),
        Arg::Offsets => offsets.map_or(0, address),
        Arg::Temp(temp) => temps[temp].address(),
        Arg::TempAt(temp, at) => temps[temp].address() + at,
        Arg::Int(int) => int.cast_unsigned(),
    };
    for step in &plan.steps {
        match step {
            Step::Clear { temp, bytes: count } => launcher.zero(&temps[*temp], bytes(count)),
            Step::Launch(step) => {
                let library = launcher.library(&format!("{:?}", plan.unit), || plan.unit.text())?;
                let grid = Grid { blocks: step.grid, threads: step.threads, shared: step.shared };
                let words: Vec<u64> = step.args.iter().map(word).collect();
                // SAFETY: these are the kernel's parameters, in order.
                unsafe { launcher.run(&library, step.kernel, grid, &words)? };
            }
        }
    }
    Ok(())
}
