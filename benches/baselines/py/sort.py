"""NumPy's sort of i64 keys (python3 FILE; needs numpy)."""

from pybench import bench, np, rnd

for n, size in ((10**6, "1M"), (16 * 10**6, "16M")):
    keys = (rnd(n) >> np.uint64(1)).astype(np.int64)
    work = keys.copy()

    def prep():
        work[:] = keys

    def run():
        work.sort()
        return work[n // 2]

    bench("sort.i64.numpy-sort", size, run, prep)
