//! Tests by topic.  [`check`] shows what each form defines, [`tree`] the typed program, [`message`]
//! the whole text of errors.

mod again;
mod datatypes;
mod effects;
mod errors;
mod groups;
mod inference;
mod names;
mod redefine;
mod trees;
mod warnings;

use crate::tree::{Form, FormKind};
use crate::{Checker, dump_form, show_scheme, verify};
use base::{Diagnostic, Files};
use expect_test::Expect;
use std::fmt::Write;

/// A library small enough to read, with the functions behind the operators.
const LIBRARY: &str = r#"
datatype token(int);
stdin = token(0);
function get(v, i) "gather" = {elt(v, j) : j in i};
function write(v, w) : ([a], [(int, a)]) -> [a] :: (a in any) "scatter"
  = write_at(v, {i : (i, _) in w}, {x : (_, x) in w});
function power(x, p) : (a, int) -> a :: (a in number) = if p == 0 then x else x * power(x, p - 1);
function pad_string(s, w) : ([char], int) -> [char] "pad" = s;
function range(s, e, d) = {s + d * i : i in index(e - s)};
function dist(x, n) : (a, int) -> [a] :: (a in any) "copies" = {x : _ in index(n)};
function first(a, b) "first of a pair" = a;
function each(g, s) "parallel" = {g(x) : x in s};
function map(g, s) "serial" = {* g(x) : x in s};
function print_line(s) "writes a line" = print_string(helper(s));
function helper(s) = s ++ [code_char(10)];
"#;

fn library(files: &mut Files) -> Checker {
    let file = files.add_library("library", LIBRARY);
    let group = syntax::parse(file, LIBRARY.as_bytes());
    match Checker::new(&[group]) {
        Ok(checker) => checker,
        Err(errors) => panic!("{}", render(&errors, files)),
    }
}

fn render(errors: &[Diagnostic], files: &Files) -> String {
    errors.iter().map(|e| e.render(files, false) + "\n").collect()
}

/// Checks a text as one group with the library behind it; `form` and `errors` make the output.
fn run(
    source: &str,
    form: impl Fn(&Checker, &Form) -> String,
    errors: impl Fn(&[Diagnostic], &Files) -> String,
) -> String {
    let mut files = Files::new();
    let mut checker = library(&mut files);
    let file = files.add("test", source);
    let group = syntax::parse(file, source.as_bytes());
    let mut out = String::new();
    checker.begin_group(&group);
    for next in &group.forms {
        match checker.check(next) {
            Ok(forms) => {
                for done in &forms {
                    assert_eq!(verify(&checker.program, done), Ok(()));
                    let _ = writeln!(out, "{}", form(&checker, done));
                }
            }
            Err(failed) => out.push_str(&errors(&failed, &files)),
        }
    }
    out.push_str(&errors(&checker.end_group(), &files));
    out
}

/// `name : type`, or `kind: message` for each error.
fn check(source: &str, expect: &Expect) {
    expect.assert_eq(&run(source, shown, |errors, _| {
        errors.iter().map(|e| format!("{}: {}\n", e.kind, e.message)).collect()
    }));
}

/// The typed tree of each form.
fn tree(source: &str, expect: &Expect) {
    expect.assert_eq(&run(source, |c, form| dump_form(&c.program, form), render));
}

/// The errors as users see them.
fn message(source: &str, expect: &Expect) {
    expect.assert_eq(&run(source, shown, render));
}

fn shown(checker: &Checker, form: &Form) -> String {
    let program = &checker.program;
    match &form.kind {
        FormKind::Defined(globals) => {
            let types: Vec<String> =
                globals.iter().map(|&g| show_scheme(program, &program.globals[g].scheme)).collect();
            format!("{} : {}", form.shown, types.join(", "))
        }
        FormKind::Evaluate { scheme, .. } => {
            format!("{} : {}", form.shown, show_scheme(program, scheme))
        }
        FormKind::Command(..) => format!("command {}", form.shown),
    }
}
