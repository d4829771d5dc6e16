/* Large results are written past the caches: a store of a whole line then need not fetch it first.
 *
 * A piece of the tile is computed into memory of the first-level cache and moved from there. */
#ifndef NESL_PAST_H
#define NESL_PAST_H

enum {
  NESL_PIECE = 512, /* elements computed before they are moved */
#ifdef NESL_TINY    /* tests: little data goes the way of much */
  NESL_LARGE = 64,
#else
  NESL_LARGE = 32 << 20 /* bytes that a launch writes, from which on no cache keeps them */
#endif
};

/* Whether the processor gains by it.  An EPYC's scans take a twelfth less (decision 23).  On a Xeon
 * (Cascade Lake, two cores) maps take a sixth longer and scans an eighth, on others as long. */
#ifdef NESL_TINY
#define NESL_GAINS_PAST true
#else
#define NESL_GAINS_PAST __builtin_cpu_is("amd")
#endif

/* Whether a launch that writes so many bytes for each of `extent` indices goes past the caches. */
NESL_INLINE bool nesl_past(int64_t extent, int64_t bytes) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  return extent > NESL_LARGE / bytes && NESL_GAINS_PAST;
#else
  (void)extent, (void)bytes;
  return false;
#endif
}

/* Where the piece that begins at `base` ends: all pieces but the first begin at a whole line. */
NESL_INLINE int64_t nesl_piece(bool past, int64_t base, int64_t end) {
  return past ? nesl_min(end, (base | (NESL_PIECE - 1)) + 1) : end;
}

/* Moves bytes past the caches.  What does not fill a line is stored as usual. */
NESL_APART void nesl_stream(void *to, const void *from, int64_t bytes) {
  char *target = to;
  const char *source = from;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#if defined(__AVX512F__)
  typedef int64_t wide __attribute__((vector_size(64), aligned(8), may_alias));
#define NESL_STREAM "vmovntdq %1, %0"
#elif defined(__AVX__)
  typedef int64_t wide __attribute__((vector_size(32), aligned(8), may_alias));
#define NESL_STREAM "vmovntdq %1, %0"
#else
  typedef int64_t wide __attribute__((vector_size(16), aligned(8), may_alias));
#define NESL_STREAM "movntdq %1, %0"
#endif
  const int64_t size = sizeof(wide);
  const int64_t before = nesl_min(bytes, (int64_t)(-(uintptr_t)target & 63));
  memcpy(target, source, (size_t)before);
  target += before, source += before, bytes -= before;
  for (; bytes >= size; target += size, source += size, bytes -= size) {
    __asm__ volatile(NESL_STREAM : "=m"(*(wide *)target) : "x"(*(const wide *)source));
  }
#undef NESL_STREAM
#endif
  memcpy(target, source, (size_t)bytes);
}

/* Orders what was streamed before what tells that the tile is done. */
NESL_INLINE void nesl_streamed(void) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __asm__ volatile("sfence" ::: "memory");
#endif
}

#endif
