//! The table of primitives that NESL source can name.
//!
//! A primitive is *public* when it is a name or operator of LIBRARY.md, else only the library's own
//! files see it.  Everything else of LIBRARY.md is NESL, in `stdlib/`.

use crate::monoid::Monoid;
use crate::scalar::ScalarOp;
use crate::ty::Const;
use base::{Site, define_id};

define_id!(Prim, "prim", "A row of the table of primitives.");

/// What a primitive does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Meaning {
    /// A scalar operation on the components of the argument pair.
    Scalar(ScalarOp),
    /// A constant.
    Const(Const),
    /// An operation on sequences.
    Bulk(Bulk),
    /// Fails at this site unless the first argument (bool) is T; two ints follow for the message.
    /// Returns T.
    Require(Site),
    /// `==` at any type without functions.
    Equal,
    /// `/=` at any type without functions.
    Unequal,
    /// `select` at any type.
    Select,
    /// 0, F, empty, by components: of the type of the result.
    Identity,
    /// A number at the type of the second argument, whose value is ignored; a float becomes an int
    /// by [`ScalarOp::Round`].
    Convert,
    /// A hash, equal for equal values.
    HashBits,
    /// `@`: the text of a value.
    Text,
    /// A fresh random int of all bits: each evaluation gives its own.
    RandomBits,
    /// Restarts the generator.
    Seed,
    /// Fails with a message.
    Error,
    /// Writes characters to standard output.
    PrintString,
    /// Writes a line from anywhere, lanes included.
    PrintDebug,
    /// Value and seconds.
    Time,
    /// Something done with a stream.
    Stream(StreamOp),
    /// Fails with a message, at the site of files.
    FileFailed,
    /// The text of a value of any type without functions, which [`Meaning::ObjectValue`] reads.
    ObjectText,
    /// The value, of the type of a sample, that a text shows, or the sample; whether it is the
    /// value; and why it is not.
    ObjectValue,
    /// Whether the type of the argument is float (constant at compile time).
    IsFloat,
}

/// Operations on streams, which are ints: 0, 1 and 2 are those of the process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StreamOp {
    /// `([char], int) -> (int, bool, [char])`: a file of this name for reading (0), for writing
    /// from its beginning (1) or at its end (2).
    Open,
    /// `int -> (bool, [char])`.
    Close,
    /// `([char], int, int) -> (([char], int), bool, [char])`: from a stream, up to one of these
    /// characters, at most so many.
    Read,
    /// `([char], int) -> (bool, [char])`.
    Write,
}

/// Operations on sequences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bulk {
    /// `[a] -> int`.
    Length,
    /// `int -> [int]`: 0, 1, ..., n-1.
    Index,
    /// `([a], int) -> a`, checked.
    Element,
    /// `([a], int, int) -> [a]`: start and length, unchecked; no element is copied.
    Slice,
    /// `[bool] -> [int]`: positions of T.
    Which,
    /// Exclusive scan.
    Scan(Monoid),
    /// Reduction.
    Reduce(Monoid),
    /// `[[a]] -> [a]`.
    Flatten,
    /// `([a], [int]) -> [[a]]`, lengths checked by the library before.
    Partition,
    /// `([a], [a]) -> [a]`.
    Append,
    /// `([a], [int], [a]) -> [a]`: first with the elements of the third at the positions of the
    /// second; the last write wins; positions checked.
    Write,
    /// `([a], [int]) -> [a]`: element k to position i\[k\]; positions checked to be a permutation.
    Permute,
    /// `[a] -> [int]`: for each element its position in the stable ascending order.
    Rank,
    /// `[a] -> [int]`: the same, descending.
    RankDown,
    /// `[a] -> [a]`: stable ascending order.
    Sort,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Primitive {
    /// The name or operator; prefix minus is `negate`, subscript is `elt`.
    pub name: &'static str,
    /// Its type, as shown.
    pub ty: &'static str,
    /// What it does.
    pub meaning: Meaning,
    /// Seen by users, not only by the library.
    pub public: bool,
    /// Whether it is an effect (LANGUAGE 12).
    pub effect: bool,
    /// One line.
    pub doc: &'static str,
    /// Work and depth as LIBRARY.md writes them.
    pub cost: &'static str,
    /// Examples, one in a line as `expression ==> value`; `prints: ` in the next line says what
    /// one prints.  Documentation strings of functions have them in the same form.
    pub examples: &'static str,
    /// Whether every implementation has it.
    pub status: Status,
}

