//! Deep and long texts.

use super::with_stack;
use crate::MAX_DEPTH;
use crate::ast::FormKind;

/// What becomes of the first form: `ok`, or the kind of its error.
fn outcome(source: String) -> String {
    with_stack(move || {
        let (_, group) = super::parse(source.as_bytes());
        match &group.forms[0].kind {
            FormKind::Error(errors) => errors[0].kind.to_string(),
            _ => "ok".to_string(),
        }
    })
}

/// `head` repeated, `middle`, `tail` repeated.
fn nested(head: &str, middle: &str, tail: &str, levels: u32) -> String {
    format!("{}{middle}{};", head.repeat(levels as usize), tail.repeat(levels as usize))
}

/// Texts whose tree has at most two nodes a level.
const SHAPES: [(&str, &str, &str); 10] = [
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("-", "1", ""),
    ("1, ", "1", ""),
    ("a -> ", "a", ""),
    ("x => ", "x", ""),
    ("", "1", " + 1"),
    ("", "f", " x"),
    ("", "a", "[0]"),
    ("if t then 1 else ", "2", ""),
];

#[test]
fn deep_nesting_is_read() {
    for (head, middle, tail) in SHAPES {
        let source = nested(head, middle, tail, MAX_DEPTH / 2 - 10);
        assert_eq!(outcome(source), "ok", "{head}{middle}{tail}");
    }
}

#[test]
fn deeper_nesting_is_a_limit() {
    for (head, middle, tail) in SHAPES {
        let source = nested(head, middle, tail, MAX_DEPTH + 1);
        assert_eq!(outcome(source), "limit", "{head}{middle}{tail}");
    }
}

#[test]
fn deep_types_and_patterns() {
    let levels = MAX_DEPTH as usize - 20;
    let ty = format!("function g(x) : {}int{};", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(outcome(ty), "ok");
    assert_eq!(outcome(format!("{}x = 1;", "wrap ".repeat(levels))), "ok");
    let ty = format!("function g(x) : {}int;", "int -> ".repeat(MAX_DEPTH as usize + 1));
    assert_eq!(outcome(ty), "limit");
}

#[test]
fn long_texts() {
    assert_eq!(outcome(format!("[{}1];", "1, ".repeat(1_000_000))), "ok");
    assert_eq!(outcome(format!("let {}y = 1 in y;", "x = 1; ".repeat(100_000))), "ok");
}

#[test]
fn the_form_after_a_limit_is_read() {
    let source = format!("{} 2; 3;", nested("(", "1", ")", MAX_DEPTH + 1));
    let forms = with_stack(move || {
        let (_, group) = super::parse(source.as_bytes());
        crate::show::group(&group)
    });
    assert_eq!(forms, "(error limit: this is nested too deeply)\n2\n3\n");
}
