// Sums of segments whose lengths follow a power law.
#include "segments.cuh"
#include <cub/cub.cuh>
using namespace B;

template <class T>
void sums(const char* name, const std::vector<int64_t>& offsets) {
  size_t segments = offsets.size() - 1;
  Vector<T> v(offsets.back()), to(segments);
  Vector<int64_t> bounds(offsets.size());
  upload(offsets, bounds);
  fill(v, [] __device__(size_t i) { return unit(i); });
  bench_cub(name, "10M/1.6M", [&](void* room, size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(room, bytes, v.p, to.p, (int64_t)segments, bounds.p,
                                           bounds.p + 1);
  });
}

int main() {
  std::vector<int64_t> offsets = power_law(10000000);
  sums<float>("segsum.f32.cub", offsets);
  sums<double>("segsum.f64.cub", offsets);
}
