"""Our programs next to their peers, on data that is on the GPU already.

A workload's baseline runs right before our program. Times are medians: `wall` from the call to the
moment at which the host knows that all is done, `device` those of the kernels alone.
"""

import subprocess
from dataclasses import dataclass

from .common import Result, median
from .inputs import SEVERAL, side

# Runs before those that count.
WARM_UP = 3


@dataclass
class Case:
    """A workload of a size, in 64 bits; the one in 32 follows."""

    workload: str
    size: str
    program: str
    entry: str
    given: dict
    # The baseline's program, and what the names of its cases begin with, by width.
    peer: str = ""
    prefixes: tuple = ("", "")
    # Most times the best peer, or milliseconds.
    ratio: float = 0
    aim_ms: float = 0
    # Figures of peers that are not measured here.
    others: str = ""
    repeat: int = 25
    # Ints of the narrow case.
    narrow_int: int = 32
    # How many inputs there are; the row is that of the median.
    inputs: int = 1

    def names(self, bits):
        return self.prefixes[0] if bits == 64 else self.prefixes[1]


def float_case(workload, size, program, entry, given, ratio, peer=None, **more):
    peer = peer or workload
    return Case(workload, size, program, entry, given, peer,
                (f"{peer}.f64", f"{peer}.f32"), ratio, **more)


def int_case(workload, size, program, entry, given, ratio, peer=None, **more):
    peer = peer or workload
    return Case(workload, size, program, entry, given, peer,
                (f"{peer}.i64", f"{peer}.i32"), ratio, **more)


BLACK_SCHOLES = {name: name for name in ["spot", "strike", "years", "rate", "volatility"]}

CASES = [
    float_case("sum", "10M", "sum", "total", {"a": "a-10M"}, 1.3),
    float_case("sum", "100M", "sum", "total", {"a": "a-100M"}, 1.1),
    float_case("moments", "100M", "moments", "moments", {"a": "a-100M"}, 1.05, "sum"),
    float_case("sum of filter", "100M", "sum-filter", "above", {"a": "a-100M"}, 1.05, "sum"),
    float_case("dot", "10M", "dot", "dot", {"a": "a-10M", "b": "b-10M"}, 1.3),
    float_case("dot", "100M", "dot", "dot", {"a": "a-100M", "b": "b-100M"}, 1.1),
    int_case("scan", "100M", "scan", "prefix", {"a": "small-100M"}, 1.2),
    int_case("filter", "100M", "filter", "evens", {"a": "small-100M"}, 1.2),
    int_case("sort", "1M", "sort", "sorted", {"keys": "keys-1M"}, 1.2),
    int_case("sort", "16M", "sort", "sorted", {"keys": "keys-16M"}, 1.2),
    int_case("sort", "100M", "sort", "sorted", {"keys": "keys-100M"}, 1.2),
    float_case("sort floats", "1M", "sort-floats", "sorted", {"keys": "floats-1M"}, 1.2, "sort"),
    float_case("sort floats", "16M", "sort-floats", "sorted", {"keys": "floats-16M"}, 1.2, "sort"),
    float_case("sort floats", "100M", "sort-floats", "sorted", {"keys": "floats-100M"}, 1.2,
               "sort"),
    float_case("gather", "100M", "gather", "gather", {"v": "a-100M", "places": "places-100M"},
               1.2),
    Case("permute", "100M", "permute", "permuted", {"v": "a-100M", "places": "order-100M"},
         "gather", ("permute.f64", "permute.f32"), 1.2),
    float_case("segsum", "10M/1.6M", "segsum", "sums", {"matrix": "matrix.mtx"}, 0.1),
    Case("spmv", "10M/1.6M", "spmv", "multiply", {"matrix": "matrix.mtx", "x": "matrix-x"},
         "spmv", ("spmv.f64.cusparse-csr-i64", "spmv.f32"), 1.0),
    float_case("blackscholes", "10M", "blackscholes", "prices", BLACK_SCHOLES, 1.05),
    float_case("stencil", "256^3", "stencil", "stencil", {"a": "cube-256", "n": "side 256"}, 2),
    float_case("stencil", "512^3", "stencil", "stencil", {"a": "cube-512", "n": "side 512"}, 2),
    float_case("stencil, indices", "512^3", "stencil-gather", "stencil",
               {"a": "cube-512", "n": "side 512"}, 2, "stencil"),
    # How many depths there are depends on the luck of the pivots.
    Case("quicksort", "1M", "quicksort", "quicksort", {"keys": "keys-1M"}, aim_ms=1.5,
         inputs=SEVERAL, others="CUDA by hand 4.83 · Futhark 499 · NESL/GPU 158 (i32)"),
    Case("quicksort", "16M", "quicksort", "quicksort", {"keys": "keys-16M"}, aim_ms=30,
         others="CUDA by hand 52.4 · Futhark 1125 (i32)"),
    Case("quickhull", "5M", "hull", "hull", {"points": "disk-5M"}, aim_ms=4,
         others="Futhark 305 (f64) · NESL/GPU 144 (f32)"),
    Case("Barnes-Hut", "75K", "examples/barnes-hut/barnes-hut.nesl", "accelerations",
         {"bodies": "bodies-75K", "theta": "=0.5"}, aim_ms=200,
         others="NESL/GPU 1276 · ECL-BH 27 (f32)", repeat=11,
         # Its keys have 63 bits.
         narrow_int=64),
]

