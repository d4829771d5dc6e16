// Sums of 1M segments with Pareto(1.5) lengths (the same law as spmv), about 10M f64.
#include "bench.h"
#include <omp.h>
#include <immintrin.h>
using namespace B;
int main() {
  size_t n = 1000000;
  std::vector<int32_t> ptr(n + 1, 0);
  for (size_t i = 0; i < n; i++) {
    size_t l = (size_t)(10.0 / 3 * std::pow(rndf(i + 7), -1 / 1.5));
    if (l > 100000) l = 100000;
    ptr[i + 1] = ptr[i] + l;
  }
  size_t z = ptr[n];
  Arr<double> v(z), y(n);
  fill(v, [](size_t i) { return rndf(i); });
  fill(y, [](size_t) { return 0; });
  const int* rp = ptr.data();
  const double* x = v.p;
  double* o = y.p;
  auto chk = [&] {
    double s = 0;
    for (size_t i = 0; i < n; i += 997) s += o[i];
    return s;
  };
  bench("segsum.f64.cpp-1thr", "10M/1M", [&] {
    for (size_t i = 0; i < n; i++) {
      double s = 0;
      for (int k = rp[i]; k < rp[i + 1]; k++) s += x[k];
      o[i] = s;
    }
    return chk();
  });
  bench("segsum.f64.cpp-omp-static", "10M/1M", [&] {
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
      double s = 0;
      for (int k = rp[i]; k < rp[i + 1]; k++) s += x[k];
      o[i] = s;
    }
    return chk();
  });
  bench("segsum.f64.cpp-omp-dynamic", "10M/1M", [&] {
#pragma omp parallel for schedule(dynamic, 4096)
    for (size_t i = 0; i < n; i++) {
      double s = 0;
      for (int k = rp[i]; k < rp[i + 1]; k++) s += x[k];
      o[i] = s;
    }
    return chk();
  });
  bench("segsum.f64.cpp-omp-avx512-masked", "10M/1M", [&] {
#pragma omp parallel for schedule(dynamic, 4096)
    for (size_t i = 0; i < n; i++) {
      int a = rp[i], b = rp[i + 1];
      __m512d s = _mm512_setzero_pd();
      int k = a;
      for (; k + 8 <= b; k += 8) s = _mm512_add_pd(s, _mm512_loadu_pd(x + k));
      if (k < b)
        s = _mm512_add_pd(s, _mm512_maskz_loadu_pd((__mmask8)((1u << (b - k)) - 1), x + k));
      o[i] = _mm512_reduce_add_pd(s);
    }
    return chk();
  });
}
