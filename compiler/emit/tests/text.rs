//! What the C looks like, and that its loops vectorise.
#![expect(clippy::disallowed_methods, reason = "the test runs the C compiler")]

use emit::{COptions, CText, c};
use expect_test::{Expect, expect};
use std::path::Path;
use std::process::Command;

fn print(text: &str) -> CText {
    let program = kernel::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(errors) = kernel::verify(&program) {
        panic!("{}", kernel::print_with_errors(&program, &errors));
    }
    c(&program, &COptions::default())
}

/// The text of a program, the run-time system left out.
fn check(text: &str, expected: &Expect) {
    let printed = print(text);
    let (_, own) = printed.units[0].rsplit_once("#endif\n").unwrap();
    expected.assert_eq(own);
}

#[test]
fn dot() {
    check(
        "
kernel k0 dot(a0: in f64, a1: in f64, a2: i64, a3: out f64) tiles of 16384 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0.0 {
    x5: f64 = read a0 x3
    x6: f64 = read a1 x3
    x7 = mul x5 x6
    x8 = add x4 x7
    next x8 add
  } gives x9
  partial 0 x9
} finish x10: f64 = add {
  store a3 0 x10
}",
        &expect![[r#"


            /* ---- k0 dot ---- */

            void k0_plan(int32_t size, const nesl_arg *args, nesl_plan *plan) {
              plan->tiles = nesl_even(args[2].i, 16384);
              plan->scratch = plan->tiles * (int64_t)sizeof(nesl_arg[1]);
              plan->cleared = 0;
            }

            NESL_WIDE NESL_TILE static void k0_tile(nesl_launch *run, int32_t worker, int64_t x0, int64_t x1,
                int64_t x2, const double *restrict a0, const double *restrict a1, const int64_t a2,
                double *restrict a3) {
              nesl_arg *row = run->scratch + x0 * 1;
              double partial0 = 0.0;
              double x4 = 0.0;
              #pragma omp simd reduction(+:x4)
              for (int64_t x3 = x1; x3 < x2; x3++) {
                x4 = x4 + a0[x3] * a1[x3];
              }
              partial0 = x4;
              row[0].f = partial0;
            }

            NESL_TILE static void k0_finish(nesl_launch *run, int32_t worker, int64_t tiles,
                const double *restrict a0, const double *restrict a1, const int64_t a2, double *restrict a3) {
              double x10 = 0.0;
              for (int64_t tile = 0; tile < tiles; tile++) {
                const nesl_arg *row = run->scratch + tile * 1;
                x10 = x10 + row[0].f;
              }
              a3[0] = x10;
            }

            void k0(nesl_launch *run, int32_t worker, const nesl_arg *args) {
              const double *a0 = args[0].p;
              const double *a1 = args[1].p;
              const int64_t a2 = args[2].i;
              double *a3 = args[3].p;
              NESL_ENTER(run);
              const int64_t tiles = nesl_even(a2, 16384);
              nesl_turn turn = {0, 0};
              for (int64_t x0; (x0 = nesl_take_turn(run, &turn, tiles)) < tiles;) {
                const int64_t x1 = x0 * 16384, x2 = nesl_min(x0 * 16384 + 16384, a2);
                k0_tile(run, worker, x0, x1, x2, a0, a1, a2, a3);
              }
              nesl_barrier(&run->team);
              if (worker == 0 && !nesl_failed(run)) k0_finish(run, worker, tiles, a0, a1, a2, a3);
            }

        "#]],
    );
}

const SCAN: &str = "(a0: in f64, a1: i64, a2: out f64) tiles of 16384 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x5 = 0.0 {
    x4: f64 = read a0 x3
    x9 = mul x4 x4
    x7 = add x5 x9
    store a2 x3 x5
    next x7 add
  } gives x6
}";

