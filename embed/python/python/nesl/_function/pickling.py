"""Pickling of functions by their source, so that another process needs no import of their module."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types

from .source import MISSING, Source


def state(function) -> dict:
    """What another process needs: the text with its lines, and the values of free names."""
    source = Source(function.python)
    lines, first = inspect.getsourcelines(function.python)
    names = {n.id for n in ast.walk(source.node) if isinstance(n, ast.Name)}
    names |= {a.value.id for a in ast.walk(source.node) if isinstance(a, ast.Attribute) and isinstance(a.value, ast.Name)}
    around, modules = {}, {}
    for name in names:
        value = source.lookup(name)
        if isinstance(value, types.ModuleType):
            modules[name] = value.__name__
        elif value is not MISSING and not isinstance(value, (types.BuiltinFunctionType, type)) and value is not function.python:
            around[name] = value
    text = textwrap.dedent("".join(lines))
    return {"text": text, "first": first, "file": source.file, "around": around, "modules": modules}


def unpickled(name: str, overflow: str, options: dict):
    """A function whose source comes with its state, as functions may refer to each other."""
    from .decorator import Function

    def empty(*_):
        raise TypeError(f"`{name}` is not restored yet")

    empty.__name__ = name
    return Function(empty, overflow, **options)


def restore(function, given: dict) -> None:
    """Compiles the source again, at its lines."""
    file = f"<nesl.function {given['file']}:{given['first']}>"
    padded = "\n" * (given["first"] - 1) + given["text"]
    linecache.cache[file] = (len(padded), None, padded.splitlines(True), file)
    tree = ast.parse(padded)
    if not isinstance(tree.body[0], ast.FunctionDef):
        raise TypeError("only functions that `def` defines are pickled")
    definition = tree.body[0]
    definition.decorator_list = []
    import importlib

    space = {name: importlib.import_module(module) for name, module in given["modules"].items()}
    space.update(given["around"])
    exec(compile(tree, file, "exec"), space)
    function.python = space[definition.name]
    function.__wrapped__ = function.python
    space[definition.name] = function
    function._forget()
