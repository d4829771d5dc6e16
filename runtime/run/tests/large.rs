//! Vectors of many tiles and vectors that no cache holds: maps, scans and copies of them come out
//! as the formula says, at every index.

use run::Session;
use run::session::{EngineKind, Event, Options};
use std::path::Path;

/// Binds `made` to an expression over `n` in one group, and counts in the next at how many indices
/// `i` it is not what the formula says.
fn wrong((n, tiny): (usize, bool), expression: &str, formula: &str) -> String {
    run(
        tiny,
        &[
            format!("n = {n};"),
            format!("made = {expression};"),
            format!("(#made - n) + count({{made[i] /= {formula} : i in [0:n]}});"),
        ],
    )
}

/// Runs groups; gives what is shown last.
fn run(tiny: bool, groups: &[String]) -> String {
    let mut options = Options::new(EngineKind::Cpu);
    options.cpu.tiny = tiny;
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let mut last = String::new();
    for group in groups {
        let _ = session.run("test", group.as_bytes(), &mut |files, event| match event {
            Event::Shown { value, .. } => last = String::from_utf8(value).unwrap(),
            Event::Failed(errors) => panic!("{}", errors[0].short(files)),
            Event::Warning(_) | Event::Said(_) => {}
        });
    }
    last
}

/// A size of several tiles, also as if it were large, so that results go past the caches, and one
/// where they do so on processors that gain by it.
const SIZES: [(usize, bool); 3] = [(100_003, false), (100_003, true), (4_300_019, false)];

#[track_caller]
fn check(expression: &str, formula: &str) {
    for size in SIZES {
        assert_eq!(wrong(size, expression, formula), "0", "{expression} for {size:?}");
    }
}

#[test]
fn maps() {
    check("{3 * i + 1 : i in [0:n]}", "3 * i + 1");
    check("{(i * i, float(i)) : i in [0:n]}", "(i * i, float(i))");
    check("{evenp(i) : i in [0:n]}", "evenp(i)");
}

#[test]
fn scans() {
    check("plus_scan([0:n])", "(i * (i - 1) / 2)");
    // Whole numbers, so that the order of additions does not matter.
    check(
        "plus_scan({float(rem(i, 8)) : i in [0:n]})",
        "float(28 * (i / 8) + rem(i, 8) * (rem(i, 8) - 1) / 2)",
    );
    check(
        "max_scan({if rem(i, 2) == 0 then i else 0 : i in [0:n]})",
        "(if i == 0 then min_int else 2 * ((i - 1) / 2))",
    );
    check(
        "min_scan({float(n - i) : i in [0:n]})",
        "(if i == 0 then infinity else float(n - i + 1))",
    );
}

/// The second scan is written over the first.
#[test]
fn scans_of_scans() {
    let formula = "(if i == 0 then min_int else (i - 1) * (i - 2) / 2)";
    check("max_scan(plus_scan([0:n]))", formula);
    check("{(a, b) : a in max_scan(plus_scan([0:n])); b in [0:n]}", &format!("({formula}, i)"));
}

#[test]
fn scans_with_what_is_made_of_them() {
    check("{s + x : s in plus_scan({2 * i : i in [0:n]}); x in [0:n]}", "i * i");
    check(
        "{(s, p) : s in plus_scan([0:n]); p in max_scan([0:n])}",
        "(i * (i - 1) / 2, if i == 0 then min_int else i - 1)",
    );
}

/// What a lane computes beside what is scanned, with names for what it uses twice.
#[test]
fn scans_beside_maps() {
    check(
        "{(s, x * x + x, x * x - x) : s in plus_scan({x + x : x in [0:n]}); x in [0:n]}",
        "(i * (i - 1), i * i + i, i * i - i)",
    );
}

/// Prefixes that only one arm of a choice uses.
#[test]
fn scans_in_arms() {
    for (n, tiny) in SIZES {
        let groups = [
            format!("n = {n};"),
            "z = [0:n];".to_owned(),
            "made = let zg = [f] ++ dist(t, #z); zk = #z
                    in unpack(z, {zb and zj < zk : zb in zg; zj in enumerate(zg)});"
                .to_owned(),
            "count({made[i] /= max(0, i - 1) : i in [0:n + 1]});".to_owned(),
        ];
        assert_eq!(run(tiny, &groups), "0", "{n}");
    }
}

#[test]
fn filters() {
    for (n, tiny) in SIZES {
        let tests = [
            ("{i in [0:n] | rem(i, 3) == 1}", "3 * i + 1"),
            ("{(i, float(i)) : i in [0:n] | rem(i, 3) == 1}", "(3 * i + 1, float(3 * i + 1))"),
            (
                "{2 * i : i in [0:n] | (if i < 700 then rem(i + 2, 3) else rem(i, 3) - 1) == 0}",
                "6 * i + 2",
            ),
        ];
        for (expression, formula) in tests {
            let groups = [
                format!("n = {n};"),
                format!("kept = {expression};"),
                format!(
                    "(#kept - (n + 1) / 3) + count({{kept[i] /= {formula} : i in [0:#kept]}});"
                ),
            ];
            assert_eq!(run(tiny, &groups), "0", "{expression} for {n}");
        }
    }
}

/// Lanes of routines that use much memory, and move it: keys that are all different, and few keys.
#[test]
fn quicksorts() {
    let quicksort = "function quicksort(a) : [int] -> [int] =
      if #a < 2 then a
      else let pivot = a[#a / 2];
               sorted = {quicksort(v) : v in [{x in a | x < pivot}, {x in a | x > pivot}]}
           in sorted[0] ++ {x in a | x == pivot} ++ sorted[1];";
    for keys in [1_000_003, 10] {
        let keys = format!("a = {{rem(i * 7919 + rem(i * i, 31), {keys}) : i in [0:300000]}};");
        let differ = "count({x /= y : x in quicksort(a); y in sort(a)});".to_owned();
        assert_eq!(run(false, &[quicksort.to_owned(), keys.clone(), differ]), "0", "{keys}");
    }
}
