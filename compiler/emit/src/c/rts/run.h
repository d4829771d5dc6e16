/* What a launch shares between its workers, and what its kernels use of it: tiles, chains, faults.
 *
 * Include after team.h. */
#ifndef NESL_RUN_H
#define NESL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A tile is compiled on its own, so that its loops are optimised alone. */
#define NESL_TILE __attribute__((noinline))
/* One whose loops are long.  For most Intel processors GCC takes vectors half as long as they have,
 * as the longest used to slow the clock down.  On an Intel Xeon, Black-Scholes takes a fifth less with
 * these, prefix sums a quarter, a filter a tenth. */
#if defined(__AVX512F__) && !defined(__clang__)
#define NESL_WIDE __attribute__((target("prefer-vector-width=512")))
#else
#define NESL_WIDE
#endif
/* Scalar functions and operations that loops should contain, not call. */
#define NESL_SCALAR static inline __attribute__((always_inline, unused))
/* Other scalar functions. */
#define NESL_FUNCTION NESL_UNUSED static

/* The ints and floats of the program.  Counts of tiles and bytes, and words of scratch memory, have 64
 * bits whatever these have. */
#ifdef NESL_INT_32
typedef int32_t nesl_int;
typedef uint32_t nesl_uint;
#else
typedef int64_t nesl_int;
typedef uint64_t nesl_uint;
#endif
#ifdef NESL_FLOAT_32
typedef float nesl_float;
#else
typedef double nesl_float;
#endif

/* An argument of a kernel, or a word of scratch memory. */
typedef union nesl_arg {
  void *p;
  int64_t i;
  double f;
  uint8_t b;
} nesl_arg;

/* How a launch will be cut, known before it starts. */
typedef struct nesl_plan {
  int64_t tiles;   /* more workers than this find nothing to do */
  int64_t scratch; /* bytes of scratch memory */
  int64_t cleared; /* how many of them, from the first, must be 0 */
} nesl_plan;

enum { NESL_DEPTH = 6 }; /* positions kept for a report */

/* The first fault in order: filled in by diagnosis only. */
typedef struct nesl_report {
  int32_t site; /* row of the table of fault sites; -1 if there was none */
  int32_t depth;
  int64_t operands[2];
  int64_t positions[NESL_DEPTH];
} nesl_report;

/* One launch. */
typedef struct nesl_launch {
  nesl_team team;
  _Alignas(64) _Atomic int64_t next;   /* the next tile to be taken */
  _Alignas(64) _Atomic int32_t failed; /* whether any tile recorded a fault */
  nesl_arg *scratch;
  const char *const *stack; /* for each worker, how far down its stack may grow */
  nesl_report *report;
  struct nesl_arena *arenas; /* for each worker, memory of lanes; null if the kernel needs none */
  _Atomic int64_t touched; /* in programs that count: elements read and written */
  _Alignas(64) _Atomic int32_t ended; /* workers that have done their lanes */
  _Atomic int32_t idle;               /* workers that look for something to do */
  int64_t worth; /* elements of calls that are worth an offer to other workers (offers.h) */
} nesl_launch;

/* The state of the code that a worker runs. */
typedef struct nesl_state {
  int64_t fault; /* not 0 once a check failed */
  const char *stack;
  struct nesl_arena *arena;
  /* Of lanes: */
  nesl_launch *run;
  int64_t worth; /* elements of calls that are worth an offer, if there is another worker */
  void *spare;   /* memory that a call leaves the next one, as long as what that is given */
  /* Where the stacks of all workers are, side by side: not to be looked up in an arena, to which its
   * owner writes. */
  const char *base, *limit;
  /* A sequence from outside that nobody has but the only lane of this launch. */
  const char *own, *own_end;
} nesl_state;

/* Whether there is room for one more call of a recursive function. */
NESL_INLINE bool nesl_stack_left(const nesl_state *state) {
  return (const char *)__builtin_frame_address(0) > state->stack;
}

/* ---- smaller and larger: also used for bounds ------------------------------------------- */

NESL_SCALAR int64_t nesl_min(int64_t x, int64_t y) { return x < y ? x : y; }
NESL_SCALAR int64_t nesl_max(int64_t x, int64_t y) { return x > y ? x : y; }
/* Whether 0 <= index < end. */
NESL_SCALAR bool nesl_within(nesl_int index, nesl_int end) {
  return (nesl_uint)index < (nesl_uint)(end > 0 ? end : 0);
}

/* ---- tiles ------------------------------------------------------------------------------ */

/* The number of tiles of `grain` indices in 0..extent. */
NESL_INLINE int64_t nesl_even(int64_t extent, int64_t grain) {
  return extent <= 0 ? 0 : (extent - 1) / grain + 1;
}

/* Indices of a tile, up to `most` times as many as usual where there are many: whatever the number of
 * workers is, as sums of floats depend on where tiles end. */
NESL_INLINE int64_t nesl_long_grain(int64_t extent, int64_t grain, int64_t most) {
  int64_t tile = grain;
  while (2 * tile <= most * grain && 2 * tile <= extent / 64) tile *= 2;
  return tile;
}

/* The number of tiles of 0..extent if an index counts 1 and each element of its segment 1. */
NESL_INLINE int64_t nesl_balanced(const nesl_int *offsets, int64_t extent, int64_t grain) {
  return extent <= 0 ? 0 : nesl_even(offsets[extent] - offsets[0] + extent, grain);
}

