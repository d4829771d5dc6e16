"""Types of the values of a translated function, as a lattice.

    bottom < bool < int < float        char < [char]        [a] < [b] and (a, ...) < (b, ...) by parts

`bottom` is the type of what has no value yet: the result of a recursive function in the first pass,
the elements of an empty list.  Two values that meet, as the arms of an `if` do, get the join of
their types.  A function is a type of its own, whose values are what it captures; calling one is
then a call of a known function.
"""

from __future__ import annotations

from dataclasses import dataclass


class Type:
    """A type of the lattice."""


@dataclass(frozen=True)
class Base(Type):
    """`int`, `float`, `bool`, `char` or `bottom`."""

    name: str


@dataclass(frozen=True)
class Seq(Type):
    """A list; of characters, a string."""

    element: Type


@dataclass(frozen=True)
class Tup(Type):
    """A tuple with its nesting.  In NESL, (1, (2, 3)) and (1, 2, 3) are one value."""

    items: tuple


@dataclass(frozen=True)
class Clo(Type):
    """The function `callee` with captured values of these types."""

    callee: object
    captured: tuple


BOTTOM, BOOL, INT, FLOAT, CHAR = map(Base, ("bottom", "bool", "int", "float", "char"))
STRING = Seq(CHAR)
NUMBERS = {BOOL: 0, INT: 1, FLOAT: 2}


class NoJoin(Exception):
    """Two types that no value can have in common."""


def join(a: Type, b: Type) -> Type:
    """The smallest type that values of both can be converted to."""
    if a == b or b == BOTTOM:
        return a
    if a == BOTTOM:
        return b
    if a in NUMBERS and b in NUMBERS:
        return max(a, b, key=NUMBERS.get)
    if {a, b} == {CHAR, STRING} or (CHAR in (a, b) and Seq(BOTTOM) in (a, b)):
        return STRING
    if isinstance(a, Seq) and isinstance(b, Seq):
        return Seq(join(a.element, b.element))
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        return Tup(tuple(map(join, a.items, b.items)))
    if isinstance(a, Clo) and isinstance(b, Clo) and a.callee is b.callee and len(a.captured) == len(b.captured):
        return Clo(a.callee, tuple(map(join, a.captured, b.captured)))
    raise NoJoin(f"{describe(a)} and {describe(b)}")


def show(t: Type) -> str:
    """The type as NESL writes it.  Elements of lists that are always empty count as ints."""
    if isinstance(t, Base):
        return "int" if t == BOTTOM else t.name
    if isinstance(t, Seq):
        return f"[{show(t.element)}]"
    items = t.items if isinstance(t, Tup) else t.captured
    if not items:
        return "int"
    return show(items[0]) if len(items) == 1 else f"({', '.join(map(show, items))})"


def describe(t: Type) -> str:
    """The type in the words of Python, for messages."""
    if isinstance(t, Base):
        return {"char": "str of one character", "bottom": "nothing"}.get(t.name, t.name)
    if t == STRING:
        return "str"
    if isinstance(t, Seq):
        return "empty list" if t.element == BOTTOM else f"list[{describe(t.element)}]"
    if isinstance(t, Tup):
        return f"tuple[{', '.join(map(describe, t.items))}]"
    return f"function {t.callee.name}"


def parse(text: str) -> Type:
    """The type that `show` writes as `text`; `(int,)` is a tuple of one part."""
    tokens = [c for c in _tokens(text)]

    def one() -> Type:
        if not tokens:
            raise ValueError(f"`{text}` is no type")
        token = tokens.pop(0)
        if token == "[":
            inner = several("]")
            return Seq(inner)
        if token == "(":
            return several(")")
        if token in ("int", "float", "bool", "char", "bottom"):
            return Base(token)
        raise ValueError(f"`{text}` is no type of NESL that a Python function can take")

    def several(end: "str | None") -> Type:
        items = [one()]
        alone = False
        while tokens and tokens[0] == ",":
            tokens.pop(0)
            alone = end == ")" and tokens[:1] == [end]
            if not alone:
                items.append(one())
        if (tokens.pop(0) if tokens else None) != end:
            raise ValueError(f"`{text}` is no type")
        return items[0] if len(items) == 1 and not alone else Tup(tuple(items))

    return several(None)


def _tokens(text: str):
    word = ""
    for c in text + " ":
        if c.isalnum() or c == "_":
            word += c
            continue
        if word:
            yield word
            word = ""
        if not c.isspace():
            yield c
