//! A session: the library, a group of forms, and a line for each of them.

use base::{Diagnostic, Files};
use expect_test::Expect;
use interp::{Cost, Interp, on_big_stack};
use std::fs;
use std::io::{Result, Write};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use syntax::ast;
use types::tree::{Form, FormKind};
use types::{Checker, show_scheme};
use value::Shape;
use value::print::Style;

/// Runs the forms and compares: a line `name = value : type` for each value, the error of each form
/// that fails, and before them what the form printed.
pub(crate) fn check(source: &str, expected: Expect) {
    expected.assert_eq(&lines(source));
}

/// The lines that [`check`] compares.
pub(crate) fn lines(source: &str) -> String {
    run(source, &|line, _| line)
}

/// The same with the work and depth of each form.
pub(crate) fn check_cost(source: &str, expected: Expect) {
    expected.assert_eq(&run(source, &|line, cost| {
        format!("{line}  -- work {}, depth {}", cost.work, cost.depth)
    }));
}

/// The errors, as they are shown.
pub(crate) fn check_error(source: &str, expected: Expect) {
    let mut text = String::new();
    on_big_stack(|| {
        Session::start(source, |session, form| {
            if let Err(error) = session.evaluate(form) {
                text += &error.render(&session.files, false);
                text += "\n";
            }
        });
    });
    expected.assert_eq(&text);
}

fn run(source: &str, shown: &(dyn Fn(String, Cost) -> String + Sync)) -> String {
    let mut text = String::new();
    on_big_stack(|| {
        Session::start(source, |session, form| {
            let line = match session.evaluate(form) {
                Ok(line) => shown(line, session.interp.cost),
                Err(error) => error.short(&session.files),
            };
            text += &session.printed();
            text += &line;
            text += "\n";
        });
    });
    text
}

/// The library, read once.
static LIBRARY: LazyLock<(Files, Vec<ast::Group>)> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stdlib");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "nesl"));
    paths.sort();
    let mut files = Files::new();
    let mut groups = Vec::new();
    for path in paths {
        let text = fs::read(&path).unwrap();
        let file = files.add_library(path.file_name().unwrap().to_string_lossy(), text);
        groups.push(syntax::parse(file, &files.file(file).text));
    }
    (files, groups)
});

struct Session {
    files: Files,
    checker: Checker,
    interp: Interp,
    output: Output,
}

impl Session {
    /// Checks the forms of a source and hands those that have a value over.
    fn start(source: &str, mut each: impl FnMut(&mut Session, &Form)) {
        let (files, library) = &*LIBRARY;
        let mut files = files.clone();
        let file = files.add("test", source);
        let checker = match Checker::new(library) {
            Ok(checker) => checker,
            Err(errors) => panic!("the library: {}", errors[0].render(&files, false)),
        };
        let output = Output::default();
        let interp = Interp::new(Box::new(output.clone()));
        let mut session = Session { files, checker, interp, output };
        let group = syntax::parse(file, source.as_bytes());
        session.checker.begin_group(&group);
        for form in &group.forms {
            match session.checker.check(form) {
                Ok(forms) => {
                    for form in forms.iter().filter(|f| matches!(f.kind, FormKind::Evaluate { .. }))
                    {
                        each(&mut session, form);
                    }
                }
                Err(errors) => panic!("{}", errors[0].render(&session.files, false)),
            }
        }
        assert!(session.checker.end_group().is_empty());
    }

    fn evaluate(&mut self, form: &Form) -> std::result::Result<String, Diagnostic> {
        let FormKind::Evaluate { scheme, .. } = &form.kind else { unreachable!() };
        let program = &self.checker.program;
        let value = self.interp.evaluate(program, form)?;
        let shape = Shape::of(&scheme.ty, &[], &program.datas);
        let text = value.show(&shape, Style::shown(100));
        let text = String::from_utf8_lossy(&text);
        Ok(format!("{} = {text} : {}", form.shown, show_scheme(program, scheme)))
    }

    /// What was printed since the last look.
    fn printed(&self) -> String {
        let mut bytes = self.output.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(std::mem::take(&mut *bytes)).unwrap()
    }
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
