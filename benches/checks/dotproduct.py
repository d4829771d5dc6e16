"""The dot product by an exact sum of the products.

The products are positive, so that a sum in any order has a relative error of at most n/2^53; in
blocks it is far smaller.
"""

import math

from check import close, given, np

close(np.float64(math.fsum(given["a"] * given["b"])), 1e-12)
