/* Collectives: all threads of a block come to them together.
 *
 * `scratch` is memory of the block that collectives use one after the other; each leaves it free.
 * Values are combined in a fixed order, so that floats come to the same in every run. */

enum { NESL_WARP = 32 };

/* ---- monoids ---------------------------------------------------------------------------- */

NESL_SCALAR int64_t nesl_lowest(int64_t) { return INT64_MIN; }
NESL_SCALAR int64_t nesl_highest(int64_t) { return INT64_MAX; }
NESL_SCALAR int32_t nesl_lowest(int32_t) { return INT32_MIN; }
NESL_SCALAR int32_t nesl_highest(int32_t) { return INT32_MAX; }
NESL_SCALAR float nesl_lowest(float) { return -INFINITY; }
NESL_SCALAR float nesl_highest(float) { return INFINITY; }
NESL_SCALAR double nesl_lowest(double) { return -INFINITY; }
NESL_SCALAR double nesl_highest(double) { return INFINITY; }
NESL_SCALAR uint8_t nesl_lowest(uint8_t) { return 0; }
NESL_SCALAR uint8_t nesl_highest(uint8_t) { return 255; }
NESL_SCALAR int64_t nesl_ones(int64_t) { return -1; }
NESL_SCALAR int32_t nesl_ones(int32_t) { return -1; }
NESL_SCALAR bool nesl_ones(bool) { return true; }

