"""The C API by ctypes: sessions, calls with whatever Arrow objects of Python offer, results as
objects that offer the same.  Counts how often each struct is released.

Structs are watched: their `release` is replaced by one that counts and calls the old one, so that a
struct that is never released, or twice, is found wherever it went.
"""

import ctypes

VOID = ctypes.c_void_p
RELEASE = ctypes.CFUNCTYPE(None, VOID)
GET = ctypes.CFUNCTYPE(ctypes.c_int, VOID, VOID)


class Schema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", VOID),
        ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", VOID),
        ("dictionary", VOID), ("release", VOID), ("private_data", VOID),
    ]


class Array(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", VOID),
        ("children", VOID), ("dictionary", VOID), ("release", VOID), ("private_data", VOID),
    ]


class Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", VOID), ("get_next", VOID), ("get_last_error", VOID), ("release", VOID),
        ("private_data", VOID),
    ]


class DeviceArray(ctypes.Structure):
    _fields_ = [
        ("array", Array), ("device_id", ctypes.c_int64), ("device_type", ctypes.c_int32),
        ("sync_event", VOID), ("reserved", ctypes.c_int64 * 3),
    ]


class Fill(ctypes.Structure):
    _fields_ = [
        ("ints", ctypes.c_int64), ("floats", ctypes.c_double), ("bools", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


class Argument(ctypes.Structure):
    _fields_ = [
        ("schema", VOID), ("array", VOID), ("device", VOID), ("stream", VOID), ("fill", VOID),
        ("reserved", VOID * 3),
    ]


class Result(ctypes.Structure):
    _fields_ = [
        ("schema", VOID), ("array", VOID), ("device", VOID), ("stream", VOID),
        ("flags", ctypes.c_uint64), ("reserved", VOID * 3),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("engine", ctypes.c_int32), ("threads", ctypes.c_int32),
        ("memory", ctypes.c_uint64), ("int_bits", ctypes.c_int32), ("float_bits", ctypes.c_int32),
    ]


LIST_VIEWS, TABLE = 1, 2

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = VOID, [ctypes.py_object, ctypes.c_char_p]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [VOID, ctypes.c_char_p, VOID]
# A capsule that is being dropped must not be counted as used again.
raw_pointer_of = ctypes.PYFUNCTYPE(VOID, VOID, VOID)(("PyCapsule_GetPointer", ctypes.pythonapi))
raw_name_of = ctypes.PYFUNCTYPE(VOID, VOID)(("PyCapsule_GetName", ctypes.pythonapi))


class Counts:
    """How many structs there were, and how many of them were released."""

    def __init__(self):
        self.made = self.released = 0
        self.twice = []
        # Functions of C must stay as long as somebody may call them.
        self.kept = []

    def watch(self, struct):
        """Counts when a struct is released."""
        if not struct.release:
            return
        self.made += 1
        old, done = RELEASE(struct.release), []

        def release(address):
            self.twice += done
            done.append(address)
            self.released += 1
            old(address)

        self.kept.append(RELEASE(release))
        struct.release = ctypes.cast(self.kept[-1], VOID).value

    def watch_stream(self, stream):
        """Counts when a stream, its schemas and its arrays are released."""
        for name, kind in [("get_schema", Schema), ("get_next", Array)]:
            self.kept.append(GET(self.watched(GET(getattr(stream, name)), kind)))
            setattr(stream, name, ctypes.cast(self.kept[-1], VOID).value)
        self.watch(stream)

    def watched(self, get, kind):
        def watched(stream, out):
            code = get(stream, out)
            if code == 0:
                self.watch(kind.from_address(out))
            return code

        return watched

    def settled(self):
        """Makes sure that each struct was released once."""
        assert not self.twice, self.twice
        assert self.made == self.released, f"{self.released} of {self.made} structs are released"


# The structs in capsules by address: a consumer may move a struct out, or read it in the capsule.
in_capsules = {}


@ctypes.PYFUNCTYPE(None, VOID)
def drop_capsule(capsule):
    """Releases what nobody moved out of a capsule."""
    address = raw_pointer_of(capsule, raw_name_of(capsule))
    release(in_capsules.pop(address))


def release(struct):
    if struct.release:
        RELEASE(struct.release)(ctypes.addressof(struct))


def capsule(struct, name):
    """A capsule that has a struct from now on."""
    own = type(struct).from_buffer_copy(struct)
    struct.release = None
    address = ctypes.addressof(own)
    in_capsules[address] = own
    return new_capsule(address, name, ctypes.cast(drop_capsule, VOID))


class GivenArray:
    """A result that offers an array, once."""

    def __init__(self, schema, array):
        self.schema, self.array = schema, array

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema, b"arrow_schema"), capsule(self.array, b"arrow_array")

    def __del__(self):
        release(self.schema)
        release(self.array)


class GivenStream:
    """A result that offers a stream, once."""

    def __init__(self, stream):
        self.stream = stream

    def __arrow_c_stream__(self, requested_schema=None):
        return capsule(self.stream, b"arrow_array_stream")

    def __del__(self):
        release(self.stream)


class Failed(Exception):
    pass


class Library:
    def __init__(self, path):
        self.c = c = ctypes.CDLL(path)
        for name in ["nesl_session_new", "nesl_function"]:
            getattr(c, name).restype = VOID
        for name in ["nesl_error_message", "nesl_version"]:
            getattr(c, name).restype = ctypes.c_char_p
        c.nesl_call_with.argtypes = [VOID, VOID, ctypes.c_size_t, VOID, VOID]
        c.nesl_compile.argtypes = [VOID, ctypes.c_char_p, ctypes.c_size_t, VOID, VOID]
        c.nesl_function.argtypes = [VOID, ctypes.c_char_p, VOID]
        for name in ["nesl_error_message", "nesl_error_free", "nesl_callable_free",
                     "nesl_program_free", "nesl_session_free"]:
            getattr(c, name).argtypes = [VOID]

    def failed(self, error):
        message = self.c.nesl_error_message(error).decode()
        self.c.nesl_error_free(error)
        raise Failed(message)


class Program:
    """A text, compiled for an engine."""

    def __init__(self, library, engine, text):
        self.library, self.c = library, library.c
        options = Options(size=ctypes.sizeof(Options), engine=engine)
        error = VOID()
        self.session = self.c.nesl_session_new(ctypes.byref(options), ctypes.byref(error))
        if not self.session:
            library.failed(error)
        self.program, data = VOID(), text.encode()
        if self.c.nesl_compile(self.session, data, len(data), ctypes.byref(self.program),
                               ctypes.byref(error)):
            library.failed(error)
        self.counts = Counts()

    def close(self):
        self.c.nesl_program_free(self.program)
        self.c.nesl_session_free(self.session)
        self.counts.settled()

    def argument(self, given, fill):
        """An object as an argument, and what must live until the call returns."""
        argument = Argument(fill=ctypes.addressof(fill) if fill else None)
        if hasattr(given, "__arrow_c_array__"):
            capsules = given.__arrow_c_array__()
            argument.schema = pointer_of(capsules[0], b"arrow_schema")
            argument.array = pointer_of(capsules[1], b"arrow_array")
            self.counts.watch(Schema.from_address(argument.schema))
            self.counts.watch(Array.from_address(argument.array))
        else:
            capsules = given.__arrow_c_stream__()
            argument.stream = pointer_of(capsules, b"arrow_array_stream")
            self.counts.watch_stream(Stream.from_address(argument.stream))
        return argument, capsules

    def call(self, name, *given, form="array", flags=0, fill=None):
        """Calls a function; gives an object that offers an array or a stream."""
        error = VOID()
        function = self.c.nesl_function(self.program, name.encode(), ctypes.byref(error))
        if not function:
            self.library.failed(error)
        made = [self.argument(one, fill) for one in given]
        arguments = (Argument * len(made))(*[argument for argument, _ in made])
        result = Result(flags=flags)
        if form == "array":
            schema, array = Schema(), Array()
            result.schema, result.array = map(ctypes.addressof, [schema, array])
            answer = GivenArray(schema, array)
        else:
            stream = Stream()
            result.stream = ctypes.addressof(stream)
            answer = GivenStream(stream)
        code = self.c.nesl_call_with(function, arguments, len(made), ctypes.byref(result),
                                     ctypes.byref(error))
        self.c.nesl_callable_free(function)
        for argument, _ in made:
            # Capsules release schemas; arrays and streams were moved.
            for address, kind in [(argument.array, Array), (argument.stream, Stream)]:
                assert not address or not kind.from_address(address).release
        if code:
            self.library.failed(error)
        if form == "array":
            self.counts.watch(schema)
            self.counts.watch(array)
        else:
            self.counts.watch_stream(stream)
        return answer
