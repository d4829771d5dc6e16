/* Calls that workers offer to each other: a tree of them, each node of which counts how often it was
 * run; one that fails for whoever takes it, and not for whoever offered it; and more offers than a
 * worker can make. */
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include "../../src/c/rts/faults.h"
#include "../../src/c/rts/lanes.h"
#include "../../src/c/rts/offers.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 4, DEPTH = 12, NODES = 1 << (DEPTH + 1), BYTES = 1 << 20 };

static nesl_launch launch;
static nesl_arena arenas[WORKERS];
static const char *floors[WORKERS];
static char *all; /* memory of all workers */
static _Atomic int32_t runs[NODES];
static _Atomic int32_t taken;

static void want(int ok, const char *what) {
  if (ok) return;
  printf("%s\n", what);
  exit(1);
}

typedef struct call {
  nesl_offer head;
  int64_t node, depth;
  const nesl_arena *home;
} call;

static void tree(nesl_state *state, int64_t node, int64_t depth);

static void run_call(nesl_state *state, const nesl_offer *head) {
  const call *given = (const call *)head;
  if (given->home != state->arena) atomic_fetch_add(&taken, 1);
  tree(state, given->node, given->depth);
}

/* Node n has the children 2n and 2n + 1. */
static void tree(nesl_state *state, int64_t node, int64_t depth) {
  char *const mark = state->arena->top;
  atomic_fetch_add(&runs[node], 1);
  if (depth > 0) {
    call *offer = nesl_room(state, 1, sizeof(call), NESL_ALIGNED);
    want(offer != NULL, "there is room");
    offer->head.run = run_call;
    offer->node = 2 * node + 1, offer->depth = depth - 1, offer->home = state->arena;
    const bool offered = nesl_make_offer(state, &offer->head);
    want(offered || atomic_load(&state->arena->count) == NESL_OFFERS, "there is a place");
    /* The others have nothing else to do than to take this. */
    nesl_offer *_Atomic *place = state->arena->offers + offer->head.place;
    while (depth == DEPTH && atomic_load(place)) nesl_pause();
    tree(state, 2 * node, depth - 1);
    if (!offered || !nesl_offer_done(state, &offer->head)) {
      tree(state, 2 * node + 1, depth - 1);
    }
  }
  nesl_release(state, mark);
}

/* Fails for others. */
static void shy(nesl_state *state, const nesl_offer *head) {
  const call *given = (const call *)head;
  atomic_fetch_add(&runs[given->node], 1);
  if (given->home != state->arena) state->fault = 1;
}

static void failing(nesl_state *state) {
  char *const mark = state->arena->top;
  call *offer = nesl_room(state, 1, sizeof(call), NESL_ALIGNED);
  offer->head.run = shy;
  offer->node = 1, offer->home = state->arena;
  want(nesl_make_offer(state, &offer->head), "a first offer is made");
  while (atomic_load(&state->arena->offers[0])) nesl_pause();
  want(nesl_offer_done(state, &offer->head), "the calls were run");
  want(state->fault == 1, "who offers calls that fail fails, too");
  state->fault = 0;
  nesl_release(state, mark);
}

/* More offers than there are places, which nobody takes. */
static void many(nesl_state *state) {
  call offers[NESL_OFFERS + 1];
  for (int n = 0; n <= NESL_OFFERS; n++) {
    want(nesl_make_offer(state, &offers[n].head) == (n < NESL_OFFERS), "so many offers");
  }
  for (int n = NESL_OFFERS; n-- > 0;) {
    want(!nesl_offer_done(state, &offers[n].head), "an offer is taken back");
    want(atomic_load(&state->arena->count) == n, "its place is free");
  }
}

static void (*work)(nesl_state *state);

static void *worker(void *number) {
  const int64_t own = (int64_t)(intptr_t)number;
  nesl_state state = nesl_lanes_state(&launch, (int32_t)own);
  if (own == 0) work(&state);
  nesl_help(&state);
  return NULL;
}

static void run(void (*what)(nesl_state *state), int32_t size) {
  memset(&launch, 0, sizeof launch);
  launch.team.size = size;
  launch.arenas = arenas;
  launch.stack = floors;
  work = what;
  for (int w = 0; w < WORKERS; w++) {
    char *base = all + w * BYTES;
    memset(arenas + w, 0, sizeof *arenas);
    arenas[w].top = arenas[w].base = arenas[w].high = base;
    arenas[w].limit = base + BYTES;
  }
  for (int n = 0; n < NODES; n++) atomic_store(&runs[n], 0);
  pthread_t threads[WORKERS];
  for (int32_t w = 1; w < size; w++) {
    want(!pthread_create(threads + w, NULL, worker, (void *)(intptr_t)w), "a thread is made");
  }
  worker(NULL);
  for (int32_t w = 1; w < size; w++) pthread_join(threads[w], NULL);
  for (int w = 0; w < WORKERS; w++) want(arenas[w].top == arenas[w].base, "memory is given back");
}

static void root(nesl_state *state) { tree(state, 1, DEPTH); }

static void lending(nesl_state *state) {
  char own = 0;
  want(nesl_is_lent(state, all) && nesl_is_lent(state, all + WORKERS * BYTES - 1), "the stacks");
  want(!nesl_is_lent(state, all - 1) && !nesl_is_lent(state, all + WORKERS * BYTES), "beside them");
  want(!nesl_is_lent(state, &own), "elsewhere");
}

int main(void) {
  all = malloc(WORKERS * BYTES);
  for (int turn = 0; turn < 20; turn++) {
    run(root, WORKERS);
    for (int n = 1; n < NODES; n++) want(atomic_load(&runs[n]) == 1, "each call is run once");
    want(atomic_load(&taken) > turn, "another worker takes an offer");
  }
  run(failing, 2);
  want(atomic_load(&runs[1]) == 1, "the call was run by another");
  run(many, 1);
  run(lending, WORKERS);
  printf("ok\n");
}