/* The first index i before which at least `target` indices and elements lie; at most extent. */
NESL_UNUSED static int64_t nesl_cut(const nesl_int *offsets, int64_t extent, int64_t target) {
  int64_t low = 0, high = extent;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (offsets[middle] - offsets[0] + middle < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Where a tile that cuts segments begins that has `target` indices and elements before it: its first
 * index, and the element from which on elements are its own.  Index i stands before the elements of
 * its segment. */
NESL_UNUSED static void nesl_cut_at(const nesl_int *offsets, int64_t extent, int64_t target,
    nesl_int *index, nesl_int *element) {
  *index = (nesl_int)nesl_cut(offsets, extent, target);
  *element = (nesl_int)nesl_min(target - *index + offsets[0], offsets[*index]);
}

/* Indices and elements of `extent` segments of one length. */
NESL_INLINE int64_t nesl_load(int64_t length, int64_t extent) {
  return nesl_max(extent, 0) * (nesl_max(length, 0) + 1);
}

/* The same as `nesl_cut` for segments of one length. */
NESL_INLINE int64_t nesl_cut_even(int64_t length, int64_t extent, int64_t target) {
  length = nesl_max(length, 0);
  return nesl_min((target + length) / (length + 1), extent);
}

/* The same as `nesl_cut_at` for segments of one length. */
NESL_UNUSED static void nesl_cut_even_at(int64_t length, int64_t extent, int64_t target,
    nesl_int *index, nesl_int *element) {
  *index = (nesl_int)nesl_cut_even(length, extent, target);
  *element = (nesl_int)nesl_min(target - *index, *index * nesl_max(length, 0));
}

/* Whether a fault was recorded. */
NESL_INLINE bool nesl_failed(nesl_launch *run) {
  return atomic_load_explicit(&run->failed, memory_order_relaxed) != 0;
}

NESL_INLINE void nesl_fail(nesl_launch *run) {
  atomic_store_explicit(&run->failed, 1, memory_order_relaxed);
}

/* The next tile; past all tiles once the launch has failed.  Tiles are taken in order and a tile
 * that was taken is always finished, so a tile may wait for those before it. */
NESL_INLINE int64_t nesl_take(nesl_launch *run) {
  if (nesl_failed(run)) return INT64_MAX;
  if (run->team.size == 1) {
    int64_t tile = atomic_load_explicit(&run->next, memory_order_relaxed);
    atomic_store_explicit(&run->next, tile + 1, memory_order_relaxed);
    return tile;
  }
  return atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
}

/* Tiles that a worker has taken and not begun. */
typedef struct nesl_turn {
  int64_t next, end;
} nesl_turn;

/* The next tile where none waits for another.  Of many tiles a worker takes some that follow each
 * other at once, because memory is read faster in long pieces; but so few that others have no less
 * to do in the end. */
NESL_INLINE int64_t nesl_take_turn(nesl_launch *run, nesl_turn *turn, int64_t tiles) {
  enum { MOST = 16, TURNS = 64 };
  if (nesl_failed(run)) return INT64_MAX;
  if (turn->next == turn->end) {
    const int64_t some = nesl_max(nesl_min(tiles / (run->team.size * TURNS), MOST), 1);
    turn->next = atomic_fetch_add_explicit(&run->next, some, memory_order_relaxed);
    turn->end = turn->next + some;
  }
  return turn->next++;
}

/* ---- chains ----------------------------------------------------------------------------- */

/* Waits until the words before `flag` are published. */
NESL_UNUSED static void nesl_await(const nesl_arg *flag) {
  for (int spins = 0; !__atomic_load_n(&flag->i, __ATOMIC_ACQUIRE); spins++) {
    if (spins < NESL_SPINS) {
      nesl_pause();
    } else {
      sched_yield();
    }
  }
}

/* Publishes the words before `flag`. */
NESL_INLINE void nesl_publish(nesl_arg *flag) { __atomic_store_n(&flag->i, 1, __ATOMIC_RELEASE); }

/* ---- writes of several tiles ------------------------------------------------------------ */

/* A greater int takes the place of a smaller one, whoever else does the same. */
NESL_UNUSED static void nesl_greatest(nesl_int *at, nesl_int value) {
  nesl_int now = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (now < value
      && !__atomic_compare_exchange_n(at, &now, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/* ---- counting --------------------------------------------------------------------------- */

/* NESL_TOUCH(n): this thread has read or written n elements.  In programs that count only. */
#define NESL_TOUCH(n) (nesl_touched += (n))

NESL_UNUSED static _Thread_local int64_t nesl_touched;

/* What a worker has touched becomes part of the launch's sum. */
NESL_INLINE void nesl_count(nesl_launch *run) {
  atomic_fetch_add_explicit(&run->touched, nesl_touched, memory_order_relaxed);
  nesl_touched = 0;
}

/* What sorting n elements counts as: each is read and written in each round of a merge sort. */
NESL_INLINE int64_t nesl_sort_touches(int64_t n) {
  return n <= 0 ? 0 : 2 * n * (64 - __builtin_clzll((unsigned long long)n));
}

/* Rust lays out the same structs. */
_Static_assert(offsetof(nesl_launch, next) == 192, "layout of nesl_launch");
_Static_assert(offsetof(nesl_launch, failed) == 256, "layout of nesl_launch");
_Static_assert(offsetof(nesl_launch, scratch) == 264, "layout of nesl_launch");
_Static_assert(offsetof(nesl_launch, touched) == 296, "layout of nesl_launch");
_Static_assert(offsetof(nesl_launch, worth) == 328, "layout of nesl_launch");
_Static_assert(sizeof(nesl_launch) == 384, "size of nesl_launch");

#endif