#[test]
fn scan() {
    let text = print(&format!("kernel k0 scan{SCAN}")).units[0].clone();
    let (_, tile) = text.split_once("NESL_TILE static ").unwrap();
    let (tile, _) = tile.split_once("\n}\n").unwrap();
    expect![[r#"
        void k0_tile(nesl_launch *run, int32_t worker, int64_t x0, int64_t x1,
            int64_t x2, const double *restrict a0, const int64_t a1, double *restrict a2) {
          double x5 = 0.0;
          const bool past1 = nesl_past(a1, 8);
          const bool straight1 = past1 && nesl_on_line(a2 + x1);
          const bool moved1 = past1 && !straight1;
          double piece1_a2[NESL_PIECE];
          for (int64_t base1 = x1, stop1; base1 < x2; base1 = stop1) {
            stop1 = nesl_piece(moved1, base1, x2);
            double *to1_a2 = moved1 ? piece1_a2 : a2 + base1;
            int64_t at2 = base1;
            #if NESL_OCTETS
            nesl_octet_float before2 = x5 - (nesl_octet_float){0};
            for (; at2 + 8 <= stop1; at2 += 8) {
              const nesl_octet_float x4 = (nesl_octet_float)nesl_octet_load(&a0[at2], 0xff);
              const nesl_octet_float x9 = x4 * x4;
              const nesl_octet_float sums2 = nesl_octet_scan_float(x9, &before2);
              if (straight1) {
                nesl_octet_stream(&a2[at2], (nesl_octet)sums2);
              } else {
                *(nesl_octet_float *)&to1_a2[at2 - base1] = sums2;
              }
            }
            x5 = before2[0];
            #endif
            #pragma omp simd reduction(inscan, +:x5)
            for (int64_t x3 = at2; x3 < stop1; x3++) {
              {
                to1_a2[x3 - base1] = x5;
              }
              #pragma omp scan exclusive(x5)
              {
                const double x4 = a0[x3];
                x5 = x5 + x4 * x4;
              }
            }
            if (moved1) nesl_stream(a2 + base1, piece1_a2, (stop1 - base1) * 8);
          }
          if (past1) nesl_streamed();
          const double x6 = x5;"#]]
    .assert_eq(tile);
}

#[test]
fn scan_of_what_does_not_use_what_was_before() {
    // Every lane of a vector would begin with the identity in a reduction.
    let scan = SCAN.replace("    x7 = add x5 x9\n", "").replace("next x7 add", "next 0.0 mul");
    assert_ne!(scan, SCAN);
    let text = print(&format!("kernel k0 scan{scan}")).units[0].clone();
    let (_, tile) = text.split_once("NESL_TILE static ").unwrap();
    assert!(tile.contains("] = x5;"), "{tile}");
    assert!(!tile.contains("reduction("), "{tile}");
}

#[test]
fn chains_of_choices_are_flat() {
    check(
        "
fn h0 name(x0) -> i64 {
  x1 = eq x0 1
  x2 = if x1 {
    x3 = mul x0 7
    yield x3
  } else {
    x4 = eq x0 2
    x5 = if x4 {
      yield 8
    } else {
      x6 = div 100 x0
      x7 = eq x6 3
      x8 = if x7 {
        x9 = mul x6 x6
        yield x9
      } else {
        yield 9
      }
      yield x8
    }
    yield x5
  }
  yield x2
}

kernel k0 use(a0: out i64) once as x0 x1 x2 {
  x3 = call h0(x0)
  store a0 0 x3
}",
        &expect![[r#"

            NESL_FUNCTION int64_t h0(nesl_state *state, int64_t x0);

            /* h0 name */
            NESL_FUNCTION int64_t h0(nesl_state *state, int64_t x0) {
              int64_t x2;
              if (x0 == 1) {
                x2 = x0 * 7;
              } else if (x0 == 2) {
                x2 = 8;
              } else {
                NESL_REQUIRE(state->fault, x0 != 0, 0, 100, x0);
                const int64_t x6 = nesl_div(100, x0);
                if (x6 == 3) {
                  x2 = x6 * x6;
                } else {
                  x2 = 9;
                }
              }
              return x2;
            }

            /* ---- k0 use ---- */

            void k0_plan(int32_t size, const nesl_arg *args, nesl_plan *plan) {
              plan->tiles = 1;
              plan->scratch = 0;
              plan->cleared = 0;
            }

            NESL_WIDE NESL_TILE static void k0_tile(nesl_launch *run, int32_t worker, int64_t x0, int64_t x1,
                int64_t x2, int64_t *restrict a0) {
              nesl_state state = {0, run->stack[worker]};
              const int64_t x3 = h0(&state, x0);
              a0[0] = x3;
              if (state.fault) nesl_fail(run);
            }

            void k0(nesl_launch *run, int32_t worker, const nesl_arg *args) {
              int64_t *a0 = args[0].p;
              NESL_ENTER(run);
              const int64_t x0 = 0;
              const int64_t x1 = 0, x2 = 1;
              k0_tile(run, worker, x0, x1, x2, a0);
            }

        "#]],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a long text")]
fn checks_and_functions() {
    check(
        "
fn h0 pick(p0: vec i64, x0, x1) -> i64, bool {
  x2 = lt x0 x1
  require index x2 x0 x1
  x3 = select x2 x0 0
  x4 = read p0 x3
  x5 = mod x4 x1
  x6 = eq x5 0
  yield x5 x6
}

kernel k0 use(a0: in i64, a1: i64, a2: inout i64) once as x0 x1 x2 {
  x3, x4: bool = call h0(3, a1; a0)
  when x4 {
    store a2 0 x3
  } else {
    x5 = if x4 {
      x6 = read a2 1
      x7 = add x6 x3
      yield x7
    } else {
      yield 5
    }
    x8, x9 = loop x10 = x5, x11 = 0 {
      x12 = sub x10 1
      x13 = gt x12 0
      x14 = add x11 x10
      yield x13 x12 x14 x14 x10
    }
    x15 = mul x8 x9
    store a2 1 x15
  }
}",
        &expect![[r#"

            typedef struct { int64_t r0; bool r1; } h0_results;
            NESL_FUNCTION h0_results h0(nesl_state *state, const int64_t *p0, int64_t x0, int64_t x1);

            /* h0 pick */
            NESL_FUNCTION h0_results h0(nesl_state *state, const int64_t *p0, int64_t x0, int64_t x1) {
              const bool x2 = x0 < x1;
              NESL_REQUIRE(state->fault, x2, 0, x0, x1);
              const int64_t x4 = p0[x2 ? x0 : INT64_C(0)];
              NESL_REQUIRE(state->fault, x1 != 0, 1, x4, x1);
              const int64_t x5 = nesl_mod(x4, x1);
              const h0_results all = { x5, x5 == 0 };
              return all;
            }

            /* ---- k0 use ---- */

            void k0_plan(int32_t size, const nesl_arg *args, nesl_plan *plan) {
              plan->tiles = 1;
              plan->scratch = 0;
              plan->cleared = 0;
            }

            NESL_WIDE NESL_TILE static void k0_tile(nesl_launch *run, int32_t worker, int64_t x0, int64_t x1,
                int64_t x2, const int64_t *a0, const int64_t a1, int64_t *a2) {
              nesl_state state = {0, run->stack[worker]};
              const h0_results results1 = h0(&state, a0, 3, a1);
              const int64_t x3 = results1.r0;
              const bool x4 = results1.r1;
              if (x4) {
                a2[0] = x3;
              } else {
                int64_t x5;
                if (x4) {
                  const int64_t x6 = a2[1];
                  x5 = x6 + x3;
                } else {
                  x5 = 5;
                }
                int64_t x10 = x5;
                int64_t x11 = 0;
                int64_t x8;
                int64_t x9;
                for (;;) {
                  const int64_t x12 = x10 - 1;
                  const int64_t x14 = x11 + x10;
                  if (!(x12 > 0) || state.fault) {
                    x8 = x14;
                    x9 = x10;
                    break;
                  }
                  const int64_t x10_next = x12;
                  const int64_t x11_next = x14;
                  x10 = x10_next;
                  x11 = x11_next;
                }
                a2[1] = x8 * x9;
              }
              if (state.fault) nesl_fail(run);
            }

            void k0(nesl_launch *run, int32_t worker, const nesl_arg *args) {
              const int64_t *a0 = args[0].p;
              const int64_t a1 = args[1].i;
              int64_t *a2 = args[2].p;
              NESL_ENTER(run);
              const int64_t x0 = 0;
              const int64_t x1 = 0, x2 = 1;
              k0_tile(run, worker, x0, x1, x2, a0, a1, a2);
            }

        "#]],
    );
}

/// What may be overwritten is read before, and by name.
#[test]
fn over() {
    check(
        "
kernel k0 map(a0: in i64, a1: in i64, a2: i64, a3: out i64, a4: out i64 over a0) tiles of 64 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a0 x3
    x5 = add x4 1
    x6 = read a0 x3
    x7 = read a1 x3
    x8 = add x6 x7
    store a4 x3 x5
    store a3 x3 x8
  }
}",
        &expect![[r#"


            /* ---- k0 map ---- */

            void k0_plan(int32_t size, const nesl_arg *args, nesl_plan *plan) {
              plan->tiles = nesl_even(args[2].i, 64);
              plan->scratch = 0;
              plan->cleared = 0;
            }

            NESL_WIDE NESL_TILE static void k0_tile(nesl_launch *run, int32_t worker, int64_t x0, int64_t x1,
                int64_t x2, const int64_t *a0, const int64_t *restrict a1, const int64_t a2,
                int64_t *restrict a3, int64_t *a4) {
              const bool same1 = a4 == a0;
              const bool past1 = !same1 && nesl_past(a2, 16);
              const bool apart1 = past1 || same1;
              int64_t piece1_a3[NESL_PIECE];
              int64_t piece1_a4[NESL_PIECE];
              for (int64_t base1 = x1, stop1; base1 < x2; base1 = stop1) {
                stop1 = nesl_piece(apart1, base1, x2);
                int64_t *to1_a3 = apart1 ? piece1_a3 : a3 + base1;
                int64_t *to1_a4 = apart1 ? piece1_a4 : a4 + base1;
                #pragma omp simd
                for (int64_t x3 = base1; x3 < stop1; x3++) {
                  const int64_t x4 = a0[x3];
                  const int64_t x6 = a0[x3];
                  to1_a4[x3 - base1] = x4 + 1;
                  to1_a3[x3 - base1] = x6 + a1[x3];
                }
                if (past1) nesl_stream(a3 + base1, piece1_a3, (stop1 - base1) * 8);
                if (same1) memcpy(a3 + base1, piece1_a3, (stop1 - base1) * 8);
                if (past1) nesl_stream(a4 + base1, piece1_a4, (stop1 - base1) * 8);
                if (same1) memcpy(a4 + base1, piece1_a4, (stop1 - base1) * 8);
              }
              if (past1) nesl_streamed();
            }

            void k0(nesl_launch *run, int32_t worker, const nesl_arg *args) {
              const int64_t *a0 = args[0].p;
              const int64_t *a1 = args[1].p;
              const int64_t a2 = args[2].i;
              int64_t *a3 = args[3].p;
              int64_t *a4 = args[4].p;
              NESL_ENTER(run);
              const int64_t tiles = nesl_even(a2, 64);
              nesl_turn turn = {0, 0};
              for (int64_t x0; (x0 = nesl_take_turn(run, &turn, tiles)) < tiles;) {
                const int64_t x1 = x0 * 64, x2 = nesl_min(x0 * 64 + 64, a2);
                k0_tile(run, worker, x0, x1, x2, a0, a1, a2, a3, a4);
              }
            }

        "#]],
    );
}

/// A scan over memory that is its input's is computed a piece at a time.
#[test]
fn scan_over() {
    let text = SCAN.replace("a2: out f64", "a2: out f64 over a0");
    let unit = print(&format!("kernel k0 scan{text}")).units[0].clone();
    let (_, tile) = unit.split_once("NESL_TILE static ").unwrap();
    let (tile, _) = tile.split_once("\n}\n").unwrap();
    expect![[r#"
        void k0_tile(nesl_launch *run, int32_t worker, int64_t x0, int64_t x1,
            int64_t x2, const double *a0, const int64_t a1, double *a2) {
          double x5 = 0.0;
          const bool same1 = a2 == a0;
          const bool past1 = !same1 && nesl_past(a1, 8);
          const bool straight1 = past1 && nesl_on_line(a2 + x1);
          const bool moved1 = past1 && !straight1;
          const bool apart1 = moved1 || same1;
          double piece1_a2[NESL_PIECE];
          for (int64_t base1 = x1, stop1; base1 < x2; base1 = stop1) {
            stop1 = nesl_piece(apart1, base1, x2);
            double *to1_a2 = apart1 ? piece1_a2 : a2 + base1;
            int64_t at2 = base1;
            #if NESL_OCTETS
            nesl_octet_float before2 = x5 - (nesl_octet_float){0};
            for (; at2 + 8 <= stop1; at2 += 8) {
              const nesl_octet_float x4 = (nesl_octet_float)nesl_octet_load(&a0[at2], 0xff);
              const nesl_octet_float x9 = x4 * x4;
              const nesl_octet_float sums2 = nesl_octet_scan_float(x9, &before2);
              if (straight1) {
                nesl_octet_stream(&a2[at2], (nesl_octet)sums2);
              } else {
                *(nesl_octet_float *)&to1_a2[at2 - base1] = sums2;
              }
            }
            x5 = before2[0];
            #endif
            #pragma omp simd reduction(inscan, +:x5)
            for (int64_t x3 = at2; x3 < stop1; x3++) {
              {
                to1_a2[x3 - base1] = x5;
              }
              #pragma omp scan exclusive(x5)
              {
                const double x4 = a0[x3];
                x5 = x5 + x4 * x4;
              }
            }
            if (moved1) nesl_stream(a2 + base1, piece1_a2, (stop1 - base1) * 8);
            if (same1) memcpy(a2 + base1, piece1_a2, (stop1 - base1) * 8);
          }
          if (past1) nesl_streamed();
          const double x6 = x5;"#]]
    .assert_eq(tile);
}

/// Loops that must become vector code, each with a name.
const LOOPS: [(&str, &str); 9] = [
    ("a scan", SCAN),
    (
        "a scan beside a map",
        "(a0: in i64, a1: i64, a2: out i64, a3: out i64) tiles of 4096 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0 {
    x5 = read a0 x3
    x6 = sub x5 1
    x7 = mul x6 x6
    x8 = add x4 x5
    store a2 x3 x4
    store a3 x3 x7
    next x8 add
  } gives x9
}",
    ),
    (
        "a dot product",
        "(a0: in f64, a1: in f64, a2: i64, a3: out f64) tiles of 4096 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0.0 {
    x5: f64 = read a0 x3
    x6: f64 = read a1 x3
    x7 = mul x5 x6
    x8 = add x4 x7
    next x8 add
  } gives x9
  store a3 x0 x9
}",
    ),
    (
        "a count",
        "(a0: in i64, a1: i64, a2: out i64) tiles of 4096 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0, x5 = F {
    x6 = read a0 x3
    x7 = lt x6 10
    x8 = btoi x7
    x9 = add x4 x8
    x10 = or x5 x7
    next x9 add, x10 or
  } gives x11, x12
  store a2 x0 x11
}",
    ),
    (
        "a checked gather",
        "(a0: in i64, a1: in f64, a2: i64, a3: out f64) tiles of 4096 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a0 x3
    x5 = ge x4 0
    x6 = lt x4 a2
    x7 = and x5 x6
    require index x7 x4 a2
    x8 = select x7 x4 0
    x9: f64 = read a1 x8
    store a3 x3 x9
  }
}",
    ),
    (
        "elementary functions",
        "(a0: in f64, a1: i64, a2: out f64) tiles of 4096 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4: f64 = read a0 x3
    x5 = exp x4
    x6 = ln x4
    x7 = max x5 x6
    x8 = sqrt x7
    x9 = gt x4 1.0
    x10 = if x9 {
      x11 = div x8 3.0
      yield x11
    } else {
      yield x4
    }
    store a2 x3 x10
  }
}",
    ),
    (
        "a Gaussian",
        "(a0: in f64, a1: i64, a2: out f64) tiles of 4096 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4: f64 = read a0 x3
    x5 = mul -0.5 x4
    x6 = mul x5 x4
    x7 = exp x6
    store a2 x3 x7
  }
}",
    ),
    (
        "a map over its input",
        "(a0: in f64, a1: in f64, a2: i64, a3: out f64 over a1) tiles of 4096 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4: f64 = read a0 x3
    x5: f64 = read a1 x3
    x6 = mul x4 x5
    store a3 x3 x6
  }
}",
    ),
    (
        "a maximum",
        "(a0: in f64, a1: i64, a2: out f64) tiles of 4096 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = -inf {
    x5: f64 = read a0 x3
    x6 = max x4 x5
    next x6 max
  } gives x7
  store a2 x0 x7
}",
    ),
];

