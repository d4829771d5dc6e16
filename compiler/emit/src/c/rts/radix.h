/* Stable radix sorting of 64-bit keys, with or without the index each key came from.
 *
 * A team sorts in two stages.  First it splits the records by their leading digit into buckets
 * that fit a core's cache: one pass counts, one moves.  Of a large array the digit is guessed from
 * some keys, so that the pass that counts also sees whether the keys are in order, and what is
 * moved goes past the caches, line by line.  Then the workers take bucket after bucket and sort
 * each alone: two stable passes over the leading bits that should tell its keys apart, then a look
 * along the result for keys that share those bits and are still out of order.  Every other step
 * first takes the least and the greatest key, so digits come from the bits in use; a bucket too
 * large for one worker goes through the team again.  Each step settles at least four bits, or
 * halves what is left, so skewed, equal or few distinct keys cost no more than a plain radix sort.
 *
 * Keys are compared as unsigned "order keys", see nesl_view. */
#ifndef NESL_RADIX_H
#define NESL_RADIX_H

#ifndef NESL_TEAM_H
#include "team.h"
#endif
#include <string.h>

#define NESL_FAN_BITS 11            /* at most this many bits make one digit */
#define NESL_FAN (1 << NESL_FAN_BITS)
#define NESL_BUCKET_BITS 12         /* buckets should hold about 2^12 to 2^13 records */
#define NESL_BLOCK 256              /* keys converted at once */
#define NESL_INSERTION 20           /* up to this many records insertion sort is fastest */
#define NESL_NEAR 1024              /* lanes up to this long are sorted in the worker's desk */
#define NESL_ALONE 16384            /* fewer keys are not worth a barrier */
#define NESL_LARGE 65536            /* a bucket that the team splits again is larger than this */
#define NESL_SHARES 8               /* ... and than this fraction of one worker's share */
#define NESL_SAMPLE 1024            /* keys that the digits of a large array are guessed from */
#ifndef NESL_PASSING                /* tests of few records want both ways */
#define NESL_PASSING (3 << 18)      /* from so many records on no cache keeps what is moved */
#define NESL_MANY 64                /* fewer lines stay in the first cache by themselves */
#endif
#define NESL_LINE 8                 /* words of a cache line */

/* A 64-bit word of any type: int64_t or double seen as bits. */
typedef uint64_t __attribute__((may_alias)) nesl_word;

/* ---- order keys ------------------------------------------------------------------------- */

#define NESL_SIGN 0x8000000000000000u
#define NESL_REST 0x7fffffffffffffffu
#define NESL_INF 0x7ff0000000000000u
#define NESL_NAN 0x7ff8000000000000u

/* How the bits of a key type become a number that orders as the keys do:
 *   every nan becomes the one above infinity; `alias` becomes 0; then the bits below the sign are
 *   turned over for negative numbers where `fold` has ones, and all bits where `flip` has. */
typedef struct nesl_view {
  uint64_t last; /* a magnitude above this is a nan */
  uint64_t alias;
  uint64_t fold;
  uint64_t flip;
} nesl_view;

NESL_UNUSED static nesl_view nesl_view_i64(int descending) {
  return (nesl_view){NESL_REST, 0, 0, descending ? NESL_REST : NESL_SIGN};
}

/* With `merge_zeros`, -0.0 and 0.0 have the same order key. */
NESL_UNUSED static nesl_view nesl_view_f64(int descending, int merge_zeros) {
  return (nesl_view){NESL_INF, merge_zeros ? NESL_SIGN : 0, NESL_REST,
                     descending ? NESL_REST : NESL_SIGN};
}

NESL_INLINE uint64_t nesl_to_order(nesl_view v, uint64_t bits) {
  bits = (bits & NESL_REST) > v.last ? NESL_NAN : bits;
  bits = bits == v.alias ? 0 : bits;
  uint64_t negative = (uint64_t)((int64_t)bits >> 63);
  return bits ^ (negative & v.fold) ^ v.flip;
}

