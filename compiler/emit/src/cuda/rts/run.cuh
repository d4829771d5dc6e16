/* What a launch hands to its kernel besides the arguments, and how tiles and chains use it.
 *
 * Include after types.cuh. */

/* A word of scratch memory. */
union nesl_word {
  int64_t i;
  double f;
  uint8_t b;
};

enum { NESL_DEPTH = 6 }; /* positions kept for a report */

/* The first fault in order: filled in by diagnosis only.  Diagnosis runs the kernel twice: first
 * each fault lowers `key`, which is all ones before, to the place where it happened; then the one
 * that finds its place there tells what it saw. */
struct nesl_report {
  uint64_t key;
  int32_t tell; /* 0: find the first; 1: tell about it */
  int32_t site; /* row of the table of fault sites; -1 if there was none */
  int32_t depth;
  int32_t unused;
  int64_t operands[2];
  int64_t positions[NESL_DEPTH];
};

/* One launch.  Rust lays out the same struct. */
struct nesl_run {
  uint32_t *failed;      /* the number of a launch that has failed: those after it do nothing */
  uint32_t *told;        /* the same for the host, in its memory */
  uint32_t *ended;       /* how many blocks have; 0 before a launch and left 0 after it */
  nesl_word *scratch;    /* `words` for each tile, then as many cells, 16 bytes each */
  nesl_report *report;   /* in diagnosis */
  int64_t tiles;         /* how many there are */
  uint32_t number;       /* of this launch: not 0, and no cell in scratch has this number yet */
  uint32_t few;          /* tiles of which each looks for its own start */
};

/* ---- writes of several tiles ------------------------------------------------------------ */

/* A greater int takes the place of a smaller one, whoever else does the same. */
NESL_SCALAR void nesl_greatest(int32_t *at, int32_t value) { atomicMax(at, value); }
NESL_SCALAR void nesl_greatest(int64_t *at, int64_t value) {
  atomicMax((long long *)at, (long long)value);
}

/* ---- ranges ----------------------------------------------------------------------------- */

/* Whether 0 <= index < end. */
NESL_SCALAR bool nesl_within(nesl_int index, nesl_int end) {
  return (nesl_uint)index < (nesl_uint)(end > 0 ? end : 0);
}

/* ---- reads ------------------------------------------------------------------------------ */

/* What nobody writes, the first to make room in the first cache. */
NESL_SCALAR int32_t nesl_stream(const int32_t *from) {
  int32_t x;
  asm("ld.global.nc.L1::evict_first.L2::128B.b32 %0, [%1];" : "=r"(x) : "l"(from));
  return x;
}
NESL_SCALAR int64_t nesl_stream(const int64_t *from) {
  int64_t x;
  asm("ld.global.nc.L1::evict_first.L2::128B.b64 %0, [%1];" : "=l"(x) : "l"(from));
  return x;
}
NESL_SCALAR float nesl_stream(const float *from) {
  return __int_as_float(nesl_stream((const int32_t *)from));
}
NESL_SCALAR double nesl_stream(const double *from) {
  return __longlong_as_double(nesl_stream((const int64_t *)from));
}

/* ---- tiles ------------------------------------------------------------------------------ */

/* The first index i before which at least `target` indices and elements lie; at most extent.  The
 * threads of a warp look together, at 64 places in each step: with 128 there are fewer steps, but
 * each place is a sector of memory. */
NESL_FUNCTION int64_t nesl_cut(const nesl_int *offsets, int64_t extent, int64_t target) {
  enum { EACH = 2, PLACES = 32 * EACH };
  int64_t low = 0, high = extent, first = offsets[0], lane = threadIdx.x % 32;
  while (low < high) {
    int64_t step = (high - low + PLACES - 1) / PLACES, count = 0;
    bool before[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      int64_t place = low + (k * 32 + lane + 1) * step - 1;
      before[k] = place < high && offsets[place] - first + place < target;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) count += __popc(__ballot_sync(0xffffffffu, before[k]));
    high = nesl_min(low + (count + 1) * step - 1, high);
    low = nesl_min(low + count * step, high);
  }
  return low;
}

