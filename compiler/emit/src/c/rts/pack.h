/* Packing: moving the values that are kept to the front, a block at a time.
 *
 * Writes no byte after the last kept value, because the next tile's output begins there. */
#ifndef NESL_PACK_H
#define NESL_PACK_H

#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { NESL_BLOCK = 256 }; /* values packed at once */

/* How many of n flags, each 0 or 1, are set. */
NESL_INLINE int64_t nesl_kept(const uint8_t *keep, int64_t n) {
  int64_t kept = 0;
#pragma omp simd reduction(+ : kept)
  for (int64_t i = 0; i < n; i++) kept += keep[i];
  return kept;
}

/* Moves the 8-byte values whose flag is set to `to`. */
NESL_UNUSED static void nesl_pack64(void *to, const void *from, const uint8_t *keep, int64_t n) {
  uint64_t block[NESL_BLOCK + 8];
  int64_t kept = 0, i = 0;
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__)
  for (; i + 8 <= n; i += 8) {
    __m512i values = _mm512_loadu_si512((const char *)from + i * 8);
    __m128i flags = _mm_loadl_epi64((const __m128i *)(keep + i));
    __mmask8 mask = (__mmask8)_mm_test_epi8_mask(flags, flags);
    _mm512_storeu_si512(block + kept, _mm512_maskz_compress_epi64(mask, values));
    kept += __builtin_popcount(mask);
  }
#endif
  for (; i < n; i++) {
    memcpy(block + kept, (const char *)from + i * 8, 8);
    kept += keep[i];
  }
  memcpy(to, block, (size_t)kept * 8);
}

/* Moves the bytes whose flag is set to `to`. */
NESL_UNUSED static void nesl_pack8(void *to, const void *from, const uint8_t *keep, int64_t n) {
  uint8_t block[NESL_BLOCK + 1];
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++) {
    block[kept] = ((const uint8_t *)from)[i];
    kept += keep[i];
  }
  memcpy(to, block, (size_t)kept);
}

#endif
