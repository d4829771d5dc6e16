/* Calls that a lane offers to other workers.
 *
 * A lane that comes to calls side by side, and to enough elements in them, offers the second half of
 * them and runs the first itself.  Then it takes its offer back, if nobody took it; else it waits
 * until these calls are done, and runs meanwhile what others offer.  Workers that have no lanes left
 * take what was offered longest ago, which is most work (Blumofe and Leiserson, 1999).  Only calls
 * that write their results where they belong are offered: they leave nothing in the memory of the
 * worker that runs them.
 *
 * Include after lanes.h. */
#ifndef NESL_OFFERS_H
#define NESL_OFFERS_H

/* What became of an offer. */
enum {
  NESL_OPEN, /* nobody took it so far, or its calls are being run */
  NESL_DONE, /* its calls have been run */
  NESL_FAULT /* one of them failed; what it was given may have been written over */
};

/* The head of an offer; behind it is what its calls are given. */
struct nesl_offer {
  void (*run)(nesl_state *state, const nesl_offer *offer);
  _Atomic int32_t fate;
  int32_t place; /* in the list of the worker that made it */
};

/* Makes an offer, unless there are too many. */
NESL_APART bool nesl_make_offer(const nesl_state *state, nesl_offer *offer) {
  nesl_arena *own = state->arena;
  const int32_t place = atomic_load_explicit(&own->count, memory_order_relaxed);
  if (place == NESL_OFFERS) return false;
  offer->place = place;
  atomic_init(&offer->fate, NESL_OPEN);
  atomic_store_explicit(&own->offers[place], offer, memory_order_release);
  atomic_store_explicit(&own->count, place + 1, memory_order_release);
  return true;
}

/* The oldest offer in a list, which then is this worker's to run; null if there is none. */
NESL_INLINE nesl_offer *nesl_oldest(nesl_arena *from) {
  const int32_t count = atomic_load_explicit(&from->count, memory_order_acquire);
  for (int32_t place = 0; place < count; place++) {
    nesl_offer *offer = atomic_load_explicit(&from->offers[place], memory_order_relaxed);
    if (offer
        && atomic_compare_exchange_strong_explicit(&from->offers[place], &offer, NULL,
            memory_order_acquire, memory_order_relaxed)) {
      return offer;
    }
  }
  return NULL;
}

/* Runs what a worker offers; false if none does.  For a worker that counts as idle. */
NESL_APART bool nesl_take_offer(const nesl_state *state) {
  nesl_launch *run = state->run;
  const int32_t size = run->team.size;
  for (int32_t step = 1, other = (int32_t)(state->arena - run->arenas); step < size; step++) {
    other = other + 1 == size ? 0 : other + 1;
    nesl_offer *offer = nesl_oldest(run->arenas + other);
    if (!offer) continue;
    nesl_state own = *state;
    own.fault = 0;
    own.spare = NULL;
    atomic_fetch_sub_explicit(&run->idle, 1, memory_order_relaxed);
    offer->run(&own, offer);
    atomic_fetch_add_explicit(&run->idle, 1, memory_order_relaxed);
    /* The last that is seen of the offer. */
    atomic_store_explicit(
        &offer->fate, own.fault ? NESL_FAULT : NESL_DONE, memory_order_release);
    return true;
  }
  return false;
}

/* Waits a little longer than the last time. */
NESL_INLINE void nesl_wait_longer(int *spins) {
  if (*spins < NESL_SPINS) {
    ++*spins;
    nesl_pause();
  } else {
    sched_yield();
  }
}

/* Runs what others offer, or waits. */
NESL_INLINE void nesl_help_or_wait(const nesl_state *state, int *spins) {
  if (nesl_take_offer(state)) {
    *spins = 0;
  } else {
    nesl_wait_longer(spins);
  }
}

/* Takes the last offer that was made here back; false if another has taken it. */
NESL_INLINE bool nesl_take_back(const nesl_state *state, nesl_offer *offer) {
  nesl_arena *own = state->arena;
  nesl_offer *mine = offer;
  const bool back = atomic_compare_exchange_strong_explicit(
      &own->offers[offer->place], &mine, NULL, memory_order_relaxed, memory_order_relaxed);
  atomic_store_explicit(&own->count, offer->place, memory_order_relaxed);
  return back;
}

/* What has become of an offer so far. */
NESL_INLINE int32_t nesl_fate(const nesl_offer *offer) {
  return atomic_load_explicit(&offer->fate, memory_order_acquire);
}

/* Whether another has run what was offered, the last offer that was made here: if not, it is taken
 * back.  If it failed there, whoever made it fails, too. */
NESL_APART bool nesl_offer_done(nesl_state *state, nesl_offer *offer) {
  if (nesl_take_back(state, offer)) return false;
  nesl_launch *run = state->run;
  int32_t fate = nesl_fate(offer);
  if (fate == NESL_OPEN) {
    atomic_fetch_add_explicit(&run->idle, 1, memory_order_relaxed);
    for (int spins = 0; (fate = nesl_fate(offer)) == NESL_OPEN;) nesl_help_or_wait(state, &spins);
    atomic_fetch_sub_explicit(&run->idle, 1, memory_order_relaxed);
  }
  if (fate == NESL_FAULT) state->fault = 1;
  return true;
}

/* Runs what others offer until all workers have done their lanes. */
NESL_APART void nesl_help(const nesl_state *state) {
  nesl_launch *run = state->run;
  if (run->team.size == 1) return;
  atomic_fetch_add_explicit(&run->ended, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&run->idle, 1, memory_order_relaxed);
  for (int spins = 0;
       atomic_load_explicit(&run->ended, memory_order_relaxed) < run->team.size;) {
    nesl_help_or_wait(state, &spins);
  }
}

#endif