NESL_INLINE uint64_t nesl_from_order(nesl_view v, uint64_t key) {
  uint64_t bits = key ^ v.flip;
  uint64_t negative = (uint64_t)((int64_t)bits >> 63);
  return bits ^ (negative & v.fold);
}

/* ---- where the records are -------------------------------------------------------------- */

/* Records side by side: order keys, and where they came from unless only keys are sorted. */
typedef struct nesl_run {
  nesl_word *key;
  int64_t *index;
} nesl_run;

NESL_INLINE nesl_run nesl_run_at(nesl_run r, int64_t first) {
  return (nesl_run){r.key + first, r.index ? r.index + first : 0};
}

/* What a worker has of the lines that it moves records to, by digit. */
typedef struct nesl_lines {
  _Alignas(64) nesl_word key[NESL_FAN][NESL_LINE];
  nesl_word index[NESL_FAN][NESL_LINE];
  int64_t begin[NESL_FAN]; /* where its first record with each digit goes */
} nesl_lines;

/* What is being sorted.  The records move between two homes of `count` each; home 1 is also where
 * results go: sorted keys into its keys, or the sorting order into its indices.  Ranks, if wanted,
 * go to `rank`. */
typedef struct nesl_array {
  const nesl_word *input;
  nesl_run home[2];
  int64_t *rank;
  int64_t count;
  nesl_lines *lines; /* of all workers, if the array is large */
} nesl_array;

enum { NESL_INPUT = 2 }; /* records not moved yet lie in the input, not in home 0 or 1 */

/* A part of an array whose records have the right place as a whole. */
typedef struct nesl_range {
  int64_t first, count;
  int where; /* 0 or 1 for the home, or NESL_INPUT */
} nesl_range;

/* A worker's own workspace. */
typedef struct nesl_desk {
  uint64_t low, high;         /* extremes of the worker's share of a range */
  int64_t tally;              /* keys out of order in the share; zeros in the share */
  int64_t count[NESL_FAN];    /* how many keys of the share have each digit */
  int64_t place[NESL_FAN];    /* where the worker's next record with each digit goes */
  int64_t bound[NESL_FAN + 1]; /* where the bucket of each digit begins */
  int64_t low_digit[NESL_FAN], high_digit[NESL_FAN]; /* of the bucket sorted alone */
  nesl_word block[NESL_BLOCK];
  nesl_word near_key[2][NESL_NEAR];
  union {
    int64_t near_index[2][NESL_NEAR];
    uint32_t digit[NESL_BLOCK]; /* of the keys in `block` */
  };
} nesl_desk;

/* One worker's view of a running sort.  `desks`, `next` and `huge` are shared, the rest is its
 * own. */
typedef struct nesl_sorter {
  nesl_team *team;
  int32_t worker;
  nesl_view view;
  nesl_desk *desks;
  nesl_range *pending;   /* ranges the team has still to split; all workers have the same */
  _Atomic int64_t *next; /* the next bucket or chunk of lanes to be taken */
  _Atomic int64_t *huge_count;
  int64_t *huge;         /* lanes left for the whole team */
} nesl_sorter;

NESL_INLINE nesl_desk *nesl_own_desk(const nesl_sorter *s) { return &s->desks[s->worker]; }

/* Order keys first .. first + count of a range in `where`, converted into `block` if need be. */
NESL_APART const nesl_word *nesl_fetch(const nesl_array *a, int where, nesl_view view,
                                       int64_t first, int64_t count, nesl_word *block) {
  if (where != NESL_INPUT) return a->home[where].key + first;
  for (int64_t i = 0; i < count; i++) block[i] = nesl_to_order(view, a->input[first + i]);
  return block;
}

