"""Whether arrays of CuPy, PyTorch and JAX go in and out by address, and streams are waited for."""

import subprocess
import sys

from .common import Result


def run(machine):
    """Runs embed/python/tests/gpu/exchange.py with the Python that runs this."""
    there = subprocess.run([sys.executable, "-c", "import nesl"], capture_output=True, text=True)
    if there.returncode:
        return Result(True, "the package is not installed: `pip install .`", left_out=True)
    script = machine.root / "embed" / "python" / "tests" / "gpu" / "exchange.py"
    done = subprocess.run([sys.executable, "-B", str(script)], capture_output=True, text=True)
    rows = [line for line in done.stdout.splitlines() if line.startswith(("holds: ", "WRONG: ", "left out: "))]
    print(done.stdout, flush=True)
    held = sum(row.startswith("holds") for row in rows)
    details = [] if done.returncode == 0 else (done.stdout + done.stderr).splitlines()[-40:]
    return Result(done.returncode == 0, f"{held} of {len(rows)} checks hold", details)
