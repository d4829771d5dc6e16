"""compute-sanitizer on the examples with their small inputs."""

from concurrent.futures import ThreadPoolExecutor

from .common import Result, cases, find_tool

TOOLS = ["memcheck", "racecheck", "synccheck"]


def run(machine):
    tool = find_tool("compute-sanitizer")
    if tool is None:
        return Result(True, "there is no compute-sanitizer", left_out=True)
    files = sorted((machine.root / "examples").glob("*/cases.txt"))
    jobs = [(name, arguments) for file in files for name, arguments in cases(file)]
    nesl = [machine.program("nesl"), "run"]
    engine = ["--engine", machine.engine]
    with ThreadPoolExecutor(max(2, min(12, machine.cores - 2))) as pool:
        # Compiled beforehand, outside of the tool, which would slow that down, too.
        list(pool.map(lambda job: machine.call([*nesl, *job[1], *engine], 60), jobs))

        def check(job):
            which, (name, arguments) = job
            command = [tool, "--tool", which, "--error-exitcode", "99", *nesl, *arguments, *engine]
            done = machine.call(command, 120)
            said = [line.strip("= ").strip() for line in done.out.splitlines() if "=====" in line]
            last = next((line for line in reversed(said) if "SUMMARY" in line), "no summary")
            clean = done.code == 0 and not done.late and "SUMMARY: 0 " in last
            return clean, f"{which} {name}: {done.why() if done.late else last}", said[1:9]

        found = list(pool.map(check, [(tool, job) for tool in TOOLS for job in jobs]))
    wrong = [item for item in found if not item[0]]
    details = [line for _, summary, said in wrong for line in [summary, *(f"  {s}" for s in said)]]
    for line in details:
        print(f"   {line}")
    return Result(not wrong, f"{len(found) - len(wrong)} of {len(found)} runs clean "
                  f"({', '.join(TOOLS)})", details[:40])
