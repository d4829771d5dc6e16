// Convex hull of points in a disk: Andrew's monotone chain, and quickhull in place whose first
// passes over all points run on all threads.
#include "bench.h"
#include <omp.h>
using namespace B;
struct P {
  double x, y;
};
static double cr(P a, P b, P c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }
static size_t chain(std::vector<P> p) {
  std::sort(p.begin(), p.end(), [](P a, P b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<P> h(2 * p.size());
  size_t k = 0, n = p.size();
  for (size_t i = 0; i < n; i++) {
    while (k >= 2 && cr(h[k - 2], h[k - 1], p[i]) <= 0) k--;
    h[k++] = p[i];
  }
  for (size_t i = n - 1, t = k + 1; i-- > 0;) {
    while (k >= t && cr(h[k - 2], h[k - 1], p[i]) <= 0) k--;
    h[k++] = p[i];
  }
  return k - 1;
}
// points in q[0..n) are strictly left of l->r; far=argmax
static size_t qh(P* q, size_t n, P l, P r) {
  if (n <= 1) return n;
  double b = -1;
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    double a = cr(l, r, q[i]);
    if (a > b) {
      b = a;
      m = i;
    }
  }
  P M = q[m];
  size_t k = 0, e = n;  // partition in place: [0,k) left of l-M, [e,n) left of M-r
  for (size_t i = 0; i < e;) {
    if (cr(l, M, q[i]) > 0) {
      std::swap(q[i], q[k]);
      k++;
      if (i < k) i = k;
    } else if (cr(M, r, q[i]) > 0) {
      e--;
      std::swap(q[i], q[e]);
    } else
      i++;
  }
  return qh(q, k, l, M) + 1 + qh(q + e, n - e, M, r);
}
// block-parallel first pass
static size_t hull(const P* p, size_t n) {
  int T = omp_get_max_threads();
  P mn = p[0], mx = p[0];
  std::vector<P> lo(T), hi(T);
  std::vector<std::vector<P>> U(T), L(T);
#pragma omp parallel
  {
    int t = omp_get_thread_num();
    size_t a = n * t / T, b = n * (t + 1) / T;
    P x = p[a], y = p[a];
    for (size_t i = a; i < b; i++) {
      if (p[i].x < x.x) x = p[i];
      if (p[i].x > y.x) y = p[i];
    }
    lo[t] = x;
    hi[t] = y;
#pragma omp barrier
    x = lo[0];
    y = hi[0];
    for (int k = 1; k < T; k++) {
      if (lo[k].x < x.x) x = lo[k];
      if (hi[k].x > y.x) y = hi[k];
    }
    // farthest above and below, per thread then global
    double ba = 0, bb = 0;
    P A = x, Bp = x;
    for (size_t i = a; i < b; i++) {
      double c = cr(x, y, p[i]);
      if (c > ba) {
        ba = c;
        A = p[i];
      }
      if (c < bb) {
        bb = c;
        Bp = p[i];
      }
    }
#pragma omp barrier
    lo[t] = A;
    hi[t] = Bp;
#pragma omp barrier
    for (int k = 0; k < T; k++) {
      double c = cr(x, y, lo[k]);
      if (c > ba) {
        ba = c;
        A = lo[k];
      }
      c = cr(x, y, hi[k]);
      if (c < bb) {
        bb = c;
        Bp = hi[k];
      }
    }
    auto& u = U[t];
    auto& l = L[t];
    for (size_t i = a; i < b; i++) {
      P q = p[i];
      double c = cr(x, y, q);
      if (c > 0) {
        if (cr(x, A, q) > 0 || cr(A, y, q) > 0) u.push_back(q);
      } else if (c < 0) {
        if (cr(y, Bp, q) > 0 || cr(Bp, x, q) > 0) l.push_back(q);
      }
    }
#pragma omp single
    {
      mn = x;
      mx = y;
      // To its own: others may still add to theirs.
      u.push_back(A);
      l.push_back(Bp);
    }
  }
  size_t r1 = 0, r2 = 0;
#pragma omp parallel sections
  {
#pragma omp section
    {
      std::vector<P> u;
      for (auto& v : U) u.insert(u.end(), v.begin(), v.end());
      r1 = qh(u.data(), u.size(), mn, mx);
    }
#pragma omp section
    {
      std::vector<P> l;
      for (auto& v : L) l.insert(l.end(), v.begin(), v.end());
      r2 = qh(l.data(), l.size(), mx, mn);
    }
  }
  return r1 + r2 + 2;
}
int main() {
  for (size_t n : {500000ul, 5000000ul}) {
    const char* sz = n == 500000 ? "500K" : "5M";
    if (!want_size(sz)) continue;
    std::vector<P> p(n);
    for (size_t i = 0; i < n; i++) {
      double r = std::sqrt(rndf(2 * i)), t = 2 * M_PI * rndf(2 * i + 1);
      p[i] = {r * std::cos(t), r * std::sin(t)};
    }
    bench("hull.f64.cpp-monotone-chain-1thr", sz, [&] { return (double)chain(p); });
    bench("hull.f64.cpp-quickhull-omp", sz, [&] { return (double)hull(p.data(), n); });
  }
}
