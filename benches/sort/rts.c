/* Times the sorts of the run time on many distributions.
 *   rts [workers [size ...]]     prints: name size median_ms min_ms max_ms repetitions */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "../../compiler/emit/src/c/rts/sort.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t rnd(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/* ---- a team of threads ------------------------------------------------------------------ */

typedef struct job {
  nesl_team *team;
  int what; /* 0 sort, 1 order, 2 rank, 3 sort of floats, 4 sort of lanes */
  const int64_t *keys;
  int64_t *out;
  int64_t n, lanes, *starts, *lengths, *offsets;
  void *scratch;
} job;

typedef struct seat {
  job *job;
  int worker;
} seat;

static void work(job *j, int w) {
  nesl_team *t = j->team;
  switch (j->what) {
    case 0: nesl_sort_i64(t, w, j->keys, j->out, j->n, j->scratch); break;
    case 1: nesl_order_i64(t, w, j->keys, j->out, j->n, 0, j->scratch); break;
    case 2: nesl_rank_i64(t, w, j->keys, j->out, j->n, 0, j->scratch); break;
    case 3: nesl_sort_f64(t, w, (const double *)j->keys, (double *)j->out, j->n, j->scratch); break;
    default:
      nesl_sort_lanes_i64(t, w, j->keys, j->out, j->lanes, j->starts, j->lengths, j->offsets,
                          j->scratch);
  }
}

static void *sit(void *p) {
  seat *s = p;
  nesl_barrier(s->job->team);
  work(s->job, s->worker);
  return 0;
}

/* The time from the moment that all threads are there to the end. */
static double run(job *j) {
  int size = j->team->size;
  pthread_t threads[64];
  seat seats[64];
  for (int w = 0; w < size; w++) seats[w] = (seat){j, w};
  for (int w = 1; w < size; w++) pthread_create(&threads[w], 0, sit, &seats[w]);
  nesl_barrier(j->team);
  double start = now();
  work(j, 0);
  double end = now();
  for (int w = 1; w < size; w++) pthread_join(threads[w], 0);
  return end - start;
}

/* ---- cases ------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *name, job *j) {
  double times[64];
  int reps = j->n >= 4000000 ? 9 : 31;
  run(j);
  for (int i = 0; i < reps; i++) times[i] = run(j) * 1e3;
  qsort(times, (size_t)reps, sizeof(double), by_value);
  printf("%-28s %9ld %9.4f %9.4f %9.4f %d\n", name, (long)j->n, times[reps / 2], times[0],
         times[reps - 1], reps);
  fflush(stdout);
}

static void *pages(int64_t bytes) {
  void *p = aligned_alloc(2 << 20, (size_t)(bytes + (2 << 20)) >> 21 << 21);
  if (!p) exit(1);
  if (getenv("HUGE")) madvise(p, (size_t)bytes, MADV_HUGEPAGE);
  return p;
}

static int64_t key_of(int kind, int64_t i, int64_t n) {
  uint64_t x = rnd((uint64_t)i);
  switch (kind) {
    case 0: return (int64_t)(x >> 1);
    case 1: return (int64_t)(x % 100);
    case 2: return i;
    case 3: return n - i;
    case 4: return rnd((uint64_t)i + 77) % 100 ? i : (int64_t)(x % (uint64_t)n);
    case 5: return 7;
    case 6: return (int64_t)(x >> (rnd((uint64_t)i + 99) % 63 + 1));
    case 7: return (int64_t)(x % (uint64_t)n);
    case 8: return i % 1000 ? (int64_t)(x % 1000000) : (int64_t)(x >> 1);
    default: return (int64_t)rnd(x % 1000);
  }
}

static const char *const kinds[] = {"random", "0..99",  "sorted", "reversed", "1% misplaced",
                                    "equal",  "powers", "0..n",   "outliers", "1000 distinct"};

static void lanes_case(const char *name, job *j, int64_t mean) {
  int64_t total = 0, lanes = 0;
  while (total < j->n) {
    int64_t length = (int64_t)(rnd((uint64_t)lanes + 5) % (uint64_t)(2 * mean + 1));
    if (length > j->n - total) length = j->n - total;
    j->starts[lanes] = j->offsets[lanes] = total;
    j->lengths[lanes++] = length;
    total += length;
  }
  j->offsets[lanes] = total;
  j->lanes = lanes;
  report(name, j);
}

int main(int argc, char **argv) {
  nesl_team team = {.size = argc > 1 ? atoi(argv[1]) : 2};
  int64_t sizes[16] = {1000000, 16000000}, count = 2;
  for (int i = 2; i < argc && i < 18; i++) sizes[i - 2] = atol(argv[i]), count = i - 1;
  for (int64_t c = 0; c < count; c++) {
    int64_t n = sizes[c], *keys = pages(8 * n), *out = pages(8 * n);
    int64_t *starts = pages(8 * n + 8), *lengths = pages(8 * n + 8), *offsets = pages(8 * n + 8);
    void *scratch = pages(nesl_rank_scratch_i64(n, team.size));
    job j = {&team, 0, keys, out, n, 0, starts, lengths, offsets, scratch};
    for (int kind = 0; kind < 10; kind++) {
      for (int64_t i = 0; i < n; i++) keys[i] = key_of(kind, i, n);
      char name[64];
      const char *const whats[] = {"sort", "order", "rank"};
      for (j.what = 0; j.what < (kind == 0 || kind == 7 ? 3 : 1); j.what++) {
        snprintf(name, sizeof name, "%s %s", whats[j.what], kinds[kind]);
        report(name, &j);
      }
    }
    for (int64_t i = 0; i < n; i++) keys[i] = key_of(0, i, n);
    j.what = 4;
    lanes_case("sort lanes of 4", &j, 4);
    lanes_case("sort lanes of 50", &j, 50);
    lanes_case("sort lanes of 3000", &j, 3000);
    lanes_case("sort lanes of n/3", &j, n / 3);
    for (int64_t i = 0; i < n; i++) {
      double x = (double)(key_of(0, i, n) - (1ll << 62)) * 1e-19;
      memcpy(&keys[i], &x, 8);
    }
    j.what = 3;
    report("sort floats", &j);
    free(keys), free(out), free(starts), free(lengths), free(offsets), free(scratch);
  }
  return 0;
}
