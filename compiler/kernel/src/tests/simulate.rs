//! The simulator: right kernels give the same in every order, wrong ones are seen in every order.

use super::check;
use crate::{Argument, Failure, Memory, Program, Simulator, read, verify};
use prim::Const;
use std::cell::RefCell;
use std::rc::Rc;

fn memory(elements: impl IntoIterator<Item = Option<i64>>) -> Memory {
    Rc::new(RefCell::new(elements.into_iter().map(|n| n.map(Const::I64)).collect()))
}

/// The arguments of all kernels below: the ints from 0 on, how many, an output, zeros.
const ARGS: &str = "a0: in i64, a1: i64, a2: out i64, a3: inout i64";

/// Two tiles of four elements, each by four threads `x0`; further arguments.
fn kernel(args: &str, body: &str) -> Program {
    let text = format!(
        "kernel k0 test({ARGS}{args}) tiles of 4 over a1 each by 4 threads x0 as x1 x2 x3 {{
{body}}}
"
    );
    let program = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(errors) = verify(&program) {
        panic!("{}", crate::print_with_errors(&program, &errors));
    }
    program
}

/// What a kernel does in some order to its two outputs.
fn run(program: &Program, blocks: usize, seed: u64) -> Result<[Vec<Option<Const>>; 2], Failure> {
    let outs = [memory([None; 8]), memory([Some(0); 8])];
    let args = [
        Argument::Buffer(memory((0..8).map(Some))),
        Argument::Scalar(Const::I64(8)),
        Argument::Buffer(outs[0].clone()),
        Argument::Buffer(outs[1].clone()),
    ];
    let simulator = Simulator::new(program).blocks(blocks).seed(seed);
    simulator.launch(base::Id::new(0), &args)?;
    Ok(outs.map(|out| out.borrow().clone()))
}

/// Runs a kernel in all orders.
fn each_order(program: &Program, mut test: impl FnMut(Result<[Vec<Option<Const>>; 2], Failure>)) {
    for blocks in [1, 2, 3] {
        (0..12).for_each(|seed| test(run(program, blocks, seed)));
    }
}

/// The kernel leaves these ints in its first output.
fn gives(args: &str, body: &str, wanted: [i64; 8]) {
    let program = kernel(args, body);
    let wanted = wanted.map(|n| Some(Const::I64(n)));
    each_order(&program, |found| {
        assert_eq!(found.map(|outs| outs[0].clone()), Ok(wanted.to_vec()));
    });
}

/// The kernel is wrong, and these words say why.
fn is_wrong(args: &str, body: &str, words: &[&str]) {
    let program = kernel(args, body);
    each_order(&program, |found| match found {
        Err(Failure::Wrong(message)) => {
            assert!(words.iter().all(|word| message.contains(word)), "{message}\nnot {words:?}");
        }
        found => panic!("{found:?}\nnot {words:?}"),
    });
}

#[test]
fn what_is_shared_is_seen_after_a_barrier() {
    let reverse = "\
  x4 = add x2 x0
  x5 = read a0 x4
  store a4 x0 x5
  barrier
  x6 = sub 3 x0
  x7 = read a4 x6
  store a2 x4 x7
";
    gives(", a4: shared i64 [4]", reverse, [3, 2, 1, 0, 7, 6, 5, 4]);
    let message = "a race on a4[";
    let hasty = reverse.replace("  barrier\n", "");
    is_wrong(", a4: shared i64 [4]", &hasty, &[message, "in thread", "in tile", "of k0 test"]);
}

#[test]
fn prefixes_come_in_the_order_of_tiles() {
    let body = "\
  x4 = add x2 x0
  x5 = read a0 x4
  store a4 0 x5
  scan x6 = add a4 to a4
  chain x7 = add x6
  x8 = read a4 0
  x9 = add x7 x8
  store a2 x4 x9
";
    gives(", a4: private i64 [1]", body, [0, 0, 1, 3, 6, 10, 15, 21]);
}

