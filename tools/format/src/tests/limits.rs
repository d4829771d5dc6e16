//! Deep and long texts: neither the stack nor the time may grow too much.

use super::formatted;
use crate::WIDTH;
use std::thread;
use std::time::{Duration, Instant};

/// The stack that the description of the crate promises to be enough.
const STACK: usize = 512 << 20;

/// Formats within a time that is ample for linear work; gives the lengths of the result and of its
/// longest line, without brackets at its end.
fn lengths(source: &str) -> (usize, usize) {
    let start = Instant::now();
    let work = || formatted(source.as_bytes(), WIDTH);
    let thread = thread::Builder::new().stack_size(STACK);
    let text = thread::scope(|scope| thread.spawn_scoped(scope, work).unwrap().join().unwrap());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let lines = text.split(|byte| *byte == b'\n');
    // Brackets that close stay with what they close, however many they are.
    let open = lines.map(|line| line.iter().rposition(|byte| !b")]};".contains(byte)));
    (text.len(), open.max().flatten().map_or(0, |last| last + 1))
}

/// What is repeated before and behind something, and how many nodes of the tree that makes.
const SHAPES: [(&str, &str, &str, u32); 14] = [
    ("(", "1", ")", 1),
    ("[", "1", "]", 1),
    ("{x : x in ", "s", "}", 2),
    ("g(", "1", ", 2)", 3),
    ("-", "1", "", 1),
    ("1, ", "1", "", 1),
    ("a -> ", "a", "", 1),
    ("x => ", "x", "", 1),
    ("", "1", " + 1", 1),
    ("", "g", " x", 1),
    ("", "a", "[0]", 1),
    ("if a then 1 else ", "2", "", 1),
    ("if a then ", "2", " else 1", 1),
    ("let a = 1 in ", "2", "", 1),
];

#[test]
fn the_deepest_nesting() {
    for (head, middle, tail, nodes) in SHAPES {
        let levels = (syntax::MAX_DEPTH / nodes) as usize - 20;
        let source = format!("{}{middle}{};", head.repeat(levels), tail.repeat(levels));
        let (length, longest) = lengths(&source);
        assert!(length < 100 * source.len(), "{head}{middle}{tail}: {length}");
        // Signs before an operand stay together.
        assert!(longest <= WIDTH || head == "-", "{head}{middle}{tail}: {longest}");
    }
}

#[test]
fn long_sequences() {
    let (length, longest) = lengths(&format!("x = [{}1];", "12345, ".repeat(1_000_000)));
    // A line has 13 numbers behind five blanks.
    assert!((7_000_000..7_500_000).contains(&length), "{length}");
    assert_eq!(longest, 5 + 13 * 7 - 1);
}

#[test]
fn many_bindings_and_forms() {
    let texts = [
        format!("let {}y = 1 in y;", "x = 1; ".repeat(100_000)),
        "x = {y + 1 : y in s}; % c %\n".repeat(100_000),
        "% c %\n".repeat(100_000),
        format!("x = {}1;", "1 + % c %\n".repeat(10_000)),
    ];
    for text in texts {
        let (length, longest) = lengths(&text);
        assert!(longest < 40 && length < 4 * text.len(), "{longest} {length}");
    }
}
