"""Functions on the partitions of collections of Dask and Ray."""

import functools
import inspect

from ._nesl import Array


def map_partitions(f, collection, *args, output="result", **options):
    """Applies ``f`` to each partition, one call for each; ``args`` follow the partition.

    ==========================  =======================================================
    a bag of Dask               ``f`` takes the sequence of its elements
    an array of Dask            ``f`` takes each block, and gives one
    a Delayed, or a list of it  ``f`` takes its value
    a dataset of Ray            ``f`` takes the columns that its first parameters name
    ==========================  =======================================================

    The result is a collection of the same kind.  A sequence has the elements of a partition of a
    bag; any other value is the only element.  Of a dataset the result is a column of the name
    ``output``, or several for a tuple, of which ``output`` has the names.  ``options`` are those
    of Dask's ``map_blocks`` and Ray's ``map_batches``.
    """
    if isinstance(collection, (list, tuple)):
        return [map_partitions(f, one, *args, output=output, **options) for one in collection]
    bases = type(collection).__mro__
    kinds = {kind.__name__ for kind in bases if kind.__module__.startswith(("dask.", "ray."))}
    call = functools.partial(_call, _Shipped(f), args)
    if "Dataset" in kinds:
        # Of a function of Python the signature has the names.
        names = getattr(f, "parameters", None) or list(inspect.signature(f).parameters)
        batch = functools.partial(_batch, call, names[: len(names) - len(args)], output)
        return collection.map_batches(batch, batch_format="pyarrow", **options)
    if "Array" in kinds:
        return collection.map_blocks(functools.partial(_block, call), **options)
    if options:
        raise TypeError(f"unexpected options: {', '.join(options)}")
    if "Bag" in kinds:
        return collection.map_partitions(functools.partial(_listed, call))
    if "Delayed" in kinds:
        import dask

        return dask.delayed(call)(collection)
    raise TypeError(f"{type(collection).__name__} is no collection of Dask or Ray")


class _Shipped:
    """A function on its way to a worker, where its text is compiled once."""

    def __init__(self, f):
        self._f = f

    def __call__(self, *args):
        return self._f(*args)

    def __reduce__(self):
        program = getattr(self._f, "_program", None)
        if program is None:
            return _Shipped, (self._f,)
        return _arrived, (program._made, self._f.__name__)


@functools.cache
def _arrived(made, name):
    from . import Program

    return _Shipped(getattr(Program(*made), name))


def _call(f, args, *parts):
    return f(*parts, *args)


def _listed(call, part):
    result = call(list(part))
    return result.tolist() if isinstance(result, Array) else [result]


def _block(call, block):
    result = call(block)
    return result.to_numpy() if isinstance(result, Array) else result


def _batch(call, columns, output, batch):
    import pyarrow

    result = call(*(batch.column(name) for name in columns))
    names, parts = (output, result) if isinstance(result, tuple) else ([output], [result])
    arrays = [pyarrow.array(part if isinstance(part, Array) else [part]) for part in parts]
    return pyarrow.table(dict(zip(names, arrays, strict=True)))
