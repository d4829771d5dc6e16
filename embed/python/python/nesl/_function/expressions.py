"""Expressions of Python as texts of NESL, by the types of their parts."""

from __future__ import annotations

import ast

from .calls import Calls
from .code import OPERATOR, Code, choice, code, commas, let
from .source import MISSING
from .types import BOOL, BOTTOM, CHAR, FLOAT, INT, NUMBERS, STRING, Clo, Seq, Tup, describe, join
from .values import Poison, Val, tuple_code, tuple_pattern

SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
    ast.Eq: "==", ast.NotEq: "/=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}
CHECKED = {"+": "py_add_checked", "-": "py_sub_checked", "*": "py_mul_checked"}
INSTEAD = {
    ast.Dict: ("a dict", "use a list of pairs and nesl.collect, or a list indexed by int"),
    ast.Set: ("a set", "use a list and nesl.remove_duplicates"),
    ast.DictComp: ("a dict", "use a list of pairs and nesl.collect"),
    ast.SetComp: ("a set", "use a list and nesl.remove_duplicates"),
    ast.GeneratorExp: ("a generator as a value", "write a list, [...]"),
    ast.NamedExpr: ("`:=`", "assign before the expression"),
    ast.JoinedStr: ("a formatted string", "return the values"),
    ast.Await: ("`await`", "use a plain function"),
    ast.Yield: ("`yield`", "return a list"),
    ast.YieldFrom: ("`yield`", "return a list"),
}
UNITS = (ast.ListComp, ast.GeneratorExp)


def op(*parts) -> Code:
    """Operands with signs between them."""
    return code(*(p.operand() if isinstance(p, Code) else p for p in parts), level=OPERATOR)


