/* exp and ln, within a unit in the last place, or 1.25 where products and sums round apart.  Include
 * after math.h.
 *
 * On CPUs they are free of branches, so that loops that contain them vectorise.  On GPUs doubles are
 * what these take longest for: there, what is out of the ordinary is told by the first half of the
 * bits, as an int, and goes another way. */
#ifndef NESL_ELEMENTARY_H
#define NESL_ELEMENTARY_H

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define NESL_BRANCHES
/* About 1 / x: to 20 bits. */
NESL_SCALAR double nesl_near_reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
/* x * y + z, in one rounding where that is an instruction. */
#define NESL_FMA(x, y, z) __fma_rn(x, y, z)
#elif defined(__CUDACC__)
#define NESL_FMA(x, y, z) fma(x, y, z)
#elif defined(__FMA__)
#define NESL_FMA(x, y, z) __builtin_fma(x, y, z)
#else
#define NESL_FMA(x, y, z) ((x) * (y) + (z))
#endif

/* On a GPU a double in the text takes two instructions each time it is used, one in the memory of
 * constants none: a third of what Black-Scholes did was such, most of it in exp and ln. */
#ifdef NESL_BRANCHES
#define NESL_CONSTANTS static __constant__
#else
#define NESL_CONSTANTS static const
#endif

/* Sign, exponent, and the highest 20 bits of the fraction. */
NESL_SCALAR uint32_t nesl_high_word(double x) { return (uint32_t)(nesl_bits_of(x) >> 32); }

/* e to the x as the product of what is returned, between 0.7 and 1.5, and 2^k, told without the bias
 * of exponents.  x = k ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r + r^2 q(r), where q has the least
 * error of those of its degree (found by Remez' algorithm): with coefficients as rounded, 2^-56. */
NESL_CONSTANTS double nesl_exp_terms[] = {
    0x1.71547652b82fep+0,                         /* 1 / ln 2 */
    -0x1.62e42fefa0000p-1, -0x1.cf79abc9e3b3ap-40, /* -ln 2, in two parts */
    /* q, from its highest power on */
    0x1.ad7f758c604f3p-26, 0x1.28ad68b2c1254p-22, 0x1.71df253d734e2p-19, 0x1.a0199a16d2412p-16,
    0x1.a01a012a68531p-13, 0x1.6c16c18426720p-10, 0x1.1111111127b9fp-7, 0x1.555555555088cp-5,
    0x1.55555555554fap-3, 0x1.000000000000ap-1};
NESL_SCALAR double nesl_exp_parts(double x, int64_t *power) {
  const double shift = 0x1.8p52; /* adding it rounds to a whole number, which is in the low bits */
  double shifted = NESL_FMA(x, nesl_exp_terms[0], shift);
  double k = shifted - shift;
  double r = NESL_FMA(k, nesl_exp_terms[1], x);
  r = NESL_FMA(k, nesl_exp_terms[2], r);
  double p = NESL_FMA(nesl_exp_terms[3], r, nesl_exp_terms[4]);
  p = NESL_FMA(p, r, nesl_exp_terms[5]);
  p = NESL_FMA(p, r, nesl_exp_terms[6]);
  p = NESL_FMA(p, r, nesl_exp_terms[7]);
  p = NESL_FMA(p, r, nesl_exp_terms[8]);
  p = NESL_FMA(p, r, nesl_exp_terms[9]);
  p = NESL_FMA(p, r, nesl_exp_terms[10]);
  p = NESL_FMA(p, r, nesl_exp_terms[11]);
  p = NESL_FMA(p, r, nesl_exp_terms[12]);
  *power = (int64_t)((uint64_t)nesl_bits_of(shifted) << 52);
  return NESL_FMA(NESL_FMA(p, r, 1.0), r, 1.0);
}

/* e to any x.  Of an x that is far out, what is computed first is anything at all.  2^k comes in two
 * factors, because 2^-1075 is no double. */
NESL_SCALAR double nesl_exp_any(double x) {
  const int64_t one = (int64_t)1 << 52;
  int64_t power;
  double p = nesl_exp_parts(x, &power);
  const int64_t bias = x < 0 ? (1023 + 64) * one : (1023 - 64) * one;
  double scale = nesl_of_bits(power + bias), rest = nesl_of_bits(2046 * one - bias);
  double y = p * scale * rest;
  y = x < -745.14 ? 0.0 : y;
  return x > 710.0 ? INFINITY : y;
}

#ifdef NESL_BRANCHES
NESL_FUNCTION double nesl_exp_apart(double x) { return nesl_exp_any(x); }
#endif

NESL_SCALAR double nesl_exp_double(double x) {
#ifdef NESL_BRANCHES
  if ((nesl_high_word(x) & 0x7fffffff) >= 0x40862000) return nesl_exp_apart(x); /* |x| >= 708 */
  int64_t power;
  double p = nesl_exp_parts(x, &power);
  return nesl_of_bits(nesl_bits_of(p) + power);
#else
  return nesl_exp_any(x);
#endif
}

/* The same for an x that is not above 0, or a nan. */
NESL_SCALAR double nesl_exp_double_below(double x) {
#ifdef NESL_BRANCHES
  return nesl_exp_double(x);
#else
  int64_t power;
  double p = nesl_exp_parts(x, &power);
  double scale = nesl_of_bits(power + ((int64_t)(1023 + 64) << 52));
  double y = p * scale * 0x1p-64;
  return x < -745.14 ? 0.0 : y;
#endif
}

