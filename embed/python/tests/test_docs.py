"""The blocks of Python in the README and in the pages about this package.

The blocks of a page run in order in one namespace.  A block that begins with `>>> ` is a session,
whose output is compared as `doctest` does; any other is run, and must not fail.
"""

import doctest
import linecache
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The book shows where an error arose by a name that differs between tests and readers.
OPTIONS = doctest.ELLIPSIS


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/python-functions.md"])
def test_blocks_show_what_happens(page):
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert blocks
    space = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    told = []
    for n, text in enumerate(blocks):
        name = f"{page}[{n}]"
        if text.startswith(">>> "):
            session = doctest.DocTestParser().get_doctest(text, space, name, page, 0)
            runner.run(session, out=told.append, clear_globs=False)
            space = session.globs
        else:
            # Functions are translated from their source, which Python looks up here.
            linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(True), f"<{name}>")
            exec(compile(text, f"<{name}>", "exec"), space)
    assert not runner.failures, "".join(told)