/// Which implementations of the language have a name.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Status {
    /// All.
    #[default]
    Core,
    /// All, but NESL 3.1 did not have it.
    New,
    /// Some.
    Extended,
}

impl Primitive {
    const fn examples(self, examples: &'static str) -> Primitive {
        Primitive { examples, ..self }
    }

    /// The row of an id.
    pub fn of(prim: Prim) -> &'static Primitive {
        &TABLE[base::Id::index(prim)]
    }
    /// All rows with their ids.
    pub fn all() -> impl Iterator<Item = (Prim, &'static Primitive)> {
        TABLE.iter().enumerate().map(|(i, row)| (base::Id::new(i), row))
    }
    /// The row of this name.
    pub fn named(name: &str) -> Option<Prim> {
        TABLE.iter().position(|row| row.name == name).map(base::Id::new)
    }
}

const fn row(
    name: &'static str,
    ty: &'static str,
    meaning: Meaning,
    doc: &'static str,
    cost: &'static str,
) -> Primitive {
    let (examples, status) = ("", Status::Core);
    Primitive { name, ty, meaning, public: true, effect: false, doc, cost, examples, status }
}

/// Only for the library's own files.
const fn inner(
    name: &'static str,
    ty: &'static str,
    meaning: Meaning,
    doc: &'static str,
    cost: &'static str,
) -> Primitive {
    Primitive { public: false, ..row(name, ty, meaning, doc, cost) }
}

const fn effect(primitive: Primitive) -> Primitive {
    Primitive { effect: true, ..primitive }
}

const fn extended(primitive: Primitive) -> Primitive {
    Primitive { status: Status::Extended, ..primitive }
}

const fn new(primitive: Primitive) -> Primitive {
    Primitive { status: Status::New, ..primitive }
}

const LOGIC: &str = "(a, a) -> a :: (a in logical)";
const LOGIC1: &str = "a -> a :: (a in logical)";
const NUMBER: &str = "(a, a) -> a :: (a in number)";
const NUMBER1: &str = "a -> a :: (a in number)";
const ORDER: &str = "(a, a) -> bool :: (a in ordinal)";
const ORDINAL: &str = "(a, a) -> a :: (a in ordinal)";
const INT2: &str = "(int, int) -> int";
const FLOAT1: &str = "float -> float";
const FLOAT2: &str = "(float, float) -> float";
const ROUND: &str = "float -> int";
const SCAN_NUMBER: &str = "[a] -> [a] :: (a in number)";
const SCAN_ORDINAL: &str = "[a] -> [a] :: (a in ordinal)";
const SCAN_LOGIC: &str = "[a] -> [a] :: (a in logical)";
const RED_NUMBER: &str = "[a] -> a :: (a in number)";
const RED_ORDINAL: &str = "[a] -> a :: (a in ordinal)";
const RED_LOGIC: &str = "[a] -> a :: (a in logical)";
const REQUIRE: &str = "(bool, int, int) -> bool";
const ONE: &str = "1 / 1";
const N: &str = "n / 1";
const S: &str = "S / 1";

use Meaning as M;
use ScalarOp as O;

