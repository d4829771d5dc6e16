/* The operations of NESL's scalars that C and CUDA C++ lack, or define for some operands only.
 *
 * All are total and free of branches, so that loops that contain them vectorise.  Checks for
 * operands on which NESL fails are printed before them.  Compiled with -fwrapv (ints wrap) and
 * -ffp-contract=off (no two float operations become one). */
#ifndef NESL_MATH_H
#define NESL_MATH_H

#ifndef __CUDACC__
#include <math.h>
#endif

/* A function of the C library for the program's floats. */
#ifdef NESL_FLOAT_32
#define NESL_LIBRARY(name) name##f
#else
#define NESL_LIBRARY(name) name
#endif

/* ---- ints ------------------------------------------------------------------------------- */

enum { NESL_BITS = 8 * sizeof(nesl_int) };

/* Sums, differences and products wrap; CUDA C++ takes for granted that those of signed ints do not. */
NESL_SCALAR nesl_int nesl_plus(nesl_int x, nesl_int y) {
  return (nesl_int)((nesl_uint)x + (nesl_uint)y);
}
NESL_SCALAR nesl_int nesl_minus(nesl_int x, nesl_int y) {
  return (nesl_int)((nesl_uint)x - (nesl_uint)y);
}
NESL_SCALAR nesl_int nesl_times(nesl_int x, nesl_int y) {
  return (nesl_int)((nesl_uint)x * (nesl_uint)y);
}

NESL_SCALAR nesl_int nesl_abs(nesl_int x) { return x < 0 ? nesl_minus(0, x) : x; }

/* The smaller and larger of ints of the program, which bounds of loops need not be. */
NESL_SCALAR nesl_int nesl_imin(nesl_int x, nesl_int y) { return x < y ? x : y; }
NESL_SCALAR nesl_int nesl_imax(nesl_int x, nesl_int y) { return x > y ? x : y; }

/* Toward zero.  min_int / -1 wraps; x / 0 was reported and gives 0. */
NESL_SCALAR nesl_int nesl_div(nesl_int x, nesl_int y) {
  return y == -1 ? nesl_minus(0, x) : y == 0 ? 0 : x / y;
}

/* With the sign of the dividend. */
NESL_SCALAR nesl_int nesl_rem(nesl_int x, nesl_int y) { return y == -1 || y == 0 ? 0 : x % y; }

