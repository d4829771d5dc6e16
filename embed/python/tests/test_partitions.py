"""Functions on the partitions of collections of Dask and Ray."""

import dask
import dask.array
import dask.bag
import numpy as np
import pyarrow as pa
import pytest

import nesl

M = nesl.compile(
    """function sums(m) = {sum(row) : row in m};
    function scaled(m, k) = {{k * x : x in row} : row in m};
    function total(v) = sum(v);
    function twice(v) = {2.0 * x : x in v};
    function weighted(values, weight) = {sum({x * w : x in v}) : v in values; w in weight};
    function ends(values) = ({v[0] : v in values}, {#v : v in values});""",
    engine="interp",
)
ROWS = [[1, 2], [], [3], [4, 5, 6]]


def test_bags():
    bag = dask.bag.from_sequence(ROWS, npartitions=2)
    with dask.config.set(scheduler="threads"):
        assert nesl.map_partitions(M.sums, bag).compute() == [3, 0, 3, 15]
        scaled = nesl.map_partitions(M.scaled, bag, 10)
        assert scaled.npartitions == 2
        assert scaled.compute() == [[10 * x for x in row] for row in ROWS]
        totals = nesl.map_partitions(M.total, dask.bag.from_sequence(range(10), npartitions=3))
        parts = totals.compute()
        assert len(parts) == totals.npartitions and sum(parts) == 45


def test_workers_in_processes():
    bag = dask.bag.from_sequence(ROWS, npartitions=2)
    options = {"scheduler": "processes", "num_workers": 1}
    assert nesl.map_partitions(M.sums, bag).compute(**options) == [3, 0, 3, 15]


def test_texts_are_compiled_once_for_a_worker():
    import pickle

    from nesl import _partitions

    shipped = pickle.dumps(_partitions._Shipped(M.total))
    assert pickle.loads(shipped) is pickle.loads(shipped)
    assert pickle.loads(shipped)([1, 2]) == 3


def test_arrays():
    x = dask.array.arange(10, chunks=4, dtype="float64")
    y = nesl.map_partitions(M.twice, x, dtype="float64")
    assert (y.compute(scheduler="threads") == 2 * np.arange(10)).all()
    assert y.chunks == x.chunks


def test_delayed():
    parts = [dask.delayed(list)(range(n)) for n in (3, 4)]
    totals = nesl.map_partitions(M.total, parts)
    assert dask.compute(*totals, scheduler="threads") == (3, 6)
    assert nesl.map_partitions(M.total, parts[1]).compute(scheduler="threads") == 6


def test_errors_name_the_function():
    bag = dask.bag.from_sequence([1, 2], npartitions=1)
    with pytest.raises(nesl.Error):
        nesl.map_partitions(M.sums, bag).compute(scheduler="threads")
    with pytest.raises(TypeError, match="no collection of Dask or Ray"):
        nesl.map_partitions(M.sums, {1: 2})
    with pytest.raises(TypeError, match="batch_size"):
        nesl.map_partitions(M.sums, bag, batch_size=3)


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=1, include_dashboard=False, object_store_memory=100 << 20)
    yield ray
    ray.shutdown()


def test_datasets_of_ray(ray):
    values = pa.array([[1.0, 2.0], [], [3.0]], pa.large_list(pa.float64()))
    table = pa.table({"weight": [1.0, 2.0, 0.5], "values": values})
    data = ray.data.from_arrow(table)
    weighted = nesl.map_partitions(M.weighted, data, batch_size=2)
    assert [row["result"] for row in weighted.take_all()] == [3.0, 0.0, 1.5]
    scaled = nesl.map_partitions(M.scaled, data.select_columns(["values"]).rename_columns(["m"]), 2.0)
    assert [list(row["result"]) for row in scaled.take_all()] == [[2.0, 4.0], [], [6.0]]
    whole = ray.data.from_arrow(pa.table({"values": pa.array([[7, 8], [9]])}))
    ends = nesl.map_partitions(M.ends, whole, output=("first", "length"))
    assert ends.take_all() == [{"first": 7, "length": 2}, {"first": 9, "length": 1}]