NESL_SCALAR int64_t nesl_sum_of(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b); /* wraps */
}
NESL_SCALAR int32_t nesl_sum_of(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
NESL_SCALAR float nesl_sum_of(float a, float b) { return a + b; }
NESL_SCALAR double nesl_sum_of(double a, double b) { return a + b; }
NESL_SCALAR int64_t nesl_product_of(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
NESL_SCALAR int32_t nesl_product_of(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a * (uint32_t)b);
}
NESL_SCALAR float nesl_product_of(float a, float b) { return a * b; }
NESL_SCALAR double nesl_product_of(double a, double b) { return a * b; }

template <class T> struct nesl_add {
  using type = T;
  static __device__ T identity() { return 0; }
  static __device__ T of(T a, T b) { return nesl_sum_of(a, b); }
};
template <class T> struct nesl_mul {
  using type = T;
  static __device__ T identity() { return 1; }
  static __device__ T of(T a, T b) { return nesl_product_of(a, b); }
};
template <class T> struct nesl_larger {
  using type = T;
  static __device__ T identity() { return nesl_lowest(T()); }
  static __device__ T of(T a, T b) { return a > b || b != b ? a : b; }
};
template <class T> struct nesl_smaller {
  using type = T;
  static __device__ T identity() { return nesl_highest(T()); }
  static __device__ T of(T a, T b) { return a < b || b != b ? a : b; }
};
template <class T> struct nesl_and {
  using type = T;
  static __device__ T identity() { return nesl_ones(T()); }
  static __device__ T of(T a, T b) { return a & b; }
};
template <class T> struct nesl_or {
  using type = T;
  static __device__ T identity() { return 0; }
  static __device__ T of(T a, T b) { return a | b; }
};

template <class T> struct nesl_xor {
  using type = T;
  static __device__ T identity() { return 0; }
  static __device__ T of(T a, T b) { return a ^ b; }
};

/* A value, and whether it has restarted: then what is before it does not count. */
template <class T> struct nesl_part {
  T value;
  bool restarted;
};
template <class M> struct nesl_restarting {
  using type = nesl_part<typename M::type>;
  static __device__ type identity() { return {M::identity(), false}; }
  static __device__ type of(type a, type b) {
    return {b.restarted ? b.value : M::of(a.value, b.value), a.restarted || b.restarted};
  }
};

/* ---- words ------------------------------------------------------------------------------ */

template <class T> struct nesl_size {
  enum { WORDS = 1 };
};
template <class T> struct nesl_size<nesl_part<T>> {
  enum { WORDS = 2 };
};
NESL_SCALAR void nesl_put(nesl_word *to, int64_t x) { to->i = x; }
NESL_SCALAR void nesl_put(nesl_word *to, int32_t x) { to->i = x; }
NESL_SCALAR void nesl_put(nesl_word *to, float x) { to->i = __float_as_int(x); }
NESL_SCALAR void nesl_put(nesl_word *to, double x) { to->f = x; }
NESL_SCALAR void nesl_put(nesl_word *to, uint8_t x) { to->i = x; }
NESL_SCALAR void nesl_put(nesl_word *to, bool x) { to->i = x; }
template <class T> NESL_SCALAR void nesl_put(nesl_word *to, nesl_part<T> x) {
  nesl_put(to, x.value);
  to[1].i = x.restarted;
}
NESL_SCALAR void nesl_unpack(const nesl_word *from, int64_t &x) { x = from->i; }
NESL_SCALAR void nesl_unpack(const nesl_word *from, int32_t &x) { x = (int32_t)from->i; }
NESL_SCALAR void nesl_unpack(const nesl_word *from, float &x) { x = __int_as_float((int32_t)from->i); }
NESL_SCALAR void nesl_unpack(const nesl_word *from, double &x) { x = from->f; }
NESL_SCALAR void nesl_unpack(const nesl_word *from, uint8_t &x) { x = (uint8_t)from->i; }
NESL_SCALAR void nesl_unpack(const nesl_word *from, bool &x) { x = from->i != 0; }
template <class T> NESL_SCALAR void nesl_unpack(const nesl_word *from, nesl_part<T> &x) {
  nesl_unpack(from, x.value);
  x.restarted = from[1].i != 0;
}
template <class T> NESL_SCALAR T nesl_get(const nesl_word *from) {
  T x;
  nesl_unpack(from, x);
  return x;
}

/* What another block has written. */
template <class T> NESL_SCALAR T nesl_load(const nesl_word *word) {
  nesl_word copy;
  copy.i = *(volatile const int64_t *)&word->i;
  return nesl_get<T>(&copy);
}

/* ---- warps ------------------------------------------------------------------------------ */

NESL_SCALAR int64_t nesl_from(int64_t x, uint32_t lane) {
  return __shfl_sync(0xffffffffu, x, lane);
}
NESL_SCALAR int32_t nesl_from(int32_t x, uint32_t lane) {
  return __shfl_sync(0xffffffffu, x, lane);
}
NESL_SCALAR float nesl_from(float x, uint32_t lane) { return __shfl_sync(0xffffffffu, x, lane); }
NESL_SCALAR double nesl_from(double x, uint32_t lane) { return __shfl_sync(0xffffffffu, x, lane); }
NESL_SCALAR uint8_t nesl_from(uint8_t x, uint32_t lane) {
  return (uint8_t)__shfl_sync(0xffffffffu, (uint32_t)x, lane);
}
NESL_SCALAR bool nesl_from(bool x, uint32_t lane) {
  return __shfl_sync(0xffffffffu, (uint32_t)x, lane) != 0;
}

template <class T> NESL_SCALAR nesl_part<T> nesl_from(nesl_part<T> x, uint32_t lane) {
  return {nesl_from(x.value, lane), nesl_from(x.restarted, lane)};
}

/* All values of the warp combined, in every thread. */
template <class M, class T> NESL_SCALAR T nesl_warp_combine(T value) {
  uint32_t lane = threadIdx.x % NESL_WARP;
#pragma unroll
  for (uint32_t step = 1; step < NESL_WARP; step *= 2) {
    T other = nesl_from(value, lane ^ step);
    value = lane & step ? M::of(other, value) : M::of(value, other);
  }
  return value;
}

/* The values of the lanes up to this one combined. */
template <class M, class T> NESL_SCALAR T nesl_warp_scan(T value) {
  uint32_t lane = threadIdx.x % NESL_WARP;
#pragma unroll
  for (uint32_t step = 1; step < NESL_WARP; step *= 2) {
    T before = nesl_from(value, lane - step);
    if (lane >= step) value = M::of(before, value);
  }
  return value;
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* All values of the block combined, in every thread. */
template <class M, class T> NESL_SCALAR T nesl_combine(T value, nesl_word *scratch) {
  uint32_t warp = threadIdx.x / NESL_WARP, warps = blockDim.x / NESL_WARP;
  value = nesl_warp_combine<M>(value);
  if (threadIdx.x % NESL_WARP == 0) nesl_put(&scratch[warp], value);
  __syncthreads();
  T all = nesl_get<T>(&scratch[0]);
  for (uint32_t w = 1; w < warps; w++) all = M::of(all, nesl_get<T>(&scratch[w]));
  __syncthreads();
  return all;
}

/* Exclusive prefixes of a striped array, in two steps with a barrier between them: those of the part
 * that a warp has, whose total is told in `shares`, a place for each warp ... */
template <class M, int ITEMS, class T>
NESL_SCALAR void nesl_scan_warp(T (&values)[ITEMS], nesl_word *shares) {
  enum { SIZE = nesl_size<T>::WORDS };
  uint32_t lane = threadIdx.x % NESL_WARP, warp = threadIdx.x / NESL_WARP;
  T sum = M::identity();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    T inclusive = nesl_warp_scan<M>(values[k]);
    T before = nesl_from(inclusive, lane - 1);
    values[k] = lane == 0 ? sum : M::of(sum, before);
    sum = M::of(sum, nesl_from(inclusive, NESL_WARP - 1));
  }
  if (lane == 0) nesl_put(&shares[warp * SIZE], sum);
}

/* ... and then those of the whole; gives the total. */
template <class M, int THREADS, int ITEMS, class T>
NESL_SCALAR T nesl_scan_block(T (&values)[ITEMS], const nesl_word *shares) {
  enum { WARPS = THREADS / NESL_WARP, SIZE = nesl_size<T>::WORDS };
  uint32_t warp = threadIdx.x / NESL_WARP;
  T before = M::identity(), all = M::identity();
#pragma unroll
  for (uint32_t w = 0; w < WARPS; w++) {
    if (w == warp) before = all;
    all = M::of(all, nesl_get<T>(&shares[w * SIZE]));
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) values[k] = M::of(before, values[k]);
  return all;
}

/* The same where values restart; each flag becomes whether one before has, `any` whether one has.
 * If it is inclusive, prefixes and flags have what is at their own place, too.  Where segments start
 * in a warp, all its threads know by a vote. */
template <class M, int THREADS, bool INCLUSIVE, int ITEMS, class T>
NESL_SCALAR T nesl_scan_restarting(T (&values)[ITEMS], bool (&flags)[ITEMS], bool &any,
    nesl_word *shares) {
  typedef nesl_restarting<M> parts;
  uint32_t lane = threadIdx.x % NESL_WARP, warp = threadIdx.x / NESL_WARP;
  nesl_part<T> own = parts::identity();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    uint32_t heads = __ballot_sync(0xffffffffu, flags[k]);
    uint32_t earlier = heads & ((1u << lane) - 1), upto = heads & (0xffffffffu >> (31 - lane));
    uint32_t first = upto ? 31 - __clz(upto) : 0;
    T inclusive = values[k];
#pragma unroll
    for (uint32_t step = 1; step < NESL_WARP; step *= 2) {
      T before = nesl_from(inclusive, lane - step);
      if (lane >= first + step) inclusive = M::of(before, inclusive);
    }
    T row = nesl_from(inclusive, NESL_WARP - 1);
    if (INCLUSIVE) {
      values[k] = upto ? inclusive : M::of(own.value, inclusive);
      flags[k] = own.restarted || upto;
    } else {
      T before = nesl_from(inclusive, lane - 1);
      values[k] = lane == 0 ? own.value : earlier ? before : M::of(own.value, before);
      flags[k] = own.restarted || earlier;
    }
    own = parts::of(own, {row, heads != 0});
  }
  if (lane == 0) nesl_put(&shares[warp * 2], own);
  __syncthreads();
  nesl_part<T> before = parts::identity(), all = parts::identity();
#pragma unroll
  for (uint32_t w = 0; w < THREADS / NESL_WARP; w++) {
    if (w == warp) before = all;
    all = parts::of(all, nesl_get<nesl_part<T>>(&shares[w * 2]));
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    if (!flags[k]) values[k] = M::of(before.value, values[k]);
    flags[k] |= before.restarted;
  }
  any = all.restarted;
  return all.value;
}

