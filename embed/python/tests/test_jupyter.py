"""The kernel, by the protocol of notebooks, and `%%nesl` in notebooks of Python."""

import json
import subprocess
import sys
import threading
import time

import pytest
from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

import nesl
from nesl import _nesl, _show

PATIENCE = 60


class Notebook:
    """A client of a kernel that runs."""

    def __init__(self, manager):
        self.manager = manager
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def run(self, code, meanwhile=None):
        """The reply, and the messages that were shown."""
        # Without this, cells that come soon after a failure are skipped.
        asked = self.client.execute(code, stop_on_error=False)
        shown = []
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != asked:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind == "execute_input" and meanwhile is not None:
                threading.Timer(1.5, meanwhile).start()
            if kind not in ("status", "execute_input"):
                shown.append((kind, content))
        return self.reply(asked), shown

    def asked(self, ask, *args):
        return self.reply(ask(*args))

    def reply(self, asked):
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == asked:
                return message["content"]

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def installed(folder, *options):
    """The manager of a kernel that is installed there."""
    install = [sys.executable, "-m", "nesl.jupyter", "install", "--prefix", str(folder)]
    subprocess.run([*install, *options], check=True)
    specs = KernelSpecManager(kernel_dirs=[str(folder / "share/jupyter/kernels")])
    options = {"transport_encryption": "required"}
    return KernelManager(kernel_name="nesl", kernel_spec_manager=specs, **options)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    notebook = Notebook(installed(folder, "--engine", "interp"))
    yield notebook
    notebook.close()


def texts(shown, mime="text/plain"):
    return [content["data"][mime] for _, content in shown if mime in content.get("data", {})]


def test_definitions_stay_and_the_last_value_is_the_result(notebook):
    reply, shown = notebook.run("function square(x) = x * x;\nsquare(2); let y = 3 in y")
    assert reply["status"] == "ok"
    # The terminator of the last form may be missing.
    assert [kind for kind, _ in shown] == ["display_data", "display_data", "execute_result"]
    assert texts(shown) == ["square = fn : a -> a :: (a in number)", "it = 4 : int", "it = 3 : int"]
    reply, shown = notebook.run("{square(x) : x in [1:4]}; print_line(\"seen\");")
    assert texts(shown)[0] == "it = [1, 4, 9] : [int]"
    streams = [content["text"] for kind, content in shown if kind == "stream"]
    assert "".join(streams) == "seen\n"


def test_nested_results_are_tables(notebook):
    _, shown = notebook.run("{[0:n] : n in [0:100]};")
    (table,) = texts(shown, "text/html")
    assert "[[int]], 100 elements, of which the first 20 are shown" in table
    assert table.count("<tr>") == 21 and "7 more" in table
    _, shown = notebook.run('[(1, "<b>"), (2, "c")];')
    (table,) = texts(shown, "text/html")
    assert "&lt;b&gt;" in table and "<b>" not in table


def test_errors_are_rich(notebook):
    reply, shown = notebook.run("function mean(a) = sum(a) / float(#a);\nmean(3);")
    assert (reply["status"], reply["ename"]) == ("error", "N0301")
    assert "this is int" in texts(shown)[-1]
    (page,) = texts(shown, "text/html")
    assert "mean<span" in page and ">(3)</span>;" in page and "<b style" in page
    reply, _ = notebook.run("1 / 0;")
    assert (reply["ename"], reply["traceback"][0][:5]) == ("N0501", "error")
    assert notebook.run("mean([1.0, 2.0]);")[0]["status"] == "ok"


def test_completion(notebook):
    notebook.run("plus_mine = 1;")
    code = "% \u00e4 % 1; plus_"
    told = notebook.asked(notebook.client.complete, code, len(code))
    assert {"plus_scan", "plus_mine"} <= set(told["matches"])
    assert code[told["cursor_start"] : told["cursor_end"]] == "plus_"
    told = notebook.asked(notebook.client.complete, "set print", 9)
    assert told["matches"] == ["print_length"]


