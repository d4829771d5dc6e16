//! Ints near the ends, and the functions of the library that take them as lengths and positions
//! without a guard.
//!
//! No number here is a legal length that does not fit into memory: engines that only count such a
//! sequence would continue where the interpreter runs out of memory.

use super::library::{Row, row};
use std::sync::LazyLock;

/// Ints at both widths: the ends, their neighbours, and small ones.
pub(super) const INTS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "300",
    "max_int",
    "min_int",
    "(max_int - 1)",
    "(min_int + 1)",
    "(max_int - 7)",
];

/// Rows of the table of programs at the ends.
pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    BARE.iter().map(|&(result, args, text)| row(result, args, text, None)).collect()
});

/// Result, arguments, text.
const BARE: &[(&str, &str, &str)] = &[
    ("[a]", "a;int", "dist($0, $1)"),
    ("[int]", "int", "index($0)"),
    ("[int]", "int;int", "[$0:$1]"),
    ("[int]", "int;int;int", "[$0:$1:$2]"),
    ("[int]", "int;int;int", "iseq($0, $1, $2)"),
    ("[float]", "float;float;float", "fseq($0, $1, $2)"),
    ("[char]", "[char];int", "$0 || $1"),
    ("[a]", "[a];int", "take($0, $1)"),
    ("[a]", "[a];int", "drop($0, $1)"),
    ("[a]", "[a];int;int", "subseq($0, $1, $2)"),
    ("[a]", "[a];int", "rotate($0, $1)"),
    ("a", "[a];int", "$0[$1]"),
    ("[a]", "[a];[int]", "$0 -> $1"),
    ("[a]", "[a];[(int, a)]", "$0 <- $1"),
    ("[[a]]", "[a];[int]", "partition($0, $1)"),
    ("[[a]]", "[a];int", "group_by($0, $1)"),
    ("[a]", "[a];[a]", "interleave($0, $1)"),
    ("[a]", "[a];[a]", "$0 ++ $1"),
    ("[a]", "[[a]]", "flatten($0)"),
    ("[a]", "a;[int]", "let zx = $0 in flatten({dist(zx, zn) : zn in $1})"),
    ("[[int]]", "[int]", "{index(zn) : zn in $0}"),
    ("[int]", "[int]", "{sum(index(zn)) : zn in $0}"),
    ("[int]", "[int];int", "let zm = $1 in {#(index(zn) ++ index(zm)) : zn in $0}"),
    ("[int]", "[int];int", "let zm = $1 in {max_val([zn:zm]) : zn in $0}"),
    ("[bool]", "[int];int", "let zm = $1 in {any({zi == 5 : zi in [zn:zm:3]}) : zn in $0}"),
    ("int", "int;int", "#(index($0) ++ index($1))"),
    ("int", "int", "let zn = $0 in #flatten(dist(dist(7, zn), zn))"),
    ("int", "[int]", "#flatten({index(zn) : zn in $0})"),
    ("int", "int;int", "sum([$0:$1])"),
    ("int", "int;int;int", "#{zi : zi in [$0:$1:$2] | oddp(zi)}"),
];
