/* Checks of kernels, and what becomes of one that fails.
 *
 * Include after run.cuh. */

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
#define NESL_REQUIRE(flag, ok, site, a, b) ((flag) |= !(ok), nesl_ignore(a, b))
#define NESL_POSITIONS(...) nesl_ignore(__VA_ARGS__)
template <class... P> NESL_SCALAR void nesl_ignore(P...) {}

#endif
