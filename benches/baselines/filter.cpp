// Keeps the even ones of random i64, about half.
#include "bench.h"
#include <immintrin.h>
#include <omp.h>
using namespace B;
int main() {
  for (size_t n : {10000000ul, 100000000ul}) {
    const char* sz = n == 10000000 ? "10M" : "100M";
    if (!want_size(sz)) continue;
    Arr<int64_t> a(n), b(n);
    fill(a, [](size_t i) { return rnd(i) >> 1; });
    fill(b, [](size_t) { return 0; });
    int64_t *x = a.p, *y = b.p;
    bench("filter.i64.std::copy_if-1thr", sz, [&] {
      return (double)(std::copy_if(x, x + n, y, [](int64_t v) { return !(v & 1); }) - y);
    });
    bench("filter.i64.cpp-branchless-1thr", sz, [&] {
      size_t k = 0;
      for (size_t i = 0; i < n; i++) {
        y[k] = x[i];
        k += !(x[i] & 1);
      }
      return (double)k;
    });
    bench("filter.i64.cpp-omp-2pass", sz, [&] {
      int T = omp_get_max_threads();
      std::vector<size_t> s(T + 1, 0);
#pragma omp parallel
      {
        int t = omp_get_thread_num();
        size_t lo = n * t / T, hi = n * (t + 1) / T, q = 0;
#pragma omp simd reduction(+ : q)
        for (size_t i = lo; i < hi; i++) q += !(x[i] & 1);
        s[t + 1] = q;
#pragma omp barrier
        size_t k = 0;
        for (int j = 0; j <= t; j++) k += s[j];
        for (size_t i = lo; i < hi; i++) {
          if (!(x[i] & 1)) y[k++] = x[i];
        }
      }
      size_t k = 0;
      for (auto v : s) k += v;
      return (double)k;
    });
    bench("filter.i64.cpp-omp-avx512-compress-blocked", sz, [&] {
      const size_t C = 131072;
      int T = omp_get_max_threads();
      size_t nb = (n + C * T - 1) / (C * T);
      std::vector<size_t> s(T * nb, 0);
      size_t tot = 0;
#pragma omp parallel
      {
        int t = omp_get_thread_num();
        size_t base = 0;
        for (size_t b = 0; b < nb; b++) {
          size_t lo = std::min(n, (b * T + t) * C), hi = std::min(n, lo + C), q = 0;
#pragma omp simd reduction(+ : q)
          for (size_t i = lo; i < hi; i++) q += !(x[i] & 1);
          s[b * T + t] = q;
#pragma omp barrier
          size_t k = base;
          for (int j = 0; j < T; j++) {
            if (j == t) k = base;
            base += s[b * T + j];
          }
          size_t i = lo;
          for (; i + 8 <= hi; i += 8) {
            __m512i v = _mm512_loadu_si512(x + i);
            __mmask8 m = _mm512_testn_epi64_mask(v, _mm512_set1_epi64(1));
            _mm512_mask_compressstoreu_epi64(y + k, m, v);
            k += __builtin_popcount(m);
          }
          for (; i < hi; i++)
            if (!(x[i] & 1)) y[k++] = x[i];
        }
#pragma omp single
        tot = base;
      }
      return (double)tot;
    });
  }
}
