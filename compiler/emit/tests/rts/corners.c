/* Elementary functions at the corners of IEEE 754: in loops that compilers vectorise, with operands
 * that they know, each gives what the C library gives for operands that no compiler sees. */
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include "../../src/shared/rts/math.h"
#include "../../src/shared/rts/elementary.h"
#include <stdio.h>

#ifdef __clang__
/* Most functions of the library are not vectorised. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* Not a multiple of any vector's length, so that there are single lanes, too. */
static const nesl_float operands[] = {
    0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, -2.0f, 3.0f, -3.0f, 10.0f, -10.0f, 4.0f, 0.25f,
    1e-30f, -1e-30f, 1e30f, -1e30f, 1.5f, -1.5f, 0.1f, 100.0f, -100.0f, 1000.0f, -1000.0f,
    INFINITY, -INFINITY, NAN, 3.14159265358979f, -3.14159265358979f, 0x1p-126f, 0x1p-149f,
    -0x1p-149f, 0x1.fffffep127f, -0x1.fffffep127f, 0x1p24f, 0x1.8p23f};
enum { COUNT = sizeof operands / sizeof *operands };

static nesl_float in[COUNT], out[COUNT];
static int failures;

/* Specials, zeros and signs as they are; other numbers within a few units in the last place, as
 * libraries and constants may be rounded otherwise. */
static int same(nesl_float x, nesl_float y) {
  if (x != x || y != y) return x != x && y != y;
  if (x == 0 || y == 0 || isinf(x) || isinf(y)) return x == y && !signbit(x) == !signbit(y);
  return NESL_LIBRARY(fabs)(x - y) <= NESL_LIBRARY(fabs)(x) * 4 * (sizeof x == 4 ? 0x1p-23 : 0x1p-52);
}

static void compare(const char *what, nesl_float x, nesl_float found, nesl_float wanted) {
  if (same(found, wanted)) return;
  printf("%s of %a: %a, and not %a\n", what, (double)x, (double)found, (double)wanted);
  failures++;
}

/* One operand, in a loop. */
#define UNARY(name, found, wanted)                                       \
  static void name##_in_lanes(void) {                                    \
    nesl_float (*volatile hidden)(nesl_float) = wanted;                  \
    _Pragma("omp simd") for (int i = 0; i < COUNT; i++) out[i] = found(in[i]); \
    for (int i = 0; i < COUNT; i++) compare(#name, in[i], out[i], hidden(in[i])); \
  }

