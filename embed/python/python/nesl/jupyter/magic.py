"""`%%nesl` in notebooks of Python: a cell of NESL, whose functions become Python's."""

import sys

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import publish_display_data

import nesl

from .. import _show
from ._progress import progress


class CellError(nesl.Error):
    """An error of a cell that has been shown already."""

    def _render_traceback_(self):
        return [f"{self.code}: {self.message}"]


@magics_class
class NeslMagics(Magics):
    """The magic of cells."""

    @magic_arguments()
    @argument("--engine", choices=["auto", "cpu", "cuda", "interp"], default="auto")
    @argument("--threads", type=int, help="threads on the cores; one for each core if not given")
    @argument("--memory", type=int, help="bytes that all values may take")
    @argument("--name", help="what messages call the text; the number of the cell if not given")
    @cell_magic("nesl")
    def nesl(self, line, cell):
        """Compiles a cell, and binds its functions in the notebook."""
        options = parse_argstring(self.nesl, line)
        name = options.name or f"In[{self.shell.execution_count}]"
        choices = {"engine": options.engine, "threads": options.threads, "memory": options.memory}
        try:
            with progress("compiling"):
                program = nesl.compile(cell, name=name, **choices)
        except nesl.Error as error:
            text = str(error)
            publish_display_data({"text/plain": text, "text/html": _show.error(text)})
            raise CellError(error.messages, error.text) from None
        for warning in program._program.warnings():
            print(warning, file=sys.stderr)
        functions = {name: getattr(program, name) for name in program._program.names()}
        self.shell.push(functions)
