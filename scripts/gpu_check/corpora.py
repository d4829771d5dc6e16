"""Every conformance case, program and example."""

from .common import Result


def run(machine):
    done = machine.call([machine.program("nesl-corpus"), "--engine", machine.engine, "--root",
                         machine.root, "--together", min(14, max(1, machine.cores))], 240)
    lines = done.out.strip().splitlines()
    for line in lines:
        print(f"   {line}")
    last = " ".join(lines[-1].split()[1:]) if lines else "nothing was run"
    if done.late:
        last = done.why()
    details = [line for line in lines if ": failed" in line or "the process ended" in line]
    return Result(done.code == 0 and not done.late and bool(lines), last, details)
