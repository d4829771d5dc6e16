/* What tiles tell each other: chains, and where tiles begin.
 *
 * Blocks begin in the order of their numbers, and a tile waits for none but those before it.
 * `scratch` is memory of the block, as in block.cuh.
 *
 * Include after block.cuh. */

/* ---- words of other tiles -------------------------------------------------------------- */

/* A word that a tile tells others, and the number of the launch in which it does: 16 bytes that are
 * written and read at once, so no order of memory is needed. */
struct __align__(16) nesl_cell {
  int64_t word;
  int64_t number;
};
NESL_SCALAR void nesl_tell(nesl_cell *cell, int64_t word, int64_t number) {
  asm volatile(
      "{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }" ::"l"(
          cell),
      "l"(word), "l"(number)
      : "memory");
}
NESL_SCALAR nesl_cell nesl_ask(const nesl_cell *cell) {
  nesl_cell now;
  asm volatile(
      "{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
      : "=l"(now.word), "=l"(now.number)
      : "l"(cell)
      : "memory");
  return now;
}

/* Where a chain has its cells: `word` is the first of its own among the `words` of a tile.  The cells
 * of all tiles come after the words of all tiles. */
struct nesl_place {
  const nesl_run &run;
  int words, word;

  __device__ nesl_cell *cells(int64_t tile) const {
    return (nesl_cell *)(run.scratch + run.tiles * words) + tile * words + word;
  }
};

/* ---- starts of tiles -------------------------------------------------------------------- */

/* nesl_cuts_at where there are many tiles and segments.  A search is three or four reads, each of
 * which waits for the one before it, while most of the block's threads have nothing to do.  So the
 * blocks that come first look for where all tiles begin, each of their warps for one, and tell the
 * rest, which read it. */
NESL_SCALAR void nesl_cuts_told_at(nesl_place place, const nesl_int *offsets, int64_t extent,
    int64_t tile, int64_t grain, nesl_int &from, nesl_int &first, nesl_int &to, nesl_int &last) {
  const int64_t tiles = place.run.tiles, few = place.run.few;
  if (tiles <= few || extent <= 4 * few) {
    nesl_cuts_at(offsets, extent, tile * grain, grain, from, first, to, last);
    return;
  }
  const int64_t sought = tile * (blockDim.x / NESL_WARP) + threadIdx.x / NESL_WARP;
  if (sought < tiles) {
    int64_t cut = nesl_cut(offsets, extent, sought * grain);
    if (threadIdx.x % NESL_WARP == 0) nesl_tell(place.cells(sought), cut, place.run.number);
  }
  __shared__ nesl_int cuts[2];
  if (threadIdx.x < 2) {
    int64_t end = tile + threadIdx.x, cut = extent;
    if (end < tiles) {
      nesl_cell now;
      do {
        now = nesl_ask(place.cells(end));
      } while (now.number != place.run.number);
      cut = now.word;
    }
    cuts[threadIdx.x] = (nesl_int)cut;
  }
  __syncthreads();
  from = cuts[0];
  to = cuts[1];
  first = nesl_cut_element(offsets, from, tile * grain);
  last = nesl_cut_element(offsets, to, tile * grain + grain);
}

/* ---- chains ----------------------------------------------------------------------------- */

/* Whether a value has restarted: then what is before it does not count. */
template <class M> struct nesl_restarts {
  enum { ALWAYS = 0 };
};
template <class M> struct nesl_restarts<nesl_restarting<M>> {
  enum { ALWAYS = 1 };
};

/* Whether values are ints that are added: then their order does not count, nor what is above a word. */
template <class M> struct nesl_adds {
  enum { INTS = 0 };
};
template <> struct nesl_adds<nesl_add<int32_t>> {
  enum { INTS = 1 };
};
template <> struct nesl_adds<nesl_add<int64_t>> {
  enum { INTS = 1 };
};

/* What several monoids have come to, one after the other. */
template <class... M> struct nesl_links {
  enum { COUNT = (nesl_size<typename M::type>::WORDS + ...) };
  enum { RESTARTING = (nesl_restarts<M>::ALWAYS && ...) };
  enum { SUMS = (nesl_adds<M>::INTS && ...) };
  nesl_word words[COUNT];

  static __device__ nesl_links identity() {
    nesl_links links;
    int n = 0;
    ((nesl_put(&links.words[n], M::identity()), n += nesl_size<typename M::type>::WORDS), ...);
    return links;
  }
  __device__ void after(const nesl_links &before) {
    int n = 0;
    ((nesl_put(&words[n], (typename M::type)M::of(nesl_get<typename M::type>(&before.words[n]),
                              nesl_get<typename M::type>(&words[n]))),
         n += nesl_size<typename M::type>::WORDS),
        ...);
  }
  /* Where all restart: whether all have. */
  __device__ bool restarted() const {
    bool all = true;
    for (int n = 1; n < COUNT; n += 2) all &= words[n].i != 0;
    return all;
  }
  __device__ nesl_links from(uint32_t lane) const {
    nesl_links links;
    for (int n = 0; n < COUNT; n++) links.words[n].i = nesl_from(words[n].i, lane);
    return links;
  }
};

