"""What is outside is refused, with its line, a reason and what to write instead."""

import inspect
import pickle

import programs
import pytest
import refusals
import runner
from nesl._function import Refused, function, translate


@pytest.mark.parametrize("fn", refusals.CASES, ids=lambda f: f.__name__)
def test_refused(fn):
    lines, first = inspect.getsourcelines(fn)
    line = first + next(n for n, text in enumerate(lines) if "# here" in text)
    with pytest.raises(Refused) as caught:
        translate(fn, ["int"])
    error = caught.value
    assert (error.filename, error.lineno) == (refusals.__file__, line), str(error)
    assert error.reason and (error.instead or fn is refusals.keyword_only)
    again = pickle.loads(pickle.dumps(error))
    assert (again.lineno, again.reason, again.filename) == (error.lineno, error.reason, error.filename)


def test_places():
    made = translate(programs.smxv, ["[[(int, float)]]", "[float]"])
    offset = made.text.rindex("py_item(v")
    line = made.text.count("\n", 0, offset) + 1
    column = offset - made.text.rfind("\n", 0, offset)
    place = made.place(line, column)
    source = inspect.getsourcelines(programs.smxv)
    text = source[0][place.line - source[1]]
    assert place.file == programs.__file__ and text[place.column : place.end_column] == "v[i]"
    # The helper itself is from no place; the next of the call's positions is.
    assert made.python_place([(1, 1), (line, column)]) == place


def test_decorator():
    calls = []

    @function(overflow="raise")
    def twice(a, b=2):
        return a * b

    class Module:
        def __getattr__(self, name):
            return lambda *args: (name, args)

    import nesl

    saved = {n: getattr(nesl, n, None) for n in ("_types_of", "compile")}
    try:
        nesl._types_of = lambda args, names: tuple(type(a).__name__ for a in args)
        nesl.compile = lambda text, **options: calls.append(text) or Module()
        assert twice(3) == ("twice", (3, 2)) and twice(b=4, a=5) == ("twice", (5, 4))
        assert len(calls) == 1 and "py_mul_checked" in calls[0]
        twice(1.5, 2.5)
        assert len(calls) == 2 and twice.python(2) == 4 and twice.nesl("int", "int") == calls[0]
    finally:
        for n, value in saved.items():
            setattr(nesl, n, value) if value is not None else delattr(nesl, n)


def test_pickled_by_source():
    f = function(programs.searches)
    g = pickle.loads(pickle.dumps(function(programs.collatz)))
    assert g.python(27) == 111
    assert runner.outcomes([(g.python, ["int"], (27,))]) == [111]
    assert f.python([1.0], [0.5]) == [0]


def test_library():
    import nesl

    def scans(a):
        return nesl.plus_scan(a), nesl.reverse(nesl.index(3)), nesl.put([9], [0], a), nesl.sqrt(4)

    def folds(a):
        return nesl.reduce(lambda x, y: x * y, 1, a), nesl.flatten([a, a]), nesl.max_index(a)

    got = runner.outcomes([(scans, ["[int]"], ([1, 2, 3],)), (folds, ["[int]"], ([2, 3, 7],))])
    assert got == [([0, 1, 3], [2, 1, 0], [9, 2, 3], 2.0), (42, [2, 3, 7, 2, 3, 7], 2)]