/// `exp` of what is never above 0 has fewer cases; which side of 0 a product is on is told by its
/// factors.
#[test]
fn exponents_below_zero_are_known() {
    let text = |exponent: &str| {
        let kernel = format!(
            "(a0: in f64, a1: i64, a2: out f64) tiles of 4096 over a1 as x0 x1 x2 {{
  for x3 in x1 .. x2 simd {{
    x4: f64 = read a0 x3
    {exponent}
    x9 = exp x8
    store a2 x3 x9
  }}
}}"
        );
        print(&format!("kernel k0 test{kernel}")).units[0].clone()
    };
    let below = [
        "x5 = mul x4 x4\n x8 = neg x5",
        "x5 = mul -0.5 x4\n x8 = mul x5 x4",
        "x5 = neg x4\n x8 = div x5 x4",
        "x5 = abs x4\n x6 = sqrt x5\n x7 = add x5 x6\n x8 = mul x7 -2.0",
        "x5 = exp x4\n x6 = neg x5\n x8 = add x6 -1.0",
    ];
    for exponent in below {
        assert!(text(exponent).contains("= nesl_exp_below("), "{exponent}");
    }
    let unknown = [
        "x8 = neg x4",
        "x5 = mul x4 x4\n x8 = mul x5 x4",
        "x5 = mul -0.5 x4\n x6 = add x4 1.0\n x8 = mul x5 x6",
        "x5 = abs x4\n x6 = neg x5\n x8 = add x6 1.0",
        "x5 = abs x4\n x6 = neg x5\n x8 = max x6 x4",
        "x5 = mul -1.0 x4\n x6 = abs x4\n x7 = mul x5 x6\n x8 = add x7 -1.0",
    ];
    for exponent in unknown {
        assert!(!text(exponent).contains("= nesl_exp_below("), "{exponent}");
    }
}

