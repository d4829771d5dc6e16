"""Generated programs, compared with the interpreter."""

import time

from .common import Result

# Programs at once, and seconds in which no more are begun if they would not end.
CHUNK = 250
SECONDS = 260


def run(machine):
    wanted, done, longest = machine.options.programs, 0, 0
    counts, details, trouble = {}, [], []
    began = time.monotonic()
    while done < wanted and not trouble:
        start = time.monotonic()
        left = SECONDS - (start - began)
        # Some take half as long again.
        if done and 1.5 * longest > left:
            break
        count = min(CHUNK, wanted - done)
        ended = machine.call([machine.program("nesl-fuzz"), "--engines", machine.engine,
                              "--seed", done, "--count", count, "--together", 8], left)
        lines = ended.out.rstrip().splitlines()
        for line in lines:
            print(f"   {line}")
            number, _, kind = line.strip().partition(" ")
            if number.isdigit() and line.startswith("  "):
                counts[kind] = counts.get(kind, 0) + int(number)
        wrong = ("finding", "DISAGREED", "crashed", "no end")
        details += [line for line in lines if any(word in line for word in wrong)]
        if ended.late or ended.code != 0:
            trouble.append(ended.why())
        done += count
        longest = max(longest, time.monotonic() - start)
    agreed = sum(count for kind, count in counts.items() if kind.startswith("agreed"))
    skipped = sum(count for kind, count in counts.items() if kind.startswith("skipped"))
    summary = f"{agreed} programs agree, {skipped} were too long to be compared"
    if not trouble and done < wanted:
        summary += f"; no time for {wanted - done} more"
    return Result(not trouble and agreed > 0, "; ".join([summary, *trouble]), details)
