//! What threads and blocks have room for.

use super::dead;
use kernel::{ArgKind, Block, Body, Kernel, Scan, Stmt};
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
    let mut counts = Vec::new();
    each_stmt(body, &mut |stmt| match stmt {
        Stmt::Scan(scans) => {
            let counted = |scan: &&Scan| kernel.args[scan.from].ty == Ty::Bool;
            let counted = scans.iter().filter(counted).filter(|scan| scan.from != scan.to);
            counts.extend(counted.map(|scan| scan.to));
        }
        Stmt::Owners(told) => counts.push(told.to),
        _ => {}
    });
    let used = dead::arrays(body);
    let (mut words, mut bytes) = (0, 0);
    for (arg, info) in kernel.args.iter().filter(|(arg, _)| used.contains(arg)) {
        let wide = matches!(info.ty, Ty::I64 | Ty::F64) && !counts.contains(&arg);
        match info.kind {
            ArgKind::Private(len) => words += len * if wide { 2 } else { 1 },
            ArgKind::Shared(len) => bytes += len * if wide { 8 } else { 4 },
            _ => {}
        }
    }
    [words, bytes]
}

/// Calls `visit` with every statement, nested ones too.
fn each_stmt(block: &Block, visit: &mut dyn FnMut(&Stmt)) {
    for stmt in block {
        visit(stmt);
        stmt.blocks().into_iter().for_each(|block| each_stmt(block, visit));
    }
}
