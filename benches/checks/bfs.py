"""The distances by SciPy's shortest paths, all edges having length 1."""

from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from check import equal, given, np

edges, n = given["edges"], given["n"]
graph = csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
distances = dijkstra(graph, indices=given["source"], unweighted=True)
equal(np.where(np.isinf(distances), -1, distances).astype(np.int64))
