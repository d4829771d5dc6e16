// Exclusive prefix sums.
#include "bench.cuh"
#include <cub/cub.cuh>
using namespace B;

template <class T>
void scans(const char* name, Size size) {
  if (!wanted(name, size.name)) return;
  Vector<T> v(size.n), prefixes(size.n);
  fill(v, [] __device__(size_t i) { return random(i) % 10; });
  bench_cub(name, size.name, [&](void* room, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(room, bytes, v.p, prefixes.p, (int64_t)size.n);
  });
}

int main() {
  for (Size size : {Size{"10M", 10000000}, Size{"100M", 100000000}}) {
    scans<int32_t>("scan.i32.cub", size);
    scans<int64_t>("scan.i64.cub", size);
  }
}
