//! A failed check is reported with its place, what it saw, and where the lane was.

mod common;

use base::{Id, Site, Span};
use common::{Data, cpu, int, ints, launch, load};
use device::{Cpu, Failure, Fault};
use prim::Ty;

/// The same fault on every number of threads.
fn fault(text: &str, args: &[Data]) -> Fault {
    let faults = [1, 2, 3].map(|threads| {
        let cpu = cpu(threads);
        fault_on(&cpu, text, args)
    });
    assert_eq!(faults[0], faults[1]);
    assert_eq!(faults[0], faults[2]);
    faults[0].clone()
}

fn fault_on(cpu: &Cpu, text: &str, args: &[Data]) -> Fault {
    match launch(cpu, &load(cpu, text), 0, args) {
        Err(Failure::Fault(fault)) => fault,
        other => panic!("no fault but {other:?}"),
    }
}

fn span(start: u32, end: u32) -> Span {
    Span::new(Id::new(0), start, end)
}

const GATHER: &str = "
kernel k0 gather(a0: in i64, a1: in i64, a2: i64, a3: i64, a4: out i64)
  tiles of 10 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    positions x3
    x4 = read a0 x3
    x5 = ge x4 0
    x6 = lt x4 a3
    x7 = and x5 x6
    require index x7 x4 a3 @0:3:9
    x8 = select x7 x4 0
    x9 = read a1 x8
    x10 = div 100 x9 @0:10:12
    store a4 x3 x10
  }
}";

#[test]
fn the_first_in_order_is_reported() {
    let mut index: Vec<i64> = (0..100).map(|i| i % 5).collect();
    let args = |index: &[i64]| {
        [ints(index.to_vec()), ints([1, 2, 3, 4, 5]), int(100), int(5), Data::room(Ty::I64, 100)]
    };
    index[77] = 5;
    index[42] = -3;
    let expected =
        Fault { site: Site::Index, span: span(3, 9), operands: [-3, 5], positions: vec![42] };
    assert_eq!(fault(GATHER, &args(&index)), expected);
    let mut zero = args(&[4; 100]);
    zero[1] = ints([1, 2, 3, 4, 0]);
    let expected =
        Fault { site: Site::Divide, span: span(10, 12), operands: [100, 0], positions: vec![0] };
    assert_eq!(fault(GATHER, &zero), expected);
}

/// Both kernels are printed as one, whose sites are those of the first.
#[test]
fn kernels_that_do_the_same_have_faults_of_their_own() {
    let second = GATHER.replace("k0 gather", "k1 gather");
    let second = second.replace("@0:3:9", "@0:23:29").replace("@0:10:12", "@0:3:9");
    let cpu = cpu(2);
    let module = load(&cpu, &format!("{GATHER}\n{second}"));
    let fault = |kernel, index, divisor| {
        let sequences = [ints([index; 100]), ints([divisor; 5])];
        let args = [sequences[0].clone(), sequences[1].clone(), int(100), int(5)];
        let args: Vec<Data> = args.into_iter().chain([Data::room(Ty::I64, 100)]).collect();
        match launch(&cpu, &module, kernel, &args) {
            Err(Failure::Fault(fault)) => (fault.site, fault.span),
            other => panic!("no fault but {other:?}"),
        }
    };
    assert_eq!(fault(0, 9, 1), (Site::Index, span(3, 9)));
    assert_eq!(fault(1, 9, 1), (Site::Index, span(23, 29)));
    assert_eq!(fault(0, 1, 0), (Site::Divide, span(10, 12)));
    assert_eq!(fault(1, 1, 0), (Site::Divide, span(3, 9)));
}

#[test]
fn a_device_works_on_after_a_fault() {
    let cpu = cpu(2);
    let module = load(&cpu, GATHER);
    let args = |x: i64| {
        [ints([x; 100]), ints([1, 2, 3, 4, 5]), int(100), int(5), Data::room(Ty::I64, 100)]
    };
    for _ in 0..3 {
        assert!(matches!(launch(&cpu, &module, 0, &args(7)), Err(Failure::Fault(_))));
        assert_eq!(launch(&cpu, &module, 0, &args(3)).unwrap()[4], ints([25; 100]));
    }
}

