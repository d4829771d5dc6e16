"""NESL: functions on nested, ragged data in memory, in parallel.

>>> import nesl
>>> m = nesl.compile("function sums(m) = {sum(row) : row in m};", engine="interp")
>>> m.sums([[1, 2], [], [3]]).tolist()
[3, 0, 3]
"""

import threading

from . import _environment, _layouts, _nesl
from ._cost import cost, profile
from ._error import Error, refused
from ._function import Refused, function
from ._nesl import Array
from ._partitions import map_partitions

__all__ = [
    "Array",
    "Error",
    "Function",
    "Program",
    "Refused",
    "compile",
    "cost",
    "function",
    "map_partitions",
    "profile",
    "to_awkward",
    "to_numpy",
]

_choices = {}
_lock = threading.Lock()


def _chosen(engine, threads, memory, ints, floats):
    """The sessions of some choices, which programs share."""
    choice = (engine, threads, memory, ints, floats)
    with _lock:
        if choice not in _choices:
            engine, compiler = _environment.chosen(engine, _nesl.has_gpu)
            _choices[choice] = _nesl.Choices(engine, threads, memory, (ints, floats), compiler)
        return _choices[choice]


class Function:
    """A function of a program; ``parameters`` has the names of its parameters."""

    def __init__(self, program, name):
        self._program, self._function = program, program._program.function(name)
        self.__name__ = name
        self._call = self._function.call
        self.parameters = self._function.parameters()

    def __call__(self, *args, **keywords):
        """Calls it.  Scalars, texts and tuples come back as Python's, sequences as ``Array``.

        Raises ``Error`` if an argument does not fit, or if the run fails.
        """
        if keywords:
            args = self._in_order(args, keywords)
        return self._call(args)

    def _in_order(self, args, keywords):
        args = list(args)
        for name in self.parameters[len(args) :]:
            if name in keywords:
                args.append(keywords.pop(name))
        if keywords:
            raise self._misplaced(keywords)
        return tuple(args)

    def _misplaced(self, keywords):
        names, known = ", ".join(f"`{n}`" for n in keywords), ", ".join(self.parameters)
        return refused(f"{self.__name__}({known}) has no use for {names} here")

    def __reduce__(self):
        return getattr, (self._program, self.__name__)

    def __repr__(self):
        return f"<nesl function {self.__name__}({', '.join(self.parameters)})>"


class Program:
    """The functions of a text, as attributes."""

    def __init__(self, text, name, choice, fill=None):
        self._made = (text, name, choice, fill)
        self._program = _nesl.Program(_chosen(*choice), name, text, fill)
        self._functions = {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name.lower() not in self._program.names():
            raise AttributeError(f"the program has no function `{name}`")
        return self._functions.setdefault(name, Function(self, name))

    def __dir__(self):
        return [*super().__dir__(), *self._program.names()]

    def __reduce__(self):
        return Program, self._made


def compile(
    text,
    *,
    name="program",
    engine="auto",
    threads=None,
    memory=None,
    ints=64,
    floats=None,
    fill=None,
):
    """Compiles a text of NESL.

    ``engine`` is "auto" (a GPU if there is one, else the cores), "cpu", "cuda" or "interp";
    ``threads`` is the number of threads on the cores, ``memory`` the bytes that all values may
    take.  Programs of the same choices share threads and memory.

    ``ints`` and ``floats`` are the bits of numbers, 32 or 64; None takes those of each call's
    arguments: 32 if all arrays have such numbers, else 64.  Ints have 64 bits if nothing is said,
    as sums and lengths of narrow ones need more.  ``fill`` is a number that takes the place of
    nulls, which are errors else.

    Raises ``Error`` with all messages if the text is wrong.
    """
    return Program(text, name, (engine, threads, memory, ints, floats), fill)


def _types_of(values):
    """The types of values as NESL writes them."""
    return _nesl.types_of(list(values))


def to_numpy(array):
    """A NumPy array over the memory of a flat or regular ``Array``; ragged ones raise."""
    import numpy

    if not hasattr(array, "__array_interface__"):
        raise ValueError(f"a ragged {array.type} is no NumPy array: use nesl.to_awkward")
    return numpy.asarray(array)


to_awkward = _layouts.to_awkward
