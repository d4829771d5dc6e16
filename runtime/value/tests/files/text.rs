//! Text files and Matrix Market files.

use crate::support::{Folder, shape, shown};
use expect_test::{Expect, expect};
use prim::Widths;
use value::Budget;
use value::input::read;

fn check_text(name: &str, ty: &str, content: impl AsRef<[u8]>, expected: Expect) {
    let folder = Folder::new();
    let path = folder.file(name, content.as_ref());
    let shape = shape(ty);
    expected.assert_eq(&shown(
        read(&path, &shape, Widths::WIDE, "a", &Budget::unlimited()),
        &shape,
        &folder,
    ));
}

#[test]
fn text_files() {
    let check = |ty, content, expected| check_text("a.txt", ty, content, expected);
    check("[char]", "a b\n", expect![[r#""a b\n""#]]);
    check("[[char]]", "a\r\n\nb c\n", expect![[r#"["a", "", "b c"]"#]]);
    check("[int]", " 1 -2\n\n3\t4", expect!["[1, -2, 3, 4]"]);
    check("[int]", "1\n2 x3 4", expect!["input: `a.txt`: line 2: `x3` is not an int"]);
    check("[float]", "1 2.5 -1e3 inf", expect!["[1.0, 2.5, -1000.0, inf]"]);
    check("float", "2", expect!["2.0"]);
    check("float", "2 3", expect!["input: `a.txt`: one word was expected, the file has 2"]);
    check("[bool]", "T F", expect!["[T, F]"]);
    check(
        "[(int, int)]",
        "1",
        expect![
            "input: `a.txt`: a text file can be read as [char], [[char]] (its lines), or as numbers or bools between white space, but not as [(int, int)]"
        ],
    );
}

#[test]
fn matrices() {
    let check = |ty, content, expected| check_text("a.mtx", ty, content, expected);
    let general = "%%MatrixMarket matrix coordinate real general\n% note\n\n3 4 4\n\
                   2 3 1.5\n1 1 2\n2 1 -1e1\n3 4 0\n";
    check("[[(int, float)]]", general, expect!["[[(0, 2.0)], [(0, -10.0), (2, 1.5)], [(3, 0.0)]]"]);
    check(
        "[[float]]",
        general,
        expect!["[[2.0, 0.0, 0.0, 0.0], [-10.0, 0.0, 1.5, 0.0], [0.0, 0.0, 0.0, 0.0]]"],
    );
    check("[(int, int)]", general, expect!["[(1, 2), (0, 0), (1, 0), (2, 3)]"]);
    check(
        "[(int, int, float)]",
        general,
        expect!["[(1, 2, 1.5), (0, 0, 2.0), (1, 0, -10.0), (2, 3, 0.0)]"],
    );
    check("[[(int, int)]]", general, expect!["input: `a.mtx`: line 5: `1.5` is not an int"]);
    let symmetric = "%%matrixmarket MATRIX coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n";
    check("[[(int, int)]]", symmetric, expect!["[[(1, 1)], [(0, 1)], [(2, 1)]]"]);
    check("[(int, int)]", symmetric, expect!["[(1, 0), (0, 1), (2, 2)]"]);
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n";
    check("[[int]]", skew, expect!["[[0, -5], [5, 0]]"]);
    check("[[float]]", skew, expect!["[[0.0, -5.0], [5.0, 0.0]]"]);
    let array = "%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n";
    check("[[float]]", array, expect!["[[1.0, 3.0], [0.0, 4.0]]"]);
    check("[[(int, float)]]", array, expect!["[[(0, 1.0), (1, 3.0)], [(1, 4.0)]]"]);
    let empty = "%%MatrixMarket matrix coordinate real general\n2 0 0\n";
    check("[[(int, float)]]", empty, expect!["[[], []]"]);
}

#[test]
fn malformed_matrices() {
    let check = |content: String, expected| {
        check_text("a.mtx", "[[(int, float)]]", content, expected);
    };
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    check(
        "1 2 3\n".to_owned(),
        expect![
            "input: `a.mtx`: line 1: `1 2 3` is not a banner `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`"
        ],
    );
    check(
        "%%MatrixMarket matrix coordinate complex general\n".to_owned(),
        expect![
            "input: `a.mtx`: line 1: `complex` matrices cannot be read: `%%MatrixMarket matrix coordinate complex general`"
        ],
    );
    check(banner.to_owned(), expect!["input: `a.mtx`: the line of sizes is missing"]);
    check(
        format!("{banner}2 2\n"),
        expect!["input: `a.mtx`: line 2: `2 2` is not a line of 3 numbers"],
    );
    check(
        format!("{banner}2 2 1\n%\n3 1 1.0\n"),
        expect!["input: `a.mtx`: line 4: `3` is not a row from 1 to 2"],
    );
    check(
        format!("{banner}2 2 1\n1 0 1.0\n"),
        expect!["input: `a.mtx`: line 3: `0` is not a column from 1 to 2"],
    );
    check(
        format!("{banner}2 2 1\n1 1 x\n"),
        expect!["input: `a.mtx`: line 3: `x` is not a number"],
    );
    check(
        format!("{banner}2 2 2\n1 1 1\n"),
        expect!["input: `a.mtx`: 2 entries were announced, 1 are there"],
    );
    check(
        format!("{banner}18446744073709551615 2 0\n"),
        expect![
            "runtime(memory): `a.mtx`: out of memory for a sequence of more than 2^47 elements"
        ],
    );
    check(
        "%%MatrixMarket matrix array real general\n1 2\n1\n".to_owned(),
        expect!["input: `a.mtx`: the value in row 1 of column 2 is missing"],
    );
    check_text(
        "b.mtx",
        "[char]",
        banner,
        expect!["input: `b.mtx`: a matrix cannot be read as a value of type [char]"],
    );
}

/// Matrices as SciPy and others write them, and sizes at the ends of ints and of memory.
#[test]
fn matrices_of_others() {
    let check = |ty, content: &str, expected| check_text("a.mtx", ty, content, expected);
    let of = |field: &str, symmetry: &str, rest: &str| {
        format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n{rest}")
    };
    let large =
        of("integer", "general", "1099511627776 1099511627776 2\n1 1099511627776 3\n5 6 2\n");
    check("[(int, int)]", &large, expect!["[(0, 1099511627775), (4, 5)]"]);
    check("[(int, int, int)]", &large, expect!["[(0, 1099511627775, 3), (4, 5, 2)]"]);
    let wide = of("real", "general", "2 1099511627776 2\n2 1099511627776 3\n2 6 2.5\n");
    check("[[(int, float)]]", &wide, expect!["[[], [(5, 2.5), (1099511627775, 3.0)]]"]);
    let beyond = of("integer", "general", "18446744073709551615 1 1\n18446744073709551615 1 1\n");
    check(
        "[(int, int)]",
        &beyond,
        expect![
            "input: `a.mtx`: line 3: `18446744073709551615` is not a row that an int of 64 bits holds"
        ],
    );
    let empty = "%%MatrixMarket matrix array real general\n0 1099511627776\n";
    check("[(int, int)]", empty, expect!["[]"]);
    check("[[float]]", empty, expect!["[]"]);
    let unsigned = of("unsigned-integer", "general", "1 2 2\n1 1 7\n1 2 18446744073709551615\n");
    check("[[float]]", &unsigned, expect!["[[7.0, 1.8446744073709552e+19]]"]);
    check(
        "[[int]]",
        &unsigned,
        expect!["input: `a.mtx`: line 4: `18446744073709551615` is not an int"],
    );
    let marked = format!("\u{feff}{}", of("real", "general", "1 1 1\n1 1 2.5\n"));
    check("[[float]]", &marked, expect!["[[2.5]]"]);
    let least = of("integer", "skew-symmetric", "2 2 1\n2 1 -9223372036854775808\n");
    check(
        "[[float]]",
        &least,
        expect!["[[0.0, 9.223372036854776e+18], [-9.223372036854776e+18, 0.0]]"],
    );
    check(
        "[[int]]",
        &least,
        expect![
            "input: `a.mtx`: line 3: the mirror image of `-9223372036854775808` is beyond the largest int"
        ],
    );
}

/// Floats where ints are needed: whole numbers that an int holds.
#[test]
fn whole_floats_are_ints() {
    let matrix = |value: &str, expected| {
        let banner = "%%MatrixMarket matrix coordinate real general\n1 1 1\n";
        check_text("a.mtx", "[[int]]", format!("{banner}1 1 {value}\n"), expected);
    };
    matrix("3.0", expect!["[[3]]"]);
    matrix("-2.50e2", expect!["[[-250]]"]);
    matrix("9007199254740993.000", expect!["[[9007199254740993]]"]);
    matrix("-9223372036854775808.0", expect!["[[-9223372036854775808]]"]);
    matrix(
        "9223372036854775808.0",
        expect!["input: `a.mtx`: line 3: `9223372036854775808.0` is not an int"],
    );
    matrix("0.5", expect!["input: `a.mtx`: line 3: `0.5` is not an int"]);
    matrix("nan", expect!["input: `a.mtx`: line 3: `nan` is not an int"]);
    matrix("inf", expect!["input: `a.mtx`: line 3: `inf` is not an int"]);
    // As numpy.savetxt writes ints.
    let saved = "1.000000000000000000e+00\n2.000000000000000000e+00\n";
    check_text("a.txt", "[int]", saved, expect!["[1, 2]"]);
    check_text("a.txt", "[int]", "1 2.5", expect!["input: `a.txt`: line 1: `2.5` is not an int"]);
}

#[test]
fn marks_and_ends_of_texts() {
    check_text("a.txt", "[float]", "\u{feff}1 .5 2.", expect!["[1.0, 0.5, 2.0]"]);
    check_text("a.txt", "[[char]]", "\n", expect![[r#"[""]"#]]);
    check_text("a.txt", "[[char]]", "", expect!["[]"]);
}
