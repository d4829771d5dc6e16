// Sum of a vector of f64.
#include "bench.h"
#include <numeric>
using namespace B;

static double simd(const double* a, size_t n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (size_t i = 0; i < n; i++) s += a[i];
  return s;
}

static double omp(const double* a, size_t n) {
  double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
  for (size_t i = 0; i < n; i++) s += a[i];
  return s;
}

static void go(size_t n, const char* size) {
  if (!want_size(size)) return;
  Arr<double> a(n);
  fill(a, [](size_t i) { return rndf(i); });
  bench("sum.f64.std::accumulate-1thr", size, [&] { return std::accumulate(a.p, a.p + n, 0.0); });
  bench("sum.f64.cpp-simd-1thr", size, [&] { return simd(a.p, n); });
  bench("sum.f64.cpp-omp-simd", size, [&] { return omp(a.p, n); });
}

int main() {
  go(10000000, "10M");
  go(100000000, "100M");
}
