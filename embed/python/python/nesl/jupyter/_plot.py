"""Pictures of values by matplotlib, if it is installed."""

import io

from .. import _nesl
from .._error import refused

KINDS = ("line", "points", "bars", "hist", "image")


def picture(value, kind):
    """A value as a PNG: ``[number]``, ``[(x, y)]``, and ``[[number]]``, of which each row is a line,
    or the whole an image."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        message = "matplotlib draws pictures, and is not installed: pip install matplotlib"
        raise refused(message) from None
    if not isinstance(value, _nesl.Array) or len(value) == 0:
        raise refused("a picture needs a sequence with elements")
    first = value[0]
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    if isinstance(first, _nesl.Array):
        _rows(axes, value, kind or "line")
    elif isinstance(first, tuple) and len(first) == 2:
        x, y = zip(*value.tolist())
        _drawn(axes, x, y, kind or "points")
    elif isinstance(first, (int, float)):
        numbers = value.tolist()
        if kind == "hist":
            axes.hist(numbers, bins="auto")
        else:
            _drawn(axes, range(len(numbers)), numbers, kind or "line")
    else:
        raise refused(f"there is no picture of a {value.type}")
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()


def _rows(axes, value, kind):
    if kind == "image":
        if not hasattr(value, "__array_interface__"):
            raise refused("an image needs rows of the same length")
        axes.imshow(value.tolist(), aspect="auto")
        return
    for row in value.tolist():
        _drawn(axes, range(len(row)), row, kind)


def _drawn(axes, x, y, kind):
    if kind == "line":
        axes.plot(x, y)
    elif kind == "points":
        axes.scatter(x, y, s=8)
    elif kind == "bars":
        axes.bar(x, y)
    else:
        raise refused(f"this value cannot be drawn as `{kind}`")