/* How many of the elements before each one of a striped array are true, in two such steps: in the
 * warp, of which the number is returned, and in the block.  Numbers of two arrays share half a word,
 * of four a word. */
template <class C, int ITEMS>
NESL_SCALAR C nesl_count_warp(const bool (&flags)[ITEMS], int32_t (&before)[ITEMS]) {
  uint32_t lane = threadIdx.x % NESL_WARP, sum = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    uint32_t votes = __ballot_sync(0xffffffffu, flags[k]);
    before[k] = sum + __popc(votes & ((1u << lane) - 1));
    sum += __popc(votes);
  }
  return sum;
}
template <class C> NESL_SCALAR void nesl_share(nesl_word *shares, C counts) {
  if (threadIdx.x % NESL_WARP == 0) *(C *)&shares[threadIdx.x / NESL_WARP] = counts;
}
template <class C, int THREADS> struct nesl_counts {
  C earlier, all; /* of the warps before this one, and of all */

  __device__ nesl_counts(const nesl_word *shares) : earlier(0), all(0) {
#pragma unroll
    for (uint32_t w = 0; w < THREADS / NESL_WARP; w++) {
      if (w == threadIdx.x / NESL_WARP) earlier = all;
      all += *(const C *)&shares[w];
    }
  }
  /* Of one array, the one whose numbers begin at a bit. */
  template <int BIT, int ITEMS> __device__ nesl_int of(int32_t (&before)[ITEMS]) const {
    static_assert(THREADS * ITEMS < 1 << 16, "numbers of a tile fit");
#pragma unroll
    for (int k = 0; k < ITEMS; k++) before[k] += (int32_t)(earlier >> BIT & 0xffff);
    return (nesl_int)(all >> BIT & 0xffff);
  }
};

