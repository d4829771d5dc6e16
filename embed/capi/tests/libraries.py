"""Arrays of pyarrow, polars, DuckDB and nanoarrow through the C API, and results in each of them.

    libraries.py LIBRARY

`scripts/arrow-check` runs it.
"""

import gc
import sys
from importlib.metadata import version

import duckdb
import nanoarrow as na
import polars as pl
import pyarrow as pa

from arrow import LIST_VIEWS, TABLE, Failed, Fill, Library, Program

OFFSETS = [0, 1, 3, 8, 9]
TEXT = "function id(x) = x; function twice(v) : [[int]] -> [[int]] = {{2 * x : x in r} : r in v};"
LONG = "a text of more than twelve bytes"


def plain(value):
    """Structs as tuples, and bytes as text."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return plain(value[0]) if len(value) == 1 else tuple(map(plain, value))
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.decode() if isinstance(value, bytes) else value


def examples(rows=20):
    """Columns by name: their type in pyarrow, and their rows."""
    ints = [7 * n % 50 for n in range(rows)]
    lists = [[n + k for k in range(n % 4)] for n in ints]
    pair = pa.struct([("a", pa.int64()), ("b", pa.large_list(pa.bool_()))])
    return {
        "int": (pa.int64(), ints),
        "int32": (pa.int32(), ints),
        "float32": (pa.float32(), [n / 2 for n in ints]),
        "float": (pa.float64(), [n / 2 for n in ints]),
        "bool": (pa.bool_(), [n % 3 == 0 for n in ints]),
        "list": (pa.list_(pa.int32()), lists),
        "large list": (pa.large_list(pa.int64()), lists),
        "bools": (pa.large_list(pa.bool_()), [[k % 3 == 0 for k in row] for row in lists]),
        "three deep": (pa.large_list(pa.large_list(pa.large_list(pa.float64()))),
                       [[[[k / 2 for k in row], []], [row]][n % 2:] for n, row in enumerate(lists)]),
        "structs": (pa.large_list(pair),
                    [[{"a": k, "b": [k % 2 == 0] * (k % 3)} for k in row] for row in lists]),
        "text": (pa.large_utf8(), [LONG[: n % 33] for n in ints]),
        "texts": (pa.large_list(pa.utf8()), [[LONG[: k % 33] for k in row] for row in lists]),
        "empty lists": (pa.large_list(pa.large_list(pa.int64())), [[] for _ in ints]),
        "of one length": (pa.list_(pa.int64(), 2), [[n, n + 1] for n in ints]),
    }


def same(program, given, want, label, **options):
    """A library's object comes back through pyarrow as the same rows."""
    answer = program.call("id", given, **options)
    array = pa.array(answer) if hasattr(answer, "__arrow_c_array__") else pa.chunked_array(answer)
    array.validate(full=True)
    found = plain(array.to_pylist())
    assert found == plain(want), f"{label}: {found} instead of {plain(want)}"


def refused(program, given, message):
    try:
        program.call("id", given)
    except Failed as error:
        assert message in str(error), error
        return
    raise AssertionError(f"taken, and not refused with: {message}")


