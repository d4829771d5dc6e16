//! What routines look like: which memory their buffers have, and what calls of them contain.

use emit::{COptions, c};
use expect_test::{Expect, expect};

/// A function that is called in two lanes if its argument is long, `launch` what it does before and
/// `end` what it does with the results.
fn plan_of(before: &str, end: &str) -> String {
    let layout = "(start 0 1, len 0 1, item 1)";
    format!(
        "
entries f0

lanes l0 of f2 by f1

plan f0 whole(n0: i64, b0: i64) {{
  n1: i64, n2: i64, b1: i64 = call f1(0, n0, b0)
  yield n1 n2 b1
}}

plan f1 halves(n0: i64, n1: i64, b0: i64) layout {layout} to {layout} {{
  n2: bool = eval \\{{ x0 = lt n1 2; yield x0 }}
  n3: i64, n4: i64, b1: i64 = if n2 {{
    yield n0 n1 b0
  }} else {{
    {before}
    b2: i64 = buffer 2
    b3: i64 = buffer 2
    launch c0(n1, b2, b3) work 2
    b4: i64, b5: i64, b6: i64 = call f2(2, b2, b3, b0)
    b7: i64 = buffer n1
    {end}
  }}
  yield n3 n4 b1
}}

plan f2 halves^(n0: i64, b0: i64, b1: i64, b2: i64) {{
  yield b0 b1 b2
}}

cluster c0 cut(r0: i64, r2: out i64, r4: out i64) {{
  s1 = [s0 > 2] lanes 2
  r1: i64 [s1], r3: i64 [s1] = map [s1] \\x0 x1 {{ yield x1 r0 }} push r2, r4
}}

cluster c1 move(r0: i64, r1: in i64, r3: out i64) {{
  s1 = [s0 > r0] lanes r0
  r2: i64 [s1] = map [s1] \\x0 x1 {{ x2 = read r1 x1; yield x2 }} push r3
}}
"
    )
}

const KERNELS: &str = "
kernel k0 cut(a0: i64, a1: out i64, a2: out i64) once as x0 x1 x2 {
}

kernel k1 move(a0: i64, a1: in i64, a2: out i64) once as x0 x1 x2 {
}

serial k0 cut(a0: i64, a1: out i64, a2: out i64) whole over 2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    store a1 x3 x3
    store a2 x3 a0
  }
}

serial k1 move(a0: i64, a1: in i64, a2: out i64) whole over a0 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = add x3 a0
    x5 = sub x4 a0
    x6 = read a1 x5
    store a2 x3 x6
  }
}
";

/// The text of the routine's unit after the run-time system.
fn print(plan: &str, kernels: &str) -> String {
    let plan = plan::read(plan).unwrap_or_else(|e| panic!("{e}\n{plan}"));
    let kernels = kernel::read(kernels).unwrap_or_else(|e| panic!("{e}\n{kernels}"));
    let text = c(&kernels, &COptions { plan: Some(&plan), ..COptions::default() });
    let unit = text.units.last().unwrap();
    unit.rsplit_once("#endif\n").unwrap().1.to_owned()
}

/// The lines between two texts.
fn part<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no `{from}` in {text}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no `{to}` in {rest}")).0
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(text);
}

const END: &str = "launch c1(n1, b6, b7) work n1\n    yield 0 n1 b7";

