//! Documentation of names of the library that have no documentation string: operators that stand
//! for functions of other names, and constants.

/// Names, and what would be their documentation strings ([`crate::Doc`]).
pub(crate) const ALSO: &[(&str, &str)] = &[
    (
        "nand",
        "complement of and\n\
         cost: 1 / 1\n\
         example: t nand t ==> F",
    ),
    (
        "nor",
        "complement of or\n\
         cost: 1 / 1\n\
         example: f nor f ==> T",
    ),
    (
        "^",
        "x ^ p: power by repeated squaring; x ^ 0 is 1; fails (domain) on a \
         negative exponent; ints wrap\n\
         cost: log p / log p\n\
         example: 2 ^ 10 ==> 1024\n\
         example: 0.5 ^ 2 ==> 0.25",
    ),
    (
        "->",
        "v -> i: the elements v[i[0]], v[i[1]], ...; fails (index)\n\
         cost: m + S / 1\n\
         example: \"abcd\" -> [3, 0, 0] ==> \"daa\"\n\
         example: \"abcd\" -> [4] ==> fails (index)",
    ),
    (
        "<-",
        "d <- w: d with each (i, x) of w written at i; the last write to an index wins; \
         fails (index)\n\
         cost: m + size of d / 1\n\
         example: [0, 0, 0] <- [(2, 7), (0, 5), (2, 8)] ==> [5, 0, 8]",
    ),
    (
        "||",
        "s || w: spaces added on the right up to width w, on the left up to -w if w < 0; \
         never cuts\n\
         cost: n + w / 1\n\
         example: \"ab\" || 5 ==> \"ab   \"\n\
         example: \"ab\" || -5 ==> \"   ab\"",
    ),
    (
        "stdin",
        "standard input\n\
         cost: 1 / 1\n\
         status: extended\n\
         example: stdin ==> stream(0)",
    ),
    (
        "stdout",
        "standard output\n\
         cost: 1 / 1\n\
         status: extended\n\
         example: write_string(\"abc\", stdout) ==> (T, \"\")\n\
         prints: abc",
    ),
    (
        "stderr",
        "standard error\n\
         cost: 1 / 1\n\
         status: extended\n\
         example: stderr ==> stream(2)",
    ),
    (
        "nullstr",
        "no stream\n\
         cost: 1 / 1\n\
         status: extended\n\
         example: nullstr ==> stream(-1)",
    ),
];
