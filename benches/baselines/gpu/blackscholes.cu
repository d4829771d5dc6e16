// Prices of European calls. Compiled twice: VARIANT is "hand", where the compiler contracts
// multiplications and additions, and "hand-nofma" where it does not, as in NESL.
#include "bench.cuh"
using namespace B;

template <class T>
__device__ T cnd(T x) {
  T l = fabs(x), k = 1 / (1 + T(0.2316419) * l);
  T p = k * (T(0.31938153) +
             k * (T(-0.356563782) +
                  k * (T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429)))));
  T w = 1 - T(0.3989422804014327) * exp(T(-0.5) * l * l) * p;
  return x < 0 ? 1 - w : w;
}

template <class T>
__global__ void price(const T* __restrict__ spot, const T* __restrict__ strike,
                      const T* __restrict__ years, const T* __restrict__ rate,
                      const T* __restrict__ volatility, T* __restrict__ to, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  T s = spot[i], x = strike[i], t = years[i], r = rate[i], v = volatility[i];
  T root = sqrt(t), d1 = (log(s / x) + (r + v * v * T(0.5)) * t) / (v * root), d2 = d1 - v * root;
  to[i] = s * cnd(d1) - x * exp(-r * t) * cnd(d2);
}

template <class T>
void prices(const char* name, Size size) {
  if (!wanted(name, size.name)) return;
  Vector<T> s(size.n), x(size.n), t(size.n), r(size.n), v(size.n), to(size.n);
  fill(s, [] __device__(size_t i) { return 5 + 25 * unit(i); });
  fill(x, [] __device__(size_t i) { return 1 + 99 * unit(i + (1ull << 40)); });
  fill(t, [] __device__(size_t i) { return 0.25 + 9.75 * unit(i + (2ull << 40)); });
  fill(r, [] __device__(size_t i) { return 0.02 + 0.03 * unit(i + (3ull << 40)); });
  fill(v, [] __device__(size_t i) { return 0.1 + 0.5 * unit(i + (4ull << 40)); });
  bench(name, size.name, [&] {
    price<<<(unsigned)((size.n + 255) / 256), 256>>>(s.p, x.p, t.p, r.p, v.p, to.p, size.n);
  });
}

int main() {
  prices<float>("blackscholes.f32." VARIANT, {"10M", 10000000});
  prices<double>("blackscholes.f64." VARIANT, {"10M", 10000000});
}