def of_pyarrow(program):
    for label, (ty, rows) in examples().items():
        for offset in OFFSETS:
            array = pa.array(rows, ty).slice(offset)
            same(program, array, rows[offset:], label)
            same(program, array, rows[offset:], label, form="stream", flags=LIST_VIEWS)
            chunks = pa.chunked_array([array, array.slice(0, 0), array.slice(2)], ty)
            same(program, chunks, rows[offset:] + rows[offset + 2:], label)
        same(program, pa.array([], ty), [], label)
        same(program, pa.chunked_array([], ty), [], label)
    batches = [pa.RecordBatch.from_pydict({"a": [n, n + 1], "b": [[n], []]}) for n in range(3)]
    table = pa.Table.from_batches(batches)
    same(program, table, [(0, [0]), (1, []), (1, [1]), (2, []), (2, [2]), (3, [])], "table")
    # Views that overlap, in any order.
    for view, of in [(pa.ListViewArray, pa.int32()), (pa.LargeListViewArray, pa.int64())]:
        starts, sizes = pa.array([3, 0, 1, 9, 0] * 3, of), pa.array([2, 5, 3, 0, 1] * 3, of)
        array = view.from_arrays(starts, sizes, pa.array(range(10, 20)))
        for offset in OFFSETS:
            same(program, array.slice(offset), array.slice(offset).to_pylist(), "views")
    for index in [pa.int8(), pa.uint16(), pa.int64()]:
        codes = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, 2] * 4, index), ["x", "", LONG])
        for offset in OFFSETS:
            same(program, codes.slice(offset), codes.slice(offset).to_pylist(), "dictionary")
    half = pa.array([0.5, -2.0, 65504.0, 2.0**-24] * 4, pa.float16())
    for offset in OFFSETS:
        same(program, half.slice(offset), half.slice(offset).to_pylist(), "float16")
    # Nulls.
    fill = Fill(ints=-1, floats=0.5, bools=1)
    nulls = [1, None, 3, None, None, 6, 7, None, 9, None, 11, 12]
    for ty, value in [(pa.int64(), -1), (pa.int8(), -1), (pa.float64(), 0.5)]:
        for offset in OFFSETS:
            want = [value if n is None else n for n in nulls[offset:]]
            same(program, pa.array(nulls, ty).slice(offset), want, "fill", fill=fill)
    lists = [None, [1, None], [], None, [2]] * 3
    want = [[], [1, -1], [], [], [2]] * 3
    for ty in [pa.list_(pa.int64()), pa.large_list_view(pa.int64())]:
        for offset in OFFSETS:
            same(program, pa.array(lists, ty).slice(offset), want[offset:], "fill", fill=fill)
    refused(program, pa.chunked_array([[1], [2, None]]), "row 2: it is null")
    # The message of an array that is refused names the place.
    run = pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2])
    refused(program, run, "run-end encoding")
    refused(program, pa.array([[("a", 1)]], pa.map_(pa.utf8(), pa.int64())), "map")
    union = pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()),
                                     [pa.array([1])])
    refused(program, pa.ListArray.from_arrays([0, 1], union), "`x[i]`: NESL has no type")

    def failing():
        yield pa.RecordBatch.from_pydict({"a": [1]})
        raise ValueError("the well is dry")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), failing())
    refused(program, reader, "the well is dry")


def of_polars(program):
    types = {
        "int": pl.Int64, "int32": pl.Int32, "float32": pl.Float32, "float": pl.Float64,
        "bool": pl.Boolean, "list": pl.List(pl.Int32), "large list": pl.List(pl.Int64),
        "bools": pl.List(pl.Boolean), "three deep": pl.List(pl.List(pl.List(pl.Float64))),
        "structs": pl.List(pl.Struct({"a": pl.Int64, "b": pl.List(pl.Boolean)})),
        "text": pl.String, "texts": pl.List(pl.String),
        "empty lists": pl.List(pl.List(pl.Int64)), "of one length": pl.Array(pl.Int64, 2),
    }
    for label, (_, rows) in examples().items():
        series = pl.Series("v", rows, dtype=types[label])
        for offset in OFFSETS:
            same(program, series.slice(offset), rows[offset:], label)
        chunks = series.slice(1, 3).append(series.slice(9, 2))
        assert chunks.n_chunks() == 2
        same(program, chunks, rows[1:4] + rows[9:11], label)
        same(program, series.slice(0, 0), [], label)
        same(program, pl.DataFrame({"v": series}).slice(3), rows[3:], label)
        # And a result as a series, which polars takes from arrays and from streams.
        for form in ["array", "stream"]:
            answer = pl.Series(program.call("id", series.slice(3), form=form))
            assert plain(answer.to_list()) == plain(rows[3:]), label
        frame = pl.DataFrame(program.call("id", series, form="stream", flags=TABLE))
        assert plain([list(row) for row in frame.rows()]) == [[row] for row in plain(rows)], label
    for ty in [pl.Categorical, pl.Enum(["x", "", LONG])]:
        words = ["x", LONG, "", "x"] * 4
        for offset in OFFSETS:
            same(program, pl.Series(words, dtype=ty).slice(offset), words[offset:], str(ty))
    frame = pl.DataFrame({"a": [1, 2], "b": [["x"], []]})
    same(program, frame, [(1, ["x"]), (2, [])], "frame")
    refused(program, pl.Series([1, None]), "row 1: it is null")
    refused(program, pl.Series(["é"]), "not ASCII")


