/* The shortest decimal digits of a float.
 *
 * Free-format printing as in Burger and Dybvig, "Printing floating-point numbers quickly and
 * accurately".  The value v, and half the distances to its neighbours, are exact fractions r / s,
 * up / s and down / s over large ints.  Digits of r / s come out one by one until what is left of v
 * is so small, or so near to the next digit, that the digits read back as v. */
#ifndef NESL_DECIMAL_H
#define NESL_DECIMAL_H

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define NESL_LEADING_ZEROS(x) __clzll((int64_t)(x))
#else
#define NESL_LEADING_ZEROS(x) __builtin_clzll(x)
#endif

enum { NESL_LIMBS = 40 }; /* 1280 bits; 2^1024 * 10^17 and 10^324 * 2^54 need fewer */

/* A natural number, the lowest limb first; limbs from `count` on are not there. */
typedef struct nesl_big {
  int32_t count;
  uint32_t limb[NESL_LIMBS];
} nesl_big;

NESL_FUNCTION nesl_big nesl_big_of(uint64_t x) {
  nesl_big a = {0, {(uint32_t)x, (uint32_t)(x >> 32)}};
  a.count = x >> 32 ? 2 : x ? 1 : 0;
  return a;
}

NESL_FUNCTION void nesl_big_times(nesl_big *a, uint32_t factor) {
  uint64_t carry = 0;
  for (int32_t i = 0; i < a->count; i++) {
    carry += (uint64_t)a->limb[i] * factor;
    a->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) a->limb[a->count++] = (uint32_t)carry;
}

NESL_FUNCTION void nesl_big_times_power(nesl_big *a, int32_t exponent) {
  for (; exponent >= 9; exponent -= 9) nesl_big_times(a, 1000000000);
  for (; exponent > 0; exponent--) nesl_big_times(a, 10);
}

NESL_FUNCTION void nesl_big_shift(nesl_big *a, int32_t bits) {
  int32_t limbs = bits / 32;
  if (a->count == 0) return;
  for (int32_t i = a->count - 1; i >= 0; i--) a->limb[i + limbs] = a->limb[i];
  for (int32_t i = 0; i < limbs; i++) a->limb[i] = 0;
  a->count += limbs;
  if (bits % 32) nesl_big_times(a, (uint32_t)1 << bits % 32);
}

/* Less than, equal to or greater than 0 as a is to b. */
NESL_FUNCTION int nesl_big_compare(const nesl_big *a, const nesl_big *b) {
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (int32_t i = a->count - 1; i >= 0; i--) {
    if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
  }
  return 0;
}

NESL_FUNCTION nesl_big nesl_big_plus(const nesl_big *a, const nesl_big *b) {
  nesl_big sum = {a->count > b->count ? a->count : b->count, {0}};
  uint64_t carry = 0;
  for (int32_t i = 0; i < sum.count; i++) {
    carry += i < a->count ? a->limb[i] : 0;
    carry += i < b->count ? b->limb[i] : 0;
    sum.limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) sum.limb[sum.count++] = (uint32_t)carry;
  return sum;
}

