// Exclusive prefix sums of i64.
#include "bench.h"
#include <immintrin.h>
#include <numeric>
#include <omp.h>
using namespace B;

static int64_t total(const int64_t* x, size_t n) {
  int64_t q = 0;
  for (size_t i = 0; i < n; i++) q += x[i];
  return q;
}

static void scan(const int64_t* x, int64_t* y, size_t n, int64_t q) {
  for (size_t i = 0; i < n; i++) {
    int64_t v = x[i];
    y[i] = q;
    q += v;
  }
}

// The same in vector registers, eight at a time; with `stream`, past the caches.
static void scan_vectors(const int64_t* x, int64_t* y, size_t n, int64_t q, bool stream) {
  const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
  __m512i carry = _mm512_set1_epi64(q);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m512i v = _mm512_loadu_si512(x + i);
    __m512i s = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 7));
    s = _mm512_add_epi64(s, _mm512_alignr_epi64(s, zero, 6));
    s = _mm512_add_epi64(s, _mm512_alignr_epi64(s, zero, 4));
    __m512i e = _mm512_add_epi64(_mm512_alignr_epi64(s, zero, 7), carry);
    if (stream) {
      _mm512_stream_si512((__m512i*)(y + i), e);
    } else {
      _mm512_storeu_si512(y + i, e);
    }
    carry = _mm512_add_epi64(carry, _mm512_permutexvar_epi64(last, s));
  }
  scan(x + i, y + i, n - i, _mm_cvtsi128_si64(_mm512_castsi512_si128(carry)));
}

// Every thread sums its half, then scans it.
static void two_pass(const int64_t* x, int64_t* y, size_t n) {
  std::vector<int64_t> sums(omp_get_max_threads());
#pragma omp parallel
  {
    int t = omp_get_thread_num(), threads = omp_get_num_threads();
    size_t lo = n * t / threads, hi = n * (t + 1) / threads;
    sums[t] = total(x + lo, hi - lo);
#pragma omp barrier
    int64_t before = 0;
    for (int k = 0; k < t; k++) before += sums[k];
    scan(x + lo, y + lo, hi - lo, before);
  }
}

// The same for one stretch after another, each short enough for the second pass to find it in the
// cache.
static void blocked(const int64_t* x, int64_t* y, size_t n, bool stream) {
  const size_t block = 131072;
  std::vector<int64_t> sums(n / block + omp_get_max_threads() + 1);
#pragma omp parallel
  {
    size_t t = omp_get_thread_num(), threads = omp_get_num_threads();
    int64_t before = 0;
    for (size_t b = 0; b * block < n; b += threads) {
      size_t lo = std::min(n, (b + t) * block), hi = std::min(n, lo + block);
      sums[b + t] = total(x + lo, hi - lo);
#pragma omp barrier
      int64_t mine = before;
      for (size_t k = 0; k < t; k++) mine += sums[b + k];
      for (size_t k = 0; k < threads; k++) before += sums[b + k];
      scan_vectors(x + lo, y + lo, hi - lo, mine, stream);
    }
    _mm_sfence();
  }
}

static void go(size_t n, const char* size) {
  if (!want_size(size)) return;
  Arr<int64_t> a(n), b(n);
  fill(a, [](size_t i) { return rnd(i) & 255; });
  fill(b, [](size_t) { return 0; });
  const int64_t* x = a.p;
  int64_t* y = b.p;
  auto last = [&] { return (double)y[n - 1]; };
  bench("scan.i64.std::exclusive_scan-1thr", size, [&] {
    std::exclusive_scan(x, x + n, y, int64_t(0));
    return last();
  });
  bench("scan.i64.cpp-omp-2pass", size, [&] { return two_pass(x, y, n), last(); });
  bench("scan.i64.cpp-omp-avx512-blocked", size, [&] { return blocked(x, y, n, false), last(); });
  bench("scan.i64.cpp-omp-avx512-blocked-nt", size, [&] { return blocked(x, y, n, true), last(); });
}

int main() {
  go(10000000, "10M");
  go(100000000, "100M");
}