/* Puts the records of `from`, sorted and belonging at `first`, where the caller wants them. */
NESL_UNUSED static void nesl_deliver(const nesl_array *a, nesl_view view, nesl_run from,
                                     int64_t first, int64_t count, int carry) {
  if (!carry) {
    nesl_word *out = a->home[1].key + first;
    for (int64_t i = 0; i < count; i++) out[i] = nesl_from_order(view, from.key[i]);
  } else if (a->rank) {
    for (int64_t i = 0; i < count; i++) a->rank[from.index[i]] = first + i;
  } else if (from.index != a->home[1].index + first) {
    memcpy(a->home[1].index + first, from.index, (size_t)count * sizeof(int64_t));
  }
}

/* ---- one worker alone ------------------------------------------------------------------- */

NESL_APART void nesl_extremes(const nesl_word *key, int64_t n, uint64_t *low, uint64_t *high) {
  uint64_t least = *low, greatest = *high;
  for (int64_t i = 0; i < n; i++) {
    least = key[i] < least ? key[i] : least;
    greatest = key[i] > greatest ? key[i] : greatest;
  }
  *low = least;
  *high = greatest;
}

/* Bits needed to write x > 0. */
NESL_INLINE int nesl_bits(uint64_t x) { return 64 - __builtin_clzll(x); }

NESL_INLINE void nesl_insertion(nesl_run x, int64_t n, int carry) {
  for (int64_t i = 1; i < n; i++) {
    uint64_t key = x.key[i];
    int64_t index = carry ? x.index[i] : 0;
    int64_t j = i;
    for (; j > 0 && x.key[j - 1] > key; j--) {
      x.key[j] = x.key[j - 1];
      if (carry) x.index[j] = x.index[j - 1];
    }
    x.key[j] = key;
    if (carry) x.index[j] = index;
  }
}

/* Turns counts into first positions. */
NESL_INLINE void nesl_counts_to_places(int64_t *count, int64_t n) {
  int64_t sum = 0;
  for (int64_t d = 0; d < n; d++) {
    int64_t c = count[d];
    count[d] = sum;
    sum += c;
  }
}

/* Moves records stably to the places of their digits. */
NESL_INLINE void nesl_move(nesl_run from, nesl_run to, int64_t n, uint64_t low, int shift,
                           uint64_t mask, int64_t *place, int carry) {
  for (int64_t i = 0; i < n; i++) {
    uint64_t key = from.key[i];
    int64_t p = place[(key - low) >> shift & mask]++;
    to.key[p] = key;
    if (carry) to.index[p] = from.index[i];
  }
}

static void nesl_sort_keys(nesl_desk *desk, nesl_run x, nesl_run y, int64_t n);
static void nesl_sort_records(nesl_desk *desk, nesl_run x, nesl_run y, int64_t n);

/* `x` is sorted by what is left of its keys after `shift` bits; sorts groups that agree there. */
NESL_INLINE void nesl_untangle(nesl_desk *desk, nesl_run x, nesl_run y, int64_t n, uint64_t low,
                               int shift, int carry) {
  for (int64_t i = 1; i < n; i++) {
    if (x.key[i - 1] <= x.key[i]) continue;
    uint64_t digit = (x.key[i] - low) >> shift;
    int64_t first = i - 1, end = i + 1;
    while (first > 0 && (x.key[first - 1] - low) >> shift == digit) first--;
    while (end < n && (x.key[end] - low) >> shift == digit) end++;
    nesl_run group = nesl_run_at(x, first);
    if (end - first <= NESL_INSERTION) {
      nesl_insertion(group, end - first, carry);
    } else if (carry) {
      nesl_sort_records(desk, group, nesl_run_at(y, first), end - first);
    } else {
      nesl_sort_keys(desk, group, nesl_run_at(y, first), end - first);
    }
    i = end;
  }
}

