/* What a launch hands to its kernel besides the arguments, and how tiles, chains and faults use it.
 *
 * Header-free: NVRTC compiles this without any include. */

/* Programs use as much of this as they need. */
#pragma nv_diag_suppress 177

#define NESL_SCALAR static __device__ __forceinline__
#define NESL_FUNCTION static __device__ __noinline__
#define INT64_C(x) x##LL
#define UINT64_C(x) x##ULL
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-INT64_MAX - 1)
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#ifdef NESL_FLOAT_32
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#else
#define INFINITY __longlong_as_double(0x7ff0000000000000)
#define NAN __longlong_as_double(0x7ff8000000000000)
#endif

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

/* The ints and floats of the program.  Numbers of tiles, and words of scratch memory, have 64 bits
 * whatever these have. */
#ifdef NESL_INT_32
typedef int32_t nesl_int;
typedef uint32_t nesl_uint;
#else
typedef int64_t nesl_int;
typedef uint64_t nesl_uint;
#endif
#ifdef NESL_FLOAT_32
typedef float nesl_float;
#else
typedef double nesl_float;
#endif

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

NESL_SCALAR int64_t nesl_min(int64_t x, int64_t y) { return x < y ? x : y; }
NESL_SCALAR int64_t nesl_max(int64_t x, int64_t y) { return x > y ? x : y; }

/* ---- tiles ------------------------------------------------------------------------------ */

/* The first index i before which at least `target` indices and elements lie; at most extent. */
NESL_FUNCTION int64_t nesl_cut(const nesl_int *offsets, int64_t extent, int64_t target) {
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
NESL_FUNCTION void nesl_cut_at(const nesl_int *offsets, int64_t extent, int64_t target,
    nesl_int &index, nesl_int &element) {
  index = (nesl_int)nesl_cut(offsets, extent, target);
  element = (nesl_int)nesl_min(target - index + offsets[0], offsets[index]);
}

/* The same for segments of one length. */
NESL_SCALAR void nesl_cut_even_at(int64_t length, int64_t extent, int64_t target, nesl_int &index,
    nesl_int &element) {
  length = nesl_max(length, 0);
  index = (nesl_int)nesl_min((target + length) / (length + 1), extent);
  element = (nesl_int)nesl_min(target - index, index * length);
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

/* ---- faults ----------------------------------------------------------------------------- */

/* The state of a thread. */
struct nesl_state {
  bool fault; /* a check failed */
#ifdef NESL_DIAGNOSE
  nesl_report *report;
  uint64_t key; /* where the thread is, in the order of one that runs everything */
  int32_t depth;
  int64_t positions[NESL_DEPTH];
#endif
};

/* In diagnosis all blocks go on: an earlier tile may fail, too. */
NESL_SCALAR void nesl_fail(const nesl_run &run) {
#ifndef NESL_DIAGNOSE
  *(volatile uint32_t *)run.failed = run.number;
  *(volatile uint32_t *)run.told = run.number;
#endif
}

/* Whether there is room on the stack for one more call of a recursive function: local addresses
 * grow down to 0. */
NESL_SCALAR bool nesl_stack_left(const nesl_state *state) {
  uint64_t here = (uint64_t)&state, local;
  asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(local) : "l"(here));
  return local > 2048;
}

/* NESL_REQUIRE(flag, ok, site, a, b): a check.  Normally a failed one sets the flag, and the code
 * goes on with harmless values.  In diagnosis the first one in order is reported: by tile, then by
 * loop of the tile, then by lane.
 *
 * NESL_POSITIONS(tile, loop, first, ...): where the thread is; the outermost position comes after
 * the first one of the tile. */
#ifdef NESL_DIAGNOSE

static __device__ __noinline__ void nesl_stop(nesl_state *state, int32_t site, int64_t a,
    int64_t b) {
  nesl_report *report = state->report;
  state->fault = true;
  if (!report->tell) {
    atomicMin((unsigned long long *)&report->key, (unsigned long long)state->key);
  } else if (report->key == state->key) {
    report->site = site;
    report->operands[0] = a;
    report->operands[1] = b;
    report->depth = state->depth;
    for (int32_t i = 0; i < state->depth; i++) report->positions[i] = state->positions[i];
  }
}

template <class... P>
static __device__ void nesl_positions(nesl_state *state, int64_t tile, int64_t loop, int64_t first,
    P... positions) {
  if (state->fault) return;
  const int64_t all[] = {(int64_t)positions..., first};
  state->key = (uint64_t)tile << 40 | (uint64_t)loop << 32 | (uint64_t)(uint32_t)(all[0] - first);
  state->depth = sizeof...(positions) < NESL_DEPTH ? sizeof...(positions) : NESL_DEPTH;
  for (int32_t i = 0; i < state->depth; i++) state->positions[i] = all[i];
}

#define NESL_STATE(run) {false, (run).report, 0, 0, {0}}
#define NESL_REQUIRE(flag, ok, site, a, b)               \
  do {                                                   \
    if (!(ok) && !(flag)) nesl_stop(state, site, a, b);  \
  } while (0)
#define NESL_POSITIONS(...) nesl_positions(state, __VA_ARGS__)

#else

#define NESL_STATE(run) {false}
#define NESL_REQUIRE(flag, ok, site, a, b) ((flag) |= !(ok))
#define NESL_POSITIONS(...) nesl_ignore(__VA_ARGS__)
template <class... P> NESL_SCALAR void nesl_ignore(P...) {}

#endif
