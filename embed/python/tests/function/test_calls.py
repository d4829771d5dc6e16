"""Functions that are called from Python: on compiled engines, with arrays, with errors."""

import pickle

import awkward as ak
import numpy as np
import programs
import pytest
from runner import Raised, same

import nesl


def plain(value):
    """The value with lists in place of arrays."""
    if isinstance(value, nesl.Array):
        return value.tolist()
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


FIRST = {fn.__name__: (fn, args) for fn, _, args in reversed(programs.CALLS)}


@pytest.mark.parametrize("name", FIRST)
def test_programs_are_compiled(name):
    fn, args = FIRST[name]
    try:
        want = fn(*args)
    except Exception:
        want = Raised()
    try:
        got = plain(nesl.function(fn, engine="cpu")(*args))
    except Exception as error:
        assert isinstance(want, Raised), error
        return
    assert same(want, got), (want, got)


def test_arrays():
    smxv = nesl.function(programs.smxv)
    rows = ak.Array([[(0, 2.0), (1, 0.5)], [], [(1, 4.0)]])
    assert smxv(rows, np.array([1.0, 10.0])).tolist() == [7.0, 0.0, 40.0]
    keys = np.random.default_rng(1).integers(0, 1000, 5000)
    assert (nesl.to_numpy(nesl.function(programs.quicksort)(keys)) == np.sort(keys)).all()
    half = nesl.function(lambda v: [x / 2 for x in v])
    assert nesl.to_numpy(half(np.float32([1, 3]))).dtype == np.float32


def test_results_are_those_of_python():
    def nested(a):
        return (a, (a + 1, (a, [a]))), (a,)

    (a, (b, (c, d))), (e,) = nesl.function(nested, engine="interp")(3)
    assert (a, b, c, d.tolist(), e) == (3, 4, 3, [3], 3)


def picked(v, at):
    half = [x / 2 for x in v]
    return [half[i] for i in at]


@pytest.mark.parametrize("engine", ["interp", "cpu"])
def test_errors_are_those_of_python(engine):
    f = nesl.function(picked, engine=engine)
    with pytest.raises(IndexError) as caught:
        f([1, 2], [0, 3])
    error = caught.value
    assert isinstance(error, nesl.Error) and error.code == "N0502" and error.lanes == [1]
    assert error.place.line == picked.__code__.co_firstlineno + 2 and "half[i]" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)
    with pytest.raises(ZeroDivisionError, match="1 / x"):
        nesl.function(lambda v: [1 / x for x in v], engine=engine)([1, 0])
    with pytest.raises(ValueError, match=r"max\(\)"):
        nesl.function(lambda v: max(v), engine=engine)([])


def test_annotations():
    def mean(v: list[float], w: "list[tuple[int, float]]"):
        return sum(v) / len(v) + sum(x for i, x in w)

    f = nesl.function(mean, engine="interp")
    assert f([1, 2], [(1, 2), (3, 4)]) == 7.5 and f([1.5], []) == 1.5
    assert "([float], [(int, float)]) -> float" in f.nesl()
    with pytest.raises(nesl.Refused, match="annotated as list"):
        f("ab", [])
    lengths = nesl.function(lengths_of, engine="interp")
    assert lengths([]).tolist() == [] and lengths(["ab", ""]).tolist() == [2, 0]


def lengths_of(words: list[str]):
    return [len(word) for word in words]


def test_functions_as_arguments():
    def twice(f, v):
        return [f(f(x)) for x in v]

    assert nesl.function(twice, engine="interp")(lambda x: x + 1, [1, 2]).tolist() == [3, 4]
