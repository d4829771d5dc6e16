/* How work is cut into tiles. */
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include <stdio.h>
#include <stdlib.h>

static void want(bool so, const char *what) {
  if (so) return;
  printf("not so: %s\n", what);
  exit(1);
}

/* Every index is in one tile. */
static void even(void) {
  const int64_t extents[] = {-1, 0, 1, 4, 5, 6, 1000};
  for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
    const int64_t tiles = nesl_even(extents[e], 5);
    want(tiles * 5 >= extents[e] && (tiles - 1) * 5 < nesl_max(extents[e], 1), "even tiles");
  }
}

/* Long tiles: never more than so many times as long, and only where there are many of them. */
static void longer(void) {
  int64_t before = 5;
  for (int64_t extent = 0; extent < 10000; extent++) {
    const int64_t grain = nesl_long_grain(extent, 5, 8);
    want(grain == 5 || grain == 10 || grain == 20 || grain == 40, "times a power of two");
    want(grain == 5 || nesl_even(extent, grain) >= 64, "many tiles");
    want(grain == 40 || extent < 128 * grain, "as long as they may be");
    want(grain >= before, "no shorter for more");
    before = grain;
  }
  want(before == 40, "eight times as long");
  want(nesl_long_grain(INT64_MAX, 16384, 4) == 65536, "however many");
  want(nesl_long_grain(1 << 30, 16384, 1) == 16384, "not longer");
}

/* Tiles of indices and the elements of their segments: each has its share. */
static void cut(void) {
  const nesl_int offsets[] = {3, 3, 7, 7, 7, 20, 21};
  const int64_t extent = 6, all = 24;
  int64_t last = 0;
  for (int64_t target = 0; target <= all + 3; target++) {
    const int64_t index = nesl_cut(offsets, extent, target);
    want(index >= last && index <= extent, "in order");
    want(index == extent || offsets[index] - 3 + index >= target, "enough before it");
    want(index == 0 || offsets[index - 1] - 3 + index - 1 < target, "not too many");
    last = index;
  }
  want(nesl_balanced(offsets, extent, 7) == 4, "tiles of seven");
}

/* Every tile is taken once, in turns that are long where there are many tiles. */
static void turns(void) {
  enum { SIZE = 3 };
  const int64_t counts[] = {0, 1, 5, 191, 192, 400, 1000, 100000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    nesl_launch run = {.team = {.size = SIZE}};
    nesl_turn turns[SIZE] = {{0, 0}};
    uint8_t *taken = calloc((size_t)counts[c] + 1, 1);
    int64_t done = 0, longest = 0;
    bool ended[SIZE] = {false};
    for (int worker = 0; !ended[0] || !ended[1] || !ended[2]; worker = (worker + 1) % SIZE) {
      if (ended[worker]) continue;
      const int64_t tile = nesl_take_turn(&run, &turns[worker], counts[c]);
      longest = nesl_max(longest, turns[worker].end - tile);
      ended[worker] = tile >= counts[c];
      if (ended[worker]) continue;
      want(!taken[tile]++, "taken once");
      done++;
    }
    want(done == counts[c], "all taken");
    want(longest == nesl_max(1, nesl_min(16, counts[c] / 192)), "as many at once");
    free(taken);
  }
}

int main(void) {
  even();
  turns();
  longer();
  cut();
  printf("ok\n");
}
