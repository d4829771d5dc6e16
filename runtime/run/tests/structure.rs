//! How many kernels a call is, and how many vectors they read and write: what fusion leaves.
//!
//! The figures are what the compiler does today; a change that makes one smaller changes it here.

use expect_test::{Expect, expect};
use run::Session;
use run::session::{EngineKind, Event, Given, Options};
use std::path::Path;

/// Elements of each vector that is given.
const LENGTH: usize = 4000;

/// Launches of `whole` with these arguments, and vectors of [`LENGTH`] that these read or write.
/// What a filter keeps is written to memory that counts as nothing while the filter runs.
fn count(definitions: &str, parameters: &str) -> String {
    let mut options = Options::new(EngineKind::Cpu);
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let _ = session.run("test", definitions.as_bytes(), &mut |files, event| {
        if let Event::Failed(errors) = event {
            panic!("{}: {definitions}", errors[0].short(files));
        }
    });
    let given: Vec<Given> = parameters
        .split_whitespace()
        .map(|name| Given { name: name.to_owned(), value: argument(name) })
        .collect();
    let call =
        session.prepare_call("whole", &given).unwrap_or_else(|e| panic!("{e:?}: {definitions}"));
    session.reset_counts();
    session.call(&call).unwrap_or_else(|e| panic!("{e:?}: {definitions}"));
    let stats = &session.report().stats;
    let vectors = stats.bytes_moved as f64 / (8 * LENGTH) as f64;
    format!("{} {vectors:.1}", stats.kernels_run)
}

/// A value for a parameter, by the first letter of its name: floats, ints, or a sparse matrix.
fn argument(name: &str) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    match &name[..1] {
        "i" => list((0..LENGTH).map(|n| (n * 7919 % LENGTH).to_string()).collect()),
        "m" => list(
            (0..LENGTH / 10)
                .map(|row| list((0..10).map(|n| format!("({}, 0.5)", (row * n) % 100)).collect()))
                .collect(),
        ),
        _ => list((0..LENGTH).map(|n| format!("{}.25", n * 7919 % LENGTH)).collect()),
    }
}

/// Prints for each line `parameters: body` the launches and the vectors.
#[track_caller]
fn check(programs: &str, expected: &Expect) {
    let lines = programs.lines().map(str::trim).filter(|line| !line.is_empty());
    let counted = lines.map(|line| {
        let (parameters, body) = line.split_once(": ").unwrap();
        let list = parameters.split_whitespace().collect::<Vec<_>>().join(", ");
        format!("{} | {body}\n", count(&format!("function whole({list}) = {body};"), parameters))
    });
    expected.assert_eq(&counted.collect::<String>());
}

