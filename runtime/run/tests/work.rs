//! Work efficiency: what compiled code reads and writes grows as the cost model of the language
//! says.  Every promise is measured at several sizes of its input, by counting elements; nothing
//! depends on time.

use expect_test::{Expect, expect};
use run::Session;
use run::session::{EngineKind, Event, Options};
use std::path::Path;

/// What one evaluation took, and gave.
#[derive(Debug)]
struct Measure {
    /// The value as printed.
    value: String,
    /// Elements read and written by compiled code.
    touched: u64,
    /// The most bytes of device memory in use at once, since the session began.
    peak: u64,
}

fn session(engine: EngineKind, count: bool) -> Session {
    let mut options = Options::new(engine);
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    options.compile.count = count;
    Session::new(&options, Box::new(std::io::sink())).unwrap()
}

/// Binds `n`, then makes these definitions.
fn prepare(session: &mut Session, n: usize, definitions: &str) {
    run(session, &format!("n = {n};"));
    run(session, definitions);
    session.reset_counts();
}

/// Runs a group; gives what is shown last.
fn run(session: &mut Session, text: &str) -> String {
    let mut last = String::new();
    let _ = session.run("test", text.as_bytes(), &mut |files, event| match event {
        Event::Shown { value, .. } => last = String::from_utf8(value).unwrap(),
        Event::Failed(errors) => panic!("{}", errors[0].short(files)),
        Event::Warning(_) | Event::Said(_) => {}
    });
    last
}

/// What an expression takes on the CPU, after definitions that may use `n`.
fn measure(n: usize, definitions: &str, expression: &str) -> Measure {
    let mut session = session(EngineKind::Cpu, true);
    prepare(&mut session, n, definitions);
    let value = run(&mut session, &format!("{expression};"));
    let report = session.report();
    let (touched, peak) = (report.stats.elements_touched, report.memory.peak as u64);
    Measure { value, touched, peak }
}

/// What an expression costs by the cost model.
fn cost(n: usize, definitions: &str, expression: &str) -> u64 {
    let mut session = session(EngineKind::Interp, false);
    prepare(&mut session, n, definitions);
    run(&mut session, &format!("{expression};"));
    session.report().cost.work
}

/// The expression touches elements, but no more of them when `n` grows by 16, and then at most as
/// many as are given.
#[track_caller]
fn check_constant(definitions: &str, expression: &str, most: u64) {
    let [small, large] = [1 << 10, 1 << 14].map(|n| measure(n, definitions, expression).touched);
    assert!(small > 0, "{expression} touches nothing: nothing is counted");
    assert_eq!(small, large, "{expression} touches more elements when n grows");
    assert!(large <= most, "{expression} touches {large} elements");
}

/// Elements touched for each unit of work by the cost model: at most so many, and hardly more when
/// the input grows from the first size to the second.
#[track_caller]
fn check_work(definitions: &str, expression: &str, sizes: [usize; 2], most: f64) {
    const SLACK: f64 = 1.15;
    let [small, large] = sizes.map(|n| {
        let touched = measure(n, definitions, expression).touched;
        touched as f64 / cost(n, definitions, expression) as f64
    });
    assert!(large <= small * SLACK, "{expression}: {small} elements for a unit, then {large}");
    assert!(small.max(large) <= most, "{expression}: {small} elements for a unit, then {large}");
}

/// Ints from 0 to bound - 1, without order.
const NOISE: &str = "function noise(i, bound) =
    let a = i * 2654435761 + 12345; b = (a xor rshift(a, 15)) * 2246822519
    in mod(b xor rshift(b, 13), bound);
";

fn with_noise(definitions: &str) -> String {
    format!("{NOISE}{definitions}")
}

/// The text of an example.
macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../../../examples/", $name, "/", $name, ".nesl"))
    };
}

// ---- counting ----------------------------------------------------------------------------------

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

// ---- elements of sequences ---------------------------------------------------------------------

#[test]
fn reads_cost_the_elements_read() {
    let given = "v = {i * i : i in [0:n]}; is = {7 * i : i in [0:50]};";
    check_constant(given, "{v[i] : i in is}", 200);
    check_constant(given, "v -> is", 200);
    check_constant(given, "sum({v[i] : i in is})", 150);
}

#[test]
fn free_variables_of_nested_lanes_are_reached_not_copied() {
    let given = "v = {i * i : i in [0:n]}; iss = {[0:k] : k in [0:20]};";
    check_constant(given, "{{v[i] : i in is} : is in iss}", 1000);
    check_constant(given, "{v -> is : is in iss}", 1000);
    // In a call that is lifted, too.
    let given = "v = {i * i : i in [0:n]};
                 function tree(v, k) = if k == 0 then v[0]
                                       else sum({tree(v, k - 1) + v[i] : i in [0:2]});";
    check_constant(given, "tree(v, 5)", 5000);
}

