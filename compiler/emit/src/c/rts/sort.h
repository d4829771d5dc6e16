/* Sorting for compiled programs: sort, order and rank of int and float keys, for one sequence or
 * for many lanes at once.
 *
 *   sort    the keys in ascending order
 *   order   the index of the key at each place of the sorted sequence (argsort)
 *   rank    the place of each key in the sorted sequence, the inverse of order
 *
 * All are stable: equal keys keep their order, also when order and rank are descending.  Every nan
 * is larger than all other floats and equal to every other nan; sorted nans come out as the
 * positive quiet one.  -0.0 equals 0.0.
 *
 * All workers of the team call a function with the same arguments and their own number; when it
 * returns, the result is there for all of them.  Input, output and scratch must not overlap.  The
 * scratch needs no initial value, and is to be aligned to 64 bytes and as large as the
 * nesl_*_scratch function says.
 *
 * In the versions for lanes, lane l takes lengths[l] keys from starts[l] on and writes as many
 * results from offsets[l] on; offsets has lanes + 1 entries, begins with 0, and its last is the
 * number n of all results.  Lanes may overlap in the input.  Orders and ranks count from the start
 * of the lane. */
#ifndef NESL_SORT_H
#define NESL_SORT_H

#ifndef NESL_RADIX_H
#include "radix.h"
#endif

/* ---- scratch ---------------------------------------------------------------------------- */

/* The counters that workers take work from. */
typedef struct nesl_counters {
  _Alignas(64) _Atomic int64_t next;
  _Alignas(64) _Atomic int64_t huge_count;
} nesl_counters;

/* Ranges or lanes larger than a fraction 1 / (NESL_SHARES * size) of all: at most this many. */
NESL_INLINE int64_t nesl_most_large(int64_t size) { return NESL_SHARES * size + 1; }

