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
  uint32_t *failed;      /* the number of a launch that has failed: those after it do nothing */
  uint32_t *told;        /* the same for the host, in its memory */
  uint32_t *ended;       /* how many blocks have; 0 before a launch and left 0 after it */
  nesl_word *scratch;    /* `words` for each tile, then as many cells, 16 bytes each */
  nesl_report *report;   /* in diagnosis */
  int64_t tiles;         /* how many there are */
  uint32_t number;       /* of this launch: not 0, and no cell in scratch has this number yet */
  uint32_t unused;
};

NESL_SCALAR int64_t nesl_min(int64_t x, int64_t y) { return x < y ? x : y; }
NESL_SCALAR int64_t nesl_max(int64_t x, int64_t y) { return x > y ? x : y; }

/* ---- tiles ------------------------------------------------------------------------------ */

/* The first index i before which at least `target` indices and elements lie; at most extent.  The
 * threads of a warp look together, at 32 places in each step. */
NESL_FUNCTION int64_t nesl_cut(const nesl_int *offsets, int64_t extent, int64_t target) {
  int64_t low = 0, high = extent, first = offsets[0], lane = threadIdx.x % 32;
  while (low < high) {
    int64_t step = (high - low + 31) / 32, place = low + (lane + 1) * step - 1;
    bool reached = place >= high || offsets[place] - first + place >= target;
    int64_t before = __ffs(__ballot_sync(0xffffffffu, reached)) - 1;
    if (before < 0) return high;
    high = nesl_min(low + (before + 1) * step - 1, high);
    low += before * step;
  }
  return low;
}

/* The same for the first of a tile and the first past it, both found at once by the first two
 * warps. */
NESL_SCALAR void nesl_cuts(const nesl_int *offsets, int64_t extent, int64_t target, int64_t grain,
    nesl_int &from, nesl_int &to) {
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
NESL_SCALAR void nesl_cut_even_at(int64_t length, int64_t extent, int64_t target, nesl_int &index,
    nesl_int &element) {
  length = nesl_max(length, 0);
  index = (nesl_int)nesl_min((target + length) / (length + 1), extent);
  element = (nesl_int)nesl_min(target - index, index * length);
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
