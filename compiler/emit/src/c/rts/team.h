/* A team of workers that run one kernel together, and the barrier between its phases.
 *
 * A kernel is an SPMD function: all `size` workers call it at once with the same arguments and
 * their own number, split the work by that number, and meet at barriers.  A team of one runs the
 * same text; its barriers cost a comparison. */
#ifndef NESL_TEAM_H
#define NESL_TEAM_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#define NESL_UNUSED __attribute__((unused))
#define NESL_INLINE static inline __attribute__((always_inline, unused))
#define NESL_APART static __attribute__((noinline, unused)) /* for one copy of a large loop */

/* How often a waiting worker looks again before it offers its core to others. */
#define NESL_SPINS 2000

/* The two counters lie in cache lines of their own: arriving workers write one, waiting workers
 * read the other. */
typedef struct nesl_team {
  int32_t size;                        /* workers taking part */
  _Alignas(64) _Atomic int32_t arrived; /* workers that reached the current barrier */
  _Alignas(64) _Atomic int32_t phase;   /* number of barriers passed, modulo 2^32 */
} nesl_team;

/* Tells the core that the worker is only waiting. */
NESL_INLINE void nesl_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Returns when all workers of the team have called it; what they wrote before is then visible to
 * all.  The phase is the sense of the barrier: the last to arrive resets the count and moves the
 * phase on, the others wait for it to move.  Workers may outnumber free cores, so waiting gives
 * way to the scheduler after a while. */
NESL_UNUSED static void nesl_barrier(nesl_team *t) {
  if (t->size == 1) return;
  int32_t phase = atomic_load_explicit(&t->phase, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&t->arrived, 1, memory_order_acq_rel) == t->size - 1) {
    atomic_store_explicit(&t->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&t->phase, (int32_t)((uint32_t)phase + 1), memory_order_release);
    return;
  }
  for (int spins = 0; atomic_load_explicit(&t->phase, memory_order_acquire) == phase; spins++) {
    if (spins < NESL_SPINS) {
      nesl_pause();
    } else {
      sched_yield();
    }
  }
}

/* The first index of a worker's share of `n` items; worker `size` gives the end of the last. */
NESL_INLINE int64_t nesl_share(int64_t n, int64_t size, int64_t worker) {
  return n / size * worker + (n % size < worker ? n % size : worker);
}

#endif
