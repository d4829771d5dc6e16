"""Trees of Python functions, with their files, and the meaning of names around them."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache

from .refused import Refused

MISSING = object()


class Source:
    """A Python function: its tree and what its free names mean."""

    def __init__(self, function):
        self.function = function
        self.name = function.__name__
        code = function.__code__
        self.file = code.co_filename
        self.node = _find(function)
        self.cells = {}
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                self.cells[name] = cell.cell_contents
            except ValueError:
                continue

    def lookup(self, name: str):
        """The value of a name that is no local one, or `MISSING`."""
        if name in self.cells:
            return self.cells[name]
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        return getattr(builtins, name, MISSING)

    def place(self, node) -> tuple:
        """File, lines and columns of a part of the tree."""
        end_line = node.end_lineno if node.end_lineno is not None else node.lineno
        end_column = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return self.file, node.lineno, node.col_offset, end_line, end_column

    def refuse(self, node, reason: str, instead: str = "") -> Refused:
        """The exception for a part of the tree."""
        text = linecache.getline(self.file, node.lineno) or None
        return Refused(reason, instead, self.place(node), text)


def _find(function):
    """The definition or the lambda of a function, from all of its file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        tree = None
    found = _candidates(tree, function) if lines and tree is not None else []
    if not found:
        found = _by_getsource(function)
    if len(found) > 1:
        found = [node for node in found if _starts_at(node, code)] or found
    if len(found) != 1:
        place = (code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        if found:
            raise Refused("several lambdas in one line", "define the function by `def`", place)
        raise Refused(
            f"the source of `{function.__name__}` is not known",
            "define it in a file, a cell of a notebook or a text with its lines in `linecache`",
            place,
        )
    return found[0]


def _candidates(tree, function) -> list:
    line = function.__code__.co_firstlineno
    out = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and function.__name__ == "<lambda>" and node.lineno == line:
            out.append(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function.__name__:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == line or node.lineno == line:
                out.append(node)
    return out


def _by_getsource(function) -> list:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return []
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "".join(row[indent:] if row[:indent].isspace() or not indent else row for row in lines)
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    ast.increment_lineno(tree, first - 1)
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            node.col_offset += indent
            node.end_col_offset += indent
    return _candidates(tree, function)


def _starts_at(node, code) -> bool:
    """Is the body of this lambda the one that the code was compiled from?"""
    positions = getattr(code, "co_positions", None)
    if positions is None or not isinstance(node, ast.Lambda):
        return False
    columns = [p[2] for p in positions() if p[0] == node.body.lineno and p[2] is not None]
    return any(node.body.col_offset <= c <= node.body.end_col_offset for c in columns)
