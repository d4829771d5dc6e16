//! Names of other languages, and what they are here.

/// Functions and constants, and words of control, that the library does not have.
const NAMES: &[(&[&str], &str)] = &[
    (&["len", "size", "sizeof", "strlen"], "the length of a sequence is `#a`"),
    (&["filter", "where", "select"], "elements are chosen by a test: `{x in s | x > 0}`"),
    (
        &["foldl", "foldr", "fold", "inject"],
        "a sequence is combined by `reduce`, or by `sum`, \
        `product`, `max_val`, `min_val`, `any` and `all`",
    ),
    (&["map2", "zipwith"], "several sequences are gone through by `{x + y : x in a; y in b}`"),
    (&["scanl", "scanr", "cumsum"], "prefixes are combined by `scan`, `plus_scan`, `max_scan`"),
    (&["iota", "arange", "linspace", "range"], "the ints below n are `[0:n]`"),
    (&["replicate", "repeat", "fill"], "n times the value x is `dist(x, n)`"),
    (&["concat", "concatmap"], "`++` joins two sequences, `flatten` a sequence of them"),
    (&["head", "car", "hd"], "the first element is `a[0]`"),
    (&["last"], "the last element is `a[#a - 1]`"),
    (&["tail", "cdr", "tl"], "the elements behind the first are `drop(a, 1)`"),
    (
        &["println", "printf", "putstrln", "print_endline", "echo", "display", "puts"],
        "`print_line` prints a string, `@x` is the text of a value",
    ),
    (&["str", "tostring", "to_string", "repr", "string_of_int"], "the text of a value is `@x`"),
    (&["pow", "powf"], "a power is `a ^ n` for ints, `expt(x, y)` for floats"),
    (&["fabs"], "`abs` is for ints and floats"),
    (&["float64", "double", "fromintegral", "f64"], "`float` converts an int"),
    (&["int", "truncate", "i64"], "`trunc`, `floor`, `ceil` or `round` makes an int of a float"),
    (&["ord"], "the code of a char is `char_code(c)`"),
    (&["chr"], "the char of a code is `code_char(n)`"),
    (&["mod_int", "modulo", "remainder"], "the remainder is `rem(a, b)` or `mod(a, b)`"),
    (&["null", "none", "nil", "nothing"], "there is no such value; `[]` is the empty sequence"),
    (&["return"], "the value of a function is its body, without a word before it"),
    (
        &["for", "while", "do", "foreach"],
        "there are no loops: `{value : name in sequence}` \
        computes a value for each element, and functions call themselves",
    ),
    (&["lambda", "fn", "fun"], "a function value is written `x => value`"),
    (&["def", "define", "func"], "a function is written `function name(parameters) = value;`"),
    (
        &["plus_reduce", "mult_reduce", "max_reduce", "min_reduce", "or_reduce", "and_reduce"],
        "reductions are `sum`, `product`, `max_val`, `min_val`, `any` and `all`",
    ),
    (&["argmax"], "the position of the largest element is `max_index(a)`"),
    (&["argmin"], "the position of the smallest element is `min_index(a)`"),
    (&["unique", "nub", "distinct"], "`remove_duplicates` keeps each element once"),
    (&["div", "quot", "idiv"], "an int divided by an int is an int: `a / b`"),
    (&["sqr", "square"], "a square is `x ^ 2`"),
    (&["even", "iseven", "is_even"], "`evenp(n)` tells whether an int is even"),
    (&["odd", "isodd", "is_odd"], "`oddp(n)` tells whether an int is odd"),
    (&["mean", "average", "avg"], "a mean is `sum(a) / float(#a)` of floats"),
    (&["fst"], "the first part of a pair is `first(p)`"),
    (&["snd"], "the second part of a pair is bound by a pattern: `let (_, b) = p in b`"),
    (&["zeros"], "n zeros are `dist(0, n)`, or `dist(0.0, n)`"),
    (&["ones"], "n ones are `dist(1, n)`, or `dist(1.0, n)`"),
    (&["elem", "member", "contains", "includes"], "`any({x == y : y in a})` finds x in a"),
    (&["indexof", "index_of", "find_index"], "the first position of x in a is `find(x, a)`"),
    (&["sorted", "sort_by", "sortby", "argsort"], "`sort(a)` sorts, `rank(a)` gives positions"),
    (&["takewhile", "dropwhile", "span"], "the positions where a test holds are `pack_index`"),
    (&["lines"], "`linify(s)` gives the lines of a string"),
    (&["words"], "`wordify(s)` gives the words of a string"),
    (&["toupper", "to_upper"], "`uppercase` is for strings"),
    (&["tolower", "to_lower"], "`lowercase` is for strings"),
    (&["isdigit", "is_digit"], "`digitp(c)` tells whether a char is a digit"),
    (&["log2"], "a logarithm to the base 2 is `log(x, 2.0)`"),
    (&["log10"], "a logarithm to the base 10 is `log(x, 10.0)`"),
    (
        &["next_char", "succ"],
        "the char behind `c` in the order of codes is `code_char(char_code(c) + 1)`; `read_char` \
        reads one from a file",
    ),
    (&["start_timer", "stop_timer"], "`time(e)` gives the value of e and the seconds it took"),
    (&["grep"], "lines with a word are `{l in linify(s) | #search_for_subseqs(w, l) > 0}`"),
    (&["read_int_seq", "read_float_seq"], "`read_object` reads a value from a file"),
    (&["char_rank"], "`rank` takes chars, too"),
    (&["iseq1", "iseqm1"], "ranges are `[s:e]` and `[s:e:-1]`"),
    (
        &["segrep", "segget", "segput", "segpermute", "segjoin", "segselect", "vselect"],
        "functions apply at every type, and to each sequence inside another in an apply-to-each",
    ),
    (&["numpy", "np", "math", "import"], "the library is there without a word about it"),
];

