"""Operators and built-in functions at their edges."""

import math


def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def div(a, b): return a / b
def floor_div(a, b): return a // b
def mod(a, b): return a % b
def both(a, b): return divmod(a, b)
def power(a, b): return a ** b
def square(a): return a ** 2
def inverse(a): return a ** -1
def eq(a, b): return a == b
def ne(a, b): return a != b
def lt(a, b): return a < b
def le(a, b): return a <= b
def gt(a, b): return a > b
def ge(a, b): return a >= b
def chain(a, b, c): return a < b <= c
def chain_skips(a, b): return a < b < 1 // (a - 1)
def larger(a, b): return max(a, b)
def smaller(a, b): return min(a, b)
def neg(a): return -a
def pos(a): return +a
def size(a): return abs(a)
def near(a): return round(a)
def whole(a): return int(a)
def real(a): return float(a)
def truth(a): return bool(a)
def flip(a): return not a
def left(a, b): return a or b
def right(a, b): return a and b
def skips(a, b): return b != 0 and a // b > 1
def skips_or(a, b): return b == 0 or a // b > 1
def bit_and(a, b): return a & b
def bit_or(a, b): return a | b
def bit_xor(a, b): return a ^ b
def bit_not(a): return ~a
def shift_right(a, b): return a >> b
def shift_left(a, b): return a << b
def item(a, i): return a[i]
def last(a): return a[-1]
def cut(a, i, j): return a[i:j]
def cut_from(a, i): return a[i:]
def cut_to(a, i): return a[:i]
def steps(a, i, j, k): return a[i:j:k]
def every(a, k): return a[::k]
def tail(a, i, k): return a[i::k]
def head(a, j, k): return a[:j:k]
def backwards(a): return a[::-1]
def total(a): return sum(a)
def total_from(a, s): return sum(a, s)
def most(a): return max(a)
def least(a): return min(a)
def most_or(a, d): return max(a, default=d)
def order(a): return sorted(a)
def order_down(a): return sorted(a, reverse=True)
def order_by(a): return sorted(a, key=lambda x: -x)
def pairs(a, b): return [(x, y) for x, y in zip(a, b)]
def triples(a, b, c): return [x + y + z for x, y, z in zip(a, b, c)]
def counted(a, s): return [(i, x) for i, x in enumerate(a, s)]
def numbers(a, b, c): return [i for i in range(a, b, c)]
def down(n): return [i for i in reversed(range(n))]
def some(a): return any(a)
def none_false(a): return all(a)
def repeat(a, n): return a * n
def repeat_left(n, a): return n * a
def join(a, b): return a + b
def within(x, a): return x in a
def without(x, a): return x not in a
def unpack(a):
    x, y = a
    return x - y
def unpack_rest(a):
    x, *y, z = a
    return x, y, z
def nested(a): return [x * y for x in a if x > 0 for y in range(x) if y != 1]
def first_letter(s): return s[0] == "a"
def root(x): return math.sqrt(x)
def log(x): return math.log(x)
def grow(x): return math.exp(x)
def down_to(x): return math.floor(x)
def up_to(x): return math.ceil(x)
def fmod(a, b): return math.fmod(a, b)
def guarded(a):
    assert a > 0, "a is positive"
    if a > 10:
        raise ValueError("too large")
    return a
def found(xs, y):
    for i, x in enumerate(xs):
        if x == y:
            return i
    return -1
def loops(n):
    t = 0
    for i in range(n):
        if i == 3:
            continue
        if i == 7:
            break
        for j in range(i, 0, -1):
            t += j
    return t
def forever(n):
    while True:
        n = n - 3
        if n < 0:
            return n
def by_steps(a, b, c):
    t = 0
    for i in range(a, b, c):
        t = t * 10 + i
    return t
def arms(a):
    if a > 0:
        b = a
    elif a == 0:
        return 7
    else:
        b = -a
    c = b + 1
    return c * 2
def is_even(n): return True if n == 0 else is_odd(n - 1)
def is_odd(n): return False if n == 0 else is_even(n - 1)
def apply(f, x): return f(f(x))
def captured(a, b): return apply(lambda x: x * a + b, 2)
def tuples(a, b): return (a, 1) < (b, 0), (a, b)[1], (a, (b, 2))
def swap(a, b):
    a, b = b, a
    return a - b


INTS = [-(2**63), -7, -3, -2, -1, 0, 1, 2, 3, 7, 2**62]
SMALL = [-7, -3, -2, -1, 0, 1, 2, 3, 7]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e300, -1e-300, 7.25, float("inf"), -float("inf"), float("nan")]
LISTS = [[], [5], [3, 1, 2], [1, 2, 3, 4, 5, 6]]
ENDS = [-9, -3, -1, 0, 1, 2, 9]


