/* Sorting of characters: the same functions as for int and float, by counting.
 *
 * One pass counts how often each of the 256 characters occurs.  That is all a sort has to know;
 * order and rank take a second pass that gives every character the next place of its kind.  Short
 * lanes would spend their time on the table of counts and go by insertion. */
#ifndef NESL_SORT_CHAR_H
#define NESL_SORT_CHAR_H

#ifndef NESL_SORT_H
#include "sort.h"
#endif

enum { NESL_CHARS = 256 };

NESL_UNUSED static int64_t nesl_sort_scratch_char(int64_t n, int32_t size) {
  (void)n;
  return nesl_scratch(0, size, 0);
}

NESL_UNUSED static int64_t nesl_order_scratch_char(int64_t n, int32_t size) {
  return nesl_sort_scratch_char(n, size);
}

NESL_UNUSED static int64_t nesl_rank_scratch_char(int64_t n, int32_t size) {
  return nesl_sort_scratch_char(n, size);
}

/* What is to be done with a sequence of characters; one of the results is not null. */
typedef struct nesl_text {
  const uint8_t *keys;
  uint8_t *sorted;
  int64_t *order, *rank;
  int64_t count;
  uint8_t turn; /* what to exclusive-or to a key: 0 or, for descending, 255 */
} nesl_text;

NESL_INLINE void nesl_count_chars(const nesl_text *x, int64_t first, int64_t end,
                                  int64_t *count) {
  memset(count, 0, NESL_CHARS * sizeof(int64_t));
  for (int64_t i = first; i < end; i++) count[x->keys[i] ^ x->turn]++;
}

/* Writes what belongs to places first .. end of the sorted text, whose characters are counted. */
NESL_INLINE void nesl_fill_chars(const nesl_text *x, int64_t first, int64_t end,
                                 const int64_t *count) {
  int64_t begin = 0;
  for (int c = 0; c < NESL_CHARS; c++) {
    int64_t from = begin > first ? begin : first;
    begin += count[c];
    int64_t to = begin < end ? begin : end;
    if (from < to) memset(x->sorted + from, c ^ x->turn, (size_t)(to - from));
  }
}

/* Gives each of the characters first .. end its place. */
NESL_INLINE void nesl_place_chars(const nesl_text *x, int64_t first, int64_t end,
                                  int64_t *place) {
  for (int64_t i = first; i < end; i++) {
    int64_t p = place[x->keys[i] ^ x->turn]++;
    if (x->rank) {
      x->rank[i] = p;
    } else {
      x->order[p] = i;
    }
  }
}

/* A short text: insertion sort of (character, index) pairs in the desk. */
NESL_INLINE void nesl_short_text(nesl_desk *desk, const nesl_text *x) {
  nesl_run pairs = {desk->near_key[0], desk->near_index[0]};
  for (int64_t i = 0; i < x->count; i++) {
    pairs.key[i] = x->keys[i] ^ x->turn;
    pairs.index[i] = i;
  }
  nesl_insertion(pairs, x->count, 1);
  for (int64_t i = 0; i < x->count; i++) {
    if (x->sorted) {
      x->sorted[i] = (uint8_t)(pairs.key[i] ^ x->turn);
    } else if (x->rank) {
      x->rank[pairs.index[i]] = i;
    } else {
      x->order[i] = pairs.index[i];
    }
  }
}

NESL_UNUSED static void nesl_text_alone(nesl_desk *desk, const nesl_text *x) {
  if (x->count <= NESL_INSERTION) {
    nesl_short_text(desk, x);
    return;
  }
  nesl_count_chars(x, 0, x->count, desk->count);
  if (x->sorted) {
    nesl_fill_chars(x, 0, x->count, desk->count);
  } else {
    nesl_counts_to_places(desk->count, NESL_CHARS);
    nesl_place_chars(x, 0, x->count, desk->count);
  }
}

/* All workers call it.  Ends with a barrier. */
NESL_UNUSED static void nesl_text_together(const nesl_sorter *s, const nesl_text *x) {
  nesl_desk *desk = nesl_own_desk(s);
  if (x->count <= NESL_ALONE) {
    if (s->worker == 0) nesl_text_alone(desk, x);
    nesl_barrier(s->team);
    return;
  }
  int64_t first = nesl_share(x->count, s->team->size, s->worker);
  int64_t end = nesl_share(x->count, s->team->size, s->worker + 1);
  nesl_count_chars(x, first, end, desk->count);
  nesl_barrier(s->team);
  nesl_lay_out(s, 0, NESL_CHARS);
  if (x->sorted) {
    int64_t all[NESL_CHARS];
    for (int c = 0; c < NESL_CHARS; c++) all[c] = desk->bound[c + 1] - desk->bound[c];
    nesl_fill_chars(x, first, end, all);
  } else {
    nesl_place_chars(x, first, end, desk->place);
  }
  nesl_barrier(s->team);
}