#[test]
fn maps_and_reductions() {
    check(
        "
        x y z: {x * y + z : x in x; y in y; z in z}
        x y: sum({x * y : x in x; y in y})
        x: let l = sqrt(sum({x * x : x in x})) in {x / l : x in x}
        m x: {sum({v * x[c] : (c, v) in row}) : row in m}
        x: (sum(x), sum({x * x : x in x}))
        x: (max_val(x), min_val(x), sum(x))
        x: {sqrt(x) + 1.0 : x in {x * x : x in x}}
        x: let n = float(#x); mean = sum(x) / n in sum({(x - mean) * (x - mean) : x in x}) / n
        x: let n = float(#x) in sum({x * x : x in x}) / n - (sum(x) / n) * (sum(x) / n)
        x y: {x / sqrt(y) : x in x; y in dist(sum(y), #x)}
        m: (sum({sum({v : (c, v) in row}) : row in m}), max_val({#row : row in m}))
        m: {max_val({v : (c, v) in row}) - min_val({v : (c, v) in row}) : row in m}
        m x: {let s = sum({v : (c, v) in row}) in {v / s : (c, v) in row} : row in m}
        i: #{i in i | rem(i, 2) == 0} + #{i in i | rem(i, 3) == 0}
        x y: any({x > y : x in x; y in y})
        i: sum({sum([0:rem(i, 8)]) : i in i})
        ",
        &expect![[r#"
            1 4.0 | {x * y + z : x in x; y in y; z in z}
            1 2.0 | sum({x * y : x in x; y in y})
            2 3.0 | let l = sqrt(sum({x * x : x in x})) in {x / l : x in x}
            1 3.2 | {sum({v * x[c] : (c, v) in row}) : row in m}
            1 1.0 | (sum(x), sum({x * x : x in x}))
            1 1.0 | (max_val(x), min_val(x), sum(x))
            1 2.0 | {sqrt(x) + 1.0 : x in {x * x : x in x}}
            2 2.0 | let n = float(#x); mean = sum(x) / n in sum({(x - mean) * (x - mean) : x in x}) / n
            1 1.0 | let n = float(#x) in sum({x * x : x in x}) / n - (sum(x) / n) * (sum(x) / n)
            2 3.0 | {x / sqrt(y) : x in x; y in dist(sum(y), #x)}
            1 1.1 | (sum({sum({v : (c, v) in row}) : row in m}), max_val({#row : row in m}))
            1 1.2 | {max_val({v : (c, v) in row}) - min_val({v : (c, v) in row}) : row in m}
            1 2.3 | {let s = sum({v : (c, v) in row}) in {v / s : (c, v) in row} : row in m}
            1 1.0 | #{i in i | rem(i, 2) == 0} + #{i in i | rem(i, 3) == 0}
            1 2.0 | any({x > y : x in x; y in y})
            2 3.1 | sum({sum([0:rem(i, 8)]) : i in i})
        "#]],
    );
}

#[test]
fn filters_and_scans() {
    check(
        "
        x: sum({x in x | x > 0.0})
        x: #{x in x | x > 0.0}
        x: {x * 2.0 : x in {x in x | x > 7.0}}
        x: ({x in x | x < 100.0}, {x in x | x == 100.0}, {x in x | x > 100.0})
        i: plus_scan({i * 2 : i in i})
        i: {i + s : i in i; s in plus_scan(i)}
        i: sum(plus_scan(i))
        x: let p = {x in x | x > 0.0} in sum(p) / float(#p)
        x: let p = {x in x | x > 0.0} in (max_val(p), min_val(p), #p)
        x: {x in {x * 2.0 : x in x | x > 7.0} | x < 100.0}
        x: {x in x | x > 3990.0}[0]
        m: {sum({v : (c, v) in row | c > 3}) : row in m}
        m: {#{v : (c, v) in row | c > 3} : row in m}
        m: {{v * 2.0 : (c, v) in row | c > 3} : row in m}
        x: plus_scan({1 : x in x})
        i: {s * s : s in plus_scan(i)}
        i: let s = plus_scan(i) in {i in i; s in s | s > 100}
        ",
        &expect![[r#"
            1 1.0 | sum({x in x | x > 0.0})
            1 1.0 | #{x in x | x > 0.0}
            1 1.0 | {x * 2.0 : x in {x in x | x > 7.0}}
            1 1.0 | ({x in x | x < 100.0}, {x in x | x == 100.0}, {x in x | x > 100.0})
            1 2.0 | plus_scan({i * 2 : i in i})
            1 2.0 | {i + s : i in i; s in plus_scan(i)}
            1 1.0 | sum(plus_scan(i))
            1 1.0 | let p = {x in x | x > 0.0} in sum(p) / float(#p)
            1 1.0 | let p = {x in x | x > 0.0} in (max_val(p), min_val(p), #p)
            1 1.0 | {x in {x * 2.0 : x in x | x > 7.0} | x < 100.0}
            1 1.0 | {x in x | x > 3990.0}[0]
            1 2.2 | {sum({v : (c, v) in row | c > 3}) : row in m}
            1 1.2 | {#{v : (c, v) in row | c > 3} : row in m}
            2 2.5 | {{v * 2.0 : (c, v) in row | c > 3} : row in m}
            1 1.0 | plus_scan({1 : x in x})
            1 2.0 | {s * s : s in plus_scan(i)}
            2 4.1 | let s = plus_scan(i) in {i in i; s in s | s > 100}
        "#]],
    );
}

#[test]
fn orders() {
    check(
        "
        x i: {x[i] : i in i}
        x i: permute(x, i)
        x: reverse(x)
        x y: x ++ y
        x: drop(x, 1)
        i: sort(i)
        i: permute(i, rank(i))
        x i: permute(x, rank(i))
        i: let r = rank(i); p = permute(i, r) in {p[k] : k in r}
        x: reverse(reverse(x))
        x: sum(x ++ reverse(x))
        x y: take(x, 5) ++ drop(y, 7)
        m: flatten(m)
        i: {i[j] : j in [0:#i]}
        i: let s = sort(i) in {a - b : a in s; b in rotate(s, 1)}
        ",
        &expect![[r#"
            1 3.0 | {x[i] : i in i}
            2 3.0 | permute(x, i)
            1 2.0 | reverse(x)
            1 4.0 | x ++ y
            0 0.0 | drop(x, 1)
            1 2.0 | sort(i)
            1 2.0 | permute(i, rank(i))
            2 5.1 | permute(x, rank(i))
            1 2.0 | let r = rank(i); p = permute(i, r) in {p[k] : k in r}
            1 2.0 | reverse(reverse(x))
            1 1.0 | sum(x ++ reverse(x))
            1 3.0 | take(x, 5) ++ drop(y, 7)
            0 0.0 | flatten(m)
            1 2.0 | {i[j] : j in [0:#i]}
            3 7.1 | let s = sort(i) in {a - b : a in s; b in rotate(s, 1)}
        "#]],
    );
}
