/* Calls of kernels that can be left before they end.
 *
 * A kernel may run for long, or for ever, and never looks up.  So it is called in a way that lets the
 * handler of a signal go back to before the call.  Kernels hold nothing: no locks, no memory of the
 * C library; what they have written is thrown away by whoever wished that they stop. */
#include <setjmp.h>

typedef struct nesl_jump {
  void (*leave)(struct nesl_jump *);
  jmp_buf before;
} nesl_jump;

/* The caller has so much room for it. */
_Static_assert(sizeof(nesl_jump) <= 1024, "a jump is larger than its room");

/* Goes back to the call that this jump belongs to. */
static void nesl_leave(nesl_jump *jump) {
  _longjmp(jump->before, 1);
}

/* Calls a kernel unless it is to stop.  While it runs, `open` tells the handler how to leave it. */
void nesl_guarded(void (*entry)(void *, int, const void *), void *launch, int worker,
                  const void *args, nesl_jump *jump, nesl_jump *volatile *open,
                  const volatile unsigned char *stop) {
  jump->leave = nesl_leave;
  if (_setjmp(jump->before)) return;
  *open = jump;
  if (!*stop) entry(launch, worker, args);
  *open = 0;
}
