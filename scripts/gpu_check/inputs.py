"""The inputs of the steps `speed` and `fusion`: made by processes of their own while other steps run.

Each is a file that is there once it is whole. Those for 32 bits have `-32` in their names.
"""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

M = 1_000_000
# How many there are of an input whose luck decides how long a program takes.
SEVERAL = 7


def begin(machine, baselines):
    """Starts making all inputs, and the baselines if they are wanted."""
    machine.inputs = machine.temporary / "inputs"
    machine.inputs.mkdir()
    widths = "both" if machine.has_widths else "64"
    command = [sys.executable, str(Path(__file__).resolve()), str(machine.inputs), widths,
               str(machine.options.shrink)]
    machine.maker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     text=True, start_new_session=True)
    machine.background.append(machine.maker)
    machine.builder = None
    from .common import find_tool
    nvcc, make = find_tool("nvcc"), find_tool("make")
    if baselines and nvcc and make and machine.options.shrink == 1:
        folder = machine.root / "benches/baselines/gpu"
        command = [make, "-k", "-j6", "-C", str(folder), f"OUT={machine.temporary / 'build'}",
                   f"NVCC={nvcc}"]
        log = open(machine.temporary / "build.log", "w")
        machine.builder = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        machine.background.append(machine.builder)


def side(n, shrink):
    """Of a cube that is smaller by so much."""
    return max(4, round(n / shrink ** (1 / 3)))


def save(folder, name, array):
    import numpy
    part = folder / f".{name}.part.npy"
    numpy.save(part, array)
    os.replace(part, folder / f"{name}.npy")


def both(folder, name, array, narrow):
    """An array in 64 bits, and in 32 if that is wanted."""
    import numpy
    save(folder, name, array)
    if narrow:
        kind = numpy.float32 if array.dtype.kind == "f" else numpy.int32
        save(folder, f"{name}-32", array.astype(kind))


def unit(seed, n):
    import numpy
    return numpy.random.default_rng(seed).random(n)


