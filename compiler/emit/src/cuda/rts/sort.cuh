/* Stable sorting and ranking of scalars, in one sequence or inside segments.
 *
 * A sequence, or a long segment, is a `nesl_part` and is sorted by its digits of eight bits, the
 * lowest first.  One kernel counts all digits of all keys, one turns counts into places, and then
 * each digit is one pass that reads and writes every key once.  Blocks take tiles of keys in order;
 * a tile learns how many keys with each digit came before it by looking back at the tiles before.
 * The idea is that of "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" by Adinets
 * and Merrill.  A pass for a digit that all keys of a part share does nothing for that part.
 *
 * Short segments are sorted where they lie: a block loads the segments that begin in its piece of
 * the keys, sorts runs by counting and merges them, all segments of the piece together.
 *
 * Ranks are found in the order of the keys, but belong at the places where keys came from.  Writing
 * each where it belongs would touch all of a large memory at once; so those of a long part go to
 * one of 256 stretches first, which the last kernel empties one after the other.
 *
 * Everything that only the device knows (which segments are long, how many tiles they have, which
 * digits matter) stays in its memory: the host launches the same kernels for every content.
 *
 * Keys are compared as unsigned "order keys".  These must be defined before:
 *   NESL_KEY_BYTES   1, 4 or 8
 *   NESL_KEY_FLOAT   1 if keys are floats
 *   NESL_RANKS       1 if ranks are wanted, 0 for sorted keys
 *   NESL_WIDE        1 if there may be 2^30 keys or more
 *   NESL_THREADS     threads of a block in a pass, more than 256
 *   NESL_ITEMS       keys of a thread in a pass
 *   NESL_BLOCKS      blocks that a multiprocessor should have room for in a pass
 *   NESL_COUNTERS    threads of a block that counts
 *   NESL_SORTERS     threads of a block that sorts short segments
 *   NESL_DELIVERED   ranks that a block delivers; not more than a stretch has
 *   NESL_NEAR        longest segment that is sorted where it lies; a multiple of 1024
 *   NESL_LOCAL       longest part whose ranks are written in the order in which they are found */

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

#if NESL_INT_BITS == 64
typedef int64_t nesl_int; /* an int of the program: a rank, an offset */
#else
typedef int32_t nesl_int;
#endif
#if NESL_KEY_BYTES == 8
typedef uint64_t nesl_raw;
typedef uint64_t nesl_bits;
#elif NESL_KEY_BYTES == 4
typedef uint32_t nesl_raw;
typedef uint32_t nesl_bits;
#else
typedef uint8_t nesl_raw;
typedef uint32_t nesl_bits;
#endif

#if NESL_WIDE
typedef uint64_t nesl_place; /* a number of keys */
#else
typedef uint32_t nesl_place;
#endif

enum {
  NESL_DIGITS = NESL_KEY_BYTES,
  NESL_BINS = 256,
  NESL_WARPS = NESL_THREADS / 32,
  NESL_TILE = NESL_THREADS * NESL_ITEMS,
  NESL_AT_ONCE = 8,              /* keys that a thread reads before it counts them */
  NESL_WINDOW = 2 * NESL_NEAR,   /* keys that a block sees that sorts short segments */
  NESL_WORDS = NESL_WINDOW / 32, /* words of marks for them */
  NESL_RUN = 16                  /* runs up to this long are sorted by counting */
};

#define NESL_ALL 0xffffffffu

static_assert(NESL_THREADS > NESL_BINS, "one for each digit, and one for slots without a key");

/* What the device finds out, zero before. */
struct nesl_state {
  uint64_t far;                  /* parts in the high half, their tiles in the low half */
  uint32_t near;                 /* 1 if there are short segments */
  uint32_t tickets[NESL_DIGITS]; /* tiles taken so far in each pass */
};

/* A sequence sorted by its digits. */
struct nesl_part {
  int64_t start, length;
  uint32_t tile;   /* its first */
  uint32_t active; /* bit d is set if its keys differ in digit d */
};

/* ---- order keys ------------------------------------------------------------------------- */

#define NESL_SIGN ((nesl_bits)1 << (8 * sizeof(nesl_bits) - 1))
#define NESL_REST (NESL_SIGN - 1)
#define NESL_INF (NESL_KEY_BYTES == 8 ? (nesl_bits)0x7ff0000000000000u : (nesl_bits)0x7f800000u)
#define NESL_NAN (NESL_KEY_BYTES == 8 ? (nesl_bits)0x7ff8000000000000u : (nesl_bits)0x7fc00000u)

/* Bits below the sign, if it is set, of a float; else none. */
static __device__ __forceinline__ nesl_bits nesl_fold(nesl_bits bits) {
  return NESL_KEY_FLOAT && (bits & NESL_SIGN) ? NESL_REST : 0;
}

/* Every nan becomes the one above infinity, and `flip` decides which way numbers go.  Only ranks
 * can forget here which zero is negative. */
static __device__ __forceinline__ nesl_bits nesl_to_order(nesl_raw raw, nesl_bits flip) {
  nesl_bits bits = raw;
  if (NESL_KEY_FLOAT && (bits & NESL_REST) > NESL_INF) bits = NESL_NAN;
  if (NESL_KEY_FLOAT && NESL_RANKS && bits == NESL_SIGN) bits = 0;
  return bits ^ nesl_fold(bits) ^ flip;
}

static __device__ __forceinline__ nesl_raw nesl_from_order(nesl_bits key, nesl_bits flip) {
  nesl_bits bits = key ^ flip;
  return (nesl_raw)(bits ^ nesl_fold(bits));
}

/* The same for keys that are equal: -0.0 comes right before 0.0. */
static __device__ __forceinline__ nesl_bits nesl_merged(nesl_bits key) {
  return NESL_KEY_FLOAT && !NESL_RANKS && key == NESL_REST ? NESL_SIGN : key;
}

static __device__ __forceinline__ uint32_t nesl_digit(nesl_bits key, uint32_t d) {
  return (uint32_t)(nesl_merged(key) >> (8 * d)) & 255u;
}

/* ---- parts ------------------------------------------------------------------------------ */

