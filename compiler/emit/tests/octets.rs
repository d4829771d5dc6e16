//! What the C looks like where rows look elements up.

mod printed;

use expect_test::expect;
use printed::print;

const ROWS: &str = "
kernel k0 multiply(a0: in i64, a1: i64, a2: in f64, a3: in f64, a4: i64, a5: in i64, a6: i64, a7: out f64) tiles of 16384 over a4 by a5 of a6 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = add x3 1
    x5 = read a5 x3
    x6 = read a5 x4
    for x7 in x5 .. x6 carry x17 = 0.0 {
      x8 = sub x7 x5
      positions x3 x8
      x9 = read a0 x7
      x10 = ge x9 0
      x11 = lt x9 a1
      x12 = and x10 x11
      require index x12 x9 a1
      x13 = select x12 x9 0
      x14: f64 = read a2 x13
      x15: f64 = read a3 x7
      x16 = mul x15 x14
      x19 = add x17 x16
      next x19 add
    } gives x18
    store a7 x3 x18
  }
}";

/// Rows of which elements are looked up have another function, which takes eight lanes at a time.
#[test]
fn rows_in_octets() {
    let text = print(ROWS);
    let (_, octets) = text.split_once("#if NESL_OCTETS\n").unwrap();
    let (octets, entry) = octets.split_once("#endif\n").unwrap();
    let (_, body) = octets.split_once("double x17 = 0.0;\n").unwrap();
    expect![[r#"
            nesl_octet_float sum1_x17 = {0};
            for (int64_t at1 = x5; at1 < x6; at1 += 8) {
              const uint8_t lanes1 = nesl_octet_lanes(x6 - at1);
              nesl_ahead(&a0[at1]);
              const nesl_octet x9 = nesl_octet_load(&a0[at1], lanes1);
              const uint8_t x12 = nesl_octet_within(x9, a1, lanes1);
              NESL_REQUIRE_OR_LEAVE(state.fault, x12 == lanes1, 0, 0, 0);
              const nesl_octet_float x14 = (nesl_octet_float)nesl_octet_look(a2, x9, x12);
              nesl_ahead(&a3[at1]);
              const nesl_octet_float x15 = (nesl_octet_float)nesl_octet_load(&a3[at1], lanes1);
              const nesl_octet_float x16 = x15 * x14;
              sum1_x17 += x16;
            }
            x17 = x17 + nesl_octet_sum_float(sum1_x17);
            a7[x3] = x17;
          }
          failed: NESL_UNUSED;
          if (state.fault) nesl_fail(run);
        }
    "#]]
    .assert_eq(body);
    let (_, choice) = entry.split_once("#if NESL_OCTETS\n").unwrap();
    let test = "if (nesl_octets_fill(a5[x2] - a5[x1], x2 - x1) && nesl_octets_near(a1))";
    assert!(choice.trim_start().starts_with(test), "{choice}");

    // What is not 0 outside of a row is not added there.
    let more = ROWS.replace("x16 = mul x15 x14", "x16 = add x14 1.0");
    assert!(
        print(&more).contains("+= (nesl_octet_float)nesl_octet_keep((nesl_octet)x16, lanes1);")
    );
    // An order, a choice, or a lookup without the check of its index are not for lanes.
    for (from, to) in [
        ("next x19 add", "next x19"),
        ("x16 = mul x15 x14", "x20 = lt x14 0.0\n      x16 = select x20 x15 x14"),
        ("x13 = select x12 x9 0", "x13 = select x12 x9 1"),
        ("x13 = select x12 x9 0", "x13 = max x9 0"),
    ] {
        let text = ROWS.replace(from, to);
        assert_ne!(text, ROWS);
        assert!(!print(&text).contains("NESL_OCTETS"), "{to}");
    }
}

/// Sums of words that are stored as they are: eight lanes at a time, then what is left of a piece.
#[test]
fn scans_in_octets() {
    const SCAN: &str = "
kernel k0 prefix(a0: in f64, a1: i64, a2: out f64) tiles of 16384 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0.0 {
    x5: f64 = read a0 x3
    x6 = mul x5 x5
    store a2 x3 x4
    x7 = add x4 x6
    next x7 add
  } gives x8
}";
    let text = print(SCAN);
    assert!(text.contains("sums2 = nesl_octet_scan_float(x6, &before2);"), "{text}");
    assert!(text.contains("for (int64_t x3 = at2; x3 < stop1; x3++)"), "{text}");
    // Many of them go past the caches straight from registers, where octets are whole lines
    // (`text.rs` has all of it).
    let octet = "if (straight1) {\n        nesl_octet_stream(&a2[at2], (nesl_octet)sums2);";
    assert!(text.contains("straight1 = past1 && nesl_on_line(a2 + x1);"), "{text}");
    assert!(text.contains(octet), "{text}");
    assert!(text.contains("if (moved1) nesl_stream(a2 + base1, piece1_a2,"), "{text}");
    assert!(text.contains("if (past1) nesl_streamed();"), "{text}");
    // A result that is stored twice is no piece, and may begin anywhere.
    let twice = SCAN.replace("store a2 x3 x4", "store a2 x3 x4\n    store a2 x3 x4");
    assert!(!print(&twice).contains("nesl_octet_stream"), "{twice}");
    // What is stored is another thing, or what is added up is no sum.
    for (from, to) in [("store a2 x3 x4", "store a2 x3 x5"), ("next x7 add", "next x7 max")] {
        let to =
            if to.ends_with("max") { SCAN.replace("add", "max") } else { SCAN.replace(from, to) };
        assert!(!print(&to).contains("NESL_OCTETS"), "{to}");
    }
}