/* One lane as a text of its own. */
NESL_INLINE nesl_text nesl_text_lane(const nesl_text *all, const nesl_lanes *lanes, int64_t lane) {
  int64_t at = lanes->offsets[lane];
  return (nesl_text){
      .keys = all->keys + lanes->starts[lane],
      .sorted = all->sorted ? all->sorted + at : 0,
      .order = all->order ? all->order + at : 0,
      .rank = all->rank ? all->rank + at : 0,
      .count = lanes->lengths[lane],
      .turn = all->turn,
  };
}

/* As nesl_lanes_together. */
NESL_UNUSED static void nesl_text_lanes(const nesl_sorter *s, const nesl_text *all,
                                        const nesl_lanes *lanes) {
  nesl_deal deal = nesl_deal_lanes(s, lanes);
  for (int64_t first, end; nesl_take_lanes(s, lanes, &deal, &first, &end);) {
    for (int64_t lane = first; lane < end; lane++) {
      if (nesl_leave_huge(s, lanes, &deal, lane)) continue;
      nesl_text x = nesl_text_lane(all, lanes, lane);
      nesl_text_alone(nesl_own_desk(s), &x);
    }
  }
  nesl_barrier(s->team);
  int64_t huge = atomic_load_explicit(s->huge_count, memory_order_relaxed);
  for (int64_t k = 0; k < huge; k++) {
    nesl_text x = nesl_text_lane(all, lanes, s->huge[k]);
    nesl_text_together(s, &x);
  }
  nesl_barrier(s->team);
}

NESL_UNUSED static void nesl_do_text(nesl_team *t, int32_t worker, nesl_text x, void *scratch) {
  char *rest;
  nesl_sorter s = nesl_set_up(t, worker, nesl_view_i64(0), scratch, &rest);
  nesl_text_together(&s, &x);
}

NESL_UNUSED static void nesl_do_text_lanes(nesl_team *t, int32_t worker, nesl_text x,
                                           nesl_lanes lanes, void *scratch) {
  char *rest;
  nesl_sorter s = nesl_set_up(t, worker, nesl_view_i64(0), scratch, &rest);
  nesl_text_lanes(&s, &x, &lanes);
}

/* ---- one sequence ----------------------------------------------------------------------- */

NESL_UNUSED static void nesl_sort_char(nesl_team *t, int32_t worker, const uint8_t *keys,
                                       uint8_t *out, int64_t n, void *scratch) {
  nesl_do_text(t, worker, (nesl_text){.keys = keys, .sorted = out, .count = n}, scratch);
}

NESL_UNUSED static void nesl_order_char(nesl_team *t, int32_t worker, const uint8_t *keys,
                                        int64_t *order, int64_t n, int descending,
                                        void *scratch) {
  nesl_text x = {.keys = keys, .order = order, .count = n, .turn = descending ? 255 : 0};
  nesl_do_text(t, worker, x, scratch);
}

NESL_UNUSED static void nesl_rank_char(nesl_team *t, int32_t worker, const uint8_t *keys,
                                       int64_t *rank, int64_t n, int descending, void *scratch) {
  nesl_text x = {.keys = keys, .rank = rank, .count = n, .turn = descending ? 255 : 0};
  nesl_do_text(t, worker, x, scratch);
}

/* ---- lanes ------------------------------------------------------------------------------ */

NESL_UNUSED static void nesl_sort_lanes_char(nesl_team *t, int32_t worker, const uint8_t *keys,
                                             uint8_t *out, int64_t lanes, const int64_t *starts,
                                             const int64_t *lengths, const int64_t *offsets,
                                             void *scratch) {
  nesl_do_text_lanes(t, worker, (nesl_text){.keys = keys, .sorted = out},
                     (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

NESL_UNUSED static void nesl_order_lanes_char(nesl_team *t, int32_t worker, const uint8_t *keys,
                                              int64_t *order, int64_t lanes, const int64_t *starts,
                                              const int64_t *lengths, const int64_t *offsets,
                                              int descending, void *scratch) {
  nesl_text x = {.keys = keys, .order = order, .turn = descending ? 255 : 0};
  nesl_do_text_lanes(t, worker, x, (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

NESL_UNUSED static void nesl_rank_lanes_char(nesl_team *t, int32_t worker, const uint8_t *keys,
                                             int64_t *rank, int64_t lanes, const int64_t *starts,
                                             const int64_t *lengths, const int64_t *offsets,
                                             int descending, void *scratch) {
  nesl_text x = {.keys = keys, .rank = rank, .turn = descending ? 255 : 0};
  nesl_do_text_lanes(t, worker, x, (nesl_lanes){lanes, starts, lengths, offsets}, scratch);
}

#endif
