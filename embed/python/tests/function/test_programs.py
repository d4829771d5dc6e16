"""The example programs give by NESL what they give by Python."""

import programs
from runner import check


def test_programs():
    assert len({fn.__name__ for fn, _, _ in programs.CALLS}) >= 20
    check(programs.CALLS)
