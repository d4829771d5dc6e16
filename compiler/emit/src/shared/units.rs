//! How a program is split into translation units, and what each of them needs.

use super::kernel::walk;
use kernel::{Body, Kernel, KernelId, Program};
use prim::{ScalarOp, Width};
use scalar::{Func, Op, Stmt};
use std::collections::BTreeMap;

/// Programs with more kernels than this are compiled in a hurry, as their compilers would take seconds
/// for all that they can do.  No example has more than 30.
pub(crate) const MANY: usize = 32;

/// A scalar function.
pub(crate) struct Piece {
    /// Its head.
    pub(crate) declaration: String,
    /// All of it.
    pub(crate) text: String,
}

/// Kernels for each of at most `most` units, given what each kernel takes to compile, in bytes of
/// text; on average a unit takes at least `small`.  No unit is empty unless there are no kernels.
///
/// The largest comes first, each goes to the unit that takes the least so far.  Text of the size
/// `beside` is compiled at the same time: the compiler that has it gets so much less.
pub(crate) fn split(
    sizes: &BTreeMap<KernelId, usize>,
    most: usize,
    small: usize,
    beside: usize,
) -> Vec<Vec<KernelId>> {
    let total: usize = sizes.values().sum();
    let count = (total / small).clamp(1, most);
    let mut order: Vec<KernelId> = sizes.keys().copied().collect();
    order.sort_by_key(|id| std::cmp::Reverse(sizes[id]));
    let mut units = vec![(0, Vec::new()); count];
    if count == most {
        units[0].0 = beside;
    }
    for id in order {
        if let Some((size, ids)) = units.iter_mut().min_by_key(|unit| unit.0) {
            *size += sizes[&id];
            ids.push(id);
        }
    }
    for (_, ids) in &mut units {
        ids.sort();
    }
    let mut units: Vec<_> = units.into_iter().map(|(_, ids)| ids).collect();
    if !sizes.is_empty() {
        units.retain(|ids| !ids.is_empty());
    }
    units
}

/// Whether decimal digits of floats are computed.
pub(crate) fn needs_decimal(program: &Program, functions: &[Func], kernels: &[&Kernel]) -> bool {
    let mut decimal = false;
    for &id in functions {
        let body = &program.scalars[id].code.body;
        super::facts::walk(body, &mut |stmt| decimal |= is_decimal(stmt));
    }
    for kernel in kernels {
        if let Body::Tiles { body, finish, .. } = &kernel.body {
            walk(body, &mut |stmt| decimal |= is_decimal(stmt));
            walk(finish, &mut |stmt| decimal |= is_decimal(stmt));
        }
    }
    decimal
}

/// The line that says of which widths the program is; none if they are the usual ones.
pub(crate) fn widths(program: &Program) -> String {
    let mut text = String::new();
    if program.widths.int == Width::W32 {
        text.push_str("#define NESL_INT_32\n");
    }
    if program.widths.float == Width::W32 {
        text.push_str("#define NESL_FLOAT_32\n");
    }
    text
}

/// Whether a statement computes decimal digits of a float.
pub(crate) fn is_decimal<R>(stmt: &Stmt<R>) -> bool {
    let decimal =
        |op: &ScalarOp| matches!(op, ScalarOp::Digits | ScalarOp::DigitsAbove | ScalarOp::Exponent);
    matches!(stmt, Stmt::Let(_, Op::Scalar(op, ..)) if decimal(op))
}
