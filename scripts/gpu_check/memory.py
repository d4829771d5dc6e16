"""Whether all memory of the GPU is given back, however a run ends."""

import subprocess
import time

from .common import Result, kill

# MiB that the driver itself may come to keep.
SLACK = 64

FEW = "let v = {{x * x : x in [0:{few}]}} in sum(sort(v));\n"
# More than any GPU has.
TOO_MANY = """big = {{x * 3 : x in [0:{few}]}};
bigger = {{float(x) * 0.5 : x in [0:200000000000]}};
sum(bigger);
"""
# Most of the memory.
MOST = """function middle(n) = let v = plus_scan({{rem(x, 7) : x in [0:n]}}) in v[n / 2];
middle({most});
"""
# Half of the memory, held for a long time.
LONG = """function turn(x, n) =
  if n == 0 then x else turn(rem(x * 1103515245 + 12345, 2147483648), n - 1);
function hold(n, turns) =
  let v = plus_scan({{rem(x, 7) : x in [0:n]}})
  in sum({{turn(v[i], turns) : i in [0:min(n, 20000000)]}}) + v[n / 2];
hold({half}, {turns});
"""


def run(machine):
    total = machine.gpu("memory.total")
    if total is None:
        return Result(True, "there is no nvidia-smi", left_out=True)
    total = int(float(total))
    programs = write(machine, total * 2**20)
    ways = Ways(machine, programs, total)
    rows, failures = [], []
    for name, way in ways.all():
        if machine.is_late():
            failures.append(f"{name}: no time was left")
            continue
        before = used(machine)
        good, what = way()
        after = settle(machine, before)
        if not good:
            failures.append(f"{name}: {what}")
        if after > before + SLACK:
            failures.append(f"{name}: {before} MiB were in use before, {after} MiB are after it")
        rows.append([name, str(before), str(after), what])
        print(f"   {name:38} {before:6} MiB before {after:6} MiB after: {what}", flush=True)
    head = ["run", "MiB in use before", "after", "how it ended"]
    return Result(not failures, f"{len(rows)} ways to end", failures, [("Memory", head, rows)])


def write(machine, total):
    """The programs, for a GPU with so many bytes."""
    sizes = {"few": 20_000_000, "half": total // 2 // 8, "most": total * 6 // 10 // 8,
             "turns": 1_000_000}
    texts = {"few": FEW, "too-many": TOO_MANY, "most": MOST, "long": LONG}
    programs = {}
    for name, text in texts.items():
        programs[name] = machine.temporary / f"{name}.nesl"
        programs[name].write_text(text.format(**sizes))
    return programs


class Ways:
    """Ways for runs to end. Each tells whether it ended so, and how it did."""

    def __init__(self, machine, programs, total):
        self.machine, self.programs, self.total = machine, programs, total

    def all(self):
        return [("a run that ends well", self.one), ("two at once", self.two),
                ("out of memory", self.full), ("no memory beside another program", self.beside),
                ("a run that is killed", self.killed)]

    def command(self, name):
        machine = self.machine
        return [machine.program("nesl"), "run", self.programs[name], "--engine", machine.engine]

    def one(self):
        done = self.machine.call(self.command("few"), 60)
        return done.code == 0, "well" if done.code == 0 else done.why()

    def two(self):
        processes = [self.machine.start(self.command("few")) for _ in range(2)]
        codes = [wait(self.machine, process) for process in processes]
        return codes == [0, 0], "well" if codes == [0, 0] else f"exits {codes}"

    def full(self):
        done = self.machine.call(self.command("too-many"), 90)
        told = done.code == 1 and "out of memory" in done.err
        return told, "out of memory, as told" if told else done.why()

    def beside(self):
        """The driver has no memory, because another program has it."""
        before = used(self.machine)
        other = self.machine.start(self.command("long"))
        try:
            for _ in range(60):
                if used(self.machine) > before + self.total // 3 or other.poll() is not None:
                    break
                time.sleep(0.5)
            done = self.machine.call(self.command("most"), 60)
            told = done.code == 1 and "out of memory" in done.err
            if other.poll() is not None:
                return False, "the other program ended too soon"
        finally:
            end(other)
        return told, "out of memory, as told" if told else done.why()

    def killed(self):
        process = self.machine.start(self.command("long"))
        time.sleep(5)
        running = process.poll() is None
        end(process)
        return running, "killed" if running else "it had ended before it was killed"


def end(process):
    kill(process)
    process.communicate()


def wait(machine, process):
    """The exit status of a process; what it says is nobody's."""
    try:
        process.communicate(timeout=machine.left(60))
    except subprocess.TimeoutExpired:
        end(process)
    return process.returncode


def used(machine):
    return int(float(machine.gpu("memory.used")))


def settle(machine, before):
    """What is in use, when the driver had a few seconds to clear up."""
    for _ in range(20):
        now = used(machine)
        if now <= before + SLACK:
            break
        time.sleep(0.25)
    return now
