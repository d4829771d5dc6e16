/* Tests of rts/fold.h: the larger and smaller of floats that are all infinite, or nan. */
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include "../../src/shared/rts/math.h"
#include "../../src/c/rts/fold.h"
#include <stdio.h>

#ifdef __clang__
/* Comparisons that ignore nan are not vectorised. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

enum { SIZE = 100 };

static nesl_float least(const nesl_float *a, int64_t n) {
  nesl_float x = INFINITY;
#pragma omp simd reduction(NESL_FMIN : x)
  for (int64_t i = 0; i < n; i++) x = nesl_fmin(x, a[i]);
  return x;
}

static nesl_float greatest(const nesl_float *a, int64_t n) {
  nesl_float x = -INFINITY;
#pragma omp simd reduction(NESL_FMAX : x)
  for (int64_t i = 0; i < n; i++) x = nesl_fmax(x, a[i]);
  return x;
}

static int check(nesl_float all, nesl_float one) {
  nesl_float a[SIZE];
  for (int64_t n = 0; n <= SIZE; n++) {
    for (int64_t i = 0; i < n; i++) a[i] = i == n / 2 ? one : all;
    nesl_float low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) low = nesl_fmin(low, a[i]), high = nesl_fmax(high, a[i]);
    if (least(a, n) != low) return printf("least of %d: %g, not %g\n", (int)n, least(a, n), low);
    if (greatest(a, n) != high)
      return printf("greatest of %d: %g, not %g\n", (int)n, greatest(a, n), high);
  }
  return 0;
}

int main(void) {
  const nesl_float values[] = {INFINITY, -INFINITY, NAN, 1.5, -2.5};
  for (int all = 0; all < 5; all++) {
    for (int one = 0; one < 5; one++) {
      if (check(values[all], values[one])) return 1;
    }
  }
  puts("ok");
  return 0;
}
