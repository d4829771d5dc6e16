/* Tests of rts/pack.h: what is kept moves to the front in order, and nothing behind it changes. */
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include "../../src/c/rts/pack.h"
#include <stdio.h>

enum { SIZE = NESL_BLOCK + 32, UNTOUCHED = 0x55 };

static int wrong(const char *what, int64_t n, int64_t at) {
  return printf("%s of %d, at %d\n", what, (int)n, (int)at), 1;
}

/* Whether `to` holds the kept ones of n values of `size` bytes, and behind these what it held. */
static bool is_packed(
    const char *to, const char *from, const uint8_t *keep, int64_t n, int64_t size, int64_t end) {
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++) {
    if (keep[i] && memcmp(to + kept++ * size, from + i * size, (size_t)size) != 0) return false;
  }
  for (int64_t i = kept * size; i < end; i++) {
    if (to[i] != UNTOUCHED) return false;
  }
  return true;
}

/* Blocks of up to NESL_BLOCK values, of which from none to all are kept. */
static int blocks(void) {
  static char from[SIZE * 8], to[SIZE * 8];
  uint8_t keep[NESL_BLOCK];
  for (int i = 0; i < SIZE * 8; i++) from[i] = (char)(i * 7 + i / 256 + 1);
  for (int64_t n = 0; n <= NESL_BLOCK; n++) {
    for (int of = 1; of <= 5; of++) {
      for (int i = 0; i < n; i++) keep[i] = i * 31 % of == 0 && of < 5;
      memset(to, UNTOUCHED, sizeof(to));
      nesl_pack64(to, from, keep, n);
      if (!is_packed(to, from, keep, n, 8, sizeof(to))) return wrong("words", n, of);
      memset(to, UNTOUCHED, sizeof(to));
      nesl_pack32(to, from, keep, n);
      if (!is_packed(to, from, keep, n, 4, sizeof(to))) return wrong("halves", n, of);
      memset(to, UNTOUCHED, sizeof(to));
      nesl_pack8(to, from, keep, n);
      if (!is_packed(to, from, keep, n, 1, sizeof(to))) return wrong("bytes", n, of);
    }
  }
  return 0;
}

#ifdef NESL_COMPRESS
/* Vectors with all masks, at places that begin lines, and at others: what is kept, zeros, and what
 * was there before. */
static int vectors(void) {
  char from[64], to[192] __attribute__((aligned(64)));
  for (int i = 0; i < 64; i++) from[i] = (char)(i * 5 + 1);
  for (int mask = 0; mask < 1 << 16; mask++) {
    int64_t flags[NESL_SPILL];
    int32_t flags_32[NESL_SPILL_32];
    uint8_t keep[16];
    for (int i = 0; i < 16; i++) {
      keep[i] = mask >> i & 1;
      if (i < NESL_SPILL) flags[i] = keep[i];
      flags_32[i] = keep[i];
    }
    const int at = mask % 16 * 4;
    if (nesl_flags(flags) != (mask & 0xff)) return wrong("flags", mask, 0);
    if (nesl_flags_32(flags_32) != mask) return wrong("flags_32", mask, 0);
    for (int size = 4; size <= 8; size += 4) {
      memset(to, UNTOUCHED, sizeof(to));
      if (size == 8) nesl_spill(to + at, from, (uint8_t)mask);
      if (size == 4) nesl_spill_32(to + at, from, (uint16_t)mask);
      const int kept = __builtin_popcount(size == 8 ? mask & 0xff : mask) * size;
      for (int i = 0; i < 192; i++) {
        if (i >= at + kept && i < at + 64 && to[i] != 0) return wrong("zeros", mask, i);
        if ((i < at || i >= at + 64) && to[i] != UNTOUCHED) return wrong("around", mask, i);
      }
      memset(to + at + kept, UNTOUCHED, (size_t)(64 - kept));
      if (!is_packed(to + at, from, keep, 64 / size, size, 192 - at)) {
        return wrong("spill", mask, size);
      }
    }
  }
  return 0;
}
#else
static int vectors(void) { return 0; }
#endif

int main(void) {
  if (blocks() || vectors()) return 1;
#ifdef NESL_COMPRESS
  if (!nesl_keeps_few(24, 100) || nesl_keeps_few(25, 100) || nesl_keeps_few(0, 3)) {
    return wrong("few", 100, 0);
  }
#endif
  puts("ok");
  return 0;
}
