//! The library as the generator knows it: a table of texts with their types.
//!
//! A row whose function can fail has two texts: one in which a guard keeps it from failing, and
//! the bare one, for programs that take the risk.  Names that a text binds start with `z`, as no
//! others do.

use super::ty::Ty;
use std::sync::LazyLock;

/// A way to make a value of some type.
#[derive(Debug)]
pub(super) struct Row {
    /// The type it makes; letters are variables.
    pub(super) result: Ty,
    /// The types of `$0`, `$1`, ...
    pub(super) args: Vec<Ty>,
    /// The text that does not fail.
    pub(super) text: &'static str,
    /// The text that may fail, if there is one.
    pub(super) risky: Option<&'static str>,
}

/// All rows.
pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let total = TOTAL.iter().map(|&(result, args, text)| row(result, args, text, None));
    let partial =
        PARTIAL.iter().map(|&(result, args, text, risky)| row(result, args, text, Some(risky)));
    total.chain(partial).collect()
});

/// A row of these texts.
pub(super) fn row(
    result: &str,
    args: &str,
    text: &'static str,
    risky: Option<&'static str>,
) -> Row {
    let args = Reader { text: args.as_bytes(), at: 0 }.list(b';');
    let result = Reader { text: result.as_bytes(), at: 0 }.ty();
    Row { result, args, text, risky }
}

