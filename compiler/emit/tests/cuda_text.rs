//! What the CUDA C++ of kernels looks like.

use emit::cuda::{CudaOptions, CudaText, cuda};
use expect_test::{Expect, expect};

/// A program in so many units at most.
#[track_caller]
fn in_units(text: &str, units: usize) -> CudaText {
    let program = kernel::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(errors) = kernel::verify(&program) {
        panic!("{}", kernel::print_with_errors(&program, &errors));
    }
    cuda(&program, &CudaOptions { units, ..CudaOptions::default() })
}

/// The only unit of a program.
#[track_caller]
fn printed(text: &str) -> String {
    in_units(text, 1).units.remove(0)
}

/// What the lanes of a kernel do that gets a vector `a0` and stores ints in a vector `a3`; `a1` is
/// the length of both.
fn check(functions: &str, lane: &str, expected: &Expect) {
    let text = format!(
        "{functions}
kernel k0 lanes(a0: in i64, a1: i64, a2: i64, a3: out i64) tiles of 128 over a1 each by 32 threads x4 as x0 x1 x2 {{
  x5 = add x1 x4
  for x3 in x5 .. x2 stride 32 {{
    {lane}
  }}
}}"
    );
    let printed = printed(&text);
    let (_, own) = printed.rsplit_once("x3 += 32) {\n").unwrap();
    let (own, _) = own.split_once("\n    }\n").unwrap();
    let lines: Vec<&str> = own.lines().map(str::trim).collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

#[test]
fn small_ints_do_not_overflow() {
    let lane = "x6 = add 5 -1048575
    store a3 x3 x6
    x7 = add a2 -1048576
    store a3 x3 x7
    x8 = sub 5 -9223372036854775808
    store a3 x3 x8";
    check(
        "",
        lane,
        &expect![[r#"
        a3[x3] = INT64_C(5) + -1048575;
        a3[x3] = nesl_plus(a2, -1048576);
        a3[x3] = nesl_minus(5, INT64_MIN);
    "#]],
    );
}

/// A full tile's few lanes are known to be there, so that nvcc reads the next ones in time.
#[test]
fn few_narrow_lanes_of_a_thread_are_unrolled_in_full_tiles() {
    const NARROW: &str = "widths int 32 float 32\n\n";
    let body = |widths, grain| {
        let text = format!(
            "{widths}kernel k0 lanes(a0: in i64, a1: i64, a2: out i64) tiles of {grain} over a1 each by 32 threads x4 as x0 x1 x2 {{
  x5 = add x1 x4
  for x3 in x5 .. x2 stride 32 {{
    x6 = read a0 x3
    store a2 x3 x6
  }}
}}"
        );
        let printed = printed(&text);
        let (_, body) = printed.rsplit_once(", a1);\n").unwrap();
        body.trim_end().lines().map(|line| format!("{line}\n")).collect::<String>()
    };
    expect![[r#"
            const auto lane1 = [&](const int32_t x3) {
              a2[x3] = a0[x3];
            };
            if (x2 - nesl_plus(x1, x4) > 96) {
              #pragma unroll
              for (int k = 0; k < 4; k++) lane1(nesl_plus(x1, x4) + k * 32);
            } else {
              for (int32_t x3 = nesl_plus(x1, x4); x3 < x2; x3 += 32) lane1(x3);
            }
          }
        }
    "#]]
    .assert_eq(&body(NARROW, 128));
    assert!(!body(NARROW, 160).contains("unroll"), "five lanes of a thread");
    assert!(!body(NARROW, 96 + 16).contains("unroll"), "three and a half");
    assert!(!body("", 128).contains("unroll"), "wide numbers take twice the registers");
}

#[test]
fn what_nobody_uses_has_no_name() {
    let functions = "fn h0 pick(x0, x1) -> i64, bool {
  x2 = div x0 x1
  x3 = eq x2 0
  yield x2 x3
}
fn h1 half(x0, x1) -> i64 {
  x2 = div x0 x1
  yield x2
}";
    let lane = "x6 = read a0 x3
    x7 = mod x6 a2
    x8, x9: bool = call h0(x6, a2)
    x10 = call h1(x6, a2)
    x11 = select x9 1 2
    store a3 x3 x11";
    check(
        functions,
        lane,
        &expect![[r#"
        const int64_t x6 = a0[x3];
        NESL_REQUIRE(state->fault, a2 != 0, 0, x6, a2);
        const h0_results results1 = h0(state, x6, a2);
        const bool x9 = results1.r1;
        h1(state, x6, a2);
        a3[x3] = x9 ? INT64_C(1) : INT64_C(2);
    "#]],
    );
}

/// What the elements of a thread are read from: `a0` and `a3` are vectors of `a1` ints, `a2` one
/// that they may point into.
#[track_caller]
fn check_reads(element: &str, expected: &[&str]) {
    let text = format!(
        "kernel k0 reads(a0: in i64, a1: i64, a2: in i64, a3: in i64, a4: out i64) tiles of 128 over a1 each by 32 threads x4 as x0 x1 x2 {{
  x5 = add x1 x4
  for x3 in 0 .. 8 unroll {{
    x6 = mul x3 32
    x7 = add x5 x6
    {element}
    store a4 x7 x9
  }}
}}"
    );
    let printed = printed(&text);
    let (_, own) = printed.rsplit_once("__global__").unwrap();
    let found: Vec<&str> = own.split("nesl_stream(&").skip(1).map(|rest| &rest[..2]).collect();
    assert_eq!(found, expected, "{own}");
}

