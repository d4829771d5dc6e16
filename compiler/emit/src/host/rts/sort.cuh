/* Sorting, by the radix sorts of CUB, which comes with CUDA.
 *
 * Keys become words that lie in the order wanted: of floats every nan is larger than all others,
 * and -0.0 equals 0.0.  All sorts are stable.  Include after cub/cub.cuh. */

/* A key as a word, and back. */
static __host__ __device__ uint64_t nesl_key_of(int64_t x) { return (uint64_t)x ^ 1ULL << 63; }
static __host__ __device__ uint64_t nesl_key_of(uint8_t x) { return x; }
static __device__ uint64_t nesl_key_of(double x) {
  const double same = x != x ? (double)NAN : x == 0 ? 0.0 : x;
  const uint64_t bits = (uint64_t)__double_as_longlong(same) & (x != x ? ~(1ULL << 63) : ~0ULL);
  return bits >> 63 ? ~bits : bits | 1ULL << 63;
}
static __device__ void nesl_of_key(uint64_t key, int64_t *x) { *x = (int64_t)(key ^ 1ULL << 63); }
static __device__ void nesl_of_key(uint64_t key, uint8_t *x) { *x = (uint8_t)key; }
static __device__ void nesl_of_key(uint64_t key, double *x) {
  *x = __longlong_as_double((long long)(key >> 63 ? key & ~(1ULL << 63) : ~key));
}

/* The keys as words, turned around for a descending order, and their positions. */
template <class T>
static __global__ void nesl_sort_begin(const T *keys, uint64_t *words, int64_t *index,
    int64_t length, uint64_t turn) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= length) return;
  words[i] = nesl_key_of(keys[i]) ^ turn;
  if (index) index[i] = i;
}

/* The words as keys. */
template <class T>
static __global__ void nesl_sort_end(const uint64_t *words, T *out, int64_t length) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < length) nesl_of_key(words[i], &out[i]);
}

/* The place of each element in its segment once that is sorted. */
static __global__ void nesl_sort_places(const int64_t *index, int64_t *out, int64_t length,
    int64_t segments, const int64_t *offsets) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= length) return;
  int64_t start = 0;
  if (offsets) {
    int64_t low = 0, high = segments;
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      if (offsets[middle] <= i) {
        low = middle;
      } else {
        high = middle;
      }
    }
    start = offsets[low];
  }
  out[index[i]] = i - start;
}

/* Sorts words, with their positions if there are any, as a step of CUB that says first how much
 * memory it needs. */
template <class Step> static void nesl_sort_step(nesl_call *call, Step step) {
  size_t bytes = 0;
  nesl_check(step(nullptr, bytes));
  nesl_buffer *memory = nesl_make(call, (int64_t)bytes, 1, -1);
  nesl_check(step(memory->p, bytes));
  nesl_drop(memory);
}

/* The elements in ascending order, in each segment. */
template <class T>
static void nesl_sort(nesl_call *call, const T *keys, T *out, int64_t length, int64_t segments,
    const int64_t *offsets) {
  if (length <= 0) return;
  nesl_settle(call);
  cudaStream_t stream = call->gpu->stream;
  const unsigned blocks = (unsigned)((length + 255) / 256);
  nesl_buffer *from = nesl_make(call, length, 8, -1), *to = nesl_make(call, length, 8, -1);
  uint64_t *words = (uint64_t *)from->p, *sorted = (uint64_t *)to->p;
  nesl_sort_begin<<<blocks, 256, 0, stream>>>(keys, words, (int64_t *)nullptr, length, 0);
  nesl_sort_step(call, [=](void *memory, size_t &bytes) {
    if (offsets) {
      return cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, words, sorted, length,
          segments, offsets, offsets + 1, stream);
    }
    return cub::DeviceRadixSort::SortKeys(memory, bytes, words, sorted, length, 0, 64, stream);
  });
  nesl_sort_end<<<blocks, 256, 0, stream>>>(sorted, out, length);
  nesl_check(cudaGetLastError());
  nesl_drop(from);
  nesl_drop(to);
}

/* The place of each element in its segment, in ascending order or, if `turn` is all ones, in
 * descending order. */
template <class T>
static void nesl_rank_by(nesl_call *call, const T *keys, int64_t *out, int64_t length,
    int64_t segments, const int64_t *offsets, uint64_t turn) {
  if (length <= 0) return;
  nesl_settle(call);
  cudaStream_t stream = call->gpu->stream;
  const unsigned blocks = (unsigned)((length + 255) / 256);
  nesl_buffer *from = nesl_make(call, length, 8, -1), *to = nesl_make(call, length, 8, -1);
  nesl_buffer *source = nesl_make(call, length, 8, -1), *index = nesl_make(call, length, 8, -1);
  uint64_t *words = (uint64_t *)from->p, *sorted = (uint64_t *)to->p;
  int64_t *before = source->i, *after = index->i;
  nesl_sort_begin<<<blocks, 256, 0, stream>>>(keys, words, before, length, turn);
  nesl_sort_step(call, [=](void *memory, size_t &bytes) {
    if (offsets) {
      return cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, words, sorted, before, after,
          length, segments, offsets, offsets + 1, stream);
    }
    return cub::DeviceRadixSort::SortPairs(memory, bytes, words, sorted, before, after, length, 0,
        64, stream);
  });
  nesl_sort_places<<<blocks, 256, 0, stream>>>(after, out, length, segments, offsets);
  nesl_check(cudaGetLastError());
  for (nesl_buffer *buffer : {from, to, source, index}) nesl_drop(buffer);
}
template <class T>
static void nesl_rank(nesl_call *call, const T *keys, int64_t *out, int64_t length,
    int64_t segments, const int64_t *offsets) {
  nesl_rank_by(call, keys, out, length, segments, offsets, 0);
}
template <class T>
static void nesl_rank_down(nesl_call *call, const T *keys, int64_t *out, int64_t length,
    int64_t segments, const int64_t *offsets) {
  nesl_rank_by(call, keys, out, length, segments, offsets, ~0ULL);
}
