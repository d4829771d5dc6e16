//! The table of rules.

mod calls;
mod columns;
mod helpers;
mod lanes;
mod lets;
mod operands;
mod sequences;
mod tests;

use super::How::{Everywhere, Program};
use super::Rule;

const fn rule(name: &'static str, law: &'static str, how: super::How) -> Rule {
    Rule { name, law, how }
}

/// All rules.
pub const RULES: &[Rule] = &[
    rule("commute", "a + b = b + a", Everywhere(operands::commute)),
    rule("mirror", "a < b = b > a", Everywhere(operands::mirror)),
    rule("mirror-test", "if c then a else b = if not(c) then b else a", Everywhere(tests::mirror)),
    rule(
        "nest-tests",
        "if a and b then x else y = if a then (if b then x else y) else y",
        Everywhere(tests::nest),
    ),
    rule(
        "choose-argument",
        "if c then g(a) else g(b) = g(if c then a else b)",
        Everywhere(tests::choose_argument),
    ),
    rule(
        "choose-call",
        "g(if c then a else b) = if c then g(a) else g(b)",
        Everywhere(tests::choose_call),
    ),
    rule(
        "test-at-call",
        "g(a) = if test(a) then base(a) else g(a), as g tests and ends with base",
        Everywhere(tests::test_at_call),
    ),
    rule("name-operands", "g(h(a)) = let v = h(a) in g(v)", Everywhere(lets::name_operands)),
    rule("inline-lets", "let v = e in g(v) = g(e)", Everywhere(lets::inline)),
    rule("split-tuples", "let (a, b) = (x, y) = let a = x; b = y", Everywhere(lets::split_tuples)),
    rule("join-lets", "let a = x; b = y = let (a, b) = (x, y)", Everywhere(lets::join)),
    rule("swap-lets", "let a = x; b = y = let b = y; a = x", Everywhere(lets::swap)),
    rule(
        "calls-in-lets",
        "{g(v) : v in [a, b]} = let x = g(a); y = g(b) in [x, y]",
        Everywhere(calls::in_lets),
    ),
    rule(
        "calls-in-lanes",
        "let x = g(a); y = g(b) = let s = {g(v) : v in [a, b]}; x = s[0]; y = s[1]",
        Everywhere(lanes::in_lanes),
    ),
    rule(
        "operands-in-lanes",
        "g(a) ++ g(b) = let s = {g(v) : v in [a, b]} in s[0] ++ s[1]",
        Everywhere(lanes::operands_in_lanes),
    ),
    rule(
        "swap-lanes",
        "let s = {g(v) : v in [a, b]} in h(s[0], s[1]) = let s = {g(v) : v in [b, a]} in h(s[1], s[0])",
        Everywhere(lanes::swap_lanes),
    ),
    rule(
        "pairs-in-lanes",
        "{g(p, q) : p in [a, b]; q in [c, d]} = {g(p, q) : (p, q) in [(a, c), (b, d)]}",
        Everywhere(lanes::pairs_in_lanes),
    ),
    rule("pack", "{x in v | c} = pack(zip(v, {c : x in v}))", Everywhere(sequences::pack)),
    rule(
        "filter-first",
        "{e : x in v | c} = {e : x in {x in v | c}}",
        Everywhere(sequences::filter_first),
    ),
    rule("gather", "{v[i] : i in k} = v -> k", Everywhere(sequences::gather)),
    rule("read-each", "v -> k = {v[i] : i in k}", Everywhere(sequences::read_each)),
    rule("zip", "{e : x in v; y in w} = {e : (x, y) in zip(v, w)}", Everywhere(sequences::zip)),
    rule("flatten", "a ++ b = flatten([a, b])", Everywhere(sequences::flatten)),
    rule("append", "flatten([a, b]) = a ++ b", Everywhere(sequences::append)),
    rule(
        "split-body",
        "{g(h(x)) : x in v} = {g(y) : y in {h(x) : x in v}}",
        Everywhere(sequences::split_body),
    ),
    rule(
        "helper-for-value",
        "let v = e = let v = helper(a), helper(a) = e",
        Everywhere(helpers::for_value),
    ),
    rule(
        "helper-for-lets",
        "let x = a; y = b = let (x, y) = helper(v), helper(v) = let x = a; y = b in (x, y)",
        Everywhere(helpers::for_lets),
    ),
    rule(
        "helper-for-arm",
        "if c then a else b = if c then a else helper(v), helper(v) = b",
        Everywhere(helpers::for_arm),
    ),
    rule(
        "kept-by",
        "{x in v | c} = kept(v, x => c), kept(v, test) = {x in v | test(x)}",
        Everywhere(helpers::kept_by),
    ),
    rule(
        "made-by",
        "{e : x in v} = each(v, x => e), each(v, body) = {body(x) : x in v}",
        Everywhere(helpers::made_by),
    ),
    rule(
        "swap-parameters",
        "g(a, b) = g(b, a), where the definition is swapped, too",
        Program(columns::swap_parameters),
    ),
    rule(
        "columns",
        "g(v) = g(x, y), where (x, y) = unzip(v), v = zip(x, y)",
        Program(columns::columns),
    ),
];

/// Rules that together make what somebody writes.
pub const TOGETHER: &[&[&str]] = &[
    &["calls-in-lets", "inline-lets"],
    &["calls-in-lets", "swap-lets"],
    &["calls-in-lets", "join-lets"],
    &["calls-in-lets", "helper-for-arm"],
    &["name-operands", "helper-for-lets"],
    &["name-operands", "helper-for-value"],
    &["name-operands", "pack"],
    &["mirror-test", "calls-in-lets"],
    &["test-at-call", "calls-in-lets"],
    &["zip", "pack"],
    &["columns", "calls-in-lets"],
    &["helper-for-arm", "flatten"],
];