/* Sorts the n records of `x` in place; `y` is as large and free. */
NESL_INLINE void nesl_sort_alone(nesl_desk *desk, nesl_run x, nesl_run y, int64_t n, int carry) {
  if (n <= NESL_INSERTION) {
    nesl_insertion(x, n, carry);
    return;
  }
  uint64_t low = x.key[0], high = low;
  nesl_extremes(x.key, n, &low, &high);
  if (low == high) return;
  /* Three bits more than it takes to number the records leave few of them tangled. */
  int bits = nesl_bits(high - low), used = nesl_bits((uint64_t)n) + 3;
  used = used < bits ? used : bits;
  used = used < 2 * NESL_FAN_BITS ? used : 2 * NESL_FAN_BITS;
  int shift = bits - used, low_bits = used / 2, high_bits = used - low_bits;
  uint64_t mask = ((uint64_t)1 << low_bits) - 1;
  int64_t *count = desk->low_digit, *high_count = desk->high_digit;
  memset(count, 0, sizeof(int64_t) << low_bits);
  memset(high_count, 0, sizeof(int64_t) << high_bits);
  for (int64_t i = 0; i < n; i++) {
    uint64_t digits = (x.key[i] - low) >> shift;
    count[digits & mask]++;
    high_count[digits >> low_bits]++;
  }
  nesl_counts_to_places(count, (int64_t)1 << low_bits);
  nesl_counts_to_places(high_count, (int64_t)1 << high_bits);
  nesl_move(x, y, n, low, shift, mask, count, carry);
  nesl_move(y, x, n, low, shift + low_bits, ~(uint64_t)0, high_count, carry);
  if (shift > 0) nesl_untangle(desk, x, y, n, low, shift, carry);
}

NESL_UNUSED static void nesl_sort_keys(nesl_desk *desk, nesl_run x, nesl_run y, int64_t n) {
  nesl_sort_alone(desk, x, y, n, 0);
}

NESL_UNUSED static void nesl_sort_records(nesl_desk *desk, nesl_run x, nesl_run y, int64_t n) {
  nesl_sort_alone(desk, x, y, n, 1);
}

/* Sorts records that are together in home `where` at `first`, and delivers them. */
NESL_UNUSED static void nesl_finish(const nesl_sorter *s, const nesl_array *a, int where,
                                    int64_t first, int64_t n, int carry) {
  nesl_run x = nesl_run_at(a->home[where], first), y = nesl_run_at(a->home[1 - where], first);
  if (carry) {
    nesl_sort_records(nesl_own_desk(s), x, y, n);
  } else {
    nesl_sort_keys(nesl_own_desk(s), x, y, n);
  }
  nesl_deliver(a, s->view, x, first, n, carry);
}

/* Sorts an array without the help of the team: short ones in the desk, which stays in cache. */
NESL_UNUSED static void nesl_array_alone(const nesl_sorter *s, const nesl_array *a, int carry) {
  nesl_desk *desk = nesl_own_desk(s);
  nesl_array own = *a;
  int64_t n = a->count;
  if (n <= NESL_NEAR) own.home[0] = (nesl_run){desk->near_key[0], desk->near_index[0]};
  nesl_run x = own.home[0];
  nesl_fetch(a, NESL_INPUT, s->view, 0, n, x.key);
  if (carry) {
    for (int64_t i = 0; i < n; i++) x.index[i] = i;
  }
  if (n <= NESL_NEAR && carry) {
    nesl_sort_records(desk, x, (nesl_run){desk->near_key[1], desk->near_index[1]}, n);
    nesl_deliver(a, s->view, x, 0, n, carry);
  } else {
    nesl_finish(s, &own, 0, 0, n, carry);
  }
}

/* ---- the team --------------------------------------------------------------------------- */

/* What a range's keys lie between, and whether they are in order already. */
typedef struct nesl_survey {
  uint64_t low, high;
  int ordered;
  int even; /* whether it is large and no bucket has more than half of it */
} nesl_survey;

/* How keys become digits.  What is less or greater than all that have one has the first or last. */
typedef struct nesl_scale {
  uint64_t low, last;
  int shift;
} nesl_scale;

/* Digits for keys between two of `count`, so that buckets have the wanted size. */
NESL_UNUSED static nesl_scale nesl_scale_of(uint64_t low, uint64_t high, int64_t count) {
  int bits = nesl_bits(high - low), used = nesl_bits((uint64_t)count) - NESL_BUCKET_BITS;
  used = used < bits ? used : bits;
  used = used < NESL_FAN_BITS ? used : NESL_FAN_BITS;
  return (nesl_scale){low, (high - low) >> (bits - used), bits - used};
}

