//! Redefinition, rollback, lookup (LANGUAGE 9.3).

use super::library;
use crate::tree::Global;
use crate::{Checker, dump_global};
use base::Files;
use expect_test::expect;

struct Session {
    checker: Checker,
    files: Files,
}

impl Session {
    fn new() -> Session {
        let mut files = Files::new();
        Session { checker: library(&mut files), files }
    }
    fn run(&mut self, text: &str) {
        let file = self.files.add("test", text);
        let group = syntax::parse(file, text.as_bytes());
        self.checker.begin_group(&group);
        for form in &group.forms {
            self.checker.check(form).unwrap();
        }
        assert!(self.checker.end_group().is_empty());
    }
    /// Runs a text of one form with errors, and returns these.
    fn fails(&mut self, text: &str) -> Vec<String> {
        let file = self.files.add("test", text);
        let group = syntax::parse(file, text.as_bytes());
        self.checker.begin_group(&group);
        let errors = self.checker.check(&group.forms[0]).unwrap_err();
        assert!(self.checker.end_group().is_empty());
        errors.iter().map(|error| format!("{}: {}", error.kind, error.message)).collect()
    }
    fn global(&self, name: &str) -> Global {
        self.checker.lookup(name).unwrap()
    }
    fn moved_to(&self, global: Global) -> Option<Global> {
        self.checker.program.globals[global].moved
    }
}

#[test]
fn same_type_moves() {
    let mut s = Session::new();
    s.run("function inc(x) = x + 1; function same(x) = x;");
    let (old, same) = (s.global("inc"), s.global("same"));
    s.run("function inc(y) = y + 100; function same(x) = 1;");
    assert_eq!(s.moved_to(old), Some(s.global("inc")));
    assert_eq!(s.moved_to(same), None);
}

#[test]
fn library_does_not_move() {
    let mut s = Session::new();
    let old = s.global("first");
    s.run("function first(a, b) = a;");
    assert_eq!(s.moved_to(old), None);
    assert_ne!(s.global("first"), old);
}

#[test]
fn a_new_effect_is_one_of_every_user() {
    let mut s = Session::new();
    s.run("function late(x) : int -> int = 0; function user(x) = late(x) + 1;");
    s.run("function twice(x) = user(x) + user(x); v = twice; w = late;");
    let effects = |s: &Session| {
        ["late", "user", "twice", "v", "w"]
            .map(|name| s.checker.program.globals[s.global(name)].effect)
    };
    assert_eq!(effects(&s), [false; 5]);
    let before = s.checker.checkpoint();
    s.run("function late(x) : int -> int = let _ = print_line(@x) in x;");
    // A value keeps its function, which uses the latest definitions.
    assert_eq!(effects(&s), [true, true, true, true, false]);
    s.run("function late(x) : int -> int = 2;");
    assert_eq!(effects(&s), [false; 5]);
    s.run("function late(x) : int -> int = let _ = print_line(@x) in x;");
    s.checker.rollback(&before);
    assert_eq!(effects(&s), [false; 5]);
}

#[test]
fn a_new_effect_in_lanes_is_refused() {
    let mut s = Session::new();
    s.run("function show(x) = x; function each(s) = {show(x) : x in s};");
    let old = s.global("show");
    let errors = s.fails("function show(x) = let _ = print_line(@x) in x;");
    assert_eq!(errors, ["effect: `show` has an effect, which an apply-to-each does not allow"]);
    assert_eq!(s.global("show"), old);
    s.run("each([1]);");
    // Nobody can call the old one any more.
    s.run("function each(s) = first(s); function show(x) = let _ = print_line(@x) in x;");
    assert_eq!(s.moved_to(old), Some(s.global("show")));
}

/// Functions that call each other by way of a redefinition.
#[test]
fn effects_go_round() {
    let mut s = Session::new();
    s.run("function even(n) : int -> bool = t;");
    s.run("function odd(n) : int -> bool = if n == 0 then f else even(n - 1);");
    s.run("function even(n) : int -> bool = if n == 0 then print_line(\"0\") else odd(n - 1);");
    let effect = |s: &Session, name| s.checker.program.globals[s.global(name)].effect;
    assert!(effect(&s, "odd") && effect(&s, "even"));
    s.run("function even(n) : int -> bool = if n == 0 then t else odd(n - 1);");
    assert!(!effect(&s, "odd") && !effect(&s, "even"));
}

