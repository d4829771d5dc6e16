//! Errors that are only the consequence of another one.
//!
//! A definition that fails defines nothing, so that its name is unknown to all forms behind it.
//! Whoever mends the definition mends them all, and a message for each would hide it:
//!
//! ```text
//! function mean(s) = summ(s) / float(#s);     `summ` is not defined
//! mean([1.0]);                                fails as well, without a word
//! ```

use base::{Code, Diagnostic, Files, Span};
use std::collections::BTreeSet;
use syntax::ast::{Form, FormKind, Pattern, PatternKind};

/// The names that forms of a group would have defined.
#[derive(Default)]
pub(super) struct Missing(BTreeSet<String>);

impl Missing {
    /// Notes what a form that fails would have defined.
    pub(super) fn add(&mut self, names: &[String]) {
        self.0.extend(names.iter().cloned());
    }

    /// The errors that are no consequences.
    pub(super) fn without_consequences(
        &self,
        errors: Vec<Diagnostic>,
        files: &Files,
    ) -> Vec<Diagnostic> {
        let follows = |error: &Diagnostic| {
            matches!(error.code, Code::UnknownName | Code::Incomplete)
                && error.primary.as_ref().is_some_and(|label| {
                    self.0.contains(&text(files, label.span).to_ascii_lowercase())
                })
        };
        errors.into_iter().filter(|error| !follows(error)).collect()
    }
}

/// The names that a form defines.
pub(super) fn defined(form: &Form, files: &Files) -> Vec<String> {
    match &form.kind {
        FormKind::Function(function) => vec![function.name.text.clone()],
        FormKind::Datatype(datatype) => vec![datatype.name.text.clone()],
        FormKind::Binding(pattern, _) => {
            let mut names = Vec::new();
            bound(pattern, &mut names);
            names
        }
        FormKind::Exp(_) => vec!["it".to_owned()],
        FormKind::Command(..) => Vec::new(),
        FormKind::Error(_) => announced(&text(files, form.span)).into_iter().collect(),
    }
}

fn bound(pattern: &Pattern, names: &mut Vec<String>) {
    match &pattern.kind {
        PatternKind::Name(name) => names.push(name.clone()),
        PatternKind::Pair(a, b) => {
            bound(a, names);
            bound(b, names);
        }
        PatternKind::Construct(_, inner) => bound(inner, names),
        PatternKind::Wildcard | PatternKind::Invalid(_) => {}
    }
}

/// The name that a form begins to define before it goes wrong.
fn announced(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let first = words.find(|word| !word.is_empty())?;
    let name = match first {
        "function" | "datatype" => words.find(|word| !word.is_empty())?,
        name => {
            let rest = text.trim_start().strip_prefix(name)?.trim_start();
            let binds = rest.starts_with('=') && !rest.starts_with("==");
            binds.then_some(name)?
        }
    };
    Some(name.to_owned())
}

fn text(files: &Files, span: Span) -> String {
    let text = &files.file(span.file).text;
    let bytes = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_form_that_does_not_parse() {
        let name = |text| announced(text);
        assert_eq!(name(" function Mean(s = 1"), Some("mean".to_owned()));
        assert_eq!(name("datatype point(,"), Some("point".to_owned()));
        assert_eq!(name("total = 1 +"), Some("total".to_owned()));
        assert_eq!(name("total == 1 +"), None);
        assert_eq!(name("total + 1 +"), None);
        assert_eq!(name("("), None);
    }
}