/// The rows, in the order of LIBRARY.md.
#[rustfmt::skip] // a table is read line by line: one row, one line
static TABLE: &[Primitive] = &[
    // 1 Logic
    row("and", LOGIC, M::Scalar(O::And), "conjunction", ONE).examples("t and f ==> F\n6 and 3 ==> 2"),
    row("or", LOGIC, M::Scalar(O::Or), "disjunction", ONE).examples("t or f ==> T\n6 or 3 ==> 7"),
    row("xor", LOGIC, M::Scalar(O::Xor), "exclusive or", ONE).examples("t xor t ==> F\n6 xor 3 ==> 5"),
    row("not", LOGIC1, M::Scalar(O::Not), "complement; not(0) is -1", ONE).examples("not(t) ==> F\nnot(0) ==> -1"),
    new(row("true", "bool", M::Const(Const::Bool(true)), "the value of t", ONE).examples("true ==> T")),
    new(row("false", "bool", M::Const(Const::Bool(false)), "the value of f", ONE).examples("false ==> F")),
    // 2 Comparison
    row("==", "(a, a) -> bool :: (a in any)", M::Equal, "structural equality; type error at types with functions", S).examples("[1, 2] == [1, 2] ==> T"),
    row("/=", "(a, a) -> bool :: (a in any)", M::Unequal, "complement of ==; type error at types with functions", S).examples("\"ab\" /= \"ac\" ==> T"),
    row("<", ORDER, M::Scalar(O::Lt), "less; F on nan", ONE).examples("1 < 2 ==> T\nnan < 1.0 ==> F"),
    row(">", ORDER, M::Scalar(O::Gt), "greater; F on nan", ONE).examples("`b > `a ==> T"),
    row("<=", ORDER, M::Scalar(O::Le), "less or equal; F on nan", ONE).examples("2 <= 2 ==> T"),
    row(">=", ORDER, M::Scalar(O::Ge), "greater or equal; F on nan", ONE).examples("1.5 >= 2.0 ==> F"),
    // 3 Arithmetic
    row("+", NUMBER, M::Scalar(O::Add), "sum; ints wrap", ONE).examples("1 + 2 ==> 3\nmax_int + 1 ==> -9223372036854775808"),
    row("-", NUMBER, M::Scalar(O::Sub), "difference; ints wrap", ONE).examples("0.5 - 2.0 ==> -1.5"),
    row("*", NUMBER, M::Scalar(O::Mul), "product; ints wrap", ONE).examples("3 * 4 ==> 12"),
    row("/", NUMBER, M::Scalar(O::Div), "quotient; int: toward zero, fails (divide) on 0; float: IEEE", ONE).examples("-7 / 2 ==> -3\n1.0 / 4.0 ==> 0.25\n1 / 0 ==> fails (divide)"),
    row("negate", NUMBER1, M::Scalar(O::Neg), "prefix -; flips the sign of a float", ONE).examples("negate(3) ==> -3\n{-x : x in [1, -2]} ==> [-1, 2]"),
    row("abs", NUMBER1, M::Scalar(O::Abs), "absolute value; abs(min_int) is min_int", ONE).examples("abs(-2.5) ==> 2.5"),
    row("max", ORDINAL, M::Scalar(O::Max), "larger; a nan is ignored", ONE).examples("max(1, 2) ==> 2\nmax(nan, 1.0) ==> 1.0"),
    row("min", ORDINAL, M::Scalar(O::Min), "smaller; a nan is ignored", ONE).examples("min(`b, `a) ==> `a"),
    row("rem", INT2, M::Scalar(O::Rem), "remainder with the sign of the dividend; fails (divide) on 0", ONE).examples("rem(-7, 3) ==> -1"),
    row("mod", INT2, M::Scalar(O::Mod), "remainder with the sign of the divisor (floor); fails (divide) on 0", ONE).examples("mod(-7, 3) ==> 2"),
    row("lshift", INT2, M::Scalar(O::Shl), "lshift(x, k): shift left; counts above 63 give 0; fails (domain) on negative counts", ONE).examples("lshift(3, 2) ==> 12"),
    row("rshift", INT2, M::Scalar(O::Shr), "rshift(x, k): arithmetic shift right; counts above 63 act like 63; fails (domain) on negative counts", ONE).examples("rshift(-8, 1) ==> -4"),
    row("isqrt", "int -> int", M::Scalar(O::Isqrt), "exact floor of the square root; fails (domain) below 0", ONE).examples("isqrt(17) ==> 4"),
    row("sqrt", FLOAT1, M::Scalar(O::Sqrt), "square root, correctly rounded; nan below 0", ONE).examples("sqrt(2.25) ==> 1.5"),
    row("exp", FLOAT1, M::Scalar(O::Exp), "e to the x", ONE).examples("exp(0.0) ==> 1.0"),
    row("ln", FLOAT1, M::Scalar(O::Ln), "natural logarithm; ln(0.0) is -inf, nan below 0", ONE).examples("ln(1.0) ==> 0.0\nln(0.0) ==> -inf"),
    row("expt", FLOAT2, M::Scalar(O::Pow), "expt(v, p): v to the p, IEEE pow; expt(0.0, 0.0) is 1.0, nan for a negative base and a fractional exponent", ONE).examples("expt(2.25, 0.5) ==> 1.5"),
    row("sin", FLOAT1, M::Scalar(O::Sin), "sine (radians)", ONE).examples("sin(pi / 2.0) ==> 1.0"),
    row("cos", FLOAT1, M::Scalar(O::Cos), "cosine", ONE).examples("cos(0.0) ==> 1.0"),
    row("tan", FLOAT1, M::Scalar(O::Tan), "tangent", ONE).examples("tan(0.0) ==> 0.0"),
    row("asin", FLOAT1, M::Scalar(O::Asin), "arc sine; nan outside [-1, 1]", ONE).examples("asin(1.0) ==> 1.5707963267948966"),
    row("acos", FLOAT1, M::Scalar(O::Acos), "arc cosine; nan outside [-1, 1]", ONE).examples("acos(1.0) ==> 0.0"),
    row("atan", FLOAT1, M::Scalar(O::Atan), "arc tangent", ONE).examples("atan(1.0) ==> 0.7853981633974483"),
    new(row("atan2", FLOAT2, M::Scalar(O::Atan2), "atan2(y, x): angle of the point (x, y); atan(y / x) loses the quadrant", ONE).examples("atan2(1.0, -1.0) ==> 2.356194490192345")),
    row("sinh", FLOAT1, M::Scalar(O::Sinh), "hyperbolic sine", ONE).examples("sinh(0.0) ==> 0.0"),
    row("cosh", FLOAT1, M::Scalar(O::Cosh), "hyperbolic cosine", ONE).examples("cosh(0.0) ==> 1.0"),
    row("tanh", FLOAT1, M::Scalar(O::Tanh), "hyperbolic tangent", ONE).examples("tanh(infinity) ==> 1.0"),
    row("pi", "float", M::Const(Const::F64(std::f64::consts::PI)), "the ratio of a circle's circumference to its diameter", ONE).examples("pi ==> 3.141592653589793"),
    new(row("infinity", "float", M::Const(Const::F64(f64::INFINITY)), "positive infinity", ONE).examples("1.0 / infinity ==> 0.0")),
    new(row("nan", "float", M::Const(Const::F64(f64::NAN)), "not a number", ONE).examples("nan == nan ==> F")),
    row("max_int", "int", M::Const(Const::I64(i64::MAX)), "the largest int", ONE).examples("max_int ==> 9223372036854775807"),
    row("min_int", "int", M::Const(Const::I64(i64::MIN)), "the smallest int", ONE).examples("min_int ==> -9223372036854775808"),
    // 4 Conversion, selection, random numbers
    row("float", "int -> float", M::Scalar(O::ToFloat), "nearest float", ONE).examples("float(3) ==> 3.0"),
    row("trunc", ROUND, M::Scalar(O::Trunc), "toward zero; saturates, nan gives 0", ONE).examples("trunc(-2.7) ==> -2"),
    row("floor", ROUND, M::Scalar(O::Floor), "down; saturates, nan gives 0", ONE).examples("floor(-2.7) ==> -3"),
    row("ceil", ROUND, M::Scalar(O::Ceil), "up; saturates, nan gives 0", ONE).examples("ceil(-2.7) ==> -2"),
    row("round", ROUND, M::Scalar(O::Round), "nearest, ties away from zero; saturates, nan gives 0", ONE).examples("round(2.5) ==> 3\nround(1.0e30) ==> 9223372036854775807"),
    row("btoi", "bool -> int", M::Scalar(O::Btoi), "T is 1, F is 0", ONE).examples("btoi(t) ==> 1"),
    row("char_code", "char -> int", M::Scalar(O::CharCode), "code 0..255", ONE).examples("char_code(`a) ==> 97"),
    row("code_char", "int -> char", M::Scalar(O::CodeChar), "the character of a code; fails (domain) outside 0..255", ONE).examples("code_char(97) ==> `a\ncode_char(256) ==> fails (domain)"),
    row("select", "(bool, a, a) -> a :: (a in any)", M::Select, "second argument if T, third if F; all are evaluated", ONE).examples("select(t, \"yes\", \"no\") ==> \"yes\""),
    extended(row("identity", "a -> a :: (a in any)", M::Identity, "0, 0.0, F, char code 0, the empty sequence, by components of tuples and datatypes; value ignored; type error at types with functions", ONE).examples("identity((3, \"abc\")) ==> (0, \"\")")),
    inner("identity_element", "[a] -> a :: (a in any)", M::Identity, "the identity of the element type", ONE),
    inner("convert", "(a, b) -> b :: (a in number; b in number)", M::Convert, "the first at the type of the second, rounded like round", ONE),
    effect(row("rand_seed", "int -> bool", M::Seed, "restarts the generator; returns T; after equal seeds equal forms give equal numbers", ONE).examples("rand_seed(7) ==> T")),
    inner("random_bits", "int -> int", M::RandomBits, "as many fresh random bits as an int has; argument ignored", ONE),
    inner("mix", INT2, M::Scalar(O::Mix), "hash of two ints", ONE),
    inner("mul_high", INT2, M::Scalar(O::MulHigh), "high half of the unsigned product", ONE),
    inner("unit_float", "int -> float", M::Scalar(O::UnitFloat), "top bits as a float in [0, 1)", ONE),
    inner("hash_bits", "a -> int :: (a in any)", M::HashBits, "hash, equal for equal values", S),
    inner("is_float", "a -> bool :: (a in number)", M::IsFloat, "whether the type is float", ONE),
    // 5 Sequences
    row("#", "[a] -> int :: (a in any)", M::Bulk(Bulk::Length), "length", ONE).examples("#[5, 6, 7] ==> 3"),
    row("index", "int -> [int]", M::Bulk(Bulk::Index), "index(n) = [0:n]; fails (length) on n < 0", N).examples("index(4) ==> [0, 1, 2, 3]\nindex(-1) ==> fails (length)"),
    row("elt", "([a], int) -> a :: (a in any)", M::Bulk(Bulk::Element), "elt(a, i) = a[i]; fails (index)", "1 + size of the element / 1").examples("elt([5, 6, 7], 1) ==> 6\n[5, 6, 7][3] ==> fails (index)"),
    row("++", "([a], [a]) -> [a] :: (a in any)", M::Bulk(Bulk::Append), "concatenation", S).examples("[1, 2] ++ [3] ==> [1, 2, 3]"),
    inner("slice", "([a], int, int) -> [a] :: (a in any)", M::Bulk(Bulk::Slice), "start and length; unchecked", ONE),
    // 6 Scans and reductions
    row("plus_scan", SCAN_NUMBER, M::Bulk(Bulk::Scan(Monoid::Add)), "prefix sums", N).examples("plus_scan([3, 1, 4, 1]) ==> [0, 3, 4, 8]"),
    row("mult_scan", SCAN_NUMBER, M::Bulk(Bulk::Scan(Monoid::Mul)), "prefix products", N).examples("mult_scan([3, 1, 4, 1]) ==> [1, 3, 3, 12]"),
    row("max_scan", SCAN_ORDINAL, M::Bulk(Bulk::Scan(Monoid::Max)), "prefix maxima", N).examples("max_scan([3.0, 1.0, 4.0]) ==> [-inf, 3.0, 3.0]"),
    row("min_scan", SCAN_ORDINAL, M::Bulk(Bulk::Scan(Monoid::Min)), "prefix minima", N).examples("min_scan([3.0, 1.0, 4.0]) ==> [inf, 3.0, 1.0]"),
    row("or_scan", SCAN_LOGIC, M::Bulk(Bulk::Scan(Monoid::Or)), "prefix or", N).examples("or_scan([f, t, f]) ==> [F, F, T]"),
    row("and_scan", SCAN_LOGIC, M::Bulk(Bulk::Scan(Monoid::And)), "prefix and", N).examples("and_scan([t, f, t]) ==> [T, T, F]"),
    row("xor_scan", SCAN_LOGIC, M::Bulk(Bulk::Scan(Monoid::Xor)), "prefix exclusive or", N).examples("xor_scan([t, t, f]) ==> [F, T, F]"),
    row("sum", RED_NUMBER, M::Bulk(Bulk::Reduce(Monoid::Add)), "sum of the elements", N).examples("sum([3, 1, 4, 1]) ==> 9\nsum([] float) ==> 0.0"),
    row("product", RED_NUMBER, M::Bulk(Bulk::Reduce(Monoid::Mul)), "product of the elements", N).examples("product([3, 1, 4, 1]) ==> 12"),
    row("max_val", RED_ORDINAL, M::Bulk(Bulk::Reduce(Monoid::Max)), "the largest element", N).examples("max_val([3, 1, 4, 1]) ==> 4\nmax_val([] float) ==> -inf"),
    row("min_val", RED_ORDINAL, M::Bulk(Bulk::Reduce(Monoid::Min)), "the smallest element", N).examples("min_val(\"nesl\") ==> `e"),
    row("any", RED_LOGIC, M::Bulk(Bulk::Reduce(Monoid::Or)), "or of all elements", N).examples("any([f, t, f]) ==> T\nany([4, 1]) ==> 5"),
    row("all", RED_LOGIC, M::Bulk(Bulk::Reduce(Monoid::And)), "and of all elements", N).examples("all([t, f, t]) ==> F"),
    row("parity", RED_LOGIC, M::Bulk(Bulk::Reduce(Monoid::Xor)), "exclusive or of all", N).examples("parity([t, t, t]) ==> T"),
    // 7 Moving data
    row("pack_index", "[bool] -> [int]", M::Bulk(Bulk::Which), "positions of T", N).examples("pack_index([t, f, t]) ==> [0, 2]"),
    row("permute", "([a], [int]) -> [a] :: (a in any)", M::Bulk(Bulk::Permute), "permute(v, i): v[k] goes to position i[k]; fails (permute) unless i is a permutation of [0:#v]", S).examples("permute(\"abc\", [2, 0, 1]) ==> \"bca\"\npermute(\"abc\", [0, 0, 1]) ==> fails (permute)"),
    inner("write_at", "([a], [int], [a]) -> [a] :: (a in any)", M::Bulk(Bulk::Write), "d with v[k] at i[k]; last wins; fails (index); lengths of i and v already equal", "m + S / 1"),
    // 8 Nesting
    row("flatten", "[[a]] -> [a] :: (a in any)", M::Bulk(Bulk::Flatten), "the pieces one after the other", S).examples("flatten([[1, 2], [3]]) ==> [1, 2, 3]"),
    inner("partition_at", "([a], [int]) -> [[a]] :: (a in any)", M::Bulk(Bulk::Partition), "consecutive pieces; lengths already checked", "m / 1"),
    // 9 Sorting
    row("rank", "[a] -> [int] :: (a in ordinal)", M::Bulk(Bulk::Rank), "position of each element in ascending order", "n log n / log n").examples("rank([30, 10, 20]) ==> [2, 0, 1]"),
    row("rank_down", "[a] -> [int] :: (a in ordinal)", M::Bulk(Bulk::RankDown), "position in descending order, equal elements keep their order", "n log n / log n").examples("rank_down([30, 10, 20]) ==> [0, 2, 1]"),
    row("sort", "[a] -> [a] :: (a in ordinal)", M::Bulk(Bulk::Sort), "ascending", "n log n / log n").examples("sort([3, 1, 2]) ==> [1, 2, 3]\nsort(\"nesl\") ==> \"elns\""),
    // 11 Text
    row("@", "a -> [char] :: (a in any)", M::Text, "text of a value as printed, never cut; a string or char gives itself", "size of the text / 1").examples("@[1, 2] ==> \"[1, 2]\"\n@2.5 ++ \"%\" ==> \"2.5%\""),
    row("newline", "char", M::Const(Const::Char(b'\n')), "code 10", ONE).examples("char_code(newline) ==> 10"),
    row("space", "char", M::Const(Const::Char(b' ')), "code 32", ONE).examples("char_code(space) ==> 32"),
    row("tab", "char", M::Const(Const::Char(b'\t')), "code 9", ONE).examples("char_code(tab) ==> 9"),
    inner("digits", "float -> int", M::Scalar(O::Digits), "shortest decimal digits of |x|", ONE),
    inner("digits_above", "float -> int", M::Scalar(O::DigitsAbove), "those of the digits that `digits` has no room for", ONE),
    inner("exponent", "float -> int", M::Scalar(O::Exponent), "decimal exponent of |x|", ONE),
    // 12 Output, errors, time
    effect(row("print_string", "[char] -> bool", M::PrintString, "writes it; returns T", N).examples("print_string(\"abc\") ==> T\nprints: abc")),
    row("print_debug", "([char], a) -> a :: (a in any)", M::PrintDebug, "print_debug(label, x): writes the label, @x and a newline; returns x; allowed in lanes, the order of lines is undefined then", "text / 1").examples("print_debug(\"x is \", 3) ==> 3\nprints: x is 3"),
    row("error", "[char] -> bool", M::Error, "fails (user) with the message", N).examples("error(\"no root\") ==> fails (user)"),
    effect(row("time", "a -> (a, float) :: (a in any)", M::Time, "time(e): (value of e, seconds it took)", "as e").examples("first(time(2 + 3)) ==> 5")),
    // 13 Files and streams
    effect(inner("stream_open", "([char], int) -> (int, bool, [char])", M::Stream(StreamOp::Open), "opens a file: (stream, ok, message)", ONE)),
    effect(inner("stream_close", "int -> (bool, [char])", M::Stream(StreamOp::Close), "closes a stream: (ok, message)", ONE)),
    effect(inner("stream_read", "([char], int, int) -> (([char], int), bool, [char])", M::Stream(StreamOp::Read), "reads: ((text, status), ok, message)", N)),
    effect(inner("stream_write", "([char], int) -> (bool, [char])", M::Stream(StreamOp::Write), "writes: (ok, message)", N)),
    effect(inner("file_failed", "[char] -> bool", M::FileFailed, "fails (file) with the message", N)),
    effect(inner("object_text", "a -> [char] :: (a in any)", M::ObjectText, "text of a value, to be read again", "size of the text / 1")),
    effect(inner("object_value", "(a, [char]) -> (a, bool, [char]) :: (a in any)", M::ObjectValue, "the value of the sample's type that a text shows: (value, ok, message)", S)),
    // Checks of the library
    inner("require_index", REQUIRE, M::Require(Site::Index), "index, length", ONE),
    inner("require_range", REQUIRE, M::Require(Site::Range), "bound, length", ONE),
    inner("require_length", REQUIRE, M::Require(Site::Length), "length, length", ONE),
    inner("require_permute", REQUIRE, M::Require(Site::Permute), "position, length", ONE),
    inner("require_domain", REQUIRE, M::Require(Site::Domain), "argument, bound", ONE),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        for (id, row) in Primitive::all() {
            assert_eq!(Primitive::named(row.name), Some(id), "{}", row.name);
        }
    }

    #[test]
    fn the_map_lists_them() {
        let map = include_str!("../../../ARCHITECTURE.md");
        let (_, section) = map.split_once("\n## Primitives\n").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let (_, table) = section.split_once("\n|---|---|\n").unwrap();
        let mut listed: Vec<&str> = table.split('`').skip(1).step_by(2).collect();
        let mut rows: Vec<&str> = Primitive::all().map(|(_, row)| row.name).collect();
        listed.sort_unstable();
        rows.sort_unstable();
        assert_eq!(listed, rows);
    }
}
