"""Values and errors as HTML, bounded in size."""

import html
import re

from . import _nesl

_ROWS = 20
_COLUMNS = 12
# Characters of a cell.
_CELL = 100
# Elements of a sequence inside a cell, by how deep it lies.
_ITEMS = (8, 4, 2)

_STYLE = "font-family: monospace; text-align: left"


def table(value, ty=None):
    """A sequence as a table, and a tuple with sequences as several; None for other values.

    Of many rows and columns the first are shown, and how many there are.
    """
    if isinstance(value, _nesl.Array):
        return _sequence(value, ty or value.type)
    if isinstance(value, tuple) and any(isinstance(part, _nesl.Array) for part in value):
        parts = (table(part) or f"<pre>{html.escape(text(part))}</pre>" for part in value)
        return "".join(f"<div>{n}: {part}</div>" for n, part in enumerate(parts, 1))
    return None


def _sequence(array, ty):
    first = array[0] if len(array) else None
    if not isinstance(first, (tuple, _nesl.Array)):
        shown = min(len(array), _COLUMNS)
        heads = [str(n) for n in range(shown)]
        rows = [[text(array[n]) for n in range(shown)]] if shown else []
        return _table(heads, rows, ty, len(array), len(array) - shown)
    shown = min(len(array), _ROWS)
    values = [array[n] for n in range(shown)]
    width = min(max(len(value) for value in values), _COLUMNS)
    rows = []
    for n, value in enumerate(values):
        cells = [text(value[place]) for place in range(min(len(value), width))]
        cells += [""] * (width - len(cells))
        if len(value) > width:
            cells[-1] += f" … {len(value) - width} more"
        rows.append([f"{n}", *cells])
    start = 1 if isinstance(first, tuple) else 0
    heads = ["", *(str(n) for n in range(start, start + width))]
    return _table(heads, rows, ty, len(array), len(array) - shown)


def _table(heads, rows, ty, count, more):
    row = lambda tag, cells: "".join(
        f'<{tag} style="{_STYLE}">{html.escape(cell)}</{tag}>' for cell in cells
    )
    body = "".join(f"<tr>{row('td', cells)}</tr>" for cells in rows)
    facts = f"{ty}, {count} element{'' if count == 1 else 's'}"
    if more:
        facts += f", of which the first {count - more} are shown"
    caption = f"<div style='{_STYLE}'>{html.escape(facts)}</div>"
    return f"<table><thead><tr>{row('th', heads)}</tr></thead><tbody>{body}</tbody></table>{caption}"


def text(value, depth=0):
    """A value as NESL writes it, cut to the length of a cell."""
    if isinstance(value, _nesl.Array):
        most = _ITEMS[min(depth, len(_ITEMS) - 1)]
        parts = [text(value[n], depth + 1) for n in range(min(len(value), most))]
        if len(value) > most:
            parts.append(f"… {len(value) - most} more")
        return _cut(f"[{', '.join(parts)}]")
    if isinstance(value, tuple):
        return _cut(f"({', '.join(text(part, depth + 1) for part in value)})")
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, str):
        # A text is cut before it is quoted, as it may be long.
        return _cut(f'"{value[:_CELL]}"' if len(value) <= _CELL else f'"{value[:_CELL]}')
    return str(value)


def _cut(shown):
    return shown if len(shown) <= _CELL else shown[: _CELL - 2] + " …"


_SOURCE = re.compile(r"^(\s*\d+ \| )(.*)$")
_MARKS = re.compile(r"^(\s*\| )([ ^~-]*)")
_HEAD = re.compile(r"^(error|warning)\b[^:]*:")
_UNDERLINED = "text-decoration: underline wavy #d03030"


def error(shown):
    """Messages as the command prints them, with the places underlined."""
    lines = shown.split("\n")
    told = []
    for line, behind in zip(lines, [*lines[1:], ""]):
        source, marks = _SOURCE.match(line), _MARKS.match(behind)
        head = _HEAD.match(line)
        if source and marks and len(marks[1]) == len(source[1]):
            told.append(html.escape(source[1]) + _underlined(source[2], marks[2]))
        elif head:
            told.append(f"<b style='color: #d03030'>{html.escape(line)}</b>")
        else:
            told.append(html.escape(line))
    return f"<pre>{chr(10).join(told)}</pre>"


def _underlined(source, marks):
    """The source with the parts underlined that have `^` below them."""
    parts, behind = [], 0
    for place in re.finditer(r"\^+", marks):
        start, end = place.span()
        # The end of a text is a place, too.
        part = html.escape(source[start:end]) or "&nbsp;"
        parts.append(html.escape(source[behind:start]))
        parts.append(f'<span style="{_UNDERLINED}">{part}</span>')
        behind = end
    return "".join(parts) + html.escape(source[behind:])
