//! Promises of cost: the interpreter counts no more than the language says, and compiled code
//! touches so many elements for each unit of that work, at two sizes, outside lanes and in lanes of
//! very different lengths.

use crate::measure::{Bench, Both, NOISE};
use std::collections::BTreeSet;

/// The two sizes.
const SIZES: [usize; 2] = [1 << 9, 1 << 13];

/// Sequences of n elements, and each as lanes, whose name has an `s` more: a long one, and many of
/// two elements.  `p` is a permutation, `g` has as many T as F, `r` are rows.
const GIVEN: &str = "
lens = [n / 2] ++ dist(2, n / 4);
v = {noise(i, n) : i in [0:n]};         vs = partition(v, lens);
u = {noise(i + n, n) : i in [0:n]};     us = partition(u, lens);
w = {float(x) / 8.0 : x in v};          ws = partition(w, lens);
b = {oddp(x) : x in v};                 bs = partition(b, lens);
g = {oddp(i) : i in [0:n]};             gs = partition(g, lens);
c = {code_char(97 + rem(x, 4)) : x in v}; cs = partition(c, lens);
d = {if rem(x, 5) == 0 then space else code_char(48 + rem(x, 10)) : x in v};
ds = partition(d, lens);
ps = {reverse([0:l]) : l in lens};      p = reverse([0:n]);
r = vs;                                 rs = partition(vs, [n / 8 + 1] ++ dist(2, n / 16));
";

/// How a cost grows with n.
#[derive(Clone, Copy)]
enum Growth {
    Constant,
    Log,
    Linear,
    LinearLog,
}

impl Growth {
    fn named(name: &str) -> Growth {
        match name {
            "1" => Growth::Constant,
            "log" => Growth::Log,
            "n" => Growth::Linear,
            "n log" => Growth::LinearLog,
            _ => panic!("no growth is called {name}"),
        }
    }

    /// How many times as much it is at the second size.
    fn factor(self) -> f64 {
        let [small, large] = SIZES.map(|n| n as f64);
        match self {
            Growth::Constant => 1.0,
            Growth::Log => large.log2() / small.log2(),
            Growth::Linear => large / small,
            Growth::LinearLog => large * large.log2() / (small * small.log2()),
        }
    }
}

/// What is promised.
#[derive(Clone, Copy)]
struct Promise {
    /// How many times as much work, at most, there is at the second size.
    work: f64,
    /// The same of the depth.
    depth: f64,
    /// Elements that may be touched for each unit of work.
    touched: f64,
}

/// How much more than promised a cost may grow, for what is rounded up.
const SLACK: f64 = 1.2;
/// The same of what is expected: it depends on random choices.
const CHANCE: f64 = 2.0;

impl Promise {
    fn new(cost: &str, touched: &str) -> Promise {
        let (cost, slack) = match cost.strip_suffix(" expected") {
            Some(cost) => (cost, CHANCE),
            None => (cost, SLACK),
        };
        let (work, depth) = cost.split_once(" / ").unwrap();
        let [work, depth] = [work, depth].map(|name| Growth::named(name).factor() * slack);
        Promise { work, depth, touched: touched.parse().unwrap() }
    }
}

/// Checks functions or constructs, one in each line: names; how work and depth grow; how many
/// elements may be touched for each unit of the work that the interpreter counts; an expression,
/// which may use `definitions`.
#[track_caller]
pub(crate) fn check(definitions: &str, table: &str) {
    let given = format!("{NOISE}{definitions}{GIVEN}");
    let mut benches = SIZES.map(|n| Bench::new(n, &given));
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let [name, cost, most, expression] = columns(line);
        let promise = Promise::new(cost, most);
        hold(name, expression, promise, benches.each_mut().map(|b| b.measure(expression)));
        // There are as many lanes as elements, but for a factor.
        if let Some(lanes) = lanes(expression) {
            let promise = Promise { work: promise.work.max(Growth::Linear.factor()), ..promise };
            hold(name, &lanes, promise, benches.each_mut().map(|b| b.measure(&lanes)));
        }
    }
}

/// The names that a table checks.
pub(crate) fn names(table: &str) -> impl Iterator<Item = &str> {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    lines.flat_map(|line| columns(line)[0].split(' '))
}

fn columns(line: &str) -> [&str; 4] {
    let columns: Vec<&str> = line.splitn(4, " | ").map(str::trim).collect();
    columns.try_into().unwrap_or_else(|_| panic!("four columns: {line}"))
}

/// The expression in lanes, if it uses sequences.
fn lanes(expression: &str) -> Option<String> {
    let words: BTreeSet<&str> =
        expression.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let given = ["v", "u", "w", "b", "g", "c", "d", "p", "r"];
    let bound: Vec<String> = given
        .iter()
        .filter(|name| words.contains(*name))
        .map(|name| format!("{name} in {name}s"))
        .collect();
    (!bound.is_empty()).then(|| format!("{{{expression} : {}}}", bound.join("; ")))
}

#[track_caller]
fn hold(name: &str, expression: &str, promise: Promise, [small, large]: [Both; 2]) {
    let told = format!("{name}, as {expression}: {small:?}, then {large:?}");
    assert!(large.work <= small.work * promise.work, "work: {told}");
    assert!(large.depth <= small.depth * promise.depth, "depth: {told}");
    for at in [small, large] {
        assert!(at.touched <= at.work * promise.touched, "elements for each unit of work: {told}");
    }
    let (before, after) = (small.touched / small.work, large.touched / large.work);
    assert!(after <= before * SLACK, "elements for each unit of work: {told}");
}