/* ---- segments --------------------------------------------------------------------------- */

/* Zeros for a shared array that is aligned to 16 bytes, which a thread stores at once. */
template <int THREADS, int LENGTH, class T> NESL_SCALAR void nesl_zero(T (&array)[LENGTH]) {
  enum { EACH = 16 / sizeof(T), WHOLE = LENGTH / EACH * EACH };
#pragma unroll
  for (int i = threadIdx.x * EACH; i < WHOLE; i += THREADS * EACH) *(uint4 *)&array[i] = uint4{};
  if constexpr (WHOLE < LENGTH) {
    if (threadIdx.x < LENGTH - WHOLE) array[WHOLE + threadIdx.x] = 0;
  }
}

/* For each element from `from` to before `end`, the index in first..last whose segment it is in,
 * counted from the first.  The first element of each segment gets a mark, and whoever has none
 * takes it from the last before it.  A warp has a part of the elements; what its first one belongs
 * to is told, too. */
template <int THREADS, int LENGTH>
NESL_SCALAR void nesl_owners(const nesl_int *offsets, nesl_int first, nesl_int last, nesl_int from,
    nesl_int end, uint16_t (&owners)[LENGTH]) {
  enum { ROWS = (LENGTH + THREADS - 1) / THREADS, WARPS = (THREADS + NESL_WARP - 1) / NESL_WARP };
  enum { PART = ROWS * NESL_WARP };
  __shared__ int32_t firsts[WARPS];
  nesl_zero<THREADS>(owners);
  __syncthreads();
  for (nesl_int index = first + threadIdx.x; index < last; index += THREADS) {
    nesl_int start = offsets[index] - from, stop = nesl_min(offsets[index + 1], end) - from;
    if (start >= stop) continue;
    int32_t mark = (int32_t)(index - first) + 1;
    if (start >= 0) owners[start] = (uint16_t)mark;
    int32_t warp = start < 0 ? 0 : (int32_t)start / PART + 1;
    for (; warp * PART < stop; warp++) firsts[warp] = mark;
  }
  __syncthreads();
  uint32_t lane = threadIdx.x % NESL_WARP, warp = threadIdx.x / NESL_WARP;
  int32_t before = firsts[warp];
#pragma unroll
  for (int k = 0; k < ROWS; k++) {
    int i = warp * PART + k * NESL_WARP + lane;
    int32_t mark = i < LENGTH ? owners[i] : 0;
    uint32_t heads = __ballot_sync(0xffffffffu, mark != 0);
    uint32_t upto = heads & (0xffffffffu >> (NESL_WARP - 1 - lane));
    int32_t known = __shfl_sync(0xffffffffu, mark, upto ? 31 - __clz(upto) : lane);
    int32_t owner = upto ? known : before;
    if (i < LENGTH) owners[i] = (uint16_t)(owner - 1);
    before = __shfl_sync(0xffffffffu, owner, NESL_WARP - 1);
  }
  __syncthreads();
}

/* For each element from `from` to before `end` whether it is the last of its segment, one of those
 * from `first` to before `last`: 1 or 0. */
