// The sum of a vector.
#include "bench.cuh"
#include <cub/cub.cuh>
using namespace B;

template <class T>
void sums(const char* name, Size size) {
  if (!wanted(name, size.name)) return;
  Vector<T> v(size.n), sum(1);
  fill(v, [] __device__(size_t i) { return unit(i) * 100; });
  bench_cub(name, size.name, [&](void* room, size_t& bytes) {
    return cub::DeviceReduce::Sum(room, bytes, v.p, sum.p, (int64_t)size.n);
  });
}

int main() {
  for (Size size : {Size{"10M", 10000000}, Size{"100M", 100000000}}) {
    sums<int32_t>("sum.i32.cub", size);
    sums<int64_t>("sum.i64.cub", size);
    sums<float>("sum.f32.cub", size);
    sums<double>("sum.f64.cub", size);
  }
}
