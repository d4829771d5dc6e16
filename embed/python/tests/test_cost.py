"""Costs of calls by `nesl.cost`, and profiles by `nesl.profile`."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import nesl

QUICKSORT = """function quicksort(a) =
  if #a < 2 then a
  else
    let p = a[#a / 2];
        parts = {quicksort(v) : v in [{x in a | x < p}, {x in a | x > p}]}
    in parts[0] ++ {x in a | x == p} ++ parts[1];
function spin(n) = if n == 0 then 0 else spin(n - 1 + (n * n) / n - n);"""
KEYS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
PROGRAM = nesl.compile(QUICKSORT, name="quicksort.nesl", engine="cpu")


def test_cost_is_that_of_the_command(tmp_path):
    cost = nesl.cost(PROGRAM.quicksort, KEYS)
    assert (cost.work, cost.depth) == (1788, 316)
    assert cost.result.tolist() == sorted(KEYS)
    source = tmp_path / "quicksort.nesl"
    source.write_text(QUICKSORT)
    command = [os.environ["NESL"], "cost", source, "--entry", "quicksort", f"a={KEYS}"]
    run = lambda *options: subprocess.run([*command, *options], stdout=-1, check=True, text=True)
    assert repr(cost) == run().stdout.rstrip()
    told = json.loads(run("--json").stdout)
    functions = [(it["name"], it["calls"], it["own_work"]) for it in told["functions"]]
    assert [(it["name"], it["calls"], it["own_work"]) for it in cost.functions] == functions
    assert functions[0][:2] == ("quicksort", 15)


def test_cost_as_html():
    shown = nesl.cost(PROGRAM.quicksort, a=KEYS)._repr_html_()
    assert "work 1788, depth 316" in shown and "quicksort.nesl:5" in shown
    assert "if #a &lt; 2 then a" in shown


def test_profile_of_a_call(tmp_path):
    keys = np.arange(20_000)[::-1].copy()
    profile = nesl.profile(PROGRAM.quicksort, keys)
    assert (nesl.to_numpy(profile.result) == keys[::-1]).all()
    assert profile.stats["kernels_run"] > 0 and profile.seconds > 0
    assert profile.peak_bytes >= keys.nbytes
    assert any(kernel["ms"] > 0 and kernel["elements"] > 0 for kernel in profile.kernels)
    assert "kernels run" in repr(profile)
    page = profile.to_html()
    assert page.startswith("<!DOCTYPE html>") and "quicksort.nesl:" in page and "<rect" in page
    profile.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} >= {"kernels", "host"}
    assert any(event.get("cat") == "compile" for event in events)


def test_the_last_of_several_calls_is_shown():
    profile = nesl.profile(PROGRAM.quicksort, np.arange(1000), repeat=3)
    events = json.loads(profile._trace)["traceEvents"]
    assert len([event for event in events if event.get("cat") == "call"]) >= 1
    assert not any(event.get("cat") == "compile" for event in events)
    assert len(profile.stats["run_ms_all"]) == 3


def test_what_is_refused():
    interpreted = nesl.compile("function id(x) = x;", engine="interp")
    with pytest.raises(nesl.Error, match="compiled code"):
        nesl.profile(interpreted.id, 1)
    with pytest.raises(TypeError, match="no function of a nesl program"):
        nesl.cost(len, [1])
    with pytest.raises(nesl.Error, match="N0501"):
        nesl.cost(nesl.compile("function inv(x) = 1 / x;", engine="interp").inv, 0)
    with pytest.raises(ValueError):
        nesl.profile(PROGRAM.quicksort, [1], repeat=0)


INTERRUPTED = f"""
import os, signal, threading, nesl
program = nesl.compile('''{QUICKSORT}''', engine="cpu")
assert program.spin(3) == 0
for call in (program.spin, lambda n: nesl.cost(program.spin, n), program.spin):
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        call(2**62)
    except KeyboardInterrupt:
        continue
    raise SystemExit("nobody was interrupted")
assert nesl.cost(program.quicksort, [2, 1]).result.tolist() == [1, 2]
"""


def test_interrupts_end_calls_and_counting():
    # In a process of its own, as other libraries, such as polars, set handlers of SIGINT.
    subprocess.run([sys.executable, "-c", INTERRUPTED], check=True, timeout=60)


@nesl.function(engine="interp")
def squared(v):
    return [x * x for x in v]


def test_functions_of_python():
    cost = nesl.cost(squared, v=[1, 2, 3])
    assert cost.result.tolist() == [1, 4, 9] and cost.work > 3


def test_calls_have_their_widths():
    cost = nesl.cost(PROGRAM.quicksort, np.float32([2, 1]))
    assert nesl.to_numpy(cost.result).dtype == np.float32
