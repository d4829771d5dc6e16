//! What threads and blocks have room for.

use super::dead;
use kernel::{ArgKind, Body, Kernel};
use prim::Ty;

/// Fewest elements that a thread has of a tile, for the sake of registers.
pub(super) const LEAST: u32 = 4;
/// Most words of 32 bits that a thread keeps in arrays: registers, of which it has 40 where six
/// blocks share a multiprocessor.
pub(super) const WORDS: u32 = 40;
/// Most words that a thread keeps of an element where it can have half as many elements again:
/// there are fewer chains then, and five blocks share a multiprocessor.  Filters of 100M elements
/// took 0.87 of the time in 32 bits, and 0.92 in 64.
pub(super) const LIGHT: u32 = 4;
/// Most bytes of a block's shared arrays: a kernel may have 48 KiB, with what collectives need.
pub(super) const SHARED: u32 = 44 << 10;

/// The words that a thread keeps in arrays, and the bytes of a block's shared arrays.
pub(super) fn room(kernel: &Kernel) -> [u32; 2] {
    let Body::Tiles { body, .. } = &kernel.body else { return [0; 2] };
    // Printed narrower than other ints.
    let counted = kernel.counted();
    let used = dead::arrays(body);
    let (mut words, mut bytes) = (0, 0);
    for (arg, info) in kernel.args.iter().filter(|(arg, _)| used.contains(arg)) {
        let wide = matches!(info.ty, Ty::I64 | Ty::F64);
        match info.kind {
            ArgKind::Private(len) => {
                words += len * if wide && !counted.private.contains(&arg) { 2 } else { 1 };
            }
            ArgKind::Shared(len) if counted.shared.contains(&arg) => bytes += len * 2,
            ArgKind::Shared(len) => bytes += len * if wide { 8 } else { 4 },
            _ => {}
        }
    }
    [words, bytes]
}
