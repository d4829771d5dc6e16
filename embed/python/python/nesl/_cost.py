"""The costs of calls by the language's model, and profiles: `nesl.cost`, `nesl.profile`."""

import html
import json

from . import _nesl

# More events than a picture has pixels show nothing.
_EVENTS = 2000


def _asked(f, args, keywords):
    """The function as the extension module has it, and its arguments in order."""
    if hasattr(f, "_compiled_for"):
        (f, *_), args = f._compiled_for(args, keywords)
    elif not hasattr(f, "_in_order"):
        raise TypeError(f"{f!r} is no function of a nesl program")
    elif keywords:
        args = f._in_order(args, keywords)
    return f._function, tuple(args)


class Cost:
    """Work and depth of a call.

    ``work`` and ``depth`` are those of the whole call, ``parallelism`` is work / depth.
    ``functions`` and ``lines`` have a dictionary for each function and line, the most costly
    first; docs/cost.md says what their keys mean.  ``result`` is what the call gave.
    """

    def __init__(self, facts, tables, result):
        facts = json.loads(facts)
        self.work, self.depth = facts["work"], facts["depth"]
        self.parallelism = facts["parallelism"]
        self.functions, self.lines = facts["functions"], facts["lines"]
        self.result = result
        self._tables = tables

    def __repr__(self):
        return self._tables.rstrip()

    def _repr_html_(self):
        rows = 15
        whole = f"work {self.work}, depth {self.depth}, parallelism {self.parallelism:.1f}"
        numbers = ("calls", "own_work", "work", "depth", "parallelism")
        functions = [[_place(it), *(it[key] for key in numbers)] for it in self.functions]
        lines = [[_place(it), *(it[key] for key in numbers[1:]), it["text"]] for it in self.lines]
        heads = ["own work", "work", "depth", "parallelism"]
        return (
            f"<p>{whole}</p>"
            + _table(["function", "calls", *heads], functions[:rows], len(functions))
            + _table(["line", *heads, "text"], lines[:rows], len(lines))
        )


class Profile:
    """The kernels, times and memory of a call.

    ``seconds`` is the time of the call without compiling, ``compile_seconds`` that of compiling,
    ``peak_bytes`` the most memory that values took.  ``kernels`` has a dictionary for each kernel:
    ``name``, ``launches``, ``elements``, ``ms``, ``source``.  ``stats`` has all numbers that
    ``nesl run --stats json`` tells.  ``result`` is what the call gave.
    """

    def __init__(self, stats, tables, trace, result):
        self.stats = json.loads(stats)
        self.kernels = self.stats["kernels"]
        self.seconds = self.stats["run_ms"] / 1e3
        self.compile_seconds = self.stats["compile_ms"] / 1e3
        self.peak_bytes = self.stats["peak_bytes"]
        self.result = result
        self._tables, self._trace = tables, trace

    def save(self, path):
        """Writes what happened when to a file that https://ui.perfetto.dev shows."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._trace)

    def __repr__(self):
        return self._tables.rstrip()

    def to_html(self):
        """A page with the numbers, the kernels, and a picture of what happened when."""
        head = '<!DOCTYPE html><meta charset="utf-8"><title>A profile</title>'
        return f"{head}<body>{self._repr_html_()}</body>\n"

    def _repr_html_(self):
        stats = self.stats
        facts = [
            f"on {stats['device']}",
            f"running {stats['run_ms']:.3f} ms",
            f"compiling {stats['compile_ms']:.3f} ms" + " (from the cache)" * stats["cached"],
            f"{stats['kernels_run']} kernels run",
            f"{stats['elements_touched']} elements",
            f"{stats['bytes_moved']} bytes moved",
            f"{stats['peak_bytes']} bytes at most",
        ]
        rows = [
            [k["name"], k["launches"], k["elements"], f"{k['ms']:.3f}", "; ".join(k["source"])]
            for k in sorted(self.kernels, key=lambda kernel: -kernel["ms"])
        ]
        heads = ["kernel", "launches", "elements", "ms", "source"]
        facts = html.escape(", ".join(facts))
        return f"<p>{facts}</p>{_table(heads, rows, len(rows))}{self._picture()}"

    def _picture(self):
        """A timeline: a track of the host above one of the kernels."""
        events = json.loads(self._trace)["traceEvents"]
        events = [event for event in events if event["ph"] == "X"]
        if not events:
            return ""
        start = min(event["ts"] for event in events)
        end = max(event["ts"] + event["dur"] for event in events)
        scale = 800 / max(end - start, 1e-9)
        colours = {"compile": "#c9a227", "kernel": "#3b7dd8", "wait": "#aaaaaa"}
        bars = []
        # Short events lie inside long ones and are drawn over them.
        longest = sorted(events, key=lambda event: -event["dur"])[:_EVENTS]
        for event in longest:
            x, width = (event["ts"] - start) * scale, max(event["dur"] * scale, 0.5)
            colour = colours.get(event["cat"], "#b8d4b0")
            title = html.escape(f"{event['name']}: {event['dur'] / 1e3:.3f} ms")
            bars.append(
                f'<rect x="{x:.2f}" y="{24 * event["tid"] - 20}" width="{width:.2f}" height="20"'
                f' fill="{colour}" stroke="#ffffff" stroke-width="0.3"><title>{title}</title></rect>'
            )
        shown = f"{(end - start) / 1e3:.3f} ms: the host above, kernels below"
        if len(events) > len(longest):
            shown += f"; the longest {len(longest)} of {len(events)} events"
        view = '<svg viewBox="0 0 800 50" width="800" height="50">'
        return f"<p>{shown}</p>{view}{''.join(bars)}</svg>"


def cost(f, *args, **keywords):
    """The cost of a call of ``f`` by the language's model; the interpreter makes the call."""
    return Cost(*_nesl.cost(*_asked(f, args, keywords)))


def profile(f, *args, repeat=1, **keywords):
    """A profile of a call of ``f``, with times of its kernels.

    The first call at some types is compiled, which the profile shows.  Of ``repeat`` calls the
    last one is shown.
    """
    if repeat < 1:
        raise ValueError("a profile needs a call")
    return Profile(*_nesl.profile(*_asked(f, args, keywords), repeat))


def _place(row):
    """The name of a function or line, with its place."""
    name = row.get("name")
    where = f"{row['file']}:{row['line']}" if row["file"] else ""
    if name is None:
        return where or "library"
    return f"{name} {where or row['kind']}"


def _table(heads, rows, count):
    """A table of HTML; numbers are aligned to the right."""

    def cell(value):
        if isinstance(value, float):
            value = f"{value:.1f}"
        side = "left" if isinstance(value, str) and not value[:1].isdigit() else "right"
        return f'<td style="text-align: {side}">{html.escape(str(value))}</td>'

    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    more = f"<p>{count - len(rows)} more</p>" if count > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
