"""Timing harness of the Python baselines, as bench.h.

Prints: name size median_ms min_ms max_ms repetitions foreign% check
"""

import os
import resource
import time

import numpy as np


def _busy():
    """Seconds that all processes together have used."""
    v = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    return (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / 100


def _own():
    """Seconds that this process has used."""
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def foreign(busy, own, start):
    """The share of the machine that others used since the three readings."""
    wall = time.perf_counter() - start
    return ((_busy() - busy) - (_own() - own)) / (os.cpu_count() * wall)


def quiet():
    """Waits until others leave the machine alone, but not forever."""
    for _ in range(int(os.environ.get("BENCH_QUIET", "120"))):
        readings = _busy(), _own(), time.perf_counter()
        time.sleep(0.25)
        if foreign(*readings) < 0.04:
            return


def want(name, size):
    return os.environ.get("BENCH_ONLY", "") in name and os.environ.get("BENCH_SIZE", size) == size


def bench(name, size, fn, prep=lambda: None):
    """Times fn(), with prep() before each call that is not timed."""
    if not want(name, size):
        return

    def once():
        prep()
        start = time.perf_counter()
        check = fn()
        return time.perf_counter() - start, check

    estimate = min(once()[0], once()[0])
    reps = int(min(41, max(7, 0.8 / (estimate + 1e-9))))
    if estimate < 0.02:
        reps = max(reps, 31)
    best = None
    for _ in range(int(os.environ.get("BENCH_TRIES", "6"))):
        quiet()
        times, check = [], None
        readings = _busy(), _own(), time.perf_counter()
        while len(times) < reps or (sum(times) < 0.5 and len(times) <= 400):
            seconds, check = once()
            times.append(seconds)
        share = foreign(*readings)
        times.sort()
        if best is None or share < best[1]:
            best = times, share, check
        if share < 0.03:
            break
    times, share, check = best
    ms = [t * 1e3 for t in (times[len(times) // 2], times[0], times[-1])]
    print(name, size, *("%.4f" % t for t in ms), len(times), "%.1f" % max(0, share * 100),
          "%.9g" % float(check), flush=True)


def rnd(n, start=0):
    """n values of the splitmix generator, as uint64."""
    with np.errstate(over="ignore"):
        x = np.arange(start, start + n, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
