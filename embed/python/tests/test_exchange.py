"""Exchanges of arrays in both directions, widths of numbers, and what takes the place of nulls."""

import array

import awkward as ak
import duckdb
import nanoarrow as na
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nesl

TEXT = """function id(x) = x; function sums(m) = {sum(r) : r in m}; function total(v) = sum(v);
function half(v) = {x / 2.0 : x in v}; function lengths(m) = {#r : r in m};"""
M = nesl.compile(TEXT, engine="interp")
# The interpreter copies what it is given; compiled code does not.
C = nesl.compile(TEXT, engine="cpu")


def address(array):
    return array.__array_interface__["data"][0]


class Tensor:
    """An array that offers DLPack alone, in the version that is asked for or before it."""

    def __init__(self, array, plain=False):
        self.array, self.plain, self.given = array, plain, 0

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        self.given += 1
        if self.plain:
            if options:
                raise TypeError("no options")
            return self.array.__dlpack__()
        return self.array.__dlpack__(**options)


@pytest.mark.parametrize("plain", [False, True])
def test_tensors_in(plain):
    a = np.arange(12.0).reshape(3, 4)
    assert address(C.id(Tensor(a, plain))) == address(a)
    assert (nesl.to_numpy(C.id(Tensor(a[:, ::2], plain))) == a[:, ::2]).all()
    assert (nesl.to_numpy(C.id(Tensor(a.T, plain))) == a.T).all()
    assert C.id(Tensor(np.array([True, False]), plain)).tolist() == [True, False]
    assert C.id(Tensor(np.array(7), plain)) == 7
    with pytest.raises(nesl.Error, match="complex|DLPack's type 5"):
        C.id(Tensor(np.array([1j]), plain))


def test_tensors_out():
    a = np.arange(12.0).reshape(3, 4)
    out = C.id(a)
    shared = np.from_dlpack(out)
    assert address(shared) == address(a) and shared.shape == (3, 4) and not shared.flags.writeable
    copied = np.from_dlpack(out, copy=True)
    assert address(copied) != address(a) and copied.flags.writeable and (copied == a).all()
    assert (np.from_dlpack(out[1:]) == a[1:]).all()
    assert np.from_dlpack(C.id(np.array([], "f4"))).dtype == np.float32
    with pytest.raises(BufferError, match="to_awkward"):
        np.from_dlpack(C.id([[1], []]))
    # Capsules that nobody takes are let go, and so is what is taken.
    del out
    for _ in range(1000):
        C.id(a).__dlpack__(max_version=(1, 0))
        C.id(a).__dlpack__()
    assert shared.sum() == 66


def test_distances_of_elements():
    a = np.arange(24, dtype="i2").reshape(2, 3, 4)
    for view in (a, a[::-1], a[:, 1:], a[..., ::-2], a.transpose(2, 0, 1), a[:0], a[:, :0]):
        assert C.id(view).tolist() == view.tolist()
    assert C.total(np.broadcast_to(np.int64(3), 5)) == 15
    assert C.id(np.frombuffer(b"abcdefghi", "u1", 8, 1).view("<i4")).tolist() == [0x65646362, 0x69686766]


def test_buffers():
    assert C.total(array.array("d", [1.5, 2])) == 3.5
    assert C.id(memoryview(array.array("i", range(4)))[::2]).tolist() == [0, 2]
    assert C.id(b"ab").tolist() == [97, 98]


def test_widths_are_those_of_the_arguments():
    a, b = np.float32([0.5, 1.5]), np.float64([0.5])
    out = C.half(a)
    assert nesl.to_numpy(out).dtype == np.float32 and nesl.to_numpy(C.half(b)).dtype == np.float64
    assert address(C.id(a)) == address(a)
    # Numbers of Python have the width of the arrays beside them.
    p = nesl.compile("function scaled(v, k) = {x * k : x in v}; function both(v, w) = v ++ w;")
    assert nesl.to_numpy(p.scaled(a, 0.1)).dtype == np.float32
    assert nesl.to_numpy(p.both(a, b)).dtype == np.float64 and p.both(out, b).tolist() == [0.25, 0.75, 0.5]
    for made in (ak.Array(a), pa.array(a), pl.Series(a), Tensor(a), pd.Series(a)):
        assert nesl.to_numpy(C.half(made)).dtype == np.float32
    assert nesl.to_numpy(C.half(out)).dtype == np.float32
    assert C.half(np.float16([1, 3])).tolist() == [0.5, 1.5]
    # Ints have 64 bits, as sums of narrow ones need them.
    assert C.total(np.int32([2**31 - 1] * 2)) == 2**32 - 2
    narrow = nesl.compile(TEXT, ints=None, floats=64, engine="cpu")
    assert nesl.to_numpy(narrow.lengths([np.int32([1]).tolist()])).dtype == np.int64
    n = np.int32([3, 4])
    assert nesl.to_numpy(narrow.id(n)).dtype == np.int32 and address(narrow.id(n)) == address(n)
    assert nesl.to_numpy(narrow.half(a)).dtype == np.float64
    with pytest.raises(nesl.Error, match="too large for an int of 32 bits"):
        nesl.compile(TEXT, ints=32, engine="cpu").id(np.array([2**40]))
    with pytest.raises(nesl.Error, match="too large for an int of 32 bits"):
        nesl.compile(TEXT, ints=32, engine="cpu").id([2**40])
    with pytest.raises(nesl.Error, match="they have 32 or 64"):
        nesl.compile(TEXT, ints=16)


