//! Endless recursion in plans: a call leads to itself, with the same arguments.
//!
//! Plans have no effects, so such a call repeats for ever. A call is kept after 1024, 2048,
//! 4096 ... calls, and the next few are compared with it. As long as it is kept, its vectors are
//! not overwritten. It is dropped when it returns, because only the calls inside it count.

use crate::frame::Passed;
use device::Device;
use plan::Func;

/// Calls before the first one is kept.
const FIRST: u64 = 1 << 10;
/// So many calls are compared with the one that is kept, the longest cycle that is found.
const COMPARED: u32 = 8;
/// Vectors of more bytes are compared by where they are.
const COMPARED_BYTES: usize = 1 << 20;

/// The calls so far.
pub(super) struct Chain<B> {
    count: u64,
    kept: Option<Kept<B>>,
}

/// A call that was made.
struct Kept<B> {
    func: Func,
    args: Vec<Passed<B>>,
    /// The number of pending calls, this one included.
    depth: usize,
    /// The number of later calls that are still compared with it.
    left: u32,
}

impl<B: Clone> Chain<B> {
    /// No calls.
    pub(super) fn new() -> Chain<B> {
        Chain { count: 0, kept: None }
    }

    /// Records a call at this depth.  Returns true if the kept call, inside which it is, has the
    /// same arguments.
    pub(super) fn comes_back<D: Device<Buffer = B>>(
        &mut self,
        device: &D,
        (func, args): (Func, &[Passed<B>]),
        depth: usize,
    ) -> bool {
        self.count += 1;
        if let Some(kept) = &mut self.kept {
            let same = |(a, b)| is_same(device, a, b);
            if kept.func == func && kept.args.iter().zip(args).all(same) {
                return true;
            }
            kept.left -= 1;
            self.kept.take_if(|kept| kept.left == 0);
        }
        if self.count >= FIRST && self.count.is_power_of_two() {
            self.kept = Some(Kept { func, args: args.to_vec(), depth, left: COMPARED });
        }
        false
    }

    /// Records the return of a call to this depth.
    pub(super) fn returned(&mut self, depth: usize) {
        self.kept.take_if(|kept| kept.depth > depth);
    }
}

/// True if two arguments are indistinguishable to programs.
fn is_same<D: Device>(device: &D, a: &Passed<D::Buffer>, b: &Passed<D::Buffer>) -> bool {
    let memory = match (a, b) {
        (Passed::Scalar(a), Passed::Scalar(b)) => {
            return a.ty() == b.ty() && a.bits() == b.bits();
        }
        (Passed::Buffer(a), Passed::Buffer(b)) => (a, b),
        (Passed::Offsets(a, end), Passed::Offsets(b, other)) if end == other => (a, b),
        _ => return false,
    };
    device.is_same(memory.0, memory.1) || has_same_bytes(device, memory.0, memory.1)
}

fn has_same_bytes<D: Device>(device: &D, a: &D::Buffer, b: &D::Buffer) -> bool {
    let bytes = device.size(a);
    if bytes != device.size(b) || bytes > COMPARED_BYTES || device.wait().is_err() {
        return false;
    }
    let read = |buffer| {
        let mut read = vec![0; bytes];
        device.read(buffer, 0, &mut read);
        read
    };
    read(a) == read(b)
}
