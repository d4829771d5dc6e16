// The 7-point stencil on a cube; only the inside is computed.
#include "bench.cuh"
using namespace B;

template <class T>
__global__ void stencil(const T* __restrict__ a, T* __restrict__ to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= n - 1 || j >= n - 1 || k >= n - 1) return;
  long plane = (long)n * n, c = k * plane + (long)j * n + i;
  to[c] = T(0.4) * a[c] + T(0.1) * (a[c - 1] + a[c + 1] + a[c - n] + a[c + n] + a[c - plane] +
                                    a[c + plane]);
}

template <class T>
void stencils(const char* name, const char* size, int n) {
  if (!wanted(name, size)) return;
  Vector<T> a((size_t)n * n * n), to((size_t)n * n * n);
  fill(a, [] __device__(size_t i) { return unit(i); });
  dim3 block(64, 4, 1), grid((n + 63) / 64, (n + 3) / 4, n);
  bench(name, size, [&] { stencil<<<grid, block>>>(a.p, to.p, n); });
}

int main() {
  stencils<float>("stencil.f32.hand", "256^3", 256);
  stencils<double>("stencil.f64.hand", "256^3", 256);
  stencils<float>("stencil.f32.hand", "512^3", 512);
  stencils<double>("stencil.f64.hand", "512^3", 512);
}
