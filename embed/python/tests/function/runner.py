"""Runs Python functions by Python and by NESL, and compares what they give exactly.

Calls are gathered into one program, so that the command starts once.  NESL names it; else the one
of a build in this repository is taken.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]

from nesl._function import translate  # noqa: E402
from nesl._function.types import BOOL, CHAR, FLOAT, INT, STRING, Seq, Tup, parse, show  # noqa: E402

NESL = os.environ.get("NESL") or next(
    (str(p) for p in (ROOT / "target/release/nesl", ROOT / "target/debug/nesl") if p.exists()), "nesl"
)


class Raised:
    """The outcome of a call that fails."""

    def __repr__(self):
        return "an error"


def literal(value, t) -> str:
    """A value as a literal of NESL."""
    if isinstance(t, Seq):
        if t == STRING:
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        return f"[{', '.join(literal(v, t.element) for v in value)}]" if len(value) else f"([] {show(t.element)})"
    if isinstance(t, Tup):
        return f"({', '.join(literal(v, i) for v, i in zip(value, t.items))})"
    if t == BOOL:
        return "t" if value else "f"
    if t == FLOAT:
        text = "nan" if value != value else "infinity" if value == float("inf") else "-infinity" if value == -float("inf") else repr(float(value))
        return f"({text})"
    if t == CHAR:
        return f'"{value}"[0]'
    return "min_int" if value == -(2**63) else f"({value})"


class Reader:
    """Reads what the command prints for a value of a type."""

    def __init__(self, text):
        self.tokens = re.findall(r'"(?:[^"\\]|\\.)*"|`(?:\\.|.)|[\[\](),]|[^\s\[\](),]+', text)

    def value(self, t):
        if t == STRING:
            text = self.tokens.pop(0)
            for a, b in (("\\n", "\n"), ('\\"', '"'), ("\\\\", "\\")):
                text = text.replace(a, b)
            return text[1:-1]
        if isinstance(t, Seq):
            self.skip("[")
            out = []
            while self.tokens[0] != "]":
                out.append(self.value(t.element))
                self.skip(",")
            self.skip("]")
            return out
        if isinstance(t, Tup):
            self.skip("(")
            out = self.items(t)
            self.skip(")")
            return out
        token = self.tokens.pop(0)
        if t == BOOL:
            return {"T": True, "F": False}[token]
        return float(token) if t == FLOAT else int(token) if t == INT else token[1:]

    def items(self, t):
        out = []
        for n, i in enumerate(t.items):
            last = n == len(t.items) - 1
            # A tuple at the end of a tuple is shown without brackets of its own.
            out.append(tuple(self.items(i)) if last and isinstance(i, Tup) else self.value(i))
            if not last:
                self.skip(",")
        return tuple(out)

    def skip(self, token):
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)


def same(a, b) -> bool:
    """Equal in Python, zeros by their signs, nans as equal; numbers may have the wider type."""
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    if a != a:
        return b != b
    if isinstance(a, float) and isinstance(b, float) and a == 0:
        return str(a) == str(b)
    return a == b


def outcomes(calls, overflow="wrap"):
    """What NESL gives for each (function, types, arguments): a value, or `Raised`."""
    text, names, seen = [], set(), {}
    for n, (fn, types, _) in enumerate(calls):
        key = (fn, tuple(types))
        if key in seen:
            continue
        made = translate(fn, list(types), overflow)
        # Each program is in a file of its own names, so that all fit in one text.
        own = {m for m in re.findall(r"^function (\w+)", made.text, re.M)}
        out = made.text
        for name in sorted(own, key=len, reverse=True):
            if name.startswith("py_"):
                continue
            out = re.sub(rf"(?<![\w]){name}(?=\()", f"{name}_{n}q", out)
        forms = [f for f in re.split(r"\n\n", out) if f.strip()]
        for form in forms:
            head = re.match(r"function (\w+)", form.strip()).group(1)
            if head not in names:
                names.add(head)
                text.append(form)
        seen[key] = (f"{made.entry}_{n}q", parse(made.result))
    for n, (fn, types, args) in enumerate(calls):
        entry, _ = seen[fn, tuple(types)]
        given = ", ".join(literal(a, parse(t)) for a, t in zip(args, types)) or "0"
        text.append(f"set print_length 100000; call_{n} = {entry}({given});")
    with tempfile.NamedTemporaryFile("w", suffix=".nesl") as file:
        file.write("\n".join(text))
        file.flush()
        done = subprocess.run([NESL, "run", file.name, "--engine", "interp", "--errors", "short"], capture_output=True, text=True)
    wrong = [e for e in done.stderr.splitlines() if e and "runtime(" not in e]
    assert not wrong, "\n".join(wrong[:5])
    shown = dict(re.findall(r"^call_(\d+) = (.*) : .*$", done.stdout, re.M))
    results = []
    for n, (fn, types, _) in enumerate(calls):
        t = seen[fn, tuple(types)][1]
        results.append(Reader(shown[str(n)]).value(t) if str(n) in shown else Raised())
    return results


def check(calls, overflow="wrap", close=False):
    """Asserts that each call gives by NESL what it gives by Python."""
    wrong = []
    for (fn, types, args), got in zip(calls, outcomes(calls, overflow)):
        try:
            want = fn(*args)
        except Exception:
            want = Raised()
        if isinstance(want, Raised) or isinstance(got, Raised):
            if type(want) is not type(got):
                wrong.append(f"{fn.__name__}{args}: {want} by Python, {got} by NESL")
        elif not same(want, got):
            wrong.append(f"{fn.__name__}{args}: {want!r} by Python, {got!r} by NESL")
    assert not wrong, "\n".join(wrong[:40])
