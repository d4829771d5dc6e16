//! Calls from one thread and from several, and what their errors tell.

use nesl::{Argument, Engine, Error, Options, Program, Session};
use prim::Ty;
use std::sync::mpsc;
use types::Type;
use value::{Column, Columns, Typed};

fn session(engine: Engine) -> Session {
    Session::new(&Options { engine, threads: Some(2), ..Options::default() }).unwrap()
}

fn program(engine: Engine, text: &str) -> Program {
    session(engine).compile(text).unwrap()
}

fn ints(values: impl IntoIterator<Item = i64>) -> Argument {
    let column = Column::from_ints(values.into_iter().collect()).unwrap();
    Argument::Rows(Typed::rows(Type::Base(Ty::I64), Columns::Scalar(column)).unwrap())
}

fn floats(values: &[f64]) -> Argument {
    let column = Column::from_floats(values.to_vec()).unwrap();
    Argument::Rows(Typed::rows(Type::Base(Ty::F64), Columns::Scalar(column)).unwrap())
}

fn called(program: &Program, function: &str, arguments: Vec<Argument>) -> Result<String, Error> {
    program.function(function)?.call(arguments).map(|value| value.to_string())
}

const QUICKSORT: &str = "
    function quicksort(a) =
      if #a < 2 then a
      else let p = a[#a / 2];
        parts = {quicksort(v) : v in [{x in a | x < p}, {x in a | x > p}]}
      in parts[0] ++ {x in a | x == p} ++ parts[1];";

/// Some keys in disorder.
fn keys(seed: i64, count: i64) -> Vec<i64> {
    (0..count).map(|i| (i * 7919 + seed * 104_729) % 10_007).collect()
}

/// Threads share a function, its memory of lanes and the workers, whatever the size of the data.
#[test]
fn threads_call_one_function() {
    let program = program(Engine::Cpu, QUICKSORT);
    let function = program.function("quicksort").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let function = &function;
            scope.spawn(move || {
                for round in 0..12 {
                    let count = [3, 400, 30_000][(thread + round) as usize % 3];
                    let mut keys = keys(thread * 100 + round, count);
                    let result = function.call(vec![ints(keys.clone())]).unwrap();
                    keys.sort_unstable();
                    let Columns::Seq { elements, .. } = result.columns() else { panic!("no keys") };
                    let Columns::Scalar(column) = &**elements else { panic!("no ints") };
                    assert_eq!((column.len, column.ints().to_vec()), (keys.len(), keys));
                }
            });
        }
    });
}

/// A call does not wait for another one that runs at the same time.
#[test]
fn a_long_call_delays_no_other() {
    let text = "function spin(n) = if n == 0 then 0 else spin(n - 1 + (n * n) / n - n);
        function next(a) = {x + 1 : x in a};";
    let options = Options {
        engine: Engine::Cpu,
        threads: Some(2),
        interruptible: true,
        ..Options::default()
    };
    let session = Session::new(&options).unwrap();
    let program = session.compile(text).unwrap();
    let (spin, next) = (program.function("spin").unwrap(), program.function("next").unwrap());
    // Both are compiled first.
    spin.call(vec![ints([3])]).unwrap();
    next.call(vec![ints([1])]).unwrap();
    let (told, ended) = mpsc::channel();
    let long = std::thread::spawn(move || {
        // Nobody lives to see the end of it.
        let done = spin.call(vec![ints([i64::MAX])]);
        told.send(()).unwrap();
        done.map(|value| value.to_string())
    });
    for n in 0..100 {
        assert_eq!(next.call(vec![ints([n, 5])]).unwrap().to_string(), format!("[{}, 6]", n + 1));
    }
    assert!(ended.try_recv().is_err());
    session.interrupt().raise();
    let stopped = long.join().unwrap().unwrap_err();
    assert_eq!(stopped.message(), "the program was interrupted");
    session.interrupt().clear();
    assert_eq!(next.call(vec![ints([1])]).unwrap().to_string(), "[2]");
}

