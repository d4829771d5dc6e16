//! How many kernels a call is, on cores and on a GPU, how many vectors they read and write, and how
//! many are in use at once: what fusion leaves.
//!
//! The launches on a GPU are those that are planned.
//! The figures are what the compiler does today; a change that makes one smaller changes it here.

mod planned;

use compile::Fusion;
use emit::cuda::CudaText;
use expect_test::{Expect, expect};
use prim::Widths;
use run::Session;
use run::session::{EngineKind, Event, Given, Options};
use std::path::Path;

/// Elements of each vector that is given.
const LENGTH: usize = 4000;

/// Launches of `whole` with these arguments on cores and on a GPU, and vectors of [`LENGTH`]: those
/// that launches on cores read or write, and those in use at once beside the arguments.
/// What a filter keeps is written to memory that counts as nothing while the filter runs.
fn count(definitions: &str, parameters: &str) -> String {
    let mut options = Options::new(EngineKind::Cpu);
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    // What sorts need depends on it.
    options.cpu.threads = Some(2);
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let _ = session.run("test", definitions.as_bytes(), &mut |files, event| {
        if let Event::Failed(errors) = event {
            panic!("{}: {definitions}", errors[0].short(files));
        }
    });
    let given: Vec<Given> =
        parameters.split_whitespace().map(|name| Given::literal(name, argument(name))).collect();
    let call =
        session.prepare_call("whole", &given).unwrap_or_else(|e| panic!("{e:?}: {definitions}"));
    session.reset_counts();
    session.call(&call).unwrap_or_else(|e| panic!("{e:?}: {definitions}"));
    let report = session.report();
    let vectors = |bytes: f64| bytes / (8 * LENGTH) as f64;
    let moved = vectors(report.stats.bytes_moved as f64);
    let peak = vectors(report.memory.peak as f64);
    let on_cores = report.stats.kernels_run;
    let plan = planned::plan::<CudaText>(
        definitions.as_bytes(),
        "whole",
        &given,
        (Fusion::Optimal, Widths::WIDE),
    );
    let on_gpu: usize = plan.funcs.ids().map(|func| planned::launches(&plan, func)).sum();
    format!("{on_cores} {on_gpu} {moved:.1} {peak:.1}")
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

/// Prints for each line `parameters: body` launches on cores and on a GPU, vectors moved, and most
/// vectors at once.
#[track_caller]
fn check(programs: &str, expected: &Expect) {
    check_with("", programs, expected);
}

/// The same, after definitions.
#[track_caller]
fn check_with(definitions: &str, programs: &str, expected: &Expect) {
    let lines = programs.lines().map(str::trim).filter(|line| !line.is_empty());
    let counted = lines.map(|line| {
        let (parameters, body) = line.split_once(": ").unwrap();
        let list = parameters.split_whitespace().collect::<Vec<_>>().join(", ");
        let text = format!("{definitions}\nfunction whole({list}) = {body};");
        format!("{} | {body}\n", count(&text, parameters))
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
        i: sum(flatten({{i * j : j in [0:rem(i, 8)]} : i in i}))
        m i: max_val(flatten({{c * i : (c, v) in row} : row in m; i in take(i, #m)}))
        ",
        &expect![[r#"
            1 1 4.0 1.0 | {x * y + z : x in x; y in y; z in z}
            1 1 2.0 0.0 | sum({x * y : x in x; y in y})
            2 2 3.0 1.0 | let l = sqrt(sum({x * x : x in x})) in {x / l : x in x}
            1 1 3.2 0.1 | {sum({v * x[c] : (c, v) in row}) : row in m}
            1 1 1.0 0.0 | (sum(x), sum({x * x : x in x}))
            1 1 1.0 0.0 | (max_val(x), min_val(x), sum(x))
            1 1 2.0 1.0 | {sqrt(x) + 1.0 : x in {x * x : x in x}}
            2 2 2.0 0.0 | let n = float(#x); mean = sum(x) / n in sum({(x - mean) * (x - mean) : x in x}) / n
            1 1 1.0 0.0 | let n = float(#x) in sum({x * x : x in x}) / n - (sum(x) / n) * (sum(x) / n)
            2 2 3.0 1.0 | {x / sqrt(y) : x in x; y in dist(sum(y), #x)}
            1 2 1.1 0.0 | (sum({sum({v : (c, v) in row}) : row in m}), max_val({#row : row in m}))
            1 1 1.2 0.1 | {max_val({v : (c, v) in row}) - min_val({v : (c, v) in row}) : row in m}
            1 2 2.3 1.2 | {let s = sum({v : (c, v) in row}) in {v / s : (c, v) in row} : row in m}
            1 1 1.0 0.0 | #{i in i | rem(i, 2) == 0} + #{i in i | rem(i, 3) == 0}
            1 1 2.0 0.0 | any({x > y : x in x; y in y})
            2 2 3.1 1.0 | sum({sum([0:rem(i, 8)]) : i in i})
            2 2 4.1 1.0 | sum(flatten({{i * j : j in [0:rem(i, 8)]} : i in i}))
            2 2 2.4 0.1 | max_val(flatten({{c * i : (c, v) in row} : row in m; i in take(i, #m)}))
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
            1 1 1.0 0.0 | sum({x in x | x > 0.0})
            1 1 1.0 0.0 | #{x in x | x > 0.0}
            1 1 1.0 1.0 | {x * 2.0 : x in {x in x | x > 7.0}}
            1 1 1.0 1.0 | ({x in x | x < 100.0}, {x in x | x == 100.0}, {x in x | x > 100.0})
            1 1 2.0 1.0 | plus_scan({i * 2 : i in i})
            1 1 2.0 1.0 | {i + s : i in i; s in plus_scan(i)}
            1 1 1.0 0.0 | sum(plus_scan(i))
            1 1 1.0 0.0 | let p = {x in x | x > 0.0} in sum(p) / float(#p)
            1 1 1.0 0.0 | let p = {x in x | x > 0.0} in (max_val(p), min_val(p), #p)
            1 1 1.0 0.0 | {x in {x * 2.0 : x in x | x > 7.0} | x < 100.0}
            1 1 1.0 0.0 | {x in x | x > 3990.0}[0]
            1 1 2.2 0.1 | {sum({v : (c, v) in row | c > 3}) : row in m}
            1 1 1.2 0.1 | {#{v : (c, v) in row | c > 3} : row in m}
            2 2 2.5 1.2 | {{v * 2.0 : (c, v) in row | c > 3} : row in m}
            1 1 1.0 1.0 | plus_scan({1 : x in x})
            1 1 2.0 1.0 | {s * s : s in plus_scan(i)}
            2 2 4.1 2.0 | let s = plus_scan(i) in {i in i; s in s | s > 100}
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
            1 1 3.0 1.0 | {x[i] : i in i}
            2 2 3.0 1.0 | permute(x, i)
            1 1 2.0 1.0 | reverse(x)
            1 1 4.0 2.0 | x ++ y
            0 0 0.0 0.0 | drop(x, 1)
            1 1 2.0 6.1 | sort(i)
            1 1 2.0 6.1 | permute(i, rank(i))
            2 2 5.1 10.2 | permute(x, rank(i))
            1 1 2.0 1.0 | let r = rank(i); p = permute(i, r) in {p[k] : k in r}
            1 1 2.0 1.0 | reverse(reverse(x))
            1 1 1.0 0.0 | sum(x ++ reverse(x))
            1 1 3.0 1.0 | take(x, 5) ++ drop(y, 7)
            0 0 0.0 0.0 | flatten(m)
            1 1 2.0 1.0 | {i[j] : j in [0:#i]}
            2 2 4.1 7.2 | let s = sort(i) in {a - b : a in s; b in rotate(s, 1)}
        "#]],
    );
}

#[test]
fn examples() {
    check_with(
        include_str!("../../../examples/black-scholes/black-scholes.nesl"),
        "
        s x y r v: black_scholes(s, x, y, r, v)
        i: let s = sort(i); starts = {j in [0:#s] | j == 0 or s[j] /= s[max(j - 1, 0)]} in {(s[a], b - a) : a in starts; b in drop(starts, 1) ++ [#s]}
        ",
        &expect![[r#"
            1 1 6.0 1.0 | black_scholes(s, x, y, r, v)
            3 3 8.1 10.2 | let s = sort(i); starts = {j in [0:#s] | j == 0 or s[j] /= s[max(j - 1, 0)]} in {(s[a], b - a) : a in starts; b in drop(starts, 1) ++ [#s]}
        "#]],
    );
}

#[test]
fn loops_and_places() {
    check_with(
        "function decay(a, k) = if k == 0 then a else decay({x * 0.5 : x in a}, k - 1);
         function smooth(a, k) =
           if k == 0 then a
           else let last = #a - 1
                in smooth({(a[max(i - 1, 0)] + a[min(i + 1, last)]) / 2.0 : i in [0:#a]}, k - 1);
         function both(a, b, k) =
           if k == 0 then (a, b) else both({x + y : x in a; y in b}, {x - y : x in a; y in b}, k - 1);",
        "
        x: decay(x, 7)
        x: smooth(x, 7)
        x: smooth(x, 70)
        x y: both(x, y, 7)
        x y: {x + 1.0 : x in x} ++ {y * 2.0 : y in y}
        x y: let a = {x + 1.0 : x in x} in if sum(y) > 0.0 then a ++ y else y ++ a
        x: take({x * x : x in x}, 2000) ++ [1.0] ++ drop({x * x : x in x}, 2001)
        x i: {x * 2.0 : x in x} <- {(j, 1.0) : j in i}
        x: flatten({[x, x + 1.0] : x in x})
        x: transpose([x, {x + 1.0 : x in x}])
        ",
        &expect![[r#"
            7 1 14.3 1.0 | decay(x, 7)
            7 1 14.3 2.0 | smooth(x, 7)
            70 1 143.3 2.0 | smooth(x, 70)
            7 1 28.6 3.1 | both(x, y, 7)
            1 1 4.0 2.0 | {x + 1.0 : x in x} ++ {y * 2.0 : y in y}
            2 2 5.1 2.1 | let a = {x + 1.0 : x in x} in if sum(y) > 0.0 then a ++ y else y ++ a
            1 1 2.0 1.0 | take({x * x : x in x}, 2000) ++ [1.0] ++ drop({x * x : x in x}, 2001)
            2 2 4.0 1.0 | {x * 2.0 : x in x} <- {(j, 1.0) : j in i}
            1 1 3.0 2.0 | flatten({[x, x + 1.0] : x in x})
            1 1 5.1 4.1 | transpose([x, {x + 1.0 : x in x}])
        "#]],
    );
}
