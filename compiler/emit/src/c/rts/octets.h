/* Eight lanes of a row at once, for rows of which elements are looked up.
 *
 * What such a loop waits for is memory, and branches that depend on how long each row is.  Compilers
 * print loops over single elements for it, as they do not know that rows are short, and some take
 * gathers to be slow.  Sparse matrix times vector takes four fifths of the time in these steps.
 * Instructions are by hand because to read the header that has them takes longer than to compile a
 * kernel.
 *
 * A mask says which lanes are inside of the row.  Nothing is read for others, and what is loaded or
 * looked up is 0 there.
 *
 * Include after pack.h. */
#ifndef NESL_OCTETS_H
#define NESL_OCTETS_H

#if !defined(NESL_DIAGNOSE) && defined(NESL_COMPRESS) && defined(__AVX512DQ__)
#define NESL_OCTETS 1

typedef double nesl_octet_float __attribute__((vector_size(64), aligned(8), may_alias));

/* Whether rows with so many elements in all are long enough on average.  Of shorter ones most lanes
 * would be outside. */
NESL_INLINE bool nesl_octets_fill(int64_t elements, int64_t rows) {
  return elements >= 7 * rows;
}

/* Whether a vector of so many words is near enough.  For what is not in the caches processors wait
 * less if it is read by single instructions, of which they have more under way. */
NESL_INLINE bool nesl_octets_near(int64_t words) {
  return words <= 3 << 19;
}

/* NESL_FROM(base): all memory from an address on, as what an instruction reads.  Clang wants to know
 * how much that is, and GCC warns where it knows better.
 *
 * NESL_LOW(part, whole, lanes...): the first lanes of a vector, for which nothing is to be done. */
#ifdef __clang__
#define NESL_FROM(base) (*(const char(*)[INT32_MAX])(base))
#define NESL_LOW(part, whole, ...) part = __builtin_shufflevector(whole, whole, __VA_ARGS__)
#else
#define NESL_FROM(base) (*(const char(*)[])(base))
#define NESL_LOW(part, whole, ...) __asm__("" : "=v"(part) : "0"(whole))
#endif

/* The lanes of a row of which n elements are left. */
NESL_INLINE uint8_t nesl_octet_lanes(int64_t n) {
  return n >= 8 ? 0xff : (uint8_t)((1u << n) - 1);
}

/* What follows soon in a vector that is read once: it need not stay in the caches, where there is
 * more room then for what is looked up. */
NESL_INLINE void nesl_ahead(const void *at) {
  enum { AHEAD = 512 };
  __builtin_prefetch((const void *)((uintptr_t)at + AHEAD), 0, 0);
}

/* Words of 8 bytes. */
NESL_INLINE nesl_octet nesl_octet_load(const void *at, uint8_t lanes) {
  nesl_octet values;
  __asm__("vmovdqu64 %1, %0%{%2%}%{z%}"
          : "=v"(values)
          : "m"(*(const nesl_octet *)at), "Yk"(lanes));
  return values;
}

/* Ints of 4 bytes. */
NESL_INLINE nesl_octet nesl_octet_widen(const int32_t *at, uint8_t lanes) {
  nesl_octet values;
  __asm__("vpmovsxdq %1, %0%{%2%}%{z%}"
          : "=v"(values)
          : "m"(*(const int32_t(*)[8])at), "Yk"(lanes));
  return values;
}

/* The values in these lanes, and 0 in others. */
NESL_INLINE nesl_octet nesl_octet_keep(nesl_octet values, uint8_t lanes) {
  nesl_octet kept;
  __asm__("vmovdqa64 %1, %0%{%2%}%{z%}" : "=v"(kept) : "v"(values), "Yk"(lanes));
  return kept;
}