class Expressions(Calls):
    """Translation of expressions."""

    def expr(self, node, env) -> Val:
        """The value of an expression, whose text knows its place."""
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            reason, instead = INSTEAD.get(type(node), (f"`{type(node).__name__}`", "write it with lists and tuples"))
            raise self.refuse(node, f"{reason} has no counterpart", instead)
        value = method(node, env)
        value.code = Code([value.code], self.source.place(node), value.code.level, value.code.lines)
        return value

    def of_Constant(self, node, env) -> Val:
        return self.constant(node.value, node)

    def constant(self, value, node) -> Val:
        """A number, a truth value, a string, or a tuple of these."""
        if isinstance(value, bool):
            return Val(code("t" if value else "f"), BOOL, value)
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise self.refuse(node, "an int of more than 64 bits", "use a float")
            if value == -(2**63):
                return Val(code("min_int"), INT, value)
            return Val(code(str(value) if value >= 0 else f"(-{-value})"), INT, value, natural=value >= 0)
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                return Val(code("nan" if value != value else "infinity" if value > 0 else "(-infinity)"), FLOAT, value)
            text = repr(value)
            return Val(code(text if text[0] != "-" else f"({text})"), FLOAT, value)
        if isinstance(value, str):
            return Val(code(self.string(value, node)), STRING, value, length=len(value))
        if isinstance(value, tuple) and value:
            items = [self.constant(v, node) for v in value]
            return Val(tuple_code([i.code for i in items]), Tup(tuple(i.type for i in items)), items=items)
        if value is None:
            raise self.refuse(node, "None has no counterpart", "use a value that stands for it, as -1")
        raise self.refuse(node, f"a value of type {type(value).__name__} has no counterpart", "use ints, floats, bools, strings, lists and tuples; pass others as arguments")

    def string(self, text: str, node) -> str:
        """A string literal of NESL."""
        escapes = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\\": "\\\\", '"': '\\"'}
        if any(ord(c) > 126 or (ord(c) < 32 and c not in escapes) for c in text):
            raise self.refuse(node, "a string with characters outside of ASCII", "use letters, digits and signs of ASCII")
        return '"' + "".join(escapes.get(c, c) for c in text) + '"'

    def of_Name(self, node, env) -> Val:
        return self.variable(node, env)

    def variable(self, node, env) -> Val:
        """The value of a name."""
        found = env.get(node.id)
        if isinstance(found, Poison):
            raise self.refuse(node, found.reason, "give it a value before")
        if found is not None:
            return Val(Code([found.code], None, found.code.level), found.type, found.const, found.items, found.length, found.natural)
        return self.from_outside(self.source.lookup(node.id), node, node.id)

    def from_outside(self, value, node, name) -> Val:
        """A value that the function finds around it."""
        if value is MISSING:
            raise self.refuse(node, f"`{name}` has no value", "define it before the function is called")
        callee = self.callable(value, name)
        if callee is not None:
            return Val(code("0"), Clo(callee, ()))
        return self.constant(value, node)

    def of_Attribute(self, node, env) -> Val:
        value = self.outside(node, env)
        if value is not MISSING:
            if isinstance(value, tuple) and value and value[0] is Calls:
                return self.library_value(value[1], node)
            return self.from_outside(value, node, node.attr)
        raise self.refuse(node, f"`.{node.attr}` has no counterpart", "use functions of lists and tuples")

    def of_Lambda(self, node, env) -> Val:
        return self.closure(node, "lambda", env)

    def closure(self, node, name, env) -> Val:
        """A function inside of this one, with the variables that it captures."""
        from .function import assigned, changed_later, read
        from .program import Callee

        own = {a.arg for a in node.args.posonlyargs + node.args.args}
        body = node.body if isinstance(node.body, list) else [node.body]
        if isinstance(node, ast.FunctionDef):
            own |= set(assigned(body)) | {node.name}
        captured = tuple(n for n in sorted(read(body)) if n in env and n not in own and isinstance(env[n], Val))
        for n in changed_later(self.source.node, node, captured):
            raise self.refuse(n, f"`{n.id}` changes after the function `{name}` has captured it", "use another name")
        callee = self.program.callee((id(node), captured), lambda: Callee(name, self.source, node, captured))
        values = [env[n] for n in captured]
        return Val(tuple_code([v.code for v in values]), Clo(callee, tuple(v.type for v in values)))

    def of_Tuple(self, node, env) -> Val:
        if not node.elts or any(isinstance(e, ast.Starred) for e in node.elts):
            raise self.refuse(node, "an empty tuple, or `*` in a tuple", "list the parts one by one")
        items = [self.expr(e, env) for e in node.elts]
        return Val(tuple_code([i.code for i in items]), Tup(tuple(i.type for i in items)), items=items)

    def of_List(self, node, env) -> Val:
        if not node.elts:
            return Val(code("[] int", level=OPERATOR), Seq(BOTTOM), (), length=0)
        if any(isinstance(e, ast.Starred) for e in node.elts):
            raise self.refuse(node, "`*` in a list", "join lists by `+`")
        items = [self.expr(e, env) for e in node.elts]
        return self.listed(node, items)

    def listed(self, node, items) -> Val:
        """A list of these values."""
        t = self.joined(node, items, "elements")
        text = code("[", *commas([self.convert(i, t).code for i in items]), "]")
        return Val(text, Seq(t), length=len(items))

    def of_IfExp(self, node, env) -> Val:
        condition = self.truth(self.expr(node.test, env), node.test)
        return self.choose(node, condition, self.expr(node.body, env), self.expr(node.orelse, env))

    def truth(self, value, node) -> Val:
        """Python's truth of a value."""
        t, text = value.type, value.code
        if t == BOOL:
            return value
        if t in (INT, FLOAT):
            return Val(op(text, " /= 0" if t == INT else " /= 0.0"), BOOL)
        if isinstance(t, Seq):
            return Val(op("#", text, " > 0"), BOOL)
        if t == BOTTOM:
            return Val(let([("_", text)], code("t")), BOOL)
        return Val(let([("_", text)], code("t")), BOOL)

    def of_BoolOp(self, node, env) -> Val:
        values = [self.expr(v, env) for v in node.values]
        result = values[-1]
        for value in reversed(values[:-1]):
            if value.type == BOOL and result.type == BOOL:
                arms = (result.code, code("f")) if isinstance(node.op, ast.And) else (code("t"), result.code)
                result = Val(choice(value.code, *arms), BOOL)
                continue
            binds: list = []
            first = self.named(value, binds, "left")
            arms = (result, first) if isinstance(node.op, ast.And) else (first, result)
            chosen = self.choose(node, self.truth(first, node), *arms)
            result = self.within(binds, chosen)
        return result

    def of_UnaryOp(self, node, env) -> Val:
        value = self.expr(node.operand, env)
        if isinstance(node.op, ast.Not):
            return Val(code("not(", self.truth(value, node).code, ")"), BOOL)
        if value.type == BOTTOM:
            return value
        if value.type not in NUMBERS:
            raise self.refuse(node, f"a sign before {describe(value.type)}", "use a number")
        if isinstance(node.op, ast.UAdd):
            return self.convert(value, INT) if value.type == BOOL else value
        if isinstance(node.op, ast.Invert):
            if value.type == FLOAT:
                raise self.refuse(node, "`~` of a float", "use an int")
            return Val(code("not(", self.convert(value, INT).code, ")"), INT)
        if isinstance(value.const, (int, float)) and value.type != BOOL:
            return self.constant(-value.const, node)
        if value.type == FLOAT:
            return Val(op("-", value.code), FLOAT)
        return self.negated(self.convert(value, INT))

    def negated(self, value) -> Val:
        """Minus an int."""
        if self.program.overflow == "raise":
            return Val(self.helper("py_negate_checked", value.code), INT)
        return Val(op("-", value.code), INT)

    def of_BinOp(self, node, env) -> Val:
        return self.binary(node, node.op, self.expr(node.left, env), self.expr(node.right, env))

    def binary(self, node, operator, a, b) -> Val:
        """An operation on two values."""
        sign = SIGNS[type(operator)]
        if BOTTOM in (a.type, b.type):
            return Val(let([("_", a.code), ("_", b.code)], code("0")), BOTTOM)
        if a.type in NUMBERS and b.type in NUMBERS:
            return self.arithmetic(node, sign, a, b)
        if sign == "+":
            texts = [self.convert(v, STRING) if v.type == CHAR else v for v in (a, b)]
            if isinstance(a.type, Tup) and isinstance(b.type, Tup) and a.items and b.items:
                items = a.items + b.items
                return Val(tuple_code([i.code for i in items]), Tup(tuple(i.type for i in items)), items=items)
            if all(isinstance(v.type, Seq) for v in texts):
                t = self.joined(node, texts, "the two lists")
                length = a.length + b.length if None not in (a.length, b.length) else None
                return Val(op(self.convert(texts[0], t).code, " ++ ", self.convert(texts[1], t).code), t, length=length)
        if sign == "*" and (isinstance(a.type, Seq) or isinstance(b.type, Seq)):
            items, count = (a, b) if isinstance(a.type, Seq) else (b, a)
            if count.type in (INT, BOOL):
                return Val(self.helper("py_repeat", items.code, self.convert(count, INT).code), items.type)
        raise self.refuse(node, f"`{sign}` of {describe(a.type)} and {describe(b.type)}", "use numbers, or lists for + and *")

    def arithmetic(self, node, sign, a, b) -> Val:
        """An operation on two numbers."""
        raises = self.program.overflow == "raise"
        if sign in "&|^":
            if FLOAT not in (a.type, b.type):
                t = join(a.type, b.type)
                word = {"&": " and ", "|": " or ", "^": " xor "}[sign]
                return Val(op(self.convert(a, t).code, word, self.convert(b, t).code), t)
            raise self.refuse(node, f"`{sign}` of floats", "use ints")
        t = join(join(a.type, b.type), INT)
        if sign == "/":
            x, y = self.convert(a, FLOAT), self.convert(b, FLOAT)
            if isinstance(b.const, (int, float)) and b.const:
                return Val(op(x.code, " / ", y.code), FLOAT)
            return Val(self.helper("py_true_div", x.code, y.code), FLOAT)
        if sign == "**" and t == INT and isinstance(b.const, int) and b.const < 0:
            t = FLOAT
        x, y = self.convert(a, t), self.convert(b, t)
        if sign in ("<<", ">>") and t == INT:
            count = y.code if isinstance(b.const, int) and b.const >= 0 else self.helper("py_shift_count", y.code)
            if sign == "<<" and raises:
                return Val(self.helper("py_shift_checked", x.code, count), INT)
            return Val(code("lshift(" if sign == "<<" else "rshift(", *commas([x.code, count]), ")"), INT)
        if sign in ("+", "-", "*"):
            if t == INT and raises:
                return Val(self.helper(CHECKED[sign], x.code, y.code), INT)
            return Val(op(x.code, f" {sign} ", y.code), t)
        if sign == "%":
            if t == FLOAT:
                return Val(self.helper("py_float_mod", x.code, y.code), FLOAT)
            return Val(code("mod(", *commas([x.code, y.code]), ")"), INT, natural=isinstance(b.const, int) and b.const > 0)
        if sign == "//":
            if t == FLOAT:
                return Val(self.helper("py_float_floor_div", x.code, y.code), FLOAT)
            if a.natural and isinstance(b.const, int) and b.const > 0:
                return Val(op(x.code, " / ", y.code), INT, natural=True)
            return Val(self.helper("py_floor_div_checked" if raises else "py_floor_div", x.code, y.code), INT)
        if sign == "**":
            if t == FLOAT:
                return Val(self.helper("py_pow", x.code, y.code), FLOAT)
            return Val(self.helper("py_int_pow_checked" if raises else "py_int_pow", x.code, y.code), INT)
        raise self.refuse(node, f"`{sign}` of {describe(a.type)} and {describe(b.type)}", "use sum(x * y for ...) for products of lists")

    def of_Compare(self, node, env) -> Val:
        values = [self.expr(v, env) for v in [node.left, *node.comparators]]
        if len(node.ops) == 1:
            return self.comparison(node, node.ops[0], *values)
        named, bound = [], []
        for v in values:
            binds: list = []
            named.append(self.named(v, binds, "middle"))
            bound.append(binds)
        result = None
        for n in reversed(range(len(node.ops))):
            one = self.comparison(node, node.ops[n], named[n], named[n + 1])
            result = one if result is None else Val(choice(one.code, result.code, code("f")), BOOL)
            # An operand is evaluated only where the comparisons before it hold.
            result = self.within(bound[n + 1], result)
        return self.within(bound[0], result)

    def comparison(self, node, operator, a, b) -> Val:
        """One comparison."""
        sign = SIGNS[type(operator)]
        if sign.startswith("is"):
            raise self.refuse(node, f"`{sign}` compares identities", "use == or !=")
        if sign in ("in", "not in"):
            found = self.contains(node, a, b)
            return found if sign == "in" else Val(code("not(", found.code, ")"), BOOL)
        if BOTTOM in (a.type, b.type):
            return Val(let([("_", a.code), ("_", b.code)], code("t")), BOOL)
        if {a.type, b.type} == {INT, FLOAT}:
            exact = [v for v in (a, b) if v.type == INT and isinstance(v.const, int) and abs(v.const) <= 2**53]
            if not exact:
                flipped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign)
                i, x, s = (a, b, sign) if a.type == INT else (b, a, flipped)
                order = self.helper("py_order", i.code, x.code)
                if s in (">", ">="):
                    n = self.fresh("order")
                    test = f"{n} == 1" if s == ">" else f"({n} == 0 or {n} == 1)"
                    return Val(let([(n, order)], code(test, level=OPERATOR)), BOOL)
                return Val(op(order, {"==": " == 0", "/=": " /= 0", "<": " < 0", "<=": " <= 0"}[s]), BOOL)
        if sign in ("==", "/=") and {a.type, b.type} == {CHAR, STRING}:
            text, char = (a, b) if a.type == STRING else (b, a)
            if isinstance(text.const, str) and len(text.const) == 1:
                return Val(op(char.code, f" {sign} ", text.code, "[0]"), BOOL)
        t = self.joined(node, [a, b], "what is compared")
        if t == BOOL and sign not in ("==", "/="):
            t = INT
        x, y = self.convert(a, t), self.convert(b, t)
        if sign in ("==", "/=") or t in (INT, FLOAT, CHAR):
            if isinstance(t, Clo):
                raise self.refuse(node, "functions are compared", "compare what they give")
            return Val(op(x.code, f" {sign} ", y.code), BOOL)
        return self.ordered(node, sign, x, y)

    def ordered(self, node, sign, x, y) -> Val:
        """`<` and the like on tuples and lists, by their first parts that differ."""
        t = x.type
        if sign in (">", ">="):
            return self.ordered(node, "<" if sign == ">" else "<=", y, x)
        if isinstance(t, Seq) and t.element in (INT, FLOAT, CHAR):
            return Val(self.helper("py_less" if sign == "<" else "py_less_equal", x.code, y.code), BOOL)
        if isinstance(t, Tup):
            binds: list = []
            left, right = ([self.fresh("p") for _ in t.items] for _ in range(2))
            binds += [(tuple_pattern(left), x.code), (tuple_pattern(right), y.code)]
            result = Val(code("f" if sign == "<" else "t"), BOOL)
            for n, part in reversed(list(enumerate(t.items))):
                p, q = Val(code(left[n]), part), Val(code(right[n]), part)
                less = self.comparison(node, ast.Lt(), p, q)
                same = self.comparison(node, ast.Eq(), p, q)
                result = Val(choice(same.code, result.code, less.code), BOOL)
            return self.within(binds, result)
        raise self.refuse(node, f"{describe(t)} has no order", "compare numbers, strings and tuples")

    def contains(self, node, a, b) -> Val:
        """`in`."""
        if b.type == STRING and a.type in (STRING, CHAR):
            if a.type == STRING:
                return Val(op("#search_for_subseqs(", *commas([a.code, b.code]), ") > 0"), BOOL)
            return Val(op("find(", *commas([a.code, b.code]), ") >= 0"), BOOL)
        items = self.sequence(b, node)
        if BOTTOM in (items.type, a.type):
            return Val(code("t"), BOOL)
        binds: list = []
        left = self.named(a, binds, "left")
        name = self.fresh("x")
        if items.type.element == BOTTOM:
            return self.within(binds + [("_", items.code)], Val(code("f"), BOOL))
        same = self.comparison(node, ast.Eq(), left, Val(code(name), items.type.element))
        return self.within(binds, Val(code("any({", same.code.item(), f" : {name} in ", items.code.item(), "})"), BOOL))

    def of_Subscript(self, node, env) -> Val:
        value = self.expr(node.value, env)
        if isinstance(node.slice, ast.Slice):
            return self.sliced(node, value, env)
        index = self.expr(node.slice, env)
        if isinstance(value.type, Tup):
            n = index.const
            if isinstance(n, bool) or not isinstance(n, int) or not -len(value.type.items) <= n < len(value.type.items):
                raise self.refuse(node, "an index of a tuple that is no literal inside of it", "unpack the tuple, or use a list")
            n %= len(value.type.items)
            names = [self.fresh("part") for _ in value.type.items]
            # Parts that are not asked for may be evaluated, too: the text stands once.
            return Val(let([(tuple_pattern([x if i == n else "_" for i, x in enumerate(names)]), value.code)], code(names[n])), value.type.items[n])
        if value.type == BOTTOM or index.type == BOTTOM:
            return Val(let([("_", value.code), ("_", index.code)], code("0")), BOTTOM)
        if not isinstance(value.type, Seq) or index.type not in (INT, BOOL):
            raise self.refuse(node, f"{describe(value.type)} with an index of type {describe(index.type)}", "index lists by ints")
        at = self.convert(index, INT)
        if index.natural:
            text = code(value.code.operand(), "[", at.code, "]")
        elif isinstance(index.const, int):
            text = self.helper("py_last", value.code, str(-index.const))
        else:
            text = self.helper("py_item", value.code, at.code)
        return Val(text, value.type.element)

    def sliced(self, node, value, env) -> Val:
        """A slice, with Python's ends."""
        parts = [None if p is None else self.convert_int(p, env) for p in (node.slice.lower, node.slice.upper, node.slice.step)]
        low, high, step = parts
        if isinstance(value.type, Tup):
            if value.items and all(p is None or isinstance(p.const, int) for p in parts):
                items = value.items[slice(*(None if p is None else p.const for p in parts))]
                if items:
                    return Val(tuple_code([i.code for i in items]), Tup(tuple(i.type for i in items)), items=items)
            raise self.refuse(node, "a slice of a tuple", "unpack it")
        if value.type == BOTTOM:
            return value
        if not isinstance(value.type, Seq):
            raise self.refuse(node, f"a slice of {describe(value.type)}", "slice lists")
        v = value.code
        if step is not None and step.const != 1:
            if step.const == -1 and low is None and high is None:
                return Val(code("reverse(", v, ")"), value.type)
            flags = [x for p in (low, high) for x in (("f", "0") if p is None else ("t", p.code))]
            return Val(self.helper("py_step", v, *flags, step.code), value.type)
        if low is None and high is None:
            return Val(v, value.type, length=value.length)
        if high is None:
            return Val(self.helper("py_from", v, low.code), value.type)
        if low is None:
            return Val(self.helper("py_upto", v, high.code), value.type)
        return Val(self.helper("py_slice", v, low.code, high.code), value.type)

    def convert_int(self, node, env) -> Val:
        """An expression that must be an int."""
        value = self.expr(node, env)
        if value.type not in (INT, BOOL, BOTTOM):
            raise self.refuse(node, f"{describe(value.type)} where an int is needed", "use an int")
        return self.convert(value, INT)

    def of_ListComp(self, node, env) -> Val:
        return self.comprehension(node, node.elt, node.generators, dict(env))

    def unit(self, node, env) -> Val:
        """An argument: a generator is the list that it yields."""
        if isinstance(node, ast.GeneratorExp):
            value = self.comprehension(node, node.elt, node.generators, dict(env))
            value.code = Code([value.code], self.source.place(node), value.code.level)
            return value
        return self.expr(node, env)

    def comprehension(self, node, element, generators, env) -> Val:
        """An apply-to-each; with several `for`s, one of each inside of the other."""
        first, rest = generators[0], generators[1:]
        if first.is_async:
            raise self.refuse(node, "`async for`", "use `for`")
        source = self.sequence(self.expr(first.iter, env), first.iter)
        inside: list = []
        t = source.type.element if isinstance(source.type, Seq) else BOTTOM
        pattern = self.target(first.target, t, env, inside)
        natural = isinstance(source.type, Seq) and source.natural
        if natural and isinstance(first.target, ast.Name):
            env[first.target.id].natural = True
        elif natural and isinstance(first.target, ast.Tuple) and isinstance(first.target.elts[0], ast.Name):
            env[first.target.elts[0].id].natural = True
        test = None
        for condition in reversed(first.ifs):
            one = self.truth(self.expr(condition, env), condition)
            test = one if test is None else Val(choice(one.code, test.code, code("f")), BOOL)
        if rest:
            inner = self.comprehension(node, element, rest, env)
            body, of = inner.code, inner.type.element
        else:
            value = self.expr(element, env)
            body, of = value.code, value.type
        text = ["{", let(inside, body).item(), f" : {pattern} in ", source.code.item()]
        if test is not None:
            text += [" | ", let(inside, test.code).item()]
        whole = code(*text, "}")
        length = source.length if test is None and not rest else None
        return Val(code("flatten(", whole, ")") if rest else whole, Seq(of), length=length)

    def sequence(self, value, node) -> Val:
        """A value to iterate over, as a list."""
        if isinstance(value.type, Seq) or value.type == BOTTOM:
            return value
        if isinstance(value.type, Tup):
            if value.items:
                return self.listed(node, value.items)
            names = [self.fresh("part") for _ in value.type.items]
            items = [Val(code(n), t) for n, t in zip(names, value.type.items)]
            return self.within([(tuple_pattern(names), value.code)], self.listed(node, items))
        raise self.refuse(node, f"{describe(value.type)} cannot be iterated over", "iterate over lists, tuples and ranges")