/* How many tiles all parts have: `tiles` if the host knows it, or else it is negative. */
static __device__ __forceinline__ int64_t nesl_tiles(const nesl_state *state, int64_t tiles) {
  return tiles < 0 ? (int64_t)(uint32_t)state->far : tiles;
}

/* How many keys, the sum of `count` of this lane and those before it in the warp. */
static __device__ __forceinline__ nesl_place nesl_sum_to(nesl_place count, int32_t lane) {
#pragma unroll
  for (int32_t step = 1; step < 32; step *= 2) {
    nesl_place other = __shfl_up_sync(NESL_ALL, count, step);
    if (lane >= step) count += other;
  }
  return count;
}

/* Marks in `heads` where each segment begins, and where the last ends; lists the long ones. */
extern "C" __global__ void __launch_bounds__(256)
nesl_sort_heads(const nesl_int *offsets, int64_t segments, int64_t length, uint32_t *heads,
                nesl_state *state, nesl_part *parts) {
  int64_t stride = (int64_t)gridDim.x * blockDim.x;
  int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t lane = threadIdx.x % 32;
  for (int64_t s = first; s - lane < segments; s += stride) {
    int64_t start = s < segments ? offsets[s] : 0, end = s < segments ? offsets[s + 1] : 0;
    bool some = start < end;
    /* Neighbours often share a word: one of them marks for all. */
    uint32_t peers = __match_any_sync(NESL_ALL, some ? (uint64_t)start >> 5 : ~(uint64_t)0);
    uint32_t marks = __reduce_or_sync(peers, 1u << (start & 31));
    if (!some) continue;
    if ((uint32_t)__ffs(peers) - 1 == lane) atomicOr(&heads[start >> 5], marks);
    if (end == length) atomicOr(&heads[end >> 5], 1u << (end & 31));
    if (end - start <= NESL_NEAR) {
      if (*(volatile uint32_t *)&state->near == 0) state->near = 1;
      continue;
    }
    uint64_t tiles = (uint64_t)(end - start + NESL_TILE - 1) / NESL_TILE;
    uint64_t before = atomicAdd(&state->far, ((uint64_t)1 << 32) + tiles);
    parts[before >> 32] = nesl_part{start, end - start, (uint32_t)before, 0};
  }
}

/* The part that has a tile. */
static __device__ int64_t nesl_part_of(const nesl_state *state, const nesl_part *parts,
                                       int64_t tile) {
  int64_t first = 0, end = (int64_t)(state->far >> 32);
  while (end - first > 1) {
    int64_t middle = (first + end) / 2;
    if (parts[middle].tile <= tile) {
      first = middle;
    } else {
      end = middle;
    }
  }
  return first;
}

/* ---- counting --------------------------------------------------------------------------- */

/* Counts the digits of keys that all lanes of all warps have. */
static __device__ __forceinline__ void nesl_count_keys(uint32_t *count,
                                                       const nesl_bits (&key)[NESL_AT_ONCE]) {
  bool apart = true;
#if NESL_KEY_BYTES == 8
  /* Ints are often small: then their upper halves are all the same. */
  uint32_t upper = (uint32_t)(nesl_merged(key[0]) >> 32);
  bool same = __shfl_sync(NESL_ALL, upper, 0) == upper;
#pragma unroll
  for (int32_t i = 1; i < NESL_AT_ONCE; i++) {
    same = same && (uint32_t)(nesl_merged(key[i]) >> 32) == upper;
  }
  apart = !__all_sync(NESL_ALL, same);
  if (!apart && threadIdx.x % 32 < 4) {
    uint32_t d = 4 + threadIdx.x % 32;
    atomicAdd(&count[d * NESL_BINS + nesl_digit(key[0], d)], 32 * NESL_AT_ONCE);
  }
#endif
#pragma unroll
  for (int32_t i = 0; i < NESL_AT_ONCE; i++) {
#pragma unroll
    for (uint32_t d = 0; d < NESL_DIGITS; d++) {
      if (d < 4 || apart) atomicAdd(&count[d * NESL_BINS + nesl_digit(key[i], d)], 1u);
    }
  }
}

/* Counts the digits of `length` keys by the whole block. */
static __device__ __forceinline__ void nesl_count_range(uint32_t *count, const nesl_raw *keys,
                                                        int64_t length, nesl_bits flip) {
  enum { STEP = NESL_COUNTERS * NESL_AT_ONCE };
  int64_t i = threadIdx.x;
  for (int64_t done = STEP; done <= length; done += STEP, i += STEP) {
    nesl_bits key[NESL_AT_ONCE];
#pragma unroll
    for (int32_t k = 0; k < NESL_AT_ONCE; k++) {
      key[k] = nesl_to_order(keys[i + k * NESL_COUNTERS], flip);
    }
    nesl_count_keys(count, key);
  }
  for (; i < length; i += NESL_COUNTERS) {
    nesl_bits key = nesl_to_order(keys[i], flip);
#pragma unroll
    for (uint32_t d = 0; d < NESL_DIGITS; d++) {
      atomicAdd(&count[d * NESL_BINS + nesl_digit(key, d)], 1u);
    }
  }
}

/* Counts all digits of all parts, and tells each tile its part.  A block takes tiles that follow
 * each other, so that it seldom has to add its counts to those of others. */
