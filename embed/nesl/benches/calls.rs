//! The time of a call on little data, from one thread and from several.
//!
//! `cargo bench -p nesl` prints for each function the time of a call, the least of some rounds, and
//! the calls per second of all threads together.

#![expect(clippy::print_stdout, reason = "the times are its purpose")]

use nesl::{Argument, Engine, Function, Options, Session};
use prim::Ty;
use std::time::Instant;
use types::Type;
use value::{Column, Columns, Typed};

const CALLS: usize = 2_000;
const ROUNDS: usize = 15;

const TEXT: &str = "
    function twice(a) = {2.0 * x : x in a};
    function total(a) = sum(a);
    function dot(a, b) = sum({x * y : x in a; y in b});
    function rows(a) = {sum({x * x : x in r}) : r in partition(a, [1, 2, 1])};
    function quicksort(a) =
      if #a < 2 then a
      else let p = a[#a / 2];
        parts = {quicksort(v) : v in [{x in a | x < p}, {x in a | x > p}]}
      in parts[0] ++ {x in a | x == p} ++ parts[1];
    function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
";

fn floats(values: &[f64]) -> Argument {
    let column = Column::from_floats(values.to_vec()).expect("there is memory");
    let rows = Typed::rows(Type::Base(Ty::F64), Columns::Scalar(column));
    Argument::Rows(rows.expect("columns of one type"))
}

fn int(value: i64) -> Argument {
    let column = Column::from_ints(vec![value]).expect("there is memory");
    let rows = Typed::rows(Type::Base(Ty::I64), Columns::Scalar(column));
    Argument::Rows(rows.expect("columns of one type"))
}

/// Seconds for a number of calls.
fn time(function: &Function, arguments: &[Argument]) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        function.call(arguments.to_vec()).expect("the call succeeds");
    }
    start.elapsed().as_secs_f64()
}

fn main() {
    let options = Options { engine: Engine::Cpu, ..Options::default() };
    let session = Session::new(&options).expect("there is a C compiler");
    let program = session.compile(TEXT).expect("the text is right");
    let few = floats(&[3.0, 1.0, 4.0, 1.5]);
    let cases: [(&str, Vec<Argument>); 6] = [
        ("twice", vec![few.clone()]),
        ("total", vec![few.clone()]),
        ("dot", vec![few.clone(), few.clone()]),
        ("rows", vec![few.clone()]),
        ("quicksort", vec![few]),
        ("fib", vec![int(10)]),
    ];
    let threads = std::thread::available_parallelism().map_or(2, usize::from).max(2);
    for (name, arguments) in cases {
        let function = program.function(name).expect("the text has it");
        time(&function, &arguments);
        let least = (0..ROUNDS).map(|_| time(&function, &arguments)).fold(f64::MAX, f64::min);
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| time(&function, &arguments));
            }
        });
        let together = (threads * CALLS) as f64 / start.elapsed().as_secs_f64();
        let alone = least / CALLS as f64 * 1e6;
        println!("{name:10} {alone:7.2} us a call, {threads} threads {together:9.0} calls/s");
    }
}
