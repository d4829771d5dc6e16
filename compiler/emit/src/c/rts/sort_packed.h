/* Sorting inside packed segments: lane l is the keys offsets[l] .. offsets[l + 1], and its results
 * have the same places. */
#ifndef NESL_SORT_PACKED_H
#define NESL_SORT_PACKED_H

/* How many of `size` workers are worth waking for n keys. */
NESL_INLINE int64_t nesl_sort_workers(int64_t n, int32_t size) { return n < NESL_ALONE ? 1 : size; }

/* Bytes of scratch for `lanes` segments, besides those of the sort itself. */
NESL_INLINE int64_t nesl_packed_scratch(int64_t lanes) {
  return 2 * nesl_align((lanes + 1) * (int64_t)sizeof(int64_t));
}

/* Offsets from 0 on, and lengths, made by the team in the scratch; `rest` is then what is left. */
NESL_UNUSED static nesl_lanes nesl_packed(nesl_team *t, int32_t worker, const nesl_int *offsets,
                                          int64_t lanes, void *scratch, char **rest) {
  *rest = scratch;
  int64_t bytes = (lanes + 1) * (int64_t)sizeof(int64_t);
  int64_t *starts = nesl_carve(rest, bytes), *lengths = nesl_carve(rest, bytes);
  int64_t end = nesl_share(lanes, t->size, worker + 1);
  for (int64_t l = nesl_share(lanes, t->size, worker); l < end; l++) {
    starts[l] = offsets[l] - offsets[0];
    lengths[l] = offsets[l + 1] - offsets[l];
  }
  if (worker == 0) starts[lanes] = offsets[lanes] - offsets[0];
  nesl_barrier(t);
  return (nesl_lanes){lanes, starts, lengths, starts};
}

#endif