extern "C" __global__ void __launch_bounds__(NESL_COUNTERS)
nesl_sort_count(const nesl_raw *keys, int64_t length, uint64_t flip, int64_t tiles,
                const nesl_state *state, const nesl_part *parts, uint32_t *part_of,
                nesl_place *bins) {
  __shared__ uint32_t count[NESL_DIGITS * NESL_BINS];
  int64_t all = nesl_tiles(state, tiles);
  int64_t tile = all * blockIdx.x / gridDim.x, end = all * (blockIdx.x + 1) / gridDim.x;
  if (tile == end) return;
  int64_t p = part_of ? nesl_part_of(state, parts, tile) : 0;
  while (tile < end) {
    nesl_part part = part_of ? parts[p] : nesl_part{0, length, 0, 0};
    int64_t from = (tile - part.tile) * NESL_TILE;
    int64_t to = min((end - part.tile) * NESL_TILE, part.length);
    for (int32_t i = threadIdx.x; i < NESL_DIGITS * NESL_BINS; i += NESL_COUNTERS) count[i] = 0;
    __syncthreads();
    nesl_count_range(count, keys + part.start + from, to - from, flip);
    __syncthreads();
    for (int32_t i = threadIdx.x; i < NESL_DIGITS * NESL_BINS; i += NESL_COUNTERS) {
      if (count[i] != 0) atomicAdd(&bins[p * (NESL_DIGITS * NESL_BINS) + i], (nesl_place)count[i]);
    }
    int64_t next = min(end, (int64_t)part.tile + (part.length + NESL_TILE - 1) / NESL_TILE);
    for (int64_t t = tile + threadIdx.x; part_of && t < next; t += NESL_COUNTERS) {
      part_of[t] = (uint32_t)p;
    }
    tile = next;
    p++;
    __syncthreads();
  }
}

/* Turns the counts of each part into the place of the first key with each digit, and finds out
 * which digits matter.  A warp takes a digit. */
extern "C" __global__ void __launch_bounds__(32 * NESL_DIGITS)
nesl_sort_plan(int64_t length, int64_t tiles, const nesl_state *state, nesl_part *parts,
               nesl_place *bins) {
  __shared__ uint32_t active;
  int32_t lane = threadIdx.x % 32, d = threadIdx.x / 32;
  int64_t all = tiles < 0 ? (int64_t)(state->far >> 32) : 1;
  for (int64_t p = blockIdx.x; p < all; p += gridDim.x) {
    nesl_part part = tiles < 0 ? parts[p] : nesl_part{0, length, 0, 0};
    nesl_place *own = bins + (p * NESL_DIGITS + d) * NESL_BINS + lane * 8;
    nesl_place count[8], sum = 0;
    bool whole = false;
#pragma unroll
    for (int32_t i = 0; i < 8; i++) {
      count[i] = own[i];
      whole = whole || count[i] == (nesl_place)part.length;
      sum += count[i];
    }
    nesl_place place = nesl_sum_to(sum, lane) - sum;
#pragma unroll
    for (int32_t i = 0; i < 8; i++) {
      own[i] = place;
      place += count[i];
    }
    if (threadIdx.x == 0) active = 0;
    __syncthreads();
    if (!__any_sync(NESL_ALL, whole) && lane == 0) atomicOr(&active, 1u << d);
    __syncthreads();
    part.active = active;
    if (threadIdx.x == 0) parts[p] = part;
    __syncthreads();
  }
}

#if NESL_KEY_BYTES == 1 && !NESL_RANKS

/* ---- sorted bytes ----------------------------------------------------------------------- */

/* Writes keys from the places of digits alone. */
extern "C" __global__ void __launch_bounds__(256)
nesl_sort_fill(uint8_t *out, uint64_t flip, int64_t tiles, const nesl_state *state,
               const nesl_part *parts, const uint32_t *part_of, const nesl_place *bins) {
  __shared__ nesl_place first[NESL_BINS];
  int64_t all = nesl_tiles(state, tiles);
  for (int64_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
    int64_t p = part_of ? part_of[tile] : 0;
    nesl_part part = parts[p];
    __syncthreads();
    first[threadIdx.x] = bins[p * NESL_BINS + threadIdx.x];
    __syncthreads();
    int64_t from = part.start + (tile - part.tile) * NESL_TILE;
    int64_t end = part.start + min((tile - part.tile + 1) * NESL_TILE, part.length);
    /* Eight bytes that lie together in memory are written at once. */
    for (int64_t at = (from & ~(int64_t)7) + 8 * threadIdx.x; at < end; at += 8 * 256) {
      int64_t place = max(at, from) - part.start;
      int32_t d = 0;
#pragma unroll
      for (int32_t step = 128; step > 0; step /= 2) {
        if ((int64_t)first[d + step] <= place) d += step;
      }
      uint64_t eight = 0;
      for (int64_t i = max(at, from); i < min(at + 8, end); i++) {
        while (d < 255 && (int64_t)first[d + 1] <= i - part.start) d++;
        eight |= (uint64_t)(d ^ (uint8_t)flip) << (8 * (i - at));
      }
      if (at >= from && at + 8 <= end) {
        *(uint64_t *)(out + at) = eight;
      } else {
        for (int64_t i = max(at, from); i < min(at + 8, end); i++) {
          out[i] = (uint8_t)(eight >> (8 * (i - at)));
        }
      }
    }
  }
}

#else

/* ---- passes ----------------------------------------------------------------------------- */

/* What a tile tells those behind it about one digit: how many keys have it, and in the upper two
 * bits whether in this tile alone or in all up to it. */
#define NESL_FLAG (8 * sizeof(nesl_place) - 2)
#define NESL_OWN ((nesl_place)1 << NESL_FLAG)
#define NESL_UP_TO ((nesl_place)2 << NESL_FLAG)
#define NESL_KEYS (NESL_OWN - 1)

/* Where keys are between passes, and the positions that they had: in the second of each while the
 * number of passes to be done is odd, else in the first. */
struct nesl_homes {
  nesl_bits *key[2];
  nesl_place *index[2];
};

/* How ranks of long parts get to their places: those for positions with the same upper bits share a
 * stretch of the first memory of nesl_homes, as long as the positions are many. */
struct nesl_stretches {
  nesl_place *taken; /* how much of each is in use; null if no part is long */
  int64_t shift;     /* the lower bits */
};

/* A tile in a pass. */
struct nesl_task {
  nesl_part part;
  int64_t index;  /* of the part */
  uint32_t tile;
  uint32_t digit;
  uint32_t before, after; /* how many passes for this part are done, and to be done */
  int64_t begin;          /* of the tile in the part */
  uint32_t count;
};

