//! Results take the memory of vectors that are not used any more, and of no others.

use run::Session;
use run::session::{EngineKind, Event, Given, Options};
use std::path::Path;

const LENGTH: usize = 20_000;

/// A call of `whole(a)` in a session that has these definitions.
struct Calls {
    session: Session,
    call: run::session::Call,
}

impl Calls {
    fn new(engine: EngineKind, definitions: &str) -> Calls {
        Calls::with(Options::new(engine), definitions)
    }

    fn with(mut options: Options, definitions: &str) -> Calls {
        options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        options.cpu.quick = true;
        let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
        let _ = session.run("test", definitions.as_bytes(), &mut |files, event| {
            if let Event::Failed(errors) = event {
                panic!("{}", errors[0].short(files));
            }
        });
        let numbers: Vec<String> = (0..LENGTH).map(|i| (i % 100).to_string()).collect();
        let given = Given::literal("a", format!("[{}]", numbers.join(", ")));
        let call = session.prepare_call("whole", &[given]).unwrap();
        Calls { session, call }
    }

    /// The result as text; vectors as long as `a` that were in use at once beside it; allocations.
    fn run(&mut self) -> (String, usize, u64) {
        self.session.reset_counts();
        let before = self.session.report().memory.allocations;
        let answer = self.session.call(&self.call).unwrap();
        let text = self.session.show(&answer, &self.call.shape);
        let memory = self.session.report().memory;
        let allocations = memory.allocations - before;
        (String::from_utf8(text).unwrap(), memory.peak / (8 * LENGTH), allocations)
    }
}

/// Sorts `a` by parts around `pivot`, an expression of `a`.
fn quicksort(pivot: &str) -> String {
    format!(
        "function sort_by_parts(a) =
           if #a < 2 then a
           else let p = {pivot};
                    s = {{sort_by_parts(v) : v in [{{x in a | x < p}}, {{x in a | x > p}}]}}
                in s[0] ++ {{x in a | x == p}} ++ s[1];"
    )
}

/// How many threads part lanes, together or each on its own.
const THREADS: [(usize, bool); 6] =
    [(1, false), (2, false), (16, false), (1, true), (4, true), (16, true)];

fn with_threads((threads, tiny): (usize, bool)) -> Options {
    let mut options = Options::new(EngineKind::Cpu);
    options.cpu.threads = Some(threads);
    options.cpu.tiny = tiny;
    options
}

/// Calls twice, the second time with the argument that the host still holds: the result is that of
/// the interpreter, so many vectors are in use at once, and at most so many allocations are made.
#[track_caller]
fn check(definitions: &str, vectors: usize, most: u64) {
    check_with(Options::new(EngineKind::Cpu), definitions, vectors, most);
}

/// The same with these options.
#[track_caller]
fn check_with(options: Options, definitions: &str, vectors: usize, most: u64) {
    let (wanted, ..) = Calls::new(EngineKind::Interp, definitions).run();
    let mut calls = Calls::with(options, definitions);
    for _ in 0..2 {
        let (found, peak, allocations) = calls.run();
        assert_eq!((&found, peak), (&wanted, vectors), "{definitions}");
        assert!(allocations <= most, "{allocations} allocations: {definitions}");
    }
}

