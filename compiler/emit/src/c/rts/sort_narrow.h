/* Sorting in programs of narrow ints or floats: keys, and ranks, are 4 bytes in memory and 8 while
 * they are sorted.  The larger type orders values, nans and zeros alike.
 *
 * All workers call these functions; each does its share. */
#ifndef NESL_SORT_NARROW_H
#define NESL_SORT_NARROW_H

/* Bytes of scratch for n numbers of 8 bytes. */
NESL_INLINE int64_t nesl_wide_scratch(int64_t n) {
  return n <= 0 ? 0 : nesl_align(n * (int64_t)sizeof(int64_t));
}

/* The numbers at `from` as larger ones, in the scratch; they are there when it returns. */
NESL_UNUSED static int64_t *nesl_widen_ints(nesl_team *t, int32_t worker, const int32_t *from,
                                            int64_t n, char **rest) {
  int64_t *to = nesl_carve(rest, nesl_wide_scratch(n));
  int64_t end = nesl_share(n, t->size, worker + 1);
  for (int64_t i = nesl_share(n, t->size, worker); i < end; i++) to[i] = from[i];
  nesl_barrier(t);
  return to;
}
NESL_UNUSED static double *nesl_widen_floats(nesl_team *t, int32_t worker, const float *from,
                                             int64_t n, char **rest) {
  double *to = nesl_carve(rest, nesl_wide_scratch(n));
  int64_t end = nesl_share(n, t->size, worker + 1);
  for (int64_t i = nesl_share(n, t->size, worker); i < end; i++) to[i] = from[i];
  nesl_barrier(t);
  return to;
}

/* The inverse, which loses nothing of what was widened. */
NESL_UNUSED static void nesl_narrow_ints(nesl_team *t, int32_t worker, const int64_t *from,
                                         int32_t *to, int64_t n) {
  int64_t end = nesl_share(n, t->size, worker + 1);
  for (int64_t i = nesl_share(n, t->size, worker); i < end; i++) to[i] = (int32_t)from[i];
}
NESL_UNUSED static void nesl_narrow_floats(nesl_team *t, int32_t worker, const double *from,
                                           float *to, int64_t n) {
  int64_t end = nesl_share(n, t->size, worker + 1);
  for (int64_t i = nesl_share(n, t->size, worker); i < end; i++) to[i] = (float)from[i];
}

#endif
