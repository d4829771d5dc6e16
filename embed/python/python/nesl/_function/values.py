"""Values while a function is translated: a text of NESL with its type, and their conversions."""

from __future__ import annotations

from dataclasses import dataclass

from .code import OPERATOR, Code, code, commas, let
from .types import BOOL, BOTTOM, CHAR, FLOAT, INT, Base, NoJoin, Seq, Tup, Type, join, show

NOTHING = object()


@dataclass
class Val:
    """A text and its type; what is known of the value: a constant, parts, a length."""

    code: Code
    type: Type
    const: object = NOTHING
    items: "list | None" = None
    length: "int | None" = None
    natural: bool = False


@dataclass(frozen=True)
class Poison:
    """A variable that cannot be read here, and why."""

    reason: str


def tuple_code(parts: list) -> Code:
    """A tuple of texts; of one, the text itself."""
    if not parts:
        return code("0")
    return parts[0] if len(parts) == 1 else code("(", *commas(parts), ")")


def default(t: Type) -> str:
    """Some value of a type, where an error has been raised before."""
    if isinstance(t, Base):
        return {"float": "0.0", "bool": "f", "char": "space"}.get(t.name, "0")
    if isinstance(t, Seq):
        return f"([] {show(t.element)})"
    items = t.items if isinstance(t, Tup) else t.captured
    if not items:
        return "0"
    return default(items[0]) if len(items) == 1 else f"({', '.join(map(default, items))})"


class Values:
    """Names and conversions in one function of NESL."""

    def fresh(self, hint: str) -> str:
        """A name that the function does not have yet."""
        from .program import clean

        base = clean(hint)
        name, n = base, 1
        while name in self.names or name in self.program.names or name.startswith("py_"):
            n += 1
            name = f"{base}_{n}" if not base.startswith("py_") else f"v{base}_{n}"
        self.names.add(name)
        return name

    def helper(self, name: str, *arguments) -> Code:
        """A call of a helper."""
        self.program.helpers.add(name)
        return code(name, "(", *commas(arguments), ")")

    def named(self, value: Val, binds: list, hint: str = "v") -> Val:
        """The value as a name or a literal, so that it can stand twice."""
        parts = value.code.parts
        while len(parts) == 1 and isinstance(parts[0], Code):
            parts = parts[0].parts
        if len(parts) == 1 and isinstance(parts[0], str) and parts[0].replace("_", "").replace(".", "").isalnum():
            return value
        name = self.fresh(hint)
        binds.append((name, value.code))
        return Val(code(name), value.type, value.const, value.items if value.const is not NOTHING else None, value.length, value.natural)

    def convert(self, value: Val, t: Type) -> Val:
        """The value at a type above its own."""
        if value.type == t:
            return value
        return Val(self._convert(value, t), t, value.const, length=value.length, natural=value.natural)

    def _convert(self, value: Val, t: Type) -> Code:
        source, text = value.type, value.code
        if source == BOTTOM:
            return let([("_", text)], code(default(t))).operand()
        if isinstance(source, Base) and isinstance(t, Base):
            if t == FLOAT and source == INT and isinstance(value.const, int) and abs(value.const) <= 2**53:
                return code(f"{value.const}.0") if value.const >= 0 else code(f"(-{-value.const}.0)")
            if source == BOOL:
                text = code("btoi(", text, ")")
            return code("float(", text, ")") if t == FLOAT else text
        if source == CHAR:
            return code("[", text.item(), "]")
        if isinstance(source, Seq):
            if source.element == BOTTOM:
                empty = code(f"[] {show(t.element)}", level=OPERATOR)
                return empty if value.const == () else let([("_", text)], empty).operand()
            name = self.fresh("x")
            inner = self.convert(Val(code(name), source.element), t.element).code
            return code("{", inner.item(), f" : {name} in ", text.item(), "}")
        old, new = (source.items, t.items) if isinstance(source, Tup) else (source.captured, t.captured)
        if value.items:
            return tuple_code([self.convert(v, n).code for v, n in zip(value.items, new)])
        names = [self.fresh("part") for _ in old]
        parts = [self.convert(Val(code(n), o), w).code for n, o, w in zip(names, old, new)]
        return let([(tuple_pattern(names), text)], tuple_code(parts)).operand()

    def joined(self, node, values: list, words: str) -> Type:
        """The join of the values' types."""
        out: Type = BOTTOM
        try:
            for value in values:
                out = join(out, value.type)
        except NoJoin as error:
            raise self.refuse(node, f"{words} have the types {error}", "make them one type") from None
        return out


def tuple_pattern(names: list) -> str:
    """A pattern of names."""
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