/* The same for the first of a tile and the first past it, both found at once by the first two
 * warps, unless there is but one tile. */
NESL_SCALAR void nesl_cuts(const nesl_int *offsets, int64_t extent, int64_t target, int64_t grain,
    nesl_int &from, nesl_int &to) {
  if (target == 0 && extent + offsets[extent] - offsets[0] <= grain) {
    from = 0;
    to = (nesl_int)extent;
    return;
  }
  __shared__ nesl_int cuts[2];
  for (uint32_t end = threadIdx.x / 32; end < 2; end += blockDim.x / 32) {
    nesl_int cut = (nesl_int)nesl_cut(offsets, extent, target + end * grain);
    if (threadIdx.x % 32 == 0) cuts[end] = cut;
  }
  __syncthreads();
  from = cuts[0];
  to = cuts[1];
  __syncthreads();
}

/* The same for tiles that cut segments: the first index, and the element from which on elements are
 * the tile's own.  Index i stands before the elements of its segment. */
NESL_SCALAR nesl_int nesl_cut_element(const nesl_int *offsets, int64_t index, int64_t target) {
  return (nesl_int)nesl_min(target - index + offsets[0], offsets[index]);
}
NESL_SCALAR void nesl_cuts_at(const nesl_int *offsets, int64_t extent, int64_t target, int64_t grain,
    nesl_int &from, nesl_int &first, nesl_int &to, nesl_int &last) {
  nesl_cuts(offsets, extent, target, grain, from, to);
  first = nesl_cut_element(offsets, from, target);
  last = nesl_cut_element(offsets, to, target + grain);
}

/* The same for segments of one length. */
NESL_SCALAR nesl_int nesl_cut_even(int64_t length, int64_t extent, int64_t target) {
  length = nesl_max(length, 0);
  return (nesl_int)nesl_min((target + length) / (length + 1), extent);
}
NESL_SCALAR void nesl_cuts_even(int64_t length, int64_t extent, int64_t target, int64_t grain,
    nesl_int &first, nesl_int &last) {
  first = nesl_cut_even(length, extent, target);
  last = nesl_cut_even(length, extent, target + grain);
}
NESL_SCALAR void nesl_cut_even_at(int64_t length, int64_t extent, int64_t target, nesl_int &index,
    nesl_int &element) {
  index = nesl_cut_even(length, extent, target);
  element = (nesl_int)nesl_min(target - index, index * nesl_max(length, 0));
}
NESL_SCALAR void nesl_cuts_even_at(int64_t length, int64_t extent, int64_t target, int64_t grain,
    nesl_int &from, nesl_int &first, nesl_int &to, nesl_int &last) {
  nesl_cut_even_at(length, extent, target, from, first);
  nesl_cut_even_at(length, extent, target + grain, to, last);
}

/* The index in first..last whose segment has an element. */
NESL_SCALAR nesl_int nesl_owner(const nesl_int *offsets, nesl_int first, nesl_int last,
    nesl_int element) {
  while (last - first > 1) {
    nesl_int middle = first + (last - first) / 2;
    if (offsets[middle] <= element) {
      first = middle;
    } else {
      last = middle;
    }
  }
  return first;
}

/* Whether an earlier launch has failed: then this one does nothing.  That this launch fails does not
 * count, so all threads get the same answer, and of tiles that wait for each other all go on. */
NESL_SCALAR bool nesl_failed(const nesl_run &run) {
  uint32_t number = *run.failed;
  return number != 0 && number != run.number;
}

/* Whether this block is the last to come here: then it sees what the others have written. */
NESL_SCALAR bool nesl_last(const nesl_run &run) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(run.ended, 1u) == gridDim.x - 1;
    if (last) *run.ended = 0;
  }
  __syncthreads();
  return last;
}
