//! Whether a launch is handed what its kernel takes.

use crate::{Argument, Failure};
use base::{Diagnostic, Id, Kind};
use kernel::ArgKind;
use prim::Ty;

/// A kernel takes what it takes; anything else is a bug of the caller that would be hard to find.
/// `memory` is where a buffer is, if it has any bytes.
pub(crate) fn check<B>(
    kernel: &str,
    kinds: &[(Ty, ArgKind)],
    args: &[Argument<'_, B>],
    memory: impl Fn(&B) -> Option<usize>,
) -> Result<(), Failure> {
    let fits = |(arg, (ty, kind)): (&Argument<'_, B>, &(Ty, ArgKind))| match arg {
        Argument::Scalar(value) => *kind == ArgKind::Scalar && value.ty() == *ty,
        Argument::Buffer(_) => *kind != ArgKind::Scalar,
        Argument::Past(..) => kind.is_written(),
    };
    if args.len() == kinds.len() && args.iter().zip(kinds).all(fits) {
        debug_assert!(!overlap(kinds, args, memory), "outputs of {kernel} overlap other arguments");
        return Ok(());
    }
    let message = format!("kernel {kernel} was launched with other arguments than its own");
    Err(Failure::Broken(Box::new(Diagnostic::new(Kind::Bug, message))))
}

/// Whether an output is the same memory as an argument that it is not over.  Parts of one buffer
/// begin at the same place where the first of them has no room.
fn overlap<B>(
    kinds: &[(Ty, ArgKind)],
    args: &[Argument<'_, B>],
    memory: impl Fn(&B) -> Option<usize>,
) -> bool {
    // Where the buffer is, and how far into it.
    let place = |arg: &Argument<'_, B>| match arg {
        Argument::Buffer(buffer) => memory(buffer).map(|base| (base, None)),
        Argument::Past(buffer, from) => memory(buffer).map(|base| (base, Some(*from))),
        Argument::Scalar(_) => None,
    };
    let same = |a: &Argument<'_, B>, b: &Argument<'_, B>| match (place(a), place(b)) {
        (Some((a, past)), Some((b, beside))) => {
            let parts = a == b && (past.is_some() || beside.is_some());
            !parts && a + past.unwrap_or(0) == b + beside.unwrap_or(0)
        }
        _ => false,
    };
    kinds.iter().enumerate().any(|(out, (_, kind))| {
        let over = match kind {
            ArgKind::Out => None,
            ArgKind::Over(over) => Some(over.input.index()),
            _ => return false,
        };
        let mut others = args.iter().enumerate().filter(|&(n, _)| n != out && Some(n) != over);
        others.any(|(_, arg)| same(&args[out], arg))
    })
}