def floats(folder, narrow, shrink, seed, name, n, low=0.0, high=1.0):
    both(folder, name, low + (high - low) * unit(seed, n // shrink), narrow)


def ints(folder, narrow, shrink, seed, name, n, low, high):
    import numpy
    draw = numpy.random.default_rng(seed)
    both(folder, name, draw.integers(low, high, n // shrink, dtype=numpy.int64), narrow)


def keys(folder, narrow, shrink, seed, name, n):
    """Keys of the whole range of their type."""
    import numpy
    draw, n = numpy.random.default_rng(seed), n // shrink
    save(folder, name, draw.integers(-2**63, 2**63 - 1, n, dtype=numpy.int64))
    if narrow:
        save(folder, f"{name}-32", draw.integers(-2**31, 2**31 - 1, n, dtype=numpy.int32))


def places(folder, narrow, shrink, seed, name, n):
    n //= shrink
    ints(folder, narrow, 1, seed, name, n, 0, n)


def permutation(folder, narrow, shrink, name, n):
    """As gather.cu makes it: a mixed order of a power of 2, of which what is too large is left out."""
    import numpy
    n //= shrink
    bits = max(4, int(n - 1).bit_length())
    mask = numpy.uint64((1 << bits) - 1)
    x = numpy.arange(1 << bits, dtype=numpy.uint64)
    for _ in range(3):
        x *= numpy.uint64(0x5851F42D4C957F2D)
        x += numpy.uint64(0x14057B7EF767814F)
        x &= mask
        x ^= x >> numpy.uint64(bits // 2)
    both(folder, name, x[x < n].astype(numpy.int64), narrow)


def disk(folder, narrow, shrink, seed, name, n):
    """Points in a disk, evenly."""
    import numpy
    n //= shrink
    radius, angle = numpy.sqrt(unit(seed, n)), 2 * numpy.pi * unit(seed + 1, n)
    both(folder, name, numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle)], 1),
         narrow)


def bodies(folder, narrow, shrink, seed, name, n):
    """Bodies after Plummer's model: mass, x, y, z."""
    import numpy
    n //= shrink
    radius = 1 / numpy.sqrt(numpy.clip(unit(seed, n), 1e-3, 0.999) ** (-2 / 3) - 1)
    z, angle = 2 * unit(seed + 1, n) - 1, 2 * numpy.pi * unit(seed + 2, n)
    ring = numpy.sqrt(1 - z * z)
    place = [radius * ring * numpy.cos(angle), radius * ring * numpy.sin(angle), radius * z]
    both(folder, name, numpy.stack([numpy.full(n, 1 / n), *place], 1), narrow)


def matrix(folder, narrow, shrink, seed, name, n):
    """A sparse matrix of about n entries, the lengths of its rows after segments.cuh; and a vector."""
    import numpy
    n //= shrink
    draw = numpy.random.default_rng(seed)
    u = (draw.integers(0, M, n) + 1) / 1e6
    lengths = numpy.minimum(5000, 2 / u**0.7).astype(numpy.int64)
    rows = int(numpy.searchsorted(numpy.cumsum(lengths), n)) + 1
    lengths = lengths[:rows]
    lengths = numpy.minimum(lengths, rows)
    row = numpy.repeat(numpy.arange(1, rows + 1), lengths)
    column = draw.integers(1, rows + 1, len(row))
    value = draw.integers(0, M, len(row))
    head = f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {len(row)}\n"
    width = len(str(rows))
    # Numbers of one width each, digit by digit: formatting them one by one takes minutes.
    text = numpy.empty((len(row), 2 * width + 11), numpy.uint8)
    digits(text, 0, width, row)
    text[:, width] = ord(" ")
    digits(text, width + 1, width, column)
    text[:, 2 * width + 1:2 * width + 4] = numpy.frombuffer(b" 0.", numpy.uint8)
    digits(text, 2 * width + 4, 6, value)
    text[:, 2 * width + 10] = ord("\n")
    part = folder / f".{name}.part"
    with open(part, "wb") as file:
        file.write(head.encode())
        file.write(text.data)
    os.replace(part, folder / f"{name}.mtx")
    both(folder, f"{name}-x", unit(seed + 1, rows), narrow)


def digits(text, at, width, numbers):
    """The decimal digits of numbers, as columns of characters."""
    rest = numbers.copy()
    for place in reversed(range(at, at + width)):
        text[:, place] = rest % 10 + ord("0")
        rest //= 10


def jobs(folder, narrow, shrink):
    """The largest first."""
    common = (folder, narrow, shrink)
    yield matrix, (*common, 50, "matrix", 10 * M)
    yield permutation, (*common, "order-100M", 100 * M)
    for seed, name in [(1, "a"), (2, "b")]:
        yield floats, (*common, seed, f"{name}-100M", 100 * M)
        yield floats, (*common, seed, f"{name}-10M", 10 * M)
    yield keys, (*common, 3, "keys-100M", 100 * M)
    yield floats, (*common, 4, "floats-100M", 100 * M, -1e9, 1e9)
    yield places, (*common, 5, "places-100M", 100 * M)
    yield ints, (*common, 6, "small-100M", 100 * M, 0, M)
    for seed, (size, n) in enumerate([("16M", 16 * M), ("1M", M)]):
        yield keys, (*common, 10 + seed, f"keys-{size}", n)
        yield floats, (*common, 20 + seed, f"floats-{size}", n, -1e9, 1e9)
    for number in range(1, SEVERAL):
        yield keys, (*common, 60 + number, f"keys-1M-{number}", M)
    for n in (512, 256):
        yield floats, (folder, narrow, 1, n, f"cube-{n}", side(n, shrink)**3)
    ranges = {"spot": (5, 30), "strike": (1, 100), "years": (0.25, 10), "rate": (0.02, 0.05),
              "volatility": (0.1, 0.6)}
    for seed, (name, (low, high)) in enumerate(ranges.items()):
        yield floats, (*common, 30 + seed, name, 10 * M, low, high)
    yield disk, (*common, 40, "disk-5M", 5 * M)
    yield bodies, (*common, 44, "bodies-75K", 75_000)


def main():
    folder, widths, shrink = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with ProcessPoolExecutor(4) as pool:
        made = [pool.submit(f, *args) for f, args in jobs(folder, widths == "both", shrink)]
        for one in made:
            one.result()


if __name__ == "__main__":
    main()