/* The lanes of the warp that have the same digit. */
static __device__ __forceinline__ uint32_t nesl_peers(uint32_t digit) {
  uint32_t peers = NESL_ALL;
#pragma unroll
  for (uint32_t b = 0; b < 8; b++) {
    uint32_t same;
    /* Four instructions, where __ballot_sync makes seven. */
    asm("{ .reg .pred p; .reg .b32 bit;\n"
        "and.b32 bit, %1, %2;\n"
        "setp.ne.u32 p, bit, 0;\n"
        "vote.sync.ballot.b32 %0, p, 0xffffffff;\n"
        "@!p not.b32 %0, %0; }"
        : "=r"(same)
        : "r"(digit), "r"(1u << b));
    peers &= same;
  }
  return peers;
}

/* The same number, of which the compiler does not know that it is: what follows from it is computed
 * again where it is needed, and takes no registers in between. */
static __device__ __forceinline__ uint32_t nesl_anew(uint32_t x) {
  asm volatile("" : "+r"(x));
  return x;
}

/* The position of a thread's key `i` in the tile: warps have keys side by side. */
static __device__ __forceinline__ uint32_t nesl_slot(int32_t i) {
  return threadIdx.x / 32 * (32 * NESL_ITEMS) + i * 32 + threadIdx.x % 32;
}

/* Slots without a key get one that is ranked behind all others. */
static __device__ __forceinline__ void nesl_load(nesl_bits (&key)[NESL_ITEMS],
                                                 const nesl_task &task, const nesl_raw *keys,
                                                 nesl_bits flip, const nesl_homes &homes) {
  if (task.before == 0) {
    const nesl_raw *from = keys + task.part.start + task.begin;
    nesl_raw raw[NESL_ITEMS];
#pragma unroll
    for (int32_t i = 0; i < NESL_ITEMS; i++) {
      raw[i] = nesl_slot(i) < task.count ? from[nesl_slot(i)] : 0;
    }
#pragma unroll
    for (int32_t i = 0; i < NESL_ITEMS; i++) {
      key[i] = nesl_slot(i) < task.count ? nesl_to_order(raw[i], flip) : ~(nesl_bits)0;
    }
  } else {
    const nesl_bits *from = homes.key[(task.after + 1) % 2] + task.part.start + task.begin;
#pragma unroll
    for (int32_t i = 0; i < NESL_ITEMS; i++) {
      key[i] = nesl_slot(i) < task.count ? from[nesl_slot(i)] : ~(nesl_bits)0;
    }
  }
}

/* What another tile told.  A number and its flags are one word, so no order of memory is needed. */
static __device__ __forceinline__ nesl_place nesl_hear(const nesl_place *at) {
  nesl_place what;
#if NESL_WIDE
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(what) : "l"(at) : "memory");
#else
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(what) : "l"(at) : "memory");
#endif
  return what;
}

/* Tells other tiles. */
static __device__ __forceinline__ void nesl_say(nesl_place *at, nesl_place what) {
#if NESL_WIDE
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(at), "l"(what) : "memory");
#else
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(at), "r"(what) : "memory");
#endif
}

/* Adds up what the tiles before this one in its part told about a digit. */
static __device__ __forceinline__ nesl_place nesl_look_back(const nesl_task &task,
                                                            const nesl_place *told, uint32_t d) {
  nesl_place sum = 0;
  for (uint32_t tile = task.tile; tile > task.part.tile;) {
    nesl_place seen = nesl_hear(&told[(int64_t)(tile - 1) * NESL_BINS + d]);
    if (seen == 0) continue;
    sum += seen & NESL_KEYS;
    if (seen & NESL_UP_TO) break;
    tile--;
  }
  return sum;
}

/* Shared memory of a pass besides that of changing size. */
struct nesl_desk {
  nesl_place place[NESL_BINS]; /* of a digit's first key, less the slot it has in the tile */
  uint32_t sums[NESL_BINS / 32];
  uint32_t tile;
};

/* The sum of what the threads before this one have, of the first NESL_BINS. */
static __device__ __forceinline__ uint32_t nesl_sum_before(uint32_t own, nesl_desk &desk) {
  uint32_t thread = threadIdx.x, warp = thread / 32, up_to = 0;
  if (thread < NESL_BINS) {
    up_to = (uint32_t)nesl_sum_to(own, thread % 32);
    if (thread % 32 == 31) desk.sums[warp] = up_to;
  }
  __syncthreads();
  uint32_t sum = up_to - own;
  for (uint32_t w = 0; w < warp && thread < NESL_BINS; w++) sum += desk.sums[w];
  return sum;
}

/* Counts digits warp by warp, then makes `count` the slot of each warp's first key with each digit.
 * Gives the thread's own digit's count and first slot. */
static __device__ __forceinline__ uint2 nesl_count_tile(uint32_t (*count)[NESL_BINS],
                                                        const nesl_bits (&key)[NESL_ITEMS],
                                                        const nesl_task &task, nesl_place *told,
                                                        nesl_desk &desk) {
  uint32_t thread = threadIdx.x, warp = thread / 32, d = nesl_anew(task.digit);
  for (uint32_t i = thread; i < NESL_WARPS * NESL_BINS; i += NESL_THREADS) (*count)[i] = 0;
  __syncthreads();
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    atomicAdd(&count[warp][nesl_digit(key[i], d)], 1u);
  }
  __syncthreads();
  uint32_t own = 0;
  if (thread < NESL_BINS) {
#pragma unroll
    for (int32_t w = 0; w < NESL_WARPS; w++) {
      uint32_t more = count[w][thread];
      count[w][thread] = own;
      own += more;
    }
    uint32_t keys = own - (thread == NESL_BINS - 1 ? NESL_TILE - task.count : 0);
    nesl_place flag = task.tile == task.part.tile ? NESL_UP_TO : NESL_OWN;
    nesl_say(&told[(int64_t)task.tile * NESL_BINS + thread], flag | keys);
  }
  uint32_t slot = nesl_sum_before(own, desk);
  if (thread < NESL_BINS) {
#pragma unroll
    for (int32_t w = 0; w < NESL_WARPS; w++) count[w][thread] += slot;
  }
  __syncthreads();
  return uint2{own, slot};
}

