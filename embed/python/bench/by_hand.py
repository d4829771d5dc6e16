"""The workloads of `ragged.py` by hand: loops over offsets and elements, which numba compiles."""

import numba
import numpy as np

compiled, each = numba.njit(parallel=True), numba.prange


@compiled
def products(o, x, y):
    out = np.empty(len(o) - 1)
    for i in each(len(o) - 1):
        total = 0.0
        for j in range(o[i], o[i + 1]):
            total += x[j] * y[j]
        out[i] = total
    return out


@compiled
def kept(o, x):
    starts = np.zeros(len(o), np.int64)
    for i in each(len(o) - 1):
        count = 0
        for j in range(o[i], o[i + 1]):
            count += x[j] > 0.5
        starts[i + 1] = count
    starts = np.cumsum(starts)
    out = np.empty(starts[-1])
    for i in each(len(o) - 1):
        at = starts[i]
        for j in range(o[i], o[i + 1]):
            if x[j] > 0.5:
                out[at] = x[j]
                at += 1
    return out


@compiled
def greatest(o, x):
    out = np.empty(len(o) - 1, np.int64)
    for i in each(len(o) - 1):
        at, most = -1, -np.inf
        for j in range(o[i], o[i + 1]):
            if x[j] > most:
                at, most = j - o[i], x[j]
        out[i] = at
    return out


@compiled
def in_order(o, x):
    out = x.copy()
    for i in each(len(o) - 1):
        out[o[i] : o[i + 1]].sort()
    return out


@compiled
def nearest(o, x):
    out = np.empty(len(o) - 1)
    for i in each(len(o) - 1):
        least = np.inf
        for j in range(o[i], o[i + 1]):
            for k in range(j + 1, o[i + 1]):
                least = min(least, abs(x[j] - x[k]))
        out[i] = least
    return out[out < np.inf]


@compiled
def smxv(o, x, columns, v):
    out = np.empty(len(o) - 1)
    for i in each(len(o) - 1):
        total = 0.0
        for j in range(o[i], o[i + 1]):
            total += x[j] * v[columns[j]]
        out[i] = total
    return out
