/* The types, constants and operations that C has in headers, or for the host as well.
 *
 * Header-free: NVRTC compiles this without any include. */

/* Programs use as much of this as they need. */
#pragma nv_diag_suppress 177

#define NESL_SCALAR static __device__ __forceinline__
#define NESL_FUNCTION static __device__ __noinline__
#define INT64_C(x) x##LL
#define UINT64_C(x) x##ULL
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-INT64_MAX - 1)
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#ifdef NESL_FLOAT_32
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#else
#define INFINITY __longlong_as_double(0x7ff0000000000000)
#define NAN __longlong_as_double(0x7ff8000000000000)
#endif

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

/* The ints and floats of the program.  Numbers of tiles, and words of scratch memory, have 64 bits
 * whatever these have. */
#ifdef NESL_INT_32
typedef int32_t nesl_int;
typedef uint32_t nesl_uint;
#else
typedef int64_t nesl_int;
typedef uint64_t nesl_uint;
#endif
#ifdef NESL_FLOAT_32
typedef float nesl_float;
#else
typedef double nesl_float;
#endif

/* 64 bits, unless both have 32. */
template <class X, class Y> struct nesl_wider {
  typedef int64_t type;
};
template <> struct nesl_wider<int32_t, int32_t> {
  typedef int32_t type;
};
template <class X, class Y, class T = typename nesl_wider<X, Y>::type>
NESL_SCALAR T nesl_min(X x, Y y) {
  return (T)x < (T)y ? (T)x : (T)y;
}
template <class X, class Y, class T = typename nesl_wider<X, Y>::type>
NESL_SCALAR T nesl_max(X x, Y y) {
  return (T)x > (T)y ? (T)x : (T)y;
}
