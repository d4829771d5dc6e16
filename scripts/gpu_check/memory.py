"""Whether all memory of the GPU is given back, however a run ends."""

import time

from .common import Result, kill

# MiB that the driver itself may come to keep.
SLACK = 64

FEW = "let v = {x * x : x in [0:20000000]} in sum(sort(v));\n"
# More than any GPU has: half of it is made, and then there is no room.
TOO_MANY = """big = {x * 3 : x in [0:1000000000]};
bigger = {float(x) * 0.5 : x in [0:200000000000]};
sum(bigger);
"""
LONG = """function turn(x, n) = if n == 0 then x else turn(rem(x * 1103515245 + 12345, 2147483648), n - 1);
sum({turn(i, 1000000) : i in [0:20000000]});
"""


def run(machine):
    if machine.gpu("memory.used") is None:
        return Result(True, "left out: there is no nvidia-smi")
    programs = {}
    for name, text in [("few", FEW), ("too-many", TOO_MANY), ("long", LONG)]:
        programs[name] = machine.temporary / f"{name}.nesl"
        programs[name].write_text(text)

    def command(name):
        return [machine.program("nesl"), "run", programs[name], "--engine", machine.engine]

    def one():
        done = machine.call(command("few"), 60)
        return done.code == 0, done.why()

    def two():
        processes = [machine.start(command("few")) for _ in range(2)]
        codes = [wait(machine, process) for process in processes]
        return codes == [0, 0], f"exits {codes}"

    def full():
        done = machine.call(command("too-many"), 90)
        told = "out of memory" in done.err
        return done.code == 1 and told, done.why()

    def full_beside():
        other = machine.start(command("long"))
        time.sleep(2)
        good, why = full()
        kill(other)
        other.communicate()
        return good, why

    def killed():
        process = machine.start(command("long"))
        time.sleep(3)
        running = process.poll() is None
        kill(process)
        process.communicate()
        return running, "it had ended before it was killed"

    ways = [("a run that ends well", one), ("two at once", two), ("out of memory", full),
            ("out of memory beside another program", full_beside), ("a run that is killed", killed)]
    rows, failures = [], []
    for name, way in ways:
        if machine.is_late():
            failures.append(f"{name}: no time was left")
            continue
        before = used(machine)
        good, why = way()
        after = settle(machine, before)
        if not good:
            failures.append(f"{name}: {why}")
        if after > before + SLACK:
            failures.append(f"{name}: {before} MiB were in use before, {after} MiB are after it")
        rows.append([name, str(before), str(after)])
        print(f"   {name:38} {before:6} MiB before {after:6} MiB after", flush=True)
    head = ["run", "MiB in use before", "after"]
    return Result(not failures, f"{len(rows)} ways to end", failures, [("Memory", head, rows)])


def wait(machine, process):
    """The exit status of a process; what it says is nobody's."""
    try:
        process.communicate(timeout=machine.left(60))
    except Exception:
        kill(process)
        process.communicate()
    return process.returncode


def used(machine):
    return int(float(machine.gpu("memory.used")))


def settle(machine, before):
    """What is in use, when the driver had a few seconds to clear up."""
    for _ in range(20):
        now = used(machine)
        if now <= before + SLACK:
            return now
        time.sleep(0.25)
    return now