/* Gives each key its slot in the sorted tile. */
static __device__ __forceinline__ void nesl_rank_tile(uint32_t (&rank)[NESL_ITEMS],
                                                      uint32_t *count,
                                                      const nesl_bits (&key)[NESL_ITEMS],
                                                      uint32_t d) {
  uint32_t lane = threadIdx.x % 32, lower = (1u << lane) - 1;
  d = nesl_anew(d);
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    uint32_t digit = nesl_digit(key[i], d);
    uint32_t peers = nesl_peers(digit);
    uint32_t before = count[digit];
    __syncwarp();
    if (peers >> lane == 1) count[digit] = before + __popc(peers);
    __syncwarp();
    rank[i] = before + __popc(peers & lower);
  }
}

#if NESL_RANKS

/* The positions that the thread's keys had at the beginning, in the part. */
static __device__ __forceinline__ void nesl_load_index(nesl_place (&index)[NESL_ITEMS],
                                                       const nesl_task &task,
                                                       const nesl_homes &homes) {
  const nesl_place *from = homes.index[(task.after + 1) % 2] + task.part.start + task.begin;
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    if (task.before == 0) {
      index[i] = (nesl_place)(task.begin + nesl_slot(i));
    } else {
      index[i] = nesl_slot(i) < task.count ? from[nesl_slot(i)] : 0;
    }
  }
}

/* Moves pairs of numbers to their places, first inside the tile to `slot`, then to the `place` that
 * eight bits of the first, `shift` from the right, have in memory. */
template <typename T>
static __device__ __forceinline__ void nesl_move_pairs(
    void *shared, const T (&first)[NESL_ITEMS], const nesl_place (&second)[NESL_ITEMS],
    const uint32_t (&slot)[NESL_ITEMS], uint32_t count, uint32_t shift,
    const nesl_place (&place)[NESL_BINS], T *to_first, nesl_place *to_second) {
  T *firsts = (T *)shared;
  nesl_place *seconds = (nesl_place *)shared, to[NESL_ITEMS];
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) firsts[slot[i]] = first[i];
  __syncthreads();
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    uint32_t at = threadIdx.x + i * NESL_THREADS;
    T own = at < count ? firsts[at] : 0;
    to[i] = place[(uint32_t)(own >> shift) & 255u] + at;
    if (at < count) to_first[to[i]] = own;
  }
  __syncthreads();
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) seconds[slot[i]] = second[i];
  __syncthreads();
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    uint32_t at = threadIdx.x + i * NESL_THREADS;
    if (at < count) to_second[to[i]] = seconds[at];
  }
}

/* The stretch for a position; slots without a key have one of their own. */
static __device__ __forceinline__ uint32_t nesl_stretch(nesl_place position, uint32_t shift,
                                                        bool some) {
  return some ? (uint32_t)(position >> shift) : (uint32_t)NESL_BINS;
}

/* Puts ranks and the positions they are for into stretches, in any order. */
static __device__ __forceinline__ void nesl_spread(void *shared, nesl_place (&index)[NESL_ITEMS],
                                                   const nesl_place (&rank)[NESL_ITEMS],
                                                   uint32_t (&slot)[NESL_ITEMS],
                                                   const nesl_task &task, const nesl_homes &homes,
                                                   const nesl_stretches &stretches,
                                                   nesl_desk &desk) {
  uint32_t *count = (uint32_t *)shared, thread = threadIdx.x, own = 0;
  uint32_t shift = nesl_anew((uint32_t)stretches.shift);
  __syncthreads();
  if (thread <= NESL_BINS) count[thread] = 0;
  __syncthreads();
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    index[i] += (nesl_place)task.part.start;
    slot[i] = atomicAdd(&count[nesl_stretch(index[i], shift, nesl_slot(i) < task.count)], 1u);
  }
  __syncthreads();
  if (thread < NESL_BINS) own = count[thread];
  uint32_t before = nesl_sum_before(own, desk);
  if (thread < NESL_BINS) {
    nesl_place taken = own == 0 ? 0 : atomicAdd(&stretches.taken[thread], (nesl_place)own);
    count[thread] = before;
    desk.place[thread] = ((nesl_place)thread << shift) + taken - before;
  }
  if (thread == NESL_BINS) count[thread] = task.count;
  __syncthreads();
  shift = nesl_anew(shift);
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    slot[i] += count[nesl_stretch(index[i], shift, nesl_slot(i) < task.count)];
  }
  __syncthreads();
  nesl_move_pairs(shared, index, rank, slot, task.count, shift, desk.place,
                  (nesl_place *)homes.key[0], homes.index[0]);
}

/* The last pass: tells each key its rank. */
static __device__ __forceinline__ void nesl_tell_ranks(void *shared,
                                                       const nesl_bits (&key)[NESL_ITEMS],
                                                       nesl_place (&index)[NESL_ITEMS],
                                                       uint32_t (&slot)[NESL_ITEMS],
                                                       const nesl_task &task, nesl_int *out,
                                                       const nesl_homes &homes,
                                                       const nesl_stretches &stretches,
                                                       nesl_desk &desk) {
  uint32_t d = nesl_anew(task.digit);
  nesl_place rank[NESL_ITEMS];
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    rank[i] = desk.place[nesl_digit(key[i], d)] + slot[i];
  }
  if (stretches.taken && task.before > 0 && task.part.length > NESL_LOCAL) {
    nesl_spread(shared, index, rank, slot, task, homes, stretches, desk);
    return;
  }
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    if (nesl_slot(i) < task.count) out[task.part.start + index[i]] = rank[i];
  }
}

/* Writes the ranks that are in stretches. */
extern "C" __global__ void __launch_bounds__(512)
nesl_sort_deliver(const nesl_place *index, const nesl_place *rank, nesl_int *out, int64_t length,
                  const nesl_place *taken, int64_t shift) {
  int64_t first = (int64_t)blockIdx.x * NESL_DELIVERED;
  int64_t stretch = first >> shift;
  int64_t end = min(first + NESL_DELIVERED, (stretch << shift) + (int64_t)taken[stretch]);
  for (int64_t i = first + threadIdx.x; i < end; i += 512) out[index[i]] = rank[i];
}

#else

