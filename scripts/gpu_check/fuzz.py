"""Generated programs, compared with the interpreter."""

from .common import Result


def run(machine):
    done = machine.call([machine.program("nesl-fuzz"), "--engines", machine.engine, "--count",
                         machine.options.programs, "--together", 8], 260)
    lines = done.out.rstrip().splitlines()
    for line in lines:
        print(f"   {line}")
    counts = {}
    for line in lines:
        number, _, kind = line.strip().partition(" ")
        if number.isdigit() and line.startswith("  "):
            counts[kind] = int(number)
    agreed = sum(count for kind, count in counts.items() if kind.startswith("agreed"))
    skipped = sum(count for kind, count in counts.items() if kind.startswith("skipped"))
    summary = f"{agreed} programs agree, {skipped} were too long to be compared"
    if done.late or done.code not in (0, 1):
        summary += f"; {done.why()}"
    wrong = ("finding", "DISAGREED", "crashed", "no end")
    details = [line for line in lines if any(word in line for word in wrong)]
    return Result(done.code == 0 and not done.late and agreed > 0, summary, details)
