//! Operands in the other order.

use crate::respell::build::{apply, operator, tuple};
use crate::respell::context::Context;
use syntax::ast::{Exp, ExpKind};

const COMMUTE: [&str; 7] = ["+", "*", "==", "/=", "and", "or", "xor"];
const MIRROR: [(&str, &str); 4] = [("<", ">"), (">", "<"), ("<=", ">="), (">=", "<=")];

/// Both operands of `and` and `or` are evaluated.
pub(super) fn commute(exp: &Exp, context: &mut Context) -> Option<Exp> {
    match &exp.kind {
        ExpKind::Operator(it, operands) => {
            let [a, b] = operands.as_slice() else { return None };
            let known = COMMUTE.contains(&it.name);
            known.then(|| operator(it.name, vec![b.clone(), a.clone()]))
        }
        ExpKind::Apply { function, argument, optional } if optional.is_empty() => {
            let ExpKind::Name(name) = &function.kind else { return None };
            let ExpKind::Pair(a, b) = &argument.kind else { return None };
            let library =
                !context.locals.contains(&name.text) && !context.defined.contains(&name.text);
            let known = library && matches!(name.text.as_str(), "max" | "min");
            known.then(|| apply(&name.text, tuple(vec![(**b).clone(), (**a).clone()])))
        }
        _ => None,
    }
}

pub(super) fn mirror(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let ExpKind::Operator(it, operands) = &exp.kind else { return None };
    let [a, b] = operands.as_slice() else { return None };
    let (_, mirrored) = MIRROR.iter().find(|(sign, _)| *sign == it.name)?;
    Some(operator(mirrored, vec![b.clone(), a.clone()]))
}
