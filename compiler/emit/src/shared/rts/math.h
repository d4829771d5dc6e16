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

/* ---- exp and ln ------------------------------------------------------------------------- */

/* x * y + z, in one rounding where that is an instruction. */
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define NESL_FMA(x, y, z) __fma_rn(x, y, z)
#elif defined(__CUDACC__)
#define NESL_FMA(x, y, z) fma(x, y, z)
#elif defined(__FMA__)
#define NESL_FMA(x, y, z) __builtin_fma(x, y, z)
#else
#define NESL_FMA(x, y, z) ((x) * (y) + (z))
#endif

/* e to the x.  x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its Taylor series, which is as good as
 * any polynomial so close to 0; then 2^k in two factors, because 2^-1075 is no double. */
NESL_SCALAR double nesl_exp_double(double x) {
  const double shift = 0x1.8p52; /* adding it rounds to a whole number, which is in the low bits */
  double c = x > 710.0 ? 710.0 : x;
  c = c < -746.0 ? -746.0 : c;
  double shifted = NESL_FMA(c, 0x1.71547652b82fep+0, shift);
  double k = shifted - shift;
  int64_t n = nesl_bits_of(shifted) - nesl_bits_of(shift);
  double r = NESL_FMA(k, -0x1.62e42fefa0000p-1, c);
  double low = k * 0x1.cf79abc9e3b3ap-40;
  r = r - low;
  double p = 1.0 / 6227020800.0;
  p = NESL_FMA(p, r, 1.0 / 479001600.0);
  p = NESL_FMA(p, r, 1.0 / 39916800.0);
  p = NESL_FMA(p, r, 1.0 / 3628800.0);
  p = NESL_FMA(p, r, 1.0 / 362880.0);
  p = NESL_FMA(p, r, 1.0 / 40320.0);
  p = NESL_FMA(p, r, 1.0 / 5040.0);
  p = NESL_FMA(p, r, 1.0 / 720.0);
  p = NESL_FMA(p, r, 1.0 / 120.0);
  p = NESL_FMA(p, r, 1.0 / 24.0);
  p = NESL_FMA(p, r, 1.0 / 6.0);
  p = NESL_FMA(p, r, 0.5);
  p = NESL_FMA(p * r, r, r) + 1.0;
  int64_t half = n >> 1;
  double scale = nesl_of_bits((half + 1023) << 52);
  double rest = nesl_of_bits((n - half + 1023) << 52);
  /* A product that is too small to be told from 0 would be slow to find out. */
  rest = x < -745.14 ? 0.0 : rest;
  return p * scale * rest;
}

/* The natural logarithm, after fdlibm's e_log.c: x = 2^k m with sqrt(1/2) <= m < sqrt(2),
 * f = m - 1, s = f / (2 + f), ln(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)). */
NESL_SCALAR double nesl_ln_double(double x) {
  bool tiny = x < 0x1p-1022;
  double y = tiny ? x * 0x1p54 : x;
  int64_t bits = nesl_bits_of(y);
  /* Adding 1 - sqrt(1/2) in the exponent's units moves m to the interval wanted. */
  int64_t moved = bits + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  int64_t n = (moved >> 52) - 1023;
  double k = nesl_of_bits(n + 0x4338000000000000) - 0x1.8p52 - (tiny ? 54.0 : 0.0);
  double m = nesl_of_bits(bits - (n << 52));
  double f = m - 1.0;
  double s = f / (2.0 + f), z = s * s, w = z * z;
  double even = 0x1.39a09d078c69fp-3;
  even = NESL_FMA(w, even, 0x1.c71c51d8e78afp-3);
  even = NESL_FMA(w, even, 0x1.999999997fa04p-2) * w;
  double odd = 0x1.2f112df3e5244p-3;
  odd = NESL_FMA(w, odd, 0x1.7466496cb03dep-3);
  odd = NESL_FMA(w, odd, 0x1.2492494229359p-2);
  odd = NESL_FMA(w, odd, 0x1.5555555555593p-1) * z;
  double square = 0.5 * f * f;
  double low = s * (square + (even + odd)) + k * 0x1.a39ef35793c76p-33;
  double r = k * 0x1.62e42fee00000p-1 - ((square - low) - f);
  r = x > 0x1.fffffffffffffp1023 ? x : r;
  r = x == 0 ? -INFINITY : r;
  r = x < 0 ? NAN : r;
  return x != x ? x : r;
}

/* For single floats the others give correct rounding nearly always, but there are faster ones on a
 * GPU. */
#if defined(__CUDACC__) && (defined(NESL_FLOAT_32) || defined(NESL_FAST_MATH))
NESL_SCALAR nesl_float nesl_exp(nesl_float x) { return NESL_LIBRARY(exp)(x); }
NESL_SCALAR nesl_float nesl_ln(nesl_float x) { return NESL_LIBRARY(log)(x); }
#else
NESL_SCALAR nesl_float nesl_exp(nesl_float x) { return (nesl_float)nesl_exp_double(x); }
NESL_SCALAR nesl_float nesl_ln(nesl_float x) { return (nesl_float)nesl_ln_double(x); }
#endif

#endif
