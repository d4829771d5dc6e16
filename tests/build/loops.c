/* Calls of the functions of loops.nesl with more steps than the stack of a program has room for. */
#include "loops.h"
#include <stdio.h>

enum { STEPS = 200000 };

static void say(const char *name, int code, int64_t *ints, int64_t count) {
  printf("%s %d %s\n", name, code, code ? loops_message() : "");
  if (code) return;
  for (int64_t i = 0; i < count; i++) printf("%lld ", (long long)ints[i]);
  printf("\n");
  loops_free(ints);
}

int main(void) {
  const int64_t v[] = {1, 2, 3, 4, 5}, w[] = {6, 7};
  int64_t *ints = NULL, *others = NULL, count = -1, more = -1;
  int code = loops_steps(v, 5, STEPS, &ints, &count);
  say("steps", code, ints, count);
  code = loops_writes(v, 5, 0, STEPS, &ints, &count);
  say("writes", code, ints, count);
  code = loops_turns(v, 5, w, 2, 1001, &ints, &count, &others, &more);
  say("turns", code, ints, count);
  say("turns", code, others, more);
  code = loops_kept(v, 5, w, 2, STEPS, &ints, &count);
  say("kept", code, ints, count);
  code = loops_ends(v, 5, STEPS, &ints, &count);
  say("ends", code, ints, count);
  code = loops_ends(v, 5, 0, &ints, &count);
  say("ends", code, ints, count);
  return 0;
}
