//! Tests: source in, nest out; and what the nest evaluator makes of it.

mod entries;
mod fast;
mod functions;
mod library;
mod limits;
mod values;

use crate::{Entry, Floats, Forms, Lowered, lower};
use base::{Diagnostic, Files};
use nest::Datum;
use types::Checker;
use types::tree::{Form, FormKind};

/// The library, in the order of its README.
const LIBRARY: [(&str, &str); 13] = [
    ("convert.nesl", include_str!("../../../stdlib/convert.nesl")),
    ("compare.nesl", include_str!("../../../stdlib/compare.nesl")),
    ("arithmetic.nesl", include_str!("../../../stdlib/arithmetic.nesl")),
    ("sequence.nesl", include_str!("../../../stdlib/sequence.nesl")),
    ("scan.nesl", include_str!("../../../stdlib/scan.nesl")),
    ("move.nesl", include_str!("../../../stdlib/move.nesl")),
    ("nest.nesl", include_str!("../../../stdlib/nest.nesl")),
    ("sort.nesl", include_str!("../../../stdlib/sort.nesl")),
    ("set.nesl", include_str!("../../../stdlib/set.nesl")),
    ("text.nesl", include_str!("../../../stdlib/text.nesl")),
    ("number.nesl", include_str!("../../../stdlib/number.nesl")),
    ("show.nesl", include_str!("../../../stdlib/show.nesl")),
    ("output.nesl", include_str!("../../../stdlib/output.nesl")),
];

/// A checked program.
struct Session {
    files: Files,
    checker: Checker,
    forms: Vec<Form>,
}

fn session(source: &str) -> Session {
    let mut files = Files::new();
    let library: Vec<_> = LIBRARY
        .iter()
        .map(|(name, text)| syntax::parse(files.add_library(*name, *text), text.as_bytes()))
        .collect();
    let mut checker = Checker::new(&library).expect("the library is right");
    let group = syntax::parse(files.add("test", source), source.as_bytes());
    checker.begin_group(&group);
    let mut forms = Vec::new();
    for form in &group.forms {
        forms.extend(checker.check(form).expect("the test is right"));
    }
    assert!(checker.end_group().is_empty());
    Session { files, checker, forms }
}

impl Session {
    /// The forms that bind values, but for the last one.
    fn values(&self) -> Forms<'_> {
        let mut values = Forms::default();
        for form in &self.forms[..self.forms.len() - 1] {
            if let FormKind::Evaluate { binds, .. } = &form.kind {
                values.extend(binds.iter().map(|(_, global)| (*global, form)));
            }
        }
        values
    }
    fn lower(&self, entry: &Entry<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        self.lower_with(entry, Floats::Exact)
    }
    fn lower_with(&self, entry: &Entry<'_>, floats: Floats) -> Result<Lowered, Vec<Diagnostic>> {
        let entries = std::slice::from_ref(entry);
        let lowered = lower(&self.checker.program, &self.values(), entries, floats)?;
        if let Err(errors) = nest::verify(&lowered.program) {
            panic!("{}", nest::print_with_errors(&lowered.program, &errors));
        }
        Ok(lowered)
    }
    fn last(&self) -> Result<Lowered, Vec<Diagnostic>> {
        self.lower(&Entry::Form(self.forms.last().expect("a form")))
    }
    fn short(&self, diagnostics: &[Diagnostic]) -> String {
        diagnostics.iter().map(|d| d.short(&self.files) + "\n").collect()
    }
}

/// What the last form becomes, without spans.
#[track_caller]
fn check(source: &str, expect: &expect_test::Expect) {
    let session = session(source);
    match session.last() {
        Ok(lowered) => expect.assert_eq(&without_spans(&lowered.program.to_string())),
        Err(diagnostics) => expect.assert_eq(&session.short(&diagnostics)),
    }
}

/// The value of the last form, which uses no values of others.
#[track_caller]
fn value(source: &str, expect: &expect_test::Expect) {
    let session = session(source);
    let lowered = session.last().unwrap_or_else(|d| panic!("{}", session.short(&d)));
    let entry = &lowered.entries[0];
    let key = entry.key.then(|| Datum::int(1));
    let text = match nest::eval(&lowered.program, entry.func, key.into_iter().collect()) {
        Ok(datum) => match lowered.program.funcs[entry.func].result_type() {
            Some(ty) if *ty == nest::Type::Scalar(prim::Ty::Char).seq() => {
                String::from_utf8_lossy(&datum.chars()).into_owned()
            }
            _ => datum.to_string(),
        },
        Err(fault) => format!("{} {}", session.files.place(fault.span), fault.site.name()),
    };
    expect.assert_eq(&text);
}

/// IR text without ` @file:start:end`.
fn without_spans(text: &str) -> String {
    let strip = |line: &str| {
        let words = line.split(' ').filter(|word| !word.starts_with('@'));
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(|line| strip(line) + "\n").collect()
}