/// Result, arguments, text: functions that never fail.
const TOTAL: &[(&str, &str, &str)] = &[
    // Logic and comparison.
    ("g", "g;g", "$0 and $1"),
    ("g", "g;g", "$0 or $1"),
    ("g", "g;g", "$0 xor $1"),
    ("g", "g;g", "$0 nand $1"),
    ("g", "g;g", "$0 nor $1"),
    ("g", "g", "not($0)"),
    ("bool", "a;a", "$0 == $1"),
    ("bool", "a;a", "$0 /= $1"),
    ("bool", "a;a", "eql($0, $1)"),
    ("bool", "o;o", "$0 < $1"),
    ("bool", "o;o", "$0 > $1"),
    ("bool", "o;o", "$0 <= $1"),
    ("bool", "o;o", "$0 >= $1"),
    ("bool", "n", "plusp($0)"),
    ("bool", "n", "minusp($0)"),
    ("bool", "n", "zerop($0)"),
    ("bool", "int", "oddp($0)"),
    ("bool", "int", "evenp($0)"),
    // Arithmetic.
    ("n", "n;n", "$0 + $1"),
    ("n", "n;n", "$0 - $1"),
    ("int", "int;int", "$0 + $1"),
    ("int", "int;int", "$0 - $1"),
    ("int", "int;int", "$0 * $1"),
    ("float", "float;int", "$0 * float(mod($1, 8))"),
    ("n", "n", "-$0"),
    ("n", "n", "abs($0)"),
    ("n", "n", "negate($0)"),
    ("n", "n;n", "diff($0, $1)"),
    ("o", "o;o", "max($0, $1)"),
    ("o", "o;o", "min($0, $1)"),
    ("int", "int;int", "gcd($0, $1)"),
    ("n", "float;n", "float_to_any($0, $1)"),
    ("float", "float;int", "$0 / float(1 + mod($1, 2))"),
    ("float", "float;float", "float(round(min(1.0e6, max(-1.0e6, $0 / $1))))"),
    ("float", "float", "float(round(sqrt(abs($0))))"),
    ("float", "float", "float(round(sin($0) * 8.0))"),
    ("float", "float", "float(round(8.0 * atan($0)))"),
    ("float", "float", "float(round(8.0 * cos($0)))"),
    ("float", "float;int", "$0 ^ mod($1, 3)"),
    // Elementary functions differ in their last bits, so that results are rounded, and not at ties.
    ("float", "float", "float(round(7.3 * exp(max(-9.0, min(9.0, $0)))))"),
    ("float", "float", "float(round(7.3 * ln($0)))"),
    ("float", "float;float", "float(round(7.3 * log(abs($0), 2.0 + abs($1))))"),
    ("float", "float;int", "float(round(7.3 * expt(max(-9.0, min(9.0, $0)), float(mod($1, 5)))))"),
    ("float", "float", "float(round(min(1.0e3, max(-1.0e3, 7.3 * tan($0)))))"),
    ("float", "float", "float(round(7.3 * asin($0)))"),
    ("float", "float", "float(round(7.3 * acos($0)))"),
    ("float", "float;float", "float(round(7.3 * atan2($0, $1)))"),
    ("float", "float", "float(round(7.3 * sinh(max(-5.0, min(5.0, $0)))))"),
    ("float", "float", "float(round(7.3 * cosh(max(-5.0, min(5.0, $0)))))"),
    ("float", "float", "float(round(7.3 * tanh($0)))"),
    ("float", "float", "float(round(min(1.0e6, max(-1.0e6, 12.0 * reciprocal($0)))))"),
    ("int", "float", "round(min(1.0e3, max(-1.0e3, $0)) * pi)"),
    ("int", "int;int;int", "let z = $1 in if z == 0 then $2 else $0 / z"),
    ("int", "int", "isqrt(rshift($0, 1) and max_int)"),
    ("n", "n", "one($0)"),
    ("n", "n", "zero($0)"),
    // Conversion and selection.
    ("float", "int", "float($0)"),
    ("int", "float", "trunc($0)"),
    ("int", "float", "floor($0)"),
    ("int", "float", "ceil($0)"),
    ("int", "float", "round($0)"),
    ("int", "bool", "btoi($0)"),
    ("int", "char", "char_code($0)"),
    ("char", "int", "code_char(97 + mod($0, 26))"),
    ("a", "bool;a;a", "select($0, $1, $2)"),
    ("a", "a", "identity($0)"),
    ("float", "n", "float_num($0)"),
    ("n", "int;n", "int_to_any($0, $1)"),
    ("int", "a", "hash($0, 1000)"),
    ("float", "int", "rand(float(1 + mod($0, 9)))"),
    // Sequences.
    ("int", "[a]", "#$0"),
    ("int", "[a]", "length($0)"),
    ("[a]", "a;int", "dist($0, mod($1, 5))"),
    ("[int]", "int", "index(mod($0, 9))"),
    ("[int]", "int;int", "[mod($0, 9) : mod($1, 9)]"),
    ("[int]", "int;int;int", "[mod($0, 9) : mod($1, 9) : 1 + mod($2, 3)]"),
    ("[int]", "int;int;int", "[mod($0, 9) : mod($1, 9) : -1 - mod($2, 3)]"),
    ("[int]", "int", "{mod(zi * zi, 11) : zi in index(20 + mod($0, 60))}"),
    ("[float]", "int;int", "fseq(float(mod($0, 5)), 0.5, float(mod($1, 6)))"),
    ("[a]", "[a];[a]", "$0 ++ $1"),
    ("[a]", "[a];[a]", "append($0, $1)"),
    ("[a]", "[a]", "[] ++ $0"),
    ("[a]", "[a];bool", "if $1 then [] else $0"),
    ("[a]", "a;[a]", "cons($0, $1)"),
    ("[a]", "[a];a", "snoc($0, $1)"),
    ("([a], [b])", "[(a, b)]", "unzip($0)"),
    ("a", "(a, b)", "first($0)"),
    ("b", "(a, b)", "rest($0)"),
    ("[a]", "a;a", "vpair($0, $1)"),
    ("int", "a;[a]", "find($0, $1)"),
    // Scans and reductions.
    ("[n]", "[n]", "plus_scan($0)"),
    ("[int]", "[int]", "mult_scan($0)"),
    ("[o]", "[o]", "max_scan($0)"),
    ("[o]", "[o]", "min_scan($0)"),
    ("[g]", "[g]", "or_scan($0)"),
    ("[g]", "[g]", "and_scan($0)"),
    ("[g]", "[g]", "xor_scan($0)"),
    ("n", "[n]", "sum($0)"),
    ("int", "[int]", "sum($0)"),
    ("int", "[int]", "product($0)"),
    ("o", "[o]", "max_val($0)"),
    ("o", "[o]", "min_val($0)"),
    ("g", "[g]", "any($0)"),
    ("g", "[g]", "all($0)"),
    ("g", "[g]", "parity($0)"),
    // Without elements the result is the identity, which is compared.
    ("bool", "[int];bool", "min_val({zx : zx in $0 | $1}) == max_int"),
    ("bool", "[int]", "min_val({zx : zx in $0 | f}) == max_int"),
    ("bool", "[int];bool", "max_val({zx : zx in $0 | $1}) == min_int"),
    ("bool", "[int]", "max_val({zx : zx in $0 | f}) == min_int"),
    ("bool", "[float];bool", "min_val({zx : zx in $0 | $1}) == infinity"),
    ("bool", "[float];bool", "max_val({zx : zx in $0 | $1}) == -infinity"),
    ("bool", "[char];bool", "min_val({zx : zx in $0 | $1}) == code_char(255)"),
    ("bool", "[char];bool", "max_val({zx : zx in $0 | $1}) == code_char(0)"),
    ("bool", "[int];bool", "all({zx : zx in $0 | $1}) == -1"),
    ("bool", "[int];bool", "any({zx : zx in $0 | $1}) == 0"),
    ("bool", "[int];bool", "parity({zx : zx in $0 | $1}) == 0"),
    ("bool", "[int];bool", "sum({zx : zx in $0 | $1}) == 0"),
    ("bool", "[int];bool", "product({zx : zx in $0 | $1}) == 1"),
    ("int", "int;int;int", "find($0, {$1 : zi in index(mod($2, 9))})"),
    ("int", "[o];bool", "max_index({zx : zx in $0 | $1})"),
    ("int", "[bool]", "count($0)"),
    ("[int]", "[bool]", "enumerate($0)"),
    ("int", "[o]", "max_index($0)"),
    ("int", "[o]", "min_index($0)"),
    ("([a], a)", "(a, a) -> a;a;[a]", "scan($0, $1, $2)"),
    ("a", "(a, a) -> a;a;[a]", "reduce($0, $1, $2)"),
    ("[b]", "a -> b;[a]", "map($0, $1)"),
    // Moving data.
    ("[a]", "[a];int", "rotate($0, $1)"),
    ("[a]", "[a]", "reverse($0)"),
    ("[a]", "[a];a", "previous($0, $1)"),
    ("[a]", "[a];a", "next($0, $1)"),
    ("[a]", "[a]", "even_elts($0)"),
    ("[a]", "[a]", "odd_elts($0)"),
    (
        "[a]",
        "[a];int;int",
        "let z = $0 in {z[mod(zi * $1, #z)] : zi in index(mod($2, 9)) | #z > 0}",
    ),
    ("[a]", "[(a, bool)]", "pack($0)"),
    ("[int]", "[bool]", "pack_index($0)"),
    ("([int], [int])", "[bool]", "split_index($0)"),
    // Nesting.
    ("[a]", "[[a]]", "flatten($0)"),
    ("[[a]]", "[a]", "bottop($0)"),
    ("[int]", "[bool]", "length_from_flags($0)"),
    ("[[a]]", "[a];int", "group_by($0, 1 + mod($1, 4))"),
    ("[[a]]", "[a]", "let z = $0 in {take(z, zi) : zi in index(#z + 1)}"),
    ("[[a]]", "[a];int", "let z = $0 in {drop(z, zi) : zi in index(#z + 1) | zi /= $1}"),
    (
        "[[a]]",
        "[a];int",
        "let z = $0 in {dist(zx, if zi == mod($1, 4) then 40 else mod(zi, 2)) : zx in z; zi in index(#z)}",
    ),
    (
        "[[int]]",
        "int;int",
        "let z = $1 in {index(if zi == mod($0, 7) then 50 else mod(zi * z, 3)) : zi in index(7)}",
    ),
    ("[a]", "[[a]]", "flatten({z : z in $0 | #z > 1})"),
    // Sorting and sets.
    ("[int]", "[o]", "rank($0)"),
    ("[int]", "[o]", "rank_down($0)"),
    ("[o]", "[o]", "sort($0)"),
    ("[a]", "[a]", "remove_duplicates($0)"),
    ("[bool]", "[a]", "mark_duplicates($0)"),
    ("[int]", "[a]", "name($0)"),
    ("[a]", "[a];[a]", "union($0, $1)"),
    ("[a]", "[a];[a]", "intersection($0, $1)"),
    ("[a]", "[a];[a]", "set_difference($0, $1)"),
    ("[(int, [a])]", "[(int, a)]", "int_collect($0)"),
    ("[(a, [b])]", "[(a, b)]", "collect($0)"),
    ("[(a, int)]", "[a]", "histogram($0)"),
    ("[int]", "[a];[a]", "search_for_subseqs($0, $1)"),
    // Tables.
    ("hashtable(a, b)", "[(a, b)]", "create_table($0)"),
    ("hashtable(a, b)", "(a, b);int", "make_table($0, mod($1, 9))"),
    ("hashtable(a, b)", "[(a, b)];hashtable(a, b)", "insert_table($0, $1)"),
    ("[(b, bool)]", "[a];hashtable(a, b)", "search_table($0, $1)"),
    ("[(a, b)]", "hashtable(a, b)", "table_entries($0)"),
    ("bool", "[a];hashtable(a, b)", "count({zf : (zv, zf) in search_table($0, $1)}) > 1"),
    // Text.
    ("[char]", "a", "@$0"),
    ("[char]", "[char];int", "$0 || (mod($1, 9) - 4)"),
    ("bool", "char", "digitp($0)"),
    ("char", "char", "uppercase($0)"),
    ("char", "char", "lowercase($0)"),
    ("[char]", "a", "string($0)"),
    ("[char]", "float;int", "exp_string($0, mod($1, 18))"),
    ("[[char]]", "[char];[char]", "group_by_space($0, $1)"),
    ("[[char]]", "[char];int", "justify_text($0, 12 + mod($1, 9))"),
    ("(int, bool)", "[char]", "parse_unsigned_int($0)"),
    ("(float, bool)", "[char]", "parse_float($0)"),
    ("(float, bool)", "float", "parse_float(@$0)"),
    ("bool", "[char];[char]", "string_eql($0, $1)"),
    ("[[char]]", "[char]", "wordify($0)"),
    ("[[char]]", "[char]", "linify($0)"),
    ("(int, bool)", "[char]", "parse_int($0)"),
    ("(int, bool)", "int", "parse_int(@$0)"),
    ("([int], bool)", "[char]", "parse_int_vect($0)"),
];