#[test]
fn what_ends_with_a_map_or_scan_is_overwritten() {
    let text = "function whole(a) =
                  let b = plus_scan(a); c = plus_scan({x + y : x in a; y in b}); d = max_scan(c)
                  in d[#a - 1];";
    check(text, 1, 3);
}

#[test]
fn what_is_used_again_keeps_its_elements() {
    let text = "function whole(a) =
                  let b = plus_scan(a); c = plus_scan(b) in (sum(b), c[#a - 1] + b[#a - 1], sum(a));";
    check(text, 2, 9);
    // A view of it is not all of it.
    let text = "function later(a, n) = if n == 0 then a else later(plus_scan(drop(a, 1)), n - 1);
                function whole(a) = let b = later({x + 1 : x in a}, 3) in (#b, b[#b - 1]);";
    check(text, 2, 9);
}

#[test]
fn a_loop_runs_in_the_memory_of_one_vector() {
    let text =
        "function next(a, n) = if n == 0 then a else next(max_scan({x + n : x in a}), n - 1);
                function whole(a) = next(plus_scan(a), 50)[#a - 1];";
    check(text, 1, 3);
}

#[test]
fn a_loop_that_looks_beside_it_runs_in_the_memory_of_two() {
    let text = "function next(a, n) =
                  if n == 0 then a else next(plus_scan({a[max(i - 1, 0)] : i in [0:#a]}), n - 1);
                function whole(a) = next(plus_scan(a), 50)[#a - 1];";
    check(text, 2, 60);
}

#[test]
fn dead_vectors_are_used_again() {
    // Each of these needs only the one before it, but from its end.
    let text = "function beside(a) = plus_scan({rem(x, 1000) : x in reverse(a)});
                function whole(a) = beside(beside(beside(beside(beside(beside(a))))))[#a - 1];";
    check(text, 2, 4);
}

#[test]
fn rows_are_overwritten() {
    let text = "function whole(a) =
                  let m = bottop(plus_scan(a)); n = {let s = sum(r) in {x - s : x in r} : r in m}
                  in {min_val(r) : r in {plus_scan(r) : r in n}};";
    check(text, 1, 4);
}

#[test]
fn a_partition_needs_as_much_as_its_result() {
    // The keys, over which the second part of each partition goes, and the result.
    let text = quicksort("a[#a / 2]")
        + "function whole(a) = sort_by_parts({rem(i * 7919, 20011) : i in [0:#a]});";
    for threads in THREADS {
        check_with(with_threads(threads), &text, 2, 6);
    }
    // The longest way down: each call has one key less than the one before.
    let text = quicksort("a[0]") + "function whole(a) = sort_by_parts([0:#a / 40]);";
    check(&text, 0, 6);
}

#[test]
fn keys_that_are_used_again_keep_their_order() {
    let text = quicksort("a[#a / 2]")
        + "function whole(a) =
             let keys = {rem(i * 7919, 20011) : i in [0:#a]} in (sort_by_parts(keys), keys);";
    for threads in THREADS {
        check_with(with_threads(threads), &text, 3, 6);
    }
}

/// The result of the last call as text, or what it tells, and vectors beside the argument.
fn last(options: Options, definitions: &str) -> (Result<String, String>, usize) {
    let Calls { mut session, mut call } = Calls::with(options, definitions);
    let (shape, answer) = (call.shape.clone(), session.call_last(&mut call));
    let text = match answer {
        Ok(answer) => Ok(String::from_utf8(session.show(&answer, &shape)).unwrap()),
        Err(errors) => Err(errors.iter().map(|error| error.short(&session.files)).collect()),
    };
    (text, session.report().memory.peak / (8 * LENGTH))
}

#[test]
fn the_last_call_has_its_argument_for_itself() {
    for (text, again, once) in [
        (quicksort("a[#a / 2]") + "function whole(a) = sort_by_parts(a);", 2, 1),
        ("function whole(a) = {x * x + 1 : x in a};".to_owned(), 1, 0),
        ("function whole(a) = ({x + 1 : x in reverse(a)}, a);".to_owned(), 1, 1),
    ] {
        for threads in THREADS {
            let mut calls = Calls::with(with_threads(threads), &text);
            let (wanted, peak, _) = calls.run();
            assert_eq!(peak, again, "{text}");
            let (found, peak) = last(with_threads(threads), &text);
            assert_eq!((found, peak), (Ok(wanted), once), "{text}");
        }
    }
}

#[test]
fn the_last_call_tells_why_it_failed() {
    for pivot in ["a[#a / 2] + 0 * (7 / (a[0] - 42))", "a[#a / 2] + 0 * (7 / (#a - 200))"] {
        let text = quicksort(pivot) + "function whole(a) = sort_by_parts(a);";
        let fails = |options| {
            let Calls { mut session, call } = Calls::with(options, &text);
            session.call(&call).unwrap_err().short(&session.files)
        };
        let wanted = fails(Options::new(EngineKind::Interp));
        assert!(wanted.contains("7 is divided by 0"), "{wanted}");
        for threads in [THREADS[1], THREADS[4]] {
            assert_eq!(fails(with_threads(threads)), wanted);
            assert_eq!(last(with_threads(threads), &text).0, Err(wanted.clone()));
        }
        // So does a vector that only the program knows.
        let text = quicksort(pivot) + "function whole(a) = sort_by_parts({x + 0 : x in a});";
        let Calls { mut session, call } = Calls::new(EngineKind::Interp, &text);
        let wanted = session.call(&call).unwrap_err().short(&session.files);
        for threads in [THREADS[1], THREADS[4]] {
            assert_eq!(last(with_threads(threads), &text).0, Err(wanted.clone()));
        }
    }
}

#[test]
fn a_last_call_that_fails_elsewhere_is_not_made_again() {
    let text = "function checked(a, n) = if a[0] == n then sum(a) else a[#a + n];
                function whole(a) = checked({x + 1 : x in a}, 7);";
    let fails = |options| {
        let Calls { mut session, call } = Calls::with(options, text);
        let error = session.call(&call).unwrap_err();
        (error.short(&session.files), format!("{:?}", error.calls))
    };
    let wanted = fails(Options::new(EngineKind::Interp));
    assert!(wanted.1.contains("checked") && wanted.1.contains("whole"), "{wanted:?}");
    for threads in [THREADS[1], THREADS[4]] {
        assert_eq!(fails(with_threads(threads)), wanted);
        let Calls { mut session, mut call } = Calls::with(with_threads(threads), text);
        session.reset_counts();
        let errors = session.call_last(&mut call).unwrap_err();
        let [error] = errors.as_slice() else { panic!("{errors:?}") };
        assert_eq!((error.short(&session.files), format!("{:?}", error.calls)), wanted);
        assert_eq!(session.report().runs.len(), 1);
    }
}
