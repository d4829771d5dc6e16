"""One function of NESL from statements of Python.

Statements become one expression: an assignment a `let`, an `if` without exits a choice of the
variables that it sets, an `if` with exits a choice whose arms take along what follows, and a loop a
function that calls itself with the variables that its body sets.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Callable

from .annotations import annotated
from .code import OPEN, OPERATOR, Code, choice, code, commas, let
from .expressions import Expressions
from .types import BOOL, BOTTOM, INT, Clo, NoJoin, Seq, Tup, describe, join, show
from .values import Poison, Val, Values, tuple_code, tuple_pattern

LOOPS = (ast.While, ast.For)
HINTS = {
    ast.Try: "test for the case by `if`", ast.With: "do this outside of the function",
    ast.ClassDef: "define the class outside; use tuples here", ast.Global: "pass the value as an argument",
    ast.Nonlocal: "pass the value as an argument, and return the new one", ast.Delete: "leave it out",
    ast.Import: "import outside of the function", ast.ImportFrom: "import outside of the function",
}


@dataclass
class Then:
    """What follows a list of statements: at its end, at `return`, `break` and `continue`."""

    fall: Callable
    give: Callable
    leave: "Callable | None" = None
    again: "Callable | None" = None


def may_exit(statements) -> bool:
    """Can `return`, `break` or `continue` among these leave them?"""
    for s in statements:
        if isinstance(s, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return True
        if isinstance(s, ast.If) and (may_exit(s.body) or may_exit(s.orelse)):
            return True
        if isinstance(s, LOOPS) and returns(s):
            return True
    return False


def returns(loop) -> bool:
    """Does a loop contain `return`, or `raise`?"""
    return any(isinstance(n, (ast.Return, ast.Raise)) for n in inside(loop.body))


def inside(nodes):
    """All nodes, but not those of functions within."""
    for node in nodes:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield from inside(ast.iter_child_nodes(node))


def changed_later(root, function, names) -> list:
    """Places that set one of these names after the function within `root` has captured it.

    Python looks a captured variable up at each call, and NESL has its value at the capture.  A place
    in a loop around the function comes after the capture, too, in the next round.
    """
    way = []

    def find(node) -> bool:
        if node is function:
            return True
        way.append(node)
        if any(find(child) for child in ast.iter_child_nodes(node)):
            return True
        way.pop()
        return False

    find(root)
    owners = [at for at, node in enumerate(way) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
    if not owners or isinstance(way[owners[-1]], ast.Lambda):
        return []
    owner, around = way[owners[-1]], way[owners[-1] :]
    repeated = {id(n) for loop in around if isinstance(loop, (ast.For, ast.While)) for n in inside([loop])}
    own = {id(n) for n in inside(owner.body) if isinstance(n, ast.comprehension) for n in inside([n.target])}
    end = (function.end_lineno, function.end_col_offset)
    return [
        n
        for n in inside(owner.body)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in names and id(n) not in own
        if (n.lineno, n.col_offset) > end or id(n) in repeated
    ]


def assigned(nodes) -> list:
    """Names that statements set, in order."""
    out = {}
    for n in inside(nodes):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            out[n.id] = None
        elif isinstance(n, ast.FunctionDef):
            out[n.name] = None
    # Targets of comprehensions are their own.
    for n in inside(nodes):
        if isinstance(n, ast.comprehension):
            for t in ast.walk(n.target):
                if isinstance(t, ast.Name) and not _set_outside(t.id, nodes):
                    out.pop(t.id, None)
    return list(out)


def _set_outside(name, nodes) -> bool:
    own = {id(t) for n in inside(nodes) if isinstance(n, ast.comprehension) for t in ast.walk(n.target)}
    return any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == name and id(n) not in own
        for n in inside(nodes)
    )


def read(nodes) -> set:
    """Names that nodes read, those of functions within included."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