/// Errors are the same at the first call and at later ones, and tell place and lanes.
#[test]
fn later_calls_tell_the_same_errors() {
    for engine in [Engine::Cpu, Engine::Interp] {
        let program =
            program(engine, "function at(a, i) = {a[j] : j in i};\nfunction self(a) = at(a, a);");
        let told = |arguments: Vec<Argument>| {
            let error = called(&program, "self", arguments).unwrap_err();
            let span = error.span().map(|span| (span.line, span.column));
            (error.code().to_owned(), error.message().to_owned(), span, error.lanes().to_vec())
        };
        assert_eq!(called(&program, "self", vec![ints([1, 0])]).unwrap(), "[0, 1]");
        let first = told(vec![ints([0, 1, 9])]);
        assert_eq!(first.0, "N0502");
        assert_eq!((first.2, first.3.as_slice()), (Some((1, 22)), &[2][..]));
        assert_eq!(told(vec![ints([0, 1, 9])]), first);
        // The function is as it was.
        assert_eq!(called(&program, "self", vec![ints([0])]).unwrap(), "[0]");
    }
}

/// A function of many types is kept for each of them; wrong arguments are told each time.
#[test]
fn types_and_counts_are_looked_at_in_each_call() {
    let program = program(Engine::Cpu, "function twice(a) = {x + x : x in a};");
    for _ in 0..2 {
        assert_eq!(called(&program, "twice", vec![ints([1, 2])]).unwrap(), "[2, 4]");
        assert_eq!(called(&program, "twice", vec![floats(&[0.5])]).unwrap(), "[1.0]");
        let literal = Argument::Literal("[7]".to_owned());
        assert_eq!(called(&program, "twice", vec![literal]).unwrap(), "[14]");
        let many = called(&program, "twice", vec![ints([1]), ints([1])]).unwrap_err();
        assert_eq!(many.message(), "`twice` takes 1 arguments, and is given 2");
        let text = Argument::Rows(
            Typed::rows(
                Type::Base(Ty::Char),
                Columns::Scalar(Column::of_bytes(Ty::Char, prim::Widths::WIDE, b"ab").unwrap()),
            )
            .unwrap(),
        );
        assert!(called(&program, "twice", vec![text]).is_err());
    }
    assert_eq!(program.function("thrice").unwrap_err().code(), "N0204");
}

/// A scalar parameter takes the only row, in later calls too.
#[test]
fn one_row_is_a_scalar() {
    let program = program(Engine::Cpu, "function half(x) : float -> float = x / 2.0;");
    for n in [1.0, 4.0] {
        assert_eq!(called(&program, "half", vec![floats(&[n])]).unwrap(), format!("{:?}", n / 2.0));
    }
    let rows = called(&program, "half", vec![floats(&[1.0, 2.0])]).unwrap_err();
    assert_eq!(rows.message(), "`x`: there are 2 rows, and one is needed");
}

/// Random numbers and printing follow the order of the calls.
#[test]
fn effects_and_random_numbers_stay_in_order() {
    let text = "function draw(n) = {rand(1000000) : i in [0:n]};";
    let (one, other) = (program(Engine::Cpu, text), program(Engine::Cpu, text));
    let draws = |program: &Program| -> Vec<String> {
        (0..3).map(|_| called(program, "draw", vec![ints([4])]).unwrap()).collect()
    };
    let first = draws(&one);
    assert_eq!(first, draws(&other));
    assert!(first[0] != first[1] && first[1] != first[2], "{first:?}");
}

/// Deep recursion goes on where the stack of the calling thread ends.
#[test]
fn recursion_is_deeper_than_a_small_stack() {
    let text = "function depth(n) = if n == 0 then 0 else 1 + depth(n - 1);";
    let program = program(Engine::Cpu, text);
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let calls = move || {
        let depth = |n| called(&program, "depth", vec![ints([n])]).unwrap();
        [depth(10), depth(50_000), depth(10)]
    };
    assert_eq!(small.spawn(calls).unwrap().join().unwrap(), ["10", "50000", "10"]);
}
