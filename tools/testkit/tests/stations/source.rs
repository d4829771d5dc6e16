//! From source to nest, form by form.

use base::Files;
use lower::{Entry, Floats, Forms, lower};
use prim::Const;
use std::cell::RefCell;
use types::Checker;
use types::tree::{Form, FormKind};

thread_local! {
    static LIBRARY: RefCell<Option<(Files, Checker)>> = const { RefCell::new(None) };
}

/// The forms of a text that need no values of others: each as a program, with its arguments.
pub(crate) fn entries(text: &str) -> Vec<(nest::Program, Vec<Const>)> {
    let (mut files, mut checker) = LIBRARY.take().unwrap_or_else(library);
    let start = checker.checkpoint();
    let group = syntax::parse(files.add("case", text), text.as_bytes());
    checker.begin_group(&group);
    let mut forms: Vec<Form> = Vec::new();
    for form in &group.forms {
        forms.extend(checker.check(form).into_iter().flatten());
    }
    checker.end_group();
    let mut values = Forms::default();
    let mut made = Vec::new();
    for form in checker.library_values().iter().chain(&forms) {
        let FormKind::Evaluate { binds, .. } = &form.kind else { continue };
        if let Ok(lowered) = lower(&checker.program, &values, &[Entry::Form(form)], Floats::Exact)
            && lowered.entries[0].inputs.is_empty()
        {
            let key = lowered.entries[0].key.then_some(Const::I64(1));
            made.push((lowered.program, key.into_iter().collect()));
        }
        values.extend(binds.iter().map(|(_, global)| (*global, form)));
    }
    checker.rollback(&start);
    LIBRARY.set(Some((files, checker)));
    made
}

fn library() -> (Files, Checker) {
    let mut files = Files::new();
    let groups: Vec<_> = stdlib::FILES
        .iter()
        .map(|(name, text)| syntax::parse(files.add_library(*name, *text), text.as_bytes()))
        .collect();
    let checker = Checker::new(&groups).unwrap_or_else(|errors| panic!("{errors:?}"));
    (files, checker)
}
