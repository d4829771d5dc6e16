// Keeps the even ones, about half.
#include "bench.cuh"
#include <cub/cub.cuh>
using namespace B;

struct Even {
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return x % 2 == 0;
  }
};

template <class T>
void filters(const char* name, Size size) {
  if (!wanted(name, size.name)) return;
  Vector<T> v(size.n), kept(size.n);
  Vector<int64_t> count(1);
  fill(v, [] __device__(size_t i) { return random(i) % 1000000; });
  bench_cub(name, size.name, [&](void* room, size_t& bytes) {
    return cub::DeviceSelect::If(room, bytes, v.p, kept.p, count.p, (int64_t)size.n, Even{});
  });
}

int main() {
  for (Size size : {Size{"10M", 10000000}, Size{"100M", 100000000}}) {
    filters<int32_t>("filter.i32.cub", size);
    filters<int64_t>("filter.i64.cub", size);
  }
}
