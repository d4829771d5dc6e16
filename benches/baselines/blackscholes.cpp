// Black-Scholes price of European calls: five vectors in, one out. The compiler calls the vector
// functions of libmvec for exp and log.
#include "bench.h"
using namespace B;

static inline double cnd(double x) {
  const double a1 = 0.31938153, a2 = -0.356563782, a3 = 1.781477937, a4 = -1.821255978,
               a5 = 1.330274429;
  double l = std::abs(x);
  double k = 1 / (1 + 0.2316419 * l);
  double w = 1 - 0.3989422804014327 * std::exp(-0.5 * l * l) *
                     (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return x < 0 ? 1 - w : w;
}

static inline double price(double s, double x, double t, double r, double v) {
  double root = std::sqrt(t);
  double d1 = (std::log(s / x) + (r + v * v * 0.5) * t) / (v * root);
  double d2 = d1 - v * root;
  return s * cnd(d1) - x * std::exp(-r * t) * cnd(d2);
}

int main() {
  const size_t n = 10000000;
  Arr<double> S(n), X(n), M(n), R(n), V(n), O(n);
  fill(S, [](size_t i) { return 100 * rndf(i) + 1e-3; });
  fill(X, [](size_t i) { return 100 * rndf(i + (1ull << 40)) + 1e-3; });
  fill(M, [](size_t i) { return rndf(i + (2ull << 40)) + 1e-3; });
  fill(R, [](size_t i) { return 0.05 * rndf(i + (3ull << 40)); });
  fill(V, [](size_t i) { return 0.4 * rndf(i + (4ull << 40)) + 1e-2; });
  fill(O, [](size_t) { return 0; });
  double *s = S.p, *x = X.p, *m = M.p, *r = R.p, *v = V.p, *__restrict o = O.p;
  bench("blackscholes.f64.cpp" VARIANT "-1thr", "10M", [&] {
#pragma omp simd
    for (size_t i = 0; i < n; i++) o[i] = price(s[i], x[i], m[i], r[i], v[i]);
    return o[n / 2];
  });
  bench("blackscholes.f64.cpp" VARIANT "-omp", "10M", [&] {
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++) o[i] = price(s[i], x[i], m[i], r[i], v[i]);
    return o[n / 2];
  });
}