/* The digits of keys. */
NESL_INLINE void nesl_to_digits(nesl_scale d, const nesl_word *key, int64_t n, uint32_t *digit) {
  for (int64_t i = 0; i < n; i++) {
    uint64_t above = (key[i] > d.low ? key[i] - d.low : 0) >> d.shift;
    digit[i] = (uint32_t)(above < d.last ? above : d.last);
  }
}

/* Looks at the worker's share of the range; counts its digits, too, if there are any. */
NESL_INLINE void nesl_look_at_share(const nesl_sorter *s, const nesl_array *a, nesl_range r,
                                    const nesl_scale *digits) {
  nesl_desk *desk = nesl_own_desk(s);
  int64_t i = r.first + nesl_share(r.count, s->team->size, s->worker);
  int64_t end = r.first + nesl_share(r.count, s->team->size, s->worker + 1);
  uint64_t low = ~(uint64_t)0, high = 0, before = 0;
  int64_t falls = 0;
  if (digits) memset(desk->count, 0, (size_t)(digits->last + 1) * sizeof(int64_t));
  if (i > r.first) before = *nesl_fetch(a, r.where, s->view, i - 1, 1, desk->block);
  while (i < end) {
    int64_t n = end - i < NESL_BLOCK ? end - i : NESL_BLOCK;
    const nesl_word *key = nesl_fetch(a, r.where, s->view, i, n, desk->block);
    nesl_extremes(key, n, &low, &high);
    falls += before > key[0];
    for (int64_t j = 1; j < n; j++) falls += key[j - 1] > key[j];
    before = key[n - 1];
    if (digits) {
      nesl_to_digits(*digits, key, n, desk->digit);
      for (int64_t j = 0; j < n; j++) desk->count[desk->digit[j]]++;
    }
    i += n;
  }
  desk->low = low;
  desk->high = high;
  desk->tally = falls;
}

/* What all workers saw, after a barrier. */
NESL_UNUSED static nesl_survey nesl_seen(const nesl_sorter *s) {
  nesl_survey all = {~(uint64_t)0, 0, 1, 0};
  for (int32_t w = 0; w < s->team->size; w++) {
    const nesl_desk *d = &s->desks[w];
    all.low = d->low < all.low ? d->low : all.low;
    all.high = d->high > all.high ? d->high : all.high;
    all.ordered &= d->tally == 0;
  }
  return all;
}

/* Delivers the worker's share of a range that is sorted already. */
NESL_UNUSED static void nesl_deliver_share(const nesl_sorter *s, const nesl_array *a, nesl_range r,
                                           int carry) {
  nesl_desk *desk = nesl_own_desk(s);
  int32_t size = s->team->size;
  int64_t i = r.first + nesl_share(r.count, size, s->worker);
  int64_t end = r.first + nesl_share(r.count, size, s->worker + 1);
  if (r.where != NESL_INPUT) {
    nesl_deliver(a, s->view, nesl_run_at(a->home[r.where], i), i, end - i, carry);
    return;
  }
  while (i < end) {
    int64_t n = end - i < NESL_NEAR ? end - i : NESL_NEAR;
    nesl_run own = {desk->near_key[0], desk->near_index[0]};
    if (carry) {
      for (int64_t j = 0; j < n; j++) own.index[j] = i + j;
    } else {
      nesl_fetch(a, r.where, s->view, i, n, own.key);
    }
    nesl_deliver(a, s->view, own, i, n, carry);
    i += n;
  }
}