/// Sums of floats are the same to the last bit, because the order of combination is.
#[test]
fn floats_are_combined_in_order() {
    let text = "\
kernel k0 sums(a0: in f64, a1: i64, a2: out f64, a3: private f64 [2]) tiles of 8 over a1 each by 4 threads x0 as x1 x2 x3 {
  for x4 in 0 .. 2 unroll {
    x5 = mul x4 4
    x6 = add x2 x0
    x7 = add x6 x5
    x8: f64 = read a0 x7
    store a3 x4 x8
  }
  scan x9: f64 = add a3 to a3
  chain x10 = add x9
  partial 0 x10
} finish x11: f64 = add {
  store a2 4 x11
}
";
    check(text);
    let program = read(text).unwrap();
    let xs: Vec<f64> = (0..32).map(|n| 0.1 * f64::from(n * n) + 1e9 * f64::from(n % 3)).collect();
    let totals = xs.chunks(8).map(|tile| tile.iter().fold(0.0, |a, b| a + b));
    let before = totals.scan(0.0, |sum, total| {
        let before = *sum;
        *sum += total;
        Some(before)
    });
    let wanted = Const::F64(before.fold(0.0, |a, b| a + b));
    for (blocks, seed) in [(1, 0), (2, 5), (3, 10), (4, 11), (9, 7)] {
        let input = Rc::new(RefCell::new(xs.iter().map(|&x| Some(Const::F64(x))).collect()));
        let out: Memory = Rc::new(RefCell::new(vec![None; 5]));
        let length = Argument::Scalar(Const::I64(32));
        let args = [Argument::Buffer(input), length, Argument::Buffer(out.clone())];
        let simulator = Simulator::new(&program).blocks(blocks).seed(seed);
        assert_eq!(simulator.launch(base::Id::new(0), &args), Ok(()));
        assert_eq!(out.borrow()[4], Some(wanted));
    }
}

#[test]
fn all_raise_one_element() {
    let program = kernel("", "  x4 = add x2 x0\n  x5 = rem x0 2\n  raise a3 x5 x4\n");
    let wanted = [6, 7, 0, 0, 0, 0, 0, 0].map(|n| Some(Const::I64(n)));
    each_order(&program, |found| {
        assert_eq!(found.map(|outs| outs[1].clone()), Ok(wanted.to_vec()));
    });
    let outside = "  raise a3 8 x0\n";
    is_wrong("", outside, &["a3[8] of 8 is raised"]);
}

#[test]
fn threads_leave_buffers_alone_that_others_write() {
    is_wrong(
        "",
        "  store a2 x2 x0\n",
        &["a race on a2[", "writes what thread", "statement 0 `store"],
    );
    let read_back = "\
  x4 = add x2 x0
  store a3 x4 x0
  x5 = xor x0 1
  x6 = add x2 x5
  x7 = read a3 x6
  store a2 x4 x7
";
    is_wrong("", read_back, &["a race on a3["]);
    let met = read_back.replace("  x5 =", "  barrier\n  x5 =");
    gives("", &met, [1, 0, 3, 2, 1, 0, 3, 2]);
}

#[test]
fn tiles_leave_elements_alone_that_others_write() {
    is_wrong("", "  store a2 x0 x0\n", &["a2[", "was written by tile"]);
    let neighbour = "\
  x4 = add x2 x0
  store a3 x4 x0
  x5 = sub 7 x4
  x6 = read a3 x5
  store a2 x4 x6
";
    is_wrong("", neighbour, &["a3[", "by tile"]);
}

#[test]
fn unequal_values_are_worth_nothing() {
    let same = kernel("", "  store a3 x0 5\n  store a3 4 6\n");
    each_order(&same, |found| {
        let wanted = [5, 5, 5, 5, 6, 0, 0, 0].map(|n| Some(Const::I64(n)));
        assert_eq!(found.map(|outs| outs[1].clone()), Ok(wanted.to_vec()));
    });
    let by_tiles = kernel("", "  store a3 x0 x1\n");
    let by_threads = kernel("", "  store a3 x2 x0\n");
    each_order(&by_tiles, |found| assert_eq!(found.unwrap()[1][..4], [None; 4]));
    each_order(&by_threads, |found| {
        let found = found.unwrap();
        assert_eq!([found[1][0], found[1][4]], [None; 2]);
    });
}

#[test]
fn threads_come_to_collectives_together() {
    let in_arm = "\
  x4 = lt x0 2
  when x4 {
    barrier
  }
";
    let words = &["threads part", "statement 2 `barrier`", "thread 2", "at the end"];
    is_wrong("", in_arm, words);
    let other = "\
  x4 = lt x0 2
  when x4 {
    barrier
  } else {
    barrier
  }
";
    is_wrong("", other, &["threads part", "statement 2 `barrier`", "statement 3 `barrier`"]);
    let in_loop = "\
  x4 = max x0 2
  for x5 in 0 .. x4 {
    combine x6 = add x5
  }
";
    is_wrong("", in_loop, &["threads part", "combine x6 = add x5", "thread 3"]);
    let late = "\
  for x4 in 0 .. 4 {
    x5 = eq x4 x0
    when x5 {
      barrier
    }
  }
