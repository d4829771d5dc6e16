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
  uint32_t *failed;      /* not 0 once a launch has failed: kernels then do nothing */
  uint32_t *told;        /* the same for the host, in its memory */
  uint32_t *tickets;     /* two counters, 0 before a launch and left 0 after it */
  nesl_word *scratch;    /* `words` for each tile, then a flag for each tile and step of the chain */
  nesl_report *report;   /* in diagnosis */
  int64_t tiles;         /* how many there are */
  uint32_t number;       /* of this launch: not 0, and no flag in scratch has this value yet */
  uint32_t unused;
};

/* ---- tiles ------------------------------------------------------------------------------ */

/* The first index i before which at least `target` indices and elements lie; at most extent. */
NESL_FUNCTION int64_t nesl_cut(const int64_t *offsets, int64_t extent, int64_t target) {
  int64_t low = 0, high = extent, first = offsets[0];
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (offsets[middle] - first + middle < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* The same for tiles that cut segments: the first index, and the element from which on elements are
 * the tile's own.  Index i stands before the elements of its segment. */
NESL_FUNCTION void nesl_cut_at(const int64_t *offsets, int64_t extent, int64_t target,
    int64_t &index, int64_t &element) {
  index = nesl_cut(offsets, extent, target);
  element = nesl_min(target - index + offsets[0], offsets[index]);
}

/* The same for segments of one length. */
NESL_SCALAR void nesl_cut_even_at(int64_t length, int64_t extent, int64_t target, int64_t &index,
    int64_t &element) {
  length = nesl_max(length, 0);
  index = nesl_min((target + length) / (length + 1), extent);
  element = nesl_min(target - index, index * length);
}

/* The index in first..last whose segment has an element. */
NESL_SCALAR int64_t nesl_owner(const int64_t *offsets, int64_t first, int64_t last,
    int64_t element) {
  while (last - first > 1) {
    int64_t middle = first + (last - first) / 2;
    if (offsets[middle] <= element) {
      first = middle;
    } else {
      last = middle;
    }
  }
  return first;
}

/* Whether an earlier launch has failed; one thread may see it later than another. */
NESL_SCALAR bool nesl_failed(const nesl_run &run) { return *(volatile uint32_t *)run.failed != 0; }

/* The same answer for all threads of the block. */
NESL_SCALAR bool nesl_block_failed(const nesl_run &run) {
  return __syncthreads_or(threadIdx.x == 0 && nesl_failed(run)) != 0;
}

/* The tile of this block, the same for all its threads; past all tiles when there is none.  Tiles are
 * taken in order and a tile that was taken is always finished, so a tile may wait for those before
 * it.  There is a block for each tile: the last to take one leaves the counter at 0. */
NESL_SCALAR int64_t nesl_take(const nesl_run &run) {
  __shared__ int64_t taken;
  if (threadIdx.x == 0) {
    taken = INT64_MAX;
    if (!nesl_failed(run)) {
      taken = atomicAdd(run.tickets, 1u);
      if (taken + 1 >= run.tiles) run.tickets[0] = 0;
    }
  }
  __syncthreads();
  return taken;
}

/* Whether this block is the last to come here: then it sees what the others have written. */
NESL_SCALAR bool nesl_last(const nesl_run &run) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(run.tickets + 1, 1u) == gridDim.x - 1;
    if (last) run.tickets[1] = 0;
  }
  __syncthreads();
  return last;
}