/* Moves sorted keys to their places. */
static __device__ __forceinline__ void nesl_move_keys(const nesl_bits *sorted,
                                                      const nesl_task &task, nesl_bits flip,
                                                      nesl_raw *out, const nesl_homes &homes,
                                                      const nesl_desk &desk) {
  nesl_bits *key = homes.key[task.after % 2] + task.part.start;
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) {
    uint32_t slot = threadIdx.x + i * NESL_THREADS;
    if (slot >= task.count) continue;
    nesl_bits own = sorted[slot];
    nesl_place place = desk.place[nesl_digit(own, task.digit)] + slot;
    if (task.after > 0) {
      key[place] = own;
    } else {
      out[task.part.start + place] = nesl_from_order(own, flip);
    }
  }
}

#endif

/* A tile of a part whose keys are all equal. */
static __device__ __forceinline__ void nesl_copy(const nesl_task &task, const nesl_raw *keys,
                                                 nesl_bits flip, void *out) {
  for (int64_t i = threadIdx.x; i < task.count; i += NESL_THREADS) {
    int64_t at = task.part.start + task.begin + i;
    if (NESL_RANKS) {
      ((nesl_int *)out)[at] = task.begin + i;
    } else {
      ((nesl_raw *)out)[at] = nesl_from_order(nesl_to_order(keys[at], flip), flip);
    }
  }
}

/* Finds where the first key of the tile with each digit goes, and tells the tiles behind. */
static __device__ __forceinline__ void nesl_find_places(const nesl_task &task, uint2 own,
                                                        const nesl_place *bins, nesl_place *told,
                                                        nesl_desk &desk) {
  uint32_t thread = threadIdx.x;
  if (thread >= NESL_BINS) return;
  nesl_place before = nesl_look_back(task, told, thread);
  if (task.tile != task.part.tile) {
    uint32_t more = own.x - (thread == NESL_BINS - 1 ? NESL_TILE - task.count : 0);
    nesl_say(&told[(int64_t)task.tile * NESL_BINS + thread], NESL_UP_TO | (before + more));
  }
  int64_t bin = (task.index * NESL_DIGITS + task.digit) * NESL_BINS + thread;
  desk.place[thread] = bins[bin] + before - own.y;
}

/* Tile `tile` of pass `digit`.  `only` is the part if there is only one. */
static __device__ __forceinline__ nesl_task nesl_task_of(uint32_t tile, uint32_t digit,
                                                         const nesl_part &only,
                                                         const nesl_part *parts,
                                                         const uint32_t *part_of) {
  nesl_task task;
  task.index = part_of ? part_of[tile] : 0;
  task.part = part_of ? parts[task.index] : only;
  task.tile = tile;
  task.digit = digit;
  task.before = __popc(task.part.active & ((1u << digit) - 1));
  task.after = __popc(task.part.active >> digit >> 1);
  task.begin = (int64_t)(tile - task.part.tile) * NESL_TILE;
  task.count = (uint32_t)min((int64_t)NESL_TILE, task.part.length - task.begin);
  return task;
}

/* One pass for one tile.  `told` is what tiles tell in this pass. */
static __device__ __forceinline__ void nesl_pass(const nesl_task &task, const nesl_raw *keys,
                                                 void *out, nesl_bits flip,
                                                 const nesl_homes &homes,
                                                 const nesl_stretches &stretches,
                                                 const nesl_place *bins, nesl_place *told,
                                                 nesl_desk &desk, void *shared) {
  uint32_t (*count)[NESL_BINS] = (uint32_t (*)[NESL_BINS])shared;
  nesl_bits key[NESL_ITEMS];
  uint32_t slot[NESL_ITEMS];
  nesl_load(key, task, keys, flip, homes);
  uint2 own = nesl_count_tile(count, key, task, told, desk);
  nesl_rank_tile(slot, count[threadIdx.x / 32], key, task.digit);
  __syncthreads();
#if NESL_RANKS
  nesl_place index[NESL_ITEMS];
  nesl_load_index(index, task, homes);
  nesl_find_places(task, own, bins, told, desk);
  __syncthreads();
  if (task.after == 0) {
    nesl_tell_ranks(shared, key, index, slot, task, (nesl_int *)out, homes, stretches, desk);
  } else {
    nesl_move_pairs(shared, key, index, slot, task.count, 8 * task.digit, desk.place,
                    homes.key[task.after % 2] + task.part.start,
                    homes.index[task.after % 2] + task.part.start);
  }
#else
  nesl_bits *sorted = (nesl_bits *)shared;
#pragma unroll
  for (int32_t i = 0; i < NESL_ITEMS; i++) sorted[slot[i]] = key[i];
  nesl_find_places(task, own, bins, told, desk);
  __syncthreads();
  nesl_move_keys(sorted, task, flip, (nesl_raw *)out, homes, desk);
#endif
}

/* Sorts all parts by one digit.  Tiles are taken by ticket: those that a tile looks back at have
 * been taken before it, so they are never waited for in vain.  What tiles tell alternates between
 * two memories of `row` numbers; a pass clears the one of the next. */
extern "C" __global__ void __launch_bounds__(NESL_THREADS, NESL_BLOCKS)
nesl_sort_pass(int64_t digit, const nesl_raw *keys, void *out, nesl_bits *even, nesl_bits *odd,
               nesl_place *even_index, nesl_place *odd_index, uint64_t flip, int64_t tiles,
               nesl_state *state, const nesl_part *parts, const uint32_t *part_of,
               const nesl_place *bins, nesl_place *told, int64_t row, nesl_place *taken,
               int64_t shift) {
  extern __shared__ uint64_t nesl_shared[];
  __shared__ nesl_desk desk;
  int64_t all = nesl_tiles(state, tiles), turn = blockIdx.x;
  if (turn >= all) return;
  uint32_t d = (uint32_t)digit, thread = threadIdx.x;
  nesl_part only = parts[0];
  if (!part_of && !(only.active >> d & 1) && (only.active != 0 || d > 0)) return;
  nesl_homes homes = {{even, odd}, {even_index, odd_index}};
  for (; turn < all; turn += gridDim.x) {
    if (thread == 0) desk.tile = atomicAdd(&state->tickets[d], 1u);
    __syncthreads();
    nesl_task task = nesl_task_of(desk.tile, d, only, parts, part_of);
    if (task.part.active >> d & 1) {
      nesl_place *now = told + task.before % 2 * row, *then = told + (task.before + 1) % 2 * row;
      if (thread < NESL_BINS) then[(int64_t)task.tile * NESL_BINS + thread] = 0;
      nesl_pass(task, keys, out, flip, homes, nesl_stretches{taken, shift}, bins, now, desk,
                nesl_shared);
    } else if (task.part.active == 0 && d == 0) {
      nesl_copy(task, keys, flip, out);
    }
    __syncthreads();
  }
}

