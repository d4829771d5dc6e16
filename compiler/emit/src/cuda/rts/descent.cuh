/* Blocks that run a descent: each takes a group of lanes and goes down alone, as far as they go, with
 * memory of its own.  What a launch is otherwise, all tiles of a kernel, one block does one after the
 * other.
 *
 * Include after chain.cuh. */

/* What a descent is handed besides its arguments.  Rust lays out the same struct. */
struct nesl_descent {
  const uint32_t *failed; /* the number of an earlier launch that has failed */
  int64_t *places;        /* of each lane among the light ones, or -1 - that among the heavy ones */
  int64_t *cuts;          /* the first light lane of each group, and the end */
  int64_t *facts;         /* how many groups, blocks that have ended, and that have given up */
  int64_t *light;         /* for the host: the weight of all light lanes, */
  int64_t *heavy;         /* of all heavy ones, */
  int64_t *count;         /* and how many these are */
  int64_t *ended;         /* for the host, when all is done: how many blocks have given up */
  uint8_t *room;          /* memory for all blocks */
  int64_t half;           /* bytes of it that a block has for what a call hands to the next, */
  int64_t rest;           /* and for what only the call itself uses */
  int64_t grain;          /* the weight of a group, and at most of a light lane */
};

/* A kernel run by one block. */
struct nesl_alone {
  int64_t tiles;
  nesl_word *scratch; /* a row for each tile, where tiles leave something */
  nesl_word *carry;   /* what chains have come to, in shared memory */
  bool *failed;       /* in shared memory */
};

NESL_SCALAR void nesl_fail(const nesl_alone &run) { *run.failed = true; }

/* What comes before a tile in a chain is what the tiles before it have left. */
template <class L>
NESL_SCALAR L nesl_carried(const nesl_alone &run, int word, int64_t tile, const L &own) {
  L before = L::identity();
  __syncthreads();
  if (tile > 0) {
    for (int n = 0; n < L::COUNT; n++) before.words[n] = run.carry[word + n];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    L all = own;
    all.after(before);
    for (int n = 0; n < L::COUNT; n++) run.carry[word + n] = all.words[n];
  }
  return before;
}
/* The first warp alone asks; the others go on, with identities. */
template <class L>
NESL_SCALAR L nesl_carried_first_warp(const nesl_alone &run, int word, int64_t tile, const L &own) {
  L before = nesl_carried(run, word, tile, own);
  return threadIdx.x < NESL_WARP ? before : L::identity();
}

/* How many tiles there are; see `TileCount`. */
NESL_SCALAR int64_t nesl_even(int64_t extent, int64_t grain) {
  return extent <= 0 ? 0 : (extent - 1) / grain + 1;
}
NESL_SCALAR int64_t nesl_cells(int64_t extent, int64_t length, int64_t grain) {
  return extent <= 0 ? 0 : nesl_even(extent * (nesl_max(length, (int64_t)0) + 1), grain);
}
NESL_SCALAR int64_t nesl_balanced(int64_t extent, int64_t elements, int64_t grain) {
  return extent <= 0 ? 0 : nesl_even(extent + elements, grain);
}

/* The memory of a block.  What a call hands to the next is there until that one has ended, so that
 * calls use one of two halves for it after the other; what is behind both is used anew by each. */
struct nesl_room {
  const nesl_descent &descent;
  uint8_t *start;
  uint32_t kept, end, spent; /* bytes from the start: registers are scarce */
  bool full;

  __device__ nesl_room(const nesl_descent &descent)
      : descent(descent), start(descent.room + size() * blockIdx.x), kept(0), end(0), spent(0),
        full(false) {}
  /* For the next call. */
  __device__ void turn(int64_t depth) {
    kept = (uint32_t)(depth % 2 * descent.half);
    end = kept + (uint32_t)descent.half;
    spent = (uint32_t)(2 * descent.half);
  }
  /* Room for so many elements of what the next call is given, unless there is none. */
  template <class T> __device__ T *keep(int64_t count) { return take<T>(count, kept, end); }
  /* Room for so many elements of something else. */
  template <class T> __device__ T *use(int64_t count) {
    return take<T>(count, spent, (uint32_t)size());
  }

private:
  __device__ int64_t size() const { return 2 * descent.half + descent.rest; }
  template <class T> __device__ T *take(int64_t count, uint32_t &used, uint32_t most) {
    const int64_t bytes = (nesl_max(count, (int64_t)0) * (int64_t)sizeof(T) + 15) / 16 * 16;
    T *memory = (T *)(start + used);
    if (count > most || used + bytes > most) {
      full = true;
    } else {
      used += (uint32_t)bytes;
    }
    return memory;
  }
};

