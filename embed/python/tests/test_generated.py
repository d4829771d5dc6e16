"""Generated programs, called with their literals as data, beside the interpreter.

`nesl-fuzz --show` prints programs: forms, and an expression at the end.  Literals of the expression
become parameters of a function, so that compiled code takes them from Python: as lists, and as
arrays of NumPy, Awkward or Arrow.  What it gives, or how it fails, is what the interpreter says of
the expression as it was.  NESL_GENERATED is the number of programs, NESL_GENERATED_SEED the first.
"""

import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import awkward as ak
import numpy as np
import pyarrow as pa
import pytest

import nesl

COUNT = int(os.environ.get("NESL_GENERATED", "20"))
SEED = int(os.environ.get("NESL_GENERATED_SEED", "0"))
# Beyond these a function has more parameters than a program is likely to have.
MOST = 8
TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"|`\\?.|(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?|[A-Za-z_]\w*|\s+|.', re.DOTALL
)
NAMED = {"t": True, "f": False, "true": True, "false": False, "min_int": -(2**63), "max_int": 2**63 - 1}
CHARACTERS = {"newline": "\n", "space": " ", "tab": "\t"}
# Behind these words begins an expression; behind other names an index.
WORDS = {"and", "else", "if", "in", "nand", "nor", "or", "then", "xor"}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class NoLiteral(Exception):
    """What stands here is no literal, or one that no value of Python stands for."""


class Literals:
    """Reads literals from tokens."""

    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def next(self):
        while self.tokens[self.at].isspace():
            self.at += 1
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        at = self.at
        token = self.next()
        self.at = at
        return token

    def value(self):
        token = self.next()
        if token in NAMED:
            return NAMED[token]
        if token[0] == '"':
            return unescaped(token[1:-1])
        if re.match(r"\.?\d", token):
            return number(token)
        if token == "[":
            return self.sequence()
        if token == "(":
            return self.brackets()
        raise NoLiteral

    def sequence(self):
        if self.peek() == "]":
            raise NoLiteral
        is_text = self.peek()[0] == "`"
        items, token = [], ","
        while token == ",":
            items.append(self.character() if is_text else self.value())
            token = self.next()
        if token != "]":
            raise NoLiteral
        return "".join(items) if is_text else items

    def character(self):
        token = self.next()
        if token in CHARACTERS:
            return CHARACTERS[token]
        if token[0] != "`":
            raise NoLiteral
        return unescaped(token[1:])

    def brackets(self):
        """A number with a sign, a tuple, or an empty sequence with its type."""
        if self.peek() == "-":
            self.next()
            found = -number(self.next())
        elif self.peek() == "[":
            return self.empty()
        else:
            found = [self.value()]
            while self.peek() == ",":
                self.next()
                found.append(self.value())
            found = tuple(found)
            if len(found) < 2:
                raise NoLiteral
        if self.next() != ")":
            raise NoLiteral
        return found

    def empty(self):
        start = self.at
        if self.next() != "[" or self.next() != "]":
            # A tuple that begins with a list.
            self.at = start
            raise NoLiteral
        of, open_ = [], 1
        while open_:
            token = self.next()
            open_ += {"(": 1, ")": -1}.get(token, 0)
            of.append(token)
        return "" if of == ["char", ")"] else []


def number(token):
    if not re.match(r"\.?\d", token):
        raise NoLiteral
    return int(token) if token.isdigit() else float(token)


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text, flags=re.DOTALL)


