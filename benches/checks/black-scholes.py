"""The prices by the same formula in NumPy, and by SciPy's normal distribution function.

A price is the difference of numbers that are at most the stock price and the strike price, so errors
are relative to their sum: some roundings by the first way; by the second also the polynomial's
absolute error, which its authors give as 7.5e-8.
"""

from scipy.special import ndtr

from check import close, given, np

s, x, m, r, v = (given[name] for name in "sxmrv")


def polynomial(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    series = sum(c * k**i for i, c in enumerate(
        (0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429), 1))
    tail = np.exp(-d * d / 2) / np.sqrt(2 * np.pi) * series
    return np.where(d < 0, tail, 1 - tail)


d1 = (np.log(s / x) + (r + v * v / 2) * m) / (v * np.sqrt(m))
d2 = d1 - v * np.sqrt(m)
for normal, tolerance in (ndtr, 7.5e-8), (polynomial, 1e-13):
    close(s * normal(d1) - x * np.exp(-r * m) * normal(d2), tolerance, s + x)
