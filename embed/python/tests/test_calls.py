"""Calls with arguments of each kind, and what results offer."""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import awkward as ak
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import nesl

TEXT = """function smxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};
function id(x) = x; function sums(m) = {sum(r) : r in m}; function half(x) = 1 / x;
function total(v) = sum(v); function add(a, b) = a + b; function none(v) : [[float]] -> int = #v;"""
M = nesl.compile(TEXT, engine="interp")
# The interpreter copies what it is given; compiled code does not.
C = nesl.compile(TEXT, engine="cpu")


def address(array):
    return array.__array_interface__["data"][0]


def test_lists_and_scalars():
    assert M.smxv([[(0, 2.0), (1, 0.5)], [], [(1, 4.0)]], [1, 10.0]).tolist() == [7.0, 0.0, 40.0]
    assert M.add(b=2, a=40) == 42 and M.id(True) is True and M.id((1, "ab")) == (1, "ab")
    deep = [[[1], []], [], [[2, 3]]]
    assert M.id(deep).tolist() == deep and M.id(deep)[-1][0][1:].tolist() == [3]


def test_numpy_is_not_copied():
    v = np.arange(1000.0)
    assert address(C.id(v)) == address(v)
    a = np.arange(6).reshape(2, 3)
    out = C.id(a)
    assert address(out) == address(a) and (nesl.to_numpy(out) == a).all()
    assert M.total(np.arange(10)[::2]) == 20 and M.total(np.float32([0.5, 1])) == 1.5
    assert (nesl.to_numpy(M.id(a.T)) == a.T).all()


def test_awkward_both_ways():
    a = ak.Array([[1.5, 2.0], [], [3.0]])
    out = C.id(a)
    back = nesl.to_awkward(out)
    assert back.tolist() == a.tolist()
    assert back.layout.content.data.ctypes.data == a.layout.content.data.ctypes.data
    assert M.sums(a[::-1]).tolist() == [3.0, 0.0, 3.5]
    words = ak.Array(["ab", "", "c"])
    assert M.id(words).to_awkward().tolist() == words.tolist()
    with pytest.raises(nesl.Error, match="IndexedOptionArray"):
        M.id(ak.Array([1, None]))


def test_arrow_both_ways():
    a = pa.array([[1, 2], [], [3]], pa.large_list(pa.int64()))
    assert pa.array(M.id(a)).to_pylist() == a.to_pylist()
    assert pa.array(M.id(a)[1:]).to_pylist() == [[], [3]]
    with pytest.raises(nesl.Error, match="null"):
        M.total(pa.array([1, None]))


def test_streams_of_arrow():
    pieces = pa.chunked_array([[[1, 2], []], [], [[3]]], pa.list_(pa.int64()))
    assert C.sums(pieces).tolist() == [3, 0, 3]
    assert C.id(pl.Series([[1.5], [], [2.0, 3.0]])).tolist() == [[1.5], [], [2.0, 3.0]]
    assert C.sums(pl.DataFrame({"rows": [[1, 2], [3]]})).tolist() == [3, 3]
    # An array of ours, which DuckDB and pandas read by way of pyarrow.
    assert pa.array(C.id(pieces)).to_pandas().map(sum).tolist() == [3, 0, 3]


def test_scipy_matrices():
    dense = np.array([[0, 2.0], [0, 0], [3, 4]])
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array):
        assert M.smxv(kind(dense), np.array([1.0, 10.0])).tolist() == [20.0, 0.0, 43.0]


def test_numbers_have_the_type_that_they_need():
    p = nesl.compile(
        "function mean(v) = sum(v) / float(#v); function div(a, b) = a / b; "
        "function scaled(m, k) = {{x * k : x in r} : r in m};",
        engine="interp",
    )
    assert p.mean([1, 2]) == 1.5 and p.mean([]) != p.mean([])
    assert p.div(1, 4.0) == 0.25 and p.div(9, 2) == 4 and p.div(1.0, 4) == 0.25
    assert p.scaled(np.array([[0.5]]), 2).tolist() == [[1.0]]
    assert p.scaled([[1, 2], []], 0.5).tolist() == [[0.5, 1.0], []]
    with pytest.raises(nesl.Error):
        p.mean(np.array([1, 2]))


