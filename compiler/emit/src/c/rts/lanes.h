/* Memory of routines: functions that run all of one lane's work on one worker.
 *
 * Each worker has a stack of memory.  A routine takes what it needs from the top; when it ends, its
 * results are moved down to where its memory began and the rest is given back.  Results of several
 * lanes then lie one after the other.
 *
 * Include after run.h. */
#ifndef NESL_LANES_H
#define NESL_LANES_H

enum { NESL_OFFERS = 32 };
typedef struct nesl_offer nesl_offer; /* calls for other workers: offers.h */

/* The stack of one worker, and what it offers, in cache lines of their own as others look at them. */
typedef struct nesl_arena {
  char *top;       /* the first free byte */
  char *base;      /* the first byte */
  char *limit;     /* one past the last byte */
  char *high;      /* the highest that the top has been before it sank */
  int64_t touched; /* elements that bulk operations worked on */
  _Alignas(64) _Atomic int32_t count;
  nesl_offer *_Atomic offers[NESL_OFFERS]; /* null where one was taken */
} nesl_arena;

_Static_assert(offsetof(nesl_arena, count) == 64, "layout of nesl_arena");
_Static_assert(sizeof(nesl_arena) == 384, "size of nesl_arena");

enum { NESL_ALIGNED = 16 };

/* The first address from here that is a multiple of `unit`, a power of 2. */
NESL_INLINE char *nesl_align(char *at, uintptr_t unit) {
  return (char *)(((uintptr_t)at + unit - 1) & ~(unit - 1));
}

/* Memory for `count` elements of `size` bytes, or null if there is not enough.  `unit` is what the
 * address is a multiple of. */
NESL_INLINE void *nesl_room(const nesl_state *state, int64_t count, int64_t size, uintptr_t unit) {
  nesl_arena *arena = state->arena;
  char *at = nesl_align(arena->top, unit);
  if (count > (arena->limit - at) / size) return NULL;
  arena->top = at + (count > 0 ? count * size : 0);
  return at;
}

/* A copy of so many bytes that outlives the function they belong to, or null. */
NESL_INLINE void *nesl_keep(const nesl_state *state, const void *bytes, int64_t count) {
  void *room = nesl_room(state, count, 1, NESL_ALIGNED);
  return room ? memcpy(room, bytes, (size_t)count) : NULL;
}

/* Gives back what lies behind `end`.  The top only grows between two calls of this function, so
 * that this is when it is to be noted. */
NESL_INLINE void nesl_release(const nesl_state *state, char *end) {
  nesl_arena *arena = state->arena;
  if (arena->top > arena->high) arena->high = arena->top;
  arena->top = end;
}

/* Bytes of `count` elements; more than there is memory if that is no number. */
NESL_INLINE int64_t nesl_bytes(int64_t count, int64_t size) {
  int64_t bytes;
  return __builtin_mul_overflow(nesl_max(count, 0), size, &bytes) ? INT64_MAX : bytes;
}

/* Whether `bytes` bytes from `place` on have none of a buffer that begins at `other`, and that ends
 * before `place` if it begins before it. */
NESL_INLINE bool nesl_clear(const char *place, int64_t bytes, const void *other) {
  return (uintptr_t)other - (uintptr_t)place >= (uintptr_t)bytes;
}

/* Moves what lies between `from` and the top down to `to`, and gives the rest back; tells by how
 * many bytes it moved. */
NESL_INLINE int64_t nesl_settle(const nesl_state *state, char *to, char *from) {
  nesl_arena *arena = state->arena;
  const int64_t bytes = arena->top - from;
  memmove(to, from, (size_t)bytes);
  nesl_release(state, to + bytes);
  return from - to;
}

/* Moves bytes to a place that is not above them, or does not overlap them.  Most lanes are small, and
 * a call of memmove takes longer than to move a few words. */
NESL_INLINE void nesl_move(char *to, const char *from, int64_t bytes) {
  if (bytes > 64) {
    memmove(to, from, (size_t)bytes);
    return;
  }
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
    int64_t word;
    memcpy(&word, from, 8);
    memcpy(to, &word, 8);
    __asm__ volatile("" ::: "memory"); /* or compilers make it a call of memmove after all */
  }
  for (; bytes > 0; bytes--) *to++ = *from++;
}

/* ---- copies ----------------------------------------------------------------------------- */

#if defined(NESL_COMPRESS) && defined(__AVX512BW__)

typedef uint8_t nesl_bytes64 __attribute__((vector_size(64), aligned(1), may_alias));

/* Copies words or bytes that do not overlap.  The last step moves less than a vector by a mask:
 * without loops over smaller and smaller pieces, whose ends no core foresees. */
