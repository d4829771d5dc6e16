//! Loops that cannot end: the next iteration of a tail recursion is given what this one was given.
//!
//! Code has no effects, so such an iteration is followed by the same one for ever.  A check before
//! the next iteration ends it with an error. Most loops count something, and need no check: `n - 1`
//! is never `n`.
//!
//! ```text
//! function wait(x) = if x == 0 then 0 else wait(x);           fails where x is not 0
//! function down(n) = if n == 0 then 0 else down(n - 1);       no check
//! function gcd(a, b) = if b == 0 then a else gcd(b, rem(a, b));   a check that b is not a, or ...
//! ```

use base::Site;
use prim::{Const, ENDLESS, ScalarOp, Ty};
use scalar::{Atom, Builder, Name, Op, Span, Stmt, Var};

/// Adds the check that one of the next arguments is not what the parameter is now.
pub(crate) fn require_change<R: Name>(
    builder: &mut Builder<R>,
    params: &[Var],
    next: &[Atom<R>],
    span: Span,
) {
    let changed: Vec<(Atom<R>, Atom<R>)> = params
        .iter()
        .zip(next)
        .map(|(&param, &next)| (Atom::Var(param), next))
        .filter(|(param, next)| param != next)
        .collect();
    if changed.iter().any(|&(param, next)| always_differs(builder, param, next)) {
        return;
    }
    let mut cond = Atom::Const(Const::Bool(false));
    for (param, next) in changed {
        let differs = builder.scalar(ScalarOp::Ne, &[next, param], span);
        cond = builder.scalar(ScalarOp::Or, &[cond, differs], span);
        if builder.ty(param) == Ty::F64 {
            // Zeros of both signs are equal, and yet not the same.
            let zero = Atom::Const(Const::F64(0.0));
            let is_zero = builder.scalar(ScalarOp::Eq, &[param, zero], span);
            cond = builder.scalar(ScalarOp::Or, &[cond, is_zero], span);
        }
    }
    if cond != Atom::Const(Const::Bool(true)) {
        let args = [0, ENDLESS].map(|n| Atom::Const(Const::I64(n)));
        builder.push(Stmt::Require { site: Site::Memory, cond, args, span });
    }
}

/// True if a value is the parameter plus or minus a constant that is not 0.
fn always_differs<R: Name>(builder: &Builder<R>, param: Atom<R>, next: Atom<R>) -> bool {
    let Atom::Var(next) = next else { return false };
    let Some(Op::Scalar(op @ (ScalarOp::Add | ScalarOp::Sub), args, _)) = builder.made_by(next)
    else {
        return false;
    };
    let is_step = |atom: Atom<R>| matches!(atom, Atom::Const(Const::I64(n)) if n != 0);
    match args[..] {
        [a, b] if a == param => is_step(b),
        [a, b] if b == param => *op == ScalarOp::Add && is_step(a),
        _ => false,
    }
}
