// Exclusive prefix sums of i64.
#include "bench.h"
#include <numeric>
#include <immintrin.h>
#include <omp.h>
using namespace B;
int main() {
  for (size_t n : {10000000ul, 100000000ul}) {
    const char* sz = n == 10000000 ? "10M" : "100M";
    if (!want_size(sz)) continue;
    Arr<int64_t> a(n), b(n);
    fill(a, [](size_t i) { return rnd(i) & 255; });
    fill(b, [](size_t) { return 0; });
    int64_t *x = a.p, *y = b.p;
    bench("scan.i64.std::exclusive_scan-1thr", sz, [&] {
      std::exclusive_scan(x, x + n, y, int64_t(0));
      return (double)y[n - 1];
    });
    bench("scan.i64.cpp-omp-2pass", sz, [&] {
      int T = omp_get_max_threads();
      std::vector<int64_t> s(T + 1, 0);
#pragma omp parallel
      {
        int t = omp_get_thread_num();
        size_t lo = n * t / T, hi = n * (t + 1) / T;
        int64_t q = 0;
#pragma omp simd reduction(+ : q)
        for (size_t i = lo; i < hi; i++) q += x[i];
        s[t + 1] = q;
#pragma omp barrier
        q = 0;
        for (int k = 0; k <= t; k++) q += s[k];
        for (size_t i = lo; i < hi; i++) {
          y[i] = q;
          q += x[i];
        }
      }
      return (double)y[n - 1];
    });
    // cache-blocked: 128K-element chunks processed by both threads; AVX-512 in-register scan,
    // non-temporal stores
    auto chunk = [&](size_t lo, size_t hi, int64_t q, bool nt) {
      __m512i c = _mm512_set1_epi64(q);
      const __m512i z = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
      size_t i = lo;
      for (; i + 8 <= hi; i += 8) {
        __m512i v = _mm512_loadu_si512(x + i);
        __m512i s = _mm512_add_epi64(v, _mm512_alignr_epi64(v, z, 7));
        s = _mm512_add_epi64(s, _mm512_alignr_epi64(s, z, 6));
        s = _mm512_add_epi64(s, _mm512_alignr_epi64(s, z, 4));
        __m512i e = _mm512_add_epi64(_mm512_alignr_epi64(s, z, 7), c);
        if (nt)
          _mm512_stream_si512((__m512i*)(y + i), e);
        else
          _mm512_storeu_si512(y + i, e);
        c = _mm512_add_epi64(c, _mm512_permutexvar_epi64(last, s));
      }
      q = _mm_cvtsi128_si64(_mm512_castsi512_si128(c));
      for (; i < hi; i++) {
        y[i] = q;
        q += x[i];
      }
    };
    for (int nt : {0, 1})
      bench(nt ? "scan.i64.cpp-omp-avx512-blocked-nt" : "scan.i64.cpp-omp-avx512-blocked", sz, [&] {
        const size_t C = 131072;
        int T = omp_get_max_threads();
        size_t nb = (n + C * T - 1) / (C * T);
        std::vector<int64_t> s(T * nb + 1, 0);
#pragma omp parallel
        {
          int t = omp_get_thread_num();
          int64_t base = 0;
          for (size_t b = 0; b < nb; b++) {
            size_t lo = std::min(n, (b * T + t) * C), hi = std::min(n, lo + C);
            int64_t q = 0;
#pragma omp simd reduction(+ : q)
            for (size_t i = lo; i < hi; i++) q += x[i];
            s[b * T + t] = q;
#pragma omp barrier
            int64_t m = base;
            for (int k = 0; k < T; k++) {
              if (k == t) m = base;
              base += s[b * T + k];
            }
            chunk(lo, hi, m, nt);
          }
          _mm_sfence();
        }
        return (double)y[n - 1];
      });
  }
}