template <class L>
NESL_SCALAR void nesl_publish(nesl_place place, int64_t tile, int level, const L &links) {
  nesl_cell *cells = place.cells(tile) + level * L::COUNT;
#pragma unroll
  for (int n = 0; n < L::COUNT; n++) nesl_tell(&cells[n], links.words[n].i, place.run.number);
}
/* Asks for several words at once: each answer takes the better part of a microsecond. */
template <class L> NESL_SCALAR L nesl_await(nesl_place place, int64_t tile, int level) {
  enum { AHEAD = 4 };
  const nesl_cell *cells = place.cells(tile) + level * L::COUNT;
  L links;
#pragma unroll
  for (int from = 0; from < L::COUNT; from += AHEAD) {
    bool there;
#pragma unroll 1
    do {
      nesl_cell now[AHEAD];
#pragma unroll
      for (int k = 0; k < AHEAD; k++) {
        if (from + k < L::COUNT) now[k] = nesl_ask(&cells[from + k]);
      }
      there = true;
#pragma unroll
      for (int k = 0; k < AHEAD; k++) {
        if (from + k >= L::COUNT) break;
        there &= now[k].number == place.run.number;
        links.words[from + k].i = now[k].word;
      }
    } while (!there);
  }
  return links;
}

/* The sum of what the lanes of a warp have, in parts whose sums fit into half a word, for which there
 * is an instruction. */
NESL_SCALAR int64_t nesl_warp_sum(int64_t value) {
  enum { BITS = 22 };
  uint64_t whole = (uint64_t)value, sum = 0;
#pragma unroll
  for (int bit = 0; bit < 64; bit += BITS) {
    uint32_t part = (uint32_t)(whole >> bit) & ((1u << BITS) - 1);
    sum += (uint64_t)__reduce_add_sync(0xffffffffu, part) << bit;
  }
  return (int64_t)sum;
}

/* What the lanes of a warp have, combined in order.  Here and below loops stay loops where there are
 * several words: chains are a large part of what many kernels take to compile. */
template <class L> NESL_SCALAR L nesl_combine_links(L part) {
  if constexpr (L::SUMS) {
#pragma unroll
    for (int n = 0; n < L::COUNT; n++) part.words[n].i = nesl_warp_sum(part.words[n].i);
    return part;
  }
  uint32_t lane = threadIdx.x % NESL_WARP;
#pragma unroll(L::COUNT > 1 ? 1 : NESL_WARP)
  for (uint32_t step = 1; step < NESL_WARP; step *= 2) {
    L other = part.from(lane ^ step);
    bool later = lane & step;
    L first = later ? other : part;
    if (!later) part = other;
    part.after(first);
  }
  return part;
}

/* Tiles are in groups of 32, groups in groups of 32.  A tile tells what it adds; the last of a group
 * also what the group adds, and the last of a large group what all tiles up to it add.  So a tile
 * waits for at most 31 tiles, 31 groups, and one large group: those of a level. */
struct nesl_before {
  enum { GROUP = NESL_WARP, LARGE = NESL_WARP * NESL_WARP, LEVELS = 3 };
  int64_t first, step;
  uint32_t count;

  __device__ nesl_before(int64_t tile, uint32_t level) {
    int64_t group = tile / GROUP * GROUP, large = tile / LARGE * LARGE;
    first = level == 0 ? group : level == 1 ? large + GROUP - 1 : large - 1;
    step = level == 1 ? GROUP : 1;
    count = level == 0 ? tile - group : level == 1 ? (group - large) / GROUP : large > 0;
  }
  /* Whether this tile is the last of a group, or of a large one. */
  static __device__ bool last(int64_t tile) { return tile % GROUP == GROUP - 1; }
  static __device__ bool very_last(int64_t tile) { return tile % LARGE == LARGE - 1; }
};

/* What the tiles of a level tell, combined in order. */
template <class L> NESL_SCALAR L nesl_await_all(nesl_place place, nesl_before tiles, int level) {
  uint32_t lane = threadIdx.x % NESL_WARP;
  L part = L::identity();
  if (tiles.count == 0) return part;
  if (lane < tiles.count) part = nesl_await<L>(place, tiles.first + lane * tiles.step, level);
  return nesl_combine_links(part);
}

/* The same where all links restart, as far as it counts: no longer than up to the last of them that
 * has restarted, which `done` tells.  Those before it need not be there yet. */