#endif

/* ---- short segments --------------------------------------------------------------------- */

/* Clears what the kernels after this one need for the parts that were found. */
static __device__ __forceinline__ void nesl_clear(const nesl_state *state, nesl_place *bins,
                                                  nesl_place *told) {
  int64_t counts = (int64_t)(state->far >> 32) * (NESL_DIGITS * NESL_BINS);
  int64_t first = (int64_t)blockIdx.x * NESL_SORTERS + threadIdx.x;
  int64_t stride = (int64_t)gridDim.x * NESL_SORTERS;
  for (int64_t i = first; i < counts; i += stride) bins[i] = 0;
  int64_t words = told ? (int64_t)(uint32_t)state->far * NESL_BINS : 0;
  for (int64_t i = first; i < words; i += stride) told[i] = 0;
}

/* Marks of a window, and for each word of them the nearest marks outside of it. */
struct nesl_marks {
  uint32_t word[NESL_WORDS];
  int32_t before[NESL_WORDS]; /* -1: none */
  int32_t after[NESL_WORDS];  /* far away: none */
};

/* Finds the nearest marks before each word, by one warp. */
static __device__ __forceinline__ void nesl_marks_before(nesl_marks &marks, int32_t lane) {
  enum { OWN = NESL_WORDS / 32 };
  int32_t last = -1;
  for (int32_t w = lane * OWN; w < (lane + 1) * OWN; w++) {
    if (marks.word[w]) last = 32 * w + 31 - __clz(marks.word[w]);
  }
  for (int32_t step = 1; step < 32; step *= 2) {
    int32_t other = __shfl_up_sync(NESL_ALL, last, step);
    if (lane >= step) last = max(last, other);
  }
  last = __shfl_up_sync(NESL_ALL, last, 1);
  if (lane == 0) last = -1;
  for (int32_t w = lane * OWN; w < (lane + 1) * OWN; w++) {
    marks.before[w] = last;
    if (marks.word[w]) last = 32 * w + 31 - __clz(marks.word[w]);
  }
}

/* Finds the nearest marks after each word, by one warp. */
static __device__ __forceinline__ void nesl_marks_after(nesl_marks &marks, int32_t lane) {
  enum { OWN = NESL_WORDS / 32, NONE = 1 << 30 };
  int32_t next = NONE;
  for (int32_t w = (lane + 1) * OWN - 1; w >= lane * OWN; w--) {
    if (marks.word[w]) next = 32 * w + __ffs(marks.word[w]) - 1;
  }
  for (int32_t step = 1; step < 32; step *= 2) {
    int32_t other = __shfl_down_sync(NESL_ALL, next, step);
    if (lane + step < 32) next = min(next, other);
  }
  next = __shfl_down_sync(NESL_ALL, next, 1);
  if (lane == 31) next = NONE;
  for (int32_t w = (lane + 1) * OWN - 1; w >= lane * OWN; w--) {
    marks.after[w] = next;
    if (marks.word[w]) next = 32 * w + __ffs(marks.word[w]) - 1;
  }
}

/* Loads the marks of the window at `base`: without any, one segment is all there is. */
static __device__ __forceinline__ void nesl_load_marks(nesl_marks &marks, const uint32_t *heads,
                                                       int64_t base, int64_t length) {
  for (int32_t w = threadIdx.x; w < NESL_WORDS; w += NESL_SORTERS) {
    int64_t at = base / 32 + w;
    uint32_t one = (at == 0 ? 1u : 0u) | (at == length / 32 ? 1u << (length % 32) : 0u);
    marks.word[w] = at > length / 32 ? 0 : heads ? heads[at] : one;
  }
  __syncthreads();
  if (threadIdx.x < 32) nesl_marks_before(marks, threadIdx.x);
  if (threadIdx.x / 32 == 1) nesl_marks_after(marks, threadIdx.x - 32);
  __syncthreads();
}

/* The segment that a slot belongs to: its first slot, and its length in the upper half.  0 if the
 * segment is not for this block. */
static __device__ __forceinline__ uint32_t nesl_segment_of(const nesl_marks &marks, int32_t slot) {
  int32_t w = slot / 32, b = slot % 32;
  uint32_t word = marks.word[w], lower = word & (NESL_ALL >> (31 - b)), upper = word >> b >> 1;
  int32_t start = lower ? 32 * w + 31 - __clz(lower) : marks.before[w];
  int32_t end = upper ? slot + __ffs(upper) : marks.after[w];
  bool ours = start >= 0 && start < NESL_NEAR && end - start <= NESL_NEAR;
  return ours ? (uint32_t)start | (uint32_t)(end - start) << 16 : 0;
}

/* The keys of a window while they are being sorted.  Keys, and where they came from, move back
 * and forth between two memories. */
struct nesl_window {
  nesl_bits *now, *then;
  uint16_t *from, *to;
  uint32_t *segment; /* of each slot, see nesl_segment_of */
  int32_t used;      /* slots */
  int32_t longest;   /* segment */
};

static __device__ __forceinline__ void nesl_swap(nesl_window &w) {
  nesl_bits *key = w.now;
  w.now = w.then;
  w.then = key;
  uint16_t *from = w.from;
  w.from = w.to;
  w.to = from;
}

/* Writes the key that a segment has at `place`, or the rank of the key in `slot`. */
static __device__ __forceinline__ void nesl_tell(void *out, nesl_bits key, nesl_bits flip,
                                                 int32_t slot, int32_t start, int32_t place) {
  if (NESL_RANKS) {
    ((nesl_int *)out)[slot] = place - start;
  } else {
    ((nesl_raw *)out)[place] = nesl_from_order(key, flip);
  }
}

