//! What is counted: elements that compiled code reads and writes.

use crate::measure::{Measure, measure, prepare, run, session, with_noise};
use expect_test::{Expect, expect};
use run::session::EngineKind;

/// How many elements expressions touch, one in each line, when `v` has 1000 elements.
#[track_caller]
fn check_counts(expressions: &str, expected: &Expect) {
    let given = "v = {n - i : i in [0:n]}; is = [3, 1, 4]; c = [n, 0];";
    let lines = expressions.lines().map(str::trim).filter(|line| !line.is_empty());
    let counted: Vec<String> =
        lines.map(|e| format!("{e}: {}\n", measure(1000, given, e).touched)).collect();
    expected.assert_eq(&counted.concat());
}

#[test]
fn elements_read_and_written_are_counted() {
    check_counts(
        "{x + 1 : x in v}
         dist(1, n)
         sum(v)
         {v[i] : i in is}
         {if x > 900 then v[i] else 0 : x in v; i in [0:n]}
         {x in v | x > 900}
         plus_scan(v)
         sort(v)
         v <- [(1, 2)]
         v ++ v
         #take(v, 10)",
        &expect![[r#"
            {x + 1 : x in v}: 2000
            dist(1, n): 1000
            sum(v): 1001
            {v[i] : i in is}: 9
            {if x > 900 then v[i] else 0 : x in v; i in [0:n]}: 2000
            {x in v | x > 900}: 3101
            plus_scan(v): 3000
            sort(v): 20000
            v <- [(1, 2)]: 2005
            v ++ v: 4000
            #take(v, 10): 0
        "#]],
    );
}

#[test]
fn reads_of_loops_are_counted() {
    let given = "v = {i * i : i in [0:n]};
                 function steps(v, i, k) = if k == 0 then i else steps(v, rem(v[i], #v), k - 1);";
    // Three lanes, each of which reads an element in each of n runs of its loop.
    let Measure { touched, .. } = measure(1000, given, "{steps(v, i, n) : i in [2, 3, 5]}");
    assert!((3000..3020).contains(&touched), "{touched}");
}

#[test]
fn counting_changes_no_result() {
    let given = with_noise(example!("quicksort"))
        + example!("primes")
        + "keys = {noise(i, 1000) : i in [0:n]};";
    for expression in ["quicksort(keys)", "primes(n)", "(rank(keys), {x in keys | x > 500})"] {
        let counted = measure(500, &given, expression).value;
        let mut plain = session(EngineKind::Cpu, false);
        prepare(&mut plain, 500, &given);
        assert_eq!(counted, run(&mut plain, &format!("{expression};")));
    }
}
