"""Types that annotations of parameters name."""

from __future__ import annotations

import ast

from .types import BOOL, FLOAT, INT, STRING, Seq, Tup, Type

_NAMES = {"int": INT, "float": FLOAT, "bool": BOOL, "str": STRING}
_LISTS = {"list", "List", "Sequence", "Iterable"}


def annotated(node: "ast.expr | None") -> "Type | None":
    """The type of an annotation such as `list[tuple[int, float]]`; None if it names no type of
    NESL, as `numpy.ndarray` does."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return annotated(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return None
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    if name is not None:
        return _NAMES.get(name)
    if not isinstance(node, ast.Subscript):
        return None
    outer = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", None)
    if outer in _LISTS:
        element = annotated(node.slice)
        return Seq(element) if element else None
    if outer in ("tuple", "Tuple") and isinstance(node.slice, ast.Tuple):
        parts = [annotated(part) for part in node.slice.elts]
        return Tup(tuple(parts)) if all(parts) else None
    return None
