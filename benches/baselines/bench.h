// The timing harness. Prints: name size median_ms min_ms max_ms reps foreign% check
//
// A batch of repetitions is redone (up to BENCH_TRIES times) while other processes used more than
// 3% of the cores during it. Environment: BENCH_ONLY=substring picks cases by name, BENCH_SIZE=10M
// by size; BENCH_QUIET=n waits up to n/4 s for a quiet machine; HUGE=1 asks for huge pages.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
#include <cmath>
#include <string>
#include <vector>
#include <algorithm>
#include <sys/resource.h>
#include <sys/mman.h>
#include <unistd.h>
#include <thread>
namespace B {
inline double cores() { return std::max(1u, std::thread::hardware_concurrency()); }
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline double busy() {
  FILE* f = fopen("/proc/stat", "r");
  long v[8] = {0};
  if (!f) return 0;
  int k = fscanf(f, "cpu %ld %ld %ld %ld %ld %ld %ld %ld", v, v + 1, v + 2, v + 3, v + 4, v + 5,
                 v + 6, v + 7);
  fclose(f);
  (void)k;
  return (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / 100.0;
}
inline double own() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec + 1e-6 * (r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}
inline double foreign(double sec) {
  double b = busy(), o = own(), t = now();
  usleep((useconds_t)(sec * 1e6));
  double w = now() - t;
  return ((busy() - b) - (own() - o)) / (cores() * w);
}
inline void quiet() {
  static int mx = getenv("BENCH_QUIET") ? atoi(getenv("BENCH_QUIET")) : 120;
  for (int i = 0; i < mx; i++) {
    if (foreign(0.25) < 0.04) return;
  }
}
inline bool want(const char* n) {
  const char* f = getenv("BENCH_ONLY");
  return !f || strstr(n, f);
}
inline bool want_size(const char* size) {
  const char* f = getenv("BENCH_SIZE");
  return !f || strcmp(size, f) == 0;
}
struct R {
  double med, mn, mx, fo;
  int reps;
};
template <class P, class F>
void bench(const char* name, const char* size, P prep, F fn) {
  if (!want(name) || !want_size(size)) return;
  prep();
  double t = now();
  double chk = fn();
  double d = now() - t;  // warm-up
  prep();
  t = now();
  chk = fn();
  d = std::min(d, now() - t);
  int reps = (int)std::min(41.0, std::max(7.0, 0.8 / (d + 1e-9)));
  if (d < 0.02) reps = std::max(reps, 31);
  static int tries = getenv("BENCH_TRIES") ? atoi(getenv("BENCH_TRIES")) : 6;
  R best{1e30, 0, 0, 9, 0};
  for (int a = 0; a < tries; a++) {
    quiet();
    std::vector<double> ts;
    double b0 = busy(), o0 = own(), w0 = now();
    double tot = 0;
    for (int i = 0; i < reps || tot < 0.5; i++) {
      prep();
      double t0 = now();
      chk = fn();
      double e = now() - t0;
      ts.push_back(e);
      tot += e;
      if (i > 400) break;
    }
    double w = now() - w0, fo = ((busy() - b0) - (own() - o0)) / (cores() * w);
    std::sort(ts.begin(), ts.end());
    if (fo < best.fo) {
      best = {ts[ts.size() / 2], ts[0], ts.back(), fo, (int)ts.size()};
    }
    if (best.fo < 0.03) break;
  }
  printf("%s %s %.4f %.4f %.4f %d %.1f %.9g\n", name, size, best.med * 1e3, best.mn * 1e3,
         best.mx * 1e3, best.reps, std::max(0.0, best.fo * 100), chk);
  fflush(stdout);
}
template <class F>
void bench(const char* name, const char* size, F fn) {
  bench(name, size, [] {}, fn);
}
inline uint64_t rnd(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
inline double rndf(uint64_t x) { return (rnd(x) >> 11) * (1.0 / 9007199254740992.0); }
// page-aligned array; honours HUGE=1 (madvise MADV_HUGEPAGE) for all arrays
inline void* amalloc(size_t b) {
  size_t a = 2u << 20;
  b = (b + a - 1) / a * a;
  void* p = aligned_alloc(a, b);
  static int h = getenv("HUGE") ? atoi(getenv("HUGE")) : 0;
  if (h) madvise(p, b, MADV_HUGEPAGE);
  return p;
}
template <class T>
struct Arr {
  T* p;
  size_t n;
  explicit Arr(size_t n) : p((T*)amalloc(n * sizeof(T) + 64)), n(n) {}
  ~Arr() { free(p); }
  Arr(const Arr&) = delete;
  T& operator[](size_t i) { return p[i]; }
  const T& operator[](size_t i) const { return p[i]; }
  T* begin() { return p; }
  T* end() { return p + n; }
};
template <class T, class F>
void fill(Arr<T>& a, F f) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < a.n; i++) a.p[i] = (T)f(i);
}
}  // namespace B