#[test]
fn loops_end_after_a_fault() {
    // The step is checked before the loop, which would never end with a step of 0.
    let text = "
fn h0 count(x0, x1) -> i64 {
  x9 = loop x2 = 0, x3 = 0 {
    x4 = add x2 x1
    x5 = lt x4 x0
    x6 = add x3 1
    yield x5 x4 x6 x6
  }
  yield x9
}

kernel k0 steps(a0: i64, a1: out i64) tiles of 1 over 4 as x0 x1 x2 {
  x3 = gt a0 0
  require range x3 a0 0
  x4 = call h0(100, a0)
  x5, x6 = loop x7 = 0 {
    x8 = add x7 a0
    x9 = lt x8 100
    yield x9 x8 x8 x7
  }
  store a1 x0 x4
} finish {
  x10 = loop x11 = 0 {
    x12 = add x11 a0
    x13 = lt x12 100
    yield x13 x12 x12
  }
  store a1 0 x10
}";
    assert_eq!(fault(text, &[int(0), Data::room(Ty::I64, 4)]).site, Site::Range);
    let cpu = cpu(2);
    let args = [int(10), Data::room(Ty::I64, 4)];
    assert_eq!(launch(&cpu, &load(&cpu, text), 0, &args).unwrap()[1], ints([100, 10, 10, 10]));
}

#[test]
fn chains_end_after_a_fault() {
    let text = "
kernel k0 scan(a0: in i64, a1: i64, a2: out i64) tiles of 4 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0 {
    x5 = read a0 x3
    x6 = isqrt x5 @0:1:2
    x7 = add x4 x6
    next x7 add
  } gives x8
  chain x9 = add x8
  store a2 x0 x9
}";
    let mut v = vec![4; 400];
    v[200] = -1;
    let found = fault(text, &[ints(v), int(400), Data::room(Ty::I64, 100)]);
    assert_eq!((found.site, found.operands[0]), (Site::Domain, -1));
}

#[test]
fn recursion_without_end_is_a_fault() {
    let text = "
fn h0 down(x0) -> i64 {
  x1 = eq x0 0
  x2 = if x1 {
    yield 0
  } else {
    x3 = sub x0 1
    x4 = call h0(x3) @0:5:8
    x5 = add x4 1
    yield x5
  }
  yield x2
}

fn h1 wide(x0) -> i64 {
  x1 = call h1(x0) @0:20:22
  x2 = call h1(x1) @0:30:32
  x3 = xor x1 x2
  yield x3
}

kernel k0 deep(a0: i64, a1: out i64) tiles of 1 over 3 as x0 x1 x2 {
  x3 = call h0(a0) @0:1:2
  store a1 x0 x3
}

kernel k1 wide(a0: i64, a1: out i64) tiles of 1 over 3 as x0 x1 x2 {
  x3 = call h1(a0) @0:1:2
  store a1 x0 x3
}";
    for threads in [1, 3] {
        let cpu = cpu(threads);
        let module = load(&cpu, text);
        let args = |n| [int(n), Data::room(Ty::I64, 3)];
        let deep = 100_000;
        assert_eq!(launch(&cpu, &module, 0, &args(deep)).unwrap()[1], ints([deep; 3]));
        for kernel in [0, 1] {
            let Err(Failure::Fault(found)) = launch(&cpu, &module, kernel, &args(-1)) else {
                panic!("endless recursion ends");
            };
            assert_eq!(found.site, Site::Memory);
        }
    }
}

#[test]
fn positions_are_those_of_the_lane() {
    let text = "
kernel k0 nested(a0: i64, a1: out i64) tiles of 2 over a0 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    for x4 in 0 .. a0 {
      positions x3 x4 1 2 3 4 5 6
      x5 = mul x3 x4
      x6 = ne x5 6
      require user x6 x3 x4
      store a1 x3 x4
    }
  }
}";
    let found = fault(text, &[int(9), Data::room(Ty::I64, 9)]);
    assert_eq!((found.operands, found.positions), ([1, 6], vec![1, 6, 1, 2, 3, 4]));
}

#[test]
fn packing_and_filling_up_fail_too() {
    let text = "
kernel k0 pack(a0: in i64, a1: i64, a2: out i64) once as x0 x1 x2 {
  pack x3 in 0 .. a1 {
    positions x3
    x4 = read a0 x3
    x5 = shl 1 x4 @0:1:2
    x6 = gt x5 4
  } keep x6 at x7 = 0 {
  } store a2 x5 gives x8
} finish {
  x9 = rem 1 a1 @0:3:4
  store a2 0 x9
}";
    let found = fault(text, &[ints([1, 2, -4]), int(3), Data::room(Ty::I64, 3)]);
    assert_eq!((found.site, found.operands, found.positions), (Site::Domain, [-4, 0], vec![2]));
    let found = fault(text, &[ints([1, 2, -4]), int(0), Data::room(Ty::I64, 3)]);
    assert_eq!((found.site, found.span), (Site::Divide, span(3, 4)));
}
