//! Groups in sessions: what is told, in which order, and what failing forms leave behind.  Both
//! engines tell the same.

use expect_test::{Expect, expect};
use run::Session;
use run::session::{EngineKind, Event, Given, Options};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What programs print, and what is told, in order.
#[derive(Clone, Default)]
struct Transcript(Arc<Mutex<Vec<u8>>>);

impl Write for Transcript {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(text);
        Ok(text.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn session(engine: EngineKind) -> (Session, Transcript) {
    session_with(engine, None)
}

/// A session in which values may take so many bytes.
fn session_with(engine: EngineKind, memory: Option<usize>) -> (Session, Transcript) {
    let transcript = Transcript::default();
    let mut options = Options::new(engine);
    options.cpu.memory = memory;
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    let session = Session::new(&options, Box::new(transcript.clone())).unwrap();
    (session, transcript)
}

fn run(session: &mut Session, transcript: &Transcript, text: &str) {
    let mut out = transcript.clone();
    let _ = session.run("test", text.as_bytes(), &mut |files, event| match event {
        Event::Shown { name, value, ty, .. } => {
            writeln!(out, "{name} = {} : {ty}", String::from_utf8_lossy(&value)).unwrap();
        }
        Event::Failed(errors) => {
            errors.iter().for_each(|error| writeln!(out, "{}", error.short(files)).unwrap());
        }
        Event::Warning(warning) => writeln!(out, "warning: {}", warning.message).unwrap(),
        Event::Said(text) => writeln!(out, "{text}").unwrap(),
    });
}

/// The transcript of groups, one after the other, on both engines.
#[track_caller]
fn check(groups: &[&str], expected: &Expect) {
    let transcripts = [EngineKind::Interp, EngineKind::Cpu].map(|engine| {
        let (mut session, transcript) = session(engine);
        groups.iter().for_each(|group| run(&mut session, &transcript, group));
        String::from_utf8(transcript.0.lock().unwrap().clone()).unwrap()
    });
    expected.assert_eq(&transcripts[0]);
    assert_eq!(transcripts[0], transcripts[1]);
}

#[test]
fn values_and_functions() {
    check(
        &["a = [1, 2, 3];
           function double(x) = x * 2;
           {double(x) : x in a};
           (b, (c, _)) = (sum(it), (a, 1.5));
           #c + b;
           datatype point(int, float);
           p = point(b, 2.0);
           point(q, _) = p;
           q;"],
        &expect![[r#"
            a = [1, 2, 3] : [int]
            double = fn : int -> int
            it = [2, 4, 6] : [int]
            (b, c, _) = (12, [1, 2, 3], 1.5) : int, [int], float
            it = 15 : int
            point = fn : (int, float) -> point
            p = point(12, 2.0) : point
            point(q, _) = point(12, 2.0) : point
            it = 12 : int
        "#]],
    );
}

/// Values with functions in them keep what names meant when they were made; functions follow
/// redefinitions, and so do the defaults of their parameters.
#[test]
fn function_values_keep_what_they_were_made_with() {
    check(
        &[
            "x => x + 1;
           it;
           it(1);
           n = 1;
           pair = (n, sin);
           add = (let m = n in (x => x + m));
           times = (x => x * n);
           function pick(v) = (i => v[i]);
           v = [1, 2];
           h = pick(v);
           datatype both(int, int -> int);
           p = both(n, (x => x));
           n = 7; v = [7, 8];
           both(q, _) = p;
           (first(pair), add(0), times(1), h(0), q);
           a = (x => x + 1); b = (x => x * 2);
           (a, b) = (b, a);
           a = (if t then a else b);
           (a(5), b(5));
           function inc(x) = x + 1;
           old = inc;
           inc = (x => inc(inc(x)));
           function inc(x) = x + 100;
           (old(0), inc(0));",
            "z = 3;
           function k(a, c := z) = a + c;
           function g(a) = k(a);
           z = 100;
           (k(1), g(1));
           z = 2.0;
           (k(1), g(1));
           function k(a, c := 5) = a + c;
           g(1);",
        ],
        &expect![[r#"
            it = fn : int -> int
            it = fn : int -> int
            it = 2 : int
            n = 1 : int
            pair = (1, fn) : int, float -> float
            add = fn : int -> int
            times = fn : int -> int
            pick = fn : [a] -> int -> a :: (a in any)
            v = [1, 2] : [int]
            h = fn : int -> int
            both = fn : (int, int -> int) -> both
            p = both(1, fn) : both
            n = 7 : int
            v = [7, 8] : [int]
            both(q, _) = both(1, fn) : both
            it = (1, 1, 1, 1, 1) : int, int, int, int, int
            a = fn : int -> int
            b = fn : int -> int
            (a, b) = (fn, fn) : int -> int, int -> int
            a = fn : int -> int
            it = (10, 6) : int, int
            inc = fn : int -> int
            old = fn : int -> int
            inc = fn : int -> int
            inc = fn : int -> int
            it = (1, 100) : int, int
            z = 3 : int
            k = fn : (a, a) -> a :: (a in number)
            g = fn : int -> int
            z = 100 : int
            it = (101, 101) : int, int
            z = 2.0 : float
            it = (101, 101) : int, int
            k = fn : (a, a) -> a :: (a in number)
            it = 6 : int
        "#]],
    );
}

/// Each mistake is told once, however many forms need what it should have defined.
#[test]
fn consequences_are_not_told() {
    check(
        &[
            "function mean(s) = summ(s) / float(#s);
             mean([1.0, 2.0]);
             function var(s) = mean(s) + 1.0;
             var([1.0]);
             x = 1 / 0;
             x + 1;
             function g(a = a;
             g(3);
             1 + 2.0;
             it;
             (a, b) = [1];
             a + b;
             function early(n) = later(n) + 1;
             function earlier(n) = early(n) + 1;
             function later(n) = n + \"a\";
             earlier(3);
             nothing(3);",
            "mean([1.0]); x;",
        ],
        &expect![[r#"
            test:1:20: undefined: `summ` is not defined
            test:5:18: runtime(divide): 1 is divided by 0
            test:7:27: parse: expected `)`, found `=`
            test:9:18: type: `+` needs int here, found float
            test:11:23: type: the pattern is for (a, b), the value is [int]
            test:15:38: type: `+` needs int or float here, found [char]
            test:17:14: undefined: `nothing` is not defined
            test:1:1: undefined: `mean` is not defined
            test:1:14: undefined: `x` is not defined
        "#]],
    );
}

#[test]
fn a_failing_form_defines_nothing() {
    check(
        &[
            "x = 1;
             x = x / 0;
             x;
             y = [x][x];
             z = x + 1;
             y;
             function later(n) = needed(n) + z;
             1 / (x - 1);
             function needed(n) = n * 10;
             later(3);",
            "y; it; x;",
        ],
        &expect![[r#"
            x = 1 : int
            test:2:18: runtime(divide): 1 is divided by 0
            it = 1 : int
            test:4:18: runtime(index): index 1 is outside a sequence of length 1
            z = 2 : int
            test:8:14: runtime(divide): 1 is divided by 0
            needed = fn : int -> int
            later = fn : int -> int
            it = 32 : int
            test:1:1: undefined: `y` is not defined
            it = 32 : int
            it = 1 : int
        "#]],
    );
}

#[test]
fn redefinitions_take_effect_in_order() {
    check(
        &["y = 5;
           function use_y(x) = x + y;
           use_y(1);
           y = y + 1;
           use_y(1);
           y = y * 2;
           use_y(1);
           y = 2.5;
           use_y(1);
           function inc(x) = x + 1;
           function twice(x) = inc(inc(x));
           (twice(1), it);
           function inc(x) = x + 100;
           (twice(1), it);
           3;
           function of_it(x) = x + it;
           of_it(1);
           of_it(1);"],
        &expect![[r#"
            y = 5 : int
            use_y = fn : int -> int
            it = 6 : int
            y = 6 : int
            it = 7 : int
            y = 12 : int
            it = 13 : int
            y = 2.5 : float
            it = 13 : int
            inc = fn : int -> int
            twice = fn : int -> int
            it = (3, 13) : int, int
            inc = fn : int -> int
            it = (201, 3, 13) : int, int, int
            it = 3 : int
            of_it = fn : int -> int
            it = 4 : int
            it = 5 : int
        "#]],
    );
}

#[test]
fn functions_as_values() {
    check(
        &["n = 3;
           add = x => x + n;
           add(1);
           n = 10;
           add(1);
           (k, f1) = (n * 2, sin);
           f1(0.0);
           k;
           bad = if 1 / 0 == 0 then sin else cos;
           bad(0.0);"],
        &expect![[r#"
            n = 3 : int
            add = fn : int -> int
            it = 4 : int
            n = 10 : int
            it = 4 : int
            (k, f1) = (20, fn) : int, float -> float
            it = 0.0 : float
            it = 20 : int
            test:9:21: runtime(divide): 1 is divided by 0
        "#]],
    );
}

#[test]
fn effects_happen_in_order() {
    check(
        &["print_line(\"one\");
           function say(x) = let _ = print_line(@x) in x;
           v = say([1, 2]);
           {x + 1 : x in v};
           let _ = print_line(\"before\") in 1 / 0;
           rand_seed(5);
           {rand(1000) : i in v};
           rand_seed(5);
           {rand(1000) : i in v} ;"],
        &expect![[r#"
            one
            it = T : bool
            say = fn : a -> a :: (a in any)
            [1, 2]
            v = [1, 2] : [int]
            it = [2, 3] : [int]
            before
            test:5:44: runtime(divide): 1 is divided by 0
            it = T : bool
            it = [72, 862] : [int]
            it = T : bool
            it = [72, 862] : [int]
        "#]],
    );
}

/// Functions known only while a program runs: values, names, random numbers and errors are those of
/// the interpreter, and what can be compiled is.
#[test]
fn what_the_compiler_cannot_do_is_interpreted() {
    let text =
        "function repeated(g, n, x) = if n == 0 then g(x) else repeated(y => g(y) + 1, n - 1, x);
         function at(i) = repeated(x => x * i, 3, i);
         a = {at(i) : i in [0:5]};
         sum(a) + #a;
         g = if #a > 2 then (x => x + 1) else (x => x - 1);
         b = {g(x) + rand(100) : x in a};
         {rand(100) + x : x in b};
         {at(i) / (i - 2) : i in [0:5]};
         function all(n) = {at(i) : i in [0:n]};";
    let outcome = |engine| {
        let (mut session, transcript) = session(engine);
        run(&mut session, &transcript, text);
        let given = [Given::literal("n", "4")];
        let call = session.prepare_call("all", &given).unwrap();
        let refused = session.warnings();
        let answer = session.call(&call).unwrap();
        let shown = String::from_utf8(session.show(&answer, &call.shape)).unwrap();
        let text = String::from_utf8(transcript.0.lock().unwrap().clone()).unwrap();
        let (warnings, told): (Vec<_>, Vec<_>) =
            text.lines().map(str::to_owned).partition(|line| line.starts_with("warning: "));
        (warnings, told, refused.len(), shown, session.report().kernels)
    };
    let (none, right, unrefused, shown, _) = outcome(EngineKind::Interp);
    let (warnings, told, refused, also_shown, kernels) = outcome(EngineKind::Cpu);
    assert_eq!((none, unrefused), (Vec::new(), 0));
    assert_eq!((right, shown), (told, also_shown));
    assert!(refused == 1 && kernels > 0);
    let told = |limit| format!("warning: interpreted, not compiled: {limit}");
    let more = told("the functions passed here capture ever more functions");
    let which = told("which function `g` stands for is known only at run time");
    assert_eq!(warnings, [more.clone(), which, more]);
}

#[test]
fn debugging_prints_from_lanes() {
    check(
        &["function twice(x) = print_debug(\"x is \", x) * 2;
           {twice(x) : x in [3, 4]};
           g = x => twice(x);
           {g(x) : x in [5]} ;"],
        &expect![[r#"
            twice = fn : int -> int
            x is 3
            x is 4
            it = [6, 8] : [int]
            g = fn : int -> int
            x is 5
            it = [10] : [int]
        "#]],
    );
}

/// Each name of the library, operators too, has a type, a line about it, its cost and an example.
#[test]
fn every_name_is_described() {
    let (mut session, transcript) = session(EngineKind::Interp);
    for name in stdlib::TOPICS.iter().flat_map(|topic| topic.names()) {
        run(&mut session, &transcript, &format!("describe \"{name}\";"));
        let told = std::mem::take(&mut *transcript.0.lock().unwrap());
        let told = String::from_utf8(told).unwrap();
        assert!(told.lines().count() >= 4, "{name}: {told}");
        assert!(told.starts_with(&format!("{name} : ")), "{name}: {told}");
        // That of `time(e)` is told in words.
        let cost = if name == "time" { "\ncost as e\n" } else { "\nwork " };
        assert!(told.contains(cost), "{name}: {told}");
    }
}

/// Operators are found by their sign and by their text, and words in capitals like others.
#[test]
fn names_and_operators_are_looked_for() {
    check(
        &["apropos \"||\"; apropos POWER; apropos \"Exclusive OR\"; apropos Zip; apropos \"Ab \";"],
        &expect![[r#"
            || : ([char], int) -> [char]
            ^ : (a, int) -> a :: (a in number)
            expt : (float, float) -> float
            exp : float -> float
            xor : (a, a) -> a :: (a in logical)
            xor_scan : [a] -> [a] :: (a in logical)
            parity : [a] -> a :: (a in logical)
            zip : ([a], [b]) -> [(a, b)] :: (a in any; b in any)
            zip3 : ([a], [b], [c]) -> [(a, b, c)] :: (a in any; b in any; c in any)
            unzip : [(a, b)] -> ([a], [b]) :: (a in any; b in any)
            nothing is known about `Ab `
        "#]],
    );
}

#[test]
fn commands() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("loaded.nesl");
    std::fs::write(&path, "function g(x) = h(x) + 1; function h(x) = x * two; two = 2;").unwrap();
    let load = format!(
        "two = 1; set print_length 2; [1, 2, 3]; load \"{}\";\n\
         g(5); show names; set verbose off; function quiet(x) = x; 1; describe plus_scan; \
         describe nothing; set colour on; load \"/none\"; exit; 2;",
        path.with_extension("").display()
    );
    check(
        &[&load],
        &expect![[r#"
            two = 1 : int
            it = [1, 2,...] : [int]
            h = fn : int -> int
            g = fn : int -> int
            two = 2 : int
            it = 11 : int
            two : int
            it : int
            g : int -> int
            h : int -> int
            it = 1 : int
            plus_scan : [a] -> [a] :: (a in number)
            prefix sums
            work n, depth 1
            plus_scan([3, 1, 4, 1]) ==> [0, 3, 4, 8]
            test:2:91: undefined: there is no name `nothing`
            test:2:104: undefined: there is no setting `colour`
            test:2:120: runtime(file): /none cannot be read: No such file or directory (os error 2)
        "#]],
    );
}

/// Calls with arguments, on both engines.
#[track_caller]
fn check_call(text: &str, function: &str, given: &[(&str, &str)], expected: &Expect) {
    let results = [EngineKind::Interp, EngineKind::Cpu].map(|engine| {
        let (mut session, transcript) = session(engine);
        run(&mut session, &transcript, text);
        let given: Vec<Given> =
            given.iter().map(|(name, value)| Given::literal(*name, *value)).collect();
        let result = session.prepare_call(function, &given).and_then(|call| {
            let answer = session.call(&call).map_err(|error| vec![error])?;
            let shown = String::from_utf8(session.show(&answer, &call.shape)).unwrap();
            Ok(format!("{shown} : {}", call.ty))
        });
        result.unwrap_or_else(|errors| {
            let lines: Vec<String> = errors.iter().map(|e| e.short(&session.files)).collect();
            lines.join("\n")
        })
    });
    expected.assert_eq(&results[0]);
    assert_eq!(results[0], results[1]);
}

#[test]
fn calls() {
    let text = "base = 100; function g(x, (y, z), w) = (x, base + y, {z : v in w}); \
                function only_ints(s) = {x + 1 : x in s}; function apply(p) = p(1); n = 5;";
    let check_call = |function, given: &[(&str, &str)], expected| {
        check_call(text, function, given, &expected);
    };
    check_call(
        "g",
        &[("w", "[`a, `b]"), ("", "(3, 1.5)"), ("x", "\"s\"")],
        expect![[r#"("s", 103, [1.5, 1.5]) : [char], int, [float]"#]],
    );
    check_call("only_ints", &[("s", "[]")], expect!["[] : [int]"]);
    check_call(
        "only_ints",
        &[("s", "[1.5]")],
        expect!["nesl: input: `s`: line 1, column 2: this is no literal of type int"],
    );
    check_call(
        "only_ints",
        &[("s", "[1]"), ("s", "[2]"), ("t", "1")],
        expect![[r#"
            nesl: input: the parameter `s` is given twice
            nesl: input: `only_ints` has no parameter `t`"#]],
    );
    check_call(
        "only_ints",
        &[],
        expect!["nesl: input: the parameter `s` is not given: write s=VALUE"],
    );
    check_call("apply", &[("p", "1")], expect!["nesl: input: `p`: functions cannot be read"]);
    check_call("n", &[], expect!["nesl: input: `n` is no function, but of type int"]);
    check_call("none", &[], expect!["nesl: undefined: there is no function `none`"]);
}

/// LANGUAGE 9.4: defaults are evaluated at the call, with the names visible at the definition.
#[test]
fn calls_with_optional_parameters() {
    let text = "base = 7; function e(x, k := 3) = x + k; \
                function seen(x, k := base * 2) = (x, k); \
                function three((x, y), k := 2.5, l := []) = (x, y * k, #l); \
                function each(v, op := x => x + 1.0) = {op(x) : x in v}; \
                function count(n, so_far := 0) = \
                  if n == 0 then so_far else count(n - 1, so_far := so_far + n); \
                function drawn(n, k := rand(100)) = (rand(n), k); \
                function prints(x, k := print_string(\"default\\n\")) = (x, k); \
                function fails(x, k := [1][2]) = x + k;";
    let check = |function: &str, given: &[(&str, &str)], expected: Expect| {
        check_call(text, function, given, &expected);
    };
    check("e", &[("x", "1")], expect!["4 : int"]);
    check("e", &[("k", "10"), ("", "1")], expect!["11 : int"]);
    check("seen", &[("", "2")], expect!["(2, 14) : int, int"]);
    check("three", &[("", "(1, 2.0)")], expect!["(1, 5.0, 0) : int, float, int"]);
    check("three", &[("", "(1, 2.0)"), ("l", "[`a]")], expect!["(1, 5.0, 1) : int, float, int"]);
    check("each", &[("", "[1.0]")], expect!["[2.0] : [float]"]);
    check("count", &[("n", "4")], expect!["10 : int"]);
    check("drawn", &[("n", "1000")], expect!["(79, 52) : int, int"]);
    check("prints", &[("x", "1")], expect!["(1, T) : int, bool"]);
    check(
        "fails",
        &[("x", "1")],
        expect!["test:1:431: runtime(index): index 2 is outside a sequence of length 1"],
    );
    check("e", &[], expect!["nesl: input: the parameter `x` is not given: write x=VALUE"]);
    check(
        "e",
        &[("", "1"), ("", "2")],
        expect!["nesl: input: `e` has no parameter for the value `2`"],
    );
    check(
        "e",
        &[("x", "1.5")],
        expect!["nesl: input: `x`: line 1, column 1: this is no literal of type int"],
    );
    check(
        "three",
        &[("k", "1.0")],
        expect![
            "nesl: input: parameter 1 of `three`, which has no name, is not given: write VALUE alone"
        ],
    );
}

/// What is told about a call that cannot be made, with notes and advice.
#[track_caller]
fn check_refusal(text: &str, function: &str, value: &str, expected: &Expect) {
    let (mut session, transcript) = session(EngineKind::Interp);
    run(&mut session, &transcript, text);
    let given = match value.ends_with(".npy") {
        true => [Given::file("x", value)],
        false => [Given::literal("x", value)],
    };
    let errors = session.prepare_call(function, &given).err().unwrap();
    let told: Vec<String> =
        errors.iter().map(|error| error.render(&session.files, false)).collect();
    expected.assert_eq(&told.join("\n"));
}

#[test]
fn what_defaults_have_to_do_with_types_is_told() {
    check_refusal(
        "function e(x, k := 3) = x + k;",
        "e",
        "1.5",
        &expect![[r#"
            error[N0601]: `x`: line 1, column 1: this is no literal of type int
             |
             = note: `x` has type int
             = note: `k` is not given, and its default is int"#]],
    );
}

#[test]
fn what_no_type_would_mend_says_nothing_of_types() {
    let check = |function, value, expected| {
        check_refusal("function sq(x) = {y * y : y in x};", function, value, &expected);
    };
    check(
        "sq",
        "nowhere.npy",
        expect!["error[N0601]: `nowhere.npy`: No such file or directory (os error 2)"],
    );
    check("sq", "[1, 2", expect!["error[N0601]: `x`: the literal ends before it is complete"]);
    check(
        "sq",
        "`a",
        expect![[r#"
        error[N0601]: `x`: line 1, column 1: this is no literal of type [int]
         |
         = note: `x` has type [int]
         = note: no type fits for the variables in [a]
         = help: write the type of the function in its definition"#]],
    );
    check(
        "squ",
        "[1]",
        expect![[r#"
        error[N0204]: there is no function `squ`
         |
         = help: did you mean `sq`?"#]],
    );
}

/// The most bytes that values take while `whole(a)` runs, for each byte of `a`.
#[track_caller]
fn memory_of(text: &str) -> f64 {
    const LENGTH: usize = 100_000;
    let (mut session, transcript) = session(EngineKind::Cpu);
    run(&mut session, &transcript, text);
    let numbers: Vec<String> = (0..LENGTH).map(|i| (i % 100).to_string()).collect();
    let given = Given::literal("a", format!("[{}]", numbers.join(", ")));
    let call = session.prepare_call("whole", &[given]).unwrap();
    session.reset_counts();
    session.call(&call).unwrap();
    session.report().memory.peak as f64 / (8 * LENGTH) as f64
}

#[test]
fn memory_is_freed_before_calls_return() {
    // A caller has no use for what it hands over.
    let loops = "function g(a, n) = if n == 0 then a else g({x + n : x in a}, n - 1); \
                 function whole(a) = g(a, 50);";
    // Of what a filter keeps, a caller holds no more than that.
    let filters = "function g(a, n) = if n == 0 then [] int else {x in a | x == n} ++ g(a, n - 1); \
                   function whole(a) = g(a, 50);";
    for text in [loops, filters] {
        let memory = memory_of(text);
        assert!(memory < 4.0, "{memory} times the argument: {text}");
    }
    let sorts = "function whole(a) = let s = sort(a) in {x + y : x in s; y in reverse(s)};";
    let memory = memory_of(sorts);
    assert!(memory < 8.0, "{memory} times the argument: {sorts}");
}

#[test]
fn lanes_need_room_for_what_they_make() {
    // Results are as long as the shared argument, which the lanes' own memory has never held.
    let makes = "function g(a, n) : ([int], int) -> [int] = if n == 0 then a \
                     else if n == 1 then {x + 1 : x in a} \
                     else let b = {x + n : x in take(a, 5)} \
                          in g((if n > 40 then b else a), n - 2); \
                 function whole(n) = let a = [0:n]; r = {g(a, i) : i in [0:64]} in #r[63];";
    // What is handed up as it was given needs none.
    let gives = "function g(a, b, n) : ([int], [int], int) -> [int] = \
                     if n == 0 then a else g(b, a, n - 1); \
                 function whole(n) = let a = [0:n]; r = {g(a, a, i) : i in [0:64]} in #r[63];";
    let call_of = |text: &str, memory: usize, n: &str| {
        let (mut session, transcript) = session_with(EngineKind::Cpu, Some(memory));
        run(&mut session, &transcript, text);
        let given = Given::literal("n", n);
        let call = session.prepare_call("whole", &[given]).unwrap();
        session.call(&call).map(|_| ()).map_err(|error| error.message)
    };
    assert_eq!(call_of(makes, 24 << 20, "1000"), Ok(()));
    let message = call_of(makes, 24 << 20, "200000").unwrap_err();
    assert_eq!(message, "no room for 1600000 bytes more");
    assert_eq!(call_of(gives, 24 << 20, "200000"), Ok(()));
}

/// The source text that has no room, and the message about it.
fn without_room(memory: usize, text: &str) -> (String, String, Vec<String>) {
    let (mut session, transcript) = session_with(EngineKind::Cpu, Some(memory));
    run(&mut session, &transcript, text);
    let given = Given::literal("n", "1000000");
    let call = session.prepare_call("whole", &[given]).unwrap();
    let error = session.call(&call).unwrap_err();
    let span = error.primary.unwrap().span;
    let text = session.files.file(span.file).text[span.start as usize..span.end as usize].to_vec();
    (String::from_utf8(text).unwrap(), error.message, error.notes)
}

#[test]
fn what_has_no_room_is_named() {
    let text = "function whole(n) = let a = plus_scan(index(n)) in a ++ a;";
    let (what, message, notes) = without_room(20 << 20, text);
    assert_eq!(what, "a ++ a");
    assert_eq!(message, "out of memory for a sequence of 16000000 bytes");
    assert!(notes[0].starts_with("of 20971520 bytes 1"), "{notes:?}");
    // What a launch needs beside its arguments.
    let text = "function whole(n) = sort({rem(i * 7919, 1000) : i in index(n)});";
    let (what, message, notes) = without_room(20 << 20, text);
    assert_eq!(what, "sort({rem(i * 7919, 1000) : i in index(n)})");
    assert!(message.starts_with("out of memory for a sequence of "), "{message}");
    assert!(notes[0].starts_with("of 20971520 bytes "), "{notes:?}");
}
