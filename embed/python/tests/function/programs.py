"""Example programs that run by Python and by NESL."""

import math


def smxv(m, v):
    return [sum(x * v[i] for i, x in row) for row in m]


def quicksort(a):
    if len(a) < 2: return a
    p = a[len(a) // 2]
    less, more = [quicksort(v) for v in ([x for x in a if x < p], [x for x in a if x > p])]
    return less + [x for x in a if x == p] + more


def merge(a, b):
    out = []
    i, j = 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out = out + [a[i]]
            i += 1
        else:
            out = out + [b[j]]
            j += 1
    return out + a[i:] + b[j:]


def mergesort(a):
    if len(a) < 2:
        return a
    half = len(a) // 2
    left, right = [mergesort(part) for part in [a[:half], a[half:]]]
    return merge(left, right)


def primes(n):
    return [k for k in range(2, n) if all(k % d != 0 for d in range(2, math.isqrt(k) + 1))]


def mandelbrot(width, height, most):
    def escape(cx, cy):
        x, y, n = 0.0, 0.0, 0
        while n < most and x * x + y * y <= 4:
            x, y = x * x - y * y + cx, 2 * x * y + cy
            n += 1
        return n

    return [[escape(3 * i / width - 2, 2 * j / height - 1) for i in range(width)] for j in range(height)]


def moving_average(xs, k):
    return [sum(xs[i:i + k]) / k for i in range(len(xs) - k + 1)]


def histogram(xs, bins):
    return [sum(x == b for x in xs) for b in range(bins)]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def distance(p, q):
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2


def kmeans_step(points, centres):
    nearest = [min(range(len(centres)), key=lambda c: distance(p, centres[c])) for p in points]
    new = []
    for c in range(len(centres)):
        own = [p for p, n in zip(points, nearest) if n == c]
        if own:
            new = new + [(sum(x for x, _ in own) / len(own), sum(y for _, y in own) / len(own))]
        else:
            new = new + [centres[c]]
    return new


def search(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def searches(a, xs):
    return [search(a, x) for x in xs]


def runs(s):
    starts = [i for i in range(len(s)) if i == 0 or s[i] != s[i - 1]]
    return [(s[i], j - i) for i, j in zip(starts, starts[1:] + [len(s)])]


def prefix_sums(xs):
    total = 0
    out = []
    for x in xs:
        total += x
        out = out + [total]
    return out


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def queens(n):
    def place(row, used):
        if row == n:
            return 1
        free = [c for c in range(n) if all(c != u and abs(c - u) != row - r for r, u in enumerate(used))]
        return sum(place(row + 1, used + [c]) for c in free)

    return place(0, [])


def matches(text, word):
    return [i for i in range(len(text) - len(word) + 1) if text[i:i + len(word)] == word]


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def side(points, a, b):
    left = [p for p in points if cross(a, b, p) > 0]
    if not left:
        return [a]
    far = max(left, key=lambda p: cross(a, b, p))
    first, second = [side(left, s, e) for s, e in [(a, far), (far, b)]]
    return first + second


def quickhull(points):
    west, east = min(points), max(points)
    return side(points, west, east) + side(points, east, west)


def bfs_step(graph, frontier, seen):
    near = sorted([v for u in frontier for v in graph[u] if not seen[v]])
    new = [v for i, v in enumerate(near) if i == 0 or near[i - 1] != v]
    return new, [s or v in new for v, s in enumerate(seen)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def softmax(rows):
    def one(row):
        top = max(row)
        powers = [math.exp(x - top) for x in row]
        total = sum(powers)
        return [p / total for p in powers]

    return [one(row) for row in rows]


def nearest_pair(points):
    return min([(distance(p, q), i, j) for i, p in enumerate(points) for j, q in enumerate(points) if i < j])


SIDES = "[(float, float)]"
POINTS = [(0.0, 0.0), (4.0, 0.5), (4.0, 4.0), (1.0, 3.0), (2.0, 2.0), (2.5, 1.0)]
CALLS = [
    (smxv, ["[[(int, float)]]", "[float]"], ([[(0, 1.5), (2, 2.0)], [], [(1, -1.0)]], [1.0, 2.0, 4.0])),
    (quicksort, ["[int]"], ([3, 1, 2, 9, 4, 3, -5],)),
    (quicksort, ["[float]"], ([0.5, -1.5, 2.25],)),
    (mergesort, ["[int]"], ([5, 2, 8, 1, 9, 3, 3],)),
    (primes, ["int"], (60,)),
    (mandelbrot, ["int", "int", "int"], (9, 5, 20)),
    (moving_average, ["[float]", "int"], ([1.0, 2.0, 4.0, 8.0, 16.0], 2)),
    (histogram, ["[int]", "int"], ([0, 2, 2, 1, 2], 4)),
    (product, ["[[float]]", "[[float]]"], ([[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [2.0, -1.0]])),
    (kmeans_step, [SIDES, SIDES], (POINTS, [(0.0, 0.0), (4.0, 4.0), (99.0, 99.0)])),
    (searches, ["[float]", "[float]"], ([1.0, 2.0, 3.0, 5.0], [0.0, 2.0, 4.5, 9.0])),
    (runs, ["[char]"], ("aabcccd",)),
    (runs, ["[int]"], ([],)),
    (prefix_sums, ["[int]"], ([3, 1, 4, 1, 5],)),
    (collatz, ["int"], (27,)),
    (queens, ["int"], (5,)),
    (matches, ["[char]", "[char]"], ("abracadabra", "abra")),
    (quickhull, [SIDES], (POINTS,)),
    (bfs_step, ["[[int]]", "[int]", "[bool]"], ([[1, 2], [3], [3], [0]], [0], [True, False, False, False])),
    (dot, ["[float]", "[float]"], ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])),
    (softmax, ["[[float]]"], ([[0.0, 0.0], [1.0, 1.0, 1.0, 1.0]],)),
    (nearest_pair, [SIDES], (POINTS,)),
]
