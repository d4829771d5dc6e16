// Keeps the even ones of random i64, about half.
#include "bench.h"
#include <immintrin.h>
#include <omp.h>
using namespace B;

static size_t count(const int64_t* x, size_t n) {
  size_t k = 0;
  for (size_t i = 0; i < n; i++) k += !(x[i] & 1);
  return k;
}

// Without a branch per element: every one is written, but only some writes count. It may write one
// element too many.
static size_t keep(const int64_t* x, int64_t* y, size_t n) {
  size_t k = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t v = x[i];
    y[k] = v;
    k += !(v & 1);
  }
  return k;
}

// Eight at a time. Compressing into a register and storing that is much faster than compressing
// into memory on some processors, and as fast on others.
static void keep_vectors(const int64_t* x, int64_t* y, size_t n) {
  size_t i = 0, k = 0;
  for (; i + 8 <= n; i += 8) {
    __m512i v = _mm512_loadu_si512(x + i);
    __mmask8 even = _mm512_testn_epi64_mask(v, _mm512_set1_epi64(1));
    int kept = __builtin_popcount(even);
    _mm512_mask_storeu_epi64(y + k, (1 << kept) - 1, _mm512_maskz_compress_epi64(even, v));
    k += kept;
  }
  for (; i < n; i++) {
    if (!(x[i] & 1)) y[k++] = x[i];
  }
}

static size_t two_pass(const int64_t* x, int64_t* y, size_t n) {
  std::vector<size_t> kept(omp_get_max_threads());
#pragma omp parallel
  {
    int t = omp_get_thread_num(), threads = omp_get_num_threads();
    size_t lo = n * t / threads, hi = n * (t + 1) / threads, before = 0;
    kept[t] = count(x + lo, hi - lo);
#pragma omp barrier
    for (int k = 0; k < t; k++) before += kept[k];
    keep_vectors(x + lo, y + before, hi - lo);
  }
  size_t all = 0;
  for (size_t k : kept) all += k;
  return all;
}

// The same for one stretch after another, each short enough for the second pass to find it in the
// cache.
static size_t blocked(const int64_t* x, int64_t* y, size_t n) {
  const size_t block = 131072;
  std::vector<size_t> kept(n / block + omp_get_max_threads() + 1);
#pragma omp parallel
  {
    size_t t = omp_get_thread_num(), threads = omp_get_num_threads(), before = 0;
    for (size_t b = 0; b * block < n; b += threads) {
      size_t lo = std::min(n, (b + t) * block), hi = std::min(n, lo + block);
      kept[b + t] = count(x + lo, hi - lo);
#pragma omp barrier
      size_t mine = before;
      for (size_t k = 0; k < t; k++) mine += kept[b + k];
      for (size_t k = 0; k < threads; k++) before += kept[b + k];
      keep_vectors(x + lo, y + mine, hi - lo);
    }
  }
  size_t all = 0;
  for (size_t k : kept) all += k;
  return all;
}

static void go(size_t n, const char* size) {
  if (!want_size(size)) return;
  Arr<int64_t> a(n), b(n + 8);
  fill(a, [](size_t i) { return rnd(i) >> 1; });
  fill(b, [](size_t) { return 0; });
  const int64_t* x = a.p;
  int64_t* y = b.p;
  bench("filter.i64.std::copy_if-1thr", size, [&] {
    return (double)(std::copy_if(x, x + n, y, [](int64_t v) { return !(v & 1); }) - y);
  });
  bench("filter.i64.cpp-branchless-1thr", size, [&] { return (double)keep(x, y, n); });
  bench("filter.i64.cpp-omp-avx512-2pass", size, [&] { return (double)two_pass(x, y, n); });
  bench("filter.i64.cpp-omp-avx512-blocked", size, [&] { return (double)blocked(x, y, n); });
}

int main() {
  go(10000000, "10M");
  go(100000000, "100M");
}
