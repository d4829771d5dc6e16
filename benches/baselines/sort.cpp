// Sorting i64 keys. NumPy's sort is in py/sort.py.
#include "bench.h"
#include <parallel/algorithm>
using namespace B;

static void go(size_t n, const char* size) {
  if (!want_size(size)) return;
  Arr<int64_t> s(n), a(n);
  fill(s, [](size_t i) { return rnd(i) >> 1; });
  auto prep = [&] {
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) a[i] = s[i];
  };
  bench("sort.i64.std::sort-1thr", size, prep, [&] {
    std::sort(a.begin(), a.end());
    return (double)a[n / 2];
  });
  bench("sort.i64.gnu_parallel::sort", size, prep, [&] {
    __gnu_parallel::sort(a.begin(), a.end());
    return (double)a[n / 2];
  });
}

int main() {
  go(1000000, "1M");
  go(16000000, "16M");
}