/* What no group weighs. */
#define NESL_HEAVY ((int64_t)1 << 32)

NESL_SCALAR int64_t nesl_heavier(int64_t weight, nesl_int length) {
  return weight + nesl_min(nesl_max((int64_t)length, (int64_t)0), NESL_HEAVY);
}

/* The sum of what all threads up to this one have, of 32 warps; `all` becomes that of all. */
NESL_SCALAR int64_t nesl_up_to(int64_t value, int64_t &all) {
  __shared__ int64_t sums[NESL_WARP];
  uint32_t lane = threadIdx.x % NESL_WARP, warp = threadIdx.x / NESL_WARP;
  int64_t sum = nesl_warp_scan<nesl_add<int64_t>>(value);
  if (lane == NESL_WARP - 1) sums[warp] = sum;
  __syncthreads();
  int64_t of_warps = nesl_warp_scan<nesl_add<int64_t>>(sums[lane]);
  all = nesl_from(of_warps, NESL_WARP - 1);
  int64_t before = nesl_from(of_warps, (warp + NESL_WARP - 1) % NESL_WARP);
  __syncthreads();
  return sum + (warp == 0 ? 0 : before);
}

/* Weighs all lanes, tells light ones from heavy ones, and cuts the light ones into groups, each lane
 * in the one where its weight begins.  For one block of 1024 threads, each of which has some lanes side
 * by side.  A light lane weighs no more than a group, so that only the last group may have none. */
template <class W>
NESL_SCALAR void nesl_weigh(const nesl_descent &descent, int64_t lanes, W weight) {
  enum { EACH = 8, ONE = 40 };
  __shared__ unsigned long long heavy;
  /* Of light lanes the weight, and above it how many there are. */
  int64_t before = 0, own_heavy = 0;
  const int64_t weights_only = ((int64_t)1 << ONE) - 1;
  if (threadIdx.x == 0) {
    heavy = 0;
    descent.facts[1] = descent.facts[2] = 0;
    descent.cuts[0] = 0;
  }
  __syncthreads();
  for (int64_t base = 0; base < lanes; base += EACH * blockDim.x) {
    const int64_t first = base + EACH * (int64_t)threadIdx.x;
    int64_t weights[EACH], own = 0, all;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      weights[k] = first + k < lanes ? weight(first + k) : 0;
      if (weights[k] > descent.grain) {
        own_heavy += weights[k];
      } else if (first + k < lanes) {
        own += weights[k] + ((int64_t)1 << ONE);
      }
    }
    int64_t from = before + nesl_up_to(own, all) - own;
#pragma unroll 1
    for (int k = 0; k < EACH && first + k < lanes; k++) {
      const int64_t rank = from >> ONE;
      if (weights[k] > descent.grain) {
        descent.places[first + k] = rank - (first + k) - 1;
        continue;
      }
      descent.places[first + k] = rank;
      const int64_t to = from + weights[k] + ((int64_t)1 << ONE);
      /* Where the next group begins. */
      const int64_t group = (to & weights_only) / descent.grain;
      if (group > (from & weights_only) / descent.grain) descent.cuts[group] = rank + 1;
      from = to;
    }
    before += all;
  }
  if (own_heavy > 0) atomicAdd(&heavy, (unsigned long long)own_heavy);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int64_t light = before & weights_only, groups = light / descent.grain + 1;
    descent.facts[0] = groups;
    descent.cuts[groups] = before >> ONE;
    *descent.light = light;
    *descent.heavy = (int64_t)heavy;
    *descent.count = lanes - (before >> ONE);
  }
}

/* Puts what a lane is given where light lanes have theirs, or heavy ones. */
template <class T>
NESL_SCALAR void nesl_deal(int64_t place, T value, T *light, T *heavy) {
  if (place >= 0) {
    light[place] = value;
  } else {
    heavy[-1 - place] = value;
  }
}

/* The end of a block; the last one tells the host. */
NESL_SCALAR void nesl_end(const nesl_descent &descent, bool gave_up) {
  if (threadIdx.x != 0) return;
  if (gave_up) atomicAdd((unsigned long long *)&descent.facts[2], 1ull);
  __threadfence();
  if (atomicAdd((unsigned long long *)&descent.facts[1], 1ull) + 1 < gridDim.x) return;
  *descent.ended = *(volatile int64_t *)&descent.facts[2];
}
