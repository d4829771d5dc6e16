"""Arrays of CuPy, PyTorch and JAX in and out, by address, on a machine with a GPU.

`scripts/gpu-check python` runs it; it needs the package and those of the libraries that are there.
Each check prints one line, and the exit status tells if all hold.
"""

import gc
import importlib
import multiprocessing
import sys
import time
import traceback

import numpy as np

import nesl

TEXT = """function id(x) = x; function total(v) = sum(v); function sums(m) = {sum(r) : r in m};
function twice(v) = {x + x : x in v}; function kept(v) = {x in v | x > 2};
function rows(n) = {{float(i + j) : j in [0:i]} : i in [0:n]}; function half(v) = {x / 2.0 : x in v};
function smxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};"""
CHECKS = []


def check(library):
    def add(function):
        CHECKS.append((library, function))
        return function

    return add


def pointer(array):
    return array.__cuda_array_interface__["data"][0]


@check("cupy")
def cupy_in_and_out(cupy, m):
    a = cupy.arange(1_000_000, dtype="f8")
    assert m.total(a) == 499999500000.0
    out = m.id(a)
    assert pointer(out) == pointer(a) and out.device == "cuda:0", "an identity copies"
    out = m.twice(a)
    assert out.device == "cuda:0" and out.type == "[float]"
    for there in (cupy.asarray(out), cupy.from_dlpack(out)):
        assert pointer(there) == pointer(out) and bool((there == 2 * a).all())
    assert m.total(out) == 999999000000.0
    f = cupy.arange(5, dtype="f4")
    half = m.half(f)
    assert cupy.asarray(half).dtype == np.float32 and m.id(half).tolist() == [0, 0.5, 1, 1.5, 2]
    assert m.total(a[1:]) == 499999500000.0 and m.total(f[1:4]) == 6.0
    assert m.sums(a[:6].reshape(2, 3)).tolist() == [3, 12]
    assert m.total(cupy.array([1, 2], dtype="i4")) == 3 and m.total(a[:0]) == 0
    assert m.id(cupy.array([True, False])).tolist() == [True, False]
    try:
        m.total(a[::2])
        raise AssertionError("elements apart are taken")
    except nesl.Error as error:
        assert "contiguous" in str(error)


@check("cupy")
def results_stay(cupy, m):
    a = cupy.arange(100_000, dtype="i8")
    kept = m.kept(m.twice(m.twice(a)))
    assert kept.device == "cuda:0" and len(kept) == 99_999
    assert (cupy.asarray(kept) == 4 * a[1:]).all()
    assert kept[0] == 4 and kept[-1] == 399996 and nesl.to_numpy(kept[5:7]).tolist() == [24, 28]
    assert cupy.asarray(kept[5:]).tolist()[:2] == [24, 28]
    nested = m.rows(1000)
    assert m.sums(nested).tolist()[:4] == [0, 1, 5, 12] and len(nested[7]) == 7
    assert nested[3].tolist() == [3, 4, 5]


@check("cupy")
def streams(cupy, m):
    # Memory that a stream is still writing when the call begins.
    for _ in range(5):
        for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream()):
            with stream:
                a = cupy.zeros(20_000_000)
                for _ in range(20):
                    a += 1
                assert m.total(a) == 400_000_000
                b = cupy.asarray(m.twice(a)) + 1
            stream.synchronize()
            assert float(b[0]) == 41 and float(b[-1]) == 41


@check("cupy")
def memory_is_flat(cupy, m):
    a = cupy.arange(1_000_000, dtype="f8")
    free = lambda: (gc.collect(), cupy.cuda.runtime.memGetInfo()[0])[1]
    for _ in range(20):
        m.twice(a)
    before = free()
    for _ in range(2000):
        cupy.asarray(m.twice(a))
    assert before - free() < 64 << 20, f"{before - free()} bytes are kept"


@check("cupy")
def arrow_on_the_device(cupy, m):
    class Device:
        def __init__(self, array):
            self.array = array

        def __arrow_c_device_array__(self, requested_schema=None, **options):
            return self.array.__arrow_c_device_array__(requested_schema, **options)

    nested = m.rows(300)
    again = m.id(Device(nested))
    assert again.tolist() == nested.tolist() and again.device == "cuda:0"
    assert m.sums(Device(nested)).tolist() == m.sums(nested).tolist()
    flat = m.twice(cupy.arange(1000, dtype="f8"))
    assert pointer(m.id(Device(flat))) == pointer(flat)
    pairs = m.id([[(0, 2.0), (1, 0.5)], [], [(1, 4.0)]])
    assert m.smxv(Device(pairs), cupy.array([1.0, 10.0])).tolist() == [7, 0, 40]


@check("torch")
def torch_in_and_out(torch, m):
    a = torch.arange(1_000_000, dtype=torch.float32, device="cuda")
    out = m.half(a)
    there = torch.from_dlpack(out)
    assert there.dtype == torch.float32 and there.data_ptr() == pointer(out)
    assert torch.equal(there, a / 2)
    assert pointer(m.id(a)) == a.data_ptr()
    assert m.total(torch.tensor([1, 2, 3])) == 6
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        b = torch.zeros(20_000_000, device="cuda", dtype=torch.float64)
        for _ in range(20):
            b += 1
        assert m.total(b) == 400_000_000
    nested = torch.nested.nested_tensor(
        [torch.tensor([1.0, 2.0]), torch.tensor([]), torch.tensor([3.0])], layout=torch.jagged
    )
    assert m.sums(nested).tolist() == [3, 0, 3]


@check("jax")
def jax_in_and_out(jax, m):
    a = jax.numpy.arange(1000, dtype="float32")
    assert m.half(a).tolist() == [x / 2 for x in range(1000)]
    out = m.half(a)
    there = jax.dlpack.from_dlpack(out)
    assert there.dtype == "float32" and float(there.sum()) == 249750.0
    assert there.unsafe_buffer_pointer() == pointer(out)


@check("numpy")
def host_arrays(numpy, m):
    a = numpy.arange(100_000.0)
    out = m.twice(a)
    assert out.device == "cuda:0" and (nesl.to_numpy(out) == 2 * a).all()
    assert (numpy.from_dlpack(out, device="cpu") == 2 * a).all() and m.total(out) == 2 * a.sum()
    cores = nesl.compile(TEXT, engine="cpu")
    assert cores.total(out) == 2 * a.sum()


def child(queue):
    try:
        queue.put(str(nesl.compile(TEXT, engine="cuda").total([1, 2])))
    except nesl.Error as error:
        queue.put(str(error))


@check("numpy")
def forks_are_refused(numpy, m):
    m.total(numpy.arange(10.0))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    assert "spawn" in queue.get(timeout=60)
    process.join()


def main():
    wrong = 0
    for library, function in CHECKS:
        name = function.__name__.replace("_", " ")
        try:
            module = importlib.import_module(library)
            if library == "jax":
                importlib.import_module("jax.dlpack")
        except ImportError:
            print(f"left out: {name}: no {library}")
            continue
        began = time.monotonic()
        try:
            # A program by itself, so that one failure is not that of others.
            function(module, nesl.compile(TEXT, engine="cuda"))
            print(f"holds: {name} ({library} {module.__version__}) in {time.monotonic() - began:.1f} s")
        except Exception:
            wrong += 1
            print(f"WRONG: {name} ({library} {module.__version__})\n{traceback.format_exc(limit=4)}")
        sys.stdout.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
