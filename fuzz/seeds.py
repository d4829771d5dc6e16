#!/usr/bin/env python3
"""Makes the first corpus of each fuzz target from the repository's own files: fuzz/corpus/TARGET,
with the words that are frequent there as its dictionary, fuzz/corpus/TARGET.dict.

Programs and conformance cases are texts for `source`, the texts in tests of the compiler for
`stations`, what conformance cases print for `values`; arrays for `npy` are made here.
"""

import hashlib
import re
import struct
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
LARGEST = 8000


def add(target, content):
    """One seed, named by its content, unless it is so large that runs become slow."""
    if len(content) <= LARGEST:
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def lines_after(word):
    """What stands after `word: ` in the conformance cases, with the lines that continue it."""
    pattern = re.compile(rf"^{word}: (.*(?:\n {{2,}}.*)*)", re.M)
    for path in sorted((ROOT / "tests" / "conformance").glob("*.txt")):
        yield from pattern.findall(path.read_text())


def sources():
    """Programs whole, and the forms of conformance cases."""
    for folder in ["benches", "examples", "stdlib", "tests"]:
        for path in sorted((ROOT / folder).rglob("*.nesl")):
            add("source", path.read_bytes())
    for text in lines_after("in"):
        add("source", f"{text};\n".encode())


def unescaped(literal):
    """The text of a Rust string literal without its quotes."""
    escapes = {"n": "\n", "t": "\t", "0": "\0", '"': '"', "\\": "\\"}
    joined = re.sub(r"\\\n\s*", "", literal)
    return re.sub(r"\\(.)", lambda it: escapes.get(it[1], it[0]), joined)


def stations():
    """String literals of the tests of the compiler that have the lines of a station's text."""
    raw = re.compile(r'\br(#*)"(.*?)"\1', re.S)
    plain = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
    wanted = re.compile(r"^\s*(fn|plan|cluster|kernel) [a-z]\d+ |^\\x\d|^\\ ?\{", re.M)
    tests = [p for p in (ROOT / "compiler").rglob("*.rs") if "tests" in p.as_posix()]
    tests += (ROOT / "runtime" / "device" / "tests").rglob("*.rs")
    for path in sorted(tests):
        text = path.read_text()
        found = [literal for _, literal in raw.findall(text)]
        found += [unescaped(literal) for literal in plain.findall(raw.sub("", text))]
        for literal in found:
            if wanted.search(literal):
                add("stations", literal.encode())


def values():
    """The first byte says how the rest is read: 0 a literal, 1 Matrix Market, 2 text."""
    for text in lines_after("out"):
        for first in [0, 2, 3]:
            add("values", bytes([first]) + text.encode())
    for path in sorted((ROOT / "examples").rglob("*.mtx")):
        add("values", b"\1" + path.read_bytes())
    for header in ["real general", "integer symmetric", "pattern skew-symmetric"]:
        body = "2 2 2\n1 1 3\n2 1 4\n"
        add("values", f"\1%%MatrixMarket matrix coordinate {header}\n% c\n{body}".encode())
    add("values", b"\1%%MatrixMarket matrix array real general\n2 1\n1.5\n-2e3\n")


def npy():
    """Small arrays of each element type and rank, in both orders."""
    for descr, size in [("|b1", 1), ("|i1", 1), ("|u1", 1), ("|S1", 1), ("<i2", 2), (">u4", 4),
                        ("<i8", 8), ("<f2", 2), ("<f4", 4), (">f8", 8)]:
        for shape in [(), (3,), (0,), (2, 2), (3, 0), (2, 1, 2)]:
            for order in [False, True]:
                fields = f"'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, "
                dictionary = ("{" + fields + "}").encode()
                count = 1
                for dim in shape:
                    count *= dim
                head = b"\x93NUMPY\1\0" + struct.pack("<H", len(dictionary)) + dictionary
                add("npy", head + bytes(i % 2 for i in range(count * size)))


def dictionary(target):
    """Words and marks that occur in at least five seeds."""
    counts = Counter()
    for seed in (CORPUS / target).iterdir():
        counts.update(set(re.findall(rb"[A-Za-z_]\w*|[^\w\s]{1,2}", seed.read_bytes())))
    frequent = (word for word, count in sorted(counts.items()) if count >= 5)
    words = (word.decode() for word in frequent if re.fullmatch(rb"[ -~]+", word))
    escaped = (w.replace("\\", "\\\\").replace('"', '\\"') for w in words)
    (CORPUS / f"{target}.dict").write_text("".join(f'"{word}"\n' for word in escaped))


if __name__ == "__main__":
    for make in [sources, stations, values, npy]:
        make()
    for target in ["npy", "source", "stations", "values"]:
        dictionary(target)
        print(f"{target}: {len(list((CORPUS / target).iterdir()))} seeds")
