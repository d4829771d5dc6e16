/* Compares the sorts of the run time with a stable reference, over sizes, distributions, team
 * sizes and shapes of lanes.  Prints the first difference and fails, or prints "ok". */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Less than is usual, for the ways of large arrays. */
#define NESL_PASSING 32768
#define NESL_MANY 8

#include "../../src/c/rts/sort_char.h"

enum kind { INT, FLOAT, CHAR, KINDS };
static const char *const kind_name[] = {"int", "float", "char"};

static uint64_t rnd(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

static void *take(int64_t bytes) {
  void *p = aligned_alloc(64, (size_t)(bytes + 64) / 64 * 64);
  if (!p) exit(2);
  return p;
}

static int64_t width(enum kind k) { return k == CHAR ? 1 : 8; }

/* ---- keys ------------------------------------------------------------------------------- */

static const char *const spread_name[] = {"random",   "sorted", "reversed", "equal", "few",
                                          "powers",   "ends",   "outliers", "swaps", "saws",
                                          "halves",   "clusters"};
enum { SPREADS = 12 };

static int64_t spread(int how, int64_t i, int64_t n) {
  uint64_t x = rnd((uint64_t)i + 13);
  switch (how) {
    case 0: return (int64_t)x;
    case 1: return i / 3;
    case 2: return (n - i) / 2;
    case 3: return -5;
    case 4: return (int64_t)(x % 10) - 5;
    case 5: return (int64_t)(x >> (rnd(x) % 64)) * (x & 1 ? 1 : -1);
    case 6: return x % 3 == 0 ? INT64_MIN : x % 3 == 1 ? INT64_MAX : (int64_t)(x % 7) - 3;
    case 7: return i % 500 ? (int64_t)(x % 5000) : (int64_t)x;
    case 8: return i % 97 ? i : (int64_t)(x % (uint64_t)n);
    case 9: return i % 256;
    case 10: return i < (n + 1) / 2 ? i + n : i;
    default: return (int64_t)((x % 3 << 60) + rnd(x) % 3000);
  }
}

/* The same for floats, with all the special ones in between. */
static double spread_float(int how, int64_t i, int64_t n) {
  uint64_t x = rnd((uint64_t)i + 17);
  const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 5e-324, -1.7e308};
  if (how == 6 || (how == 5 && x % 5 == 0)) return special[x % 8];
  if (how == 4) return x % 2 ? 0.0 : -0.0;
  if (how == 0) {
    memcpy(&x, (double[]){(double)(int64_t)rnd(x)}, 8);
    x ^= x % 2 << 62;
    double d;
    memcpy(&d, &x, 8);
    return d;
  }
  return (double)spread(how, i, n) * 0.125;
}

static void *make_keys(enum kind k, int how, int64_t n) {
  void *keys = take(n * width(k));
  for (int64_t i = 0; i < n; i++) {
    if (k == INT) ((int64_t *)keys)[i] = spread(how, i, n);
    if (k == FLOAT) ((double *)keys)[i] = spread_float(how, i, n);
    if (k == CHAR) ((uint8_t *)keys)[i] = (uint8_t)spread(how, i, n);
  }
  return keys;
}

/* ---- the reference ---------------------------------------------------------------------- */

static const void *ref_keys;
static enum kind ref_kind;
static int ref_down;

static int compare_keys(int64_t i, int64_t j) {
  if (ref_kind == CHAR) {
    const uint8_t *k = ref_keys;
    return (k[i] > k[j]) - (k[i] < k[j]);
  }
  if (ref_kind == INT) {
    const int64_t *k = ref_keys;
    return (k[i] > k[j]) - (k[i] < k[j]);
  }
  const double *k = ref_keys;
  if (isnan(k[i]) || isnan(k[j])) return !!isnan(k[i]) - !!isnan(k[j]);
  return (k[i] > k[j]) - (k[i] < k[j]);
}

static int compare(const void *a, const void *b) {
  int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
  int c = compare_keys(i, j);
  if (c) return ref_down ? -c : c;
  return (i > j) - (i < j);
}

/* The order of `n` keys. */
static void reference(enum kind k, const void *keys, int64_t n, int down, int64_t *order) {
  ref_kind = k;
  ref_keys = keys;
  ref_down = down;
  for (int64_t i = 0; i < n; i++) order[i] = i;
  qsort(order, (size_t)n, sizeof(int64_t), compare);
}

/* ---- running ---------------------------------------------------------------------------- */

