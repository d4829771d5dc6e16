"""Whole processes on the small inputs of the examples, with an empty cache and with a full one."""

from .common import Result, examples, median

COLD, WARM = 1.5, 0.4


def run(machine):
    machine.quiet()
    rows, failures, missed = [], [], 0
    known = list(examples(machine.root))
    # The first process reads driver and NVRTC from disk, as no other will.
    for _, arguments in known[:1]:
        environment = dict(machine.environment, NESL_CACHE_DIR=str(machine.temporary / "first"))
        machine.call([machine.program("nesl"), "run", *arguments, "--engine", machine.engine], 60,
                     environment)
    for name, arguments in known:
        if machine.is_late():
            failures.append(f"{name}: no time was left")
            continue
        folder = machine.temporary / f"start-{name}"
        # NVRTC has a cache of its own, which an earlier check may have filled.
        environment = dict(machine.environment, NESL_CACHE_DIR=str(folder), CUDA_CACHE_DISABLE="1")
        command = [machine.program("nesl"), "run", *arguments, "--engine", machine.engine]
        cold = machine.call(command, 60, environment)
        warm = [machine.call(command, 60, environment) for _ in range(3)]
        bad = next((done for done in [cold, *warm] if done.code != 0 or done.late), None)
        if bad:
            failures.append(f"{name}: {bad.why()}")
            continue
        times = cold.seconds, median([done.seconds for done in warm])
        misses = [time > aim for time, aim in zip(times, (COLD, WARM))]
        missed += sum(misses)
        marks = [f"{time:.2f}{' MISSED' if miss else ''}" for time, miss in zip(times, misses)]
        print(f"   {name:16} {marks[0]:>12} {marks[1]:>12}", flush=True)
        rows.append([name, *marks])
    head = ["example", f"empty cache, s (aim {COLD})", f"full cache, s (aim {WARM})"]
    summary = f"{len(rows)} examples, {missed} aims missed"
    return Result(not failures, summary, failures, [("Start to end of a process", head, rows)],
                  missed)
