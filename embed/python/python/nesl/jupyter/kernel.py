"""The kernel: cells are what is typed in the session of the command."""

import base64
import sys
import threading

from ipykernel.kernelbase import Kernel
from traitlets import Unicode

from .. import _environment, _nesl, _show
from .._error import Error, refused
from ._plot import KINDS, picture
from ._progress import Progress

# The most characters of a value as text.
_TEXT = 10_000


class NeslKernel(Kernel):
    """Evaluates cells of NESL in one session."""

    implementation = "nesl"
    implementation_version = _nesl.__version__
    banner = "NESL: forms end with `;`, `help;` tells more"
    language_info = {
        "name": "nesl",
        "version": _nesl.__version__,
        "mimetype": "text/x-nesl",
        "file_extension": ".nesl",
        "pygments_lexer": "text",
    }
    engine = Unicode("auto", help="auto, cpu, cuda or interp").tag(config=True)

    def __init__(self, **options):
        super().__init__(**options)
        engine, compiler = _environment.chosen(self.engine, _nesl.has_gpu)
        self._repl = _nesl.Repl(engine, None, None, compiler)

    def set_parent(self, ident, parent, channel="shell"):
        super().set_parent(ident, parent, channel)
        if channel == "shell":
            # The output of programs belongs to the cell that runs.
            for stream in (sys.stdout, sys.stderr):
                if hasattr(stream, "set_parent"):
                    stream.set_parent(parent)

    async def do_execute(
        self,
        code,
        silent,
        store_history=True,
        user_expressions=None,
        allow_stdin=False,
        *,
        cell_meta=None,
        cell_id=None,
    ):
        cell = Cell(self, silent)
        try:
            goes_on = cell.run(self._repl, code)
        except KeyboardInterrupt:
            # The session has told of it, and stays.
            return cell.failed("KeyboardInterrupt", "the program was interrupted", [])
        except Error as error:
            cell.tell_error(error)
        if cell.error is not None:
            return cell.failed(cell.error.code, cell.error.message, str(cell.error).split("\n"))
        payload = [] if goes_on else [{"source": "ask_exit", "keepkernel": False}]
        return {
            "status": "ok",
            "execution_count": self.execution_count,
            "payload": payload,
            "user_expressions": {},
        }

    async def do_complete(self, code, cursor_pos):
        at = len(code[:cursor_pos].encode())
        start, matches = self._repl.complete(code, at)
        return {
            "status": "ok",
            "matches": matches,
            "cursor_start": len(code.encode()[:start].decode()),
            "cursor_end": cursor_pos,
            "metadata": {},
        }

    async def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        told = self._repl.describe(code, len(code[:cursor_pos].encode()))
        data = {} if told is None else {"text/plain": told}
        return {"status": "ok", "found": told is not None, "data": data, "metadata": {}}

    async def do_is_complete(self, code):
        if code.startswith("%%") or _nesl.wholeness(code) != "unfinished":
            return {"status": "complete"}
        return {"status": "incomplete", "indent": "  "}


class Cell:
    """A cell that runs: what it shows, in the order in which it happens."""

    def __init__(self, kernel, silent):
        self._kernel, self._silent = kernel, silent
        # Events are told on a thread that does not know the request.
        self._parent = kernel.get_parent("shell")
        self.error = None
        # The last value so far, which is the result of the cell if nothing comes after it.
        self._last = None
        self._lock = threading.RLock()

    def run(self, repl, code):
        """Runs the cell; says whether the session goes on."""
        kind = None
        if code.startswith("%%"):
            kind, code = _directive(code)
        if _nesl.wholeness(code) == "unterminated":
            code += "\n;"
        name = f"<cell {self._kernel.execution_count}>"
        with Progress(self._show_progress, "running; an interrupt stops it"):
            goes_on = repl.evaluate(name, code, self._tell)
        if kind is not None and self.error is None:
            self._draw(kind)
        self._give_last("execute_result")
        return goes_on

    def failed(self, name, value, traceback):
        self._give_last("display_data")
        told = {"ename": name, "evalue": value, "traceback": traceback}
        return {"status": "error", "execution_count": self._kernel.execution_count, **told}

    def tell_error(self, error):
        self.error = self.error or error
        self._display({"text/plain": str(error), "text/html": _show.error(str(error))})

    def _show_progress(self, kind, content):
        with self._lock:
            # Something else runs by now.
            self._give_last("display_data")
            self._send(kind, content)

    def _tell(self, kind, *facts):
        """Takes an event of the session."""
        with self._lock:
            self._give_last("display_data")
            self._take(kind, *facts)

    def _take(self, kind, *facts):
        if kind == "shown":
            name, ty, text, value = facts
            if value is None:
                self._display({"text/plain": f"{name} = {text} : {ty}"})
            else:
                self._last = (name, ty, text, value)
        elif kind == "said":
            self._display({"text/plain": facts[0]})
        elif kind == "warned":
            self._send("stream", {"name": "stderr", "text": f"{facts[0]}\n"})
        else:
            self.tell_error(facts[0])

    def _give_last(self, kind):
        if self._last is None:
            return
        name, ty, text, value = self._last
        self._last = None
        if len(text) > _TEXT:
            text = f"{text[:_TEXT]} …"
        data = {"text/plain": f"{name} = {text} : {ty}"}
        shown = _show.table(value, ty)
        if shown is not None:
            data["text/html"] = shown
        if kind == "execute_result" and name == "it":
            count = {"execution_count": self._kernel.execution_count}
            self._send(kind, {"data": data, "metadata": {}, **count})
        else:
            self._display(data)

    def _draw(self, kind):
        if self._last is None:
            raise refused("a picture needs a value: end the cell with an expression")
        value = self._last[3]
        self._last = None
        image = base64.b64encode(picture(value, kind or None)).decode()
        self._display({"image/png": image, "text/plain": f"a picture of a {value.type}"})

    def _display(self, data):
        self._send("display_data", {"data": data, "metadata": {}})

    def _send(self, kind, content):
        if self._silent:
            return
        # Output so far comes first.
        sys.stdout.flush()
        kernel = self._kernel
        kernel.session.send(kernel.iopub_socket, kind, content, parent=self._parent)


def _directive(code):
    """The kind of picture that the first line of a cell asks for, and the rest of the cell."""
    first, _, rest = code.partition("\n")
    words = first[2:].split()
    if words[:1] != ["plot"] or len(words) > 2 or words[1:] and words[1] not in KINDS:
        raise refused(f"write `%%plot` or `%%plot KIND` with a kind of {', '.join(KINDS)}")
    return "".join(words[1:]), rest
