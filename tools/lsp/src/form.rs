//! What is known of a form by its text alone; it is kept while the form stays as it is.

use crate::names::FormNames;
use base::{Diagnostic, Span};
use syntax::ast::Form;

/// What is known of a form.
pub(crate) struct FormFacts {
    /// What it does with names.
    pub(crate) names: FormNames,
    /// Where the form stood when it was read.
    then: Span,
    /// What may be wrong if nothing is, in the order of the text.
    warnings: Vec<Diagnostic>,
}

impl FormFacts {
    /// What is known of a form of a text.
    pub(crate) fn of(text: &str, form: &Form) -> FormFacts {
        let (names, warnings) = (FormNames::of(text, form), types::warnings(form));
        FormFacts { names, then: form.span, warnings }
    }
    /// The warnings about the form, if it is right, where it stands now.
    pub(crate) fn warnings(&self, now: Span) -> impl Iterator<Item = Diagnostic> {
        self.warnings.iter().map(move |warning| warning.clone().moved(self.then, now))
    }
}