/* Counts the digits of the worker's share. */
NESL_UNUSED static void nesl_count_share(const nesl_sorter *s, const nesl_array *a, nesl_range r,
                                         nesl_scale digits) {
  nesl_desk *desk = nesl_own_desk(s);
  int64_t i = r.first + nesl_share(r.count, s->team->size, s->worker);
  int64_t end = r.first + nesl_share(r.count, s->team->size, s->worker + 1);
  memset(desk->count, 0, (size_t)(digits.last + 1) * sizeof(int64_t));
  while (i < end) {
    int64_t n = end - i < NESL_BLOCK ? end - i : NESL_BLOCK;
    const nesl_word *key = nesl_fetch(a, r.where, s->view, i, n, desk->block);
    nesl_to_digits(digits, key, n, desk->digit);
    for (int64_t j = 0; j < n; j++) desk->count[desk->digit[j]]++;
    i += n;
  }
}

/* Whether no digit is that of more than half of the records, by everyone's counts. */
NESL_UNUSED static int nesl_is_even(const nesl_sorter *s, int64_t count, nesl_scale digits) {
  for (uint64_t d = 0; d <= digits.last; d++) {
    int64_t sum = 0;
    for (int32_t w = 0; w < s->team->size; w++) sum += s->desks[w].count[d];
    if (sum > count / 2) return 0;
  }
  return 1;
}

/* Guesses the digits of an array from some of its keys.  Returns 0 where there is nothing to gain:
 * if these are in order, or if one digit has most of them. */
NESL_UNUSED static int nesl_guess(const nesl_sorter *s, const nesl_array *a, nesl_scale *digits) {
  nesl_desk *desk = nesl_own_desk(s);
  nesl_word *key = desk->near_key[0];
  uint64_t low = ~(uint64_t)0, high = 0;
  int falls = 0;
  for (int64_t i = 0; i < NESL_SAMPLE; i++) {
    key[i] = nesl_to_order(s->view, a->input[a->count / NESL_SAMPLE * i]);
    falls += i > 0 && key[i - 1] > key[i];
  }
  if (falls == 0) return 0;
  nesl_extremes(key, NESL_SAMPLE, &low, &high);
  *digits = nesl_scale_of(low, high, a->count);
  int64_t count[NESL_FAN] = {0};
  int64_t most = 0;
  for (int64_t i = 0; i < NESL_SAMPLE; i++) {
    int64_t same = ++count[(key[i] - low) >> digits->shift];
    most = same > most ? same : most;
  }
  return most <= NESL_SAMPLE / 2;
}

/* Counts the digits of a range, of which nobody has looked at the keys yet.  A large array is only
 * read once for this: digits are guessed from some keys, and are others only if they were guessed
 * badly.  Passes barriers; all counts are there then, unless the keys are in order. */
NESL_UNUSED static nesl_survey nesl_survey_of(const nesl_sorter *s, const nesl_array *a,
                                              nesl_range r, nesl_scale *digits) {
  if (s->worker == 0) atomic_store_explicit(s->next, 0, memory_order_relaxed);
  int large = r.where == NESL_INPUT && r.count >= NESL_PASSING;
  int guessed = large && nesl_guess(s, a, digits);
  if (guessed) {
    nesl_look_at_share(s, a, r, digits);
  } else {
    nesl_look_at_share(s, a, r, 0);
  }
  nesl_barrier(s->team);
  nesl_survey seen = nesl_seen(s);
  seen.even = guessed && nesl_is_even(s, r.count, *digits);
  if (seen.ordered || seen.even) return seen;
  if (guessed) nesl_barrier(s->team);
  *digits = nesl_scale_of(seen.low, seen.high, r.count);
  nesl_count_share(s, a, r, *digits);
  nesl_barrier(s->team);
  return seen;
}

/* From everyone's counts: where the buckets begin, and where this worker's part of each does. */
NESL_UNUSED static void nesl_lay_out(const nesl_sorter *s, int64_t first, int64_t fan) {
  nesl_desk *desk = nesl_own_desk(s);
  int64_t sum = first;
  for (int64_t d = 0; d < fan; d++) {
    desk->bound[d] = sum;
    for (int32_t w = 0; w < s->team->size; w++) {
      if (w == s->worker) desk->place[d] = sum;
      sum += s->desks[w].count[d];
    }
  }
  desk->bound[fan] = sum;
}

