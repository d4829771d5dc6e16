/* What math.c checks, of exp and ln as GPUs compute them: with branches, and quotients from an
 * approximation of reciprocals. */
#define NESL_BRANCHES
#define __constant__ const
static double nesl_near_reciprocal(double x);
#include "math.c"

/* 20 bits are right, as those of the GPU's. */
static double nesl_near_reciprocal(double x) {
  return nesl_of_bits((nesl_bits_of(1.0 / x) + (1 << 31)) & ~(((int64_t)1 << 32) - 1));
}