class Again:
    """A stream that is made whenever somebody asks for it: DuckDB asks several times for one query,
    once or twice for the schema alone."""

    def __init__(self, make):
        self.make = make

    def __arrow_c_stream__(self, requested_schema=None):
        return self.make().__arrow_c_stream__()


def of_duckdb(program):
    types = {
        "int": "BIGINT", "int32": "INTEGER", "float32": "FLOAT", "float": "DOUBLE",
        "bool": "BOOLEAN", "list": "INTEGER[]", "large list": "BIGINT[]", "bools": "BOOLEAN[]",
        "three deep": "DOUBLE[][][]", "structs": "STRUCT(a BIGINT, b BOOLEAN[])[]",
        "text": "VARCHAR", "texts": "VARCHAR[]", "empty lists": "BIGINT[][]",
        "of one length": "BIGINT[2]",
    }
    base = duckdb.connect()
    for label, (_, rows) in examples().items():
        base.execute(f"CREATE OR REPLACE TABLE t (n BIGINT, v {types[label]})")
        base.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(rows)))
        for offset in OFFSETS:
            query = f"SELECT v FROM t ORDER BY n OFFSET {offset}"
            same(program, base.sql(query), rows[offset:], label)
        same(program, base.sql("SELECT v FROM t WHERE n < 0"), [], label)
        # A result as a table of DuckDB, which takes streams of structs.
        whole = base.sql("SELECT v FROM t ORDER BY n").to_arrow_table()
        answer = Again(lambda: program.call("id", whole, form="stream", flags=TABLE))
        found = base.sql("SELECT * FROM answer").fetchall()
        assert plain([list(row) for row in found]) == [[row] for row in plain(rows)], label
    base.execute("CREATE TYPE word AS ENUM ('x', '', 'y')")
    words = ["x", "y", "", "x"] * 4
    base.execute("CREATE TABLE w (n BIGINT, v word)")
    base.executemany("INSERT INTO w VALUES (?, ?)", list(enumerate(words)))
    same(program, base.sql("SELECT v FROM w ORDER BY n OFFSET 3"), words[3:], "enum")
    # Many chunks.
    many = base.sql("SELECT [range, range + 1] AS v FROM range(300000)")
    answer = pa.chunked_array([pa.array(program.call("twice", many))])
    assert answer.to_pylist() == [[2 * n, 2 * n + 2] for n in range(300000)]
    refused(program, base.sql("SELECT NULL::INTEGER AS v"), "row 0: it is null")


def of_nanoarrow(program):
    for label, (ty, rows) in examples().items():
        array = pa.array(rows, ty)
        for offset in OFFSETS:
            same(program, na.Array(array.slice(offset)), rows[offset:], label)
            same(program, na.c_array(array.slice(offset)), rows[offset:], label)
        chunks = na.ArrayStream(pa.chunked_array([array.slice(1, 4), array.slice(9)]))
        same(program, chunks, rows[1:5] + rows[9:], label)
        for form in ["array", "stream"]:
            answer = na.Array(program.call("id", array.slice(3), form=form))
            assert plain(answer.to_pylist()) == plain(rows[3:]), label
    same(program, na.c_array([1, 2, 3], na.int16()), [1, 2, 3], "nanoarrow's own")
    same(program, na.c_array(["x", LONG], na.string()), ["x", LONG], "nanoarrow's own")
    # Longer string views end the process within nanoarrow 0.9.0, without any library of ours.
    same(program, na.c_array(["x", LONG[:12]], na.string_view()), ["x", LONG[:12]], "views")
    refused(program, na.c_array([1, None], na.int8()), "row 1: it is null")


def check(library, engine):
    structs = 0
    for exchange in [of_pyarrow, of_polars, of_duckdb, of_nanoarrow]:
        program = Program(library, engine, TEXT)
        exchange(program)
        gc.collect()
        program.close()
        structs += program.counts.made
    return structs


library = Library(sys.argv[1])
structs = sum(check(library, engine) for engine in [3, 1])
names = ["pyarrow", "polars", "duckdb", "nanoarrow"]
print(
    ", ".join(f"{name} {version(name)}" for name in names)
    + f": arrays, streams and tables went in and came back; {structs} structs were released once"
)
