"""What the checks have in common: `python NAME.py RESULT ARGUMENT=VALUE ...`.

A check reads the arguments that an example was called with, computes the result in another way, and
compares.  It prints what it found on standard output; what is wrong, on standard error.
"""

import ast
import sys

import numpy as np
import scipy.io


def _read(value):
    """An argument: a file or a literal."""
    if value.endswith(".npy"):
        return np.load(value)
    if value.endswith(".mtx"):
        return scipy.io.mmread(value).tocsr()
    if value.endswith(".txt"):
        return open(value, "rb").read()
    return ast.literal_eval(value)


ours = np.load(sys.argv[1])
given = {name: _read(value) for name, value in (a.split("=", 1) for a in sys.argv[2:])}


def fail(problem):
    sys.exit(problem)


def _same_shape(result, wanted):
    if result.shape != np.shape(wanted):
        fail(f"shape {result.shape}, not {np.shape(wanted)}")


def equal(wanted):
    """Every element is what it should be."""
    _same_shape(ours, wanted)
    different = np.argwhere(ours != wanted)
    if len(different):
        i = tuple(int(k) for k in different[0])
        fail(f"{len(different)} differ; {ours[i]}, not {wanted[i]} at {i}")
    print("equal")


def close(wanted, tolerance, scale=None, at=...):
    """Elements differ by at most `tolerance` times `scale`, which is their size if not given.

    Only those at some positions are compared if these are given.
    """
    result = ours[at]
    _same_shape(result, wanted)
    scale = np.abs(wanted) if scale is None else scale
    # Not a number is never within the tolerance.
    error = float(np.max(np.abs(result - wanted) / scale, initial=0.0))
    if not error <= tolerance:
        fail(f"differs by {error:.1e}, more than {tolerance:.0e}")
    print(f"within {error:.1e}")
