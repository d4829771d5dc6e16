//! Texts that are known before anything runs: the files that `load` names.
//!
//! ```text
//! folder = "lib/";  load folder ++ "sums";        lib/sums
//! ```
//!
//! A session and the language server follow the forms of a program with this, in their order, and
//! so agree on which file a command means.

use crate::ast::{CommandArg, Exp, ExpKind, Form, FormKind, PatternKind};
use base::{Code, Diagnostic};
use std::collections::BTreeMap;

/// The names bound to such texts.
#[derive(Clone, Debug, Default)]
pub struct Texts(BTreeMap<String, Vec<u8>>);

impl Texts {
    /// Follows a form that has been processed.
    pub fn follow(&mut self, form: &Form) {
        let bound = match &form.kind {
            FormKind::Binding(pattern, exp) => match &pattern.kind {
                PatternKind::Name(name) => self.known(exp).map(|text| (name.clone(), text)),
                _ => None,
            },
            FormKind::Exp(exp) => self.known(exp).map(|text| ("it".to_owned(), text)),
            _ => None,
        };
        form.defines.iter().for_each(|name| {
            self.0.remove(name);
        });
        if matches!(form.kind, FormKind::Exp(_)) {
            self.0.remove("it");
        }
        self.0.extend(bound);
    }

    /// The file that an argument of `load` names.  A word that is bound to no text is itself the
    /// name of a file.
    pub fn file(&self, argument: &CommandArg) -> Result<String, Diagnostic> {
        let text = match argument {
            CommandArg::Name(name) => self.0.get(&name.text).cloned(),
            CommandArg::Exp(exp) => Some(self.known(exp).ok_or_else(|| unknown(exp))?),
            CommandArg::Number(..) | CommandArg::Str(..) => None,
        };
        let lossy = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
        Ok(text.map_or_else(|| argument.text(), lossy))
    }

    /// The text that an expression gives: a literal, a name bound to a text, what `++` joins.
    fn known(&self, exp: &Exp) -> Option<Vec<u8>> {
        match &exp.kind {
            ExpKind::Str(text) => Some(text.clone()),
            ExpKind::Name(name) => self.0.get(&name.text).cloned(),
            ExpKind::Operator(operator, operands) if operator.name == "++" => {
                let texts = operands.iter().map(|operand| self.known(operand));
                texts.collect::<Option<Vec<_>>>().map(|texts| texts.concat())
            }
            _ => None,
        }
    }
}

/// The error about a path that is known only when the program runs.
fn unknown(exp: &Exp) -> Diagnostic {
    Diagnostic::of(
        Code::CommandArguments,
        "the file that `load` names must be known before the program runs",
    )
    .label(exp.span, "this is not")
    .help("a path is a string, a name bound to a string, or several of them joined by `++`")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path of each `load` of a program, or its error.
    fn loads(source: &str) -> Vec<String> {
        let mut texts = Texts::default();
        let mut found = Vec::new();
        for form in crate::parse(base::Id::new(0), source.as_bytes()).forms {
            if let FormKind::Command(_, arguments) = &form.kind {
                found.push(texts.file(&arguments[0]).unwrap_or_else(|error| error.message));
            }
            texts.follow(&form);
        }
        found
    }

    #[test]
    fn a_file_is_a_text_known_before() {
        assert_eq!(loads("load \"a\"; load plain;"), ["a", "plain"]);
        assert_eq!(loads("load \"a/\" ++ \"b\" ++ \".nesl\";"), ["a/b.nesl"]);
        assert_eq!(
            loads("d = \"lib/\"; e = d ++ \"x\"; load d ++ \"y\"; load e;"),
            ["lib/y", "lib/x"]
        );
        assert_eq!(loads("\"a\"; load it;"), ["a"]);
    }

    #[test]
    fn other_expressions_are_errors() {
        let unknown = "the file that `load` names must be known before the program runs";
        assert_eq!(loads("load d ++ \"y\";"), [unknown]);
        assert_eq!(loads("d = \"a\"; d = @3; load d ++ \"y\";"), [unknown]);
        assert_eq!(loads("d = \"a\"; function d(x) = x; load d;"), ["d"]);
        assert_eq!(loads("load \"a\" ++ @1;"), [unknown]);
    }
}
