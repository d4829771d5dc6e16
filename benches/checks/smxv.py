"""The product of a sparse matrix and a vector by SciPy.

All numbers are positive, and a row has at most 100 000: sums in different orders differ by at most
1e5/2^53, a relative 1e-11.
"""

from check import close, given

close(given["m"] @ given["v"], 1e-11)
