"""The accelerations by summing over all pairs, for a thousand of the bodies.

With theta 0 no group counts as one: nothing but roundings differs.  Otherwise groups look smaller
than theta, and what their quadrupole moments leave out is of the third order.  Errors are relative
to the typical acceleration, because pulls cancel in the middle.
"""

from check import close, given, np

bodies, theta = given["bodies"], given["theta"]
mass, place = bodies[:, 0], bodies[:, 1:]
sample = np.linspace(0, len(bodies) - 1, 1000).astype(int)


def acceleration(i):
    way = place - place[i]
    square = np.einsum("ij,ij->i", way, way)
    square[i] = np.inf
    return (mass / (square * np.sqrt(square))) @ way


wanted = np.array([acceleration(i) for i in sample])
typical = np.sqrt(np.mean(np.sum(wanted * wanted, axis=1)))
close(wanted, 1e-12 if theta == 0 else 0.05 * theta**3, typical, at=sample)
