"""A sign of life of what takes over a second."""

import contextlib
import threading
import time
import uuid

_PATIENCE = 1.0
_TICK = 1.0


class Progress:
    """While it is entered, `show(kind, content)` is called with messages of the protocol of
    notebooks: one that tells how long it takes, and updates of it."""

    def __init__(self, show, what):
        self._show, self._what = show, what
        self._ended = threading.Event()
        self._id = uuid.uuid4().hex
        self._thread = threading.Thread(target=self._watch, name="nesl-progress", daemon=True)

    def __enter__(self):
        self._start = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _watch(self):
        kind, wait = "display_data", _PATIENCE
        while not self._ended.wait(wait):
            seconds = time.monotonic() - self._start
            self._say(kind, f"{self._what}, {seconds:.0f} s")
            kind, wait = "update_display_data", _TICK
        if kind == "update_display_data":
            self._say(kind, f"took {time.monotonic() - self._start:.1f} s")

    def _say(self, kind, text):
        content = {"data": {"text/plain": text}, "metadata": {}}
        self._show(kind, {**content, "transient": {"display_id": self._id}})


@contextlib.contextmanager
def progress(what="running"):
    """Shows below a cell of Python how long what is done in it takes, once it takes a second.

    >>> with nesl.jupyter.progress():
    ...     result = m.quicksort(keys)
    """
    from IPython.display import publish_display_data

    def show(kind, content):
        update = kind == "update_display_data"
        data, transient = content["data"], content["transient"]
        publish_display_data(data, {}, transient=transient, update=update)

    with Progress(show, what):
        yield
