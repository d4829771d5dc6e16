// Black-Scholes price of European calls, with exp and log written out as polynomials without
// branches, so that the whole loop becomes vector code.
#include "bench.h"
using namespace B;

static inline double pexp(double x) {
  x = x < -708. ? -708. : x;
  x = x > 709. ? 709. : x;
  double t = x * 1.4426950408889634 + 6755399441055744.0, n = t - 6755399441055744.0;
  x = x - n * 6.93147180369123816490e-01;
  x = x - n * 1.90821492927058770002e-10;
  double y = 1. / 479001600;
  const double c[] = {1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040, 1. / 720,
                      1. / 120,      1. / 24,      1. / 6,      .5,         1,         1};
  for (int k = 0; k < 12; k++) y = y * x + c[k];
  int64_t ti, yi;
  memcpy(&ti, &t, 8);
  memcpy(&yi, &y, 8);
  yi += (int64_t)((uint64_t)ti << 52);
  memcpy(&y, &yi, 8);
  return y;
}

static inline double plog(double x) {
  uint64_t ix;
  memcpy(&ix, &x, 8);
  ix += 0x3ff0000000000000ull - 0x3fe6a09e00000000ull;
  int64_t e = (int64_t)(ix >> 52) - 1023;
  ix = (ix & 0xfffffffffffffull) + 0x3fe6a09e00000000ull;
  double m;
  memcpy(&m, &ix, 8);
  double f = m - 1, s = f / (2 + f), z = s * s,
         r = z * (6.666666666666735130e-01 +
                  z * (3.999999999940941908e-01 +
                       z * (2.857142874366239149e-01 +
                            z * (2.222219843214978396e-01 +
                                 z * (1.818357216161805012e-01 +
                                      z * (1.531383769920937332e-01 +
                                           z * 1.479819860511658591e-01)))))),
         h = .5 * f * f;
  return (double)e * 0.6931471805599453 + (s * (h + r) - h + f);
}

static inline double cnd(double x) {
  const double a1 = 0.31938153, a2 = -0.356563782, a3 = 1.781477937, a4 = -1.821255978,
               a5 = 1.330274429;
  double l = std::abs(x);
  double k = 1 / (1 + 0.2316419 * l);
  double w = 1 - 0.3989422804014327 * pexp(-0.5 * l * l) *
                     (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return x < 0 ? 1 - w : w;
}

static inline double price(double s, double x, double t, double r, double v) {
  double root = std::sqrt(t);
  double d1 = (plog(s / x) + (r + v * v * 0.5) * t) / (v * root);
  double d2 = d1 - v * root;
  return s * cnd(d1) - x * pexp(-r * t) * cnd(d2);
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
  bench("blackscholes.f64.cpp-inlinepoly-1thr", "10M", [&] {
#pragma omp simd
    for (size_t i = 0; i < n; i++) o[i] = price(s[i], x[i], m[i], r[i], v[i]);
    return o[n / 2];
  });
  bench("blackscholes.f64.cpp-inlinepoly-omp", "10M", [&] {
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++) o[i] = price(s[i], x[i], m[i], r[i], v[i]);
    return o[n / 2];
  });
}