/// A function that is given in lanes must not have an effect, whoever is found out to do so.
#[test]
fn new_lanes_around_an_effect_are_refused() {
    let mut s = Session::new();
    s.run("function call(g, x) : (int -> bool, int) -> bool = g(x);");
    s.run("function say(x) = call(y => print_line(@(y + 0)), x);");
    let errors =
        s.fails("function call(g, x) : (int -> bool, int) -> bool = {g(y) : y in [x]}[0];");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with("effect: "), "{errors:?}");
    s.run("say(3);");
}

#[test]
fn declarations_move() {
    let mut s = Session::new();
    s.run("function inc(x) = x + 1;");
    let old = s.global("inc");
    s.run("function inc(x) : int -> int;");
    let declared = s.global("inc");
    assert_eq!(s.moved_to(old), None);
    s.run("function inc(x) = x + 2;");
    assert_eq!(s.moved_to(old), Some(s.global("inc")));
    assert_eq!(s.moved_to(declared), Some(s.global("inc")));
}

#[test]
fn values_move_after_their_form() {
    let mut s = Session::new();
    s.run("y = 5;");
    let old = s.global("y");
    s.run("y = y + 1;");
    assert_eq!(s.moved_to(old), None);
    let new = s.global("y");
    s.run("0;");
    assert_eq!(s.moved_to(old), Some(new));
}

#[test]
fn rollback() {
    let mut s = Session::new();
    s.run("y = 5; y = 6;");
    let y = s.global("y");
    let before = s.checker.checkpoint();
    s.run("y = 1 / 0;");
    s.checker.rollback(&before);
    assert_eq!(s.global("y"), y);
    s.run("z = y;");
    assert_eq!(s.moved_to(y), None);
    let before = s.checker.checkpoint();
    s.run("new = 1;");
    s.checker.rollback(&before);
    assert!(s.checker.lookup("new").is_none());
}

/// Functions wait again for what is forgotten.
#[test]
fn rollback_in_a_group() {
    let mut s = Session::new();
    let file = s.files.add("test", "function one(x) = two(x); 1; function two(x) = x; 2; one(3);");
    let group = syntax::parse(file, s.files.file(file).text.as_slice());
    s.checker.begin_group(&group);
    let ahead = |s: &mut Session, i: usize| s.checker.check_ahead(&group.forms[i]).map(|f| f.len());
    assert_eq!(ahead(&mut s, 0), Ok(0));
    let before = s.checker.checkpoint();
    for _ in 0..2 {
        assert_eq!([1, 2, 3, 4].map(|i| ahead(&mut s, i)), [Ok(1), Ok(2), Ok(1), Ok(1)]);
        s.checker.rollback(&before);
    }
    let errors = s.checker.end_group();
    assert_eq!(errors.len(), 1, "{errors:?}");
}

/// What is checked ahead does not yet take the place of what it replaces.
#[test]
fn settle() {
    let mut s = Session::new();
    s.run("function one(x) = x;");
    let old = s.global("one");
    let file = s.files.add("test", "function one(y) = (y);");
    let group = syntax::parse(file, s.files.file(file).text.as_slice());
    s.checker.begin_group(&group);
    s.checker.check_ahead(&group.forms[0]).unwrap();
    assert_eq!(s.moved_to(old), None);
    assert_eq!(s.checker.unsettled(), [(old, s.global("one"))]);
    s.checker.settle();
    assert_eq!(s.moved_to(old), Some(s.global("one")));
}

#[test]
fn operators_and_names() {
    let s = Session::new();
    assert_eq!(s.checker.lookup("->"), s.checker.lookup("get"));
    assert!(s.checker.lookup("+").is_some());
    assert!(s.checker.lookup("power").is_none());
    assert!(s.checker.lookup("^").is_some());
    assert!(s.checker.lookup("token").is_none());
    assert!(s.checker.lookup("write_at").is_none());
    assert_eq!(s.checker.library_values().len(), 1);
    let names: Vec<&str> = s.checker.names().filter(|n| n.starts_with("pr")).collect();
    assert_eq!(names, ["product", "print_string", "print_debug", "print_line"]);
}

#[test]
fn polymorphic_values_share_variables() {
    let mut s = Session::new();
    s.run("(g, h) = (x => x, y => [y]);");
    let shown = ["g", "h"].map(|n| dump_global(&s.checker.program, s.global(n))).join("\n");
    expect![[r#"
        g : a -> a :: (a in any), value
        h : a -> [a] :: (a in any), value"#]]
    .assert_eq(&shown);
    let h = s.global("h");
    assert_eq!(s.checker.program.globals[h].scheme.classes.len(), 2);
}
