//! The thread form as text.

use super::programs::{
    FILTER_MAP, FIRST_GREATEST, FIRST_INT, KEPT_LATER, LENT, LENT_WRITES, SCAN, SPARSE, THROUGH,
    TWO_REDUCTIONS,
};
use super::{agree, compile, int, ints, verified};
use crate::threads::by_threads;
use crate::{Block, Target, first, part, schedule};
use expect_test::{Expect, expect};
use fuse::Fusion;
use kernel::{Argument, Evaluator, Failure, Memory, Simulator};
use prim::Const;
use std::cell::RefCell;
use std::rc::Rc;

/// A block so small that its text can be read.
const SMALL: Target =
    Target { grain: 128, block: Some(Block { threads: 32, items: 4 }), ..Target::GPU };

/// The thread form of the kernels of a fused flat program.
fn check_threads(text: &str, expected: &Expect) {
    let plan = compile(text, Fusion::Greedy).plan;
    expected.assert_eq(&schedule(&plan, &SMALL).to_string());
}

/// The launches of a fused flat program, with and without pass *first*.
fn launches(text: &str) -> [usize; 2] {
    let flat = flat::read(text).unwrap_or_else(|e| panic!("{e}"));
    [true, false].map(|with| {
        let mut plan = fuse::fuse(&flat, Fusion::Greedy);
        if with {
            first(&mut plan, &Target::GPU);
        }
        part(&mut plan, &Target::GPU);
        plan.clusters.len()
    })
}

#[test]
fn the_first_of_the_greatest_is_found_in_one_launch() {
    assert_eq!(launches(FIRST_GREATEST), [1, 2]);
    assert_eq!(launches(FIRST_INT), [1, 2]);
}

