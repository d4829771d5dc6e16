//! What the C looks like where some elements are kept.

mod printed;

use expect_test::expect;
use printed::print;

const FILTER: &str = "
kernel k0 filter(a0: in i64, a1: i64, a2: out i64, a3: out i64) tiles of 16384 over a1 as x0 x1 x2 {
  pack x3 in x1 .. x2 {
    x4 = read a0 x3
    x5 = gt x4 0
  } keep x5 at x6 = 0 {
  } store a2 x4 gives x7
}";

/// Between `#ifdef NESL_COMPRESS` and `#else`.
fn vectors(text: &str) -> String {
    let (_, vectors) = text.split_once("#ifdef NESL_COMPRESS\n").unwrap();
    let (vectors, _) = vectors.split_once("  #else\n").unwrap();
    vectors.lines().map(|line| format!("{}\n", &line[2..])).collect()
}

/// Words are packed eight at a time, and then one by one; as nobody knows how many are kept, they
/// are gathered first.
#[test]
fn words() {
    expect![[r#"
        int64_t at1 = x1;
        while (at1 + NESL_BLOCK <= x2) {
          int64_t block1_0[NESL_BLOCK + NESL_SPILL];
          int64_t held1 = 0;
          for (const int64_t end1 = at1 + NESL_BLOCK; at1 < end1; at1 += NESL_SPILL) {
            int64_t keep1[NESL_SPILL];
            int64_t value1_0[NESL_SPILL];
            #pragma omp simd simdlen(NESL_SPILL)
            for (int64_t lane1 = 0; lane1 < NESL_SPILL; lane1++) {
              const int64_t x3 = at1 + lane1;
              const int64_t x4 = a0[x3];
              keep1[lane1] = x4 > 0;
              value1_0[lane1] = x4;
            }
            const uint8_t mask1 = nesl_flags(keep1);
            nesl_spill(block1_0 + held1, value1_0, mask1);
            const int64_t kept1 = __builtin_popcount(mask1);
            held1 += kept1;
          }
          memcpy(a2 + x6, block1_0, (size_t)held1 * 8);
          x6 += held1;
        }
        for (int64_t x3 = at1; x3 < x2; x3++) {
          const int64_t x4 = a0[x3];
          if (x4 > 0) {
            a2[x6] = x4;
            x6++;
          }
        }
    "#]]
    .assert_eq(&vectors(&print(FILTER)));
    let two = FILTER.replace("store a2 x4", "store a2 x4, a3 x3");
    assert_eq!(print(&two).matches("nesl_spill(").count(), 2);
}

/// What a tile has counted is stored where it belongs, as long as vectors end before the output of
/// the next tile.
#[test]
fn counted_words() {
    let count = "
  for x8 in x1 .. x2 simd carry x9 = 0 {
    x10 = read a0 x8
    x11 = gt x10 0
    x12 = btoi x11
    x13 = add x9 x12
    next x13 add
  } gives x14
  chain x15 = add x14
  pack";
    let text = FILTER.replace("\n  pack", count);
    let counted = text.replace("x6 = 0", "x6 = x15");
    expect![[r#"
        int64_t at1 = x1;
        const int64_t stop1 = x15 + x14;
        if (!nesl_keeps_few(stop1 - x6, x2 - x1)) {
          for (; at1 + NESL_SPILL <= x2 && stop1 - x6 >= NESL_SPILL; at1 += NESL_SPILL) {
            int64_t keep1[NESL_SPILL];
            int64_t value1_0[NESL_SPILL];
            #pragma omp simd simdlen(NESL_SPILL)
            for (int64_t lane1 = 0; lane1 < NESL_SPILL; lane1++) {
              const int64_t x3 = at1 + lane1;
              const int64_t x4 = a0[x3];
              keep1[lane1] = x4 > 0;
              value1_0[lane1] = x4;
            }
            const uint8_t mask1 = nesl_flags(keep1);
            nesl_spill(a2 + x6, value1_0, mask1);
            const int64_t kept1 = __builtin_popcount(mask1);
            x6 += kept1;
          }
        }
        while (at1 + NESL_BLOCK <= x2 && x6 < stop1) {
          int64_t block1_0[NESL_BLOCK + NESL_SPILL];
          int64_t held1 = 0;
          for (const int64_t end1 = at1 + NESL_BLOCK; at1 < end1; at1 += NESL_SPILL) {
            int64_t keep1[NESL_SPILL];
            int64_t value1_0[NESL_SPILL];
            #pragma omp simd simdlen(NESL_SPILL)
            for (int64_t lane1 = 0; lane1 < NESL_SPILL; lane1++) {
              const int64_t x3 = at1 + lane1;
              const int64_t x4 = a0[x3];
              keep1[lane1] = x4 > 0;
              value1_0[lane1] = x4;
            }
            const uint8_t mask1 = nesl_flags(keep1);
            nesl_spill(block1_0 + held1, value1_0, mask1);
            const int64_t kept1 = __builtin_popcount(mask1);
            held1 += kept1;
          }
          memcpy(a2 + x6, block1_0, (size_t)held1 * 8);
          x6 += held1;
        }
        if (x6 == stop1) at1 = x2;
        for (int64_t x3 = at1; x3 < x2; x3++) {
          const int64_t x4 = a0[x3];
          if (x4 > 0) {
            a2[x6] = x4;
            x6++;
          }
        }
    "#]]
    .assert_eq(&vectors(&print(&counted)));
    // Another place than that behind the tiles before.
    let elsewhere = text.replace("x6 = 0", "x6 = x14");
    assert!(!print(&elsewhere).contains("nesl_keeps_few"), "{elsewhere}");
}

/// Numbers of 4 bytes sixteen at a time; what differs in size block by block.
#[test]
fn other_sizes() {
    let halves = print(&format!("widths int 32 float 64\n{FILTER}"));
    assert!(halves.contains("at1 < end1; at1 += NESL_SPILL_32)"), "{halves}");
    assert!(halves.contains("const uint16_t mask1 = nesl_flags_32(keep1);"), "{halves}");
    assert!(halves.contains("nesl_spill_32(block1_0 + held1, value1_0, mask1);"), "{halves}");
    let mixed = FILTER
        .replace("a3: out i64", "a3: out char")
        .replace("x5 = gt", "x8 = and x3 255\n    x9 = codechar x8\n    x5 = gt");
    for stores in ["a2 x4, a3 x9", "a3 x9"] {
        let text = print(&mixed.replace("store a2 x4", &format!("store {stores}")));
        assert!(!text.contains("NESL_COMPRESS"), "{text}");
        assert!(text.contains("nesl_pack8(a3 + x6,"), "{text}");
    }
}
