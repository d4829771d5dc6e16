/* Checks of kernels, and what becomes of one that fails.
 *
 * Include after run.h. */
#ifndef NESL_FAULTS_H
#define NESL_FAULTS_H

/* NESL_REQUIRE(flag, ok, site, a, b): a check.  Normally a failed one sets the flag, and the code
 * goes on with harmless values, so that loops vectorise.  In diagnosis, where one worker runs
 * everything in order, the first one is reported and ends the kernel.
 *
 * NESL_REQUIRE_OR_LEAVE, likewise: one in a loop that is not vectorised.  Behind a branch that is
 * never taken nothing waits for the check, as it does for a harmless value.
 *
 * NESL_POSITIONS(...): where the lane being run is, outermost position first. */
#ifdef NESL_DIAGNOSE

#include <setjmp.h>

static _Thread_local nesl_report *nesl_reporting;
static _Thread_local jmp_buf nesl_escape;

#define NESL_ENTER(run)                 \
  nesl_reporting = (run)->report;       \
  if (setjmp(nesl_escape)) return

NESL_UNUSED static void nesl_stop(int32_t site, int64_t a, int64_t b) {
  nesl_reporting->site = site;
  nesl_reporting->operands[0] = a;
  nesl_reporting->operands[1] = b;
  longjmp(nesl_escape, 1);
}

NESL_UNUSED static void nesl_positions(int32_t depth, const int64_t *positions) {
  depth = depth < NESL_DEPTH ? depth : NESL_DEPTH;
  nesl_reporting->depth = depth;
  memcpy(nesl_reporting->positions, positions, (size_t)depth * sizeof *positions);
}

#define NESL_REQUIRE(flag, ok, site, a, b) \
  do {                                     \
    if (!(ok)) nesl_stop(site, a, b);      \
  } while (0)
#define NESL_REQUIRE_OR_LEAVE NESL_REQUIRE
#define NESL_POSITIONS(...)                                                      \
  do {                                                                           \
    const int64_t positions[] = {0, ##__VA_ARGS__};                              \
    nesl_positions((int32_t)(sizeof positions / sizeof *positions) - 1, positions + 1); \
  } while (0)

#else

#define NESL_ENTER(run) (void)(run)
#define NESL_REQUIRE(flag, ok, site, a, b) ((flag) |= !(ok))
#define NESL_REQUIRE_OR_LEAVE(flag, ok, site, a, b) \
  do {                                              \
    if (!(ok)) {                                    \
      (flag) = 1;                                   \
      goto failed;                                  \
    }                                               \
  } while (0)
#define NESL_POSITIONS(...) (void)0

#endif

#endif