#[test]
fn free_variables_take_no_memory_in_lanes() {
    let given = "a = {i : i in [0:n]}; b = {i : i in [0:n]};";
    for expression in ["{sum({x * y : x in a}) : y in b}", "{sum(a -> [0:y]) : y in b}"] {
        let [small, large] = [1 << 8, 1 << 10].map(|n| measure(n, given, expression));
        // A few vectors of n ints, not n of them.
        assert!(large.peak <= 8 * 8 * (1 << 10), "{expression}: {large:?}");
        assert!(large.peak <= 5 * small.peak, "{expression}: {small:?} {large:?}");
        // An x and a y for each product, and what a lane takes.
        let (products, lanes) = (1 << 20, 1 << 10);
        let most = 2 * products + 16 * lanes;
        assert!(large.touched <= most, "{expression}: {large:?}");
    }
}

// ---- slices ------------------------------------------------------------------------------------

/// 30 rows of n elements.
const ROWS: &str = "rows = {{i * k : i in [0:n]} : k in [0:30]};
    ps = {rem(k, 2) == 0 : k in [0:30]};";

#[test]
fn slices_of_rows_cost_no_elements() {
    for slice in ["take(r, #r / 2)", "drop(r, 10)", "subseq(r, 10, #r - 10)", "take(r, -5)"] {
        check_constant(ROWS, &format!("{{#{slice} : r in rows}}"), 120);
        check_constant(ROWS, &format!("{{let s = {slice} in s[3] + #s : r in rows}}"), 180);
    }
}

#[test]
fn halves_of_rows_cost_no_elements() {
    check_constant(ROWS, "{{#h : h in bottop(r)} : r in rows}", 500);
    check_constant(ROWS, "{{h[0] : h in bottop(r)} : r in rows}", 700);
}

#[test]
fn elements_of_nested_sequences_cost_no_elements() {
    check_constant(ROWS, "{#rows[i] : i in [3, 1, 2, 3]}", 40);
    check_constant(ROWS, "{let r = rows[i] in r[5] + r[6] : i in [3, 1, 2, 3]}", 60);
    check_constant(ROWS, "{#r : r in rows -> [3, 1, 2, 3]}", 60);
    check_constant(ROWS, "{#r : r in take(drop(rows, 3), 10)}", 60);
    check_constant(ROWS, "{{rows[j][i] : j in [0:5]} : i in [0:5]}", 200);
    let cubes = "cubes = {{{i : i in [0:n]} : j in [0:3]} : k in [0:30]};";
    check_constant(cubes, "{#c[1] + c[2][3] : c in cubes}", 400);
    check_constant(cubes, "{{#take(r, 5) : r in take(c, 2)} : c in cubes}", 900);
}

#[test]
fn slices_through_calls_cost_no_elements() {
    let search = "function search(v, x) =
                    if #v == 1 then v[0]
                    else let h = #v / 2 in
                         if v[h] <= x then search(drop(v, h), x) else search(take(v, h), x);
                  rows = {{i * k : i in [0:n]} : k in [1:31]};";
    // The depth is log n; at each, a lane touches a few elements.
    let [small, large] =
        [1 << 10, 1 << 14].map(|n| measure(n, search, "{search(r, #r / 2) : r in rows}").touched);
    assert!(small > 0 && large * 10 <= small * 15, "{small} then {large}");
}

// ---- branches ----------------------------------------------------------------------------------

#[test]
fn an_arm_without_lanes_does_nothing() {
    let given = "rows = {{i * k : i in [0:n]} : k in [0:30]};
                 none = {#r < 0 : r in rows};";
    let arms = "{if p then sum({x * x : x in sort(r)}) else #r : r in rows; p in none}";
    check_constant(given, arms, 600);
    let arms = "{if p then #r else sum({x * x : x in sort(r)})
                : r in rows; p in {not(p) : p in none}}";
    check_constant(given, arms, 600);
}

#[test]
fn arms_that_look_into_one_pool_copy_nothing() {
    let slices = "{(if p then take(r, 3) else drop(r, 3))[1] : r in rows; p in ps}";
    check_constant(ROWS, slices, 900);
    let nested = "{let s = if p then (if #r > 3 then take(r, 3) else r) else r in s[1] + #s
                  : r in rows; p in ps}";
    check_constant(ROWS, nested, 1500);
    let pairs = "{let (a, i) = if p then (take(r, 3), 1) else (r, 2) in a[i] : r in rows; p in ps}";
    check_constant(ROWS, pairs, 900);
    let cubes = "cubes = {{{i : i in [0:n]} : j in [0:3]} : k in [0:30]};
                 ps = {rem(k, 2) == 0 : k in [0:30]};";
    let levels = "{(if p then c else take(c, 2))[1][2] : c in cubes; p in ps}";
    check_constant(cubes, levels, 1000);
    let levels = "{(if p then c else {take(r, 5) : r in c})[1][2] : c in cubes; p in ps}";
    check_constant(cubes, levels, 2500);
}