def calls():
    """All calls, as function, types, arguments."""
    out = []

    def of(fns, types, rows):
        out.extend((fn, types, row) for fn in fns for row in rows)

    cross = lambda a, b: [(x, y) for x in a for y in b]
    of([add, sub, mul, floor_div, mod, both, div, bit_and, bit_or, bit_xor], ["int", "int"], cross(SMALL, SMALL))
    of([floor_div, mod], ["int", "int"], [(-(2**63), y) for y in (2, 3, -3, 7, -7)])
    of([power], ["int", "int"], cross(SMALL, [0, 1, 2, 5]))
    comparisons = [eq, ne, lt, le, gt, ge, larger, smaller]
    of(comparisons, ["int", "int"], cross(INTS, INTS))
    of([*comparisons, add, sub, mul, div, floor_div, mod, both], ["float", "float"], cross(FLOATS, FLOATS))
    of(comparisons[:6], ["int", "float"], cross([2**53 + 1, -(2**63), 2**63 - 1, 0, 1, -3], [2.0**53, 2.0**63, -2.0**63, 0.5, -3.0, *FLOATS]))
    of(comparisons[:6], ["float", "int"], cross([2.0**53, 2.0**63, -2.0**63, 0.5, *FLOATS], [2**53 + 1, 2**63 - 1, 0, 1]))
    of([add, sub, mul, div, floor_div, mod], ["int", "float"], cross(SMALL, FLOATS))
    of([add, mul, floor_div, div, eq, lt, left, right, bit_and, bit_xor], ["bool", "bool"], cross([True, False], [True, False]))
    of([add, mul], ["bool", "float"], cross([True, False], FLOATS))
    of([square, inverse], ["float"], [(x,) for x in FLOATS])
    of([square, inverse, neg, pos, size, near, whole, real, truth, flip, bit_not], ["int"], [(x,) for x in SMALL])
    of([power], ["float", "float"], cross([0.0, -0.0, 2.0, -2.0, 10.0, float("inf"), float("nan")], [0.0, 2.0, -1.0, 3.0, 400.0, float("inf"), float("nan")]))
    of([neg, pos, size, near, whole, truth, flip, down_to, up_to, root, log], ["float"], [(x,) for x in [*FLOATS, 0.49999999999999994, 1.5, 2.5, -1.5, -0.5, 2.0**52 + 1]if x != 1e300])
    of([grow], ["float"], [(0.0,), (-800.0,), (1000.0,), (float("inf"),), (float("nan"),)])
    of([fmod], ["float", "float"], cross(FLOATS, FLOATS))
    of([chain], ["int", "int", "int"], [(a, b, c) for a in (1, 2) for b in (1, 2, 3) for c in (2, 3)])
    of([skips, skips_or, left, right, chain_skips, shift_right], ["int", "int"], cross([0, 1, 4], [0, 2, 3, -1]))
    of([shift_left], ["int", "int"], cross([0, 1, -4], [0, 2, -1]))
    of([item, cut_from, cut_to], ["[int]", "int"], cross(LISTS, ENDS))
    of([every], ["[int]", "int"], cross(LISTS, [-2, -1, 0, 1, 2, 7]))
    of([cut], ["[int]", "int", "int"], [(a, i, j) for a in LISTS[2:] for i in ENDS for j in ENDS])
    of([tail, head], ["[int]", "int", "int"], [(a, i, k) for a in LISTS for i in ENDS for k in (-2, -1, 1, 3)])
    of([steps], ["[int]", "int", "int", "int"], [(LISTS[3], i, j, k) for i in ENDS for j in ENDS for k in (-3, -1, 0, 2)])
    of([last, backwards, total, most, least, order, order_down, order_by, some, none_false, truth, flip, unpack, unpack_rest, nested], ["[int]"], [(a,) for a in [*LISTS, [2, -1], [0, 0]]])
    floats = [[], [1.5], [float("nan"), 1.0], [1.0, float("nan"), 2.0], [-0.0, 0.0], [0.0, -0.0], [-0.0]]
    of([total, most, least], ["[float]"], [(a,) for a in floats[1:]])
    of([most, least], ["[float]"], [([],)])
    of([order, order_down], ["[float]"], [([2.5, -1.0, -0.0, 0.0],)])
    of([some, none_false, total, order], ["[bool]"], [([],), ([True, False],), ([True],)])
    of([order, order_down, most, least], ["[(int, float)]"], [([(2, 1.0), (1, 5.0), (2, 0.5)],), ([],)])
    of([most_or], ["[int]", "int"], [([], 4), ([3], 4)])
    of([total_from], ["[int]", "float"], [([], 0.5), ([1, 2], 0.5)])
    of([pairs], ["[int]", "[float]"], [([1, 2, 3], [0.5]), ([], [1.0]), ([1], [2.0, 3.0])])
    of([triples], ["[int]", "[int]", "[int]"], [([1, 2, 3], [4, 5], [7, 8, 9, 10])])
    of([counted], ["[int]", "int"], [([5, 6], 0), ([5, 6], -3), ([], 1)])
    of([numbers, by_steps], ["int", "int", "int"], [(0, 5, 2), (5, 0, -2), (0, 5, -1), (3, 3, 1), (0, 3, 0)])
    of([down, loops, forever, arms, guarded, is_even], ["int"], [(n,) for n in (0, 1, 5, 11)] )
    of([repeat], ["[int]", "int"], cross(LISTS, [-1, 0, 1, 3]))
    of([repeat_left], ["int", "[char]"], [(2, "ab"), (0, "ab")])
    of([join, eq, ne, lt, le, gt, ge], ["[int]", "[int]"], cross(LISTS, [[], [3], [3, 1, 2], [3, 1, 2, 4]]))
    of([join, eq, lt, ge, within], ["[char]", "[char]"], cross(["", "a", "ab", "b"], ["", "ab", "abc", "b"]))
    of([join, eq], ["[int]", "[float]"], [([1], [1.0]), ([], [0.5])])
    of([within, without], ["int", "[int]"], cross([1, 9], LISTS))
    of([within], ["float", "[int]"], cross([1.0, 1.5], LISTS))
    of([first_letter], ["[char]"], [("abc",), ("b",), ("",)])
    of([found], ["[int]", "int"], cross(LISTS, [1, 9]))
    of([captured, tuples, swap], ["int", "int"], cross([1, 2], [1, 2, 3]))
    return out
