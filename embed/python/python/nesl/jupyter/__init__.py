"""NESL in notebooks: a kernel, and `%%nesl` in notebooks of Python.

``python -m nesl.jupyter install`` installs the kernel.  ``%load_ext nesl.jupyter`` in a notebook of
Python brings the magic.
"""

from ._progress import progress

__all__ = ["load_ipython_extension", "progress"]


def load_ipython_extension(shell):
    """Brings `%%nesl` to a shell of IPython."""
    from .magic import NeslMagics

    shell.register_magics(NeslMagics)
