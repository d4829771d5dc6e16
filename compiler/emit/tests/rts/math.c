/* exp and ln against the C library's long double versions: at most 1 ulp off over many
 * arguments, exact where the result is special; and the shortest digits, which have to read back. */
#include "../../src/c/rts/team.h"
#include "../../src/c/rts/run.h"
#include "../../src/shared/rts/math.h"
#include "../../src/shared/rts/elementary.h"
#include "../../src/shared/rts/decimal.h"
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 1;
static uint64_t next_random(void) { return (uint64_t)nesl_mix((int64_t)state++, 5); }

/* How far y is from the true value, in units of the last place of y. */
static double ulps(double y, long double truth) {
  double up = nextafter(fabs(y), INFINITY), unit = up - fabs(y);
  return (double)(fabsl((long double)y - truth) / unit);
}

static void want(int ok, const char *what, double x, double y) {
  if (ok) return;
  printf("%s(%.17g) = %.17g\n", what, x, y);
  exit(1);
}

static void same(const char *what, double x, double y, double truth) {
  want(nesl_float_bits(y) == nesl_float_bits(truth) && signbit(y) == signbit(truth), what, x, y);
}

static double worst_exp, worst_ln;

static void check_exp(double x) {
  double y = nesl_exp(x);
  long double truth = expl((long double)x);
  if (truth > 0x1.fffffffffffffp1023L + 0x1p969L) return same("exp", x, y, INFINITY);
  double off = ulps(y, truth);
  if (x <= 0) same("exp below", x, nesl_exp_below(x), y);
  /* Below the normal range the result is rounded twice. */
  want(off <= (truth < 0x1p-1022L ? 1.5 : 1.0), "exp", x, y);
  if (truth >= 0x1p-1022L && off > worst_exp) worst_exp = off;
}

static void check_ln(double x) {
  double y = nesl_ln(x), off = ulps(y, logl((long double)x));
  want(x == 1.0 ? y == 0 : off <= 1.0, "ln", x, y);
  if (x != 1.0 && off > worst_ln) worst_ln = off;
}

static void special(void) {
  same("exp", 0.0, nesl_exp(0.0), 1.0);
  same("exp", -0.0, nesl_exp(-0.0), 1.0);
  same("exp", INFINITY, nesl_exp(INFINITY), INFINITY);
  same("exp", -INFINITY, nesl_exp(-INFINITY), 0.0);
  same("exp", 1000, nesl_exp(1000), INFINITY);
  same("exp", -1000, nesl_exp(-1000), 0.0);
  same("exp", -745.2, nesl_exp(-745.2), 0.0);
  want(isnan(nesl_exp(NAN)), "exp", NAN, nesl_exp(NAN));
  want(isnan(nesl_exp_below(NAN)), "exp below", NAN, nesl_exp_below(NAN));
  same("exp below", -0.0, nesl_exp_below(-0.0), 1.0);
  same("exp below", -INFINITY, nesl_exp_below(-INFINITY), 0.0);
  for (int e = 9; e < 1024; e++) {
    double far = ldexp(1.5, e);
    same("exp", far, nesl_exp(far), INFINITY);
    if (e > 9) same("exp", far, nesl_exp(nextafter(far, 0)), INFINITY);
    same("exp", -far, nesl_exp(-far), 0.0);
    same("exp below", -far, nesl_exp_below(-far), 0.0);
  }
  same("ln", 0.0, nesl_ln(0.0), -INFINITY);
  same("ln", -0.0, nesl_ln(-0.0), -INFINITY);
  same("ln", 1.0, nesl_ln(1.0), 0.0);
  same("ln", INFINITY, nesl_ln(INFINITY), INFINITY);
  want(isnan(nesl_ln(-1)), "ln", -1, nesl_ln(-1));
  want(isnan(nesl_ln(-INFINITY)), "ln", -INFINITY, nesl_ln(-INFINITY));
  want(isnan(nesl_ln(NAN)), "ln", NAN, nesl_ln(NAN));
}

/* Whether digits * 10^(exponent + 1 - how many digits) reads as x, and no fewer digits do. */
static void check_digits(double x) {
  nesl_decimal d = nesl_shortest(x);
  char text[64];
  int count = snprintf(text, sizeof text, "%lld", (long long)d.digits);
  snprintf(text + count, sizeof text - (size_t)count, "e%lld",
           (long long)(d.exponent + 1 - count));
  want(strtod(text, 0) == x, text, x, strtod(text, 0));
  if (count == 1) return;
  snprintf(text, sizeof text, "%.*e", count - 2, x);
  want(strtod(text, 0) != x, text, x, strtod(text, 0));
}

int main(int argc, char **argv) {
  (void)argv;
  int64_t count = argc > 1 ? 1000000 : 20000000;
  special();
  for (int64_t i = 0; i < count; i++) {
    double u = nesl_unit_float((int64_t)next_random());
    check_exp((u - 0.5) * 1500);
    check_exp((u - 0.5) * 4);
    check_exp((u - 0.5) * ldexp(1, (int)(i % 64) - 60));
    double x = nesl_of_bits((int64_t)(next_random() >> 1));
    if (x < INFINITY && x > 0) check_ln(x);
    check_ln(0.5 + u);
    check_ln(1 + (u - 0.5) * ldexp(1, -(int)(i % 50)));
    check_ln(u * 0x1p-1040);
    if (i % 16 == 0 && x < INFINITY && x > 0) check_digits(x);
    if (i % 16 == 1) check_digits(u);
    if (i % 16 == 2) check_digits((double)(next_random() >> 40) / 100);
  }
  for (int e = -1074; e < 1024; e++) {
    check_ln(ldexp(1, e));
    if (e > -1074) check_digits(nextafter(ldexp(1, e), 0));
    check_digits(ldexp(1, e));
  }
  if (argc == 1) fprintf(stderr, "exp %.3f ulp, ln %.3f ulp\n", worst_exp, worst_ln);
  printf("ok\n");
}
