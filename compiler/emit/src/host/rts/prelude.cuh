/* Programs use as much of this as they need. */
#pragma nv_diag_suppress 177, 550

#include <cuda_runtime.h>
#include <functional>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

/* The ints and floats of the program. */
typedef int64_t nesl_int;
typedef uint64_t nesl_uint;
typedef double nesl_float;

#define NESL_LOCAL thread_local
#define NESL_UNUSED

static __host__ __device__ __forceinline__ int64_t nesl_min(int64_t x, int64_t y) {
  return x < y ? x : y;
}
static __host__ __device__ __forceinline__ int64_t nesl_max(int64_t x, int64_t y) {
  return x > y ? x : y;
}
