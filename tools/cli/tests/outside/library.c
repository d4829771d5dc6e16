/* Calls a library with null for elements, with memory of its own, and on one core. */
#include "p.h"
#include <stdio.h>
#include <stdlib.h>

static int taken, given;

static void *take(size_t alignment, size_t bytes) {
  taken++;
  return aligned_alloc(alignment, bytes);
}

static void give(void *memory) {
  given++;
  free(memory);
}

int main(void) {
  p_allocator(take, give);
  p_threads(1);
  const int64_t v[] = {1, 2, 3}, offsets[] = {0, 1, 3};
  int64_t *result = NULL, length = -1;
  int code = p_twice(NULL, 3, &result, &length);
  printf("%d %s\n", code == P_INPUT, p_message());
  code = p_rows(NULL, offsets, 2, &result, &result, &length);
  printf("%d %s\n", code == P_INPUT, p_message());
  code = p_twice(NULL, 0, &result, &length);
  printf("%d %lld\n", code, (long long)length);
  p_free(result);
  p_free(NULL);

  int64_t memory[8] = {0}, places[8] = {0}, room = 2, places_room = 8;
  length = -1;
  code = p_twice_into(v, 3, memory, &room, &length);
  printf("%d %s\n", code == P_INPUT, p_message());
  printf("%lld %lld %lld\n", (long long)room, (long long)length, (long long)memory[0]);
  code = p_twice_into(v, 3, memory, &room, &length);
  printf("%d %lld %lld\n", code, (long long)length, (long long)memory[2]);
  room = 8;
  code = p_rows_into(v, offsets, 2, memory, &room, places, &places_room, &length);
  printf("%d %lld %lld %lld\n", code, (long long)length, (long long)room, (long long)places_room);
  printf("%lld %lld\n", (long long)places[1], (long long)memory[1]);
  printf("%d %d\n", taken == given, taken > 4);
  return 0;
}
