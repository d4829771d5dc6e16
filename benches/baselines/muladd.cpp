// x * y + z of vectors of f64, into a used and into a fresh result.
#include "bench.h"
using namespace B;
static void go(size_t n, const char* sz) {
  if (!want_size(sz)) return;
  Arr<double> a(n), b(n), c(n), o(n);
  fill(a, [](size_t i) { return rndf(i); });
  fill(b, [](size_t i) { return rndf(i + 1); });
  fill(c, [](size_t i) { return rndf(i + 2); });
  fill(o, [](size_t i) { return 0; });
  double *x = a.p, *y = b.p, *z = c.p, *__restrict w = o.p;
  bench("muladd.f64.cpp-1thr", sz, [&] {
    for (size_t i = 0; i < n; i++) w[i] = x[i] * y[i] + z[i];
    return (double)w[n / 2];
  });
  bench("muladd.f64.cpp-omp", sz, [&] {
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++) w[i] = x[i] * y[i] + z[i];
    return (double)w[n / 2];
  });
  bench("muladd.f64.cpp-omp-freshalloc", sz, [&] {
    double* q = (double*)malloc(n * sizeof(double));
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++) q[i] = x[i] * y[i] + z[i];
    double r = q[n / 2];
    free(q);
    return r;
  });
}
int main() {
  go(10000000, "10M");
  go(100000000, "100M");
}