/* Moves the worker's share into home `to`. */
NESL_UNUSED static void nesl_move_share(const nesl_sorter *s, const nesl_array *a, nesl_range r,
                                        int to, nesl_scale digits, int carry) {
  nesl_desk *desk = nesl_own_desk(s);
  int64_t i = r.first + nesl_share(r.count, s->team->size, s->worker);
  int64_t end = r.first + nesl_share(r.count, s->team->size, s->worker + 1);
  nesl_run target = a->home[to];
  while (i < end) {
    int64_t n = end - i < NESL_BLOCK ? end - i : NESL_BLOCK;
    const nesl_word *key = nesl_fetch(a, r.where, s->view, i, n, desk->block);
    nesl_to_digits(digits, key, n, desk->digit);
    for (int64_t j = 0; j < n; j++) {
      int64_t p = desk->place[desk->digit[j]]++;
      target.key[p] = key[j];
      if (carry) target.index[p] = r.where == NESL_INPUT ? i + j : a->home[r.where].index[i + j];
    }
    i += n;
  }
}

/* Stores a whole line past the caches. */
NESL_INLINE void nesl_pass_line(nesl_word *to, const nesl_word *line) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#if defined(__AVX512F__)
  enum { WIDE = 64 };
#define NESL_PASS "vmovntdq %1, %0"
#elif defined(__AVX__)
  enum { WIDE = 32 };
#define NESL_PASS "vmovntdq %1, %0"
#else
  enum { WIDE = 16 };
#define NESL_PASS "movntdq %1, %0"
#endif
  typedef int64_t wide __attribute__((vector_size(WIDE), may_alias));
  for (int i = 0; i < 64 / WIDE; i++) {
    __asm__ volatile(NESL_PASS : "=m"(((wide *)to)[i]) : "x"(((const wide *)line)[i]));
  }
#undef NESL_PASS
#else
  memcpy(to, line, NESL_LINE * sizeof(nesl_word));
#endif
}

/* Puts a word at `p` of a vector that begins `off` words behind the start of a line, and whose part
 * from `begin` on is the worker's: into `line`, and with the last word the line into the vector. */
NESL_INLINE void nesl_put_word(nesl_word *to, int64_t off, int64_t begin, int64_t p,
                               nesl_word *line, uint64_t word) {
  int64_t slot = (p + off) % NESL_LINE;
  line[slot] = word;
  if (slot < NESL_LINE - 1) return;
  int64_t first = p - (NESL_LINE - 1);
  if (first >= begin) {
    nesl_pass_line(to + first, line);
  } else {
    for (int64_t q = begin; q <= p; q++) to[q] = line[(q + off) % NESL_LINE];
  }
}

/* Puts what is left in a line, up to `end`, into the vector. */
NESL_INLINE void nesl_put_rest(nesl_word *to, int64_t off, int64_t begin, int64_t end,
                               const nesl_word *line) {
  int64_t first = end - (end + off) % NESL_LINE;
  for (int64_t q = first > begin ? first : begin; q < end; q++) to[q] = line[(q + off) % NESL_LINE];
}

/* How many words behind the start of a line a vector begins. */
NESL_INLINE int64_t nesl_off(const void *vector) {
  return (int64_t)((uintptr_t)vector / sizeof(nesl_word) % NESL_LINE);
}

/* Moves the worker's share into home `to`, line by line: a store to a line that no cache has would
 * fetch it first. */
