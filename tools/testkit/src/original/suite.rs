//! The tests of a source of the original.

use base::{FileId, Files, Span};
use std::fmt::Write;
use std::io;
use std::path::Path;
use syntax::ast::{Exp, ExpKind, FormKind, Function, Pattern};

/// The function that a suite calls for each test.
const TEST: &str = "test";
/// The name of the function that a test becomes.
const NAME: &str = "nesl_original_test";

/// A source, and its tests.
pub(crate) struct Suite {
    /// All definitions of the source.
    definitions: String,
    /// In order.
    pub(crate) tests: Vec<Test>,
}

/// A binding `te = test("name", e)`.
pub(crate) struct Test {
    /// The function that holds it, and the name that is printed.
    pub(crate) name: String,
    /// The definition of a function that gives `e`, and its call.
    forms: String,
}

/// A source text, by spans.
struct Source<'a> {
    text: &'a [u8],
}

impl Suite {
    /// Reads a source, to which definitions are added.  Forms that are no definitions are left
    /// out: they run the suite.
    pub(crate) fn read(path: &Path, before: &str) -> io::Result<Suite> {
        Ok(Suite::parse(&std::fs::read(path)?, before))
    }

    fn parse(text: &[u8], before: &str) -> Suite {
        let source = Source { text };
        let file: FileId = Files::new().add("suite", text);
        let group = syntax::parse(file, text);
        let mut suite = Suite { definitions: format!("{before}\n"), tests: Vec::new() };
        for form in &group.forms {
            match &form.kind {
                FormKind::Exp(_) | FormKind::Command(..) => {}
                _ => suite.definitions += &format!("{};\n", source.of(form.span)),
            }
        }
        let functions: Vec<&Function> = group
            .forms
            .iter()
            .filter_map(|form| match &form.kind {
                FormKind::Function(function) => Some(&**function),
                _ => None,
            })
            .collect();
        for function in &functions {
            let argument = functions.iter().find_map(|other| argument(other, &function.name.text));
            suite.tests.extend(tests(&source, function, argument.unwrap_or(0)));
        }
        suite
    }

    /// The definitions of the suite, then the function and the call of a test.
    pub(crate) fn program(&self, test: &Test) -> String {
        format!("{}{}", self.definitions, test.forms)
    }
}

impl Source<'_> {
    fn of(&self, span: Span) -> String {
        let bytes = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// The tests among the bindings of a function's body.
fn tests(source: &Source<'_>, function: &Function, argument: i64) -> Vec<Test> {
    let Some(Exp { kind: ExpKind::Let(bindings, _), .. }) = &function.body else {
        return Vec::new();
    };
    let mut before = String::new();
    let mut tests = Vec::new();
    for (pattern, bound) in bindings {
        if let Some((name, tested)) = tested(bound) {
            let tested = source.of(tested.span);
            let body = match before.as_str() {
                "" => tested,
                _ => format!("let {before} in {tested}"),
            };
            let param = source.of(function.param.span);
            let forms = format!("function {NAME}({param}) = {body};\n{NAME}({argument});\n");
            tests.push(Test { name: format!("{}: {name}", function.name.text), forms });
        } else {
            let _ =
                write!(before, "{} = {}; ", pattern_text(source, pattern), source.of(bound.span));
        }
    }
    tests
}

fn pattern_text(source: &Source<'_>, pattern: &Pattern) -> String {
    format!("({})", source.of(pattern.span))
}

/// The name and the condition of `test("name", e)`; headings of the suite test a constant.
fn tested(exp: &Exp) -> Option<(String, &Exp)> {
    let ExpKind::Apply { function, argument, .. } = &exp.kind else { return None };
    let (ExpKind::Name(name), ExpKind::Pair(label, tested)) = (&function.kind, &argument.kind)
    else {
        return None;
    };
    let ExpKind::Str(label) = &label.kind else { return None };
    let heading = matches!(tested.kind, ExpKind::Bool(_));
    (name.text == TEST && !heading)
        .then(|| (String::from_utf8_lossy(label).into_owned(), &**tested))
}

/// The int with which a function calls another one among its bindings.
fn argument(caller: &Function, callee: &str) -> Option<i64> {
    let Some(Exp { kind: ExpKind::Let(bindings, _), .. }) = &caller.body else { return None };
    bindings.iter().find_map(|(_, bound)| match &bound.kind {
        ExpKind::Apply { function, argument, .. } => match (&function.kind, &argument.kind) {
            (ExpKind::Name(name), ExpKind::Int(int)) if name.text == callee => Some(*int),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::Suite;
    use expect_test::expect;

    const SUITE: &str = "function test(str, v) = v $
function half(n) = n / 2 $
function big(len) =
  let te = test(\"one\", half(len) == 25);
      twice = 2 * len;
      te = test(\"two\", twice == 100)
  in 0 $
function all(a) = let te = test(\"a heading\", t); te = big(50) in 0 $
all(0) $
";

    #[test]
    fn a_test_has_the_bindings_before_it() {
        let suite = Suite::parse(SUITE.as_bytes(), "");
        let forms: Vec<&str> = suite.tests.iter().map(|test| test.forms.as_str()).collect();
        expect![[r#"
            function nesl_original_test(len) = half(len) == 25;
            nesl_original_test(50);
            function nesl_original_test(len) = let (twice) = 2 * len;  in twice == 100;
            nesl_original_test(50);
        "#]]
        .assert_eq(&forms.concat());
        assert!(!suite.definitions.contains("all(0)"));
    }
}
