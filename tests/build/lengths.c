/* Calls of the functions of lengths.nesl with lengths near the ends of ints. */
#include "lengths.h"
#include <stdio.h>

static void say(const char *name, int code) {
  printf("%s %d %s\n", name, code, code ? lengths_message() : "");
}

int main(void) {
  const int64_t most = INT64_MAX, longest = (int64_t)1 << 47;
  const int64_t lists[][3] = {
      {most, most, 10}, {most, 3, 0}, {longest, longest, 3}, {longest, most, most},
      {INT64_MIN, 1, 2}, {2, 0, 1}, {longest + 1, 1, 1},
  };
  for (int i = 0; i < 7; i++) {
    int64_t *ints, *offsets, count = -1, one = -1;
    char *chars;
    int code = lengths_flat(lists[i], 3, &ints, &count);
    say("flat", code);
    if (!code) {
      printf("%lld %lld\n", (long long)count, (long long)ints[2]);
      lengths_free(ints);
    }
    say("counted", lengths_counted(lists[i], 3, &one));
    say("sums", code = i == 2 ? 0 : lengths_sums(lists[i], 3, &ints, &count));
    if (!code && i != 2) lengths_free(ints);
    say("boths", code = lengths_boths(lists[i], 3, &ints, &count));
    if (!code) lengths_free(ints);
    say("both", code = lengths_both(lists[i][0], lists[i][1], &ints, &count));
    if (!code) lengths_free(ints);
    if (i != 5) continue;
    say("padded", code = lengths_padded(lists[i], 3, &chars, &offsets, &count));
    if (!code) {
      lengths_free(chars);
      lengths_free(offsets);
    }
  }
  int64_t one = -1, count;
  say("square", lengths_square(3037000500, &one));
  say("square", lengths_square((int64_t)1 << 32, &one));
  say("square", lengths_square(1 << 16, &one));
  printf("%lld\n", (long long)one);
  say("span", lengths_span(INT64_MIN, most, &one));
  say("span", lengths_span(most - 3, most, &one));
  printf("%lld\n", (long long)one);

  /* Lengths and offsets from outside. */
  const int64_t v[] = {1, 2, 3}, good[] = {0, 1, 3}, falls[] = {0, most, 1}, ends[] = {0, 1, most};
  const int64_t negative[] = {0, -1, 3};
  say("total", lengths_total(v, good, 2, &one));
  printf("%lld\n", (long long)one);
  say("total", lengths_total(v, falls, 2, &one));
  say("total", lengths_total(v, ends, 2, &one));
  say("total", lengths_total(v, negative, 2, &one));
  say("counted", lengths_counted(v, most, &one));
  say("counted", lengths_counted(v, longest + 1, &one));
  int64_t *ints, *offsets;
  say("halves", lengths_halves(v, 3, &ints, &offsets, &count));
  printf("%lld\n", (long long)count);
  lengths_free(ints);
  lengths_free(offsets);
  return 0;
}
