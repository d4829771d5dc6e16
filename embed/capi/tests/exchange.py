"""Arrays of pyarrow through the C API and back: every layout, slices, nulls, addresses, releases.

    exchange.py LIBRARY

`scripts/arrow-check` runs it.
"""

import ctypes
import random
import sys

import pyarrow as pa

SCHEMA, ARRAY = 72, 80
lib = ctypes.CDLL(sys.argv[1])
for name in ["nesl_session_new", "nesl_function"]:
    getattr(lib, name).restype = ctypes.c_void_p
for name in ["nesl_error_code", "nesl_error_message", "nesl_error_text", "nesl_version"]:
    getattr(lib, name).restype = ctypes.c_char_p


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("engine", ctypes.c_int32),
        ("threads", ctypes.c_int32),
        ("memory", ctypes.c_uint64),
        ("int_bits", ctypes.c_int32),
        ("float_bits", ctypes.c_int32),
    ]


class Failed(Exception):
    pass


def failed(error):
    message = lib.nesl_error_message(error).decode()
    lib.nesl_error_free(error)
    raise Failed(message)


class Program:
    def __init__(self, engine, text):
        options = Options(size=ctypes.sizeof(Options), engine=engine)
        error = ctypes.c_void_p()
        self.session = lib.nesl_session_new(ctypes.byref(options), ctypes.byref(error))
        if not self.session:
            failed(error)
        self.program = ctypes.c_void_p()
        data = text.encode()
        if lib.nesl_compile(
            ctypes.c_void_p(self.session),
            data,
            ctypes.c_size_t(len(data)),
            ctypes.byref(self.program),
            ctypes.byref(error),
        ):
            failed(error)

    def call(self, name, *arrays):
        """Calls a function; gives an array."""
        error = ctypes.c_void_p()
        function = lib.nesl_function(self.program, name.encode(), ctypes.byref(error))
        if not function:
            failed(error)
        function = ctypes.c_void_p(function)
        schemas = (ctypes.c_byte * (SCHEMA * len(arrays)))()
        data = (ctypes.c_byte * (ARRAY * len(arrays)))()
        for n, array in enumerate(arrays):
            array._export_to_c(
                ctypes.addressof(data) + ARRAY * n, ctypes.addressof(schemas) + SCHEMA * n
            )
        schema, result = (ctypes.c_byte * SCHEMA)(), (ctypes.c_byte * ARRAY)()
        status = lib.nesl_call(
            function,
            schemas,
            data,
            ctypes.c_size_t(len(arrays)),
            schema,
            result,
            ctypes.byref(error),
        )
        lib.nesl_callable_free(function)
        for n in range(len(arrays)):
            # Imported and dropped, a schema is released.
            pa.DataType._import_from_c(ctypes.addressof(schemas) + SCHEMA * n)
        if status:
            failed(error)
        array = pa.Array._import_from_c(ctypes.addressof(result), ctypes.addressof(schema))
        array.validate(full=True)
        return array


def same(program, array, expected=None):
    """The array comes back as it is, also a slice of it."""
    for offset in [0, 1, 3, 8, 9]:
        part = array.slice(offset)
        want = part.to_pylist() if expected is None else expected[offset:]
        assert plain(program.call("id", part).to_pylist()) == plain(want), (array.type, offset)


def plain(value):
    """Structs as tuples, and bytes as text."""
    if isinstance(value, dict):
        return tuple(plain(part) for part in value.values())
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.decode() if isinstance(value, bytes) else value


def refused(program, array, message):
    try:
        program.call("id", array)
    except Failed as error:
        assert message in str(error), error
        return
    raise AssertionError(f"{array.type} is taken")


def check(engine):
    program = Program(engine, "function id(x) = x; function smxv(m, v) = "
                              "{sum({x * v[i] : i, x in row}) : row in m};")
    numbers = random.Random(0)
    ints = [numbers.randrange(100) for _ in range(40)]
    lists = [[numbers.randrange(100) for _ in range(numbers.randrange(4))] for _ in range(40)]
    words = ["".join(numbers.choice("abc") for _ in range(numbers.randrange(30))) for _ in range(40)]
    before = pa.total_allocated_bytes()
    for ty in [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(),
               pa.uint64(), pa.float32(), pa.float64()]:
        same(program, pa.array(ints, ty))
        for of in [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]:
            same(program, pa.array(lists, of(ty)))
            same(program, pa.array([[row, []] for row in lists], of(of(ty))))
    same(program, pa.array([[n, n + 1] for n in ints], pa.list_(pa.int64(), 2)))
    same(program, pa.array([n % 3 == 0 for n in ints]))
    same(program, pa.array([[n % 3 == 0] * (n % 5) for n in ints], pa.list_(pa.bool_())))
    for ty in [pa.utf8(), pa.large_utf8(), pa.string_view(), pa.binary(), pa.large_binary(),
               pa.binary_view()]:
        same(program, pa.array(words, ty))
    same(program, pa.array([word[:2].ljust(2) for word in words], pa.binary(2)))
    same(program, pa.array(words).dictionary_encode(), words)
    pairs = pa.struct([("i", pa.int64()), ("x", pa.float32()), ("b", pa.bool_())])
    rows = [{"i": n, "x": n / 2, "b": n % 2 == 0} for n in ints]
    same(program, pa.array(rows, pairs))
    same(program, pa.array([rows[: n % 4] for n in ints], pa.large_list(pairs)))
    for ty in [pa.int64(), pa.large_list(pa.float64()), pa.utf8(), pairs, pa.bool_()]:
        same(program, pa.array([], ty))
    # A result that is the argument lies in its memory, on the cores.
    floats = pa.array([float(n) for n in ints])
    back = program.call("id", floats)
    if engine == 1:
        assert back.buffers()[1].address == floats.buffers()[1].address
    # A matrix.
    row = pa.struct([("i", pa.int64()), ("x", pa.float64())])
    matrix = pa.array([[(0, 2.0), (1, 0.5)], [], [(1, 4.0)]], pa.large_list(row))
    vector = pa.array([1.0, 10.0])
    assert program.call("smxv", matrix, vector).to_pylist() == [7.0, 0.0, 40.0]
    # What is refused.
    null = "it is null, and NESL has no nulls"
    refused(program, pa.array([1, None, 3]), f"`x` in row 1: {null}")
    refused(program, pa.array([[1], [2, None]]), f"`x[i]` in row 1: {null}")
    refused(program, pa.array(["é"]), "not ASCII")
    refused(program, pa.array([1], pa.timestamp("s")), "Arrow's timestamp")
    refused(program, pa.array([None]), "Arrow's null")
    refused(program, pa.array([2**63], pa.uint64()), "too large")
    del floats, back, matrix, vector
    assert pa.total_allocated_bytes() <= before, (pa.total_allocated_bytes(), before)
    lib.nesl_program_free(program.program)
    lib.nesl_session_free(ctypes.c_void_p(program.session))


for engine in [3, 1]:
    check(engine)
print(f"pyarrow {pa.__version__}: all layouts went in and came back")
