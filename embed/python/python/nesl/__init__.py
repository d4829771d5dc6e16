"""NESL: functions on nested, ragged data in memory, in parallel.

>>> import nesl
>>> m = nesl.compile("function sums(m) = {sum(row) : row in m};", engine="interp")
>>> m.sums([[1, 2], [], [3]]).tolist()
[3, 0, 3]
"""

import threading

from . import _layouts, _nesl
from ._cost import cost, profile
from ._error import Error
from ._nesl import Array
from ._partitions import map_partitions

__all__ = ["Array", "Error", "Function", "Program", "compile", "to_awkward", "to_numpy"]
__all__ += ["cost", "map_partitions", "profile"]

_sessions = {}
_lock = threading.Lock()


def _session(engine, threads, memory):
    choice = (engine, threads, memory)
    with _lock:
        if choice not in _sessions:
            _sessions[choice] = _nesl.Session(*choice)
        return _sessions[choice]


class Function:
    """A function of a program; ``parameters`` has the names of its parameters."""

    def __init__(self, program, name):
        self._program, self._function = program, program._program.function(name)
        self.__name__ = name
        self.parameters = self._function.parameters()

    def __call__(self, *args, **keywords):
        """Calls it.  Scalars, texts and tuples come back as Python's, sequences as ``Array``.

        Raises ``Error`` if an argument does not fit, or if the run fails.
        """
        return self._function.call(self._values(args, keywords))

    def _values(self, args, keywords):
        """The arguments in the order of the parameters."""
        if keywords:
            args = list(args)
            for name in self.parameters[len(args) :]:
                if name in keywords:
                    args.append(keywords.pop(name))
            if keywords:
                names = ", ".join(keywords)
                raise TypeError(f"{self.__name__}() got unexpected or misplaced arguments: {names}")
        names = self.parameters + ["argument"] * len(args)
        return [_layouts.rows(a, n) for a, n in zip(args, names)]

    def __reduce__(self):
        return getattr, (self._program, self.__name__)


class Program:
    """The functions of a text, as attributes."""

    def __init__(self, text, name, choice):
        self._made = (text, name, choice)
        self._program = _session(*choice).compile(name, text)
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


def compile(text, *, name="program", engine="auto", threads=None, memory=None):
    """Compiles a text of NESL; raises ``Error`` with all messages if it is wrong.

    ``engine`` is "auto", "cpu", "cuda" or "interp"; programs of the same choices share a session.
    """
    return Program(text, name, (engine, threads, memory))


def to_numpy(array):
    """A NumPy array over the memory of a flat or regular ``Array``; ragged ones raise."""
    import numpy

    if not hasattr(array, "__array_interface__"):
        raise ValueError(f"a ragged {array.type} is no NumPy array: use nesl.to_awkward")
    return numpy.asarray(array)


to_awkward = _layouts.to_awkward