template <class L>
NESL_SCALAR L nesl_await_restart(nesl_place place, nesl_before tiles, int level, bool &done) {
  uint32_t lane = threadIdx.x % NESL_WARP, count = tiles.count;
  uint32_t all = count == 0 ? 0 : 0xffffffffu >> (NESL_WARP - count);
  const nesl_cell *cells = place.cells(tiles.first + lane * tiles.step) + level * L::COUNT;
  L part = L::identity();
  int ready = 0, last, missing;
#pragma unroll 1
  do {
    if (lane < count && ready < L::COUNT) {
#pragma unroll
      for (int n = 0; n < L::COUNT; n++) {
        nesl_cell now = nesl_ask(&cells[n]);
        if (ready != n || now.number != place.run.number) continue;
        part.words[n].i = now.word;
        ready = n + 1;
      }
    }
    bool there = ready == L::COUNT;
    uint32_t away = all & ~__ballot_sync(0xffffffffu, there);
    uint32_t heads = all & __ballot_sync(0xffffffffu, there && part.restarted());
    missing = 31 - __clz(away);
    last = 31 - __clz(heads);
  } while (last <= missing && missing >= 0);
  done = last >= 0;
  if (lane >= count || (int)lane < last) part = L::identity();
  return nesl_combine_links(part);
}

/* The exclusive prefix, over the tiles before this one, of what the tiles add.  Each level has a
 * warp of its own, in an order that does not depend on who is first.  (Single-pass scan after
 * Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back"; the fixed order
 * is ours, for floats.) */
template <class L>
NESL_SCALAR L nesl_chain_in_order(nesl_place place, int64_t tile, const L &own, nesl_word *scratch) {
  uint32_t lane = threadIdx.x % NESL_WARP, warps = blockDim.x / NESL_WARP;
#pragma unroll 1
  for (uint32_t level = threadIdx.x / NESL_WARP; level < nesl_before::LEVELS; level += warps) {
    if (level == 0 && lane == 0) nesl_publish(place, tile, 0, own);
    L sum = nesl_await_all<L>(place, nesl_before(tile, level), level);
    if (lane != 0) continue;
    for (int n = 0; n < L::COUNT; n++) scratch[level * L::COUNT + n] = sum.words[n];
    if (level == 0 && nesl_before::last(tile)) {
      L all = own;
      all.after(sum);
      nesl_publish(place, tile, 1, all);
    }
  }
  __syncthreads();
  L before = L::identity();
#pragma unroll(L::COUNT > 1 && !L::SUMS ? 1 : nesl_before::LEVELS)
  for (int level = nesl_before::LEVELS - 1; level >= 0; level--) {
    L sum;
    for (int n = 0; n < L::COUNT; n++) sum.words[n] = scratch[level * L::COUNT + n];
    sum.after(before);
    before = sum;
  }
  if (nesl_before::very_last(tile) && threadIdx.x == 0) {
    L all = own;
    all.after(before);
    nesl_publish(place, tile, 2, all);
  }
  __syncthreads();
  return before;
}

/* The same where all links restart: mostly the tile before has, and nobody else is waited for.  One
 * warp does all that. */
template <class L>
NESL_SCALAR L nesl_chain_by_warp(nesl_place place, int64_t tile, const L &own) {
  uint32_t lane = threadIdx.x % NESL_WARP;
  if (lane == 0) nesl_publish(place, tile, 0, own);
  bool done = false;
  L before = L::identity();
#pragma unroll 1
  for (int level = 0; level < nesl_before::LEVELS && !done; level++) {
    L sum = nesl_await_restart<L>(place, nesl_before(tile, level), level, done);
    before.after(sum);
    if (level == 0 && lane == 0 && nesl_before::last(tile)) {
      L all = own;
      all.after(before);
      nesl_publish(place, tile, 1, all);
    }
  }
  if (lane == 0 && nesl_before::very_last(tile)) {
    L all = own;
    all.after(before);
    nesl_publish(place, tile, 2, all);
  }
  return before;
}
template <class L>
NESL_SCALAR L nesl_chain_restarting(nesl_place place, int64_t tile, const L &own,
    nesl_word *scratch) {
  if (threadIdx.x < NESL_WARP) {
    L before = nesl_chain_by_warp(place, tile, own);
    if (threadIdx.x == 0) {
      for (int n = 0; n < L::COUNT; n++) scratch[n] = before.words[n];
    }
  }
  __syncthreads();
  L before;
  for (int n = 0; n < L::COUNT; n++) before.words[n] = scratch[n];
  __syncthreads();
  return before;
}
/* The first warp alone waits; the others go on, with identities. */
template <class L>
NESL_SCALAR L nesl_chain_first_warp(nesl_place place, int64_t tile, const L &own) {
  return threadIdx.x < NESL_WARP ? nesl_chain_by_warp(place, tile, own) : L::identity();
}

template <class L>
NESL_SCALAR L nesl_chain(nesl_place place, int64_t tile, const L &own, nesl_word *scratch) {
  if constexpr (L::RESTARTING) {
    return nesl_chain_restarting(place, tile, own, scratch);
  } else {
    return nesl_chain_in_order(place, tile, own, scratch);
  }
}
