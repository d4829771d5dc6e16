"""Arrays of libraries that describe their own layout: Awkward and SciPy."""

from ._error import refused
from ._nesl import Rows


def rows(value, name):
    """The same value as ``Rows``, if it is an array of Awkward or a matrix of SciPy."""
    layout = getattr(value, "layout", None)
    if hasattr(layout, "to_packed"):
        return _packed(layout.to_packed(), name, name)
    kind = getattr(value, "format", None)
    if kind in ("csr", "csc", "coo") and hasattr(value, "tocsr"):
        matrix = value.tocsr()
        columns = Rows.of(matrix.indices, name)
        return Rows.lists(
            matrix.indptr, Rows.tuples([columns, Rows.of(matrix.data, name)], name), name
        )
    return value


def _packed(layout, name, path):
    kind = type(layout).__name__
    if kind == "RegularArray":
        layout, kind = layout.to_ListOffsetArray64(True), "ListOffsetArray"
    if kind == "UnmaskedArray":
        return _packed(layout.content, name, path)
    if kind == "NumpyArray":
        if layout.parameter("__array__") in ("char", "byte"):
            return Rows.chars(layout.data, path)
        return Rows.of(layout.data, path)
    if kind == "ListOffsetArray":
        offsets = layout.offsets.data
        return Rows.lists(offsets, _packed(layout.content, name, path + "[i]"), path)
    if kind == "RecordArray":
        fields = zip(layout.fields, layout.contents)
        parts = [_packed(part, name, f"{path}.{field}") for field, part in fields]
        return parts[0] if len(parts) == 1 else Rows.tuples(parts, path)
    if kind == "EmptyArray":
        return Rows.of(layout.to_NumpyArray("int64").data, path)
    raise refused(f"`{path}`: Awkward's {kind} has no counterpart in NESL")


def to_awkward(array):
    """An ``ak.Array`` over the memory of a ``nesl.Array``."""
    import awkward as ak

    return ak.Array(_layout(ak.contents, ak.index, array))


def _layout(contents, index, array):
    import numpy

    kind, *rest = array._parts()
    if kind == "flat":
        return contents.NumpyArray(numpy.asarray(array))
    if kind == "tuple":
        parts = [_layout(contents, index, part) for part in rest[0]]
        return contents.RecordArray(parts, None, length=len(array))
    is_text, offsets, elements = rest
    inner, parameters = _layout(contents, index, elements), None
    if is_text:
        inner = contents.NumpyArray(inner.data, parameters={"__array__": "char"})
        parameters = {"__array__": "string"}
    offsets = index.Index64(numpy.asarray(offsets))
    return contents.ListOffsetArray(offsets, inner, parameters=parameters)