def test_inspection(notebook):
    told = notebook.asked(notebook.client.inspect, "plus_scan(a)", 4)
    assert told["found"] and "plus_scan : [a] -> [a]" in told["data"]["text/plain"]
    assert "work n, depth 1" in told["data"]["text/plain"]
    notebook.run('function third(a) "the third\n cost: 1 / 1" = a[2];')
    told = notebook.asked(notebook.client.inspect, "third([1, 2,", 12)
    assert told["data"]["text/plain"].startswith("third : [a] -> a")
    assert "the third" in told["data"]["text/plain"] and "work 1" in told["data"]["text/plain"]
    assert not notebook.asked(notebook.client.inspect, "unknown", 3)["found"]


def test_whole_cells(notebook):
    status = lambda code: notebook.asked(notebook.client.is_complete, code)["status"]
    assert [status(code) for code in ("1 + 1;", "1 + 1", "let x = 1;", "f(")] == [
        "complete",
        "complete",
        "incomplete",
        "incomplete",
    ]


def test_an_interrupt_keeps_the_session(notebook):
    notebook.run("function spin(n) = if n == 0 then 0 else spin(n - 1);\nkept = 41;")
    for _ in range(2):
        start = time.monotonic()
        spin = "kept + 1; spin(1000000000000); kept;"
        reply, shown = notebook.run(spin, notebook.manager.interrupt_kernel)
        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        assert time.monotonic() - start < 60
        plain = texts(shown)
        assert plain[0] == "it = 42 : int" and any("N0801" in text for text in plain)
        # A run of over a second tells how long it takes.
        assert any(text.startswith("running") for text in plain)
        kinds = [kind for kind, _ in shown]
        assert kinds.count("update_display_data") >= 1
    _, shown = notebook.run("kept + 2;")
    assert texts(shown) == ["it = 43 : int"]


SPIN = "function spin(n) = if n == 0 then 0 else spin(n - 1 + (n * n) / n - n);"


def test_an_interrupt_of_compiled_code(tmp_path):
    notebook = Notebook(installed(tmp_path))
    try:
        notebook.run(f"{SPIN}\nkept = 41;")
        reply, _ = notebook.run("spin(2000000000000000000)", notebook.manager.interrupt_kernel)
        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        assert texts(notebook.run("kept + 1")[1]) == ["it = 42 : int"]
        reply, _ = notebook.run("exit;")
        assert reply["payload"] == [{"source": "ask_exit", "keepkernel": False}]
    finally:
        notebook.close()


def test_an_interrupt_in_a_notebook_of_python():
    notebook = Notebook(KernelManager(kernel_name="python3"))
    try:
        notebook.run("%load_ext nesl.jupyter")
        compiled, _ = notebook.run(f"%%nesl --engine cpu\n{SPIN} function next(n) = n + 1;")
        assert compiled["status"] == "ok"
        for _ in range(2):
            assert notebook.run("spin(3)")[0]["status"] == "ok"
            reply, _ = notebook.run("spin(2**62)", notebook.manager.interrupt_kernel)
            assert reply["ename"] == "KeyboardInterrupt"
            _, shown = notebook.run("next(1)")
            assert texts(shown) == ["2"]
        _, shown = notebook.run("%%nesl\nfunction wrong(x) = y;")
        assert "y</span>" in texts(shown, "text/html")[0]
        (error,) = [content for kind, content in shown if kind == "error"]
        assert error["traceback"] == ["N0204: `y` is not defined"]
    finally:
        notebook.close()


def test_texts_are_bounded(notebook):
    _, shown = notebook.run("{{{i : i in [0:100]} : j in [0:100]} : k in [0:100]};")
    (plain,) = texts(shown)
    assert len(plain) < 11_000 and plain.endswith("… : [[[int]]]")


