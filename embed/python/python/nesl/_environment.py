"""Compilers that Python's packages bring: a C compiler, and NVIDIA's for kernels."""

import importlib.util
import os
import shutil
import warnings
from pathlib import Path

_warned = False


def _package(name):
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(next(iter(found.submodule_search_locations))) if found else None


def c_compiler():
    """The command line of ziglang's C compiler, if there is no other; None if the usual search
    finds one, False if there is none at all."""
    named = os.environ.get("NESL_CC") or os.environ.get("CC")
    if named or any(map(shutil.which, ("cc", "gcc", "clang"))):
        return None
    folder = _package("ziglang")
    return f"{folder / 'zig'} cc" if folder else False


def find_nvrtc():
    """Names the folder of the package with NVRTC, unless the environment names one: a Python that
    runs by its path is in no environment that a variable names."""
    if os.environ.get("NESL_CUDA_PATH"):
        return
    for name in ("nvidia.cu13", "nvidia.cuda_nvrtc"):
        folder = _package(name) if _package("nvidia") else None
        if folder and any((folder / "lib").glob("libnvrtc.so*")):
            os.environ["NESL_CUDA_PATH"] = str(folder)
            return


def chosen(engine, has_gpu):
    """The engine and the C compiler for it; the interpreter if nothing can compile."""
    global _warned
    find_nvrtc()
    compiler = c_compiler()
    if compiler is False and engine == "auto" and not has_gpu():
        if not _warned:
            _warned = True
            text = "no C compiler was found, so programs are interpreted, which is slow: install one,"
            warnings.warn(f"{text} or `pip install nesl[cc]`", RuntimeWarning, stacklevel=4)
        return "interp", None
    return engine, compiler or None
