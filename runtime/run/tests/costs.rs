//! Costs of functions and lines: whose work is counted where, and that the parts are the whole.

use expect_test::{Expect, expect};
use run::Session;
use run::session::{Costs, EngineKind, Event, Given, Options};
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn session() -> Session {
    let mut options = Options::new(EngineKind::Interp);
    options.account = true;
    Session::new(&options, Box::new(std::io::sink())).unwrap()
}

/// A session that has evaluated a program, and how many of its forms failed.
fn after(text: &[u8]) -> (Session, usize) {
    let mut session = session();
    let mut failed = 0;
    let _ = session.run("test", text, &mut |_, event| {
        failed += usize::from(matches!(event, Event::Failed(_)));
    });
    (session, failed)
}

fn costs(text: &str) -> Costs {
    let (session, failed) = after(text.as_bytes());
    assert_eq!(failed, 0, "{text}");
    session.costs()
}

/// The parts add up to the whole, and no part is larger than what it is a part of.
fn add_up(costs: &Costs) {
    let all = costs.all;
    assert_eq!(costs.forms.iter().map(|form| form.cost.work).sum::<u64>(), all.work);
    assert_eq!(costs.forms.iter().map(|form| form.cost.depth).sum::<u64>(), all.depth);
    assert_eq!(costs.functions.iter().map(|f| f.own_work).sum::<u64>(), all.work);
    assert_eq!(costs.lines.iter().map(|line| line.own_work).sum::<u64>(), all.work);
    for line in &costs.lines {
        // What a library function costs that is called from outside has no line.
        assert!(line.line.is_none() || line.own_work <= line.work, "{line:?}");
        assert!(line.work <= all.work && line.depth <= all.depth, "{line:?}");
    }
    for function in &costs.functions {
        assert!(function.own_work <= function.work, "{function:?}");
        assert!(function.work <= all.work && function.depth <= all.depth, "{function:?}");
    }
}

/// Functions as `name: calls, own work, work, depth`, lines as `line: own work, work, depth`.
fn shown(costs: &Costs) -> String {
    let mut text = format!("work {}, depth {}\n", costs.all.work, costs.all.depth);
    for f in &costs.functions {
        let (name, calls, own) = (&f.name, f.calls, f.own_work);
        writeln!(text, "{name}: {calls}, {own}, {}, {}", f.work, f.depth).unwrap();
    }
    let mut lines: Vec<_> = costs.lines.iter().collect();
    lines.sort_unstable_by_key(|line| line.line);
    for l in lines {
        let line = l.line.map_or(0, |(_, line)| line);
        writeln!(text, "{line}: {}, {}, {}", l.own_work, l.work, l.depth).unwrap();
    }
    text
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let costs = costs(text);
    add_up(&costs);
    expected.assert_eq(&shown(&costs));
}

