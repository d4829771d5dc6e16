// Reads and writes at random places: `v -> places`, and `permute(v, places)`.
#include "bench.cuh"
#include <cub/cub.cuh>
using namespace B;

template <class T, class I>
__global__ void gather(const T* __restrict__ v, const I* __restrict__ places, T* to, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) to[i] = v[places[i]];
}
template <class T, class I>
__global__ void permute(const T* __restrict__ v, const I* __restrict__ places, T* to, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) to[places[i]] = v[i];
}

// A permutation of the numbers below 2^27.
struct Mixed {
  __host__ __device__ uint64_t operator()(uint64_t x) const {
    const uint64_t mask = (1 << 27) - 1;
    for (int round = 0; round < 3; round++) {
      x = (x * 0x5851F42D4C957F2Dull + 0x14057B7EF767814Full) & mask;
      x ^= x >> 13;
    }
    return x;
  }
};
struct Below {
  uint64_t n;
  __host__ __device__ bool operator()(uint64_t x) const { return x < n; }
};

template <class I>
void shuffled(Vector<I>& places) {
  Vector<uint64_t> all(1 << 27), below(1 << 27);
  Vector<int64_t> count(1);
  fill(all, Mixed{});
  size_t bytes = 0;
  CHECK(cub::DeviceSelect::If(nullptr, bytes, all.p, below.p, count.p, (int64_t)all.n,
                              Below{places.n}));
  Vector<char> room(bytes);
  CHECK(cub::DeviceSelect::If(room.p, bytes, all.p, below.p, count.p, (int64_t)all.n,
                              Below{places.n}));
  const uint64_t* from = below.p;
  fill(places, [from] __device__(size_t i) { return from[i]; });
}

template <class T, class I>
void both(const char* gathers, const char* permutes, Size size) {
  if (!wanted(gathers, size.name) && !wanted(permutes, size.name)) return;
  Vector<T> v(size.n), to(size.n);
  Vector<I> places(size.n);
  unsigned blocks = (unsigned)((size.n + 255) / 256);
  fill(v, [] __device__(size_t i) { return unit(i); });
  fill(places, [n = size.n] __device__(size_t i) { return random(i) % n; });
  bench(gathers, size.name, [&] { gather<<<blocks, 256>>>(v.p, places.p, to.p, size.n); });
  shuffled(places);
  bench(permutes, size.name, [&] { permute<<<blocks, 256>>>(v.p, places.p, to.p, size.n); });
}

int main() {
  for (Size size : {Size{"10M", 10000000}, Size{"100M", 100000000}}) {
    both<float, int32_t>("gather.f32.hand", "permute.f32.hand", size);
    both<double, int64_t>("gather.f64.hand", "permute.f64.hand", size);
  }
}
