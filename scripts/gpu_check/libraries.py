"""`nesl build` on the examples: libraries compiled without us, called by a program in C."""

from concurrent.futures import ThreadPoolExecutor

from .common import Result, find_tool


def begin(machine):
    """Starts compiling, beside other steps: `nvcc` uses one core for each example."""
    cuda = machine.engine == "cuda"
    compiler = find_tool("nvcc") if cuda else find_tool("cc")
    if compiler is None:
        return
    environment = dict(machine.environment, NVCC=compiler, NVCC_FLAGS="-arch=native")
    names = sorted(file.parent.name for file in (machine.root / "examples").glob("*/cases.txt"))
    command = ["sh", machine.root / "scripts" / "build-check", machine.program("nesl"),
               "cuda" if cuda else "c"]
    pool = ThreadPoolExecutor(max(2, min(len(names), machine.cores - 2)))
    check = lambda name: machine.call([*command, name], 300, environment)  # noqa: E731
    machine.libraries = [(name, pool.submit(check, name)) for name in names]
    pool.shutdown(wait=False)


def run(machine):
    """Waits for them."""
    if machine.libraries is None:
        return Result(True, "there is no compiler", left_out=True)
    passed, details = 0, []
    for name, future in machine.libraries:
        done = future.result()
        passed += sum(line.startswith("ok ") for line in done.out.splitlines())
        if done.code != 0 or done.late:
            said = [line for line in done.out.splitlines() if not line.startswith("ok ")]
            details += [f"{name}: {done.why()}", *(f"  {line}" for line in said[:8])]
    for line in details:
        print(f"   {line}")
    return Result(not details, f"{passed} calls of libraries by `nesl build` as expected", details)