#[test]
fn work_belongs_to_the_text_that_counts_it() {
    check(
        "function square(x) = x * x;
         function squares(v) =
           {square(x)
            : x in v};
         squares([1, 2, 3]);",
        &expect![[r#"
            work 46, depth 17
            squares: 1, 18, 36, 11
            square: 3, 18, 18, 6
            top level: 1, 10, 46, 17
            1: 18, 18, 6
            3: 17, 35, 10
            4: 1, 1, 1
            5: 10, 46, 17
        "#]],
    );
}

#[test]
fn work_inside_the_library_stands_at_the_call() {
    check(
        "function best(v) =
           max_index(
             v);
         best([2, 1]) +
         sum([1, 2]);",
        &expect![[r#"
            work 68, depth 42
            max_index: 1, 42, 42, 24
            top level: 1, 20, 68, 42
            best: 1, 3, 45, 27
            sum: 1, 3, 3, 1
            2: 45, 45, 27
            4: 12, 57, 36
            5: 11, 11, 6
        "#]],
    );
}

#[test]
fn function_values_belong_to_where_they_are_written() {
    check(
        "function twice(act, x) =
           act(act(x));
         function more(n) =
           let h = x =>
             x + n in
           twice(h, n);
         more(1);
         reduce((a, b) =>
           a + b, 0, [1, 2, 3]);",
        &expect![[r#"
            work 271, depth 223
            reduce: 1, 218, 230, 186
            top level: 2, 29, 271, 196
            more: 1, 19, 24, 24
            twice: 1, 5, 17, 17
            2: 5, 17, 17
            4: 2, 2, 2
            5: 12, 12, 6
            6: 5, 22, 22
            7: 3, 27, 27
            8: 222, 234, 186
            9: 22, 240, 192
        "#]],
    );
}

#[test]
fn a_recursion_counts_its_work_once() {
    check(
        "function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
         fib(5);",
        &expect![[r#"
            work 256, depth 256
            fib: 15, 253, 253, 253
            top level: 1, 3, 256, 256
            1: 253, 253, 253
            2: 3, 256, 256
        "#]],
    );
}

#[test]
fn calls_in_tail_position_are_parts_of_their_callers() {
    check(
        "function even(n) = if n == 0 then t else odd(n - 1);
         function odd(n) = if n == 0 then f else even(n - 1);
         function parity(n) = even(n);
         parity(4);",
        &expect![[r#"
            work 79, depth 74
            even: 3, 41, 73, 68
            odd: 2, 32, 57, 53
            top level: 1, 3, 79, 74
            parity: 1, 3, 76, 71
            1: 41, 73, 68
            2: 32, 32, 30
            3: 3, 76, 71
            4: 3, 79, 74
        "#]],
    );
}

#[test]
fn filters_and_nested_lanes() {
    check(
        "function row(n) = {i in index(n) |
           oddp(i)};
         {sum(row(n))
          : n in [1, 2, 3] |
            n > 1};",
        &expect![[r#"
            work 150, depth 37
            oddp: 5, 60, 60, 11
            top level: 1, 43, 150, 37
            row: 2, 34, 103, 20
            index: 2, 9, 9, 1
            sum: 2, 4, 4, 1
            1: 28, 103, 20
            2: 75, 75, 14
            3: 21, 142, 33
            4: 8, 8, 4
            5: 18, 18, 6
        "#]],
    );
}

/// In one evaluation the depths of its lines add up to the whole.
#[test]
fn lines_have_what_they_call() {
    check(
        "function outer(n) =
           let a = sum(index(n));
               b = g(a)
           in
             g(b) + 1;
         function g(n) =
           n * n;
         outer(3);",
        &expect![[r#"
            work 41, depth 34
            outer: 1, 17, 38, 31
            g: 2, 12, 12, 6
            index: 1, 5, 5, 1
            sum: 1, 4, 4, 1
            top level: 1, 3, 41, 34
            2: 15, 15, 8
            3: 3, 9, 9
            5: 8, 14, 14
            7: 12, 12, 6
            8: 3, 41, 34
        "#]],
    );
    check(
        "function halves(n) =
           if n == 0 then [] int
           else
             flatten({let
                 m = i / 2
               in halves(m) : i in [n, n / 2]});
         halves(8);",
        &expect![[r#"
            work 419, depth 127
            halves: 15, 409, 416, 124
            flatten: 7, 7, 7, 1
            top level: 1, 3, 419, 127
            2: 136, 136, 8
            4: 77, 397, 109
            5: 84, 84, 6
            6: 119, 385, 98
            7: 3, 419, 127
        "#]],
    );
    check(
        "function down(n) =
           if n == 0 then 0
           else down(n - 1);
         down(3);
         {* let
              m = i
            in m : i in [1, 2]};",
        &expect![[r#"
            work 78, depth 66
            down: 4, 57, 57, 53
            top level: 2, 21, 78, 56
            2: 33, 33, 29
            3: 24, 24, 24
            4: 3, 60, 56
            5: 8, 12, 7
            6: 2, 2, 1
            7: 8, 8, 3
        "#]],
    );
}

#[test]
fn forms_that_fail_cost_nothing() {
    let good = costs("function second(v) = v[1]; second([1, 2]);");
    let (session, failed) =
        after(b"function second(v) = v[1]; second([1]); second([1, 2]); undefined;");
    assert_eq!(failed, 2);
    add_up(&session.costs());
    assert_eq!(session.costs().functions, good.functions);
}

#[test]
fn a_call_from_outside_has_no_top_level() {
    let (mut session, _) = after(b"function next(v) = {x + 1 : x in v}; next([1, 2, 3]);");
    session.reset_counts();
    let call = |session: &mut Session, function: &str, name: &str| {
        let given = Given::literal(name, "[1, 2]");
        let call = session.prepare_call(function, &[given]).unwrap();
        session.call(&call).unwrap();
    };
    call(&mut session, "next", "v");
    add_up(&session.costs());
    expect![[r#"
        work 19, depth 8
        next: 1, 19, 19, 8
        1: 19, 19, 8
    "#]]
    .assert_eq(&shown(&session.costs()));
    session.reset_counts();
    call(&mut session, "max_index", "s");
    add_up(&session.costs());
    expect![[r#"
        work 42, depth 24
        max_index: 1, 42, 42, 24
        0: 42, 42, 24
    "#]]
    .assert_eq(&shown(&session.costs()));
}

#[test]
fn nothing_is_kept_unless_it_is_wanted() {
    let options = Options::new(EngineKind::Interp);
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let _ = session.run("test", b"1 + 2;", &mut |_, _| {});
    assert!(session.report().cost.work > 0);
    assert!(session.costs().forms.is_empty() && session.costs().functions.is_empty());
}

#[test]
fn the_parts_of_whole_programs_add_up() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/agreement");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let mut functions = 0;
    for path in paths {
        let (session, _) = after(&fs::read(&path).unwrap());
        let costs = session.costs();
        add_up(&costs);
        functions += costs.functions.len();
    }
    assert!(functions > 50, "{functions}");
}
