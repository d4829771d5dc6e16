// Quicksort of i64 keys: as it is written in NESL, three filters and two calls, on one thread; and
// in place on all threads, which is what one would write by hand.
#include "bench.h"
#include <omp.h>
using namespace B;

// ---- three filters ------------------------------------------------------------------------

static std::vector<int64_t> functional(const std::vector<int64_t>& a) {
  if (a.size() < 2) return a;
  int64_t p = a[a.size() / 2];
  std::vector<int64_t> l, e, g;
  for (auto x : a) {
    if (x < p) l.push_back(x);
  }
  for (auto x : a) {
    if (x == p) e.push_back(x);
  }
  for (auto x : a) {
    if (x > p) g.push_back(x);
  }
  l = functional(l);
  g = functional(g);
  l.reserve(a.size());
  l.insert(l.end(), e.begin(), e.end());
  l.insert(l.end(), g.begin(), g.end());
  return l;
}

// ---- in place -----------------------------------------------------------------------------

static int64_t median(int64_t a, int64_t b, int64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// A key near the middle: the median of three medians of three.
static int64_t pivot(const int64_t* a, size_t n) {
  if (n < 128) return median(a[0], a[n / 2], a[n - 1]);
  size_t s = n / 8;
  return median(median(a[0], a[s], a[2 * s]), median(a[3 * s], a[n / 2], a[5 * s]),
                median(a[6 * s], a[7 * s], a[n - 1]));
}

// Moves the keys for which `less` holds to the front, without a branch per key: one key is taken
// out, so that every step fills the hole that the step before left. Returns how many there are.
template <class Less>
static size_t split(int64_t* a, size_t n, Less less) {
  if (n == 0) return 0;
  int64_t spare = a[0];
  size_t k = 0;
  for (size_t i = 1; i < n; i++) {
    int64_t x = a[i];
    a[i - 1] = a[k];
    a[k] = x;
    k += less(x);
  }
  a[n - 1] = a[k];
  a[k] = spare;
  return k + less(spare);
}

static void insertion(int64_t* a, size_t n) {
  for (size_t i = 1; i < n; i++) {
    int64_t x = a[i];
    size_t j = i;
    for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

static void quicksort(int64_t* a, size_t n) {
  while (n > 24) {
    int64_t p = pivot(a, n);
    size_t low = split(a, n, [p](int64_t x) { return x < p; }), high = low;
    // Few keys below the pivot may mean many keys equal to it; these are done.
    if (low < n / 8) high += split(a + low, n - low, [p](int64_t x) { return x <= p; });
    if (low > 4096) {
#pragma omp task untied
      quicksort(a, low);
    } else {
      quicksort(a, low);
    }
    a += high;
    n -= high;
  }
  insertion(a, n);
}

static void parallel_quicksort(int64_t* a, size_t n) {
#pragma omp parallel
#pragma omp single
  quicksort(a, n);
}

// ---- cases --------------------------------------------------------------------------------

static void go(size_t n, const char* size, bool few) {
  if (!want_size(size)) return;
  std::string name = few ? "quicksort.i64-0..99." : "quicksort.i64.";
  std::vector<int64_t> s(n);
  for (size_t i = 0; i < n; i++) s[i] = few ? rnd(i) % 100 : rnd(i) >> 1;
  auto a = s;
  auto prep = [&] { a = s; };
  auto middle = [&] {
    if (!std::is_sorted(a.begin(), a.end())) abort();
    return (double)a[n / 2];
  };
  parallel_quicksort(a.data(), n);
  middle();
  bench((name + "cpp-functional-1thr").c_str(), size, [&] { return (double)functional(s)[n / 2]; });
  bench((name + "std::sort-1thr").c_str(), size, prep, [&] {
    std::sort(a.begin(), a.end());
    return (double)a[n / 2];
  });
  bench((name + "cpp-in-place-omp-tasks").c_str(), size, prep, [&] {
    parallel_quicksort(a.data(), n);
    return (double)a[n / 2];
  });
}

int main() {
  for (bool few : {false, true}) {
    go(1000000, "1M", few);
    go(16000000, "16M", few);
  }
}