/* Sorts runs of NESL_RUN keys: each key counts those before it.  Segments that are no longer are
 * done then. */
static __device__ __forceinline__ void nesl_count_runs(nesl_window &w, void *out, nesl_bits flip) {
  for (int32_t slot = threadIdx.x; slot < w.used; slot += NESL_SORTERS) {
    uint32_t segment = w.segment[slot];
    if (segment == 0) continue;
    int32_t start = segment & 0xffff, end = start + (segment >> 16);
    int32_t first = start + (slot - start) / NESL_RUN * NESL_RUN, place = first;
    nesl_bits key = w.now[slot], own = nesl_merged(key);
    for (int32_t i = first; i < slot; i++) place += nesl_merged(w.now[i]) <= own;
    for (int32_t i = slot + 1; i < min(first + NESL_RUN, end); i++) {
      place += nesl_merged(w.now[i]) < own;
    }
    if (segment >> 16 <= NESL_RUN) {
      nesl_tell(out, key, flip, slot, start, place);
      w.segment[slot] = 0;
      continue;
    }
    w.then[place] = key;
    if (NESL_RANKS) w.to[place] = (uint16_t)slot;
  }
  __syncthreads();
  nesl_swap(w);
}

/* The place of a key after runs of `run` keys have been merged in pairs. */
static __device__ __forceinline__ int32_t nesl_merged_place(const nesl_window &w, int32_t slot,
                                                            uint32_t segment, nesl_bits own,
                                                            int32_t run) {
  int32_t start = segment & 0xffff, end = start + (segment >> 16);
  int32_t at = slot - start;
  bool left = (at & run) == 0;
  int32_t pair = start + (at & ~(2 * run - 1));
  int32_t other = left ? pair + run : pair, low = other, high = min(other + run, end);
  while (low < high) {
    int32_t middle = (low + high) / 2;
    nesl_bits key = nesl_merged(w.now[middle]);
    if (left ? key < own : key <= own) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return pair + (at & (run - 1)) + low - other;
}

static __device__ __forceinline__ void nesl_merge_runs(nesl_window &w, int32_t run) {
  for (int32_t slot = threadIdx.x; slot < w.used; slot += NESL_SORTERS) {
    uint32_t segment = w.segment[slot];
    if (segment == 0) continue;
    nesl_bits key = w.now[slot];
    int32_t place = slot;
    if (segment >> 16 > (uint32_t)run) {
      place = nesl_merged_place(w, slot, segment, nesl_merged(key), run);
    }
    w.then[place] = key;
    if (NESL_RANKS) w.to[place] = w.from[slot];
  }
  __syncthreads();
  nesl_swap(w);
}

/* Loads the keys of the segments that are for this block. */
static __device__ __forceinline__ void nesl_load_window(nesl_window &w, const nesl_marks &marks,
                                                        const nesl_raw *keys, nesl_bits flip) {
  int32_t used = 0, longest = 0;
#pragma unroll
  for (int32_t i = 0; i < NESL_WINDOW / NESL_SORTERS; i++) {
    int32_t slot = threadIdx.x + i * NESL_SORTERS;
    uint32_t segment = nesl_segment_of(marks, slot);
    w.segment[slot] = segment;
    if (segment == 0) continue;
    w.now[slot] = nesl_to_order(keys[slot], flip);
    used = slot + 1;
    longest = max(longest, (int32_t)(segment >> 16));
  }
  __shared__ int32_t most[2];
  if (threadIdx.x < 2) most[threadIdx.x] = 0;
  __syncthreads();
  used = __reduce_max_sync(NESL_ALL, used);
  longest = __reduce_max_sync(NESL_ALL, longest);
  if (threadIdx.x % 32 == 0 && used > 0) {
    atomicMax(&most[0], used);
    atomicMax(&most[1], longest);
  }
  __syncthreads();
  w.used = most[0];
  w.longest = most[1];
}

/* Writes the sorted keys, or the rank of each key. */
static __device__ __forceinline__ void nesl_store_window(const nesl_window &w, void *out,
                                                         nesl_bits flip) {
  if (NESL_RANKS) {
    for (int32_t slot = threadIdx.x; slot < w.used; slot += NESL_SORTERS) {
      if (w.segment[slot]) w.to[w.from[slot]] = (uint16_t)(slot - (w.segment[slot] & 0xffff));
    }
    __syncthreads();
  }
  for (int32_t slot = threadIdx.x; slot < w.used; slot += NESL_SORTERS) {
    if (w.segment[slot] == 0) continue;
    int32_t rank = NESL_RANKS ? w.to[slot] : slot;
    nesl_tell(out, w.now[slot], flip, slot, 0, rank);
  }
}

/* Sorts the short segments: a block those that begin in its piece of NESL_NEAR keys.  Without
 * `heads` all keys are one segment. */
extern "C" __global__ void __launch_bounds__(NESL_SORTERS, 2)
nesl_sort_near(const nesl_raw *keys, void *out, int64_t length, uint64_t flip,
               const uint32_t *heads, const nesl_state *state, nesl_place *bins,
               nesl_place *told) {
  extern __shared__ uint64_t nesl_shared[];
  __shared__ nesl_marks marks;
  if (heads) {
    nesl_clear(state, bins, told);
    if (state->near == 0) return;
  }
  int64_t base = (int64_t)blockIdx.x * NESL_NEAR;
  nesl_load_marks(marks, heads, base, length);
  nesl_window w;
  w.now = (nesl_bits *)nesl_shared;
  w.then = w.now + NESL_WINDOW;
  w.segment = (uint32_t *)(w.then + NESL_WINDOW);
  w.from = (uint16_t *)(w.segment + NESL_WINDOW);
  w.to = w.from + NESL_WINDOW;
  nesl_load_window(w, marks, keys + base, flip);
  if (w.used == 0) return;
  out = NESL_RANKS ? (void *)((nesl_int *)out + base) : (void *)((nesl_raw *)out + base);
  nesl_count_runs(w, out, flip);
  if (w.longest <= NESL_RUN) return;
  for (int32_t run = NESL_RUN; run < w.longest; run *= 2) nesl_merge_runs(w, run);
  nesl_store_window(w, out, flip);
}
