"""NumPy's sort."""

from check import equal, given, np

equal(np.sort(given["a"]))
