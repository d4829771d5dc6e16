// Dot product.
#include "bench.cuh"
#include <cublas_v2.h>
using namespace B;

inline void dot(cublasHandle_t h, int n, const float* a, const float* b, float* sum) {
  cublasSdot(h, n, a, 1, b, 1, sum);
}
inline void dot(cublasHandle_t h, int n, const double* a, const double* b, double* sum) {
  cublasDdot(h, n, a, 1, b, 1, sum);
}

template <class T>
void dots(cublasHandle_t handle, const char* name, Size size) {
  if (!wanted(name, size.name)) return;
  Vector<T> a(size.n), b(size.n), sum(1);
  fill(a, [] __device__(size_t i) { return unit(i); });
  fill(b, [] __device__(size_t i) { return unit(i + (1ull << 40)); });
  bench(name, size.name, [&] { dot(handle, (int)size.n, a.p, b.p, sum.p); });
}

int main() {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  for (Size size : {Size{"10M", 10000000}, Size{"100M", 100000000}}) {
    dots<float>(handle, "dot.f32.cublas", size);
    dots<double>(handle, "dot.f64.cublas", size);
  }
  cublasDestroy(handle);
}
