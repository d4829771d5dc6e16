"""What the steps share: the machine, and running programs with a limit of time."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

NAMES = ["nesl", "nesl-corpus", "nesl-fuzz"]


@dataclass
class Result:
    """What a step found."""

    agrees: bool
    summary: str
    # Lines that tell what was wrong.
    details: list = field(default_factory=list)
    # Tables for the page: (title, head, rows).
    tables: list = field(default_factory=list)
    # How many aims were missed.
    missed: int = 0
    # The machine lacks what the step needs.
    left_out: bool = False
    name: str = ""
    seconds: float = 0

    def word(self):
        return "LEFT OUT" if self.left_out else "agrees" if self.agrees else "FAILED"

    def verdict(self):
        return f"{self.word()}: {self.summary}"


@dataclass
class Done:
    """How a program ended."""

    code: int
    out: str
    err: str
    seconds: float
    # It ran past its limit and was killed.
    late: bool

    def why(self):
        """In a few words, why it is no success."""
        if self.late:
            return f"no end after {self.seconds:.0f} s"
        said = (self.err or self.out).splitlines()
        lines = [line.strip() for line in said if line.strip() and not line.startswith("{")]
        first = next((line for line in lines if "error" in line or "panicked" in line), None)
        return f"exit {self.code}: {first or (lines[0] if lines else 'no output')}"


def find_binaries(given, root):
    """The folder with our programs."""
    here = Path(__file__).resolve().parent.parent
    folders = [given] if given else [here, root / "bin", root / "target" / "release"]
    for folder in folders:
        if (folder / "nesl").is_file():
            return folder.resolve()
    sys.exit(f"gpu-check: there is no `nesl` in {' nor in '.join(map(str, folders))}; "
             "`cargo build --release --workspace` makes it")


class Machine:
    """The machine, our programs, and what time is left."""

    def __init__(self, root, binaries, temporary, options):
        self.root, self.binaries, self.temporary = root, binaries, temporary
        self.options, self.engine = options, options.engine
        self.end = time.monotonic() + options.limit
        self.cores = len(os.sched_getaffinity(0))
        self.started = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        self.background = []
        # Libraries of examples that are being built and called: (name, future).
        self.libraries = None
        self.cache = temporary / "cache"
        self.environment = dict(os.environ, NESL_CACHE_DIR=str(self.cache))
        self.has_widths = "--float" in self.call([self.program("nesl"), "run", "--help"], 20).out

    def program(self, name):
        """One of ours."""
        return str(self.binaries / name)

    def left(self, most):
        """Seconds that something may take: at most so many, and what is left of all."""
        return max(1.0, min(most, self.end - time.monotonic()))

    def is_late(self):
        return time.monotonic() > self.end - 5

    def call(self, command, most, environment=None):
        """Runs a program and all that it starts, and kills them when their time is up."""
        began = time.monotonic()
        process = self.start(command, environment)
        late = False
        try:
            out, err = process.communicate(timeout=self.left(most))
        except subprocess.TimeoutExpired:
            late = True
            kill(process)
            out, err = process.communicate()
        seconds = time.monotonic() - began
        return Done(process.returncode, out, err, seconds, late)

    def start(self, command, environment=None):
        """Starts a program in a group of its own."""
        return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                errors="replace", start_new_session=True, cwd=self.root,
                                env=environment or self.environment)

    def quiet(self):
        """Waits until nothing else is done in the background, for a while."""
        for process in self.background:
            try:
                process.wait(timeout=self.left(90))
            except subprocess.TimeoutExpired:
                return

    def stop(self):
        """Ends what still runs in the background."""
        for process in self.background:
            if process.poll() is None:
                kill(process)

    def gpu(self, facts):
        """What nvidia-smi says; none where it does not."""
        if not shutil.which("nvidia-smi"):
            return None
        done = self.call(["nvidia-smi", f"--query-gpu={facts}", "--format=csv,noheader,nounits"], 20)
        return done.out.strip().splitlines()[0] if done.code == 0 and done.out.strip() else None

    def describe(self):
        gpu = self.gpu("name,driver_version,memory.total")
        name, driver, memory = gpu.split(", ") if gpu else ("no GPU", "none", "0")
        nvcc = find_tool("nvcc")
        release = ""
        if nvcc:
            lines = self.call([nvcc, "--version"], 20).out.splitlines()
            release = next((line.split(",")[-1].strip() for line in lines if "release" in line), "")
        version = self.call([self.program("nesl"), "--version"], 20).out.strip()
        return (f"{name}, {int(memory) // 1024} GiB; driver {driver}; nvcc "
                f"{release or 'not found'}; {self.cores} cores; {version}; {self.started}")

    def stats(self, arguments, most, environment=None):
        """Runs `nesl` and gives how it ended and the statistics that it told."""
        command = [self.program("nesl"), "run", *arguments, "--engine", self.engine,
                   "--stats=json"]
        done = self.call(command, most, environment)
        lines = [line for line in done.err.splitlines() if line.startswith("{")]
        return done, json.loads(lines[-1]) if lines else None


def kill(process):
    """Ends a process that was started here, and all of its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def find_tool(name):
    """A tool of the CUDA toolkit."""
    folders = [Path(os.environ[v]) / "bin" for v in ("CUDA_HOME", "CUDA_PATH") if v in os.environ]
    folders += sorted(Path("/usr/local").glob("cuda*/bin"), reverse=True)
    folders += sorted(Path("/usr/local").glob("cuda*/compute-sanitizer"), reverse=True)
    found = shutil.which(name)
    if found:
        return found
    return next((str(f / name) for f in folders if (f / name).is_file()), None)


def examples(root):
    """The first case of each example: its name and the arguments of `nesl run`."""
    for file in sorted((root / "examples").glob("*/cases.txt")):
        yield from cases(file, 1)


def cases(file, most=None):
    """Cases of an example."""
    folder, count = file.parent, 0
    for block in file.read_text().split("\n\n"):
        entry = next((line[7:] for line in block.splitlines() if line.startswith("entry: ")), None)
        if entry is None or (most is not None and count >= most):
            continue
        count += 1
        function, *given = entry.split()
        pairs = (word.split("=", 1) for word in given)
        given = [f"{name}={folder / value if (folder / value).is_file() else value}"
                 for name, value in pairs]
        program = folder / f"{folder.name}.nesl"
        yield folder.name, [str(program), "--entry", function, *given]


def median(times):
    ordered = sorted(times)
    return ordered[len(ordered) // 2] if ordered else float("nan")
