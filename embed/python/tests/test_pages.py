"""The blocks of Python in the pages of the book about this package."""

import pathlib
import re
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

PAGES = pathlib.Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```(python|ipython)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page, count", [("jupyter.md", 6), ("partitions.md", 2)])
def test_blocks_run(page, count):
    shell = InteractiveShell.instance()
    blocks = BLOCK.findall((PAGES / page).read_text())
    assert len(blocks) == count
    try:
        for _, text in blocks:
            if "import ray" in text:
                ray = pytest.importorskip("ray")
                ray.init(num_cpus=1, include_dashboard=False, object_store_memory=100 << 20)
            shell.run_cell(text.strip("\n")).raise_error()
    finally:
        InteractiveShell.clear_instance()
        if "ray" in sys.modules:
            sys.modules["ray"].shutdown()