NESL_UNUSED static void nesl_pass_share(const nesl_sorter *s, const nesl_array *a, nesl_range r,
                                        int to, nesl_scale digits, int carry) {
  nesl_desk *desk = nesl_own_desk(s);
  nesl_lines *lines = &a->lines[s->worker];
  int64_t i = r.first + nesl_share(r.count, s->team->size, s->worker);
  int64_t end = r.first + nesl_share(r.count, s->team->size, s->worker + 1);
  nesl_word *keys = a->home[to].key, *indices = (nesl_word *)a->home[to].index;
  int64_t off = nesl_off(keys), index_off = nesl_off(indices);
  memcpy(lines->begin, desk->place, (size_t)(digits.last + 1) * sizeof(int64_t));
  while (i < end) {
    int64_t n = end - i < NESL_BLOCK ? end - i : NESL_BLOCK;
    const nesl_word *key = nesl_fetch(a, r.where, s->view, i, n, desk->block);
    nesl_to_digits(digits, key, n, desk->digit);
    for (int64_t j = 0; j < n; j++) {
      uint32_t d = desk->digit[j];
      int64_t p = desk->place[d]++;
      nesl_put_word(keys, off, lines->begin[d], p, lines->key[d], key[j]);
      if (!carry) continue;
      int64_t index = r.where == NESL_INPUT ? i + j : a->home[r.where].index[i + j];
      nesl_put_word(indices, index_off, lines->begin[d], p, lines->index[d], (uint64_t)index);
    }
    i += n;
  }
  for (uint64_t d = 0; d <= digits.last; d++) {
    nesl_put_rest(keys, off, lines->begin[d], desk->place[d], lines->key[d]);
    if (carry) {
      nesl_put_rest(indices, index_off, lines->begin[d], desk->place[d], lines->index[d]);
    }
  }
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __asm__ volatile("sfence" ::: "memory");
#endif
}

/* Splits a range by its leading digit and finishes the buckets, but for the large ones, which are
 * pushed on the pending ranges.  Returns how many are pending then. */
NESL_UNUSED static int64_t nesl_split(const nesl_sorter *s, const nesl_array *a, nesl_range r,
                                      int64_t pending, int carry) {
  nesl_desk *desk = nesl_own_desk(s);
  nesl_scale digits = {0, 0, 0};
  nesl_survey seen = nesl_survey_of(s, a, r, &digits);
  if (seen.ordered) {
    nesl_deliver_share(s, a, r, carry);
    nesl_barrier(s->team);
    return pending;
  }
  int to = r.where == 0;
  int64_t fan = (int64_t)digits.last + 1;
  nesl_lay_out(s, r.first, fan);
  if (a->lines && seen.even && fan >= NESL_MANY) {
    nesl_pass_share(s, a, r, to, digits, carry);
  } else {
    nesl_move_share(s, a, r, to, digits, carry);
  }
  nesl_barrier(s->team);
  int64_t large = a->count / ((int64_t)NESL_SHARES * s->team->size);
  large = large > NESL_LARGE ? large : NESL_LARGE;
  for (int64_t d = 0; d < fan; d++) {
    nesl_range bucket = {desk->bound[d], desk->bound[d + 1] - desk->bound[d], to};
    if (bucket.count > large) s->pending[pending++] = bucket;
  }
  for (;;) {
    int64_t d = atomic_fetch_add_explicit(s->next, 1, memory_order_relaxed);
    if (d >= fan) break;
    int64_t n = desk->bound[d + 1] - desk->bound[d];
    if (n > 0 && n <= large) nesl_finish(s, a, to, desk->bound[d], n, carry);
  }
  nesl_barrier(s->team);
  return pending;
}

/* Sorts an array by the whole team; all workers call it.  Ends with a barrier. */
NESL_UNUSED static void nesl_array_together(const nesl_sorter *s, const nesl_array *a, int carry) {
  if (a->count <= NESL_ALONE) {
    if (s->worker == 0) nesl_array_alone(s, a, carry);
    nesl_barrier(s->team);
    return;
  }
  int64_t pending = 1;
  s->pending[0] = (nesl_range){0, a->count, NESL_INPUT};
  while (pending > 0) {
    nesl_range r = s->pending[--pending];
    pending = nesl_split(s, a, r, pending, carry);
  }
}

NESL_UNUSED static void nesl_keys_together(const nesl_sorter *s, const nesl_array *a) {
  nesl_array_together(s, a, 0);
}

NESL_UNUSED static void nesl_records_together(const nesl_sorter *s, const nesl_array *a) {
  nesl_array_together(s, a, 1);
}

#endif