enum what { SORT, ORDER, RANK };

/* A call; lanes < 0 means one sequence. */
typedef struct call {
  nesl_team *team;
  enum kind kind;
  enum what what;
  int down;
  const void *keys;
  void *out;
  int64_t n, lanes, *starts, *lengths, *offsets;
  void *scratch;
} call;

#define ONE(type)                                                                             \
  switch (c->what) {                                                                          \
    case SORT: nesl_sort_##type(c->team, w, c->keys, c->out, c->n, c->scratch); break;        \
    case ORDER:                                                                               \
      nesl_order_##type(c->team, w, c->keys, c->out, c->n, c->down, c->scratch);              \
      break;                                                                                  \
    case RANK: nesl_rank_##type(c->team, w, c->keys, c->out, c->n, c->down, c->scratch);      \
  }

#define MANY(type)                                                                            \
  switch (c->what) {                                                                          \
    case SORT:                                                                                \
      nesl_sort_lanes_##type(c->team, w, c->keys, c->out, c->lanes, c->starts, c->lengths,    \
                             c->offsets, c->scratch);                                         \
      break;                                                                                  \
    case ORDER:                                                                               \
      nesl_order_lanes_##type(c->team, w, c->keys, c->out, c->lanes, c->starts, c->lengths,   \
                              c->offsets, c->down, c->scratch);                               \
      break;                                                                                  \
    case RANK:                                                                                \
      nesl_rank_lanes_##type(c->team, w, c->keys, c->out, c->lanes, c->starts, c->lengths,    \
                             c->offsets, c->down, c->scratch);                                \
  }

static void work(call *c, int32_t w) {
  if (c->lanes < 0) {
    if (c->kind == INT) ONE(i64) else if (c->kind == FLOAT) ONE(f64)
    else ONE(char)
  } else {
    if (c->kind == INT) MANY(i64) else if (c->kind == FLOAT) MANY(f64)
    else MANY(char)
  }
}

static int64_t scratch_bytes(const call *c) {
  int32_t size = c->team->size;
  int64_t (*const of[3][3])(int64_t, int32_t) = {
      {nesl_sort_scratch_i64, nesl_order_scratch_i64, nesl_rank_scratch_i64},
      {nesl_sort_scratch_f64, nesl_order_scratch_f64, nesl_rank_scratch_f64},
      {nesl_sort_scratch_char, nesl_order_scratch_char, nesl_rank_scratch_char},
  };
  return of[c->kind][c->what](c->n, size);
}

typedef struct seat {
  call *call;
  int32_t worker;
} seat;

static void *sit(void *p) {
  seat *s = p;
  work(s->call, s->worker);
  return 0;
}

static void run(call *c) {
  pthread_t threads[16];
  seat seats[16];
  int32_t size = c->team->size;
  int64_t bytes = scratch_bytes(c);
  c->scratch = take(bytes);
  memset(c->scratch, 0xAB, (size_t)bytes);
  for (int32_t w = 1; w < size; w++) {
    seats[w] = (seat){c, w};
    if (pthread_create(&threads[w], 0, sit, &seats[w])) exit(2);
  }
  work(c, 0);
  for (int32_t w = 1; w < size; w++) pthread_join(threads[w], 0);
  free(c->scratch);
}

/* ---- checking --------------------------------------------------------------------------- */

static void fail(const call *c, const char *where, int64_t lane, int64_t i) {
  printf("%s %s of %s, n %ld, down %d, team %d, lane %ld: differs at %ld\n", where,
         (const char *const[]){"sort", "order", "rank"}[c->what], kind_name[c->kind], (long)c->n,
         c->down, c->team->size, (long)lane, (long)i);
  exit(1);
}

/* Checks one sequence of results against its reference order. */
static void check(const call *c, const char *where, int64_t lane, const char *keys,
                  const char *out, int64_t n, const int64_t *order) {
  int64_t bytes = width(c->kind);
  for (int64_t p = 0; p < n; p++) {
    if (c->what == ORDER && ((const int64_t *)out)[p] != order[p]) fail(c, where, lane, p);
    if (c->what == RANK && ((const int64_t *)out)[order[p]] != p) fail(c, where, lane, p);
    if (c->what == SORT && memcmp(out + p * bytes, keys + order[p] * bytes, (size_t)bytes)) {
      double x, y;
      memcpy(&x, out + p * 8, 8);
      memcpy(&y, keys + order[p] * 8, 8);
      if (c->kind != FLOAT || !isnan(x) || !isnan(y)) fail(c, where, lane, p);
    }
  }
}

