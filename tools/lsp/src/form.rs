//! The facts of a form by its text alone; they are kept while the form stays as it is.

use crate::names::FormNames;
use base::{Diagnostic, Span};
use syntax::ast::Form;

/// The facts of a form.
pub(crate) struct FormFacts {
    /// Its definitions and uses of names.
    pub(crate) names: FormNames,
    /// The place of the form when it was read.
    then: Span,
    /// Warnings of a form without errors, in the order of the text.
    warnings: Vec<Diagnostic>,
}

impl FormFacts {
    /// The facts of a form of a text.
    pub(crate) fn of(text: &str, form: &Form) -> FormFacts {
        let (names, warnings) = (FormNames::of(text, form), types::warnings(form));
        FormFacts { names, then: form.span, warnings }
    }
    /// The warnings about the form, if it is right, where it stands now.
    pub(crate) fn warnings(&self, now: Span) -> impl Iterator<Item = Diagnostic> {
        self.warnings.iter().map(move |warning| warning.clone().moved(self.then, now))
    }
}
