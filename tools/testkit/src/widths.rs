//! Cases of the corpora with narrow numbers: what is expected there is what numbers of 64 bits
//! give, so an engine is compared with the interpreter.

use crate::compare::similar_value;
use crate::{Told, Verdict, on_session};
use base::{Diagnostic, Kind};
use run::session::{EngineKind, Options};

/// How far narrow floats may differ, relative to the larger: reductions associate in any order.
const FAR: f64 = 1e-4;

/// Whether the engine of the options tells what the interpreter does.
pub fn agreement(options: &Options, text: &[u8]) -> Verdict {
    let reference = Options { engine: EngineKind::Interp, ..options.clone() };
    let (right, got) = match (on_session(&reference, text), on_session(options, text)) {
        (Ok(right), Ok(got)) => (right, got),
        (Err(panic), _) | (_, Err(panic)) => return Verdict::Failed(panic),
    };
    for (right, got) in right.iter().zip(&got) {
        match (right, got) {
            (_, Told::Failed { errors, text }) if is_limit(errors) => {
                return Verdict::NotYet(text.clone());
            }
            _ if same(right, got) => {}
            _ => return Verdict::Failed(format!("{got:?} instead of {right:?}")),
        }
    }
    if right.len() == got.len() {
        Verdict::Passed
    } else {
        Verdict::Failed(format!("{} instead of {} forms", got.len(), right.len()))
    }
}

fn is_limit(errors: &[Diagnostic]) -> bool {
    errors.iter().any(|error| error.kind == Kind::Limit)
}

/// Two errors are alike: any of several may be reported.
fn same(right: &Told, got: &Told) -> bool {
    match (right, got) {
        (
            Told::Shown { name, value, ty, printed },
            Told::Shown { name: n, value: v, ty: t, printed: p },
        ) => {
            let [p, printed] = [p, printed].map(|text| String::from_utf8_lossy(text));
            (name, ty) == (n, t) && similar_value(FAR, v, value) && similar_value(FAR, &p, &printed)
        }
        (Told::Failed { .. }, Told::Failed { .. }) => true,
        (Told::Said(a), Told::Said(b)) => a == b,
        _ => false,
    }
}
