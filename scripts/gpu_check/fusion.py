"""Our programs without fusion, with the greedy one, and with the integer program."""

from .common import Result
from .speed import measure, prepare, time, turns

WAYS = ["off", "greedy", "optimal"]
HEAD = ["workload", "size", "bits", "off, ms", "greedy, ms", "optimal, ms", "launches", "waits",
        "MB moved"]


def run(machine):
    details = prepare(machine)
    if machine.maker.returncode != 0:
        return Result(False, "the inputs could not be made", details)
    rows, failures = [], []
    for case, bits in turns(machine, failures):
        found = [measure(machine, case, bits, ["--fusion", way]) for way in WAYS]
        failures += [f"{case.workload} {case.size}, {bits} bits, {way}: {ours}"
                     for way, ours in zip(WAYS, found) if isinstance(ours, str)]
        rows.append(row(case, bits, found))
        print("   " + "  ".join(f"{cell:>12}" for cell in rows[-1]), flush=True)
    return Result(not failures, f"{len(rows)} rows", failures, [("Fusion", HEAD, rows)])


def row(case, bits, found):
    good = [None if isinstance(ours, str) else ours for ours in found]
    walls = [time(ours[0] if ours else None) for ours in good]

    def each(show):
        return " / ".join(show(ours[2]) if ours else "–" for ours in good)

    return [case.workload, case.size, str(bits), *walls, each(lambda stats: str(stats["launches"])),
            each(lambda stats: str(stats["waits"])),
            each(lambda stats: f"{stats['bytes_moved'] / 1e6:.0f}")]
