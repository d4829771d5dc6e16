"""Programs of specialised functions: each is translated for types, in passes until types agree.

What is not known yet, as the result of a recursive call or a variable that a loop changes, starts as
`bottom`.  A pass translates all that the entry needs and joins what it finds into `results` and
`states`; when a pass finds nothing new, its texts are the program.
"""

from __future__ import annotations

from . import helpers, library
from .code import Translation, Writer
from .function import Body
from .source import Source
from .types import BOTTOM, Clo, Tup, Type, join, parse, show

# Types of one function, and passes, beyond which its types would grow for ever.
MOST_TYPES, MOST_PASSES = 40, 60


class Callee:
    """A function that can be called: a tree with what it captures, or a named operation."""

    def __init__(self, name: str, source=None, node=None, captured=(), operation=None):
        self.name, self.source, self.node = name, source, node
        self.captured, self.operation = captured, operation


class Program:
    """The functions of one translation."""

    def __init__(self, overflow: str):
        self.overflow = overflow
        self.results: dict = {}
        self.states: dict = {}
        self.callees: dict = {}
        self.kept: list = []

    def callee(self, key, make) -> Callee:
        """The callee of a key, made once, so that its identity is that of a type."""
        if key not in self.callees:
            self.callees[key] = make()
        return self.callees[key]

    def of_function(self, function) -> Callee:
        """The callee of a Python function."""
        # The function is kept, as its id is the key.
        self.kept.append(function)

        def make():
            source = Source(function)
            return Callee(function.__name__, source, source.node)

        return self.callee(("function", id(function)), make)

    def begin(self) -> None:
        """Starts a pass."""
        self.changed = False
        self.done: dict = {}
        self.functions: list = []
        self.helpers: set = set()
        self.names = set(library.NAMES)

    def name(self, hint: str) -> str:
        """A name of a function that nothing else in the program has."""
        base = clean(hint)
        name, n = base, 1
        while name in self.names or name.startswith("py_"):
            n += 1
            name = f"{base}_{n}" if not base.startswith("py_") else f"user_{base}_{n}"
        self.names.add(name)
        return name

    def found(self, table: dict, key, value: Type) -> Type:
        """Joins what a pass has found into what is known."""
        old = table.get(key, BOTTOM)
        new = join(old, value)
        if new != old:
            table[key] = new
            self.changed = True
        return new

    def specialise(self, callee: Callee, captured: tuple, arguments: tuple, node, caller) -> tuple:
        """The NESL name and the result type of a callee at these types."""
        key = (callee, captured, arguments)
        if key not in self.done:
            if sum(k[0] is callee for k in self.done) >= MOST_TYPES:
                raise caller.refuse(node, f"the types of `{callee.name}` grow with each call", "call it with fewer types")
            name = self.name(callee.name)
            self.done[key] = name
            Body(self, callee.source, key, name).define(callee, captured, arguments)
        return self.done[key], self.results.get(key, BOTTOM)

    def translate(self, function, types) -> Translation:
        """The program that has `function` at `types` as its entry."""
        callee = self.of_function(function)
        given = tuple(self._argument(t) for t in types)
        for _ in range(MOST_PASSES):
            self.begin()
            entry, result = self.specialise(callee, (), given, callee.node, None)
            if not self.changed:
                break
        else:
            raise callee.source.refuse(callee.node, "the types of variables do not settle", "give each variable one type")
        for key in self.done:
            if self.results.get(key, BOTTOM) == BOTTOM:
                called = key[0]
                raise called.source.refuse(called.node, f"`{called.name}` never returns a value", "return one in some case")
        if isinstance(result, Clo):
            raise callee.source.refuse(callee.node, "the result is a function", "return what it gives")
        writer = Writer()
        for text in helpers.closure(self.helpers):
            writer.put(text + "\n\n")
        for text in self.functions:
            writer.put(text)
            writer.put("\n\n")
        parameters = tuple(show(t) for t in given if not isinstance(t, Clo)) or ("int",)
        places = tuple(sorted(writer.places, key=lambda p: (p.start, -p.end)))
        return Translation("".join(writer.text), entry, places, parameters, _python(result))

    def _argument(self, given):
        if isinstance(given, Type):
            return given
        if isinstance(given, str):
            return parse(given)
        name = getattr(given, "__name__", type(given).__name__)
        callee = Body(self, None, None, name).callable(given, name)
        if callee is None:
            raise TypeError(f"`{name}` is no function that NESL knows: give a function of Python")
        return Clo(callee, ())


def _python(t: Type) -> str:
    """A type with the nesting of Python's tuples."""
    if isinstance(t, Tup):
        return f"({', '.join(map(_python, t.items))}{',' if len(t.items) == 1 else ''})"
    if hasattr(t, "element"):
        return f"[{_python(t.element)}]"
    return show(t)


def clean(name: str) -> str:
    """A Python name as one of NESL: lower case, ASCII, beginning with a letter."""
    out = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "u" for c in name.lower())
    return out if out[:1].isalpha() else "u" + out.lstrip("_") if out.strip("_") else "u"
