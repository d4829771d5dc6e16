"""The convex hull by Qhull, which gives its corners counterclockwise."""

from scipy.spatial import ConvexHull

from check import equal, given, np

hull = ConvexHull(given["points"])
corners = given["points"][hull.vertices[::-1]]
equal(np.roll(corners, -np.argmin(corners[:, 0]), axis=0))
