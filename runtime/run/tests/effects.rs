//! Programs with effects: parts without effects are compiled, and the results are those of the
//! interpreter.

use run::Session;
use run::session::{EngineKind, Event, Options};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The output of programs.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
        Ok(text.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs a text.  Returns its events and output, line by line, and the session.
fn told(engine: EngineKind, text: &str) -> (String, Session) {
    let mut options = Options::new(engine);
    options.cpu.quick = true;
    let printed = Printed::default();
    let mut session = Session::new(&options, Box::new(printed.clone())).unwrap();
    let mut told = String::new();
    let flow = session.run("test", text.as_bytes(), &mut |files, event| match event {
        Event::Shown { name, value, ty, .. } => {
            told += &format!("{name} = {} : {ty}\n", String::from_utf8_lossy(&value));
        }
        Event::Failed(errors) => errors.iter().for_each(|error| {
            let calls = error.notes.join("; ");
            told += &format!("{} {calls} {:?}\n", error.short(files), error.calls);
        }),
        Event::Warning(warning) => told += &format!("{}\n", warning.message),
        Event::Said(text) => told += &format!("{text}\n"),
    });
    assert!(flow.is_continue());
    told += &String::from_utf8_lossy(&printed.0.lock().unwrap());
    (told, session)
}

/// Checks that both engines give the same events for a text.  Returns the number of
/// kernel launches.
#[track_caller]
fn same(text: &str) -> u64 {
    let (interpreted, _) = told(EngineKind::Interp, text);
    let (compiled, session) = told(EngineKind::Cpu, text);
    assert_eq!(compiled, interpreted);
    let wrong = ["undefined:", "parse:", "type:", "pattern:"];
    assert!(wrong.iter().all(|kind| !interpreted.contains(kind)), "{interpreted}");
    session.report().stats.kernels_run
}

#[test]
fn what_time_measures_is_compiled() {
    assert!(same("v = {i * i : i in [0:1000]}; first(time(sum(v)));") > 1);
    let lets = "let a = {rand(100) : i in [0:1000]}; said = print_line(\"go\"); \
                (b, seconds) = time(sort(a)) in (b == sort(a), seconds >= 0.0);";
    assert!(same(lets) > 0);
}

#[test]
fn parts_of_functions_are_compiled_at_their_types() {
    let text = "function bench(g, x) = let (y, seconds) = time(g(x)) in y;
        function total(v) = sum({x * x : x in v});
        function swap(v) = {(b, a) : (a, b) in v};
        bench(total, [1, 2, 3]); bench(total, [0.5, 1.5]); bench(swap, [(1, `a)]);
        bench(v => sum(v), [1, 2]);
        function loop(n, v) = if n == 0 then v else
            let said = print_line(@n) in loop(n - 1, first(time({x + n : x in v})));
        loop(3, [0:10]);";
    assert!(same(text) > 2);
}

#[test]
fn what_is_large_is_compiled_and_what_is_small_is_not() {
    assert_eq!(same("let said = print_line(@sum([1, 2, 3])) in {x + 1 : x in [1, 2]};"), 0);
    assert!(same("let said = print_line(@sum({x * x : x in [0:300000]})) in 1;") > 0);
    // Small ones add up.
    let loops = "function loop(n, sum) = if n == 0 then sum else \
                 let said = print_string(\"\") in loop(n - 1, sum + #{x : x in [0:n * 100] | oddp(x)});
                 loop(100, 0);";
    assert!(same(loops) > 0);
}

#[test]
fn random_numbers_are_those_of_the_interpreter() {
    let text = "function draw(n) = let said = print_line(@rand(n)) in first(time({rand(n) : i in [0:50]}));
        draw(10) ++ draw(10);
        let a = first(time({rand(i + 1) : i in [0:20]})); b = rand_seed(7);
            c = first(time({rand(i + 1) : i in [0:20]})) in (a, c);
        {* first(time({rand(i + 9) : k in [0:3]})) : i in [0:4]};
        (x => first(time({rand(x) : i in [0:9]})))(8);";
    assert!(same(text) > 0);
}

#[test]
fn errors_are_those_of_the_interpreter() {
    same("function inner(v, i) = v[i];
        function outer(v) = let said = print_line(\"before\") in first(time(inner({x : x in v}, 9)));
        outer([1, 2]); 5;
        {* first(time({10 / (x - i) : x in [0:3]})) : i in [3, 1]};
        let a = first(time({1 / x : x in [1, 0]})); said = print_line(\"never\") in a;");
}

#[test]
fn values_of_other_forms_are_used_and_kept() {
    let text = "v = {{x : x in [0:n]} : n in [0:50]}; n = 5;
        (w, seconds) = let said = print_line(@#v) in (first(time({sum(r) + n : r in v})), 1.0);
        sum(w); g = (x => x + n); {g(x) : x in [1, 2]};";
    assert!(same(text) > 2);
}

#[test]
fn narrow_numbers_and_datatypes() {
    let text = "datatype point(int, float);
        function move(p) = let point(x, y) = p; said = print_line(@x) in
            first(time({point(x + i, y * 2.0) : i in [0:3]}));
        move(point(1, 0.1)); let (a, (b, c)) = (1, ([2], `c)) in first(time(({a + x : x in b}, c)));";
    assert!(same(text) > 0);
}

/// The warning comes once, and nothing else changes.
#[test]
fn what_remains_interpreted_is_told_once() {
    let text = "function loop(n) = if n == 0 then 0 else \
                let said = print_string(\"\") in loop(n - 1);";
    let (once, _) = told(EngineKind::Cpu, &format!("{text} loop(1200000); loop(1200000);"));
    assert_eq!(once.matches("much of this is interpreted, not compiled").count(), 1);
}