#[test]
fn loops_vectorise() {
    let version = Command::new("cc").arg("--version").output().unwrap().stdout;
    if !String::from_utf8_lossy(&version).contains("Free Software Foundation") {
        return; // Only GCC says what it vectorised.
    }
    for (number, (name, text)) in LOOPS.iter().enumerate() {
        let unit = print(&format!("kernel k0 test{text}")).units[0].clone();
        let file = format!("{}/vector{number}.c", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(Path::new(&file), &unit).unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O3", "-march=native", "-ffp-contract=off", "-fwrapv", "-w"]);
        cc.args([
            "-fno-math-errno",
            "-fno-trapping-math",
            "-fopenmp-simd",
            "-c",
            "-o",
            "/dev/null",
        ]);
        let output = cc.args(["-fopt-info-vec-optimized", &file]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let first = unit.lines().position(|l| l.contains("NESL_TILE static")).unwrap();
        let inside = |what: &str| {
            said.lines().filter(|line| line.contains(what)).any(|line| {
                let number = line.strip_prefix(&file).and_then(|rest| rest.split(':').nth(1));
                number.and_then(|n| n.parse::<usize>().ok()).is_some_and(|n| n > first)
            })
        };
        assert!(inside("loop vectorized"), "{name} is not vectorised:\n{said}");
        // A check whether arguments overlap would choose the slow loop where they do.
        assert!(!inside("loop versioned"), "{name} has a slow form:\n{said}");
    }
}

/// Positions of 32 bits are counted with 64, so that what lies side by side is not gathered, and
/// have 32 where they are values.
#[test]
fn narrow_positions() {
    let text = "widths int 32 float 64

kernel k0 near(a0: in f64, a1: in i64, a2: i64, a3: out f64, a4: out i64) \
tiles of 4096 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = add x3 a2
    x5: f64 = read a0 x4
    x6 = sub x3 1
    x7: f64 = read a0 x6
    x8 = add x5 x7
    store a3 x3 x8
    x9 = read a1 x3
    x10 = add x9 x3
    store a4 x3 x10
  }
}";
    let unit = print(text).units[0].clone();
    let (_, tile) = unit.split_once("#pragma omp simd\n").unwrap();
    let (tile, _) = tile.split_once("    if (past").unwrap();
    let lines: Vec<&str> =
        tile.lines().filter(|line| line.contains(" = ")).map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "for (int64_t x3 = base1; x3 < stop1; x3++) {",
            "to1_a3[x3 - base1] = a0[x3 + a2] + a0[x3 - 1];",
            "to1_a4[x3 - base1] = a1[x3] + (int32_t)x3;",
        ]
    );
    let file = format!("{}/narrow.c", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(Path::new(&file), &unit).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O3", "-march=native", "-ffp-contract=off", "-fwrapv", "-w"]);
    let output = cc.args(["-fopenmp-simd", "-S", "-o", "-", &file]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, tile) = text.split_once("k0_tile:").or_else(|| text.split_once("k0:")).unwrap();
    assert!(!tile.contains("gather"), "{tile}");
}

