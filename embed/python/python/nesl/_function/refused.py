"""What a function of Python may contain that NESL has no counterpart for."""

from __future__ import annotations


class Refused(SyntaxError):
    """A part of a Python function that cannot be translated.

    `filename`, `lineno` and `offset` are those of the Python source, as in any `SyntaxError`;
    `reason` says why, and `instead` what to write.
    """

    def __init__(self, reason: str, instead: str = "", place: "tuple | None" = None, text: str | None = None):
        self.reason = reason
        self.instead = instead
        message = f"{reason}: {instead}" if instead else reason
        if place is None:
            super().__init__(message)
        else:
            file, line, column, end_line, end_column = place
            super().__init__(message, (file, line, column + 1, text, end_line, end_column + 1))

    def __reduce__(self):
        place = None
        if self.lineno is not None:
            place = (self.filename, self.lineno, self.offset - 1, self.end_lineno, self.end_offset - 1)
        return Refused, (self.reason, self.instead, place, self.text)


Refused.__module__ = "nesl"