/// Where the arms of an `if` in lanes, or a call and what it is given, look into different pools,
/// the sequences that are chosen are copied, though the cost model gives an `if` O(1).
#[test]
fn arms_that_look_into_different_pools_copy_what_is_chosen() {
    let given = "rows = {{i * k : i in [0:n]} : k in [0:30]}; more = {reverse(r) : r in rows};
                 ps = {rem(k, 2) == 0 : k in [0:30]};
                 function down(v, k) = if k == 0 then v else down(v, k - 1);";
    for (expression, copies) in [
        ("{(if p then r else q)[5] : r in rows; q in more; p in ps}", 1),
        ("{(if p then take(r, 10) else take(q, 10))[5] : r in rows; q in more; p in ps}", 0),
        ("{down(r, 5)[3] : r in rows}", 5),
    ] {
        for n in [1 << 8, 1 << 12] {
            let Measure { touched, .. } = measure(n, given, expression);
            // An element copied is five reads of descriptors and elements, and a write.
            let most = 6 * copies * 30 * n as u64 + 6000;
            assert!(touched <= most, "{expression}: {touched} elements at {n}");
        }
    }
}

#[test]
fn recursion_ends_where_no_lane_recurs() {
    let given = "function deep(r, k) = if k == 0 then #r
                                       else sum({deep({x * x : x in sort(r)}, k - 1) : i in [0:2]});
                 rows = {{i * k : i in [0:n]} : k in [0:30]};";
    check_constant(given, "{deep(r, 0) : r in rows}", 600);
}

// ---- whole programs ----------------------------------------------------------------------------

#[test]
fn quicksort_touches_n_log_n() {
    let given = with_noise(example!("quicksort")) + "keys = {noise(i, 1000000) : i in [0:n]};";
    let (n, m) = (500.0_f64, 4000.0_f64);
    let [small, large] = [500, 4000].map(|n| measure(n, &given, "quicksort(keys)").touched as f64);
    let growth = (m * m.log2()) / (n * n.log2());
    assert!(large / small <= growth * 1.25, "{small} then {large}: more than {growth}");
    check_work(&given, "quicksort(keys)", [500, 4000], 2.0);
}

#[test]
fn quickhull_does_the_work_of_its_cost() {
    let given = with_noise(example!("quickhull"))
        + "points = {(float(noise(i, 10007)), float(noise(i + n, 10007))) : i in [0:n]};";
    check_work(&given, "convex_hull(points)", [1000, 4000], 0.6);
}

#[test]
fn bfs_does_the_work_of_its_cost() {
    let given = with_noise(example!("bfs"))
        + "edges = {(noise(i, n), noise(i + 5 * n, n)) : i in [0:5 * n]};";
    check_work(&given, "bfs(edges, n, 0)", [500, 2000], 1.0);
}

#[test]
fn barnes_hut_does_the_work_of_its_cost() {
    let given = with_noise(example!("barnes-hut"))
        + "function place(i) = float(noise(i, 100003)) / 1000.0;
           bodies = {(1.0, place(i), place(i + n), place(i + 2 * n)) : i in [0:n]};";
    check_work(&given, "accelerations(bodies, 0.7)", [250, 1000], 0.1);
}

#[test]
fn smxv_does_the_work_of_its_cost() {
    let given = with_noise(example!("smxv"))
        + "m = {{(noise(i + j, n), float(j)) : j in [0:noise(i, 20)]} : i in [0:n]};
           v = {float(i) : i in [0:n]};";
    check_work(&given, "smxv(m, v)", [500, 2000], 0.3);
}

/// The multiples of all primes are more than the numbers below n; no vector is as long.
#[test]
fn primes_keeps_no_multiples() {
    let Measure { peak, .. } = measure(1 << 16, example!("primes"), "primes(n)");
    // Flags, n ints for what the filter may keep, and what it keeps.
    assert!(peak <= (1 + 8 + 2) << 16, "{peak} bytes");
}

#[test]
fn primes_does_the_work_of_its_cost() {
    check_work(example!("primes"), "primes(n)", [2000, 8000], 0.3);
}

#[test]
fn string_search_does_the_work_of_its_cost() {
    let given = with_noise(example!("string-search"))
        + "text = {code_char(97 + noise(i, 4)) : i in [0:n]};";
    check_work(&given, "string_search(\"abcab\", text)", [2000, 8000], 0.4);
}
