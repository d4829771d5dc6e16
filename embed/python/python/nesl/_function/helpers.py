"""Functions of NESL with the meaning of Python's operators, which translations bring along.

Each is found by its name; those it uses in turn come with it.  Checks raise by `error`, whose
message names Python's exception first.
"""

from __future__ import annotations

import re

_TEXT = r"""
function py_true_div(a, b) : (float, float) -> float
  = let _ = if b == 0.0 then error("ZeroDivisionError: division by zero") else t in a / b;

function py_floor_div(a, b) : (int, int) -> int
  = let q = a / b in if rem(a, b) /= 0 and (minusp(a) xor minusp(b)) then q - 1 else q;

function py_floor_div_checked(a, b) : (int, int) -> int
  = let _ = if a == min_int and b == -1 then error("OverflowError: the quotient does not fit in 64 bits") else t
    in py_floor_div(a, b);

function py_signed(x, sign) : (float, float) -> float
  = if py_negative(x) xor py_negative(sign) then -x else x;

function py_negative(x) : float -> bool
  = x < 0.0 or (x == 0.0 and 1.0 / x < 0.0);

function py_fmod_positive(r, y) : (float, float) -> float
  = if r < y then r else let s = py_fmod_positive(r, y + y) in if s >= y then s - y else s;

function py_fmod(a, b) : (float, float) -> float
  = let x = abs(a); y = abs(b)
    in if x /= x or y /= y or x == infinity then nan
       else if x < y then a
       else py_signed(py_fmod_positive(x, y), py_signed(1.0, a));

function py_float_divmod(a, b) : (float, float) -> (float, float)
  = let _ = if b == 0.0 then error("ZeroDivisionError: float floor division by zero") else t;
        m = py_fmod(a, b);
        d = (a - m) / b;
        turned = m /= 0.0 and (m < 0.0 xor b < 0.0);
        remainder = if m == 0.0 then py_signed(0.0, b) else if turned then m + b else m;
        quotient = if turned then d - 1.0 else d
    in (py_rounded_quotient(quotient, a / b), remainder);

function py_rounded_quotient(q, exact) : (float, float) -> float
  = if q == 0.0 then py_signed(0.0, exact)
    else let down = py_float_floor(q) in if q - down > 0.5 then down + 1.0 else down;

function py_float_floor(x) : float -> float
  = if abs(x) < 4503599627370496.0 then float(floor(x)) else x;

function py_float_floor_div(a, b) : (float, float) -> float
  = let (q, _) = py_float_divmod(a, b) in q;

function py_float_mod(a, b) : (float, float) -> float
  = let (_, r) = py_float_divmod(a, b) in r;

function py_pow(a, b) : (float, float) -> float
  = let _ = if a == 0.0 and b < 0.0 then error("ZeroDivisionError: 0.0 cannot be raised to a negative power") else t;
        r = expt(a, b);
        _ = if r /= r and a == a and b == b
            then error("ValueError: a negative number to a fractional power is complex") else t;
        _ = if abs(r) == infinity and abs(a) < infinity and abs(b) < infinity
            then error("OverflowError: the power is too large for a float") else t
    in r;

function py_int_pow(a, b) : (int, int) -> int
  = let _ = if b < 0 then error("ValueError: an int to the power of a negative int is no int") else t in a ^ b;

function py_int_pow_checked(a, b) : (int, int) -> int
  = let _ = if b < 0 then error("ValueError: an int to the power of a negative int is no int") else t
    in if b == 0 then 1
       else if b == 1 or a == 0 or a == 1 then a
       else if a == -1 then if evenp(b) then 1 else -1
       else let half = py_int_pow_checked(a, b / 2); square = py_mul_checked(half, half)
            in if oddp(b) then py_mul_checked(square, a) else square;

function py_add_checked(a, b) : (int, int) -> int
  = let s = a + b;
        _ = if ((a xor s) and (b xor s)) < 0 then error("OverflowError: the sum does not fit in 64 bits") else t
    in s;

function py_sub_checked(a, b) : (int, int) -> int
  = let d = a - b;
        _ = if ((a xor b) and (a xor d)) < 0 then error("OverflowError: the difference does not fit in 64 bits") else t
    in d;

function py_mul_checked(a, b) : (int, int) -> int
  = let p = a * b;
        wrong = if a == 0 then f else if a == -1 then b == min_int else p / a /= b;
        _ = if wrong then error("OverflowError: the product does not fit in 64 bits") else t
    in p;

function py_negate_checked(a) : int -> int
  = let _ = if a == min_int then error("OverflowError: the number does not fit in 64 bits") else t in -a;

function py_abs_checked(a) : int -> int
  = let _ = if a == min_int then error("OverflowError: the number does not fit in 64 bits") else t in abs(a);

function py_sum_checked(v) : [int] -> int
  = let low = sum({x and 4294967295 : x in v});
        high = sum({rshift(x, 32) : x in v}) + rshift(low, 32);
        _ = if high < -2147483648 or high > 2147483647
            then error("OverflowError: the sum does not fit in 64 bits") else t
    in lshift(high, 32) + (low and 4294967295);

function py_shift_checked(a, b) : (int, int) -> int
  = let s = lshift(a, b);
        _ = if a /= 0 and (b > 62 or rshift(s, b) /= a)
            then error("OverflowError: the shifted number does not fit in 64 bits") else t
    in s;

function py_order(a, b) : (int, float) -> int
  = if b /= b then 2
    else if b >= 9223372036854775808.0 then -1
    else if b < -9223372036854775808.0 then 1
    else let whole = trunc(b); part = b - float(whole)
         in if a < whole then -1
            else if a > whole then 1
            else if part > 0.0 then -1 else if part < 0.0 then 1 else 0;

function py_to_int(x) : float -> int
  = let _ = if x /= x then error("ValueError: cannot convert float NaN to integer") else t;
        _ = if abs(x) == infinity then error("OverflowError: cannot convert float infinity to integer") else t;
        _ = if x >= 9223372036854775808.0 or x < -9223372036854775808.0
            then error("OverflowError: the number does not fit in 64 bits") else t
    in trunc(x);

function py_floor(x) : float -> int
  = let n = py_to_int(x) in if float(n) > x then n - 1 else n;

function py_ceil(x) : float -> int
  = let n = py_to_int(x) in if float(n) < x then n + 1 else n;

function py_round(x) : float -> int
  = let n = py_to_int(x);
        part = abs(x - float(n));
        away = if x < 0.0 then n - 1 else n + 1
    in if part > 0.5 or (part == 0.5 and oddp(n)) then away else n;

function py_sqrt(x) : float -> float
  = let _ = if x < 0.0 then error("ValueError: math domain error") else t in sqrt(x);

function py_log(x) : float -> float
  = let _ = if x <= 0.0 then error("ValueError: math domain error") else t in ln(x);

function py_finite(r, x) : (float, float) -> float
  = let _ = if abs(r) == infinity and abs(x) < infinity then error("OverflowError: math range error") else t in r;

function py_defined(r, x) : (float, float) -> float
  = let _ = if r /= r and x == x then error("ValueError: math domain error") else t in r;

function py_math_fmod(a, b) : (float, float) -> float
  = let _ = if (b == 0.0 or abs(a) == infinity) and a == a and b == b then error("ValueError: math domain error") else t
    in py_fmod(a, b);

function py_isqrt(n) : int -> int
  = let _ = if n < 0 then error("ValueError: isqrt() argument must be nonnegative") else t in isqrt(n);

function py_max(a, b) = if b > a then b else a;

function py_min(a, b) = if b < a then b else a;

function py_some(v, name) : ([a], [char]) -> bool :: (a in any)
  = if #v == 0 then error("ValueError: " ++ name ++ " of an empty list") else t;

function py_max_int(v) : [int] -> int = let _ = py_some(v, "max()") in max_val(v);

function py_min_int(v) : [int] -> int = let _ = py_some(v, "min()") in min_val(v);

function py_max_char(v) : [char] -> char = let _ = py_some(v, "max()") in max_val(v);

function py_min_char(v) : [char] -> char = let _ = py_some(v, "min()") in min_val(v);

function py_max_float(v) : [float] -> float = v[py_argmax_float(v)];

function py_min_float(v) : [float] -> float = v[py_argmin_float(v)];

function py_argmax_float(v) : [float] -> int
  = let _ = py_some(v, "max()"); m = max_val(v) in if v[0] /= v[0] then 0 else find(m, v);

function py_argmin_float(v) : [float] -> int
  = let _ = py_some(v, "min()"); m = min_val(v) in if v[0] /= v[0] then 0 else find(m, v);

function py_argmax(v) : [a] -> int :: (a in ordinal) = let _ = py_some(v, "max()") in max_index(v);

function py_argmin(v) : [a] -> int :: (a in ordinal) = let _ = py_some(v, "min()") in min_index(v);

function py_argbest(better, v) : ((a, a) -> bool, [a]) -> int :: (a in any)
  = reduce((i, j) => (if better(v[j], v[i]) then j else i), 0, index(#v));

function py_item(v, i) : ([a], int) -> a :: (a in any) = v[if i < 0 then i + #v else i];

function py_last(v, k) : ([a], int) -> a :: (a in any) = v[#v - k];

function py_clamp(i, n) : (int, int) -> int
  = let j = if i < 0 then i + n else i in if j < 0 then 0 else if j > n then n else j;

function py_slice(v, low, high) : ([a], int, int) -> [a] :: (a in any)
  = let n = #v; s = py_clamp(low, n); e = py_clamp(high, n) in subseq(v, s, if e < s then s else e);

function py_from(v, low) : ([a], int) -> [a] :: (a in any) = drop(v, py_clamp(low, #v));

function py_upto(v, high) : ([a], int) -> [a] :: (a in any) = take(v, py_clamp(high, #v));

function py_down_clamp(i, n) : (int, int) -> int
  = let j = if i < 0 then i + n else i in if j < -1 then -1 else if j > n - 1 then n - 1 else j;

function py_step(v, has_low, low, has_high, high, step) : ([a], bool, int, bool, int, int) -> [a] :: (a in any)
  = let n = #v;
        _ = if step == 0 then error("ValueError: slice step cannot be zero") else t;
        s = if step > 0 then if has_low then py_clamp(low, n) else 0
            else if has_low then py_down_clamp(low, n) else n - 1;
        e = if step > 0 then if has_high then py_clamp(high, n) else n
            else if has_high then py_down_clamp(high, n) else -1
    in v -> [s:e:step];

function py_range(s, e, d) : (int, int, int) -> [int]
  = let _ = if d == 0 then error("ValueError: range() arg 3 must not be zero") else t in [s:e:d];

function py_repeat(v, n) : ([a], int) -> [a] :: (a in any) = flatten(dist(v, max(n, 0)));

function py_zip(u, v) : ([a], [b]) -> [(a, b)] :: (a in any; b in any)
  = let n = min(#u, #v) in zip(take(u, n), take(v, n));

function py_enumerate(v, start) : ([a], int) -> [(int, a)] :: (a in any) = zip([start:start + #v], v);

function py_unpackable(v, n) : ([a], int) -> bool :: (a in any)
  = if #v > n then error("ValueError: too many values to unpack (expected " ++ @n ++ ")")
    else if #v < n then error("ValueError: not enough values to unpack (expected " ++ @n ++ ", got " ++ @#v ++ ")")
    else t;

function py_unpackable_rest(v, n) : ([a], int) -> bool :: (a in any)
  = if #v < n then error("ValueError: not enough values to unpack (expected at least " ++ @n ++ ", got " ++ @#v ++ ")")
    else t;

function py_less(u, v) : ([a], [a]) -> bool :: (a in ordinal)
  = let n = min(#u, #v); i = find(t, {x /= y : x in take(u, n); y in take(v, n)})
    in if i < 0 then #u < #v else u[i] < v[i];

function py_less_equal(u, v) : ([a], [a]) -> bool :: (a in ordinal)
  = let n = min(#u, #v); i = find(t, {x /= y : x in take(u, n); y in take(v, n)})
    in if i < 0 then #u <= #v else u[i] <= v[i];

function py_index_of(x, v) : (a, [a]) -> int :: (a in any)
  = let i = find(x, v); _ = if i < 0 then error("ValueError: the value is not in the list") else t in i;

function py_chr(i) : int -> char
  = let _ = if i < 0 or i > 127 then error("ValueError: chr() of a code outside ASCII") else t in code_char(i);

function py_ord(s) : [char] -> int
  = let _ = if #s /= 1 then error("TypeError: ord() of a str that is not of one character") else t in char_code(s[0]);

function py_shift_count(n) : int -> int
  = let _ = if n < 0 then error("ValueError: negative shift count") else t in n;
"""


def _definitions() -> dict:
    found = {}
    for part in _TEXT.strip().split("\n\n"):
        name = re.match(r"function (\w+)", part).group(1)
        found[name] = part
    return found


DEFINITIONS = _definitions()
_USES = {
    name: [n for n in dict.fromkeys(re.findall(r"\bpy_\w+", part)) if n != name] for name, part in DEFINITIONS.items()
}


def closure(names) -> list:
    """Texts of the helpers of these names and of all that they use, users last."""
    order: dict = {}

    def visit(name: str) -> None:
        if name not in order:
            for used in _USES[name]:
                visit(used)
            order[name] = DEFINITIONS[name]

    for name in sorted(names):
        visit(name)
    return list(order.values())