template <int THREADS, int LENGTH>
NESL_SCALAR void nesl_ends(const nesl_int *offsets, nesl_int first, nesl_int last, nesl_int from,
    nesl_int end, uint8_t (&ends)[LENGTH]) {
  nesl_zero<THREADS>(ends);
  __syncthreads();
  for (nesl_int index = first + threadIdx.x; index < last; index += THREADS) {
    /* That of an empty segment is the end of one before it. */
    nesl_int stop = offsets[index + 1];
    if (from < stop && stop <= end) ends[stop - 1 - from] = 1;
  }
  __syncthreads();
}

/* A bit for each of some bytes that lie side by side and are 1 or 0. */
template <int COUNT> NESL_SCALAR uint32_t nesl_bits(const uint8_t *bytes) {
  uint32_t bits = 0;
  if constexpr (COUNT % 4 == 0) {
#pragma unroll
    for (int k = 0; k < COUNT; k += 4) {
      /* Byte n of four goes to bit 24 + n. */
      bits |= (*(const uint32_t *)&bytes[k] * 0x01020408u >> 24 & 15) << k;
    }
  } else {
    for (int k = 0; k < COUNT; k++) bits |= (uint32_t)bytes[k] << k;
  }
  return bits;
}

/* What the values of a striped array come to in each segment: `sums` where it ends, and as the
 * result what comes after the last end; `any` tells whether there is one.  A thread combines ITEMS
 * elements that lie side by side, which costs less than a scan of each row of a warp; only what it
 * has after its last end goes through a scan, and what it has before its first waits for that.
 * (After Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication".) */
template <class M, int THREADS, int ITEMS, int LENGTH, class T>
NESL_SCALAR T nesl_rows(const T (&values)[ITEMS], const uint8_t (&ends)[LENGTH], nesl_int count,
    T (&sums)[LENGTH], bool &any, nesl_word *shares) {
  static_assert(LENGTH == THREADS * ITEMS && (ITEMS & (ITEMS - 1)) == 0, "a tile is one array");
  enum { WARPS = THREADS / NESL_WARP, PART = NESL_WARP * ITEMS, LINE = 128 };
  enum { TURN = sizeof(T) * ITEMS < LINE ? LINE / (sizeof(T) * ITEMS) : 1 };
  uint32_t lane = threadIdx.x % NESL_WARP, warp = threadIdx.x / NESL_WARP;
  int first = threadIdx.x * ITEMS, left = (int)count - first;
  /* The warp's elements change places through shared memory, turned so that banks do not meet. */
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    uint32_t at = warp * PART + k * NESL_WARP + lane;
    sums[at / ITEMS * ITEMS + (at + at / ITEMS / TURN) % ITEMS] = values[k];
  }
  uint32_t marks = nesl_bits<ITEMS>(&ends[first]);
  __syncwarp();
  T own[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) own[k] = sums[first + (k + threadIdx.x / TURN) % ITEMS];
  if (left < ITEMS) {
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      if (k >= left) own[k] = M::identity();
    }
  }
  T sum = M::identity();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    sum = M::of(sum, own[k]);
    if (marks >> k & 1) {
      sums[first + k] = sum;
      sum = M::identity();
    }
  }
  /* Each lane adds what lanes before it have, back to one that has an end. */
  uint32_t heads = __ballot_sync(0xffffffffu, marks != 0), lower = (1u << lane) - 1;
  uint32_t upto = heads & (lower * 2 + 1);
  uint32_t reach = lane - (upto ? 31 - __clz(upto) : 0);
#pragma unroll
  for (uint32_t step = 1; step < NESL_WARP; step *= 2) {
    T other = nesl_from(sum, lane - step);
    if (step <= reach) sum = M::of(other, sum);
  }
  if (lane == NESL_WARP - 1) nesl_put(&shares[warp * 2], nesl_part<T>{sum, heads != 0});
  T before = nesl_from(sum, lane - 1);
  if (lane == 0) before = M::identity();
  __syncthreads();
  /* The same with warps: mostly the one before has an end. */
  auto add = [&](uint32_t warps, T last) {
    nesl_part<T> part = {last, false};
    while (warps > 0 && !part.restarted) {
      nesl_part<T> other = nesl_get<nesl_part<T>>(&shares[--warps * 2]);
      part = {M::of(other.value, part.value), other.restarted};
    }
    return part;
  };
  if (marks != 0) {
    if ((heads & lower) == 0) before = add(warp, before).value;
    int at = first + __ffs(marks) - 1;
    sums[at] = M::of(before, sums[at]);
  }
  nesl_part<T> all = add(WARPS, M::identity());
  __syncthreads();
  any = all.restarted;
  return all.value;
}