static const int32_t team_sizes[] = {1, 2, 3, 5};

/* All results of one kind for one sequence, by teams of all sizes. */
static void test_one(enum kind k, int how, int64_t n) {
  void *keys = make_keys(k, how, n), *out = take(8 * n);
  int64_t *order = take(8 * n);
  for (int down = 0; down < 2; down++) {
    reference(k, keys, n, down, order);
    for (enum what what = down ? ORDER : SORT; what <= RANK; what++) {
      for (int t = 0; t < 4; t++) {
        nesl_team team = {.size = team_sizes[t]};
        call c = {.team = &team, .kind = k, .what = what, .down = down, .keys = keys,
                  .out = out, .n = n, .lanes = -1};
        run(&c);
        check(&c, spread_name[how], 0, keys, out, n, order);
      }
    }
  }
  free(keys), free(out), free(order);
}

/* Lengths of lanes: 0 many tiny, 1 some huge among tiny, 2 middling, 3 one lane, 4 all empty. */
static int64_t lane_length(int shape, int64_t lane, int64_t n) {
  uint64_t x = rnd((uint64_t)lane + 3);
  switch (shape) {
    case 0: return (int64_t)(x % 9);
    case 1: return lane % 50 == 7 ? n / 3 : (int64_t)(x % 30);
    case 2: return (int64_t)(x % 4000);
    case 3: return n;
    default: return 0;
  }
}

/* Lanes that overlap in the input: with `views`, each lies somewhere in it. */
static void test_lanes(enum kind k, int how, int64_t n, int shape, int views) {
  const int64_t lanes = (const int64_t[]){n / 4, 120, n / 2000, 1, 9}[shape];
  int64_t *starts = take(8 * lanes), *lengths = take(8 * lanes), *offsets = take(8 * lanes + 8);
  int64_t total = 0;
  for (int64_t l = 0; l < lanes; l++) {
    lengths[l] = lane_length(shape, l, n);
    if (!views && lengths[l] > n - total) lengths[l] = n - total;
    int64_t room = n - lengths[l];
    starts[l] = views ? (int64_t)(rnd((uint64_t)l) % (uint64_t)(room + 1)) : total;
    offsets[l] = total;
    total += lengths[l];
  }
  offsets[lanes] = total;
  char *keys = make_keys(k, how, n), *out = take(8 * total);
  int64_t *order = take(8 * total), size = width(k);
  for (int down = 0; down < 2; down++) {
    for (int64_t l = 0; l < lanes; l++) {
      reference(k, keys + starts[l] * size, lengths[l], down, order + offsets[l]);
    }
    for (enum what what = down ? ORDER : SORT; what <= RANK; what++) {
      for (int t = 0; t < 4; t++) {
        nesl_team team = {.size = team_sizes[t]};
        call c = {&team, k, what, down, keys, out, total, lanes, starts, lengths, offsets, 0};
        run(&c);
        for (int64_t l = 0; l < lanes; l++) {
          int64_t at = offsets[l] * (what == SORT ? size : 8);
          check(&c, spread_name[how], l, keys + starts[l] * size, out + at, lengths[l],
                order + offsets[l]);
        }
      }
    }
  }
  free(starts), free(lengths), free(offsets), free(keys), free(out), free(order);
}

/* With an argument, leaves out the largest sizes. */
int main(int argc, char **argv) {
  (void)argv;
  const int64_t sizes[] = {0, 1, 2, 3, 17, 33, 1000, 5000, 20000, 65537};
  for (enum kind k = INT; k < KINDS; k++) {
    for (int how = 0; how < SPREADS; how++) {
      for (int s = 0; s < 10; s++) test_one(k, how, sizes[s]);
      for (int shape = 0; shape < 5; shape++) test_lanes(k, how, 6000, shape, shape % 2);
    }
    for (int views = 0; views < 2; views++) {
      test_lanes(k, 5, 300000, 1, views);
      test_lanes(k, 7, 300000, 2, views);
      test_lanes(k, 4, 300000, 3, views);
      test_lanes(k, 6, 300000, 3, views);
    }
    if (argc > 1) continue;
    test_one(k, 0, 1 << 20);
    test_one(k, 5, 1000003);
    test_one(k, 11, 1000000);
  }
  printf("ok\n");
  return 0;
}