HEAD = ["workload", "size", "bits", "nesl, ms", "kernels alone", "best peer, ms", "peer's kernels",
        "ratio", "kernels' ratio", "aim", "launches", "waits", "other peers"]


def turns(machine, failures):
    """The cases that are wanted, with each width; those for which no time is left are failures."""
    for case in CASES:
        if machine.options.only and machine.options.only not in case.workload:
            continue
        for bits in [64, 32] if machine.has_widths else [64]:
            if machine.is_late():
                failures.append(f"{case.workload} {case.size}, {bits} bits: no time was left")
            else:
                yield case, bits


def run(machine):
    details = prepare(machine)
    if not machine.maker.returncode == 0:
        return Result(False, "the inputs could not be made", details)
    rows, failures, missed, peers = [], list(details), 0, {}
    for case, bits in turns(machine, failures):
        key = case.peer, case.size
        if case.peer and key not in peers:
            peers[key] = baseline(machine, case, failures)
        ours = measure_all(machine, case, bits)
        if isinstance(ours, str):
            failures.append(f"{case.workload} {case.size}, {bits} bits: {ours}")
        row, miss = judged(case, bits, ours, peers.get(key, []))
        missed += miss
        rows.append(row)
        print("   " + "  ".join(f"{cell:>10}" for cell in row[:12]), flush=True)
    wrong = [line for line in failures if line not in details]
    summary = f"{len(rows)} rows, {missed} aims missed"
    if details:
        summary += f"; {details[0]}"
    return Result(not wrong, summary, failures, [("Speed", HEAD, rows)], missed)


def prepare(machine):
    """Waits for inputs and baselines; says what is not there."""
    details = []
    try:
        _, err = machine.maker.communicate(timeout=machine.left(150))
        if machine.maker.returncode != 0:
            details.append((err.strip().splitlines() or ["no reason was told"])[-1])
    except subprocess.TimeoutExpired:
        details.append("making the inputs took too long")
    if machine.builder is None:
        details.append("no baselines: there is no nvcc")
        return details
    try:
        code = machine.builder.wait(timeout=machine.left(180))
    except subprocess.TimeoutExpired:
        code = None
    if code != 0:
        log = (machine.temporary / "build.log").read_text(errors="replace").splitlines()
        errors = [line for line in log if "rror" in line]
        why = errors[0] if errors else "it took too long"
        details.append(f"some baselines could not be built: {why}")
    return details


