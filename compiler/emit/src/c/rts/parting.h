/* Partitions of long sequences, which a lane shares with workers that have nothing to do.
 *
 * What is kept of a sequence goes to two places, in its order.  Where the parts of a piece belong is
 * known when all pieces before it have been counted; so pieces are gone through twice:
 *
 *     sequence   | 5 1 7 3 | 9 8 2 4 | 6 0 5 8 |       less than 5     greater than 5
 *     counted    | 2     1 | 2     2 | 1     2 |
 *     written                                          1 3|2 4|0       7|9 8|6 8
 *
 * Where the sequence lies at one of the places, what belongs there first goes to the other place, as
 * long as the sequence, too, behind what belongs there; and is moved when all has been read.
 *
 * Include after offers.h. */
#ifndef NESL_PARTING_H
#define NESL_PARTING_H

enum {
  NESL_PIECES = 64,    /* pieces at most */
  NESL_COUNTS = 8,     /* numbers that a partition sets, at most */
  NESL_HELPERS = 15,   /* workers that help, at most */
  NESL_ENOUGH = 3,     /* fewer are no help: one worker alone goes through the sequence once */
  NESL_STRETCH = 1024, /* elements that are parted in the cache before they are written */
  NESL_LONG = 16       /* how many times as long as what is worth an offer a sequence must be */
};

typedef struct nesl_parting nesl_parting;

/* Who helps. */
typedef struct nesl_helper {
  nesl_offer head;
  nesl_parting *whole;
} nesl_helper;

/* A partition; behind it is what the launch is given.  It lies in the memory of lanes, as what is
 * offered must stay where it is. */
struct nesl_parting {
  /* Parts some elements of the sequence, and says how many are kept. */
  void (*part)(nesl_state *state, const nesl_parting *whole, int64_t from, int64_t count, void *first,
      void *second, int64_t *held);
  int64_t length, size; /* elements of the sequence, and bytes of one */
  char *from;           /* the sequence */
  char *places[2];      /* where the parts belong */
  int32_t counts;       /* numbers that are set */
  int32_t kept[2];      /* those that tell how long the parts are */
  /* The rest is for those that do it. */
  void (*work)(nesl_state *state, nesl_parting *whole, int64_t piece);
  int64_t pieces, each, block;
  _Atomic int64_t next; /* the piece that is to be taken next */
  char *to[2];          /* where parts are written */
  int32_t moved;        /* the part that is moved from there, or -1 */
  int64_t total[NESL_COUNTS];
  int64_t held[NESL_PIECES][NESL_COUNTS]; /* of each piece; then of those before it */
  nesl_helper helpers[NESL_HELPERS];
};

/* Whether a sequence is long enough to be parted by several workers. */
NESL_INLINE bool nesl_is_long(const nesl_state *state, int64_t length) {
  return length / NESL_LONG >= state->worth;
}

/* Parts a piece block by block: counts what is kept, or writes it, too. */
NESL_APART void nesl_part_piece(
    nesl_state *state, nesl_parting *whole, int64_t piece, bool counts_only) {
  _Alignas(64) char parts[2][NESL_STRETCH * 8];
  int64_t *const held = whole->held[piece], now[NESL_COUNTS];
  const int64_t end = nesl_min(whole->length, (piece + 1) * whole->each);
  for (int64_t from = piece * whole->each; from < end; from += whole->block) {
    const int64_t count = nesl_min(whole->block, end - from);
    whole->part(state, whole, from, count, parts[0], parts[1], now);
    for (int part = 0; part < 2 && !counts_only; part++) {
      const int32_t kept = whole->kept[part];
      const int64_t bytes = now[kept] * whole->size;
      memcpy(whole->to[part] + held[kept] * whole->size, parts[part], (size_t)bytes);
    }
    for (int32_t n = 0; n < whole->counts; n++) held[n] += now[n];
  }
}
static void nesl_part_count(nesl_state *state, nesl_parting *whole, int64_t piece) {
  for (int32_t n = 0; n < whole->counts; n++) whole->held[piece][n] = 0;
  nesl_part_piece(state, whole, piece, true);
}
static void nesl_part_write(nesl_state *state, nesl_parting *whole, int64_t piece) {
  nesl_part_piece(state, whole, piece, false);
}
static void nesl_part_move(nesl_state *state, nesl_parting *whole, int64_t piece) {
  (void)state;
  const int32_t part = whole->moved;
  const int64_t bytes = whole->total[whole->kept[part]] * whole->size;
  const int64_t from = bytes / whole->pieces * piece;
  const int64_t end = piece + 1 == whole->pieces ? bytes : bytes / whole->pieces * (piece + 1);
  memcpy(whole->places[part] + from, whole->to[part] + from, (size_t)(end - from));
}