class Body(Expressions, Values):
    """A function of NESL under construction."""

    def __init__(self, program, source, key, name):
        self.program, self.source, self.key, self.name = program, source, key, name
        self.names: set = set()

    def refuse(self, node, reason, instead=""):
        """The exception for a node of the source."""
        return self.source.refuse(node, reason, instead)

    def define(self, callee, captured, arguments) -> None:
        """Translates a callee and adds it to the program."""
        node, env, patterns = callee.node, {}, []
        if isinstance(node, ast.AsyncFunctionDef):
            raise self.refuse(node, "an async function", "use `def`")
        a = node.args
        if a.vararg or a.kwarg or a.kwonlyargs:
            raise self.refuse(node, "parameters by `*` or `**`", "list all parameters by name")
        names = [p.arg for p in a.posonlyargs + a.args]
        if len(names) != len(arguments):
            raise self.refuse(node, f"`{callee.name}` takes {len(names)} arguments, not {len(arguments)}")
        if captured:
            own = [self.fresh(n) for n in callee.captured]
            patterns.append((tuple_pattern(own), tuple(captured)))
            env.update((n, Val(code(o), t)) for n, o, t in zip(callee.captured, own, captured))
        if callee.source.function.__code__.co_name != callee.name or node is not callee.source.node:
            env[callee.name] = Val(tuple_code([env[n].code for n in callee.captured]), Clo(callee, captured))
        binds: list = []
        for p, t in zip(a.posonlyargs + a.args, arguments):
            n = p.arg
            if isinstance(t, Clo) and not t.captured:
                env[n] = Val(code("0"), t)
                continue
            own = self.fresh(n)
            patterns.append((own, (t,)))
            env[n] = self.declared(p, Val(code(own), t), binds)
        if isinstance(node, ast.Lambda):
            result = self.expr(node.body, env)
        else:
            def fall(body, env):
                raise self.refuse(node, f"`{callee.name}` may end without `return`", "return a value in every case")

            result = self.block(node.body, env, Then(fall, lambda body, v: v))
        result = self.within(binds, result)
        self.finish(self.key, patterns, result, node)

    def declared(self, parameter, value, binds) -> Val:
        """An argument at the type that the annotation of its parameter names."""
        t = annotated(parameter.annotation)
        if t is None or t == value.type or isinstance(value.type, Clo):
            return value
        try:
            fits = join(value.type, t) == t
        except NoJoin:
            fits = False
        if not fits:
            words = f"`{parameter.arg}` is {describe(value.type)}, and annotated as {describe(t)}"
            raise self.refuse(parameter, words, "call it with what it is annotated as")
        return self.named(self.convert(value, t), binds, parameter.arg)

    def finish(self, key, patterns, result, node) -> None:
        """Adds the function with these parameters and this result to the program."""
        try:
            t = self.program.found(self.program.results, key, result.type)
        except NoJoin as error:
            raise self.refuse(node, f"results have the types {error}", "return one type") from None
        text = self.convert(result, t).code
        types = [show(p[0] if len(p) == 1 else Tup(p)) for _, p in patterns] or ["int"]
        domain = types[0] if len(types) == 1 else f"({', '.join(types)})"
        head = f"function {self.name}({', '.join(n for n, _ in patterns) or '_'}) : {domain} -> {show(t)}"
        from .code import DEEPER, LINE, SHALLOWER

        self.program.functions.append(Code([head, DEEPER, LINE, "= ", text, SHALLOWER, ";"], self.source.place(node)))

    # Statements.

    def block(self, statements, env, then) -> Val:
        """Statements to their end, and what follows."""
        binds: list = []
        for n, s in enumerate(statements):
            rest = statements[n + 1 :]
            value = self.exit(s, rest, env, then, binds)
            if value is not None:
                return self.within(binds, value)
            self.straight(s, env, binds)
        return self.within(binds, then.fall(self, env))

    def within(self, binds, value) -> Val:
        """The value inside `let`."""
        return Val(let(binds, value.code), value.type, length=value.length) if binds else value

    def exit(self, s, rest, env, then, binds):
        """The value of a statement after which this list of statements does not go on, or None."""
        if isinstance(s, ast.Return):
            if s.value is None:
                raise self.refuse(s, "`return` without a value gives None", "return a value")
            return then.give(self, self.expr(s.value, env))
        if isinstance(s, ast.Break):
            return then.leave(self, env)
        if isinstance(s, ast.Continue):
            return then.again(self, env)
        if isinstance(s, ast.Raise):
            return self.raised(s)
        if isinstance(s, ast.If) and may_exit([s]):
            condition = self.truth(self.expr(s.test, env), s.test)
            yes = self.block(s.body + rest, dict(env), then)
            no = self.block(s.orelse + rest, dict(env), then)
            return self.choose(s, condition, yes, no)
        if isinstance(s, LOOPS) and (returns(s) or self.forever(s)):
            return self.loop(s, rest, env, then, binds)
        return None

    def forever(self, s) -> bool:
        """Is it `while True` without a `break` of its own?"""
        def breaks(statements):
            return any(
                isinstance(x, ast.Break) or (isinstance(x, ast.If) and (breaks(x.body) or breaks(x.orelse)))
                for x in statements
            )

        return isinstance(s, ast.While) and isinstance(s.test, ast.Constant) and bool(s.test.value) and not breaks(s.body)

    def choose(self, node, condition, yes, no) -> Val:
        """One of two values."""
        t = self.joined(node, [yes, no], "the two cases")
        length = yes.length if yes.length == no.length else None
        text = choice(condition.code, self.convert(yes, t).code, self.convert(no, t).code)
        return Val(Code([text], self.source.place(node), text.level, text.lines), t, length=length)

    def raised(self, s) -> Val:
        """`raise` as a call of `error`."""
        e = s.exc
        name = e.func if isinstance(e, ast.Call) else e
        given = e.args if isinstance(e, ast.Call) else []
        if not isinstance(name, ast.Name) or any(not isinstance(a, ast.Constant) for a in given) or len(given) > 1:
            raise self.refuse(s, "an exception with computed parts", 'raise an exception with a text, as ValueError("empty")')
        message = name.id + (f": {given[0].value}" if given else "")
        place = self.source.place(s)
        return Val(let([("_", Code(["error(", self.string(message, s), ")"], place))], code("0")), BOTTOM)

    def straight(self, s, env, binds) -> None:
        """A statement after which the list goes on."""
        if isinstance(s, ast.Assign):
            value = self.expr(s.value, env)
            if len(s.targets) > 1:
                value = self.named(value, binds)
            for target in s.targets:
                self.assign(target, value, env, binds)
        elif isinstance(s, ast.AnnAssign) and s.value is not None:
            self.assign(s.target, self.expr(s.value, env), env, binds)
        elif isinstance(s, ast.AugAssign):
            if not isinstance(s.target, ast.Name):
                raise self.refuse(s, "a list is not changed in place", "make a new list, as by nesl.rep(xs, value, i)")
            left = self.variable(ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target), env)
            value = self.binary(s, s.op, left, self.expr(s.value, env))
            self.assign(s.target, value, env, binds)
        elif isinstance(s, ast.If):
            self.branch(s, env, binds)
        elif isinstance(s, LOOPS):
            self.loop(s, None, env, None, binds)
        elif isinstance(s, ast.FunctionDef):
            if s.decorator_list:
                raise self.refuse(s, "a decorator inside of a function", "leave it out")
            env[s.name] = self.closure(s, s.name, env)
        elif isinstance(s, ast.Assert):
            test = self.truth(self.expr(s.test, env), s.test)
            text = s.msg.value if isinstance(s.msg, ast.Constant) else ""
            message = self.string("AssertionError" + (f": {text}" if text else ""), s)
            check = choice(test.code, code("t"), code("error(", message, ")"))
            binds.append(("_", Code([check], self.source.place(s), OPEN)))
        elif isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)):
            pass
        elif isinstance(s, ast.Expr):
            self.expr(s.value, env)
            raise self.refuse(s, "an expression of which nothing uses the value", "leave it out")
        else:
            kind = type(s).__name__.lower()
            raise self.refuse(s, f"`{kind}` has no counterpart", HINTS.get(type(s), "write it with if, loops and lists"))

    def assign(self, target, value, env, binds) -> None:
        """Binds a target of an assignment."""
        if isinstance(target, ast.Name):
            if isinstance(value.type, Clo) and not value.type.captured:
                env[target.id] = value
                return
            name = self.fresh(target.id)
            binds.append((name, value.code))
            env[target.id] = Val(code(name), value.type, value.const, None, value.length, value.natural)
            return
        if isinstance(target, (ast.Tuple, ast.List)) and value.items and len(value.items) == len(target.elts) and not any(isinstance(t, ast.Starred) for t in target.elts):
            parts = [self.fixed(v, binds) for v in value.items]
            for t, v in zip(target.elts, parts):
                self.assign(t, v, env, binds)
            return
        later: list = []
        pattern = self.target(target, value.type, env, later, value.length)
        binds.append((pattern, value.code))
        binds.extend(later)

    def fixed(self, value, binds) -> Val:
        """The value under a name of its own, which a later assignment leaves alone."""
        if isinstance(value.type, Clo) and not value.type.captured:
            return value
        return self.named(value, binds)

    def target(self, target, t, env, later, length=None) -> str:
        """A pattern for a target; what it cannot take apart is bound in `later`."""
        if isinstance(target, ast.Name):
            name = self.fresh(target.id)
            env[target.id] = Val(code(name), t)
            return name
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise self.refuse(target, "a list is not changed in place", "make a new list, as by nesl.rep(xs, value, i)")
        parts = target.elts
        stars = [i for i, p in enumerate(parts) if isinstance(p, ast.Starred)]
        if t == BOTTOM:
            for p in parts:
                self.target(p.value if isinstance(p, ast.Starred) else p, BOTTOM, env, [])
            return self.fresh("v")
        if isinstance(t, Tup) and not stars:
            if len(t.items) != len(parts):
                raise self.refuse(target, f"a tuple of {len(t.items)} is unpacked to {len(parts)}", "use as many names")
            return tuple_pattern([self.target(p, i, env, later) for p, i in zip(parts, t.items)])
        if not isinstance(t, Seq):
            from .types import describe

            raise self.refuse(target, f"{describe(t)} cannot be unpacked", "unpack tuples and lists")
        whole = self.fresh("v")
        if length != len(parts) or stars:
            check = "py_unpackable_rest" if stars else "py_unpackable"
            text = self.helper(check, whole, str(len(parts) - len(stars)))
            later.append(("_", Code([text], self.source.place(target))))
        for i, p in enumerate(parts):
            if stars and i == stars[0]:
                after = len(parts) - i - 1
                text, element = code(f"subseq({whole}, {i}, #{whole} - {after})"), t
                p = p.value
            elif stars and i > stars[0]:
                text, element = code(f"{whole}[#{whole} - {len(parts) - i}]"), t.element
            else:
                text, element = code(f"{whole}[{i}]"), t.element
            more: list = []
            pattern = self.target(p, element, env, more)
            later.append((pattern, text))
            later.extend(more)
        return whole

    def branch(self, s, env, binds) -> None:
        """An `if` without exits: a choice of the variables that it sets."""
        condition = self.truth(self.expr(s.test, env), s.test)
        arms = []
        for statements in (s.body, s.orelse):
            arm, inner = dict(env), []
            for x in statements:
                self.straight(x, arm, inner)
            arms.append((arm, inner))
        names, types = [], []
        for name in assigned([*s.body, *s.orelse]):
            values = [arm.get(name) for arm, _ in arms]
            if not all(isinstance(v, Val) for v in values):
                env[name] = Poison(f"`{name}` may have no value here")
                continue
            try:
                t = join(values[0].type, values[1].type)
            except NoJoin as error:
                env[name] = Poison(f"`{name}` may have the types {error} here")
                continue
            if isinstance(t, Clo) and not t.captured:
                env[name] = values[0]
                continue
            names.append(name)
            types.append(t)
        texts = []
        for arm, inner in arms:
            texts.append(let(inner, tuple_code([self.convert(arm[n], t).code for n, t in zip(names, types)])))
        own = [self.fresh(n) for n in names]
        text = choice(condition.code, *texts)
        binds.append((tuple_pattern(own) if own else "_", Code([text], self.source.place(s), text.level, text.lines)))
        env.update((n, Val(code(o), t)) for n, o, t in zip(names, own, types))

    # Loops.

    def loop(self, s, rest, env, then, binds):
        """A loop as a function.  With `rest`, what follows the loop is part of the function."""
        if s.orelse:
            raise self.refuse(s.orelse[0], "`else` of a loop", "use a variable that says how the loop ended")
        env = dict(env) if rest is not None else env
        outer_env = env
        start = dict(env)
        hidden, head = self.loop_source(s, start, binds)
        sets = assigned([s])
        live = [n for n in sets if isinstance(env.get(n), Val)]
        everything = rest is not None
        wanted = read([s])
        free = [
            n for n, v in start.items()
            if isinstance(v, Val) and n not in live and n not in hidden
            and (everything or n in wanted or (n.startswith("#") and everything)) and not (isinstance(v.type, Clo) and not v.type.captured)
        ]
        entry = tuple(start[n].type for n in live)
        key = (self.key, id(s), tuple(live), entry, tuple((n, start[n].type) for n in free), tuple(start[n].type for n in hidden), everything)
        known = self.program.states.setdefault(key, dict(zip(live, entry)))
        state = [n for n in live if known[n] is not None]
        types = {n: known[n] for n in state}
        name = self.program.name(self.name + "_loop")
        inner = Body(self.program, self.source, key, name)
        inner_env = {n: v for n, v in start.items() if isinstance(v, Poison) or (isinstance(v.type, Clo) and not v.type.captured)}
        patterns = []
        for n in free + hidden + state:
            own = inner.fresh(n.lstrip("#").split("@")[0])
            t = types[n] if n in types else start[n].type
            patterns.append((own, (t,)))
            inner_env[n] = Val(code(own), t, natural=n.startswith("#") and start[n].natural)
        for n in sets:
            if n not in state:
                inner_env[n] = Poison(f"`{n}` has a value only after it was set in the loop" if n not in live else f"`{n}` changes its type in the loop")

        def note(env2):
            for n in state:
                v = env2[n]
                try:
                    new = join(known[n], v.type) if isinstance(v, Val) else None
                except NoJoin:
                    new = None
                if known[n] is not None and new != known[n]:
                    known[n] = new
                    self.program.changed = True

        def values(body, env2):
            note(env2)
            out = []
            for n in state:
                v = env2[n]
                fits = isinstance(v, Val) and known[n] == types[n]
                out.append(body.convert(v, types[n]).code if fits else code("0"))
            return out

        def again(body, env2):
            steps = [head.step(env2, n) for n in hidden]
            text = code(name, "(", *commas([env2[n].code for n in free] + steps + values(body, env2)), ")")
            if everything:
                return Val(text, self.program.results.get(key, BOTTOM))
            return Val(text, whole)

        whole = Tup(tuple(types[n] for n in state)) if state else BOOL

        def leave(body, env2):
            if everything:
                after = dict(env2)
                self.after(s, after, sets, state)
                return body.block(rest, after, then)
            return Val(tuple_code(values(body, env2)) if state else code("t"), whole)

        following = Then(again, then.give if everything else None, leave, again)
        test = head.test(inner, inner_env)
        body_env, inner_binds = dict(inner_env), []
        head.enter(inner, body_env, inner_binds)
        went = inner.within(inner_binds, inner.block(s.body, body_env, following))
        if test is None:
            result = went
        else:
            result = inner.choose(s, test, went, leave(inner, dict(inner_env)))
        inner.finish(key, patterns or [("_", (INT,))], result, s)
        starts = []
        for n in state:
            starts.append(self.convert(start[n], types[n]).code)
        call = Code([name, "(", *(commas([start[n].code for n in free + hidden] + starts) or ["0"]), ")"], self.source.place(s))
        if everything:
            return Val(call, self.program.results.get(key, BOTTOM))
        own = [self.fresh(n) for n in state]
        binds.append((tuple_pattern(own) if own else "_", call))
        outer_env.update((n, Val(code(o), types[n])) for n, o in zip(state, own))
        self.after(s, outer_env, sets, state)
        return None

    def after(self, s, env, sets, state) -> None:
        """Variables after a loop that only the loop has set are not known to have a value."""
        for n in sets:
            if n not in state:
                env[n] = Poison(f"`{n}` is set only in the loop, which may not run")
        for n in [n for n in env if n.startswith("#") and n.endswith(f"@{id(s)}")]:
            del env[n]

    def loop_source(self, s, env, binds):
        """Variables of its own that a loop needs, and what it does with them."""
        if isinstance(s, ast.While):
            constant = isinstance(s.test, ast.Constant) and bool(s.test.value)
            return [], Head(
                lambda body, e: None if constant else body.truth(body.expr(s.test, e), s.test), lambda *_: None, None
            )
        at, end, by = (f"#{w}@{id(s)}" for w in ("at", "end", "by"))
        given = self.range_parts(s.iter, env)
        if given is not None:
            first, last, step = given
            env[at], env[end] = self.named(first, binds, "from"), self.named(last, binds, "upto")
            hidden, const = [at, end], step.const
            if not (isinstance(const, int) and const != 0):
                checked = self.named(step, binds, "by")
                env[by] = checked
                binds.append(("_", Code([self.helper("py_range", "0", "0", checked.code)], self.source.place(s.iter))))
                hidden.append(by)
            env[at].natural = first.natural and isinstance(const, int) and const > 0

            def test(body, e):
                i, j = e[at].code, e[end].code
                if by not in hidden:
                    return Val(code(i, " < " if const > 0 else " > ", j, level=OPERATOR), BOOL)
                return Val(choice(code(e[by].code, " > 0", level=OPERATOR), code(i, " < ", j, level=OPERATOR), code(i, " > ", j, level=OPERATOR)), BOOL)

            def enter(body, e, inner):
                body.assign(s.target, Val(e[at].code, INT, natural=e[at].natural), e, inner)

            def move(e, n):
                if n != at:
                    return e[n].code
                return code(e[at].code, " + ", e[by].code if by in hidden else (str(const) if const > 0 else f"({const})"), level=OPERATOR)

            return hidden, Head(test, enter, move)
        seq = self.sequence(self.expr(s.iter, env), s.iter)
        env[end], env[at] = self.named(seq, binds, "list"), Val(code("0"), INT, natural=True)
        element = seq.type.element if isinstance(seq.type, Seq) else BOTTOM
        return [end, at], Head(
            lambda body, e: Val(code(e[at].code, " < #", e[end].code, level=OPERATOR), BOOL),
            lambda body, e, inner: body.assign(s.target, Val(code(e[end].code, "[", e[at].code, "]"), element), e, inner),
            lambda e, n: code(e[at].code, " + 1", level=OPERATOR) if n == at else e[n].code,
        )


@dataclass
class Head:
    """How a loop goes on: its test, what an iteration begins with, and a step of a variable."""

    test: Callable
    enter: Callable
    step: "Callable | None"
