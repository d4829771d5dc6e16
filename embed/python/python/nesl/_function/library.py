"""Names of NESL's library, as `nesl.NAME` in a Python function, with their types in NESL."""

from __future__ import annotations

_TYPES = """
not : a -> a :: (a in logical)
eql : (a, a) -> bool :: (a in any)
plusp : a -> bool :: (a in number)
minusp : a -> bool :: (a in number)
zerop : a -> bool :: (a in number)
oddp : int -> bool
evenp : int -> bool
negate : a -> a :: (a in number)
abs : a -> a :: (a in number)
diff : (a, a) -> a :: (a in number)
max : (a, a) -> a :: (a in ordinal)
min : (a, a) -> a :: (a in ordinal)
rem : (int, int) -> int
mod : (int, int) -> int
gcd : (int, int) -> int
lshift : (int, int) -> int
rshift : (int, int) -> int
isqrt : int -> int
sqrt : float -> float
exp : float -> float
ln : float -> float
log : (float, float) -> float
expt : (float, float) -> float
reciprocal : float -> float
sin : float -> float
cos : float -> float
tan : float -> float
asin : float -> float
acos : float -> float
atan : float -> float
atan2 : (float, float) -> float
sinh : float -> float
cosh : float -> float
tanh : float -> float
pi : float
infinity : float
nan : float
max_int : int
min_int : int
float : int -> float
trunc : float -> int
floor : float -> int
ceil : float -> int
round : float -> int
btoi : bool -> int
char_code : char -> int
code_char : int -> char
select : (bool, a, a) -> a :: (a in any)
float_num : a -> float :: (a in number)
hash : (a, int) -> int :: (a in any)
length : [a] -> int :: (a in any)
dist : (a, int) -> [a] :: (a in any)
index : int -> [int]
iseq : (int, int, int) -> [int]
fseq : (float, float, float) -> [float]
elt : ([a], int) -> a :: (a in any)
rep : ([a], a, int) -> [a] :: (a in any)
append : ([a], [a]) -> [a] :: (a in any)
cons : (a, [a]) -> [a] :: (a in any)
snoc : ([a], a) -> [a] :: (a in any)
zip : ([a], [b]) -> [(a, b)] :: (a in any; b in any)
zip3 : ([a], [b], [c]) -> [(a, b, c)] :: (a in any; b in any; c in any)
unzip : [(a, b)] -> ([a], [b]) :: (a in any; b in any)
first : (a, b) -> a :: (a in any; b in any)
rest : (a, b) -> b :: (a in any; b in any)
vpair : (a, a) -> [a] :: (a in any)
vsep : [a] -> (a, a) :: (a in any)
head_rest : [a] -> (a, [a]) :: (a in any)
rest_tail : [a] -> ([a], a) :: (a in any)
find : (a, [a]) -> int :: (a in any)
plus_scan : [a] -> [a] :: (a in number)
mult_scan : [a] -> [a] :: (a in number)
max_scan : [a] -> [a] :: (a in ordinal)
min_scan : [a] -> [a] :: (a in ordinal)
or_scan : [a] -> [a] :: (a in logical)
and_scan : [a] -> [a] :: (a in logical)
xor_scan : [a] -> [a] :: (a in logical)
sum : [a] -> a :: (a in number)
product : [a] -> a :: (a in number)
max_val : [a] -> a :: (a in ordinal)
min_val : [a] -> a :: (a in ordinal)
any : [a] -> a :: (a in logical)
all : [a] -> a :: (a in logical)
parity : [a] -> a :: (a in logical)
count : [bool] -> int
enumerate : [bool] -> [int]
max_index : [a] -> int :: (a in ordinal)
min_index : [a] -> int :: (a in ordinal)
read : ([a], [int]) -> [a] :: (a in any)
get : ([a], [int]) -> [a] :: (a in any)
write : ([a], [(int, a)]) -> [a] :: (a in any)
put : ([a], [int], [a]) -> [a] :: (a in any)
cond_put : ([a], [int], [bool], [a]) -> [a] :: (a in any)
permute : ([a], [int]) -> [a] :: (a in any)
rotate : ([a], int) -> [a] :: (a in any)
reverse : [a] -> [a] :: (a in any)
previous : ([a], a) -> [a] :: (a in any)
next : ([a], a) -> [a] :: (a in any)
take : ([a], int) -> [a] :: (a in any)
drop : ([a], int) -> [a] :: (a in any)
subseq : ([a], int, int) -> [a] :: (a in any)
even_elts : [a] -> [a] :: (a in any)
odd_elts : [a] -> [a] :: (a in any)
interleave : ([a], [a]) -> [a] :: (a in any)
pack : [(a, bool)] -> [a] :: (a in any)
pack_index : [bool] -> [int]
unpack : ([a], [bool]) -> [a] :: (a in any)
flag_merge : ([bool], [a], [a]) -> [a] :: (a in any)
join : ([a], [int], [a], [int]) -> [a] :: (a in any)
split_index : [bool] -> ([int], [int])
flatten : [[a]] -> [a] :: (a in any)
partition : ([a], [int]) -> [[a]] :: (a in any)
split : ([a], [bool]) -> [[a]] :: (a in any)
bottop : [a] -> [[a]] :: (a in any)
transpose : [[a]] -> [[a]] :: (a in any)
group_by : ([a], int) -> [[a]] :: (a in any)
length_from_flags : [bool] -> [int]
flag_partition : ([a], [bool]) -> [[a]] :: (a in any)
group_by_separator_flags : ([a], [bool]) -> [[a]] :: (a in any)
group_by_separator_flags_x : ([a], [bool]) -> [[a]] :: (a in any)
rank : [a] -> [int] :: (a in ordinal)
rank_down : [a] -> [int] :: (a in ordinal)
sort : [a] -> [a] :: (a in ordinal)
kth_smallest : ([a], int) -> a :: (a in ordinal)
median : [a] -> a :: (a in ordinal)
remove_duplicates : [a] -> [a] :: (a in any)
mark_duplicates : [a] -> [bool] :: (a in any)
name : [a] -> [int] :: (a in any)
union : ([a], [a]) -> [a] :: (a in any)
intersection : ([a], [a]) -> [a] :: (a in any)
set_difference : ([a], [a]) -> [a] :: (a in any)
int_collect : [(int, a)] -> [(int, [a])] :: (a in any)
collect : [(a, b)] -> [(a, [b])] :: (a in any; b in any)
histogram : [a] -> [(a, int)] :: (a in any)
search_for_subseqs : ([a], [a]) -> [int] :: (a in any)
string : a -> [char] :: (a in any)
digitp : char -> bool
lowercase : char -> char
uppercase : char -> char
string_eql : ([char], [char]) -> bool
wordify : [char] -> [[char]]
linify : [char] -> [[char]]
group_by_space : ([char], [char]) -> [[char]]
parse_int : [char] -> (int, bool)
parse_float : [char] -> (float, bool)
parse_int_vect : [char] -> ([int], bool)
parse_unsigned_int : [char] -> (int, bool)
exp_string : (float, int) -> [char]
justify_text : ([char], int) -> [[char]]
newline : char
space : char
tab : char
char_rank : rank
"""

# Name -> (parameter types, result type or None for a constant, classes of variables).
TYPES: dict = {}
for _row in _TYPES.strip().splitlines():
    _name, _, _type = _row.partition(" : ")
    _signature, _, _classes = _type.partition(" :: ")
    _arrow = _signature.split(" -> ")
    TYPES[_name] = (
        _arrow[0] if len(_arrow) == 2 else None,
        _arrow[-1],
        dict(c.split(" in ") for c in _classes.strip("()").split("; ") if c),
    )

RESERVED = set("if then else let in function datatype and or xor nand nor t f".split())
FUNCTIONALS = {"scan", "reduce", "map"}
NAMES = set(TYPES) | RESERVED | FUNCTIONALS | {"error", "rand", "identity", "it"}
