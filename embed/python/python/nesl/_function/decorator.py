"""`@nesl.function`: a Python function that is compiled for the types of its arguments."""

from __future__ import annotations

import functools
import inspect
import threading

from .code import Translation
from .annotations import annotated
from .program import Program
from .raised import raised
from .source import Source
from .types import Tup, parse


def translate(fn, types, overflow: str = "wrap") -> Translation:
    """The NESL program of a Python function at the NESL types of its arguments.

    Raises `Refused` where the function has no counterpart.
    """
    if overflow not in ("wrap", "raise"):
        raise ValueError('overflow is "wrap" or "raise"')
    return Program(overflow).translate(getattr(fn, "python", fn), types)


def grouped(value, t):
    """A tuple with the nesting that it has in Python."""
    if not isinstance(t, Tup):
        return value
    if len(t.items) == 1:
        return (grouped(value, t.items[0]),)
    *first, last = t.items
    rest = value[len(first) :]
    # A tuple at the end of a tuple has its parts beside those of the outer one.
    rest = rest if isinstance(last, Tup) and len(last.items) > 1 else rest[0]
    return (*map(grouped, value, first), grouped(rest, last))


class Function:
    """A Python function that runs as NESL; `python` is the function itself."""

    def __init__(self, python, overflow: str = "wrap", **options):
        if overflow not in ("wrap", "raise"):
            raise ValueError('overflow is "wrap" or "raise"')
        functools.update_wrapper(self, python)
        self.python, self.overflow, self.options = python, overflow, options
        self._forget()

    def _forget(self) -> None:
        self._translations: dict = {}
        self._compiled: dict = {}
        self._signature = None
        self._lock = threading.Lock()

    def translation(self, *types) -> Translation:
        """The translation at these types, made once for each; without types at those that
        annotations name."""
        if not types:
            types = tuple(self._annotated())
            if None in types:
                raise TypeError("name a type for each parameter: not all are annotated")
        with self._lock:
            if types not in self._translations:
                self._translations[types] = translate(self.python, types, self.overflow)
            return self._translations[types]

    def _annotated(self):
        node = Source(self.python).node.args
        return [annotated(p.annotation) for p in node.posonlyargs + node.args]

    def nesl(self, *types) -> str:
        """The NESL text at these types, such as `f.nesl("[float]", "int")`."""
        return self.translation(*types).text

    def __call__(self, *args, **kw):
        import nesl

        (entry, translation, result), data = self._compiled_for(args, kw)
        try:
            value = entry(*data)
        except nesl.Error as error:
            raise raised(error, translation) from None
        return value if result is None else grouped(value, result)

    def _compiled_for(self, args, kw):
        """The compiled function for some arguments, as `_compile` gives it, and those of them that
        are data."""
        import nesl

        values = self._bound(args, kw)
        data = [v for v in values if not callable(v)]
        known = iter(nesl._types_of(data) if data else ())
        types = tuple(v if callable(v) else next(known) for v in values)
        return self._compiled.get(types) or self._compile(types), data or [0]

    def _bound(self, args, kw):
        """The arguments in order, with defaults."""
        if self._signature is None:
            self._signature = inspect.signature(self.python)
        bound = self._signature.bind(*args, **kw)
        bound.apply_defaults()
        return bound.args

    def _compile(self, types):
        """The compiled function for these types, its translation, and the type of its result if
        that is a tuple, whose nesting NESL has not."""
        import nesl

        translation = self.translation(*types)
        program = nesl.compile(translation.text, **self.options)
        result = parse(translation.result)
        made = getattr(program, translation.entry), translation, result if isinstance(result, Tup) else None
        with self._lock:
            return self._compiled.setdefault(types, made)

    def __get__(self, owner, kind=None):
        return self

    def __reduce__(self):
        from .pickling import state, unpickled

        return unpickled, (self.python.__name__, self.overflow, self.options), state(self)

    def __setstate__(self, given) -> None:
        from .pickling import restore

        restore(self, given)

    def __repr__(self) -> str:
        return f"<nesl.function {self.python.__name__}>"


def function(python=None, *, overflow: str = "wrap", **options):
    """Makes a Python function run as NESL, at the types of each call's arguments.

    `overflow="raise"` lets ints beyond 64 bits raise, which wrap otherwise; other options are those
    of `nesl.compile`.
    """
    if python is None:
        return lambda p: Function(p, overflow, **options)
    return Function(python, overflow, **options)
