/* Kernels as a printer could write them: a map, a reduction, a chain, one that fails, a short one. */

/* y = 2x + 1. */
extern "C" __global__ void k0(nesl_run run, int64_t n, const double *x, double *y) {
  if (*run.failed) return;
  for (int64_t tile = blockIdx.x; tile < run.tiles; tile += gridDim.x) {
    for (int64_t i = tile * 1024 + threadIdx.x; i < n && i < (tile + 1) * 1024; i += blockDim.x)
      y[i] = 2.0 * x[i] + 1.0;
  }
}

/* The sum of a block's values, for thread 0. */
__device__ double nesl_block_sum(double value) {
  __shared__ double part[8];
  for (int step = 16; step; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < 8 ? part[threadIdx.x] : 0.0;
  for (int step = 4; step; step /= 2) value += __shfl_down_sync(~0u, value, step);
  __syncthreads();
  return value;
}

/* The sum; the last block adds up what the tiles gave. */
extern "C" __global__ void k1(nesl_run run, int64_t n, const double *x, double *sum) {
  if (*run.failed) return;
  for (int64_t tile = blockIdx.x; tile < run.tiles; tile += gridDim.x) {
    double own = 0.0;
    for (int64_t i = tile * 4096 + threadIdx.x; i < n && i < (tile + 1) * 4096; i += blockDim.x)
      own += x[i];
    own = nesl_block_sum(own);
    if (threadIdx.x == 0) run.scratch[tile].f = own;
  }
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(run.tickets, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  double all = 0.0;
  for (int64_t tile = threadIdx.x; tile < run.tiles; tile += blockDim.x)
    all += ((volatile nesl_word *)run.scratch)[tile].f;
  all = nesl_block_sum(all);
  if (threadIdx.x == 0) {
    *sum = all;
    run.tickets[0] = 0;
  }
}

/* Sums of all values up to each, by a chain of tiles of 256: word and flag of the tile before. */
extern "C" __global__ void k2(nesl_run run, int64_t n, const int64_t *x, int64_t *y) {
  if (*run.failed) return;
  __shared__ int64_t values[256];
  __shared__ int64_t before, tile;
  volatile nesl_word *words = run.scratch;
  volatile int64_t *flags = (volatile int64_t *)(run.scratch + run.tiles);
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(run.tickets, 1);
    __syncthreads();
    if (tile >= run.tiles) break;
    int64_t i = tile * 256 + threadIdx.x;
    values[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int j = 1; j < 256; j++) values[j] += values[j - 1];
      before = 0;
      if (tile > 0) {
        while (flags[tile - 1] != run.number) {
        }
        __threadfence();
        before = words[tile - 1].i;
      }
      words[tile].i = before + values[255];
      __threadfence();
      flags[tile] = run.number;
    }
    __syncthreads();
    if (i < n) y[i] = before + values[threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.x == 0 && atomicAdd(run.tickets + 1, 1) == gridDim.x - 1) {
    run.tickets[0] = 0;
    run.tickets[1] = 0;
  }
}

/* x at each position; a position outside is a fault. */
extern "C" __global__ void k3(nesl_run run, int64_t n, int64_t len, const int64_t *at,
                              const double *x, double *y) {
  if (*run.failed) return;
  for (int64_t tile = blockIdx.x; tile < run.tiles; tile += gridDim.x) {
    for (int64_t i = tile * 1024 + threadIdx.x; i < n && i < (tile + 1) * 1024; i += blockDim.x) {
      int64_t j = at[i];
      if (j >= 0 && j < len) {
        y[i] = x[j];
        continue;
      }
#ifdef NESL_DIAGNOSE
      if (!run.report->tell) {
        atomicMin(&run.report->key, (uint64_t)i);
      } else if (run.report->key == (uint64_t)i) {
        run.report->site = 1;
        run.report->depth = 1;
        run.report->operands[0] = j;
        run.report->operands[1] = len;
        run.report->positions[0] = i;
      }
#else
      if (atomicCAS(run.failed, 0, run.number) == 0) {
        *(volatile uint32_t *)run.told = run.number;
        __threadfence_system();
      }
#endif
    }
  }
}

/* Counts up. */
extern "C" __global__ void k4(nesl_run run, int64_t *count) {
  if (*run.failed) return;
  if (threadIdx.x == 0) *count += 1;
}
