/* Packing: moving the values that are kept to the front, a block at a time.
 *
 * Writes no byte after the last kept value, because the next tile's output begins there. */
#ifndef NESL_PACK_H
#define NESL_PACK_H

enum { NESL_BLOCK = 256 }; /* values packed at once */

/* How many of n flags, each 0 or 1, are set. */
NESL_APART int64_t nesl_kept(const uint8_t *keep, int64_t n) {
  int64_t kept = 0;
#pragma omp simd reduction(+ : kept)
  for (int64_t i = 0; i < n; i++) kept += keep[i];
  return kept;
}

#if defined(__AVX512F__) && (defined(__GNUC__) || defined(__clang__))
#define NESL_COMPRESS 1

typedef int64_t nesl_octet __attribute__((vector_size(64), aligned(8), may_alias));
typedef int32_t nesl_sixteen __attribute__((vector_size(64), aligned(4), may_alias));

/* The values whose bit of the mask is set, in front.  An instruction by hand, because to read the
 * header that has it takes longer than to compile a kernel. */
NESL_INLINE nesl_octet nesl_compress(nesl_octet values, uint8_t mask) {
  nesl_octet packed;
  __asm__("vpcompressq %1, %0%{%2%}%{z%}" : "=v"(packed) : "v"(values), "Yk"(mask));
  return packed;
}

NESL_INLINE nesl_sixteen nesl_compress_32(nesl_sixteen values, uint16_t mask) {
  nesl_sixteen packed;
  __asm__("vpcompressd %1, %0%{%2%}%{z%}" : "=v"(packed) : "v"(values), "Yk"(mask));
  return packed;
}

/* Eight flags as the bits of a mask: the product moves flag i to bit 56 + i. */
NESL_INLINE uint8_t nesl_mask(const uint8_t *keep) {
  uint64_t flags;
  memcpy(&flags, keep, 8);
  return (uint8_t)((flags * 0x0102040810204080u) >> 56);
}

enum { NESL_SPILL = 8, NESL_SPILL_32 = 16 }; /* values of 8 bytes, or 4, that move at once */

/* NESL_SPILL flags, each 0 or 1, as the bits of a mask. */
NESL_INLINE uint8_t nesl_flags(const int64_t *keep) {
  const nesl_octet flags = *(const nesl_octet *)keep;
  uint8_t mask;
  __asm__("vptestmq %1, %1, %0" : "=Yk"(mask) : "v"(flags));
  return mask;
}

/* The same for NESL_SPILL_32 of them. */
NESL_INLINE uint16_t nesl_flags_32(const int32_t *keep) {
  const nesl_sixteen flags = *(const nesl_sixteen *)keep;
  uint16_t mask;
  __asm__("vptestmd %1, %1, %0" : "=Yk"(mask) : "v"(flags));
  return mask;
}

/* Whether a tile of n elements keeps so few that each line of its output would be stored to often:
 * as long as it is on its way from memory, processors remember only so many stores. */
NESL_INLINE bool nesl_keeps_few(int64_t kept, int64_t n) {
  return kept < n / 4;
}

/* Moves those of NESL_SPILL 8-byte values whose bit is set to `to`, and writes zeros behind them,
 * NESL_SPILL values in all: the memory there is the caller's, too. */
NESL_INLINE void nesl_spill(void *to, const void *from, uint8_t mask) {
  *(nesl_octet *)to = nesl_compress(*(const nesl_octet *)from, mask);
}

/* The same for NESL_SPILL_32 4-byte values. */
NESL_INLINE void nesl_spill_32(void *to, const void *from, uint16_t mask) {
  *(nesl_sixteen *)to = nesl_compress_32(*(const nesl_sixteen *)from, mask);
}
#endif

/* Moves the 8-byte values whose flag is set to `to`. */
NESL_UNUSED static void nesl_pack64(void *to, const void *from, const uint8_t *keep, int64_t n) {
  uint64_t block[NESL_BLOCK + 8];
  int64_t kept = 0, i = 0;
#ifdef NESL_COMPRESS
  for (; i + 8 <= n; i += 8) {
    uint8_t mask = nesl_mask(keep + i);
    nesl_octet values = *(const nesl_octet *)((const char *)from + i * 8);
    *(nesl_octet *)(block + kept) = nesl_compress(values, mask);
    kept += __builtin_popcount(mask);
  }
#endif
  for (; i < n; i++) {
    memcpy(block + kept, (const char *)from + i * 8, 8);
    kept += keep[i];
  }
  memcpy(to, block, (size_t)kept * 8);
}

/* Moves the 4-byte values whose flag is set to `to`. */
NESL_UNUSED static void nesl_pack32(void *to, const void *from, const uint8_t *keep, int64_t n) {
  uint32_t block[NESL_BLOCK + 16];
  int64_t kept = 0, i = 0;
#ifdef NESL_COMPRESS
  for (; i + 16 <= n; i += 16) {
    uint16_t mask = (uint16_t)(nesl_mask(keep + i) | nesl_mask(keep + i + 8) << 8);
    nesl_sixteen values = *(const nesl_sixteen *)((const char *)from + i * 4);
    *(nesl_sixteen *)(block + kept) = nesl_compress_32(values, mask);
    kept += __builtin_popcount(mask);
  }
#endif
  for (; i < n; i++) {
    memcpy(block + kept, (const char *)from + i * 4, 4);
    kept += keep[i];
  }
  memcpy(to, block, (size_t)kept * 4);
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