#[test]
fn what_is_read_once_makes_room_for_what_is_looked_up() {
    check_reads(
        "x8 = read a0 x7
    x10 = read a2 x8
    x11 = read a3 x7
    x9 = add x10 x11",
        &["a0", "a3"],
    );
    // Nothing is looked up.
    check_reads("x9 = read a0 x7", &[]);
    // Read twice; several threads read one element.
    check_reads(
        "x8 = read a0 x7
    x10 = read a0 x8
    x11 = div x7 3
    x12 = read a3 x11
    x9 = add x10 x12",
        &[],
    );
}

#[test]
fn threads_add_up_over_the_tiles_of_their_block() {
    let text = printed(
        "
kernel k0 sums(a0: in f64, a1: i64, a2: out f64, a3: out f64) tiles of 64 over a1 each by 32 threads x15 as x0 x1 x2 {
  x17 = add x1 x15
  for x3 in x17 .. x2 stride 32 carry x5 = 0.0, x10 = -inf {
    x4: f64 = read a0 x3
    x7 = add x5 x4
    x12 = max x10 x4
    next x7 add, x12 max
  } gives x18, x20
  combine x19 = add x18, x21 = max x20
  partial 0 x19
  partial 1 x21
} finish x13: f64 = add, x14: f64 = max {
  store a2 0 x13
  store a3 0 x14
}",
    );
    let (_, own) = text.rsplit_once("= threadIdx.x;\n").unwrap();
    let (own, _) = own.split_once("    a2[0] =").unwrap();
    let lines: Vec<&str> = own.lines().map(str::trim).collect();
    expect![[r#"
        double sum0 = nesl_add<double>::identity();
        double sum1 = nesl_larger<double>::identity();
        for (int64_t x0 = blockIdx.x; x0 < run.tiles; x0 += gridDim.x) {
        const int64_t x1 = x0 * 64, x2 = nesl_min(x0 * 64 + 64, a1);
        double x5 = 0.0;
        double x10 = -INFINITY;
        #pragma unroll 8
        for (int64_t x3 = x1 + x15; x3 < x2; x3 += 32) {
        const double x4 = a0[x3];
        const double x5_next = x5 + x4;
        const double x10_next = nesl_fmax(x10, x4);
        x5 = x5_next;
        x10 = x10_next;
        }
        sum0 = nesl_add<double>::of(sum0, x5);
        sum1 = nesl_larger<double>::of(sum1, x10);
        }
        const double all0 = nesl_combine<nesl_add<double>>(sum0, scratch);
        const double all1 = nesl_combine<nesl_larger<double>>(sum1, scratch);
        if (x15 == 0 && blockIdx.x < run.tiles) {
        nesl_put(&run.scratch[(int64_t)blockIdx.x * 2 + 0], all0);
        nesl_put(&run.scratch[(int64_t)blockIdx.x * 2 + 1], all1);
        }
        if (!nesl_last(run)) return;
        double share0 = nesl_add<double>::identity();
        double share1 = nesl_larger<double>::identity();
        #pragma unroll 8
        for (int64_t tile = x15; tile < nesl_min(run.tiles, (int64_t)gridDim.x); tile += 32) {
        share0 = nesl_add<double>::of(share0, nesl_load<double>(&run.scratch[tile * 2 + 0]));
        share1 = nesl_larger<double>::of(share1, nesl_load<double>(&run.scratch[tile * 2 + 1]));
        }
        const double x13 = nesl_combine<nesl_add<double>>(share0, scratch);
        const double x14 = nesl_combine<nesl_larger<double>>(share1, scratch);
        if (x15 == 0) {
    "#]]
    .assert_eq(&format!("{}\n", lines.join("\n")));
}

/// A tile that uses what all of it comes to has that from all threads.
#[test]
fn what_a_tile_comes_to_is_combined_where_it_is_used() {
    let text = printed(
        "
kernel k0 sums(a0: in f64, a1: i64, a2: out f64, a3: out f64) tiles of 64 over a1 each by 32 threads x15 as x0 x1 x2 {
  x17 = add x1 x15
  for x3 in x17 .. x2 stride 32 carry x5 = 0.0 {
    x4: f64 = read a0 x3
    x7 = add x5 x4
    next x7 add
  } gives x18
  combine x19 = add x18
  partial 0 x19
  for x23 in x17 .. x2 stride 32 {
    store a3 x23 x19
  }
} finish x13: f64 = add {
  store a2 0 x13
}",
    );
    assert!(text.contains("const double x19 = nesl_combine<nesl_add<double>>("), "{text}");
    assert!(text.contains("nesl_put(&row[0], x19);"), "{text}");
}

/// Tiles that wait for each other are told where they begin, in the last word of each; others look
/// for it by themselves.
#[test]
fn tiles_that_cut_segments_and_wait_are_told_where_they_begin() {
    let ends = |chain: &str| {
        let text = format!(
            "kernel k0 sums(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: out i64, \
             a5: private i64 [4], a6: shared bool [128], a7: shared i64 [128]) \
             tiles of 128 over a1 cut by a2 of a3 each by 32 threads x6 as x0 x1 x2 x3 x4 x5 {{
  ends a6 of x4 .. x5 in x1 .. x2 by a2 of a3
  for x7 in 0 .. 4 unroll {{
    x8 = mul x7 32
    x9 = add x6 x8
    x10 = add x4 x9
    x11 = sub x5 1
    x12 = min x10 x11
    x13 = read a0 x12
    store a5 x7 x13
  }}
  x14 = sub x5 x4
  rows x15 = add a5 to a7 by a6 x16 of x14
  {chain}
  store a4 x1 x17
}}"
        );
        let printed = printed(&text);
        let (_, own) = printed.rsplit_once("extern \"C\"").unwrap();
        let ends = own.lines().map(str::trim).filter(|line| line.starts_with("nesl_cuts"));
        ends.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        ends("chain first_warp x17 = add x15 restarts 0 x16"),
        ["nesl_cuts_told_at({run, 7, 6}, a2, a1, x0, 128, x3, x4, x2, x5);"]
    );
    assert_eq!(ends("x17 = add x15 1"), ["nesl_cuts_at(a2, a1, x0 * 128, 128, x3, x4, x2, x5);"]);
}

/// A kernel that stores so many products by different numbers.
fn products(number: usize, stores: usize) -> String {
    let store = |n| format!("x{} = mul x3 {}\n    store a1 x3 x{}\n", n + 5, n + number, n + 5);
    format!(
        "kernel k{number} lanes(a0: i64, a1: out i64) tiles of 128 over a0 each by 32 threads x4 as x0 x1 x2 {{
  for x3 in x1 .. x2 stride 32 {{
    {}
  }}
}}
",
        (0..stores).map(store).collect::<String>()
    )
}

#[test]
fn many_kernels_and_long_ones_are_compiled_in_a_hurry() {
    let few = |count: usize| (0..count).map(|n| products(n, 1)).collect::<String>();
    let text = in_units(&few(32), 3);
    assert_eq!((text.units.len(), text.hurried), (3, vec![]));
    let text = in_units(&few(33), 3);
    assert_eq!((text.units.len(), text.hurried), (3, vec![0, 1, 2]));
    // Kernels that do the same count once.
    let same = |n| products(0, 1).replace("k0", &format!("k{n}"));
    let text = in_units(&(0..33).map(same).collect::<String>(), 4);
    assert_eq!((text.units.len(), text.hurried), (1, vec![]));
    let text = in_units(&(few(2) + &products(2, 800)), 4);
    assert_eq!((text.units.len(), text.hurried), (2, vec![0]));
    assert!(text.units[0].contains("---- k2 ") && !text.units[0].contains("---- k1 "));
}
