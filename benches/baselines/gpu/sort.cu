// Sorts keys.
#include "bench.cuh"
#include <cub/cub.cuh>
using namespace B;

template <class T>
void sorts(const char* name, Size size) {
  if (!wanted(name, size.name)) return;
  Vector<T> keys(size.n), sorted(size.n);
  if (T(0.5) == T(0)) {
    fill(keys, [] __device__(size_t i) { return random(i); });
  } else {
    fill(keys, [] __device__(size_t i) { return (unit(i) - 0.5) * 2e9; });
  }
  bench_cub(name, size.name, [&](void* room, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(room, bytes, keys.p, sorted.p, (int64_t)size.n);
  });
}

int main() {
  Size sizes[] = {{"1M", 1000000}, {"16M", 16000000}, {"100M", 100000000}};
  for (Size size : sizes) {
    sorts<int32_t>("sort.i32.cub", size);
    sorts<int64_t>("sort.i64.cub", size);
    sorts<float>("sort.f32.cub", size);
    sorts<double>("sort.f64.cub", size);
  }
}