def test_arrays_in_lists():
    rows = [np.arange(3), np.arange(0), C.id([7])]
    assert M.sums(rows).tolist() == [3, 0, 7] and M.id((np.arange(2), 1))[0].tolist() == [0, 1]
    assert M.id([np.int64(3), 4]).tolist() == [3, 4] and M.id([True, np.bool_(False)]).tolist()[0]
    assert M.id(np.float32(0.5)) == 0.5


def test_functions_are_no_results():
    with pytest.raises(nesl.Error, match="functions"):
        nesl.compile("function g(x) = (y => x + y);", engine="interp").g(1)


def test_ragged_arrays_are_not_those_of_numpy():
    with pytest.raises(ValueError, match="to_awkward"):
        np.asarray(M.id([[1], []]))


@pytest.mark.parametrize(
    "value, what",
    [
        ([[1], [2, None]], r"`x\[1\]\[1\]`: it is None"),
        (2**63, "too large"),
        (np.array([1], ">i8"), "big-endian"),
        (np.array([object()]), "cannot be taken"),
        (np.array([2**63], "u8"), "too large"),
        (np.ma.array([1], mask=[True]), "masked"),
        ("é", "ASCII"),
    ],
)
def test_what_is_refused(value, what):
    with pytest.raises(nesl.Error, match=what):
        M.id(value)


def test_errors_have_parts():
    with pytest.raises(nesl.Error) as wrong:
        nesl.compile("function f(x) = y;", engine="interp")
    assert wrong.value.code.startswith("N0") and wrong.value.span[2] == 1


def test_memory_outlives_arrays():
    view = nesl.to_numpy(M.id(list(range(1000))))
    assert view.sum() == 499500
    with pytest.raises(ValueError, match="to_awkward"):
        M.id([[1], []]).to_numpy()


def test_pickles_and_threads():
    f = pickle.loads(pickle.dumps(M.total))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: f(list(range(n))), range(40))) == [
            n * (n - 1) // 2 for n in range(40)
        ]


def test_threads_share_compiled_functions():
    keys = [np.arange(n * 100, dtype=np.int64)[::-1].copy() for n in range(24)]
    sort = nesl.compile(
        """function quicksort(a) = if #a < 2 then a
             else let p = a[#a / 2];
               parts = {quicksort(v) : v in [{x in a | x < p}, {x in a | x > p}]}
             in parts[0] ++ {x in a | x == p} ++ parts[1];""",
        engine="cpu",
    ).quicksort
    with ThreadPoolExecutor(8) as pool:
        for given, sorted_keys in zip(keys, pool.map(sort, keys)):
            assert (nesl.to_numpy(sorted_keys) == given[::-1]).all()


def total_in_child(queue):
    queue.put((C.total(np.arange(1_000_000)), C.sums([[1, 2], []]).tolist()))


def test_forked_processes_have_threads_of_their_own():
    # Long enough for threads to share it, before and after.
    assert C.total(np.arange(1_000_000)) == 499999500000
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=total_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == (499999500000, [3, 0])
    child.join(60)
    assert child.exitcode == 0


def test_many_calls_keep_no_memory():
    v = np.arange(1000.0)
    for _ in range(200):
        C.total(v)
    resident = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096
    before, references = resident(), sys.getrefcount(v)
    for _ in range(20_000):
        C.id(v)
    assert sys.getrefcount(v) == references
    assert resident() - before < 4 << 20


def test_an_interrupt_stops_a_run_and_keeps_the_session():
    program = nesl.compile(
        "function spin(n) = if n == 0 then 0 else spin(n - 1 + (n * n) / n - n); "
        "function next(n) = n + 1;",
        engine="cpu",
    )
    assert program.spin(3) == 0
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        program.spin(2**62)
    assert program.next(1) == 2
