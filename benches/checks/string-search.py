"""The positions of a pattern by Python's search, one after the other."""

from check import equal, given, np

pattern, text = given["pattern"].encode(), given["text"]
found, at = [], text.find(pattern)
while at >= 0:
    found.append(at)
    at = text.find(pattern, at + 1)
equal(np.array(found, np.int64))
