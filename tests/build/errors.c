/* Calls of the functions of errors.nesl that succeed and that fail: after one that failed, the next
 * is as good as the first. */
#include "errors.h"
#include <stdio.h>
#include <stdlib.h>

static void say(const char *name, int code) {
  printf("%s %d %s\n", name, code, code ? errors_message() : "");
}

int main(void) {
  const int64_t v[] = {10, 20, 30}, inside[] = {2, 0}, outside[] = {0, 2, 5, 9};
  int64_t *ints = NULL, count = -1, one = -1;
  for (int i = 0; i < 2; i++) {
    say("pick", errors_pick(v, 3, inside, 2, &ints, &count));
    printf("%lld %lld %lld\n", (long long)count, (long long)ints[0], (long long)ints[1]);
    errors_free(ints);
    ints = NULL;
    count = -1;
    say("pick", errors_pick(v, 3, outside, 4, &ints, &count));
    printf("%d %lld\n", ints == NULL, (long long)count);
  }
  say("pick", errors_pick(v, -3, inside, 2, &ints, &count));
  say("pick", errors_pick(NULL, 0, NULL, 0, &ints, &count));
  printf("%lld\n", (long long)count);
  errors_free(ints);

  const double m[] = {1, 2, 3};
  const int64_t good[] = {0, 1, 1, 3}, falls[] = {0, 2, 1, 3}, begins[] = {1, 1, 1, 3};
  double *floats;
  int64_t *offsets;
  say("rows", errors_rows(m, good, 3, &floats, &offsets, &count));
  printf("%g %g %g, %lld %lld %lld %lld\n", floats[0], floats[1], floats[2], (long long)offsets[0],
      (long long)offsets[1], (long long)offsets[2], (long long)offsets[3]);
  errors_free(floats);
  errors_free(offsets);
  say("rows", errors_rows(m, falls, 3, &floats, &offsets, &count));
  say("rows", errors_rows(m, begins, 3, &floats, &offsets, &count));
  say("rows", errors_rows(NULL, NULL, 0, &floats, &offsets, &count));

  say("divide", errors_divide(7, 2, &one));
  printf("%lld\n", (long long)one);
  say("divide", errors_divide(7, 0, &one));
  say("both", errors_both(m, 3, m, 2, &floats, &count));

  char *text;
  say("stop", errors_stop("here", 4, &text, &count));
  say("sunk", errors_sunk(1000, &one));
  say("sunk", errors_sunk(1000000000, &one));

  const int64_t numbers[] = {5, 10, 0, 20, 0}, two[] = {0, 1, 5};
  say("lanes", errors_lanes(numbers, two, 2, &ints, &offsets, &count));
  errors_free(NULL);

  /* So much work that all cores share it. */
  enum { MANY = 1000000 };
  int64_t *large = malloc(MANY * sizeof *large);
  for (int64_t i = 0; i < MANY; i++) large[i] = i % 3;
  say("pick", errors_pick(v, 3, large, MANY, &ints, &count));
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += ints[i];
  printf("%lld %lld\n", (long long)count, (long long)sum);
  errors_free(ints);
  large[777777] = large[999999] = -1;
  say("pick", errors_pick(v, 3, large, MANY, &ints, &count));
  free(large);
  return 0;
}