NESL_INLINE int64_t nesl_align(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Bytes for `size` workers and `vectors` vectors of n words. */
NESL_UNUSED static int64_t nesl_scratch(int64_t n, int32_t size, int vectors) {
  int64_t bytes = (int64_t)sizeof(nesl_counters) + size * nesl_align(sizeof(nesl_desk));
  bytes += size * nesl_align(nesl_most_large(size) * (int64_t)sizeof(nesl_range));
  bytes += nesl_align(nesl_most_large(size) * (int64_t)sizeof(int64_t));
  if (n >= NESL_PASSING) bytes += nesl_align(size * (int64_t)sizeof(nesl_lines));
  return bytes + vectors * nesl_align(n * (int64_t)sizeof(int64_t)) + 64;
}

enum { NESL_SORT_VECTORS = 1, NESL_ORDER_VECTORS = 3, NESL_RANK_VECTORS = 4 };

NESL_UNUSED static int64_t nesl_sort_scratch_i64(int64_t n, int32_t size) {
  return nesl_scratch(n, size, NESL_SORT_VECTORS);
}

NESL_UNUSED static int64_t nesl_order_scratch_i64(int64_t n, int32_t size) {
  return nesl_scratch(n, size, NESL_ORDER_VECTORS);
}

NESL_UNUSED static int64_t nesl_rank_scratch_i64(int64_t n, int32_t size) {
  return nesl_scratch(n, size, NESL_RANK_VECTORS);
}

NESL_UNUSED static int64_t nesl_sort_scratch_f64(int64_t n, int32_t size) {
  return nesl_scratch(n, size, NESL_SORT_VECTORS);
}

NESL_UNUSED static int64_t nesl_order_scratch_f64(int64_t n, int32_t size) {
  return nesl_scratch(n, size, NESL_ORDER_VECTORS);
}

NESL_UNUSED static int64_t nesl_rank_scratch_f64(int64_t n, int32_t size) {
  return nesl_scratch(n, size, NESL_RANK_VECTORS);
}

/* Hands out parts of the scratch. */
NESL_INLINE void *nesl_carve(char **rest, int64_t bytes) {
  void *part = *rest;
  *rest += nesl_align(bytes);
  return part;
}

/* Lays the workspaces out in the scratch; `rest` is then what is left. */
NESL_UNUSED static nesl_sorter nesl_set_up(nesl_team *t, int32_t worker, nesl_view view,
                                           void *scratch, char **rest) {
  *rest = scratch;
  int64_t size = t->size, most = nesl_most_large(size);
  nesl_counters *counters = nesl_carve(rest, sizeof(nesl_counters));
  nesl_desk *desks = nesl_carve(rest, size * (int64_t)sizeof(nesl_desk));
  char *pending = nesl_carve(rest, size * nesl_align(most * (int64_t)sizeof(nesl_range)));
  int64_t *huge = nesl_carve(rest, most * (int64_t)sizeof(int64_t));
  return (nesl_sorter){
      .team = t,
      .worker = worker,
      .view = view,
      .desks = desks,
      .pending = (nesl_range *)(pending + worker * nesl_align(most * (int64_t)sizeof(nesl_range))),
      .next = &counters->next,
      .huge_count = &counters->huge_count,
      .huge = huge,
  };
}

/* Lines for all workers, if an array is large. */
NESL_UNUSED static nesl_lines *nesl_lines_for(int64_t n, int32_t size, char **rest) {
  return n >= NESL_PASSING ? nesl_carve(rest, size * (int64_t)sizeof(nesl_lines)) : 0;
}

/* An array whose n sorted keys go to `out`. */
NESL_UNUSED static nesl_array nesl_keys_array(const void *keys, void *out, int64_t n, int32_t size,
                                              char **rest) {
  nesl_array a = {.input = keys, .count = n, .lines = nesl_lines_for(n, size, rest)};
  a.home[0].key = nesl_carve(rest, n * (int64_t)sizeof(int64_t));
  a.home[1].key = out;
  return a;
}

/* An array whose order goes to `order` or, if that is null, whose ranks go to `rank`. */
NESL_UNUSED static nesl_array nesl_records_array(const void *keys, int64_t *order, int64_t *rank,
                                                 int64_t n, int32_t size, char **rest) {
  int64_t bytes = n * (int64_t)sizeof(int64_t);
  nesl_array a = {.input = keys, .rank = rank, .count = n};
  a.lines = nesl_lines_for(n, size, rest);
  a.home[0] = (nesl_run){nesl_carve(rest, bytes), nesl_carve(rest, bytes)};
  a.home[1].key = nesl_carve(rest, bytes);
  a.home[1].index = order ? order : nesl_carve(rest, bytes);
  return a;
}

/* ---- zeros ------------------------------------------------------------------------------ */

/* How many of the sorted words `out` have an order key below `key`. */
NESL_UNUSED static int64_t nesl_count_below(nesl_view v, const nesl_word *out, int64_t n,
                                            uint64_t key) {
  int64_t first = 0;
  while (n > 0) {
    int64_t half = n / 2;
    if (nesl_to_order(v, out[first + half]) < key) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

/* Sorting puts -0.0 before 0.0, but they are equal and have to keep their order.  If `out` has
 * both, says where its zeros begin, else -1. */
NESL_UNUSED static int64_t nesl_mixed_zeros(nesl_view v, const nesl_word *out, int64_t n) {
  if (v.last != NESL_INF) return -1;
  int64_t first = nesl_count_below(v, out, n, NESL_REST);
  int64_t end = nesl_count_below(v, out, n, NESL_SIGN + 1);
  return end - first > 1 && out[first] != out[end - 1] ? first : -1;
}

/* Writes the zeros among keys[0 .. n) to `out`; returns where the next one would go. */
NESL_UNUSED static nesl_word *nesl_copy_zeros(const nesl_word *keys, int64_t n, nesl_word *out) {
  for (int64_t i = 0; i < n; i++) {
    if ((keys[i] & NESL_REST) == 0) *out++ = keys[i];
  }
  return out;
}

NESL_UNUSED static void nesl_mend_zeros_alone(const nesl_sorter *s, const nesl_array *a) {
  int64_t first = nesl_mixed_zeros(s->view, a->home[1].key, a->count);
  if (first >= 0) nesl_copy_zeros(a->input, a->count, a->home[1].key + first);
}

/* By the team.  All decide from the same output, so none may leave before all have decided. */
NESL_UNUSED static void nesl_mend_zeros(const nesl_sorter *s, const nesl_array *a) {
  if (s->view.last != NESL_INF) return;
  int64_t place = nesl_mixed_zeros(s->view, a->home[1].key, a->count);
  int64_t first = nesl_share(a->count, s->team->size, s->worker);
  int64_t end = nesl_share(a->count, s->team->size, s->worker + 1), zeros = 0;
  if (place >= 0) {
    for (int64_t i = first; i < end; i++) zeros += (a->input[i] & NESL_REST) == 0;
  }
  nesl_own_desk(s)->tally = zeros;
  nesl_barrier(s->team);
  if (place < 0) return;
  for (int32_t w = 0; w < s->worker; w++) place += s->desks[w].tally;
  nesl_copy_zeros(a->input + first, end - first, a->home[1].key + place);
  nesl_barrier(s->team);
}

/* ---- many lanes ------------------------------------------------------------------------- */

/* Which part of the keys each lane takes, and where its results go. */
typedef struct nesl_lanes {
  int64_t count;
  const int64_t *starts, *lengths, *offsets;
} nesl_lanes;

enum { NESL_CHUNKS = 16 }; /* chunks of lanes per worker */

/* One lane as an array of its own. */
NESL_INLINE nesl_array nesl_lane(const nesl_array *all, const nesl_lanes *lanes, int64_t lane) {
  int64_t at = lanes->offsets[lane];
  return (nesl_array){
      .input = all->input + lanes->starts[lane],
      .home = {nesl_run_at(all->home[0], at), nesl_run_at(all->home[1], at)},
      .rank = all->rank ? all->rank + at : 0,
      .count = lanes->lengths[lane],
      .lines = all->lines,
  };
}

/* The first lane that belongs to a chunk beginning at `weight`, where every lane weighs as much
 * as it has elements, and one more. */
NESL_INLINE int64_t nesl_lane_at(const nesl_lanes *lanes, int64_t weight) {
  int64_t first = 0, n = lanes->count;
  while (n > 0) {
    int64_t half = n / 2;
    if (lanes->offsets[first + half] + first + half < weight) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

/* How the lanes are dealt out to the workers. */
typedef struct nesl_deal {
  int64_t weight; /* of all lanes */
  int64_t chunks; /* of about equal weight */
  int64_t large;  /* longer lanes are left for the whole team */
} nesl_deal;

/* Resets the counters.  Passes one barrier. */
NESL_INLINE nesl_deal nesl_deal_lanes(const nesl_sorter *s, const nesl_lanes *lanes) {
  int64_t total = lanes->offsets[lanes->count], weight = total + lanes->count;
  int64_t large = total / ((int64_t)NESL_SHARES * s->team->size);
  if (s->worker == 0) {
    atomic_store_explicit(s->next, 0, memory_order_relaxed);
    atomic_store_explicit(s->huge_count, 0, memory_order_relaxed);
  }
  nesl_barrier(s->team);
  return (nesl_deal){
      .weight = weight,
      .chunks = weight > NESL_ALONE ? (int64_t)NESL_CHUNKS * s->team->size : 1,
      .large = large > NESL_LARGE ? large : NESL_LARGE,
  };
}

/* Takes the next chunk of lanes, first .. end; false when there are no more. */
NESL_INLINE int nesl_take_lanes(const nesl_sorter *s, const nesl_lanes *lanes,
                                const nesl_deal *deal, int64_t *first, int64_t *end) {
  int64_t c = atomic_fetch_add_explicit(s->next, 1, memory_order_relaxed);
  if (c >= deal->chunks) return 0;
  *first = nesl_lane_at(lanes, nesl_share(deal->weight, deal->chunks, c));
  *end = nesl_lane_at(lanes, nesl_share(deal->weight, deal->chunks, c + 1));
  return 1;
}

/* If the lane is huge, puts it on the list for the team and says so. */
NESL_INLINE int nesl_leave_huge(const nesl_sorter *s, const nesl_lanes *lanes,
                                const nesl_deal *deal, int64_t lane) {
  if (lanes->lengths[lane] <= deal->large) return 0;
  s->huge[atomic_fetch_add_explicit(s->huge_count, 1, memory_order_relaxed)] = lane;
  return 1;
}

/* Sorts all lanes: the workers take chunks of lanes of about equal weight, then the whole team
 * sorts the huge lanes one by one. */
NESL_UNUSED static void nesl_lanes_together(const nesl_sorter *s, const nesl_array *all,
                                            const nesl_lanes *lanes, int carry) {
  nesl_deal deal = nesl_deal_lanes(s, lanes);
  for (int64_t first, end; nesl_take_lanes(s, lanes, &deal, &first, &end);) {
    for (int64_t lane = first; lane < end; lane++) {
      if (nesl_leave_huge(s, lanes, &deal, lane)) continue;
      nesl_array a = nesl_lane(all, lanes, lane);
      nesl_array_alone(s, &a, carry);
      if (!carry) nesl_mend_zeros_alone(s, &a);
    }
  }
  nesl_barrier(s->team);
  int64_t huge = atomic_load_explicit(s->huge_count, memory_order_relaxed);
  for (int64_t k = 0; k < huge; k++) {
    nesl_array a = nesl_lane(all, lanes, s->huge[k]);
    if (carry) {
      nesl_records_together(s, &a);
    } else {
      nesl_keys_together(s, &a);
      nesl_mend_zeros(s, &a);
    }
  }
  nesl_barrier(s->team);
}

/* ---- words of any type ------------------------------------------------------------------ */

NESL_UNUSED static void nesl_sort_words(nesl_team *t, int32_t worker, nesl_view view,
                                        const void *keys, void *out, int64_t n, void *scratch) {
  char *rest;
  nesl_sorter s = nesl_set_up(t, worker, view, scratch, &rest);
  nesl_array a = nesl_keys_array(keys, out, n, t->size, &rest);
  nesl_keys_together(&s, &a);
  nesl_mend_zeros(&s, &a);
}

/* Exactly one of `order` and `rank` is wanted, the other is null. */
NESL_UNUSED static void nesl_order_words(nesl_team *t, int32_t worker, nesl_view view,
                                         const void *keys, int64_t *order, int64_t *rank, int64_t n,
                                         void *scratch) {
  char *rest;
  nesl_sorter s = nesl_set_up(t, worker, view, scratch, &rest);
  nesl_array a = nesl_records_array(keys, order, rank, n, t->size, &rest);
  nesl_records_together(&s, &a);
}

NESL_UNUSED static void nesl_sort_word_lanes(nesl_team *t, int32_t worker, nesl_view view,
                                             const void *keys, void *out, nesl_lanes lanes,
                                             void *scratch) {
  char *rest;
  nesl_sorter s = nesl_set_up(t, worker, view, scratch, &rest);
  nesl_array a = nesl_keys_array(keys, out, lanes.offsets[lanes.count], t->size, &rest);
  nesl_lanes_together(&s, &a, &lanes, 0);
}

NESL_UNUSED static void nesl_order_word_lanes(nesl_team *t, int32_t worker, nesl_view view,
                                              const void *keys, int64_t *order, int64_t *rank,
                                              nesl_lanes lanes, void *scratch) {
  char *rest;
  nesl_sorter s = nesl_set_up(t, worker, view, scratch, &rest);
  nesl_array a = nesl_records_array(keys, order, rank, lanes.offsets[lanes.count], t->size, &rest);
  nesl_lanes_together(&s, &a, &lanes, 1);
}

/* ---- one sequence ----------------------------------------------------------------------- */

NESL_UNUSED static void nesl_sort_i64(nesl_team *t, int32_t worker, const int64_t *keys,
                                      int64_t *out, int64_t n, void *scratch) {
  nesl_sort_words(t, worker, nesl_view_i64(0), keys, out, n, scratch);
}

NESL_UNUSED static void nesl_order_i64(nesl_team *t, int32_t worker, const int64_t *keys,
                                       int64_t *order, int64_t n, int descending, void *scratch) {
  nesl_order_words(t, worker, nesl_view_i64(descending), keys, order, 0, n, scratch);
}

NESL_UNUSED static void nesl_rank_i64(nesl_team *t, int32_t worker, const int64_t *keys,
                                      int64_t *rank, int64_t n, int descending, void *scratch) {
  nesl_order_words(t, worker, nesl_view_i64(descending), keys, 0, rank, n, scratch);
}

NESL_UNUSED static void nesl_sort_f64(nesl_team *t, int32_t worker, const double *keys, double *out,
                                      int64_t n, void *scratch) {
  nesl_sort_words(t, worker, nesl_view_f64(0, 0), keys, out, n, scratch);
}

NESL_UNUSED static void nesl_order_f64(nesl_team *t, int32_t worker, const double *keys,
                                       int64_t *order, int64_t n, int descending, void *scratch) {
  nesl_order_words(t, worker, nesl_view_f64(descending, 1), keys, order, 0, n, scratch);
}

NESL_UNUSED static void nesl_rank_f64(nesl_team *t, int32_t worker, const double *keys,
                                      int64_t *rank, int64_t n, int descending, void *scratch) {
  nesl_order_words(t, worker, nesl_view_f64(descending, 1), keys, 0, rank, n, scratch);
}

/* ---- lanes ------------------------------------------------------------------------------ */

NESL_UNUSED static void nesl_sort_lanes_i64(nesl_team *t, int32_t worker, const int64_t *keys,
                                            int64_t *out, int64_t lanes, const int64_t *starts,
                                            const int64_t *lengths, const int64_t *offsets,
                                            void *scratch) {
  nesl_sort_word_lanes(t, worker, nesl_view_i64(0), keys, out,
                       (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

NESL_UNUSED static void nesl_order_lanes_i64(nesl_team *t, int32_t worker, const int64_t *keys,
                                             int64_t *order, int64_t lanes, const int64_t *starts,
                                             const int64_t *lengths, const int64_t *offsets,
                                             int descending, void *scratch) {
  nesl_order_word_lanes(t, worker, nesl_view_i64(descending), keys, order, 0,
                        (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

NESL_UNUSED static void nesl_rank_lanes_i64(nesl_team *t, int32_t worker, const int64_t *keys,
                                            int64_t *rank, int64_t lanes, const int64_t *starts,
                                            const int64_t *lengths, const int64_t *offsets,
                                            int descending, void *scratch) {
  nesl_order_word_lanes(t, worker, nesl_view_i64(descending), keys, 0, rank,
                        (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

NESL_UNUSED static void nesl_sort_lanes_f64(nesl_team *t, int32_t worker, const double *keys,
                                            double *out, int64_t lanes, const int64_t *starts,
                                            const int64_t *lengths, const int64_t *offsets,
                                            void *scratch) {
  nesl_sort_word_lanes(t, worker, nesl_view_f64(0, 0), keys, out,
                       (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

NESL_UNUSED static void nesl_order_lanes_f64(nesl_team *t, int32_t worker, const double *keys,
                                             int64_t *order, int64_t lanes, const int64_t *starts,
                                             const int64_t *lengths, const int64_t *offsets,
                                             int descending, void *scratch) {
  nesl_order_word_lanes(t, worker, nesl_view_f64(descending, 1), keys, order, 0,
                        (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

NESL_UNUSED static void nesl_rank_lanes_f64(nesl_team *t, int32_t worker, const double *keys,
                                            int64_t *rank, int64_t lanes, const int64_t *starts,
                                            const int64_t *lengths, const int64_t *offsets,
                                            int descending, void *scratch) {
  nesl_order_word_lanes(t, worker, nesl_view_f64(descending, 1), keys, 0, rank,
                        (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

#endif