def test_pictures(notebook):
    pytest.importorskip("matplotlib")
    for code in ("%%plot\n[1, 4, 9];", "%%plot image\n[[1, 2], [3, 4]]", "%%plot\n[(1, 2.0)];"):
        reply, shown = notebook.run(code)
        assert reply["status"] == "ok", reply
        (image,) = texts(shown, "image/png")
        assert image.startswith("iVBORw0KGgo")
    reply, _ = notebook.run("%%plot cake\n[1];")
    assert reply["status"] == "error" and "hist" in reply["evalue"]
    assert notebook.run("%%plot\n3;")[0]["status"] == "error"


@pytest.fixture
def shell(monkeypatch):
    shell = InteractiveShell.instance()
    told = []
    monkeypatch.setattr(shell.display_pub, "publish", lambda data, *_, **__: told.append(data))
    shell.told = told
    shell.run_line_magic("load_ext", "nesl.jupyter")
    yield shell
    InteractiveShell.clear_instance()


def test_a_cell_in_a_notebook_of_python(shell):
    shell.run_cell("%%nesl --engine interp\nfunction total(v) = sum(v); function twice(x) = 2 * x;")
    assert shell.run_cell("twice(total([1, 2, 3]))").result == 12
    assert shell.user_ns["total"]([[1][0], 2]) == 3


def test_errors_in_a_notebook_of_python(shell, capsys):
    done = shell.run_cell("%%nesl --engine interp --name mine\nfunction total(v) = sum(w);")
    assert isinstance(done.error_in_exec, nesl.Error) and done.error_in_exec.code == "N0204"
    (data,) = shell.told
    assert "mine:1" in data["text/plain"]
    assert 'sum(<span style="text-decoration: underline' in data["text/html"]
    assert "Traceback" not in capsys.readouterr().out


def test_progress_in_a_notebook_of_python(shell):
    shell.run_cell("import nesl, time\nwith nesl.jupyter.progress(): time.sleep(1.5)")
    assert [data["text/plain"] for data in shell.told][0] == "running, 1 s"
    assert shell.told[-1]["text/plain"].startswith("took 1.")


def test_values_as_html_are_bounded():
    program = nesl.compile("function id(x) = x;", engine="interp")
    big = program.id([[list(range(100))] * 50] * 1000)
    assert len(big._repr_html_()) < 100_000
    assert "1000 elements" in big._repr_html_()
    assert program.id([])._repr_html_().count("<tr>") == 1
    flat = program.id([True, False])._repr_html_()
    assert ">T<" in flat and "[bool], 2 elements" in flat
    assert _show.table(3) is None and _show.table(program.id(([1], 2))).count("<div>") == 2
    assert len(program.id(["x" * 10_000])._repr_html_()) < 1000


def test_warnings_and_functions_as_values():
    repl, told = _nesl.Repl("cpu", None, None, None), []
    text = """function repeated(g, n, x) =
      if n == 0 then g(x) else repeated(y => g(y) + 1.0, n - 1, x);
    repeated(sin, 3, 0.5); sin;"""
    assert repl.evaluate("cell", text, lambda *event: told.append(event))
    (warned,) = [event[1] for event in told if event[0] == "warned"]
    assert warned.startswith("cell:2:") and "interpreted, not compiled" in warned
    shown = {event[1]: event for event in told if event[0] == "shown"}
    assert shown["it"][2:] == ("float -> float", "fn", None)


def test_a_cell_stops_if_nobody_hears_of_it():
    repl = _nesl.Repl("interp", None, None, None)

    def tell(*_):
        raise LookupError("nobody hears")

    with pytest.raises(LookupError, match="nobody"):
        repl.evaluate("cell", "a = 1; b = 2;", tell)
    told = []
    assert repl.evaluate("cell", "a + 1; exit;", lambda *event: told.append(event)) is False
    assert told == [("shown", "it", "int", "2", 2)]
    assert repl.names() == [("a", "int"), ("it", "int")]
