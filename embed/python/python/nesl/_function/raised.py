"""Errors of a run as Python's own exceptions, at the place of the Python source."""

from __future__ import annotations

import builtins
import linecache
import re

from .._error import Error

# Errors of operations that NESL checks itself.
CODES = {"N0501": "ZeroDivisionError", "N0502": "IndexError", "N0503": "ValueError"}
_POSITION = re.compile(r" at program:(\d+):(\d+)")


def _of(name: str) -> type:
    """A class of errors that is both `Error` and the exception that Python raises."""
    built = type(name, (Error, getattr(builtins, name)), {"__module__": __name__})
    built.__doc__ = f"`{name}` of a function that runs as NESL."
    return built


NAMES = ("IndexError", "OverflowError", "TypeError", "ValueError", "ZeroDivisionError")
CLASSES = {name: _of(name) for name in NAMES}
# Pickles look the classes up here.
globals().update(CLASSES)


def raised(error: Error, translation) -> Error:
    """The error as Python tells it; the error itself if it is of no place in the function."""
    if not translation.places or error.span is None:
        return error
    name, _, reason = error.message.partition(": ")
    if name not in CLASSES:
        name, reason = CODES.get(error.code), error.message
    positions = [error.span[2:4]]
    positions += [(int(a), int(b)) for a, b in _POSITION.findall(error.messages[0][2])]
    place = translation.python_place(positions)
    if place is None:
        return error
    row = linecache.getline(place.file, place.line).rstrip("\n")
    end = place.end_column if place.end_line == place.line else len(row)
    indent = len(row) - len(row.lstrip())
    marks = " " * (place.column - indent) + "^" * max(1, end - place.column)
    text = f"{reason}\n  File \"{place.file}\", line {place.line}\n    {row.strip()}\n    {marks}"
    if error.lanes:
        text += f"\n  in element {', '.join(map(str, error.lanes))}"
    code, _, told, span, lanes = error.messages[0]
    made = CLASSES.get(name, Error)([(code, reason, told, span, lanes)], text)
    made.place = place
    return made
