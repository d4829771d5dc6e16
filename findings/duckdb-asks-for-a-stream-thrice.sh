#!/usr/bin/env bash
# DuckDB 2.0.1 calls `__arrow_c_stream__` of one object three times for one query.
#
# Arrow's PyCapsule protocol lets an object offer a stream, and a stream may be one that can be read once.
# DuckDB asks for one stream to find out the schema and lets it go, asks for a second, and scans the
# third; a relation that is fetched again asks two times more.  So an object that computes its data
# when it is asked computes it three times for one SELECT, and one that can give its stream only
# once fails with "reading the schema of the Python object failed", although its data were never
# read.  pyarrow's own RecordBatchReader is taken, since DuckDB knows it by its type.  polars, pyarrow and
# nanoarrow ask once.
#
# Seen with Python 3.11, duckdb 2.0.1, pyarrow 26.0.1, polars 2.1.0, nanoarrow 0.9.0 on Linux x86_64.
# This fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install -q --disable-pip-version-check \
  duckdb==2.0.1 pyarrow==26.0.1 polars==2.1.0 nanoarrow==0.9.0

cat > streams.py <<'PY'
import duckdb, nanoarrow, polars, pyarrow


class Counted:
    """Gives a new stream each time."""

    def __init__(self):
        self.calls = 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.calls += 1
        return pyarrow.table({"a": [1, 2]}).__arrow_c_stream__()


class Once:
    """Gives its only stream, and then none."""

    def __init__(self):
        self.table = pyarrow.table({"a": [1, 2]})

    def __arrow_c_stream__(self, requested_schema=None):
        if self.table is None:
            raise ValueError("given already")
        table, self.table = self.table, None
        return table.__arrow_c_stream__()


counted = Counted()
rows = duckdb.sql("SELECT * FROM counted").fetchall()
print("duckdb, one query:       ", rows, counted.calls, "calls")
assert rows == [(1,), (2,)] and counted.calls == 3

counted = Counted()
relation = duckdb.sql("SELECT * FROM counted")
counts = [counted.calls]
for _ in range(2):
    relation.fetchall()
    counts.append(counted.calls)
print("duckdb, made, read, read:", counts, "calls")
assert counts == [1, 3, 5]

once = Once()
try:
    duckdb.sql("SELECT * FROM once").fetchall()
    raise SystemExit("DuckDB takes a stream that is given once")
except duckdb.InvalidInputException as error:
    print("duckdb, given once:      ", error)
    assert "given already" in str(error)

for name, take in [("polars", polars.DataFrame), ("pyarrow", pyarrow.table),
                   ("nanoarrow", nanoarrow.Array)]:
    counted = Counted()
    take(counted)
    take(Once())
    print(f"{name}:".ljust(25), counted.calls, "call")
    assert counted.calls == 1
PY
environment/bin/python streams.py
echo "as described"
