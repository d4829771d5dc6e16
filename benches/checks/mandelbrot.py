"""The numbers of steps in NumPy, for all points that have not left at once.

The operations are those of the example, in the same order, and correctly rounded, so that steps are
equal even where a rounding decides.
"""

from check import equal, given, np

width, height, limit = given["width"], given["height"], given["limit"]
cx, cy = (c.ravel() for c in np.meshgrid(-2.0 + 2.5 * np.arange(width) / width,
                                         -1.25 + 2.5 * np.arange(height) / height))
steps = np.full(width * height, limit)
inside, x, y = np.arange(width * height), np.zeros_like(cx), np.zeros_like(cx)
for k in range(limit):
    left = x * x + y * y > 4.0
    steps[inside[left]] = k
    inside, x, y, cx, cy = (v[~left] for v in (inside, x, y, cx, cy))
    x, y = x * x - y * y + cx, 2.0 * x * y + cy
equal(steps.reshape(height, width))