/* a -= b, where a >= b. */
NESL_FUNCTION void nesl_big_minus(nesl_big *a, const nesl_big *b) {
  int64_t borrow = 0;
  for (int32_t i = 0; i < a->count; i++) {
    borrow += (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0);
    a->limb[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  while (a->count > 0 && a->limb[a->count - 1] == 0) a->count--;
}

/* Digits without trailing zeros, and the decimal exponent of the first. */
typedef struct nesl_decimal {
  int64_t digits, exponent;
} nesl_decimal;

/* Of an int below which all ints are floats: no shorter digits are as near. */
NESL_FUNCTION nesl_decimal nesl_decimal_of_int(int64_t x) {
  nesl_decimal d = {x, -1};
  for (int64_t rest = x; rest > 0; rest /= 10) d.exponent++;
  while (d.digits % 10 == 0) d.digits /= 10;
  return d;
}

/* Bits of the fraction, and what the exponent of its lowest bit is stored as. */
#ifdef NESL_FLOAT_32
enum { NESL_FRACTION = 23, NESL_BIAS = 150 };
#else
enum { NESL_FRACTION = 52, NESL_BIAS = 1075 };
#endif

NESL_FUNCTION nesl_decimal nesl_shortest(nesl_float x) {
  x = NESL_LIBRARY(fabs)(x);
  nesl_decimal d = {0, 0};
  if (!(x > 0 && x < INFINITY)) return d;
  const uint64_t one = UINT64_C(1) << NESL_FRACTION;
  if (x < (nesl_float)(int64_t)(2 * one) && x == (nesl_float)(int64_t)x) {
    return nesl_decimal_of_int((int64_t)x);
  }
#ifdef NESL_FLOAT_32
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
#else
  int64_t bits = nesl_bits_of(x);
#endif
  int64_t fraction = bits & (int64_t)(one - 1);
  int32_t biased = (int32_t)(bits >> NESL_FRACTION), e = (biased ? biased : 1) - NESL_BIAS;
  uint64_t f = (uint64_t)fraction | (biased ? one : 0);
  /* The neighbour below a power of two is nearer than the one above. */
  int32_t uneven = fraction == 0 && biased > 1;
  nesl_big r = nesl_big_of(f), s = nesl_big_of(1), up = s, down = s;
  nesl_big_shift(&r, (e > 0 ? e : 0) + 1 + uneven);
  nesl_big_shift(&s, (e < 0 ? -e : 0) + 1 + uneven);
  nesl_big_shift(&up, (e > 0 ? e : 0) + uneven);
  nesl_big_shift(&down, e > 0 ? e : 0);
  /* 10^(k-1) <= v < 10^k; the estimate may be one too small. */
  int32_t length = 64 - NESL_LEADING_ZEROS(f);
  int32_t k = (int32_t)ceil((e + length - 1) * 0.30102999566398120 - 1e-10);
  nesl_big_times_power(&s, k > 0 ? k : 0);
  nesl_big_times_power(&r, k < 0 ? -k : 0);
  nesl_big_times_power(&up, k < 0 ? -k : 0);
  nesl_big_times_power(&down, k < 0 ? -k : 0);
  /* A middle between neighbours reads as the even one. */
  int even = f % 2 == 0;
  nesl_big above = nesl_big_plus(&r, &up);
  if (nesl_big_compare(&above, &s) >= !even) {
    k++;
  } else {
    nesl_big_times(&r, 10);
    nesl_big_times(&up, 10);
    nesl_big_times(&down, 10);
  }
  for (int64_t digits = 0;;) {
    int digit = 0;
    for (; nesl_big_compare(&r, &s) >= 0; digit++) nesl_big_minus(&r, &s);
    above = nesl_big_plus(&r, &up);
    int low = nesl_big_compare(&r, &down) < even, high = nesl_big_compare(&above, &s) >= !even;
    digits = digits * 10 + digit;
    if (low || high) {
      nesl_big twice = nesl_big_plus(&r, &r);
      digits += high && (!low || nesl_big_compare(&twice, &s) >= 0);
      while (digits % 10 == 0) digits /= 10;
      d.digits = digits;
      d.exponent = k - 1;
      return d;
    }
    nesl_big_times(&r, 10);
    nesl_big_times(&up, 10);
    nesl_big_times(&down, 10);
  }
}

/* The digits in two parts if an int has not room for all. */
#ifdef NESL_INT_32
NESL_FUNCTION nesl_int nesl_digits(nesl_float x) { return (nesl_int)(nesl_shortest(x).digits % 1000000000); }
NESL_FUNCTION nesl_int nesl_digits_above(nesl_float x) {
  return (nesl_int)(nesl_shortest(x).digits / 1000000000);
}
#else
NESL_FUNCTION nesl_int nesl_digits(nesl_float x) { return nesl_shortest(x).digits; }
NESL_FUNCTION nesl_int nesl_digits_above(nesl_float x) {
  (void)x;
  return 0;
}
#endif
NESL_FUNCTION nesl_int nesl_exponent(nesl_float x) { return (nesl_int)nesl_shortest(x).exponent; }

#endif