/* With the sign of the divisor. */
NESL_SCALAR nesl_int nesl_mod(nesl_int x, nesl_int y) {
  nesl_int r = nesl_rem(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* Counts of all bits or more shift everything out; negative ones were reported. */
NESL_SCALAR nesl_int nesl_shl(nesl_int x, nesl_int y) {
  return (nesl_uint)y >= NESL_BITS ? 0 : (nesl_int)((nesl_uint)x << (y & (NESL_BITS - 1)));
}
NESL_SCALAR nesl_int nesl_shr(nesl_int x, nesl_int y) {
  return x >> ((nesl_uint)y >= NESL_BITS ? NESL_BITS - 1 : y);
}

/* The floor of the square root; the double may be off by one. */
NESL_SCALAR nesl_int nesl_isqrt(nesl_int x) {
  nesl_uint n = x < 0 ? 0 : (nesl_uint)x;
  nesl_uint r = (nesl_uint)(nesl_int)sqrt((double)(nesl_int)n);
  r -= r * r > n;
  r += (r + 1) * (r + 1) <= n;
  return (nesl_int)r;
}

/* The finaliser of splitmix64 over x advanced by y golden-ratio steps; of narrow ints the low half. */
NESL_SCALAR nesl_int nesl_mix(nesl_int x, nesl_int y) {
  uint64_t z = (uint64_t)x + ((uint64_t)y + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (nesl_int)(int64_t)(z ^ (z >> 31));
}

/* The high half of the unsigned product; that of 64 bits from products of halves, which vectorise. */
NESL_SCALAR nesl_int nesl_mul_high(nesl_int x, nesl_int y) {
#ifdef NESL_INT_32
  return (nesl_int)((uint64_t)(uint32_t)x * (uint32_t)y >> 32);
#else
  uint64_t xl = (uint32_t)x, xh = (uint64_t)x >> 32, yl = (uint32_t)y, yh = (uint64_t)y >> 32;
  uint64_t mixed = xh * yl + (xl * yl >> 32);
  return (int64_t)(xh * yh + (mixed >> 32) + ((xl * yh + (uint32_t)mixed) >> 32));
#endif
}

/* ---- chars ------------------------------------------------------------------------------ */

NESL_SCALAR uint8_t nesl_cmin(uint8_t x, uint8_t y) { return x < y ? x : y; }
NESL_SCALAR uint8_t nesl_cmax(uint8_t x, uint8_t y) { return x > y ? x : y; }

/* ---- floats ----------------------------------------------------------------------------- */

/* The larger or smaller; a nan is ignored. */
NESL_SCALAR nesl_float nesl_fmax(nesl_float x, nesl_float y) { return x > y || y != y ? x : y; }
NESL_SCALAR nesl_float nesl_fmin(nesl_float x, nesl_float y) { return x < y || y != y ? x : y; }

/* x to the power y.  GCC takes a square root in vectorised loops where it knows that y is 0.5, also
 * of -0.0, which gives 0.0, and of -infinity, which gives infinity. */
NESL_SCALAR nesl_float nesl_pow(nesl_float x, nesl_float y) {
  nesl_float power = NESL_LIBRARY(pow)(x, y);
  nesl_float root = x == -INFINITY ? INFINITY : power + 0;
  return y == (nesl_float)0.5 ? root : power;
}

NESL_SCALAR int64_t nesl_bits_of(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
NESL_SCALAR double nesl_of_bits(int64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The bits of x, -0.0 as 0.0 and every nan alike; if an int has only half of them, both halves in
 * one. */
NESL_SCALAR nesl_int nesl_float_bits(nesl_float x) {
#ifdef NESL_FLOAT_32
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = x != x ? 0x7fc00000 : bits;
  return (nesl_int)(x == 0 ? 0 : bits);
#else
  int64_t bits = x != x ? 0x7ff8000000000000 : nesl_bits_of(x);
  bits = x == 0 ? 0 : bits;
#ifdef NESL_INT_32
  bits ^= bits >> 32;
#endif
  return (nesl_int)bits;
#endif
}

/* The top bits of x, as many as a float holds, as a float in [0, 1). */
NESL_SCALAR nesl_float nesl_unit_float(nesl_int x) {
#ifdef NESL_INT_32
  uint64_t bits = (uint64_t)(uint32_t)x << 32;
#else
  uint64_t bits = (uint64_t)x;
#endif
#ifdef NESL_FLOAT_32
  return (float)(int32_t)(bits >> 40) * 0x1p-24f;
#else
  return (double)(int64_t)(bits >> 11) * 0x1p-53;
#endif
}

/* Float to int toward zero; saturates, nan gives 0. */
NESL_SCALAR nesl_int nesl_trunc(nesl_float x) {
#ifdef NESL_INT_32
  const nesl_float end = 0x1p31f;
  const nesl_int most = INT32_MAX;
#else
  const nesl_float end = 0x1p63f;
  const nesl_int most = INT64_MAX;
#endif
  bool inside = (x >= -end) & (x < end);
  nesl_int r = (nesl_int)(inside ? x : 0);
  r = x >= end ? most : r;
  return x < -end ? -most - 1 : r;
}
NESL_SCALAR nesl_int nesl_floor(nesl_float x) { return nesl_trunc(NESL_LIBRARY(floor)(x)); }
NESL_SCALAR nesl_int nesl_ceil(nesl_float x) { return nesl_trunc(NESL_LIBRARY(ceil)(x)); }

/* To the nearest int, ties away from zero.  The distance to the truncated value is exact. */
NESL_SCALAR nesl_int nesl_round(nesl_float x) {
  nesl_float whole = NESL_LIBRARY(trunc)(x), part = NESL_LIBRARY(fabs)(x - whole);
  return nesl_trunc(part >= 0.5f ? whole + NESL_LIBRARY(copysign)((nesl_float)1, x) : whole);
}

#endif