";
    is_wrong("", late, &["threads part", "statement 3 `barrier`", "in another iteration"]);
    let together = "\
  for x4 in 0 .. 3 carry x5 = 0 {
    combine x6 = add x4
    x7 = add x5 x6
    next x7
  } gives x8
  x9 = add x2 x0
  store a2 x9 x8
";
    gives("", together, [12; 8]);
}

#[test]
fn values_of_the_tile_are_the_same_in_all_threads() {
    let words = &["x0 is 0 in thread 0, 1 in thread 1", "chain x4 = add x0"];
    is_wrong("", "  chain x4 = add x0\n", words);
    let text = format!(
        "kernel k0 test({ARGS}) tiles of 4 over a1 each by 4 threads x0 as x1 x2 x3 {{
  partial 0 x0
}} finish x4 = add {{
}}
"
    );
    let program = read(&text).unwrap();
    let failure = run(&program, 1, 0).unwrap_err();
    assert!(matches!(failure, Failure::Wrong(text) if text.contains("statement 0 `partial 0 x0`")));
}

#[test]
fn what_is_read_was_written() {
    let read =
        |array: &str| format!("  x4 = read {array} x0\n  x5 = add x2 x0\n  store a2 x5 x4\n");
    let words = |array: &str| format!("{array}[0] is read but was not written");
    is_wrong(", a4: shared i64 [4]", &read("a4"), &[&words("a4")]);
    is_wrong(", a4: private i64 [4]", &read("a4"), &[&words("a4")]);
    is_wrong(", a4: private i64 [1]", "  scan x4 = add a4 to a4\n", &[&words("a4")]);
    let poison =
        format!("  store a3 x2 x0\n  barrier\n{}", read("a3").replace("x0\n  x5", "x2\n  x5"));
    is_wrong("", &poison, &[&words("a3")]);
}

/// Arrays do not keep anything from one tile to the next.
#[test]
fn arrays_are_empty_in_each_tile() {
    for kind in ["shared", "private"] {
        let body = "\
  x4 = eq x1 0
  when x4 {
    store a4 x0 7
  }
  x5 = read a4 x0
";
        let words = &["a4[0] is read but was not written", "in tile 1"];
        is_wrong(&format!(", a4: {kind} i64 [4]"), body, words);
    }
}

#[test]
fn accesses_stay_inside() {
    for (args, array, length) in
        [("", "a3", 8), (", a4: shared i64 [4]", "a4", 4), (", a4: private i64 [4]", "a4", 4)]
    {
        let words = format!("{array}[{length}] of {length} is");
        let store = format!("  x4 = add x0 {length}\n  store {array} x4 1\n");
        is_wrong(args, &store, &[&words, "written", "thread 0"]);
        let read = format!("  x4 = add x0 {length}\n  x5 = read {array} x4\n  store a2 x5 1\n");
        is_wrong(args, &read, &[&words, "read", "thread 0"]);
        is_wrong(args, &format!("  store {array} -1 1\n"), &[&format!("{array}[-1]")]);
    }
    let nested = "\
  x4 = lt x0 2
  x5 = if x4 {
    x6 = read a0 9
    yield x6
  } else {
    yield 0
  }
";
    is_wrong("", nested, &["a0[9] of 8 is read", "statement 1 `x5 = if x4 {`"]);
}

/// By tile, by statement of the tile, by lane.
#[test]
fn the_first_fault_in_order_is_reported() {
    let body = "\
  for x4 in x2 .. x3 {
    x5 = add x4 x0
    positions x5
    x6 = ne x5 3
    require domain x6 x0 x4 @0:1:2
  }
  positions
  x7 = ne x0 0
  require index x7 x0 8 @0:3:4
";
    let program = kernel("", body);
    each_order(&program, |found| match found {
        Err(Failure::Fault(fault, positions)) => {
            assert_eq!((fault.args, positions), ([3, 0], vec![3]));
        }
        found => panic!("{found:?}"),
    });
    let silent = body.replace("    positions x5\n", "");
    is_wrong("", &silent, &["a fault without positions", "statement 3 `require domain"]);
}

#[test]
fn kernels_of_one_unit_run_as_ever() {
    let text = "\
kernel k0 once(a0: in i64, a1: i64, a2: out i64, a3: inout i64) once as x0 x1 x2 {
  for x3 in 0 .. a1 {
    store a2 x3 x3
  }
}
";
    let program = read(text).unwrap();
    let wanted: Vec<_> = (0..8).map(|n| Some(Const::I64(n))).collect();
    assert_eq!(run(&program, 2, 3).unwrap()[0], wanted);
}
