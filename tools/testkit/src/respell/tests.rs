//! Each rule in a program where it applies, and all rules in generated programs.

use super::{RULES, apply, context, spellings};
use expect_test::expect_file;

/// For each rule a program, of functions and a call.
const EXAMPLES: &[(&str, &str)] = &[
    ("commute", "function g(a, b) = a - b * 2 + max(a, b); g(1, 2);"),
    ("mirror", "function g(a, b) = if a - 1 < b then a else b; g(1, 2);"),
    ("mirror-test", "function g(a, b) = if a == b then 1 else if a < b then 2 else 3; g(1, 2);"),
    ("nest-tests", "function g(a, b) = if a > 0 and b > 0 then a else b; g(1, 2);"),
    ("choose-argument", "function h(a) = a + 1; function g(a) = if a > 0 then h(a) else h(-a); g(3);"),
    ("choose-call", "function h(a) = a + 1; function g(a) = h(if a > 0 then a else -a); g(3);"),
    ("test-at-call", "function g(a, n) = if n == 0 then a else g(2 * a, n - 1) + 1; g(1, 3);"),
    ("name-operands", "function g(v) = let n = sum({x * x : x in v}) + max_val(v) in n + sum(v); g([1, 2]);"),
    ("inline-lets", "function g(v) = let s = sum(v); n = s + 1 in if #v > 1 then n else 2 * n; g([1, 2]);"),
    ("split-tuples", "function g(v) = let (a, b) = (sum(v), #v) in a / b; g([1, 3]);"),
    ("join-lets", "function g(v) = let a = sum(v); b = #v in a / b; g([1, 3]);"),
    ("swap-lets", "function g(v) = let a = sum(v); b = #v in a / b; g([1, 3]);"),
    ("calls-in-lets", "function g(v) = let s = {sum(w) : w in [v, take(v, 1)]} in s[0] - s[1]; g([1, 3]);"),
    ("calls-in-lanes", "function g(n) = if n < 2 then n else let a = g(n - 1); b = g(n - 2) in a + b; g(9);"),
    ("operands-in-lanes", "function g(n) = if n < 2 then n else g(n - 1) + 1 + g(n - 2); g(9);"),
    ("swap-lanes", "function g(v) = let s = {sum(w) : w in [v, take(v, 1)]} in s[0] - s[1]; g([1, 3]);"),
    ("pairs-in-lanes", "function g(a, b) = {p - q : p in [a, b]; q in [b, 7]}; g(1, 3);"),
    ("pack", "function g(v) = {x in reverse(v) | x > 1} ++ {2 * x : x in v | x < 3}; g([1, 2, 3]);"),
    ("filter-first", "function g(v) = {2 * x : x in v | x < 3}; g([1, 2, 3]);"),
    ("gather", "function g(v, k) = {v[i] : i in k}; g([1, 2, 3], [2, 0]);"),
    ("read-each", "function g(v, k) = v -> reverse(k); g([1, 2, 3], [2, 0]);"),
    ("zip", "function g(v, w) = {x - y : x in v; y in w | x > y} ++ {x in v; y in w | x > y}; g([1, 2], [0, 3]);"),
    ("flatten", "function g(v) = v ++ [0] ++ reverse(v); g([1, 2]);"),
    ("append", "function g(v) = flatten([v, [0], reverse(v)]); g([1, 2]);"),
    ("split-body", "function g(v) = {abs(x - 2) + y : x in v; y in reverse(v)}; g([1, 2]);"),
    ("helper-for-value", "function g(v, p) = let less = {x in v | x < p} in #less; g([1, 2], 2);"),
    ("helper-for-lets", "function g(v) = let p = v[0]; w = {x in v | x > p} in sum(w) - p; g([1, 2]);"),
    ("helper-for-arm", "function g(v, n) = if n == 0 then v else g({x + n : x in v}, n - 1); g([1, 2], 2);"),
    ("kept-by", "function g(v, p) = {x in v | x < p} ++ {x in v | x > p}; g([1, 2, 3], 2);"),
    ("made-by", "function g(v, p) = {x - p : x in v}; g([1, 2, 3], 2);"),
    ("swap-parameters", "function h(a, b) = a - b; function g(a) = h(a, 1) + h(h(a, 2), a); g(5);"),
    ("columns", "function g(v, n) = if n == 0 then sum({x * y : (x, y) in v}) else g({(y, x + n) : (x, y) in v}, n - 1);
      g([(1, 2), (3, 4)], 3);"),
];

#[test]
fn each_rule_rewrites_and_keeps_values() {
    let mut shown = String::new();
    for rule in RULES {
        let example = EXAMPLES.iter().find(|example| example.0 == rule.name);
        let (_, program) = example.unwrap_or_else(|| panic!("no example of {}", rule.name));
        let (values, types) = context::outcome(program).unwrap();
        let text = apply(rule, program, &types).unwrap_or_else(|| panic!("{}", rule.name));
        assert_eq!(context::outcome(&text).map(|it| it.0), Ok(values), "{}:\n{text}", rule.name);
        let lines = text.lines().filter(|line| !line.is_empty());
        shown += &format!("{}\n", rule.name);
        shown.extend(lines.map(|line| format!("  {line}\n")));
    }
    expect_file!["rewritten.txt"].assert_eq(&shown);
}

#[test]
fn names_are_not_captured() {
    // `p` of the test would be that of the lanes.
    let program =
        "function g(a, p) = let s = p + 1 in {let p = x in p + x : x in [s, s]}; g(1, 2);";
    assert!(spellings(program, true).is_ok());
    assert!(spellings("function g(a) = rand(a) + 1; g(3);", true).is_err());
    // The value of `s` must not move behind the new `a`.
    let program = "function g(a) = let s = a + 1; a = 2 * a in s - a * a; g(3);";
    let (_, types) = context::outcome(program).unwrap();
    let inline = RULES.iter().find(|rule| rule.name == "inline-lets").unwrap();
    assert_eq!(apply(inline, program, &types), None);
    let swap = RULES.iter().find(|rule| rule.name == "swap-lets").unwrap();
    assert_eq!(apply(swap, program, &types), None);
}

#[test]
fn other_forms_stay() {
    let program = "datatype point(int, int); a = {x * x : x in [0:3]};
        function g(point(x, y)) = x + y; b = g(point(1, a[2])); b * a[1];";
    let found = spellings(program, false).unwrap();
    assert!(found.iter().any(|it| it.rules == ["commute"]), "{found:?}");
    for it in found {
        assert!(it.text.contains("b = g(point(1, a[2]));\n\nb * a[1];"), "{}", it.text);
    }
}

/// Rules are laws: what they find in programs that nobody wrote for them keeps its values.
#[test]
fn generated_programs_keep_their_values() {
    let mut applied = 0;
    for seed in 0..40 {
        let program = crate::generate::program(seed).to_string();
        if super::is_random(&program) {
            continue;
        }
        // Some programs fail on purpose; their errors may move.
        let Ok((values, types)) = context::outcome(&program) else { continue };
        // Each rule is tried in one program of four, which bounds the time.
        for (_, rule) in
            RULES.iter().enumerate().filter(|(n, _)| (n + seed as usize).is_multiple_of(4))
        {
            let Some(text) = apply(rule, &program, &types) else { continue };
            let found = context::outcome(&text).map(|it| it.0);
            let same = found.as_ref() == Ok(&values);
            assert!(same, "seed {seed}, {}: {:?}\n{text}", rule.name, found.err());
            applied += 1;
        }
    }
    assert!(applied > 50, "rules applied {applied} times");
}
