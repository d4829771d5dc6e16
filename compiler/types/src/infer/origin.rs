//! What a message shows besides the place of a mismatch: where the types come from.
//!
//! ```text
//! (x + 1, #x)                 at `#x`: `x + 1` makes `x` int
//! reduce(max, 0, [1.0])       at `[1.0]`: `0` is int
//! ```

use super::Infer;
use crate::errors::Why;
use crate::graph::{Origin, Ty, placeholder};
use crate::tree::Local;
use base::{Diagnostic, Span};

impl Infer<'_> {
    /// Adds where the types come from that clashed last; the wrong expression has the type `found`
    /// and may be a name.
    pub(super) fn show_origins(
        &mut self,
        error: &mut Diagnostic,
        found: Ty,
        local: Option<Local>,
        why: &Why,
    ) {
        let Some((part, expected)) = self.graph.clashing() else { return };
        if let Some(local) = local
            && let Some(origin) = self.graph.maker(part)
        {
            self.show_maker(error, &origin, local, found);
        }
        if !matches!(why, Why::Argument(_) | Why::Operand(..) | Why::Body(None) | Why::Calls) {
            return;
        }
        let Some(first) = self.graph.first_origin(expected) else { return };
        if matches!(why, Why::Body(None)) {
            let shown = self.shown_alone(expected);
            // It may stand in the body itself.
            *error = error.clone().also(first.whole, format!("here it is used as {shown}"));
            return;
        }
        // Inside its unit a function has one type, which the body and all calls make.
        if let Why::Argument(Some(global)) = why
            && let Some(member) = self.members.iter().find(|member| member.global == *global)
            && let Some(origin) = self.graph.maker(expected)
        {
            let name = member.name.clone();
            let shown = self.shown_alone(expected);
            return also(error, origin.whole, format!("this makes `{name}` take {shown}"));
        }
        let shown = self.shown_alone(first.ty);
        also(error, first.span, format!("this is {shown}"));
        // A local of another function of the unit is none here.
        if let Some(local) = first.local
            && self.at.locals.get(local).is_some_and(|info| info.ty == placeholder(first.ty))
            && let Some(origin) = self.graph.maker(first.ty)
        {
            self.show_maker(error, &origin, local, first.ty);
        }
    }
    /// Adds what gave a name its type.
    fn show_maker(&mut self, error: &mut Diagnostic, origin: &Origin, local: Local, ty: Ty) {
        let shown = self.shown_alone(ty);
        let name = &self.at.locals[local].name;
        also(error, origin.whole, format!("this makes `{name}` {shown}"));
    }
}

/// Adds a place, if it is apart from those that the error shows already.
fn also(error: &mut Diagnostic, span: Span, text: String) {
    let apart = |other: Span| span.end <= other.start || other.end <= span.start;
    let shown = error.primary.iter().chain(&error.secondary);
    if shown.into_iter().all(|label| apart(label.span)) {
        *error = error.clone().also(span, text);
    }
}