#[test]
fn threads_share_a_reduction() {
    check_threads(
        TWO_REDUCTIONS,
        &expect![[r#"
            kernel k0 both(a0: in f64, a1: i64, a2: out f64, a3: out f64) tiles of 512 over a1 each by 32 threads x14 as x0 x1 x2 {
              x16 = add x1 x14
              for x3 in x16 .. x2 stride 32 carry x5 = 0.0, x9 = -inf {
                x4: f64 = read a0 x3
                x7 = add x5 x4
                x11 = max x9 x4
                next x7 add, x11 max
              } gives x17, x19
              combine x18 = add x17, x20 = max x19
              partial 0 x18
              partial 1 x20
            } finish x12: f64 = add, x13: f64 = max {
              store a2 0 x12
              store a3 0 x13
            }
        "#]],
    );
}

/// Rows do not matter then: each thread has what all its elements come to.
#[test]
fn threads_share_what_goes_through() {
    check_threads(
        THROUGH,
        &expect![[r#"
        kernel k0 through(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: out i64, a5: out i64, a6: shared i64 [2048]) tiles of 2048 over a1 cut by a2 of a3 each by 32 threads x25 as x0 x1 x2 x3 x4 x5 {
          owners a6 of x4 .. x5 in x1 .. x2 by a2 of a3
          x29 = add x4 x25
          for x6 in x29 .. x5 stride 32 carry x13 = 0, x18 = -9223372036854775808 {
            x27 = sub x6 x4
            x28 = read a6 x27
            x7 = add x1 x28
            x9 = read a2 x7
            x11 = read a0 x6
            x12 = mul x11 x7
            x15 = add x13 x12
            x16 = sub x6 x9
            x17 = sub x12 x16
            x20 = max x18 x17
            next x15 add, x20 max
          } gives x30, x32
          combine x31 = add x30, x33 = max x32
          partial 0 x31
          partial 1 x33
        } finish x23 = add, x24 = max {
          store a5 0 x23
          store a4 0 x24
        }
    "#]],
    );
}

#[test]
fn threads_filter_a_striped_array() {
    check_threads(
        FILTER_MAP,
        &expect![[r#"
            kernel k0 keep(a0: in i64, a1: i64, a2: out i64, a3: out i64, a4: private i64 [6], a5: private bool [6], a6: private i64 [6]) tiles of 192 over a1 each by 32 threads x17 as x0 x1 x2 {
              x19 = add x1 x17
              for x20 in 0 .. 6 unroll {
                x21 = mul x20 32
                x22 = add x19 x21
                x23 = lt x22 x2
                when x23 {
                  x25 = read a0 x22
                  x26 = gt x25 2
                  store a6 x20 x25
                  store a5 x20 x26
                } else {
                  store a5 x20 F
                }
              }
              scan x27 = add a5 to a4
              chain x28 = add x27
              for x29 in 0 .. 6 unroll {
                x30 = mul x29 32
                x31 = add x19 x30
                x32 = lt x31 x2
                when x32 {
                  x33 = read a4 x29
                  x34 = add x28 x33
                  x6 = read a6 x29
                  x7 = gt x6 2
                  x9 = mul x6 x6
                  when x7 {
                    x10 = add x9 x34
                    store a3 x34 x10
                  }
                }
              }
              partial 0 x27
            } finish x16 = add {
              store a2 0 x16
            }
        "#]],
    );
}

#[test]
fn threads_scan_in_turn() {
    check_threads(
        SCAN,
        &expect![[r#"
            kernel k0 scans(a0: in i64, a1: i64, a2: out i64 over a0, a3: private i64 [6], a4: private i64 [6]) tiles of 192 over a1 each by 32 threads x10 as x0 x1 x2 {
              x12 = add x1 x10
              for x13 in 0 .. 6 unroll {
                x14 = mul x13 32
                x15 = add x12 x14
                x16 = lt x15 x2
                when x16 {
                  x18 = read a0 x15
                  x19 = abs x18
                  store a4 x13 x18
                  store a3 x13 x19
                } else {
                  store a3 x13 0
                }
              }
              scan x20 = add a3 to a3
              chain x21 = add x20
              for x22 in 0 .. 6 unroll {
                x23 = mul x22 32
                x24 = add x12 x23
                x25 = lt x24 x2
                when x25 {
                  x26 = read a3 x22
                  x27 = add x21 x26
                  x4 = read a4 x22
                  x5 = abs x4
                  x8 = add x27 x5
                  store a2 x24 x8
                }
              }
            }
        "#]],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "three kernels")]
fn threads_keep_of_segments_in_rounds() {
    check_threads(
        KEPT_LATER,
        &expect![[r#"
            kernel k0 later(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: out i64, a5: out i64, a6: shared i64 [257], a7: shared i64 [256], a8: private i64 [8], a9: private bool [8], a10: private i64 [8]) tiles of 256 over a1 cut by a2 of a3 each by 32 threads x31 as x0 x1 x2 x3 x4 x5 {
              x32 = eq x31 0
              x35 = add x4 x31
              for x36 in 0 .. 8 unroll {
                x37 = mul x36 32
                x38 = add x35 x37
                x39 = lt x38 x5
                when x39 {
                  x41 = read a0 x38
                  x42 = gt x41 1
                  store a10 x36 x41
                  store a9 x36 x42
                } else {
                  store a9 x36 F
                }
              }
              scan x43 = add a9 to a8
              chain x44 = add x43
              for x45 in 0 .. 8 unroll {
                x46 = mul x45 32
                x47 = add x35 x46
                x48 = lt x47 x5
                when x48 {
                  x49 = read a8 x45
                  x50 = add x44 x49
                  x13 = sub x47 x4
                  store a6 x13 x49
                  x14 = read a10 x45
                  x15 = gt x14 1
                  when x15 {
                    store a4 x50 x47
                  }
                }
              }
              x23 = sub x5 x4
              when x32 {
                store a6 x23 x43
              }
              barrier
              x52 = add x3 x31
              for x24 in x52 .. x2 stride 32 {
                x26 = read a2 x24
                x28 = sub x26 x4
                x53 = read a6 x28
                x29 = add x44 x53
                store a5 x24 x29
              }
              partial 0 x43
            } finish x30 = add {
              store a5 a1 x30
            }

            kernel k1 later(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: out i64, a5: shared i64 [2048]) tiles of 2048 over a1 cut by a2 of a3 each by 32 threads x15 as x0 x1 x2 x3 x4 x5 {
              owners a5 of x4 .. x5 in x1 .. x2 by a2 of a3
              x19 = add x4 x15
              for x6 in x19 .. x5 stride 32 {
                x17 = sub x6 x4
                x18 = read a5 x17
                x7 = add x1 x18
                x11 = read a0 x7
                x12 = add x11 x6
                store a4 x6 x12
              }
            }

            kernel k2 later(a0: in i64, a1: in i64, a2: i64, a3: in i64, a4: i64, a5: out i64 over a0, a6: shared i64 [2048]) tiles of 2048 over a2 cut by a3 of a4 each by 32 threads x17 as x0 x1 x2 x3 x4 x5 {
              owners a6 of x4 .. x5 in x1 .. x2 by a3 of a4
              x21 = add x4 x17
              for x6 in x21 .. x5 stride 32 {
                x19 = sub x6 x4
                x20 = read a6 x19
                x7 = add x1 x20
                x9 = read a3 x7
                x11 = sub x6 x9
                x12 = read a0 x6
                x13 = read a1 x12
                x14 = add x13 x11
                store a5 x6 x14
              }
            }
        "#]],
    );
}

/// What lanes add to the scan can fail: then it is checked as the program says, and says where.
/// What is left to do when rows are summed is done for their last elements only, and the checks are
/// made before.
#[test]
fn threads_sum_rows() {
    check_threads(
        SPARSE,
        &expect![[r#"
            kernel k0 sparse(a0: in i64, a1: i64, a2: in f64, a3: i64, a4: in i64, a5: i64, a6: in f64, a7: out f64, a8: shared i64 [512], a9: private f64 [16], a10: private bool [16], a11: private i64 [16], a12: private i64 [16], a13: private f64 [16], a14: private f64 [16], a15: shared bool [512], a16: shared f64 [512]) tiles of 512 over a3 cut by a4 of a5 each by 32 threads x33 as x0 x1 x2 x3 x4 x5 {
              ends a15 of x4 .. x5 in x1 .. x2 by a4 of a5
              x37 = add x4 x33
              x65 = lt x4 x5
              when x65 {
                for x38 in 0 .. 16 unroll {
                  x39 = mul x38 32
                  x40 = add x37 x39
                  x60 = sub x5 x4
                  x61 = sub x60 1
                  x62 = sub x40 x4
                  x63 = min x62 x61
                  x64 = add x4 x63
                  owner x45 = x64 in x1 .. x2 by a4 of a5
                  x46 = read a4 x45
                  x47 = sub x64 x46
                  positions x45 x47
                  x48 = read a0 x64
                  x49 = ge x48 0
                  x50 = lt x48 a1
                  x51 = and x49 x50
                  require index x51 x48 a1 @0:31:35
                  x52 = min x48 a1
                  x53 = select x51 x52 0
                  x54: f64 = read a2 x53
                  x55: f64 = read a6 x64
                  x56 = mul x55 x54
                  store a9 x38 x56
                }
              }
              x66 = sub x5 x4
              rows x58: f64 = add a9 to a16 by a15 x59 of x66
              chain first_warp x67 = add x58 restarts 0 x59
              x68 = add x1 x33
              for x69 in x68 .. x2 stride 32 {
                x70 = add x69 1
                x71 = read a4 x69
                x72 = read a4 x70
                x73 = lt x71 x72
                x74 = lt x4 x72
                x75 = le x72 x5
                x76 = and x73 x74
                x77 = and x76 x75
                when x77 {
                  x78 = sub x72 1
                  x79 = lt x71 x4
                  x80 = sub x78 x4
                  x81: f64 = read a16 x80
                  x82 = add x67 x81
                  x83 = select x79 x82 x81
                  store a7 x69 x83
                }
                x86 = le x3 x69
                when x86 {
                  x29 = add x69 1
                  x30 = read a4 x69
                  x31 = read a4 x29
                  x32 = eq x30 x31
                  when x32 {
                    store a7 x69 0.0
                  }
                }
              }
            }
        "#]],
    );
}

const SHARES: &str = r"fn f0 shares(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = ge x2 1
    require domain x3 x2 1 @0:1:2
    x4 = div 12 x2 @0:3:4
    yield x4
  }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; x3 = rem 12 x2 @0:5:6; yield x3 }
  v5: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v3 x0; yield x2 }
  v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v4 x0; x3 = read v5 x0; x4 = add x2 x3; yield x4 }
  yield v6
}
";

#[test]
fn elements_of_a_thread_load_together() {
    check_threads(
        LENT,
        &expect![[r#"
        kernel k0 lent(a0: in i64, a1: in i64, a2: i64, a3: in i64, a4: i64, a5: out i64, a6: out i64, a7: shared i64 [257], a8: shared i64 [256], a9: private i64 [8], a10: private bool [8], a11: private i64 [8], a12: private i64 [8], a13: private i64 [8]) tiles of 256 over a2 cut by a3 of a4 each by 32 threads x34 as x0 x1 x2 x3 x4 x5 {
          x35 = eq x34 0
          owners a8 of x4 .. x5 in x1 .. x2 by a3 of a4
          x38 = add x4 x34
          x67 = lt x4 x5
          when x67 {
            for x39 in 0 .. 8 unroll {
              x40 = mul x39 32
              x41 = add x38 x40
              x42 = lt x41 x5
              x64 = sub x5 1
              x65 = min x41 x64
              x44 = sub x65 x4
              x45 = read a8 x44
              x46 = add x1 x45
              x47 = read a3 x46
              x48 = sub x65 x47
              x49 = read a0 x46
              x50 = add x49 x48
              x51 = read a1 x50
              x52 = gt x51 1
              store a13 x39 x51
              x66 = select x42 x52 F
              store a10 x39 x66
            }
          } else {
            for x68 in 0 .. 8 unroll {
              store a10 x68 F
            }
          }
          scan x53 = add a10 to a9
          chain x54 = add x53
          for x55 in 0 .. 8 unroll {
            x56 = mul x55 32
            x57 = add x38 x56
            x58 = lt x57 x5
            when x58 {
              x59 = read a9 x55
              x60 = add x54 x59
              x13 = sub x57 x4
              store a7 x13 x59
              x17 = read a13 x55
              x18 = gt x17 1
              when x18 {
                store a5 x60 x57
              }
            }
          }
          x26 = sub x5 x4
          when x35 {
            store a7 x26 x53
          }
          barrier
          x62 = add x3 x34
          for x27 in x62 .. x2 stride 32 {
            x29 = read a3 x27
            x31 = sub x29 x4
            x63 = read a7 x31
            x32 = add x54 x63
            store a6 x27 x32
          }
          partial 0 x53
        } finish x33 = add {
          store a6 a2 x33
        }
    "#]],
    );
}

#[test]
fn what_is_stored_to_is_read_in_steps() {
    check_threads(
        LENT_WRITES,
        &expect![[r#"
            kernel k0 writes(a0: in i64, a1: in i64, a2: i64, a3: i64, a4: in i64, a5: i64, a6: inout i64, a7: shared i64 [2048], a8: private i64 [4], a9: private i64 [4], a10: private bool [4]) tiles of 2048 over a3 cut by a4 of a5 each by 32 threads x20 as x0 x1 x2 x3 x4 x5 {
              owners a7 of x4 .. x5 in x1 .. x2 by a4 of a5
              x24 = add x4 x20
              for x25 in x24 .. x5 stride 128 {
                x26 = sub x5 1
                for x27 in 0 .. 4 unroll {
                  x28 = mul x27 32
                  x29 = add x25 x28
                  x6 = min x29 x26
                  x22 = sub x6 x4
                  x23 = read a7 x22
                  x7 = add x1 x23
                  x11 = read a0 x7
                  x12 = read a1 x11
                  x13 = sub a2 1
                  x14 = sub x13 x6
                  x15 = ge x14 0
                  x16 = lt x14 a2
                  x17 = and x15 x16
                  store a8 x27 x12
                  store a9 x27 x14
                  store a10 x27 x17
                }
                for x30 in 0 .. 4 unroll {
                  x31 = mul x30 32
                  x32 = add x25 x31
                  x33 = lt x32 x5
                  when x33 {
                    x34 = read a8 x30
                    x35 = read a9 x30
                    x36: bool = read a10 x30
                    when x36 {
                      store a6 x35 x34
                    }
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn threads_check_in_the_order_of_lanes() {
    check_threads(
        SHARES,
        &expect![[r#"
            kernel k0 shares(a0: in i64, a1: i64, a2: in i64, a3: out i64, a4: private i64 [4], a5: private i64 [4], a6: private i64 [4]) tiles of 128 over a1 each by 32 threads x13 as x0 x1 x2 {
              x15 = add x1 x13
              for x16 in 0 .. 4 unroll {
                x17 = mul x16 32
                x18 = add x15 x17
                x19 = lt x18 x2
                when x19 {
                  positions x18
                  x21 = read a0 x18
                  x22 = ge x21 1
                  require domain x22 x21 1 @0:1:2
                  x23 = div 12 x21 @0:3:4
                  positions x18
                  x24 = read a2 x18
                  x25 = rem 12 x24 @0:5:6
                  store a5 x16 x21
                  store a6 x16 x24
                  store a4 x16 x23
                } else {
                  store a4 x16 0
                }
              }
              scan x26 = add a4 to a4
              chain x27 = add x26
              for x28 in 0 .. 4 unroll {
                x29 = mul x28 32
                x30 = add x15 x29
                x31 = lt x30 x2
                when x31 {
                  x32 = read a4 x28
                  x33 = add x27 x32
                  positions x30
                  x4 = read a5 x28
                  x5 = ge x4 1
                  require domain x5 x4 1 @0:1:2
                  x6 = div 12 x4 @0:3:4
                  positions x30
                  x7 = read a6 x28
                  x8 = rem 12 x7 @0:5:6
                  x12 = add x8 x33
                  store a3 x30 x12
                }
              }
            }
        "#]],
    );
    agree(SHARES, &[int(4), ints(&[1, 2, 3, 4]), ints(&[5, 6, 7, 8])]);
    agree(SHARES, &[int(4), ints(&[1, 2, 0, 4]), ints(&[5, 6, 7, 8])]);
    agree(SHARES, &[int(4), ints(&[1, 0, 3, 4]), ints(&[5, 6, 0, 8])]);
}

/// A loop that the first thread runs alone: what it adds to the chain is found in a run before, and
/// all threads are told what it gives.
const ALONE: &str = r"kernel k0 alone(a0: in i64, a1: i64, a2: out i64) tiles of 3 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 carry x4 = chained 0, x5 = 1 {
    x6 = read a0 x3
    x7 = add x4 x6
    store a2 x3 x7
    x8 = mul x5 x6
    next x7 add, x8 mul
  } gives x9, x10
  x11 = add x9 x10
  partial 0 x11
} finish x12 = add {
  store a2 a1 x12
}
";

#[test]
fn threads_wait_for_one_that_works_alone() {
    let mut program = verified(kernel::read(ALONE).unwrap());
    let wanted = on_ints(|args| Evaluator::new(&program).launch(base::Id::new(0), args));
    for (_, kernel) in program.kernels.iter_mut() {
        *kernel = by_threads(kernel, Block { threads: 4, items: 1 }, prim::Widths::WIDE);
    }
    let program = verified(program);
    for seed in 0..12 {
        let simulator = Simulator::new(&program).seed(seed);
        assert_eq!(on_ints(|args| simulator.launch(base::Id::new(0), args)), wanted, "{program}");
    }
}

/// What a kernel makes of some ints.
fn on_ints(launch: impl Fn(&[Argument]) -> Result<(), Failure>) -> Vec<Option<Const>> {
    let ints = [3, 1, 4, 1, 5, 9, 2].map(|n| Some(Const::I64(n)));
    let length = Argument::Scalar(Const::I64(ints.len() as i64));
    let out: Memory = Rc::new(RefCell::new(vec![None; ints.len() + 1]));
    let input = Argument::Buffer(Rc::new(RefCell::new(ints.to_vec())));
    assert_eq!(launch(&[input, length, Argument::Buffer(out.clone())]), Ok(()));
    out.take()
}