def test_nulls_are_filled():
    f = nesl.compile(TEXT, fill=-1, engine="cpu")
    assert f.id(pa.array([[1, None], None, [3]])).tolist() == [[1, -1], [], [3]]
    assert f.id(pl.Series([0.5, None])).tolist() == [0.5, -1.0]
    with pytest.raises(nesl.Error, match="null"):
        C.id(pa.array([[1, None]]))


LIBRARIES = {
    "awkward": lambda rows: ak.Array(rows),
    "awkward sliced": lambda rows: ak.Array([[[9]], *rows, [[9]]])[1:-1],
    "awkward picked": lambda rows: ak.Array(rows[::-1])[::-1],
    "pyarrow": lambda rows: pa.array(rows, DEEP),
    "pyarrow sliced": lambda rows: pa.array([[[9]], *rows, [[9]]], DEEP)[1:-1],
    "list views": lambda rows: pa.array(rows, pa.list_view(pa.list_view(pa.int64()))),
    "chunks": lambda rows: pa.chunked_array([rows[:1], [], rows[1:]], DEEP),
    "polars": lambda rows: pl.Series(rows, dtype=pl.List(pl.List(pl.Int64))),
    "nanoarrow": lambda rows: na.Array(pa.array(rows, DEEP)),
    "duckdb": lambda rows: duckdb.arrow(pa.table({"x": pa.array(rows, DEEP)})).arrow(),
    "own": lambda rows: C.id([[[9]], *rows])[1:],
}
DEEP = pa.list_(pa.list_(pa.int64()))


@pytest.mark.parametrize("name", LIBRARIES)
def test_deep_rows_of(name):
    for rows in ([[[1], [], [2, 3]], [], [[4]]], [[], [[]], []], [[[5, 6]]]):
        assert C.id(LIBRARIES[name](rows)).tolist() == rows
        assert M.id(LIBRARIES[name](rows)).tolist() == rows
    assert C.lengths(LIBRARIES[name]([[[1], []], []])).tolist() == [2, 0]


def test_results_in_other_libraries():
    rows = [[[1, 2], []], [], [[3]]]
    out = C.id(rows)
    assert pa.array(out).to_pylist() == pl.Series(out).to_list() == na.Array(out).to_pylist() == rows
    assert nesl.to_awkward(out[1:]).tolist() == rows[1:]
    made = pa.table({"x": pa.array(out)})
    assert duckdb.sql("select len(x) from made").fetchall() == [(2,), (0,), (1,)]
    pairs = C.id([(1, 0.5), (2, 1.5)])
    assert pa.array(pairs).to_pylist() == [{"1": 1, "2": 0.5}, {"1": 2, "2": 1.5}]
    assert nesl.to_awkward(pairs)["1"].tolist() == [0.5, 1.5]
    assert pa.array(C.id([True, False, True])).to_pylist() == [True, False, True]
    words = C.id(["ab", "", "c"])
    assert words.to_awkward().tolist() == pa.array(words).to_pylist() == ["ab", "", "c"]


def test_frames():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    assert C.id(frame).tolist() == [(1, 0.5), (2, 1.5)]
    assert C.total(frame["b"]) == 2.0
    assert C.id(pl.DataFrame({"a": [1, 2], "b": ["x", "yz"]})).tolist() == [(1, "x"), (2, "yz")]


def test_bools_of_bytes():
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 5], pa.int8()))
    assert C.id(flags).tolist() == [True, False, True]


def test_errors_explain_themselves():
    with pytest.raises(nesl.Error) as caught:
        M.id(None)
    assert caught.value.explain().startswith(f"# {caught.value.code}: ")
    with pytest.raises(nesl.Error, match=r"total\(v\) has no use for `w`"):
        M.total(w=1)
