"""`@nesl.function`: a Python function that is compiled for the types of its arguments."""

from __future__ import annotations

import functools
import inspect
import threading

from .code import Translation
from .program import Program


def translate(fn, types, overflow: str = "wrap") -> Translation:
    """The NESL program of a Python function at the NESL types of its arguments.

    Raises `Refused` where the function has no counterpart.
    """
    if overflow not in ("wrap", "raise"):
        raise ValueError('overflow is "wrap" or "raise"')
    return Program(overflow).translate(getattr(fn, "python", fn), types)


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
        self._lock = threading.Lock()

    def translation(self, *types) -> Translation:
        """The translation at these types, made once for each."""
        with self._lock:
            if types not in self._translations:
                self._translations[types] = translate(self.python, types, self.overflow)
            return self._translations[types]

    def nesl(self, *types) -> str:
        """The NESL text at these types, such as `f.nesl("[float]", "int")`."""
        return self.translation(*types).text

    def __call__(self, *args, **kw):
        function, data = self._compiled_for(args, kw)
        return function(*data)

    def _compiled_for(self, args, kw):
        """The function of NESL for these arguments, and those of them that are data."""
        import nesl

        bound = inspect.signature(self.python).bind(*args, **kw)
        bound.apply_defaults()
        values = bound.args
        data = [v for v in values if not callable(v)]
        known = iter(nesl._types_of(data) if data else ())
        types = tuple(v if callable(v) else next(known) for v in values)
        translation = self.translation(*types)
        with self._lock:
            program = self._compiled.get(types)
        if program is None:
            program = nesl.compile(translation.text, **self.options)
            with self._lock:
                program = self._compiled.setdefault(types, program)
        return getattr(program, translation.entry), data or [0]

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
