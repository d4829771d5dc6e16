//! What the compiler refuses of a batch, and what is told of that.

use super::engine::Trouble;
use base::{Diagnostic, Kind, Span};
use lower::{Entry, Floats, Forms, Lowered};
use types::tree::{Form, Program};

/// Lowers the forms at these places; takes away the places of those that compiled code cannot do,
/// and gives why.
pub(super) fn lower_forms(
    program: &Program,
    sources: &Forms<'_>,
    forms: &[&Form],
    places: &mut Vec<usize>,
    floats: Floats,
) -> Result<(Lowered, Vec<(usize, Diagnostic)>), Trouble> {
    let lower = |places: &[usize]| {
        let entries: Vec<Entry<'_>> =
            places.iter().map(|&place| Entry::Form(forms[place])).collect();
        lower::lower(program, sources, &entries, floats)
    };
    if let Ok(lowered) = lower(places) {
        return Ok((lowered, Vec::new()));
    }
    let (mut limits, mut wrong) = (Vec::new(), Vec::new());
    for place in std::mem::take(places) {
        match lower(&[place]).map_err(limit) {
            Ok(_) => places.push(place),
            Err(Ok(reason)) => limits.push((place, reason)),
            Err(Err(errors)) => wrong.push((place, errors)),
        }
    }
    if !wrong.is_empty() {
        return Err(Trouble::Refused(wrong));
    }
    // Together they may exceed what each of them does not.
    loop {
        let reason = match lower(places).map_err(limit) {
            Ok(lowered) => return Ok((lowered, limits)),
            Err(Ok(reason)) => reason,
            Err(Err(errors)) => {
                return Err(Trouble::Refused(
                    places.iter().map(|&p| (p, errors.clone())).collect(),
                ));
            }
        };
        let more = places.split_off(places.len() / 2);
        limits.extend(more.into_iter().map(|place| (place, reason.clone())));
    }
}

/// Why the compiler cannot do what the interpreter can, if that is all that is wrong.
pub(super) fn limit(errors: Vec<Diagnostic>) -> Result<Diagnostic, Vec<Diagnostic>> {
    if errors.iter().all(|error| error.kind == Kind::Limit) {
        errors.into_iter().next().ok_or_else(Vec::new)
    } else {
        Err(errors)
    }
}

/// Tells that something is interpreted as the compiler cannot do it.
pub(super) fn interpreted(limit: Diagnostic) -> Diagnostic {
    Diagnostic { message: format!("interpreted, not compiled: {}", limit.message), ..limit }
}

/// Tells that much is interpreted though all that has no effect is compiled.
pub(super) fn slow(span: Span) -> Diagnostic {
    let message = "much of this is interpreted, not compiled";
    Diagnostic::at(Kind::Limit, span, message.to_owned())
        .note("effects and `print_debug` are interpreted, and all that is in lanes with them")
        .note("expressions without them are compiled")
}
