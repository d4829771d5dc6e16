// Dot product of two vectors of f64.
#include "bench.h"
using namespace B;

static double serial(const double* a, const double* b, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static double simd(const double* a, const double* b, size_t n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (size_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static double omp(const double* a, const double* b, size_t n) {
  double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
  for (size_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static void go(size_t n, const char* size) {
  if (!want_size(size)) return;
  Arr<double> a(n), b(n);
  fill(a, [](size_t i) { return rndf(i); });
  fill(b, [](size_t i) { return rndf(i + (1ull << 40)); });
  bench("dot.f64.cpp-O3-serial", size, [&] { return serial(a.p, b.p, n); });
  bench("dot.f64.cpp-simd-1thr", size, [&] { return simd(a.p, b.p, n); });
  bench("dot.f64.cpp-omp-simd", size, [&] { return omp(a.p, b.p, n); });
}

int main() {
  go(10000000, "10M");
  go(100000000, "100M");
}
