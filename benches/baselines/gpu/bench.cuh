// The timing harness. Prints: name size device_ms wall_ms min_ms max_ms
//
// Device times are those between two events around a call; the wall is the host's clock from the
// call to its end on the device, which is what a program that waits for the result sees. Medians of
// repetitions that take a tenth of a second together, at least 15. BENCH_ONLY=substring picks cases
// by name, BENCH_SIZE=10M by size.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t error = (call);                                                           \
    if (error != cudaSuccess) {                                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));      \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

namespace B {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline bool wanted(const char* name, const char* size) {
  const char* part = getenv("BENCH_ONLY");
  const char* exact = getenv("BENCH_SIZE");
  return (!part || strstr(name, part)) && (!exact || !strcmp(size, exact));
}

template <class F>
void bench(const char* name, const char* size, F call) {
  if (!wanted(name, size)) return;
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  for (int i = 0; i < 3; i++) call();
  CHECK(cudaDeviceSynchronize());
  std::vector<float> device;
  std::vector<double> wall;
  double sum = 0;
  while (device.size() < 15 || (sum < 0.1 && device.size() < 200)) {
    float ms;
    CHECK(cudaEventRecord(from));
    call();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    device.push_back(ms);
    double start = now();
    call();
    CHECK(cudaDeviceSynchronize());
    wall.push_back((now() - start) * 1e3);
    sum += ms / 1e3;
  }
  CHECK(cudaGetLastError());
  std::sort(device.begin(), device.end());
  std::sort(wall.begin(), wall.end());
  printf("%s %s %.4f %.4f %.4f %.4f\n", name, size, device[device.size() / 2],
         wall[wall.size() / 2], device.front(), device.back());
  fflush(stdout);
  CHECK(cudaEventDestroy(from));
  CHECK(cudaEventDestroy(to));
}

// Memory of the GPU.
template <class T>
struct Vector {
  T* p = nullptr;
  size_t n;
  explicit Vector(size_t n) : n(n) { CHECK(cudaMalloc(&p, n * sizeof(T) + 64)); }
  ~Vector() { cudaFree(p); }
  Vector(const Vector&) = delete;
};

__host__ __device__ inline uint64_t random(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
// Between 0 and 1.
__host__ __device__ inline double unit(uint64_t x) {
  return ((random(x) >> 11) + 1) * (1.0 / 9007199254740993.0);
}

template <class T, class F>
__global__ void fill_with(T* to, size_t n, F element) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) to[i] = (T)element(i);
}
template <class T, class F>
void fill(Vector<T>& v, F element) {
  fill_with<<<(unsigned)((v.n + 255) / 256), 256>>>(v.p, v.n, element);
  CHECK(cudaDeviceSynchronize());
}

// Calls cub's function twice: to ask for memory, and to be timed.
template <class F>
void bench_cub(const char* name, const char* size, F call) {
  if (!wanted(name, size)) return;
  size_t bytes = 0;
  CHECK(call((void*)nullptr, bytes));
  Vector<char> room(bytes);
  bench(name, size, [&] { CHECK(call((void*)room.p, bytes)); });
}

struct Size {
  const char* name;
  size_t n;
};
}  // namespace B