static void nesl_part_some(nesl_state *state, nesl_parting *whole) {
  for (int64_t piece; (piece = atomic_fetch_add_explicit(&whole->next, 1, memory_order_relaxed))
       < whole->pieces;) {
    whole->work(state, whole, piece);
  }
}
static void nesl_part_help(nesl_state *state, const nesl_offer *offer) {
  nesl_part_some(state, ((const nesl_helper *)offer)->whole);
}

/* Does something with all pieces, with as many others as help. */
static void nesl_part_all(nesl_state *state, nesl_parting *whole, int32_t helpers,
    void (*work)(nesl_state *state, nesl_parting *whole, int64_t piece)) {
  int32_t asked = 0;
  whole->work = work;
  atomic_store_explicit(&whole->next, 0, memory_order_relaxed);
  for (; asked < helpers; asked++) {
    nesl_helper *helper = &whole->helpers[asked];
    helper->head.run = nesl_part_help;
    helper->whole = whole;
    if (!nesl_make_offer(state, &helper->head)) break;
  }
  nesl_part_some(state, whole);
  /* Whoever helps is done soon, and has begun with nothing else. */
  while (asked > 0) {
    nesl_offer *offer = &whole->helpers[--asked].head;
    if (nesl_take_back(state, offer)) continue;
    for (int spins = 0; nesl_fate(offer) == NESL_OPEN;) nesl_wait_longer(&spins);
  }
}

/* Parts a sequence, if others help; gives the numbers in `total`. */
NESL_APART bool nesl_part(nesl_state *state, nesl_parting *whole) {
  const int32_t idle = atomic_load_explicit(&state->run->idle, memory_order_relaxed);
  const bool tiny = state->worth == 0;
  if (idle < NESL_ENOUGH && !tiny) return false;
  const int32_t helpers = idle < NESL_HELPERS ? idle : NESL_HELPERS;
  whole->block = tiny ? 3 : NESL_STRETCH;
  const int64_t most = tiny ? NESL_PIECES : nesl_min(NESL_PIECES, 4 * (helpers + 1));
  const int64_t blocks = (whole->length + whole->block - 1) / whole->block;
  whole->each = nesl_max(1, (blocks + most - 1) / most) * whole->block;
  whole->pieces = (whole->length + whole->each - 1) / whole->each;
  nesl_part_all(state, whole, helpers, nesl_part_count);
  for (int32_t n = 0; n < whole->counts; n++) {
    int64_t before = 0;
    for (int64_t piece = 0; piece < whole->pieces; piece++) {
      const int64_t own = whole->held[piece][n];
      whole->held[piece][n] = before;
      before += own;
    }
    whole->total[n] = before;
  }
  whole->moved = -1;
  for (int part = 0; part < 2; part++) {
    whole->to[part] = whole->places[part];
    if (whole->from == whole->places[part]) whole->moved = part;
  }
  if (whole->moved >= 0) {
    const int32_t other = 1 - whole->moved;
    const int64_t behind = whole->total[whole->kept[other]] * whole->size;
    whole->to[whole->moved] = whole->places[other] + behind;
  }
  nesl_part_all(state, whole, helpers, nesl_part_write);
  if (whole->moved >= 0) nesl_part_all(state, whole, helpers, nesl_part_move);
  return true;
}

#endif