/// Result, arguments, text that does not fail, text that may fail.
const PARTIAL: &[(&str, &str, &str, &str)] = &[
    // Arithmetic.
    ("int", "int;int", "let z = $1 in $0 / (if z == 0 then 3 else z)", "$0 / $1"),
    ("int", "int;int", "rem($0, 1 + abs(mod($1, 7)))", "rem($0, $1)"),
    ("int", "int;int", "mod($0, 2 + abs(rem($1, 5)))", "mod($0, $1)"),
    ("int", "int;int", "$0 ^ mod($1, 6)", "$0 ^ $1"),
    ("int", "int;int", "lshift($0, mod($1, 70))", "lshift($0, $1)"),
    ("int", "int;int", "rshift($0, mod($1, 70))", "rshift($0, $1)"),
    ("int", "int", "isqrt(max($0, 0))", "isqrt($0)"),
    ("char", "int", "code_char(mod($0, 256))", "code_char($0)"),
    ("int", "int", "rand(1 + mod($0, 50))", "rand(mod($0, 50))"),
    (
        "bool",
        "bool",
        "if $0 and not($0) then error(\"no\") else t",
        "if $0 then error(\"why\") else t",
    ),
    // Elements.
    ("a", "[a];int;a", "let z = $0 in if #z > 0 then z[mod($1, #z)] else $2", "$0[$1]"),
    (
        "a",
        "a;[a];int",
        "let z = cons($0, $1) in elt(z, mod($2, #z))",
        "elt(cons($0, $1), mod($2, 4))",
    ),
    (
        "[a]",
        "[a];a;int",
        "let z = $0 in if #z > 0 then rep(z, $1, mod($2, #z)) else z",
        "rep($0, $1, mod($2, 3))",
    ),
    ("[a]", "a;int", "dist($0, max(0, mod($1, 6) - 2))", "dist($0, mod($1, 6) - 1)"),
    (
        "(a, [a])",
        "[a];a",
        "let z = $0 in if #z > 0 then head_rest(z) else ($1, z)",
        "head_rest($0)",
    ),
    (
        "([a], a)",
        "[a];a",
        "let z = $0 in if #z > 0 then rest_tail(z) else (z, $1)",
        "rest_tail($0)",
    ),
    ("(a, a)", "a;a", "vsep([$0, $1])", "let z = $0 in vsep(if z == $1 then [z] else [z, $1])"),
    ("[int]", "int", "index(max(0, mod($0, 7) - 2))", "index(mod($0, 7) - 2)"),
    ("[int]", "int;int", "iseq($0, 2, $0 + mod($1, 7))", "iseq($0, mod($1, 3) - 1, $0 + 4)"),
    // Pairs and parts.
    (
        "[(a, b)]",
        "[a];b;int",
        "let z = $0 in zip(z, dist($1, #z))",
        "zip($0, dist($1, mod($2, 4)))",
    ),
    (
        "[(a, b)]",
        "[a];[b]",
        "let za = $0; zb = $1; zn = min(#za, #zb) in zip(take(za, zn), take(zb, zn))",
        "zip($0, $1)",
    ),
    (
        "[(a, b, c)]",
        "[a];b;c",
        "let z = $0 in zip3(z, dist($1, #z), dist($2, #z))",
        "zip3($0, [$1], dist($2, 2))",
    ),
    ("[a]", "[a];int", "let z = $0 in take(z, min(#z, mod($1, 5)))", "take($0, mod($1, 5))"),
    ("[a]", "[a];int", "let z = $0 in take(z, max(-#z, -mod($1, 5)))", "take($0, -mod($1, 5))"),
    ("[a]", "[a];int", "let z = $0 in drop(z, min(#z, mod($1, 5)))", "drop($0, mod($1, 5))"),
    ("[a]", "[a];int", "let z = $0 in drop(z, max(-#z, -mod($1, 5)))", "drop($0, -mod($1, 5))"),
    (
        "[a]",
        "[a];int;int",
        "let z = $0; zs = mod($1, #z + 1) in subseq(z, zs, zs + mod($2, #z - zs + 1))",
        "subseq($0, mod($1, 4), mod($2, 6))",
    ),
    // Moving data.
    (
        "[a]",
        "[a];[int]",
        "let z = $0; zn = #z in if zn == 0 then z else z -> {mod(zi, zn) : zi in $1}",
        "$0 -> {mod(zi, 3) : zi in $1}",
    ),
    (
        "[a]",
        "[a];[(int, a)]",
        "let z = $0; zn = #z in if zn == 0 then z else z <- {(mod(zi, zn), zx) : (zi, zx) in $1}",
        "$0 <- {(mod(zi, 3), zx) : (zi, zx) in $1}",
    ),
    (
        "[a]",
        "[a];[int]",
        "let z = $0; zn = #z in read(z, {zi : zi in $1 | 0 <= zi and zi < zn})",
        "read($0, $1)",
    ),
    (
        "[a]",
        "[a];[a]",
        "let zd = $0; zv = $1; zn = #zd in write(zd, {(mod(zi * 5, zn), zx) : zx in zv; zi in index(#zv) | zn > 0})",
        "let z = $1 in write($0, zip(index(#z), z))",
    ),
    (
        "[a]",
        "[a];[a]",
        "let zd = $0; zv = $1; zn = #zd in if zn == 0 then zd else put(zv, {mod(zi, zn) : zi in index(#zv)}, zd)",
        "let z = $1 in put(z, index(#z), $0)",
    ),
    (
        "[a]",
        "[a];[a];int",
        "let zd = $0; zv = $1; zk = {zi + mod($2, 3) - 1 : zi in index(#zv)} in cond_put(zv, zk, {0 <= zi and zi < #zd : zi in zk}, zd)",
        "let z = $1 in cond_put(z, index(#z), {mod(zi, 3) == 0 : zi in index(#z)}, $0)",
    ),
    (
        "[a]",
        "[a];[int]",
        "let z = $0; zn = #z in get(z, {zi : zi in $1 | 0 <= zi and zi < zn})",
        "get($0, $1)",
    ),
    (
        "[a]",
        "[a];[int]",
        "let z = $0; zk = #$1 in permute(z, rank({mod(zi * 5 + zk, 7) : zi in index(#z)}))",
        "permute($0, $1)",
    ),
    ("[a]", "[a]", "let z = $0 in permute(z, reverse(index(#z)))", "permute($0, [1, 0])"),
    (
        "[a]",
        "[a];[bool]",
        "let z = $0; zg = $1 ++ dist(t, #z); zk = #z in unpack(z, {zb and zj < zk : zb in zg; zj in enumerate(zg)})",
        "unpack($0, $1)",
    ),
    (
        "[a]",
        "[a];[a]",
        "let z = $0; zw = $1 in flag_merge(dist(t, #zw) ++ dist(f, #z), z, zw)",
        "flag_merge([t, f], $0, $1)",
    ),
    (
        "[a]",
        "[a];[a]",
        "let z = $0; zw = $1 in join(z, index(#z), zw, {zi + #z : zi in index(#zw)})",
        "join($0, [0], $1, [1])",
    ),
    ("[a]", "[a]", "let z = $0 in interleave(even_elts(z), odd_elts(z))", "interleave($0, $0)"),
    ("[a]", "[a];[a]", "let z = $0 in interleave(z, reverse(z))", "interleave($0, $1)"),
    // Nesting.
    (
        "[[a]]",
        "[a];int",
        "let z = $0; zk = mod($1, #z + 1) in partition(z, [zk, 0, #z - zk])",
        "partition($0, [mod($1, 4), 1])",
    ),
    (
        "[[a]]",
        "[a];[int]",
        "let z = $0; zn = {mod(zi, 4) : zi in $1} in partition(flatten({take(z ++ z, min(2 * #z, zk)) : zk in zn}), {min(2 * #z, zk) : zk in zn})",
        "partition($0, $1)",
    ),
    (
        "[[a]]",
        "[a];b",
        "let z = $0 in split(z, {evenp(zi) : zi in index(#z)})",
        "split($0, [t, f, t])",
    ),
    (
        "[[a]]",
        "[a];int",
        "let z = $0; zk = 1 + mod($1, 3) in flag_partition(z, {mod(zi, zk) == 0 : zi in index(#z)})",
        "flag_partition($0, [t, f, t])",
    ),
    (
        "[[a]]",
        "[a];int",
        "let z = $0 in group_by_separator_flags(z, {mod(zi, 3) == 0 : zi in index(#z)})",
        "group_by($0, mod($1, 3))",
    ),
    (
        "[[a]]",
        "[a];[bool]",
        "let z = $0; zg = $1 ++ dist(f, #z) in group_by_separator_flags_x(z, take(zg, #z))",
        "group_by_separator_flags_x($0, $1)",
    ),
    ("[[a]]", "[a];[a]", "let z = $0 in transpose([z, reverse(z)])", "transpose([$0, $1])"),
    // Order.
    (
        "o",
        "[o];int;o",
        "let z = $0 in if #z > 0 then kth_smallest(z, mod($1, #z)) else $2",
        "kth_smallest($0, mod($1, 4))",
    ),
    ("o", "[o];o", "median(snoc($0, $1))", "median($0)"),
];

