// Sparse matrix in CSR form times vector: 1M rows of 10 on average, power-law lengths.
#include "bench.h"
#include <omp.h>
#include <immintrin.h>
using namespace B;
int main() {
  size_t n = 1000000;
  std::vector<int64_t> ptr(n + 1, 0);
  for (size_t i = 0; i < n; i++) {
    double u = rndf(i + 7);
    size_t l = (size_t)(10.0 / 3 * std::pow(u, -1 / 1.5));
    if (l > 100000) l = 100000;
    ptr[i + 1] = ptr[i] + l;
  }
  size_t z = ptr[n];
  Arr<int32_t> col(z);
  Arr<double> val(z), x(n), y(n);
  fill(col, [&](size_t i) { return rnd(i + (1ull << 41)) % n; });
  fill(val, [](size_t i) { return rndf(i + (2ull << 41)); });
  fill(x, [](size_t i) { return rndf(i + (3ull << 41)); });
  fill(y, [](size_t) { return 0; });
  std::vector<int32_t> p32(ptr.begin(), ptr.end());
  const int32_t* rp = p32.data();
  const int32_t* c = col.p;
  const double *v = val.p, *xp = x.p;
  double* yp = y.p;
  auto row = [&](size_t i) {
    double s = 0;
    for (int k = rp[i]; k < rp[i + 1]; k++) s += v[k] * xp[c[k]];
    yp[i] = s;
  };
  auto chk = [&] {
    double s = 0;
    for (size_t i = 0; i < n; i += 997) s += yp[i];
    return s;
  };
  bench("spmv.f64.cpp-1thr", "1Mx10", [&] {
    for (size_t i = 0; i < n; i++) row(i);
    return chk();
  });
  bench("spmv.f64.cpp-omp-static", "1Mx10", [&] {
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) row(i);
    return chk();
  });
  bench("spmv.f64.cpp-omp-dynamic", "1Mx10", [&] {
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t i = 0; i < n; i++) row(i);
    return chk();
  });
  bench("spmv.f64.cpp-omp-simdrow", "1Mx10", [&] {
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t i = 0; i < n; i++) {
      double s = 0;
      int a = rp[i], b = rp[i + 1];
#pragma omp simd reduction(+ : s)
      for (int k = a; k < b; k++) s += v[k] * xp[c[k]];
      yp[i] = s;
    }
    return chk();
  });
  // The same with column numbers of 64 bits, as ints of NESL have.
  Arr<int64_t> col64(z);
  fill(col64, [&](size_t i) { return c[i]; });
  const int64_t* c64 = col64.p;
  bench("spmv.f64.cpp-omp-dynamic-64-bit-columns", "1Mx10", [&] {
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t i = 0; i < n; i++) {
      double s = 0;
      for (int k = rp[i]; k < rp[i + 1]; k++) s += v[k] * xp[c64[k]];
      yp[i] = s;
    }
    return chk();
  });
  // flattened NESL-style: products vector, then segmented sum
  Arr<double> pr(z);
  bench("spmv.f64.cpp-omp-flattened-unfused", "1Mx10", [&] {
    double* q = pr.p;
#pragma omp parallel for simd
    for (size_t k = 0; k < z; k++) q[k] = v[k] * xp[c[k]];
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t i = 0; i < n; i++) {
      double s = 0;
      for (int k = rp[i]; k < rp[i + 1]; k++) s += q[k];
      yp[i] = s;
    }
    return chk();
  });
  // explicit AVX-512: masked gather, equal-nnz partition
  bench("spmv.f64.cpp-omp-avx512-gather", "1Mx10", [&] {
#pragma omp parallel
    {
      int T = omp_get_num_threads(), t = omp_get_thread_num();
      size_t lo = std::lower_bound(rp, rp + n, (int32_t)(z * t / T)) - rp,
             hi = std::lower_bound(rp, rp + n, (int32_t)(z * (t + 1) / T)) - rp;
      if (t == T - 1) hi = n;
      for (size_t i = lo; i < hi; i++) {
        int a = rp[i], b = rp[i + 1];
        __m512d s = _mm512_setzero_pd();
        for (int k = a; k < b; k += 8) {
          __mmask8 m = b - k >= 8 ? 0xff : (1u << (b - k)) - 1;
          __m256i ci = _mm256_maskz_loadu_epi32(m, c + k);
          s = _mm512_mask3_fmadd_pd(_mm512_maskz_loadu_pd(m, v + k),
                                    _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, ci, xp, 8), s,
                                    m);
        }
        yp[i] = _mm512_reduce_add_pd(s);
      }
    }
    return chk();
  });
}
