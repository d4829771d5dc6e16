/* Tests of rts/past.h: pieces cover a range, streamed bytes arrive and nothing else changes. */
#define NESL_TINY
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include "../../src/c/rts/past.h"
#include <stdio.h>

enum { SIZE = 4096 };

static int check(int64_t at, int64_t bytes) {
  static char from[SIZE], to[SIZE] __attribute__((aligned(64)));
  for (int i = 0; i < SIZE; i++) from[i] = (char)(i * 7 + 3), to[i] = 0x55;
  nesl_stream(to + at, from, bytes);
  nesl_streamed();
  for (int i = 0; i < SIZE; i++) {
    bool inside = i >= at && i < at + bytes;
    char want = inside ? from[i - at] : 0x55;
    if (to[i] != want) return printf("byte %d of %d at %d\n", i, (int)bytes, (int)at), 1;
  }
  return 0;
}

int main(void) {
  for (int64_t at = 0; at <= 72; at++) {
    for (int64_t bytes = 0; bytes <= 300; bytes++) {
      if (check(at, bytes)) return 1;
    }
    if (check(at, SIZE - at)) return 1;
  }
  for (int64_t from = 0; from < 2000; from += 37) {
    for (int64_t to = from; to < 4000; to += 311) {
      int64_t base = from, pieces = 0;
      for (int64_t stop; base < to; base = stop, pieces++) {
        stop = nesl_piece(true, base, to);
        if (stop <= base || stop - base > NESL_PIECE) return puts("piece"), 1;
        if (pieces > 0 && base % NESL_PIECE != 0) return puts("piece begins inside a line"), 1;
      }
      if (base != to) return puts("pieces pass the end"), 1;
      if (from < to && nesl_piece(false, from, to) != to) return puts("one piece"), 1;
    }
  }
  if (nesl_past(NESL_LARGE / 8, 8)) return puts("small"), 1;
#if defined(__x86_64__)
  if (!nesl_past(NESL_LARGE / 8 + 1, 8)) return puts("large"), 1;
#endif
  puts("ok");
  return 0;
}