/// What a conversion takes.
#[derive(Clone, Debug)]
pub(super) enum Taken {
    /// A value of this type.
    One(Ty),
    /// Any sequence.
    Sequence,
}

/// Ways to make a value of a type from a name; `$1` is a small int.
pub(super) fn conversions(ty: &Ty) -> Vec<(Taken, &'static str)> {
    use Taken::{One, Sequence};
    match ty {
        Ty::Bool => vec![
            (One(Ty::Int), "$0 > $1"),
            (One(Ty::Int), "oddp($0)"),
            (One(Ty::Int), "mod($0, 3) == 1"),
            (One(Ty::Float), "$0 > 1.0"),
            (One(Ty::Char), "$0 < `b"),
            (Sequence, "#$0 > 1"),
            (Sequence, "#$0 == 0"),
        ],
        Ty::Int => vec![
            (One(Ty::Float), "round($0)"),
            (One(Ty::Bool), "btoi($0)"),
            (One(Ty::Char), "char_code($0)"),
            (Sequence, "#$0"),
            (One(Ty::Int.seq()), "sum($0)"),
        ],
        Ty::Float => vec![(One(Ty::Int), "float(mod($0, 100))"), (One(Ty::Float.seq()), "sum($0)")],
        Ty::Char => vec![(One(Ty::Int), "code_char(97 + mod($0, 26))")],
        Ty::Seq(element) => {
            let mut ways = vec![
                (One(Ty::clone(element)), "dist($0, mod($1, 4))"),
                (One(ty.seq()), "flatten($0)"),
            ];
            match &**element {
                Ty::Int => {
                    ways.extend([(One(Ty::Int), "index(mod($0, 7))"), (Sequence, "index(#$0)")]);
                }
                Ty::Bool => ways.push((One(Ty::Int.seq()), "{oddp(zi) : zi in $0}")),
                Ty::Float => ways.push((One(Ty::Int.seq()), "{float(mod(zi, 100)) : zi in $0}")),
                Ty::Char => ways.push((One(Ty::Int), "@$0")),
                Ty::Seq(inner) => ways.push((One(inner.seq()), "bottop($0)")),
                Ty::Tuple(_) | Ty::Data(_) | Ty::Fun(..) | Ty::Table(_) | Ty::Var(_) => {}
            }
            ways
        }
        Ty::Tuple(_) | Ty::Data(_) | Ty::Fun(..) | Ty::Table(_) | Ty::Var(_) => Vec::new(),
    }
}

/// Reads types as the table writes them.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn list(&mut self, separator: u8) -> Vec<Ty> {
        let mut list = vec![self.ty()];
        while self.eat(separator) {
            list.push(self.ty());
        }
        list
    }

    fn ty(&mut self) -> Ty {
        let from = self.simple();
        if self.eat(b'-') && self.eat(b'>') { from.fun(self.ty()) } else { from }
    }

    fn simple(&mut self) -> Ty {
        if self.eat(b'(') {
            let parts = self.list(b',');
            self.eat(b')');
            return Ty::tuple(parts);
        }
        if self.eat(b'[') {
            let element = self.ty();
            self.eat(b']');
            return element.seq();
        }
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_lowercase) {
            self.at += 1;
        }
        match &self.text[start..self.at] {
            b"int" => Ty::Int,
            b"float" => Ty::Float,
            b"bool" => Ty::Bool,
            b"char" => Ty::Char,
            b"hashtable" => match self.simple().pair() {
                Some((keys, values)) => Ty::table(keys, values),
                None => unreachable!("a table of what?"),
            },
            [letter] => Ty::Var(char::from(*letter)),
            other => unreachable!("type {}", other.escape_ascii()),
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        while found && self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        found
    }
}
