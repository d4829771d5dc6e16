"""Ragged workloads of NESL beside Awkward, numba by hand, polars, DuckDB and SciPy.

    python embed/python/bench/ragged.py --elements 10000000 --rounds 7

Rows have 0 to 20 elements.  Each contestant is called with data in the form of its own library; NESL
takes Awkward arrays, and what handing over takes is counted.  All results are compared first.  Then
contestants take turns, and the median of all rounds is shown, in milliseconds.  Libraries that are not
installed are left out.
"""

import argparse
import importlib
import os
import statistics
import subprocess
import sys
import time

import numpy as np

import nesl

TEXT = """
function products(a, b) = {sum({x * y : x in u; y in v}) : u in a; v in b};
function kept(m) = {{x in row | x > 0.5} : row in m};
function greatest(m) = {if #row == 0 then -1 else max_index(row) : row in m};
function sorted(m) = {sort(row) : row in m};
function nearest(m) : [[float]] -> [float]
  = {min_val({min_val({abs(x - y) : y in drop(row, i + 1)}) : x in row; i in index(#row) | i + 1 < #row})
     : row in m | #row > 1};
function smxv(m, columns, v) = {sum({x * v[i] : x in row; i in at}) : row in m; at in columns};
function dot(a, b) = sum({x * y : x in a; y in b});
"""
FIRST = """
import time, numpy, nesl
v = numpy.arange(4.0)
start = time.perf_counter()
nesl.compile("function dot(a, b) = sum({x * y : x in a; y in b});").dot(v, v)
print((time.perf_counter() - start) * 1e3)
"""
WORKLOADS = ("products", "kept", "greatest", "sorted", "nearest", "smxv")


