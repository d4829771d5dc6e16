"""Texts of NESL that are put together from parts, and know what in Python they came from."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from typing import NamedTuple

# How strongly a text holds together: an atom goes anywhere, an operator's text between
# brackets and commas, and what begins with `let` or `if` takes all that follows.
OPEN, OPERATOR, ATOM = 0, 1, 2


class Layout:
    """A change of layout inside a text."""


LINE, DEEPER, SHALLOWER = Layout(), Layout(), Layout()


@dataclass
class Code:
    """Parts one after the other: strings, layout and texts; `place` is where they are from."""

    parts: list
    place: "tuple | None" = None
    level: int = ATOM
    lines: bool = False

    def operand(self) -> "Code":
        """The text where an operand may stand."""
        return self if self.level == ATOM else Code(["(", self, ")"], lines=self.lines)

    def item(self) -> "Code":
        """The text where commas end it."""
        return self if self.level != OPEN else self.operand()


def code(*parts, level: int = ATOM) -> Code:
    """A text of these parts."""
    return Code(list(parts), level=level, lines=any(isinstance(p, Code) and p.lines for p in parts))


def commas(parts) -> list:
    """Texts between commas."""
    out: list = []
    for part in parts:
        out += [", ", part.item() if isinstance(part, Code) else part] if out else [part.item() if isinstance(part, Code) else part]
    return out


def let(bindings: list, body: Code) -> Code:
    """`let` with these bindings, pairs of a pattern and a text."""
    if not bindings:
        return body
    parts: list = ["let ", DEEPER]
    for n, (pattern, value) in enumerate(bindings):
        parts += ([";", LINE] if n else []) + [pattern, " = ", value]
    return Code(parts + [SHALLOWER, LINE, "in ", body], level=OPEN, lines=True)


def choice(condition: Code, yes: Code, no: Code) -> Code:
    """`if` with two arms."""
    # An arm that is itself open ends with the whole, as far as the right end reaches.
    yes = yes.item() if yes.level == OPEN else yes
    if yes.lines or no.lines:
        parts = ["if ", condition.item(), DEEPER, LINE, "then ", yes, LINE, "else ", no, SHALLOWER]
        return Code(parts, level=OPEN, lines=True)
    return Code(["if ", condition.item(), " then ", yes, " else ", no], level=OPEN)


class Place(NamedTuple):
    """A part of a text, by offsets, and the part of the Python source that it is from."""

    start: int
    end: int
    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass
class Writer:
    """Puts texts into one, with the places of their parts."""

    text: list = field(default_factory=list)
    places: list = field(default_factory=list)
    length: int = 0
    depth: int = 0

    def put(self, part) -> None:
        """Adds a part at the end."""
        if isinstance(part, str):
            self.text.append(part)
            self.length += len(part)
        elif part is LINE:
            self.put("\n" + "  " * self.depth)
        elif part is DEEPER:
            self.depth += 1
        elif part is SHALLOWER:
            self.depth -= 1
        else:
            start = self.length
            for inner in part.parts:
                self.put(inner)
            if part.place is not None:
                self.places.append(Place(start, self.length, *part.place))


@dataclass(frozen=True)
class Translation:
    """A NESL program for a Python function and types of its arguments.

    `entry` names the function to call, `parameters` are the NESL types of its parameters and
    `result` is the type of its result, with the nesting of Python's tuples.  A function without
    parameters takes an int, as NESL has none without.
    """

    text: str
    entry: str
    places: tuple
    parameters: tuple
    result: str

    def place(self, line: int, column: int) -> "Place | None":
        """The smallest part that covers a position of the text, counted from 1."""
        starts = self.__dict__.get("_starts")
        if starts is None:
            starts = [0]
            for row in self.text.split("\n"):
                starts.append(starts[-1] + len(row) + 1)
            object.__setattr__(self, "_starts", starts)
        if not 1 <= line < len(starts):
            return None
        return self.place_at(starts[line - 1] + column - 1)

    def place_at(self, offset: int) -> "Place | None":
        """The smallest part that covers an offset in the text."""
        last = bisect.bisect_right([p.start for p in self.places], offset)
        covering = [p for p in self.places[:last] if offset < p.end]
        return min(covering, key=lambda p: p.end - p.start, default=None)

    def python_place(self, positions) -> "Place | None":
        """The place of an error, of which `positions` are the pairs of line and column that its
        message names, innermost first.  Helpers that come with a program are from no place, so
        that their callers are asked."""
        for line, column in positions:
            found = self.place(line, column)
            if found is not None:
                return found
        return None