/* f / (2 + f), for f that is neither large nor close to -2. */
NESL_SCALAR double nesl_ln_quotient(double f) {
  double d = 2.0 + f;
#ifdef NESL_BRANCHES
  /* With its error's first two powers the approximation is good to 60 bits.  The quotient counts
   * for a tenth of the result, so that it need not be rounded right. */
  double y = nesl_near_reciprocal(d), e = NESL_FMA(-d, y, 1.0);
  return f * NESL_FMA(y, NESL_FMA(e, e, e), y);
#else
  return f / d;
#endif
}

NESL_CONSTANTS double nesl_ln_terms[] = {
    0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33, /* ln 2, in two parts */
    /* R(z) / z, from its highest power on */
    0x1.2f112df3e5244p-3, 0x1.39a09d078c69fp-3, 0x1.7466496cb03dep-3, 0x1.c71c51d8e78afp-3,
    0x1.2492494229359p-2, 0x1.999999997fa04p-2, 0x1.5555555555593p-1};

/* The series R(z) / z of the logarithm.  CPUs wait for one step after the other: two halves side by
 * side. */
NESL_SCALAR double nesl_ln_series(double z) {
#ifdef NESL_BRANCHES
  double p = NESL_FMA(nesl_ln_terms[2], z, nesl_ln_terms[3]);
  p = NESL_FMA(p, z, nesl_ln_terms[4]);
  p = NESL_FMA(p, z, nesl_ln_terms[5]);
  p = NESL_FMA(p, z, nesl_ln_terms[6]);
  p = NESL_FMA(p, z, nesl_ln_terms[7]);
  return NESL_FMA(p, z, nesl_ln_terms[8]);
#else
  double square = z * z;
  double even = NESL_FMA(nesl_ln_terms[2], square, nesl_ln_terms[4]);
  double odd = NESL_FMA(nesl_ln_terms[3], square, nesl_ln_terms[5]);
  even = NESL_FMA(even, square, nesl_ln_terms[6]);
  odd = NESL_FMA(odd, square, nesl_ln_terms[7]);
  return NESL_FMA(odd, z, NESL_FMA(even, square, nesl_ln_terms[8]));
#endif
}

/* The natural logarithm, after fdlibm's e_log.c: x = 2^k m with sqrt(1/2) <= m < sqrt(2),
 * f = m - 1, s = f / (2 + f), ln(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)). */
NESL_SCALAR double nesl_ln_double(double x) {
  double y = x;
  int64_t less = 0;
#ifdef NESL_BRANCHES
  if (nesl_high_word(x) - 0x00100000 >= 0x7fe00000) {
    if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
    if (!(x < INFINITY)) return x;
    y = x * 0x1p54;
    less = 54;
  }
#else
  const bool tiny = nesl_bits_of(x) < (int64_t)1 << 52;
  y = tiny ? x * 0x1p54 : x;
  less = tiny ? 54 : 0;
#endif
  int64_t bits = nesl_bits_of(y);
  /* Adding 1 - sqrt(1/2) in the exponent's units moves m to the interval wanted. */
  int64_t moved = bits + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  int64_t n = (moved >> 52) - 1023;
  double k = nesl_of_bits(n - less + 0x4338000000000000) - 0x1.8p52;
  double m = nesl_of_bits(bits - (int64_t)((uint64_t)n << 52));
  double f = m - 1.0;
  double s = nesl_ln_quotient(f), z = s * s;
  double square = 0.5 * f * f;
  double low = NESL_FMA(s, NESL_FMA(nesl_ln_series(z), z, square), k * nesl_ln_terms[1]);
  double r = NESL_FMA(k, nesl_ln_terms[0], f - (square - low));
#ifndef NESL_BRANCHES
  const double none = x == 0 ? -INFINITY : NAN;
  r = x > 0 ? r : none;
  /* Infinity, nan.  Last, as no constant: GCC's -O3 would compute what uses that for itself, in a
   * branch, and not vectorise. */
  r = x <= 0x1.fffffffffffffp1023 ? r : x;
#endif
  return r;
}

/* For single floats the others give correct rounding nearly always, but there are faster ones on a
 * GPU. */
#if defined(__CUDACC__) && (defined(NESL_FLOAT_32) || defined(NESL_FAST_MATH))
NESL_SCALAR nesl_float nesl_exp(nesl_float x) { return NESL_LIBRARY(exp)(x); }
NESL_SCALAR nesl_float nesl_exp_below(nesl_float x) { return nesl_exp(x); }
NESL_SCALAR nesl_float nesl_ln(nesl_float x) { return NESL_LIBRARY(log)(x); }
#else
NESL_SCALAR nesl_float nesl_exp(nesl_float x) { return (nesl_float)nesl_exp_double(x); }
NESL_SCALAR nesl_float nesl_exp_below(nesl_float x) { return (nesl_float)nesl_exp_double_below(x); }
NESL_SCALAR nesl_float nesl_ln(nesl_float x) { return (nesl_float)nesl_ln_double(x); }
#endif

#endif
