"""Every operator gives by NESL what it gives by Python, errors included."""

import operators
from runner import Raised, check, outcomes


def test_edges():
    check(operators.calls())


def test_overflow_raises():
    big = 2**63 - 1
    rows = [
        (operators.add, ["int", "int"], (big, 1)), (operators.sub, ["int", "int"], (-big, 2)),
        (operators.mul, ["int", "int"], (2**32, 2**31)), (operators.mul, ["int", "int"], (-1, -(2**63))),
        (operators.neg, ["int"], (-(2**63),)), (operators.size, ["int"], (-(2**63),)),
        (operators.total, ["[int]"], ([big, 1],)), (operators.power, ["int", "int"], (3, 40)),
        (operators.shift_left, ["int", "int"], (3, 62)), (operators.floor_div, ["int", "int"], (-(2**63), -1)),
    ]
    assert all(isinstance(o, Raised) for o in outcomes(rows, "raise"))
    fits = [
        (operators.add, ["int", "int"], (big, -1)), (operators.mul, ["int", "int"], (2**31, -(2**32))),
        (operators.total, ["[int]"], ([big, 1, -5],)), (operators.power, ["int", "int"], (3, 39)),
        (operators.power, ["int", "int"], (-2, 63)),
        (operators.shift_left, ["int", "int"], (1, 62)), (operators.sub, ["int", "int"], (-big, 1)),
    ]
    check(fits, "raise")


def test_overflow_wraps():
    assert outcomes([(operators.add, ["int", "int"], (2**63 - 1, 1))]) == [-(2**63)]