NESL_INLINE void nesl_copy64(void *to, const void *from, int64_t n) {
  nesl_bytes64 *t = to;
  const nesl_bytes64 *f = from;
  for (; n >= 8; n -= 8) *t++ = *f++;
  if (n > 0) {
    uint8_t mask = (uint8_t)((1u << n) - 1);
    nesl_bytes64 value;
    __asm__("vmovdqu64 %1, %0%{%2%}%{z%}" : "=v"(value) : "m"(*f), "Yk"(mask));
    __asm__("vmovdqu64 %1, %0%{%2%}" : "+m"(*t) : "v"(value), "Yk"(mask));
  }
}
NESL_INLINE void nesl_copy32(void *to, const void *from, int64_t n) {
  nesl_bytes64 *t = to;
  const nesl_bytes64 *f = from;
  for (; n >= 16; n -= 16) *t++ = *f++;
  if (n > 0) {
    uint16_t mask = (uint16_t)((1u << n) - 1);
    nesl_bytes64 value;
    __asm__("vmovdqu32 %1, %0%{%2%}%{z%}" : "=v"(value) : "m"(*f), "Yk"(mask));
    __asm__("vmovdqu32 %1, %0%{%2%}" : "+m"(*t) : "v"(value), "Yk"(mask));
  }
}
NESL_INLINE void nesl_copy8(void *to, const void *from, int64_t n) {
  nesl_bytes64 *t = to;
  const nesl_bytes64 *f = from;
  for (; n >= 64; n -= 64) *t++ = *f++;
  if (n > 0) {
    uint64_t mask = (UINT64_C(1) << n) - 1;
    nesl_bytes64 value;
    __asm__("vmovdqu8 %1, %0%{%2%}%{z%}" : "=v"(value) : "m"(*f), "Yk"(mask));
    __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*t) : "v"(value), "Yk"(mask));
  }
}

#else

NESL_INLINE void nesl_copy64(void *restrict to, const void *restrict from, int64_t n) {
  typedef uint64_t __attribute__((may_alias)) word;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) ((word *)to)[i] = ((const word *)from)[i];
}
NESL_INLINE void nesl_copy32(void *restrict to, const void *restrict from, int64_t n) {
  typedef uint32_t __attribute__((may_alias)) word;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) ((word *)to)[i] = ((const word *)from)[i];
}
NESL_INLINE void nesl_copy8(void *restrict to, const void *restrict from, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
}

#endif

/* So many bytes that nobody needs are worth moving others. */
enum { NESL_MUCH = 32768 };

/* Moves what a room holds down to the end of the room before it, if much lies between them; gives
 * where it is then. */
NESL_INLINE void *nesl_close(char *end, void *room, int64_t bytes) {
  char *to = nesl_align(end, NESL_ALIGNED);
  return (char *)room - to < NESL_MUCH ? room : memmove(to, room, (size_t)bytes);
}

/* Moves a buffer to `end`, and `end` behind it; gives where it is then. */
NESL_INLINE void *nesl_sink(char **end, const void *buffer, int64_t bytes) {
  char *to = nesl_align(*end, NESL_ALIGNED);
  *end = to + bytes;
  return memmove(to, buffer, (size_t)bytes);
}

/* Whether `count` pieces of so many bytes in all fit from `end` on below another piece, and that
 * piece behind them and as many free bytes as it has. */
NESL_INLINE bool nesl_swaps(const nesl_state *state, char *end, int64_t bytes, int64_t count,
                            const void *piece, int64_t own) {
  const int64_t start = nesl_align(end, NESL_ALIGNED) - end;
  const int64_t below = start + bytes + (count - 1) * NESL_ALIGNED;
  const int64_t all = below + 2 * own + NESL_ALIGNED;
  return below <= (const char *)piece - end && all <= state->arena->top - end;
}

/* Whether an element lies in the memory of lanes, of any worker, or in what belongs to them. */
NESL_INLINE bool nesl_is_lent(const nesl_state *state, const void *element) {
  const uintptr_t at = (uintptr_t)element;
  return at - (uintptr_t)state->base < (uintptr_t)(state->limit - state->base)
         || at - (uintptr_t)state->own < (uintptr_t)(state->own_end - state->own);
}

/* The state of a worker before it runs lanes. */
NESL_INLINE nesl_state nesl_lanes_state(nesl_launch *run, int32_t worker) {
  const int32_t last = run->team.size - 1;
  nesl_state state = {.stack = run->stack[worker], .arena = run->arenas + worker, .run = run};
  state.worth = last > 0 ? run->worth : INT64_MAX;
  state.base = run->arenas[0].base;
  state.limit = run->arenas[last].limit;
  return state;
}

/* How many lanes a worker takes at once. */
NESL_INLINE int64_t nesl_lane_grain(int64_t lanes, int64_t workers) {
  return nesl_max(1, nesl_min(64, lanes / (workers * 32)));
}

#endif