/// Operators that have a name in other languages.
const OPERATORS: &[(&[&str], &str)] = &[
    (&["plus", "add"], "+"),
    (&["minus", "sub", "subtract"], "-"),
    (&["times", "mul", "mult", "multiply"], "*"),
    (&["divide", "truediv", "floordiv"], "/"),
    (&["equal", "equals"], "=="),
];

/// Types of other languages, and the same here.
const TYPES: &[(&[&str], &str)] = &[
    (&["integer", "i64", "i32", "int64", "int32", "long", "nat"], "int"),
    (&["double", "f64", "f32", "float64", "float32", "real"], "float"),
    (&["boolean"], "bool"),
    (&["string", "str"], "[char]"),
    (&["character"], "char"),
];

/// Words before the name that is defined.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["fun", "def", "fn", "func", "define"],
        "a function is written \
        `function name(parameters) = value;`",
    ),
    (
        &["val", "var", "const", "auto", "int", "float", "bool", "char", "double", "mut"],
        "a value is bound by `name = value;`",
    ),
];

/// Words of control: behind them no name of the form makes sense.
const CONTROL: [&str; 7] = ["for", "while", "do", "foreach", "import", "return", "where"];

/// Whether a form with this word is one of another language.
pub(crate) fn is_control(name: &str) -> bool {
    CONTROL.contains(&name)
}

/// Whether a word before a parameter makes a function value.
pub(crate) fn is_lambda(name: &str) -> bool {
    ["lambda", "fn", "fun"].contains(&name)
}

/// The operator that has this name elsewhere.
pub(crate) fn operator(name: &str) -> Option<&'static str> {
    find(OPERATORS, name)
}

/// What is said about an unknown name.
pub(super) fn name(name: &str) -> Option<&'static str> {
    find(NAMES, name)
}

/// The type that an unknown one is here.
pub(super) fn ty(name: &str) -> Option<&'static str> {
    find(TYPES, name)
}

/// What is said about a word before a name that is to be defined.
pub(super) fn word(name: &str) -> Option<&'static str> {
    find(WORDS, name)
}

/// Whether a word before a name says that the name is to be defined.
pub(crate) fn is_word(name: &str) -> bool {
    word(name).is_some()
}

fn find(table: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|row| row.0.contains(&name)).map(|row| row.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_in_a_table_once() {
        for table in [NAMES, OPERATORS, TYPES, WORDS] {
            let mut names: Vec<&str> = table.iter().flat_map(|row| row.0).copied().collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }
}
