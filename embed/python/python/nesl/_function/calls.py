"""Calls: of Python's built-in functions, of `math`, of NESL's library and of other functions."""

from __future__ import annotations

import ast
import builtins
import math
import types as python_types

from . import library
from .code import OPERATOR, Code, code, commas, let
from .source import MISSING
from .types import BOOL, BOTTOM, CHAR, FLOAT, INT, NUMBERS, STRING, Base, Clo, NoJoin, Seq, Tup, describe, join, parse, show
from .values import Val, tuple_code, tuple_pattern

METHODS = {
    "append": "write xs = xs + [x], or a comprehension", "extend": "write xs = xs + ys",
    "insert": "write xs[:i] + [x] + xs[i:]", "pop": "use xs[-1] and xs[:-1]", "sort": "write xs = sorted(xs)",
    "reverse": "write xs = xs[::-1]", "remove": "write [x for x in xs if x != y]", "copy": "leave it out: lists do not change",
    "items": "use a list of pairs", "count": "write sum(x == y for x in xs)", "index": "write nesl.find(y, xs)",
}
# math.NAME -> helper around the function of NESL: none, or one that raises as Python does.
MATH = {
    "sin": ("sin", "py_defined"), "cos": ("cos", "py_defined"), "tan": ("tan", "py_defined"),
    "asin": ("asin", "py_defined"), "acos": ("acos", "py_defined"), "atan": ("atan", None),
    "sinh": ("sinh", "py_finite"), "cosh": ("cosh", "py_finite"), "tanh": ("tanh", None), "exp": ("exp", "py_finite"),
    "fabs": ("abs", None),
}
DIRECT = {"sqrt": ("py_sqrt", FLOAT), "floor": ("py_floor", INT), "ceil": ("py_ceil", INT), "trunc": ("py_to_int", INT)}