/* One operand of two known, on either side; in a loop and, if GCC does more with it, alone. */
#define BINARY(name, y, found, wanted)                                   \
  static void name(void) {                                               \
    nesl_float (*volatile hidden)(nesl_float, nesl_float) = wanted;      \
    volatile nesl_float other = y;                                       \
    _Pragma("omp simd") for (int i = 0; i < COUNT; i++) out[i] = found(in[i], (nesl_float)(y)); \
    for (int i = 0; i < COUNT; i++) compare(#found " by " #y, in[i], out[i], hidden(in[i], other)); \
    _Pragma("omp simd") for (int i = 0; i < COUNT; i++) out[i] = found((nesl_float)(y), in[i]); \
    for (int i = 0; i < COUNT; i++) compare(#found " from " #y, in[i], out[i], hidden(other, in[i])); \
    for (int i = 0; i < COUNT; i++) {                                    \
      nesl_float (*volatile alone)(nesl_float) = name##_alone;           \
      compare(#found " alone by " #y, in[i], alone(in[i]), hidden(in[i], other)); \
    }                                                                    \
  }
#define KNOWN(name, y, found, wanted)                                    \
  static nesl_float name##_alone(nesl_float x) { return found(x, (nesl_float)(y)); } \
  BINARY(name, y, found, wanted)

#define EXPONENTS(use)                                                   \
  use(0, -1) use(1, 0) use(2, 0.5) use(3, -0.5) use(4, 1) use(5, 1.0 / 3) use(6, -1.0 / 3)       \
  use(7, 1.5) use(8, -1.5) use(9, 2) use(10, -2) use(11, 3) use(12, -3) use(13, 10) use(14, 0.25) \
  use(15, 0.75) use(16, 2.5) use(17, -0.0) use(18, INFINITY) use(19, -INFINITY) use(20, NAN)      \
  use(21, 2.718281828459045) use(22, 8) use(23, 1e30) use(24, 0.1) use(25, 4) use(26, 0.125)

#define POWER(n, y) KNOWN(power_##n, y, nesl_pow, NESL_LIBRARY(pow))
#define ANGLE(n, y) KNOWN(angle_##n, y, NESL_LIBRARY(atan2), NESL_LIBRARY(atan2))
EXPONENTS(POWER)
EXPONENTS(ANGLE)

UNARY(exp, nesl_exp, NESL_LIBRARY(exp))
UNARY(ln, nesl_ln, NESL_LIBRARY(log))
UNARY(sqrt, NESL_LIBRARY(sqrt), NESL_LIBRARY(sqrt))
UNARY(sin, NESL_LIBRARY(sin), NESL_LIBRARY(sin))
UNARY(cos, NESL_LIBRARY(cos), NESL_LIBRARY(cos))
UNARY(tan, NESL_LIBRARY(tan), NESL_LIBRARY(tan))
UNARY(asin, NESL_LIBRARY(asin), NESL_LIBRARY(asin))
UNARY(acos, NESL_LIBRARY(acos), NESL_LIBRARY(acos))
UNARY(atan, NESL_LIBRARY(atan), NESL_LIBRARY(atan))
UNARY(sinh, NESL_LIBRARY(sinh), NESL_LIBRARY(sinh))
UNARY(cosh, NESL_LIBRARY(cosh), NESL_LIBRARY(cosh))
UNARY(tanh, NESL_LIBRARY(tanh), NESL_LIBRARY(tanh))
UNARY(fabs, NESL_LIBRARY(fabs), NESL_LIBRARY(fabs))

/* What compilers join: an exponential of a product with a logarithm, powers of powers, a sine and a
 * cosine of one angle, functions and their inverses. */
static nesl_float exp_ln(nesl_float x) { return nesl_exp((nesl_float)0.5 * nesl_ln(x)); }
static nesl_float exp_ln_apart(nesl_float x) {
  volatile nesl_float ln = NESL_LIBRARY(log)(x);
  nesl_float (*volatile hidden)(nesl_float) = NESL_LIBRARY(exp);
  return hidden((nesl_float)0.5 * ln);
}
static nesl_float of_power(nesl_float x) { return nesl_pow(nesl_pow(x, 2), (nesl_float)0.5); }
static nesl_float of_power_apart(nesl_float x) {
  nesl_float (*volatile hidden)(nesl_float, nesl_float) = NESL_LIBRARY(pow);
  return hidden(hidden(x, 2), (nesl_float)0.5);
}
static nesl_float of_root(nesl_float x) { return nesl_pow(NESL_LIBRARY(sqrt)(x), 2); }
static nesl_float of_root_apart(nesl_float x) {
  nesl_float (*volatile hidden)(nesl_float) = NESL_LIBRARY(sqrt);
  nesl_float (*volatile power)(nesl_float, nesl_float) = NESL_LIBRARY(pow);
  return power(hidden(x), 2);
}
static nesl_float both(nesl_float x) { return NESL_LIBRARY(sin)(x) / NESL_LIBRARY(cos)(x); }
static nesl_float both_apart(nesl_float x) {
  nesl_float (*volatile sine)(nesl_float) = NESL_LIBRARY(sin);
  nesl_float (*volatile cosine)(nesl_float) = NESL_LIBRARY(cos);
  return sine(x) / cosine(x);
}
static nesl_float inverse(nesl_float x) { return NESL_LIBRARY(tan)(NESL_LIBRARY(atan)(x)); }
static nesl_float inverse_apart(nesl_float x) {
  nesl_float (*volatile arc)(nesl_float) = NESL_LIBRARY(atan);
  nesl_float (*volatile tangent)(nesl_float) = NESL_LIBRARY(tan);
  return tangent(arc(x));
}
UNARY(exp_ln, exp_ln, exp_ln_apart)
UNARY(of_power, of_power, of_power_apart)
UNARY(of_root, of_root, of_root_apart)
UNARY(both, both, both_apart)
UNARY(inverse, inverse, inverse_apart)

int main(void) {
  for (int i = 0; i < COUNT; i++) {
    volatile nesl_float hidden = operands[i];
    in[i] = hidden;
  }
#define RUN(n, y) power_##n(), angle_##n();
  EXPONENTS(RUN)
  exp_in_lanes(), ln_in_lanes(), sqrt_in_lanes(), sin_in_lanes(), cos_in_lanes(), tan_in_lanes();
  asin_in_lanes(), acos_in_lanes(), atan_in_lanes(), sinh_in_lanes(), cosh_in_lanes();
  tanh_in_lanes(), fabs_in_lanes(), exp_ln_in_lanes(), of_power_in_lanes(), of_root_in_lanes();
  both_in_lanes(), inverse_in_lanes();
  if (failures > 0) return 1;
  puts("ok");
  return 0;
}