def baseline(machine, case, failures):
    """The cases of a baseline at a size: (name, wall, device)."""
    program = machine.temporary / "build" / case.peer
    programs = [program, program.with_name(f"{program.name}_nofma")]
    found = []
    for program in programs:
        if not program.is_file():
            continue
        done = machine.call([program], 40, dict(machine.environment, BENCH_SIZE=case.size))
        if done.code != 0 or done.late:
            failures.append(f"baseline {program.name} {case.size}: {done.why()}")
        for line in done.out.splitlines():
            name, _, device, wall, *_ = line.split()
            found.append((name, float(wall), float(device)))
    return found


def measure_all(machine, case, bits):
    """As `measure`, with all inputs that there are: what the median of them took."""
    found = [measure(machine, case, bits, number=number) for number in range(case.inputs)]
    wrong = next((ours for ours in found if isinstance(ours, str)), None)
    if wrong:
        return wrong
    found.sort(key=lambda ours: ours[0])
    wall, kernels, stats = found[len(found) // 2]
    return wall, kernels, dict(stats, walls=[ours[0] for ours in found])


def measure(machine, case, bits, more=(), number=0):
    """Our times, wall and kernels, in milliseconds, and the statistics; or what went wrong."""
    narrow = "-32" if bits == 32 else ""
    other = f"-{number}" if number else ""
    given = []
    for name, value in case.given.items():
        if value.startswith("="):
            value = value[1:]
        elif value.startswith("side "):
            value = side(int(value[5:]), machine.options.shrink)
        elif value.endswith(".mtx"):
            value = machine.inputs / value
        else:
            value = machine.inputs / f"{value}{other}{narrow}.npy"
        given.append(f"{name}={value}")
    program = case.program
    program = program if program.endswith(".nesl") else f"benches/programs/{program}.nesl"
    widths = ["--int", case.narrow_int, "--float", 32] if bits == 32 else []
    count = WARM_UP + case.repeat
    arguments = [program, "--entry", case.entry, *given, "--repeat", count, "--quiet", *widths,
                 *more]
    done, stats = machine.stats(arguments, 60)
    if done.code != 0 or done.late or stats is None:
        return done.why()
    kernels = sum(kernel["ms"] for kernel in stats["kernels"])
    return median(stats["run_ms_all"][WARM_UP:]), kernels, stats


def judged(case, bits, ours, peers):
    """A row of the table, and whether the aim was missed."""
    own = [peer for peer in peers if case.names(bits) and peer[0].startswith(case.names(bits))]
    own.sort(key=lambda peer: peer[1])
    best = own[0] if own else None
    wall, kernels, stats = (None, None, {}) if isinstance(ours, str) else ours
    ratio = wall / best[1] if best and wall else None
    ratio_kernels = kernels / best[2] if best and kernels else None
    aim = f"{case.ratio:g}" if case.ratio else f"{case.aim_ms:g} ms"
    reached = ratio <= case.ratio if case.ratio and ratio else None
    if case.aim_ms and wall:
        reached = wall <= case.aim_ms
    if reached is not None:
        aim += "" if reached else " MISSED"
    short = [f"{name.split('.')[-1]} {time(ms)}" for name, ms, _ in own[1:]]
    walls = stats.get("walls", [])
    spread = [f"{time(walls[0])} to {time(walls[-1])} by input"] if len(walls) > 1 else []
    others = " · ".join(spread + short + ([case.others] if case.others else []))
    cells = [case.workload, case.size, str(bits), time(wall), time(kernels),
             f"{time(best[1])} {best[0].split('.')[-1]}" if best else "–",
             time(best[2]) if best else "–", number(ratio), number(ratio_kernels), aim,
             str(stats.get("launches", "–")), str(stats.get("waits", "–")), others]
    return cells, reached is False


def time(ms):
    if ms is None:
        return "–"
    return f"{ms:.3f}" if ms < 1 else f"{ms:.2f}" if ms < 10 else f"{ms:.1f}"


def number(ratio):
    return "–" if ratio is None else f"{ratio:.2f}"