class Calls:
    """Translation of calls."""

    def outside(self, node, env):
        """The Python object that a dotted name means, or `MISSING`; (Calls, NAME) for NESL's."""
        if isinstance(node, ast.Name):
            return MISSING if node.id in env else self.source.lookup(node.id)
        if not isinstance(node, ast.Attribute):
            return MISSING
        base = self.outside(node.value, env)
        if not isinstance(base, python_types.ModuleType):
            return MISSING
        if base.__name__ == "nesl" and (node.attr in library.TYPES or node.attr in library.FUNCTIONALS):
            return Calls, node.attr
        return getattr(base, node.attr, MISSING)

    def callable(self, value, name):
        """The callee for a Python object, or None if it is none that is known."""
        from .program import Callee

        python = getattr(value, "python", None)
        if isinstance(python, python_types.FunctionType):
            return self.program.of_function(python)
        if isinstance(value, python_types.FunctionType):
            return self.program.of_function(value)
        own = getattr(value, "__name__", None)
        if own and getattr(builtins, own, None) is value and hasattr(self, "call_" + own):
            method = getattr(type(self), "call_" + own)
            return self.program.callee(("builtin", own), lambda: Callee(own, operation=method))
        if own and getattr(math, own, None) is value and (own in MATH or own in DIRECT or hasattr(self, "math_" + own)):
            def run(body, node, args, kw):
                return body.math(own, node, args)

            return self.program.callee(("math", own), lambda: Callee(own, operation=run))
        return None

    def library_value(self, name, node) -> Val:
        """A name of NESL's library: a constant, or a function."""
        from .program import Callee

        if name not in library.FUNCTIONALS and library.TYPES[name][0] is None:
            t = parse(library.TYPES[name][1])
            return Val(code(name), t)

        def run(body, node, args, kw):
            return body.of_library(name, node, args)

        return Val(code("0"), Clo(self.program.callee(("nesl", name), lambda: Callee(name, operation=run)), ()))

    def of_Call(self, node, env) -> Val:
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise self.refuse(node, "arguments by `*` or `**`", "give the arguments one by one")
        f = node.func
        if isinstance(f, ast.Attribute) and self.outside(f, env) is MISSING:
            raise self.refuse(node, f"the method `.{f.attr}`", METHODS.get(f.attr, "use functions of lists and strings as lists"))
        if isinstance(f, ast.Name) and f.id not in env:
            value = self.source.lookup(f.id)
            if value is not MISSING and self.callable(value, f.id) is None:
                raise self.refuse(node, f"`{f.id}` is not known to NESL", "use what docs/python-functions.md lists, or a function of Python")
        called = self.expr(f, env)
        if called.type == BOTTOM:
            return Val(code("0"), BOTTOM)
        if not isinstance(called.type, Clo):
            raise self.refuse(node, f"{describe(called.type)} is called", "call a function")
        arguments = [self.unit(a, env) for a in node.args]
        named = {k.arg: self.unit(k.value, env) for k in node.keywords}
        return self.apply(node, called, arguments, named)

    def apply(self, node, called, args, named=None) -> Val:
        """A call of a function value."""
        callee, named = called.type.callee, named or {}
        if callee.operation is not None:
            return callee.operation(self, node, args, named)
        a = callee.node.args
        names = [p.arg for p in a.posonlyargs + a.args]
        given = dict(zip(names, args))
        if len(args) > len(names) or any(n in given or n not in names for n in named):
            raise self.refuse(node, f"arguments do not fit `{callee.name}({', '.join(names)})`", "give one for each parameter")
        given.update(named)
        for name, default in zip(reversed(names), reversed(a.defaults)):
            if name not in given:
                given[name] = self.default(default, callee)
        missing = [n for n in names if n not in given]
        if missing:
            raise self.refuse(node, f"`{callee.name}` needs an argument `{missing[0]}`", "give it")
        values = [given[n] for n in names]
        if any(v.type == BOTTOM for v in values):
            return Val(code("0"), BOTTOM)
        name, result = self.program.specialise(callee, called.type.captured, tuple(v.type for v in values), node, self)
        passed = [v.code for v in values if not (isinstance(v.type, Clo) and not v.type.captured)]
        if called.type.captured:
            passed.insert(0, called.code)
        return Val(code(name, "(", *(commas(passed) or ["0"]), ")"), result)

    def default(self, node, callee) -> Val:
        """A default of a parameter, which is a literal."""
        try:
            return self.constant(ast.literal_eval(node), node)
        except ValueError:
            raise callee.source.refuse(node, "a default that is no literal", "give the argument in the call") from None

    def exactly(self, node, args, counts, kw=(), allowed=()) -> None:
        """Refuses other numbers and names of arguments."""
        if len(args) not in counts or any(k not in allowed for k in kw):
            raise self.refuse(node, "a call with other arguments than are known", "use the form that docs/python-functions.md shows")

    def number(self, node, value, t=None) -> Val:
        """The value as a number."""
        if value.type == BOTTOM:
            return self.convert(value, t or INT)
        if value.type not in NUMBERS or (t is not None and NUMBERS[value.type] > NUMBERS[t]):
            raise self.refuse(node, f"{describe(value.type)} where {describe(t or FLOAT)} is needed", "convert it")
        return self.convert(value, t or join(value.type, INT))

    # Python's functions.

    def call_len(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        v = args[0]
        if isinstance(v.type, Tup):
            return Val(code(str(len(v.type.items))), INT, len(v.type.items), natural=True)
        if v.type == CHAR:
            v = self.convert(v, STRING)
        if v.type == BOTTOM:
            return Val(code("0"), INT)
        if not isinstance(v.type, Seq):
            raise self.refuse(node, f"len() of {describe(v.type)}", "use a list")
        return Val(code("#", v.code.operand(), level=OPERATOR), INT, natural=True)

    def call_sum(self, node, args, kw):
        self.exactly(node, args, (1, 2), kw, ("start",))
        v = self.sequence(args[0], node)
        if v.type == BOTTOM or v.type.element == BOTTOM:
            total = Val(let([("_", v.code)], code("0")).operand(), BOTTOM if v.type == BOTTOM else INT)
        elif v.type.element in NUMBERS:
            t = join(v.type.element, INT)
            v = self.convert(v, Seq(t))
            checked = t == INT and self.program.overflow == "raise"
            total = Val(self.helper("py_sum_checked", v.code) if checked else code("sum(", v.code.item(), ")"), t)
        else:
            raise self.refuse(node, f"sum() of {describe(v.type)}", "use [x for xs in xss for x in xs] to join lists")
        start = args[1] if len(args) > 1 else kw.get("start")
        return total if start is None else self.binary(node, ast.Add(), start, total)

    def best(self, node, args, kw, greater):
        """`max` and `min`."""
        word, sign = ("max", ">") if greater else ("min", "<")
        self.exactly(node, args, range(1, 100), kw, ("key", "default"))
        binds: list = []
        if len(args) > 1 and "key" not in kw:
            t = self.joined(node, args, "arguments")
            t = join(t, INT) if t == BOOL else t
            values = [self.convert(a, t) for a in args]
            result = values[0]
            for v in values[1:]:
                if t in (INT, FLOAT, CHAR):
                    result = Val(self.helper(f"py_{word}", result.code, v.code), t)
                    continue
                x, y = self.named(result, binds), self.named(v, binds)
                better = self.comparison(node, ast.Gt() if greater else ast.Lt(), y, x)
                result = self.choose(node, better, y, x)
            return self.within(binds, result)
        v = self.listed(node, args) if len(args) > 1 else self.sequence(args[0], node)
        if v.type == BOTTOM:
            return Val(code("0"), BOTTOM)
        if v.type.element == BOTTOM and "default" not in kw:
            v = self.convert(v, Seq(INT))
        v = self.named(v, binds, "list")
        if v.type.element == BOTTOM:
            return self.within(binds, kw["default"])
        element = v.type.element
        if "key" in kw:
            name = self.fresh("x")
            keyed = self.apply(node, kw["key"], [Val(code(name), element)])
            keys = Val(code("{", keyed.code.item(), f" : {name} in ", v.code, "}"), Seq(keyed.type))
        else:
            keys = v
        of = keys.type.element
        if of == BOOL:
            keys, of = self.convert(keys, Seq(INT)), INT
            element = INT if "key" not in kw else element
            v = keys if "key" not in kw else v
        if of == BOTTOM:
            return Val(code("0"), BOTTOM)
        if of in (INT, CHAR, FLOAT) and "key" not in kw:
            result = Val(self.helper(f"py_{word}_{of.name}", v.code), element)
        elif of in (INT, CHAR, FLOAT):
            at = self.helper(f"py_arg{word}" + ("_float" if of == FLOAT else ""), keys.code)
            result = Val(code(v.code, "[", at, "]"), element)
        else:
            keys = self.named(keys, binds, "keys")
            p, q = self.fresh("p"), self.fresh("q")
            better = self.comparison(node, ast.Gt() if greater else ast.Lt(), Val(code(p), of), Val(code(q), of))
            binds_check = self.helper("py_some", v.code, f'"{word}()"')
            at = self.helper("py_argbest", code(f"({p}, {q}) => ", better.code.operand()).operand(), keys.code)
            at.parts[2:3] = [code(f"(({p}, {q}) => ", better.code.operand(), ")")]
            result = self.within([("_", binds_check)], Val(code(v.code, "[", at, "]"), element))
        if "default" in kw:
            result = self.choose(node, Val(code("#", v.code, " > 0", level=OPERATOR), BOOL), result, kw["default"])
        return self.within(binds, result)

    def call_max(self, node, args, kw):
        return self.best(node, args, kw, True)

    def call_min(self, node, args, kw):
        return self.best(node, args, kw, False)

    def every(self, node, args, kw, word):
        """`any` and `all`."""
        self.exactly(node, args, (1,), kw)
        v = self.sequence(args[0], node)
        if v.type == BOTTOM:
            return Val(code("t"), BOOL)
        if v.type.element != BOOL:
            name = self.fresh("x")
            test = self.truth(Val(code(name), v.type.element), node)
            v = Val(code("{", test.code.item(), f" : {name} in ", v.code.item(), "}"), Seq(BOOL))
        return Val(code(f"{word}(", v.code.item(), ")"), BOOL)

    def call_any(self, node, args, kw):
        return self.every(node, args, kw, "any")

    def call_all(self, node, args, kw):
        return self.every(node, args, kw, "all")

    def call_abs(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        v = self.number(node, args[0])
        if v.type == INT and self.program.overflow == "raise":
            return Val(self.helper("py_abs_checked", v.code), INT)
        return Val(code("abs(", v.code.item(), ")"), v.type)

    def call_round(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        v = self.number(node, args[0])
        return v if v.type == INT else Val(self.helper("py_round", v.code), INT)

    def call_int(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        v = self.number(node, args[0])
        return v if v.type == INT else Val(self.helper("py_to_int", v.code), INT)

    def call_float(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        return self.number(node, args[0], FLOAT)

    def call_bool(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        return self.truth(args[0], node)

    def call_list(self, node, args, kw):
        self.exactly(node, args, (0, 1), kw)
        return self.sequence(args[0], node) if args else Val(code("[] int", level=OPERATOR), Seq(BOTTOM), (), length=0)

    def call_ord(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        if args[0].type == CHAR:
            return Val(code("char_code(", args[0].code, ")"), INT)
        if args[0].type != STRING:
            raise self.refuse(node, f"ord() of {describe(args[0].type)}", "use a character")
        return Val(self.helper("py_ord", args[0].code), INT)

    def call_chr(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        return Val(self.helper("py_chr", self.number(node, args[0], INT).code), CHAR)

    def call_divmod(self, node, args, kw):
        self.exactly(node, args, (2,), kw)
        binds: list = []
        a, b = (self.named(self.number(node, v), binds) for v in args)
        items = [self.arithmetic(node, s, a, b) for s in ("//", "%")]
        return self.within(binds, Val(tuple_code([i.code for i in items]), Tup(tuple(i.type for i in items))))

    def call_pow(self, node, args, kw):
        self.exactly(node, args, (2,), kw)
        return self.binary(node, ast.Pow(), *args)

    def range_of(self, node, args) -> tuple:
        """First, end and step of a range."""
        self.exactly(node, args, (1, 2, 3))
        values = [self.number(node, a, INT) for a in args]
        zero, one = Val(code("0"), INT, 0, natural=True), Val(code("1"), INT, 1, natural=True)
        if len(values) == 1:
            return zero, values[0], one
        return values[0], values[1], values[2] if len(values) == 3 else one

    def range_parts(self, node, env):
        """First, end and step if the expression is a call of `range`."""
        plain = isinstance(node, ast.Call) and not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        if not plain or self.outside(node.func, env) is not range:
            return None
        return self.range_of(node, [self.expr(a, env) for a in node.args])

    def call_range(self, node, args, kw):
        self.exactly(node, args, (1, 2, 3), kw)
        first, last, step = self.range_of(node, args)
        if isinstance(step.const, int) and step.const:
            more = [] if step.const == 1 else [" : ", step.code.item()]
            text = code("[", first.code.operand(), " : ", last.code.operand(), *more, "]")
            return Val(text, Seq(INT), natural=first.natural and step.const > 0)
        return Val(self.helper("py_range", first.code, last.code, step.code), Seq(INT))

    def call_enumerate(self, node, args, kw):
        self.exactly(node, args, (1, 2), kw, ("start",))
        v = self.sequence(args[0], node)
        start = args[1] if len(args) > 1 else kw.get("start", Val(code("0"), INT, 0, natural=True))
        if v.type == BOTTOM:
            return v
        text = self.helper("py_enumerate", v.code, self.number(node, start, INT).code)
        return Val(text, Seq(Tup((INT, v.type.element))), length=v.length, natural=start.natural)

    def call_zip(self, node, args, kw):
        self.exactly(node, args, range(1, 100), kw)
        lists = [self.sequence(a, node) for a in args]
        if any(v.type == BOTTOM for v in lists):
            return Val(code("0"), BOTTOM)
        text = lists[-1].code
        for v in reversed(lists[:-1]):
            text = self.helper("py_zip", v.code, text)
        return Val(text, Seq(Tup(tuple(v.type.element for v in lists))))

    def call_reversed(self, node, args, kw):
        self.exactly(node, args, (1,), kw)
        v = self.sequence(args[0], node)
        return Val(code("reverse(", v.code.item(), ")"), v.type, length=v.length)

    def call_map(self, node, args, kw):
        self.exactly(node, args, range(2, 100), kw)
        v = self.sequence(args[1], node) if len(args) == 2 else self.call_zip(node, args[1:], {})
        if v.type == BOTTOM:
            return v
        types = [v.type.element] if len(args) == 2 else list(v.type.element.items)
        names = [self.fresh("x") for _ in types]
        value = self.apply(node, args[0], [Val(code(n), t) for n, t in zip(names, types)])
        return Val(code("{", value.code.item(), f" : {tuple_pattern(names)} in ", v.code.item(), "}"), Seq(value.type))

    def call_filter(self, node, args, kw):
        self.exactly(node, args, (2,), kw)
        v = self.sequence(args[1], node)
        if v.type == BOTTOM:
            return v
        name = self.fresh("x")
        test = self.truth(self.apply(node, args[0], [Val(code(name), v.type.element)]), node)
        return Val(code("{", name, f" : {name} in ", v.code.item(), " | ", test.code.item(), "}"), v.type)

    def call_sorted(self, node, args, kw):
        self.exactly(node, args, (1,), kw, ("key", "reverse"))
        binds: list = []
        v = self.named(self.sequence(args[0], node), binds, "list")
        if v.type == BOTTOM or v.type.element == BOTTOM:
            return self.within(binds, v)
        down = kw["reverse"].const if "reverse" in kw else False
        if not isinstance(down, bool):
            raise self.refuse(node, "sorted() with a computed `reverse`", "write sorted(xs) or sorted(xs, reverse=True)")
        keys = v
        if "key" in kw:
            name = self.fresh("x")
            key = self.apply(node, kw["key"], [Val(code(name), v.type.element)])
            keys = Val(code("{", key.code.item(), f" : {name} in ", v.code, "}"), Seq(key.type))
        elif v.type.element in (INT, FLOAT, CHAR) and not down:
            return self.within(binds, Val(code("sort(", v.code, ")"), v.type))
        return self.within(binds, Val(self.by_keys(node, v, keys, down), v.type))

    def by_keys(self, node, v, keys, down) -> Code:
        """The list in the order of keys: by their last parts first, as sorts are stable."""
        t = keys.type.element
        if t == BOTTOM:
            return v.code
        leaves: list = []

        def parts(t):
            if isinstance(t, Tup):
                return tuple_pattern([parts(i) for i in t.items])
            if t not in (BOOL, INT, FLOAT, CHAR):
                raise self.refuse(node, f"sorted() by {describe(t)}", "sort by numbers, characters and tuples of them")
            leaves.append((self.fresh("k"), t))
            return leaves[-1][0]

        pattern = parts(t)
        rank = "rank_down" if down else "rank"
        name, binds = self.fresh("keys"), []
        binds.append((name, keys.code))
        order = None
        for leaf, of in reversed(leaves):
            own = self.convert(Val(code(leaf), of), INT if of == BOOL else of).code
            column = code("{", own, f" : {pattern} in {name}", "}")
            if order is None:
                text = code("permute(", f"index(#{name}), ", f"{rank}(", column, "))")
            else:
                text = code(f"permute({order}, {rank}(", column, f" -> {order}))")
            order = self.fresh("order")
            binds.append((order, text))
        return let(binds, code(v.code.operand(), f" -> {order}", level=OPERATOR)).operand()

    # Python's module `math`.

    def math(self, name, node, args) -> Val:
        """A function of `math`."""
        if name in MATH or name in DIRECT:
            self.exactly(node, args, (1,))
            if name in ("floor", "ceil", "trunc") and args[0].type in (INT, BOOL):
                return self.number(node, args[0])
            x = self.number(node, args[0], FLOAT)
            if name in DIRECT:
                return Val(self.helper(DIRECT[name][0], x.code), DIRECT[name][1])
            inner, around = MATH[name]
            binds: list = []
            x = self.named(x, binds, "x") if around else x
            text = code(f"{inner}(", x.code.item(), ")")
            return self.within(binds, Val(self.helper(around, text, x.code) if around else text, FLOAT))
        return getattr(self, "math_" + name)(node, args)

    def math_log(self, node, args):
        self.exactly(node, args, (1, 2))
        parts = [self.helper("py_log", self.number(node, a, FLOAT).code) for a in args]
        return Val(parts[0] if len(parts) == 1 else self.helper("py_true_div", *parts), FLOAT)

    def math_atan2(self, node, args):
        self.exactly(node, args, (2,))
        return Val(code("atan2(", *commas([self.number(node, a, FLOAT).code for a in args]), ")"), FLOAT)

    def math_pow(self, node, args):
        self.exactly(node, args, (2,))
        return Val(self.helper("py_pow", *(self.number(node, a, FLOAT).code for a in args)), FLOAT)

    def math_fmod(self, node, args):
        self.exactly(node, args, (2,))
        return Val(self.helper("py_math_fmod", *(self.number(node, a, FLOAT).code for a in args)), FLOAT)

    def math_gcd(self, node, args):
        self.exactly(node, args, (2,))
        return Val(code("gcd(", *commas([self.number(node, a, INT).code for a in args]), ")"), INT)

    def math_isqrt(self, node, args):
        self.exactly(node, args, (1,))
        return Val(self.helper("py_isqrt", self.number(node, args[0], INT).code), INT)

    def math_isnan(self, node, args):
        return self.judged(node, args, lambda x: f"{x} /= {x}")

    def math_isinf(self, node, args):
        return self.judged(node, args, lambda x: f"abs({x}) == infinity")

    def math_isfinite(self, node, args):
        return self.judged(node, args, lambda x: f"abs({x}) < infinity")

    def judged(self, node, args, test):
        """A test of a float."""
        self.exactly(node, args, (1,))
        name = self.fresh("x")
        return Val(let([(name, self.number(node, args[0], FLOAT).code)], code(test(name), level=OPERATOR)), BOOL)

    # NESL's library.

    def of_library(self, name, node, args) -> Val:
        """A function of NESL's library at the types of its arguments."""
        if any(a.type == BOTTOM for a in args):
            return Val(code("0"), BOTTOM)
        if name in library.FUNCTIONALS:
            return self.functional(name, node, args)
        domain, result, classes = library.TYPES[name]
        pattern = _pattern(domain)
        wanted = list(pattern.items) if isinstance(pattern, Tup) else [pattern]
        bound: dict = {}
        try:
            if len(wanted) != len(args):
                raise NoJoin(f"{len(args)} arguments")
            for w, a in zip(wanted, args):
                _match(w, a.type, bound)
        except NoJoin as error:
            raise self.refuse(node, f"nesl.{name} : {domain} -> {result} does not take {error}", "give what its type says") from None
        for variable, t in bound.items():
            of = classes.get(variable, "any")
            if of in ("number", "ordinal") and t in (BOOL, BOTTOM):
                bound[variable] = t = INT
            fits = {"number": (INT, FLOAT), "ordinal": (INT, FLOAT, CHAR), "logical": (INT, BOOL)}.get(of)
            if fits and t not in fits:
                raise self.refuse(node, f"nesl.{name} does not take {describe(t)}", f"`{variable}` is one of {', '.join(map(show, fits))}")
        values = [self.convert(a, _fill(w, bound)).code for w, a in zip(wanted, args)]
        return Val(code(f"{name}(", *commas(values), ")"), _fill(_pattern(result), bound))

    def functional(self, name, node, args) -> Val:
        """`scan`, `reduce` and `map`, which take functions."""
        self.exactly(node, args, (2,) if name == "map" else (3,))
        if not isinstance(args[0].type, Clo):
            raise self.refuse(node, f"nesl.{name} of {describe(args[0].type)}", "give a function first")
        if name == "map":
            return self.call_map(node, args, {})
        v = self.sequence(args[2], node)
        t = self.joined(node, [args[1], Val(code("0"), v.type.element)], "the identity and the elements")
        x, y = self.fresh("x"), self.fresh("y")
        value = self.apply(node, args[0], [Val(code(x), t), Val(code(y), t)])
        t2 = self.joined(node, [Val(code("0"), t), value], "the function's result and the elements")
        if t2 != t:
            raise self.refuse(node, f"the function gives {describe(value.type)} for {describe(t)}", "convert the identity to that type")
        text = code(f"{name}((({x}, {y}) => ", self.convert(value, t).code.operand(), "), ", self.convert(args[1], t).code.item(), ", ", self.convert(v, Seq(t)).code.item(), ")")
        return Val(text, t if name == "reduce" else Tup((Seq(t), t)))


def _pattern(text: str):
    """A type of the library's table, its variables as bases of one letter."""
    words = "".join(c if c.isalnum() or c == "_" else f" {c} " for c in text).split()
    out: list = []
    stack = [out]
    for w in words:
        if w in "[(":
            stack.append([w])
        elif w in "])":
            top = stack.pop()
            items = tuple(top[1:])
            inner = items[0] if len(items) == 1 else Tup(items)
            stack[-1].append(Seq(inner) if top[0] == "[" else inner)
        elif w != ",":
            stack[-1].append(Base(w))
    return out[0] if len(out) == 1 else Tup(tuple(out))


def _match(pattern, t, bound) -> None:
    """Joins what the variables of a pattern stand for."""
    if isinstance(pattern, Base) and len(pattern.name) == 1:
        bound[pattern.name] = join(bound.get(pattern.name, BOTTOM), t)
    elif isinstance(pattern, Seq) and isinstance(t, Seq):
        _match(pattern.element, t.element, bound)
    elif isinstance(pattern, Tup) and isinstance(t, Tup) and len(pattern.items) == len(t.items):
        for p, i in zip(pattern.items, t.items):
            _match(p, i, bound)
    elif join(pattern, t) != pattern:
        raise NoJoin(describe(t))


def _fill(pattern, bound):
    """The pattern with its variables replaced."""
    if isinstance(pattern, Base):
        return bound.get(pattern.name, pattern)
    if isinstance(pattern, Seq):
        return Seq(_fill(pattern.element, bound))
    return Tup(tuple(_fill(i, bound) for i in pattern.items))
