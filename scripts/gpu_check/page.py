"""The table at the end, and the part of docs/performance.md that is about GPUs."""

TITLE = "## On a GPU"
# The table of fusion, which is measured on its own.
FUSION = "benches/fusion-gpu.md"


def table(machine, results):
    """What was found, for the terminal."""
    lines = [machine.describe(), ""]
    for result in results:
        for title, head, rows in result.tables:
            lines += [f"{title}:", "", *aligned(head, rows), ""]
    head = ["step", "result", "s", "aims missed", ""]
    rows = [[result.name, result.word(), f"{result.seconds:.0f}",
             str(result.missed or ""), result.summary] for result in results]
    lines += aligned(head, rows)
    for result in results:
        if result.details:
            lines += ["", f"{result.name}:", *(f"  {line}" for line in result.details)]
    return "\n".join(lines)


def aligned(head, rows):
    """A table in Markdown whose columns stand below each other."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(row):
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        return f"| {' | '.join(cells)} |"

    return [line(head), line(["-" * width for width in widths]), *map(line, rows)]


def write(machine, results):
    """Replaces the part about GPUs, which is the last one."""
    path = machine.root / "docs/performance.md"
    kept = path.read_text().split(f"\n{TITLE}\n")[0].rstrip("\n")
    notes = machine.root / "benches/notes-gpu.md"
    tables = [table for result in results for table in result.tables]
    text = [kept, "", TITLE, "", f"Written by `scripts/gpu-check --write`: {machine.describe()}.", "",
            "Times are medians of calls with arguments that are on the GPU already; the wall is the "
            "host's clock from the\ncall to the moment at which it knows that all is done, kernels "
            "are timed by the GPU. The ratio is our time over that\nof the best peer, wall over wall "
            "and kernels over kernels. Peers are built with `nvcc -O3` and contract multiplications\n"
            "and additions where nothing else is said; our programs do not.", ""]
    for title, head, rows in tables:
        text += [f"### {title}", "", *plain(head, rows), ""]
    text += ["### Agreement", "", *(f"- {result.name}: {result.verdict()}" for result in results), ""]
    for part in [notes, machine.root / FUSION]:
        if part.is_file():
            text += [part.read_text().rstrip("\n"), ""]
    path.write_text("\n".join(text).rstrip("\n") + "\n")


def write_fusion(machine, result):
    """Writes the table of fusion, and puts it at the end of the part about GPUs."""
    text = ["### Fusion", "", f"Written by `scripts/gpu-check fusion --write`: {machine.describe()}.",
            "", "Three figures are those of `--fusion off`, `greedy` and `optimal`.", ""]
    for _, head, rows in result.tables:
        text += plain(head, rows)
    (machine.root / FUSION).write_text("\n".join(text) + "\n")
    path = machine.root / "docs/performance.md"
    kept = path.read_text().split("\n### Fusion\n")[0].rstrip("\n")
    path.write_text(f"{kept}\n\n" + "\n".join(text) + "\n")


def plain(head, rows):
    """A table in Markdown as the other pages have them."""
    return [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]