/* Words of 8 bytes that lie at these indices. */
NESL_INLINE nesl_octet nesl_octet_look(const void *base, nesl_octet index, uint8_t lanes) {
  nesl_octet values = {0};
  __asm__("vpgatherqq (%2,%3,8), %0%{%1%}"
          : "+&v"(values), "+&Yk"(lanes)
          : "r"(base), "v"(index), "m"(NESL_FROM(base)));
  return values;
}

/* Those of the lanes whose index is from 0 to before n. */
NESL_INLINE uint8_t nesl_octet_within(nesl_octet index, int64_t n, uint8_t lanes) {
  uint8_t within;
  const nesl_octet end = n - (nesl_octet){0};
  __asm__("vpcmpltuq %2, %1, %0%{%3%}"
          : "=Yk"(within)
          : "v"(index), "v"(end), "Yk"(lanes));
  return within;
}

NESL_INLINE nesl_octet_float nesl_octet_to_float(nesl_octet values) {
  nesl_octet_float floats;
  __asm__("vcvtqq2pd %1, %0" : "=v"(floats) : "v"(values));
  return floats;
}

/* Sums are of halves, then of halves of these. */
#define NESL_OCTET_SUM(name, type, octet)                               \
  NESL_INLINE type name(octet values) {                                 \
    typedef type quad __attribute__((vector_size(32)));                 \
    typedef type pair __attribute__((vector_size(16)));                 \
    quad half, upper;                                                   \
    NESL_LOW(half, values, 0, 1, 2, 3);                                 \
    __asm__("vextracti64x4 $1, %1, %0" : "=v"(upper) : "v"(values));    \
    half += upper;                                                      \
    pair quarter, next;                                                 \
    NESL_LOW(quarter, half, 0, 1);                                      \
    __asm__("vextracti64x2 $1, %1, %0" : "=v"(next) : "v"(half));       \
    quarter += next;                                                    \
    return quarter[0] + quarter[1];                                     \
  }
NESL_OCTET_SUM(nesl_octet_sum, int64_t, nesl_octet)
NESL_OCTET_SUM(nesl_octet_sum_float, double, nesl_octet_float)

/* The sums of what is before each of eight values, and before all of them; and that before the eight
 * values that follow. */
#define NESL_OCTET_SCAN(name, octet)                                                     \
  NESL_INLINE octet name(octet values, octet *before) {                                  \
    const octet none = {0};                                                              \
    const nesl_octet last = {7, 7, 7, 7, 7, 7, 7, 7};                                    \
    octet some, sums;                                                                    \
    __asm__("valignq $7, %1, %2, %0" : "=v"(some) : "v"(none), "v"(values));             \
    values += some;                                                                      \
    __asm__("valignq $6, %1, %2, %0" : "=v"(some) : "v"(none), "v"(values));             \
    values += some;                                                                      \
    __asm__("valignq $4, %1, %2, %0" : "=v"(some) : "v"(none), "v"(values));             \
    values += some;                                                                      \
    __asm__("valignq $7, %1, %2, %0" : "=v"(sums) : "v"(none), "v"(values));             \
    sums += *before;                                                                     \
    __asm__("vpermq %1, %2, %0" : "=v"(some) : "v"(values), "v"(last));                  \
    *before += some;                                                                     \
    return sums;                                                                         \
  }
NESL_OCTET_SCAN(nesl_octet_scan, nesl_octet)
NESL_OCTET_SCAN(nesl_octet_scan_float, nesl_octet_float)

/* Whether octets that are stored from here on are whole lines. */
NESL_INLINE bool nesl_on_line(const void *to) {
  return ((uintptr_t)to & 63) == 0;
}

/* Stores an octet past the caches; it is a whole line. */
NESL_INLINE void nesl_octet_stream(void *to, nesl_octet values) {
  __asm__ volatile("vmovntdq %1, %0" : "=m"(*(nesl_octet *)to) : "v"(values));
}

#else
#define NESL_OCTETS 0
NESL_INLINE bool nesl_on_line(const void *to) {
  (void)to;
  return false;
}
#endif

#endif
