//! Lengths that are longer than any sequence: sums, products and ranges, in compiled programs.  The
//! interpreter would try to hold what some of these only count.

use prim::Widths;
use run::Session;
use run::session::{EngineKind, Event, Options};
use std::path::Path;

/// Runs a text.  Returns the value of the last form, or the kind of its error.
fn last(widths: Widths, text: &str) -> String {
    let mut options = Options { widths, ..Options::new(EngineKind::Cpu) };
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    options.cpu.threads = Some(2);
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let mut told = String::new();
    let _ = session.run("test", text.as_bytes(), &mut |_, event| match event {
        Event::Shown { value, .. } => told = String::from_utf8(value).unwrap(),
        Event::Failed(errors) => told = errors[0].kind.to_string(),
        Event::Warning(_) | Event::Said(_) => (),
    });
    told
}

#[track_caller]
fn check(widths: Widths, wanted: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(last(widths, text), wanted, "{text}");
    }
}

#[test]
fn products() {
    let texts = [
        "function h(n) = #flatten(dist(dist(7, n), n)); h(3037000500);",
        "function h(n) = #flatten(dist(dist(7, n), n)); h(4294967296);",
        "#flatten(dist(dist(7, 3037000500), 3037000500));",
        "{#flatten(dist(dist(7, n), n)) : n in [4294967296, 2]};",
    ];
    check(Widths::WIDE, "runtime(memory)", &texts);
    check(Widths::NARROW, "limit", &["#flatten(dist(dist(7, 65536), 65536));"]);
    check(Widths::WIDE, "4294967296", &["#flatten(dist(dist(7, 65536), 65536));"]);
}

#[test]
fn sums_of_narrow_lengths() {
    let texts = [
        "#interleave(index(1073741824), index(1073741824));",
        "{#interleave(index(n), index(n)) : n in [2, 1073741824]};",
        "#(index(1500000000) ++ index(1500000000));",
        "{#(index(n) ++ index(n)) : n in [1, 1500000000]};",
        "{#(index(n) ++ index(n) ++ index(n) ++ index(n)) : n in [1, 1500000000]};",
        "#flatten({index(n) : n in [1500000000, 1500000000, 7]});",
    ];
    check(Widths::NARROW, "limit", &texts);
}

#[test]
fn sums_of_wide_lengths() {
    let texts = ["let n = 140737488355328 in #(index(n) ++ [1]);"];
    check(Widths::WIDE, "runtime(memory)", &texts);
    check(Widths::WIDE, "140737488355328", &["#index(140737488355328);"]);
}

#[test]
fn long_ranges() {
    check(Widths::NARROW, "2000000000", &["#[-2000000000:2000000000:2];"]);
    check(Widths::NARROW, "limit", &["#[-2000000000:2000000000];"]);
    check(Widths::NARROW, "2146435072", &["#index(2146435072);"]);
    check(Widths::NARROW, "limit", &["#index(2146435073);"]);
}
