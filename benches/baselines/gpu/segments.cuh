// Segments whose lengths follow a power law: 10M elements, most segments with a few of them, some
// with thousands. `scripts/gpu-check` draws its matrix in the same way.
#pragma once
#include "bench.cuh"
#include <cmath>
#include <random>

inline std::vector<int64_t> power_law(int64_t elements) {
  std::mt19937 draw(7);
  std::vector<int64_t> offsets(1, 0);
  while (offsets.back() < elements) {
    double u = (draw() % 1000000 + 1) / 1e6;
    offsets.push_back(offsets.back() + (int64_t)std::fmin(5000.0, 2.0 / std::pow(u, 0.7)));
  }
  return offsets;
}

template <class I>
void upload(const std::vector<int64_t>& from, B::Vector<I>& to) {
  std::vector<I> narrow(from.begin(), from.end());
  CHECK(cudaMemcpy(to.p, narrow.data(), narrow.size() * sizeof(I), cudaMemcpyHostToDevice));
}
