#!/usr/bin/env bash
# GCC 12 makes `pow(x, 0.5)` a square root in vectorised loops alone, and without -ffast-math.
#
# C says pow(-0.0, 0.5) is +0.0 and pow(-inf, 0.5) is +inf.  A square root gives -0.0 and nan.  GCC's scalar
# code keeps to C with -fno-math-errno, which promises only that nobody reads errno.  Its loop vectoriser has a
# pattern of its own for the exponent 0.5, which asks neither for signed zeros nor for infinities.  So
# the same line of C gives other values at -O3 than at -O1, and other ones for the first elements
# of an array than for the last, which the scalar rest of the loop computes.
#
# Seen with Debian's gcc-12 12.2.0-14+deb12u1 on x86_64.  This fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

command -v gcc-12 >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc-12 libc6-dev; }
gcc-12 --version | head -n 1

cat > roots.c <<'C'
#include <math.h>
#include <stdio.h>

__attribute__((noinline)) void roots(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = pow(x[i], 0.5);
}

int main(void) {
    double x[5] = {-0.0, -INFINITY, 4.0, -0.0, -0.0}, y[5];
    roots(x, y, 5);
    for (int i = 0; i < 5; i++) printf("%g ", y[i] != y[i] ? 99.0 : y[i]);
    puts("");
}
C

run() {
  gcc-12 "$@" -fno-math-errno roots.c -o roots -lm
  ./roots
}

scalar=$(run -O1)
vector=$(run -O3)
echo "scalar (-O1):     $scalar  (99 stands for nan)"
echo "vectorised (-O3): $vector"
[ "$scalar" = "0 inf 2 0 0 " ]
[ "$vector" = "-0 99 2 -0 0 " ]
echo "as described"
