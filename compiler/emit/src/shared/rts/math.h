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

/* ---- ints ------------------------------------------------------------------------------- */

/* Sums, differences and products wrap; CUDA C++ takes for granted that those of signed ints do not. */
NESL_SCALAR int64_t nesl_plus(int64_t x, int64_t y) { return (int64_t)((uint64_t)x + (uint64_t)y); }
NESL_SCALAR int64_t nesl_minus(int64_t x, int64_t y) { return (int64_t)((uint64_t)x - (uint64_t)y); }
NESL_SCALAR int64_t nesl_times(int64_t x, int64_t y) { return (int64_t)((uint64_t)x * (uint64_t)y); }

NESL_SCALAR int64_t nesl_abs(int64_t x) { return x < 0 ? nesl_minus(0, x) : x; }

/* Toward zero.  min_int / -1 wraps; x / 0 was reported and gives 0. */
NESL_SCALAR int64_t nesl_div(int64_t x, int64_t y) {
  return y == -1 ? nesl_minus(0, x) : y == 0 ? 0 : x / y;
}

/* With the sign of the dividend. */
NESL_SCALAR int64_t nesl_rem(int64_t x, int64_t y) { return y == -1 || y == 0 ? 0 : x % y; }

/* With the sign of the divisor. */
NESL_SCALAR int64_t nesl_mod(int64_t x, int64_t y) {
  int64_t r = nesl_rem(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* Counts above 63 shift everything out; negative ones were reported. */
NESL_SCALAR int64_t nesl_shl(int64_t x, int64_t y) {
  return (uint64_t)y > 63 ? 0 : (int64_t)((uint64_t)x << (y & 63));
}
NESL_SCALAR int64_t nesl_shr(int64_t x, int64_t y) { return x >> ((uint64_t)y > 63 ? 63 : y); }

/* The floor of the square root; the double may be off by one. */
NESL_SCALAR int64_t nesl_isqrt(int64_t x) {
  uint64_t n = x < 0 ? 0 : (uint64_t)x;
  uint64_t r = (uint64_t)(int64_t)sqrt((double)(int64_t)n);
  r -= r * r > n;
  r += (r + 1) * (r + 1) <= n;
  return (int64_t)r;
}

/* The finaliser of splitmix64 over x advanced by y golden-ratio steps. */
NESL_SCALAR int64_t nesl_mix(int64_t x, int64_t y) {
  uint64_t z = (uint64_t)x + ((uint64_t)y + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (int64_t)(z ^ (z >> 31));
}

/* The high half of the unsigned product, from products of halves, which vectorise. */
NESL_SCALAR int64_t nesl_mul_high(int64_t x, int64_t y) {
  uint64_t xl = (uint32_t)x, xh = (uint64_t)x >> 32, yl = (uint32_t)y, yh = (uint64_t)y >> 32;
  uint64_t mixed = xh * yl + (xl * yl >> 32);
  return (int64_t)(xh * yh + (mixed >> 32) + ((xl * yh + (uint32_t)mixed) >> 32));
}

/* ---- chars ------------------------------------------------------------------------------ */

NESL_SCALAR uint8_t nesl_cmin(uint8_t x, uint8_t y) { return x < y ? x : y; }
NESL_SCALAR uint8_t nesl_cmax(uint8_t x, uint8_t y) { return x > y ? x : y; }

/* ---- floats ----------------------------------------------------------------------------- */

/* The larger or smaller; a nan is ignored. */
NESL_SCALAR double nesl_fmax(double x, double y) { return x > y || y != y ? x : y; }
NESL_SCALAR double nesl_fmin(double x, double y) { return x < y || y != y ? x : y; }

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

/* The bits of x, -0.0 as 0.0 and every nan alike. */
NESL_SCALAR int64_t nesl_float_bits(double x) {
  int64_t bits = x != x ? 0x7ff8000000000000 : nesl_bits_of(x);
  return x == 0 ? 0 : bits;
}

/* The top 53 bits of x as a float in [0, 1). */
NESL_SCALAR double nesl_unit_float(int64_t x) {
  return (double)(int64_t)((uint64_t)x >> 11) * 0x1p-53;
}

/* Float to int toward zero; saturates, nan gives 0. */
NESL_SCALAR int64_t nesl_trunc(double x) {
  bool inside = (x >= -0x1p63) & (x < 0x1p63);
  int64_t r = (int64_t)(inside ? x : 0.0);
  r = x >= 0x1p63 ? INT64_MAX : r;
  return x < -0x1p63 ? INT64_MIN : r;
}
NESL_SCALAR int64_t nesl_floor(double x) { return nesl_trunc(floor(x)); }
NESL_SCALAR int64_t nesl_ceil(double x) { return nesl_trunc(ceil(x)); }

/* To the nearest int, ties away from zero.  The distance to the truncated value is exact. */
NESL_SCALAR int64_t nesl_round(double x) {
  double whole = trunc(x), part = fabs(x - whole);
  return nesl_trunc(part >= 0.5 ? whole + copysign(1.0, x) : whole);
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
NESL_SCALAR double nesl_exp(double x) {
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
NESL_SCALAR double nesl_ln(double x) {
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

#endif
