/* Reductions: the words of `reduction` clauses for the larger and smaller of floats, and short rows.
 *
 * For `max` and `min` every lane of a vector begins with the identity.  Clang takes the least and
 * the greatest finite number for it, which is wrong where all elements are infinite.
 *
 * Include after math.h. */
#ifndef NESL_FOLD_H
#define NESL_FOLD_H

#ifdef __clang__
#define NESL_FMAX nesl_fmax
#define NESL_FMIN nesl_fmin
#pragma omp declare reduction(nesl_fmax : nesl_float : omp_out = nesl_fmax(omp_out, omp_in)) \
    initializer(omp_priv = -INFINITY)
#pragma omp declare reduction(nesl_fmin : nesl_float : omp_out = nesl_fmin(omp_out, omp_in)) \
    initializer(omp_priv = INFINITY)
#else
#define NESL_FMAX max
#define NESL_FMIN min
#endif

/* Lanes of the one step in which a short row is reduced, where there are masked loads. */
enum { NESL_ROW = 16 };
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define NESL_MASKS 1
#else
#define NESL_MASKS 0
#endif

#endif
