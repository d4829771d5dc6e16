/* Tests of rts/octets.h: what is in each lane, inside of a row and outside. */
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include "../../src/c/rts/pack.h"
#include "../../src/c/rts/octets.h"
#include <stdio.h>

#if NESL_OCTETS
enum { SIZE = 40 };

static int wrong(const char *what, int64_t n, int lane) {
  return printf("%s of %d, lane %d\n", what, (int)n, lane);
}

/* A row of n elements that ends where memory ends for all that the test knows. */
static int row(int64_t n) {
  int64_t ints[SIZE], found[SIZE];
  int32_t narrow[SIZE];
  double floats[SIZE];
  for (int i = 0; i < SIZE; i++) {
    ints[i] = (i * 7 + 3) % SIZE;
    narrow[i] = i % 3 ? i * 1000003 : -i;
    floats[i] = i * 0.5 - 3;
    found[i] = i * INT64_C(10000000019);
  }
  const uint8_t lanes = nesl_octet_lanes(n);
  const int64_t inside = n < 8 ? n : 8;
  const nesl_octet loaded = nesl_octet_load(ints, lanes), wide = nesl_octet_widen(narrow, lanes);
  const nesl_octet looked = nesl_octet_look(found, loaded, lanes);
  const nesl_octet_float values = (nesl_octet_float)nesl_octet_load(floats, lanes);
  const nesl_octet kept = nesl_octet_keep(looked + 1, lanes);
  const nesl_octet_float converted = nesl_octet_to_float(wide);
  int64_t sum = 0;
  double total = 0;
  for (int i = 0; i < 8; i++) {
    const bool in = i < inside;
    if ((lanes >> i & 1) != in) return wrong("lanes", n, i);
    if (loaded[i] != (in ? ints[i] : 0)) return wrong("load", n, i);
    if (wide[i] != (in ? narrow[i] : 0)) return wrong("widen", n, i);
    if (looked[i] != (in ? found[ints[i]] : 0)) return wrong("look", n, i);
    if (values[i] != (in ? floats[i] : 0)) return wrong("floats", n, i);
    if (kept[i] != (in ? found[ints[i]] + 1 : 0)) return wrong("keep", n, i);
    if (converted[i] != (double)wide[i]) return wrong("to_float", n, i);
    sum += looked[i];
    total += values[i];
  }
  if (nesl_octet_sum(looked) != sum) return wrong("sum", n, 0);
  /* Halves are exact, in whatever order they are added up. */
  if (nesl_octet_sum_float(values) != total) return wrong("sum_float", n, 0);
  return 0;
}

static int tests(void) {
  const int64_t ends[] = {0, 1, 5, INT32_MAX, INT64_MAX};
  const int64_t around[] = {INT64_MIN, -1, 0, 1, 4, 5, INT32_MAX, INT64_MAX};
  for (int e = 0; e < 5; e++) {
    for (int lanes = 0; lanes < 256; lanes++) {
      const uint8_t met = nesl_octet_within(*(const nesl_octet *)around, ends[e], (uint8_t)lanes);
      for (int i = 0; i < 8; i++) {
        const bool in = around[i] >= 0 && around[i] < ends[e];
        if ((met >> i & 1) != (in && lanes >> i & 1)) return wrong("within", ends[e], i);
      }
    }
  }
  return 0;
}

/* Sums of what is before each value, over several octets. */
static int scans(void) {
  int64_t ints[SIZE], sums[SIZE], sum = INT64_MAX - 3;
  double floats[SIZE], totals[SIZE], total = -0.75;
  for (int i = 0; i < SIZE; i++) {
    ints[i] = (i * 37 - 300) * INT64_C(1000000007);
    floats[i] = i * 0.25 - 4;
  }
  nesl_octet before = sum - (nesl_octet){0};
  nesl_octet_float total_before = total - (nesl_octet_float){0};
  for (int i = 0; i < SIZE; i += 8) {
    *(nesl_octet *)(sums + i) = nesl_octet_scan(*(nesl_octet *)(ints + i), &before);
    *(nesl_octet_float *)(totals + i) =
        nesl_octet_scan_float(*(nesl_octet_float *)(floats + i), &total_before);
  }
  for (int i = 0; i < SIZE; i++) {
    if (sums[i] != sum) return wrong("scan", SIZE, i);
    if (totals[i] != total) return wrong("scan_float", SIZE, i);
    sum = (int64_t)((uint64_t)sum + (uint64_t)ints[i]);
    total += floats[i];
  }
  for (int i = 0; i < 8; i++) {
    if (before[i] != sum || total_before[i] != total) return wrong("before", SIZE, i);
  }
  return 0;
}

/* An octet past the caches is one line, and no more. */
static int streams(void) {
  int64_t to[3 * 8] __attribute__((aligned(64)));
  for (int i = 0; i < 24; i++) to[i] = -1;
  nesl_octet_stream(to + 8, (nesl_octet){1, 2, 3, 4, 5, 6, 7, 8});
  __asm__ volatile("sfence" ::: "memory");
  for (int i = 0; i < 24; i++) {
    if (nesl_on_line(to + i) != (i % 8 == 0)) return wrong("on_line", 24, i);
    if (to[i] != (i / 8 == 1 ? i - 7 : -1)) return wrong("stream", 24, i);
  }
  return 0;
}

int main(void) {
  if (scans() || streams()) return 1;
  for (int64_t n = 1; n <= 20; n++) {
    if (row(n)) return 1;
  }
  if (tests()) return 1;
  if (nesl_octets_fill(13, 2) || !nesl_octets_fill(14, 2)) return wrong("fill", 2, 0);
  puts("ok");
  return 0;
}
#else
int main(void) {
  puts("ok");
  return 0;
}
#endif
