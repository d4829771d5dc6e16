#!/usr/bin/env bash
# polars 2.1.0 sets a handler of SIGINT of its own when it is imported, and one that is told of the
# signal's origin (SA_SIGINFO); `signal.getsignal` goes on to name Python's handler. NumPy 2.4.6 and
# pyarrow 26.0.1 leave the handler as it is.
#
# So an extension module that wants to hear of Ctrl-C, and goes on to the handler that it finds, must
# look at the flags of the action and call a handler with one argument or with three. Whether Python's
# handler is in place cannot be told from Python.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/environment"
"$work/environment/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0 numpy==2.4.6 pyarrow==26.0.1

"$work/environment/bin/python" > "$work/seen" << 'PYTHON'
import ctypes
import signal

system = ctypes.CDLL(None)
# Glibc on x86_64: the handler, a mask of 128 bytes, the flags.
LAYOUT = ctypes.c_byte * 152


def action():
    found = LAYOUT()
    assert system.sigaction(signal.SIGINT, None, ctypes.byref(found)) == 0
    raw = bytes(found)
    return int.from_bytes(raw[:8], "little"), bool(int.from_bytes(raw[136:140], "little") & 4)


before = action()
import numpy
import pyarrow

print("after NumPy and pyarrow:", "the same" if action() == before else "another", "handler")
import polars

handler, informed = action()
print("after polars:", "the same" if handler == before[0] else "another", "handler, SA_SIGINFO", informed)
print("Python says:", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
PYTHON

cat "$work/seen"
diff "$work/seen" - << 'EXPECTED'
after NumPy and pyarrow: the same handler
after polars: another handler, SA_SIGINFO True
Python says: True
EXPECTED