def available(name):
    """A module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Data:
    """Rows by offsets: two vectors of elements, columns for them, and a vector to multiply with."""

    def __init__(self, elements):
        random = np.random.default_rng(7)
        lengths = random.integers(0, 21, max(1, elements // 10))
        self.rows = len(lengths)
        self.offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        count = int(self.offsets[-1])
        self.x, self.y = random.random(count), random.random(count)
        self.columns, self.v = random.integers(0, self.rows, count), random.random(self.rows)

    def awkward(self, ak, values):
        rows = ak.contents.ListOffsetArray(ak.index.Index64(self.offsets), ak.contents.NumpyArray(values))
        return ak.Array(rows)

    def arrow(self, pa):
        rows = [pa.LargeListArray.from_arrays(self.offsets, values) for values in (self.x, self.y, self.columns)]
        return pa.table(rows, names=["x", "y", "c"])


def of_nesl(data):
    ak = available("awkward")
    if not ak:
        return {}
    m = nesl.compile(TEXT)
    x, y, columns = (data.awkward(ak, values) for values in (data.x, data.y, data.columns))
    return {
        "products": lambda: m.products(x, y).to_numpy(),
        "kept": lambda: m.kept(x).to_awkward(),
        "greatest": lambda: m.greatest(x).to_numpy(),
        "sorted": lambda: m.sorted(x).to_awkward(),
        "nearest": lambda: m.nearest(x).to_numpy(),
        "smxv": lambda: m.smxv(x, columns, data.v).to_numpy(),
    }


def of_awkward(data):
    ak = available("awkward")
    if not ak:
        return {}
    x, y = (data.awkward(ak, values) for values in (data.x, data.y))

    def nearest():
        a, b = ak.unzip(ak.combinations(x, 2))
        return ak.drop_none(ak.min(abs(a - b), axis=1))

    return {
        "products": lambda: ak.sum(x * y, axis=1),
        "kept": lambda: x[x > 0.5],
        "greatest": lambda: ak.fill_none(ak.argmax(x, axis=1), -1),
        "sorted": lambda: ak.sort(x, axis=1),
        "nearest": nearest,
        "smxv": lambda: ak.sum(x * data.awkward(ak, data.v[data.columns]), axis=1),
    }


def of_numba(data):
    if not available("numba"):
        return {}
    import by_hand

    o, x = data.offsets, data.x
    return {
        "products": lambda: by_hand.products(o, x, data.y),
        "kept": lambda: by_hand.kept(o, x),
        "greatest": lambda: by_hand.greatest(o, x),
        "sorted": lambda: by_hand.in_order(o, x),
        "nearest": lambda: by_hand.nearest(o, x),
        "smxv": lambda: by_hand.smxv(o, x, data.columns, data.v),
    }


def of_polars(data):
    pl, pa = available("polars"), available("pyarrow")
    if not pl or not pa:
        return {}
    frame, element = pl.from_arrow(data.arrow(pa)), pl.element()
    ask = lambda expression: lambda: frame.select(expression).to_series()
    return {
        "products": ask((pl.col("x") * pl.col("y")).list.sum().fill_null(0)),
        "kept": ask(pl.col("x").list.eval(element.filter(element > 0.5))),
        "greatest": ask(pl.col("x").list.arg_max().cast(pl.Int64).fill_null(-1)),
        "sorted": ask(pl.col("x").list.sort()),
    }


def of_duckdb(data):
    duckdb, pa = available("duckdb"), available("pyarrow")
    if not duckdb or not pa:
        return {}
    connection, given = duckdb.connect(), data.arrow(pa)
    connection.register("given", given)
    connection.execute("create table ragged as select * from given")
    ask = lambda of: lambda: connection.sql(f"select {of} as s from ragged").to_arrow_table()["s"]
    return {
        "products": ask("coalesce(list_inner_product(x, y), 0)"),
        "kept": ask("list_filter(x, lambda a: a > 0.5)"),
        "greatest": ask("coalesce(list_position(x, list_max(x)), 0) - 1"),
        "sorted": ask("list_sort(x)"),
    }


def of_scipy(data):
    sparse = available("scipy.sparse")
    if not sparse:
        return {}
    matrix = sparse.csr_array((data.x, data.columns, data.offsets), shape=(data.rows, data.rows))
    return {"smxv": lambda: matrix @ data.v}


CONTESTANTS = {
    "nesl": of_nesl, "awkward": of_awkward, "numba": of_numba, "polars": of_polars, "duckdb": of_duckdb, "scipy": of_scipy
}


def elements_of(result):
    """All numbers of a result, without its rows."""
    name = type(result).__module__.split(".")[0]
    if name == "awkward":
        import awkward as ak

        return np.asarray(ak.flatten(result, axis=None))
    if name == "polars":
        result = result.to_arrow()
    if name in ("polars", "pyarrow"):
        import pyarrow as pa
        import pyarrow.compute as pc

        nested = pa.types.is_list(result.type) or pa.types.is_large_list(result.type)
        return (pc.list_flatten(result) if nested else result).to_numpy()
    return result


def turns(calls, rounds, count=1):
    """The median seconds of each call, which take turns; `count` calls are measured together."""
    taken = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(count):
                call()
            taken[name].append((time.perf_counter() - start) / count)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def small_calls():
    """Calls with two small arrays."""
    a, b = np.arange(4.0), np.ones(4)
    m = nesl.compile(TEXT)
    calls = {"nesl": lambda: m.dot(a, b)}
    if ak := available("awkward"):
        c, d = ak.Array(a), ak.Array(b)
        calls["awkward"] = lambda: ak.sum(c * d)
    if numba := available("numba"):
        dot = numba.njit(lambda x, y: (x * y).sum())
        calls["numba"] = lambda: dot(a, b)
    for call in calls.values():
        call()
    return calls


def first_call():
    """Milliseconds of compiling and of the first call, in a new process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    told = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True, env=environment)
    return float(told.stdout)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--elements", type=int, default=10_000_000)
    options.add_argument("--rounds", type=int, default=7)
    chosen = options.parse_args()
    data = Data(chosen.elements)
    made = {name: make(data) for name, make in CONTESTANTS.items()}
    made = {name: calls for name, calls in made.items() if calls}
    print(f"{len(data.x)} elements in {data.rows} rows, milliseconds, medians of {chosen.rounds} rounds")
    print(f"{'':28}" + "".join(f"{name:>10}" for name in made))

    def row(label, found, scale=1e3):
        shown = (f"{found[name] * scale:10.4f}" if name in found else f"{'':10}" for name in made)
        print(f"{label:28}" + "".join(shown), flush=True)

    for workload in WORKLOADS:
        calls = {name: calls[workload] for name, calls in made.items() if workload in calls}
        results = {name: elements_of(call()) for name, call in calls.items()}
        first, *others = results
        for name in others:
            assert np.allclose(results[first], results[name]), f"{workload}: {name} differs from {first}"
        row(workload, turns(calls, chosen.rounds))
    row("call with two small arrays", turns(small_calls(), chosen.rounds, 1000))
    first_call()
    row("first call, cached", {"nesl": statistics.median(first_call() for _ in range(chosen.rounds))}, 1)


if __name__ == "__main__":
    main()