#[test]
fn leaves_are_part_of_the_call() {
    let text = print(&plan_of("", END), KERNELS);
    check(
        part(&text, "/* f1 halves: a short", "/* f1 halves: one lane */"),
        &expect![[r#"
             lane, or false */
            NESL_INLINE bool f1_short(nesl_state *state, nesl_arg *row, int64_t n0, int64_t n1, int64_t *b0) {
              char *const mark = state->arena->top;
              bool n2;
              {
                n2 = n1 < 2;
              }
              if (!n2) return false;
              int64_t n3;
              int64_t n4;
              int64_t *b1;
              n3 = n0;
              n4 = n1;
              b1 = b0;
              row[0].i = 0;
              row[1].i = row[3].i = nesl_max(n4, 0);
              char *const to = nesl_align(mark, sizeof(int64_t));
              const char *const from = (const char *)(b1 + n3);
              if (from != to) {
                const bool fits = row[3].i * (int64_t)sizeof(int64_t) <= state->arena->limit - to;
                if (!fits) {
                  NESL_REQUIRE(state->fault, 0, 0, row[3].i * (int64_t)sizeof(int64_t), 1);
                  goto failed;
                }
                nesl_move(to, from, row[3].i * (int64_t)sizeof(int64_t));
              }
              nesl_release(state, to + row[3].i * (int64_t)sizeof(int64_t));
              row[2].p = to;
              return true;
            failed:
              nesl_release(state, mark);
              return true;
            }

            NESL_INLINE void f1_lane(nesl_state *state, nesl_arg *row, int64_t n0, int64_t n1, int64_t *b0) {
              if (!f1_short(state, row, n0, n1, b0)) f1_long(state, row, n0, n1, b0);
            }


        "#]],
    );
}

#[test]
fn small_buffers_are_arrays_and_results_are_made_in_place() {
    let text = print(&plan_of("", END), KERNELS);
    check(
        part(&text, "/* f1 halves: one lane */", "/* ----"),
        &expect![[r#"

            static void f1_long(nesl_state *state, nesl_arg *row, int64_t n0, int64_t n1, int64_t *b0) {
              char *const mark = state->arena->top;
              int64_t b2[2];
              int64_t b3[2];
              nesl_arg rows1[10];
              int64_t b4[2];
              int64_t b5[2];
              bool n2;
              {
                n2 = n1 < 2;
              }
              int64_t n3;
              int64_t n4;
              int64_t *b1;
              {
                k0_serial(state, n1, b2, b3);
                state->arena->touched += 2 * nesl_max(2, 0);
                NESL_REQUIRE(state->fault, nesl_stack_left(state), 0, 0, 0);
                if (state->fault) goto failed;
                for (int64_t lane2 = 0; lane2 < INT64_C(2) && !state->fault; lane2++) {
                  f1_lane(state, rows1 + lane2 * 5, b2[lane2], b3[lane2], b0);
                }
                if (state->fault) goto failed;
                int64_t total3 = 0;
                for (int64_t lane = 0; lane < INT64_C(2); lane++) {
                  nesl_arg *row = rows1 + lane * 5;
                  row[4].i = total3;
                  total3 += row[3].i;
                }
                int64_t *b6 = INT64_C(2) > 0 ? rows1[2].p : NULL;
                for (int64_t lane = 0; lane < INT64_C(2); lane++) {
                  const nesl_arg *row = rows1 + lane * 5;
                  b4[lane] = row[4].i;
                  b5[lane] = row[3].i;
                }
                char *const place4 = nesl_align(mark, sizeof(int64_t));
                int64_t *b7 = (int64_t *)place4;
                if (!(nesl_bytes(n1, sizeof(int64_t)) <= state->arena->top - place4 && nesl_clear(place4,
                    nesl_bytes(n1, sizeof(int64_t)), b6))) {
                  b7 = nesl_room(state, n1, sizeof(int64_t), NESL_ALIGNED);
                  if (!b7) {
                    NESL_REQUIRE(state->fault, 0, 0, n1 * (int64_t)sizeof(int64_t), 1);
                    goto failed;
                  }
                }
                k1_serial(state, n1, b6, b7);
                state->arena->touched += 2 * nesl_max(n1, 0);
                n3 = INT64_C(0);
                n4 = n1;
                b1 = b7;
              }
              row[0].i = 0;
              row[1].i = row[3].i = nesl_max(n4, 0);
              char *const to = nesl_align(mark, sizeof(int64_t));
              const char *const from = (const char *)(b1 + n3);
              if (from != to) {
                const bool fits = row[3].i * (int64_t)sizeof(int64_t) <= state->arena->limit - to;
                if (!fits) {
                  NESL_REQUIRE(state->fault, 0, 0, row[3].i * (int64_t)sizeof(int64_t), 1);
                  goto failed;
                }
                nesl_move(to, from, row[3].i * (int64_t)sizeof(int64_t));
              }
              nesl_release(state, to + row[3].i * (int64_t)sizeof(int64_t));
              row[2].p = to;
              return;
            failed:
              nesl_release(state, mark);
            }

        "#]],
    );
}

#[test]
fn what_is_used_after_the_result_is_made_must_not_be_where_it_belongs() {
    let place = |before: &str, end: &str| {
        let text = print(&plan_of(before, end), KERNELS);
        part(&text, "int64_t *b7 = (int64_t *)place", "b7 = nesl_room").to_owned()
    };
    // Read by a later launch, or by another name.
    let buffer = "b8: i64 = buffer n1";
    let launched = format!("launch c1(n1, b8, b7) work n1\n    {END}");
    assert!(place(buffer, &launched).contains(", b8)"));
    let named = format!("b9: i64 = alias b8\n    launch c1(n1, b9, b7) work n1\n    {END}");
    assert!(place(buffer, &named).contains(", b8)"));
    // Not read any more.
    assert!(!place(buffer, END).contains(", b8)"));
    // An array, and what the caller has, are not on this part of the stack.
    let elsewhere =
        format!("launch c1(n1, b2, b7) work n1\n    launch c1(n1, b0, b7) work n1\n    {END}");
    let text = place("", &elsewhere);
    assert!(!text.contains(", b2)") && !text.contains(", b0)"), "{text}");
}

#[test]
fn only_a_buffer_that_is_the_result_from_its_start_is_made_in_place() {
    let text = print(&plan_of("", "launch c1(n1, b6, b7) work n1\n    yield n0 n1 b7"), KERNELS);
    assert!(!text.contains("place"), "{text}");
}

#[test]
fn arrays_are_few() {
    // 60 words are left after those of the two lanes; the second buffer has no room.
    let before = "b8: i64 = buffer 40\n    b9: i64 = buffer 40";
    let text = print(&plan_of(before, END), KERNELS);
    assert!(text.contains("int64_t b8[40];"), "{text}");
    assert!(text.contains("int64_t *b9 = nesl_room(state, INT64_C(40)"), "{text}");
}

#[test]
fn copies_and_loops_of_few_lanes() {
    let text = print(&plan_of("", END), KERNELS);
    check(
        part(&text, "NESL_INLINE void k1_serial", "static void"),
        &expect![[r#"
            (nesl_state *state, const int64_t a0, const int64_t *restrict a1,
                int64_t *restrict a2) {
              const int64_t x0 = 0, x1 = 0, x2 = a0;
              {
                const int64_t x3 = x1;
                nesl_copy64(a2 + (x3), a1 + (x3 + a0 - a0), x2 - x3);
              }
            }

        "#]],
    );
    let loops = KERNELS.replace("in x1 .. x2 simd", "in x1 .. x2");
    let text = print(&plan_of("", END), &loops);
    assert!(text.contains("#pragma GCC unroll 2\n  for (int64_t x3 = x1; x3 < x2; x3++) {"));
    assert!(!text.contains("nesl_copy64(a2"), "{text}");
}

#[test]
fn a_kernel_launched_twice_is_a_function() {
    let end = format!("launch c1(n1, b0, b7) work n1\n    {END}");
    let text = print(&plan_of("", &end), KERNELS);
    assert!(text.contains("static void k1_serial"), "{text}");
    assert!(text.contains("NESL_INLINE void k0_serial"), "{text}");
}

/// A cluster that fills two rooms, and its kernel.
const SPLIT: [&str; 2] = [
    "
cluster c2 split(r0: i64, r1: in i64, r3: out i64, r5: out i64) {
  s1 = [s0 > r0] lanes r0
  r2: i64 [s1], r4: i64 [s1] = map [s1] \\x0 x1 { x2 = read r1 x1; yield x2 x2 } push r3, r5
}
",
    "
kernel k2 split(a0: i64, a1: in i64, a2: out i64, a3: out i64) once as x0 x1 x2 {
}

serial k2 split(a0: i64, a1: in i64, a2: out i64, a3: out i64) whole over a0 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a1 x3
    store a2 x3 x4
    store a3 x3 x4
  }
}
",
];

/// The routine when it first takes two rooms, of which `copies` uses a part.
fn with_rooms(copies: &str, end: &str) -> String {
    let before = format!(
        "b8: i64 = room n1\n    b9: i64 = room n1\n    launch c2(n1, b0, b8, b9) work n1\n    {copies}"
    );
    let text = print(&(plan_of(&before, end) + SPLIT[0]), &format!("{KERNELS}{}", SPLIT[1]));
    let text = part(
        &text,
        "k2_serial(state, n1, b0, b8, b9);",
        "NESL_REQUIRE(state->fault, nesl_stack_left",
    );
    text.lines().map(|line| line.trim().to_owned() + "\n").filter(|line| line != "\n").collect()
}

const HALVES: &str = "b10: i64 = copy b8 n0\n    free b8\n    b11: i64 = copy b9 n0\n    free b9";

#[test]
fn what_rooms_hold_moves_together_and_over_what_is_dead_at_the_call() {
    let end = format!("launch c1(n1, b11, b7) work n1\n    {END}");
    check(
        &with_rooms(HALVES, &end),
        &expect![[r#"
            state->arena->touched += 3 * nesl_max(n1, 0);
            int64_t *b10 = b8;
            char *const end1 = (char *)b10 + nesl_max(n0, 0) * (int64_t)sizeof(int64_t);
            int64_t *b11 = nesl_close(end1, b9, nesl_max(n0, 0) * (int64_t)sizeof(int64_t));
            char *const end2 = (char *)b11 + nesl_max(n0, 0) * (int64_t)sizeof(int64_t);
            state->arena->top = end2;
            k0_serial(state, n1, b2, b3);
            state->arena->touched += 2 * nesl_max(2, 0);
            if (nesl_bytes(n0, sizeof(int64_t)) >= NESL_MUCH) {
            char *end = (char *)b10;
            b11 = nesl_sink(&end, b11, nesl_bytes(n0, sizeof(int64_t)));
            nesl_release(state, end);
            }
        "#]],
    );
}

#[test]
fn rooms_stay_where_something_else_is_behind_them_or_knows_them() {
    let taken = HALVES.replace("free b8\n", "free b8\n    b12: i64 = buffer n1\n");
    let end =
        format!("launch c1(n1, b11, b7) work n1\n    launch c1(n1, b12, b7) work n1\n    {END}");
    assert!(!with_rooms(&taken, &end).contains("nesl_close"));
    let known = HALVES.replace("free b8\n", "").replace("free b9", "");
    let end =
        format!("launch c1(n1, b8, b7) work n1\n    launch c1(n1, b9, b7) work n1\n    {END}");
    let text = with_rooms(&known, &end);
    assert!(!text.contains("nesl_close") && !text.contains("nesl_sink"), "{text}");
}