def taken_apart(tokens):
    """The expression with names in place of literals, sequences first, and their values."""
    found, at = {}, 0
    while at < len(tokens):
        before = next((t for t in reversed(tokens[:at]) if not t.isspace()), "(")
        is_index = before in ")]" or (before[0].isalpha() and before not in WORDS) or before[0] == "`"
        if tokens[at][0] in '["' and not (tokens[at] == "[" and is_index):
            reader = Literals(tokens[at:])
            try:
                found[at] = (reader.value(), at + reader.at)
                at = found[at][1]
                continue
            except (NoLiteral, IndexError):
                pass
        elif re.match(r"\.?\d", tokens[at]):
            found[at] = (number(tokens[at]), at + 1)
        at += 1
    order = sorted(found, key=lambda at: isinstance(found[at][0], (int, float)))
    chosen, text, at = sorted(order[:MOST]), "", 0
    for n, start in enumerate(chosen):
        text += "".join(tokens[at:start]) + f"given_{n}"
        at = found[start][1]
    return text + "".join(tokens[at:]), [found[start][0] for start in chosen]


def programs():
    """Programs with parameters: seed, forms, the expression, that with names, and its literals."""
    beside = Path(os.environ.get("NESL", "nesl")).parent / "nesl-fuzz"
    command = str(beside) if beside.exists() else shutil.which("nesl-fuzz")
    if not command:
        return [pytest.param(None, id="nesl-fuzz is not there", marks=pytest.mark.skip)]
    found, seed = [], SEED
    while len(found) < COUNT:
        shown = [command, "--show", "--seed", str(seed), "--count", "100"]
        text = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
        parts = re.split(r"^% (\d+) %\n", text, flags=re.MULTILINE)[1:]
        for number_of, forms in zip(parts[::2], parts[1::2]):
            # Random numbers depend on the calls before.
            if "rand" in forms:
                continue
            tokens = TOKEN.findall(forms)
            ends = [at for at, token in enumerate(tokens) if token == ";"]
            start = ends[-2] + 1 if len(ends) > 1 else 0
            named, values = taken_apart(tokens[start : ends[-1]])
            if values:
                before, expression = ("".join(tokens[a:b]) for a, b in ((0, start), (start, ends[-1])))
                found.append(pytest.param((before, expression, named, values), id=number_of))
        seed += 100
    return found[:COUNT]


def as_array(value, use_arrow):
    """A list as an array of NumPy, where it is regular, else of Awkward or Arrow."""
    if not isinstance(value, list) or not flat(value):
        return value
    tuples = [x for x in flat(value) if isinstance(x, tuple)]
    if any(isinstance(part, tuple) for x in tuples for part in x):
        # Awkward does not build tuples in tuples from values of Python.
        return value
    try:
        array = np.array(value)
        if array.dtype.kind in "ifb" and not tuples:
            return array
    except ValueError:
        # Rows are of several lengths.
        pass
    return pa.array(value) if use_arrow and not tuples else ak.Array(value)


def flat(value):
    """What lists hold at the bottom."""
    return [x for item in value for x in (flat(item) if isinstance(item, list) else [item])]


def outcome(call):
    """What a call gives, as values of Python, or the code of its error."""
    try:
        return plain(call())
    except nesl.Error as error:
        return error.code
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        # A session ends with a bug; the next program gets a new one.
        nesl._choices.clear()
        return f"a bug: {error}"


def plain(value):
    if isinstance(value, nesl.Array):
        return value.tolist()
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


def same(a, b):
    """Equal, but for the last bits of floats."""
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return (a != a and b != b) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("program", programs())
def test_generated_programs(program):
    forms, expression, named, values = program
    names = ", ".join(f"given_{n}" for n in range(len(values)))
    text = f"{forms}\nfunction generated_result({names}) = {named};"
    reference = f"{forms}\nfunction generated_result(_) = {expression};"
    expected = outcome(lambda: nesl.compile(reference, engine="interp").generated_result(0))
    result = outcome(lambda: nesl.compile(text, engine="cpu").generated_result)
    for form in ("lists", "awkward", "arrow"):
        given = values if form == "lists" else [as_array(v, form == "arrow") for v in values]
        found = outcome(lambda: result(*given)) if callable(result) else result
        assert same(expected, found), f"{form}: {expected!r} of the interpreter, {found!r}:\n{text}\n{given}"
