"""The exception of this package."""


class Error(Exception):
    """What is wrong with a program, its arguments or its run.

    ``code`` is such as ``N0506``, ``message`` one sentence, ``span`` the place in the text as
    (start, end, line, column) or None, ``lanes`` the lanes in which it arose, outermost first.
    ``messages`` has the same of all messages: (code, message, text, span, lanes) each.
    """

    def __init__(self, messages, text):
        super().__init__(messages, text)
        self.messages = messages
        self.text = text
        self.code, self.message, _, self.span, self.lanes = messages[0]

    def __str__(self):
        return self.text

    def _repr_html_(self):
        from . import _show

        return _show.error(self.text)

    def explain(self):
        """The page of the manual about the code, in Markdown."""
        from ._nesl import explain

        return explain(self.code)


def refused(message):
    """The exception of an argument that cannot be taken."""
    text = f"error[N0601]: {message}"
    return Error([("N0601", message, text, None, [])], text)
