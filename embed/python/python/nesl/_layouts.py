"""Arrays of libraries that describe their own layout: Awkward, SciPy, PyTorch's nested tensors."""

from ._error import refused
from ._nesl import Array, Rows


def rows(value, name):
    """The same value as ``Rows`` if its library has a layout of its own, else the value."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    layout = getattr(value, "layout", None)
    if hasattr(layout, "to_packed"):
        return _packed(layout.to_packed(), name, name)
    if hasattr(value, "tocsr"):
        matrix = value.tocsr()
        parts = [Rows.of(matrix.indices, name), Rows.of(matrix.data, name)]
        return Rows.lists(matrix.indptr, Rows.tuples(parts, name), name)
    if getattr(value, "is_nested", False):
        return _jagged(value, name)
    if isinstance(value, (bytes, bytearray, memoryview)) or kind.__module__ in ("array", "mmap"):
        return _buffer(value, name)
    return value


_PLAIN = {int, float, bool, str, list, tuple, Array, Rows}


def _packed(layout, name, path):
    kind = type(layout).__name__
    if kind == "UnmaskedArray":
        return _packed(layout.content, name, path)
    if kind == "NumpyArray":
        return Rows.of(layout.data, path)
    if kind == "RegularArray":
        return Rows.regular(len(layout), layout.size, _packed(layout.content, name, path + "[i]"))
    if kind == "ListOffsetArray":
        offsets = layout.offsets.data
        if layout.parameter("__array__") in ("string", "bytestring"):
            return Rows.texts(offsets, layout.content.data, path)
        return Rows.lists(offsets, _packed(layout.content, name, path + "[i]"), path)
    if kind == "RecordArray":
        fields = zip(layout.fields, layout.contents)
        parts = [_packed(part, name, f"{path}.{field}") for field, part in fields]
        return parts[0] if len(parts) == 1 else Rows.tuples(parts, path)
    if kind == "EmptyArray":
        return Rows.of(layout.to_NumpyArray("int64").data, path)
    raise refused(f"`{path}`: Awkward's {kind} has no counterpart in NESL")


def _jagged(tensor, name):
    """The rows of a nested tensor with the jagged layout, whose rows lie one after the other."""
    if not hasattr(tensor, "offsets") or getattr(tensor, "_lengths", None) is not None:
        raise refused(f"`{name}`: of nested tensors those of the jagged layout are taken")
    values, offsets = tensor.values().detach(), tensor.offsets()
    return Rows.lists(offsets.numpy(), Rows.of(values.numpy(), name), name)


def _buffer(value, name):
    """An array of the buffer protocol; NumPy takes it without a copy, if NumPy is there."""
    view = memoryview(value)
    try:
        import numpy
    except ImportError:
        return view.tolist()
    return numpy.asarray(view)


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
    offsets = numpy.asarray(offsets)
    kinds = {"int32": index.Index32, "int64": index.Index64}
    return contents.ListOffsetArray(kinds[offsets.dtype.name](offsets), inner, parameters=parameters)