/// A check of a loop that is not vectorised ends the tile, unless others wait for what it hands on.
#[test]
fn checks_that_leave() {
    let (_, gather) = LOOPS.iter().find(|(name, _)| *name == "a checked gather").unwrap();
    let leaves = |body: &str| {
        let unit = print(&format!("kernel k0 test{body}")).units[0].clone();
        let (_, tile) = unit.split_once("NESL_TILE static ").unwrap();
        let (tile, _) = tile.split_once("\n}\n").unwrap();
        (tile.contains("NESL_REQUIRE_OR_LEAVE(state.fault, "), tile.contains("failed: "))
    };
    assert_eq!(leaves(gather), (false, false));
    let plain = gather.replace(" simd {", " {");
    assert_eq!(leaves(&plain), (true, true));
    let first = "{\n  for x3";
    let chained = plain.replacen(first, "{\n  chain x20 = add 1\n  for x3", 1);
    assert_ne!(chained, plain);
    assert_eq!(leaves(&chained), (false, false));
}

/// Tiles of chains are long where there are many, unless elements are looked up.
#[test]
fn long_tiles() {
    let is_long = |body: &str| {
        let unit = print(&format!("kernel k0 test{body}")).units[0].clone();
        let (_, own) = unit.split_once("void k0_plan").unwrap();
        own.matches("nesl_long_grain(").count() == 2
    };
    let chained = |body: &str| {
        let chained = body.replacen("{\n", "{\n  chain x20 = add 1\n", 1);
        assert_ne!(chained, body);
        chained
    };
    assert!(!is_long(SCAN));
    assert!(is_long(&chained(SCAN)));
    let (_, gather) = LOOPS.iter().find(|(name, _)| *name == "a checked gather").unwrap();
    assert!(!is_long(&chained(&gather.replace(" simd {", " {"))));
}
