//! Literals.

use crate::support::{Folder, shape, shown};
use expect_test::{Expect, expect};
use prim::Widths;
use value::Budget;
use value::input::read_literal;

fn check_literal(ty: &str, source: &str, expected: Expect) {
    let folder = Folder::new();
    let shape = shape(ty);
    expected.assert_eq(&shown(
        read_literal(source.as_bytes(), &shape, Widths::WIDE, "a", &Budget::unlimited()),
        &shape,
        &folder,
    ));
}

#[test]
fn literals() {
    check_literal("int", "-3", expect!["-3"]);
    check_literal("int", " 3 ;\n", expect!["3"]);
    check_literal("int", "min_int", expect!["-9223372036854775808"]);
    check_literal(
        "[float]",
        "[1.0, -2.5e3, -infinity, nan, -0.0]",
        expect!["[1.0, -2500.0, -inf, nan, -0.0]"],
    );
    check_literal("[float]", "[inf, -inf]", expect!["[inf, -inf]"]);
    check_literal(
        "[int]",
        "[-9223372036854775808, -9223372036854775807]",
        expect!["[-9223372036854775808, -9223372036854775807]"],
    );
    check_literal(
        "[[char]]",
        "[\"-9223372036854775808\", \"\\\"-9223372036854775808\"]",
        expect![[r#"["-9223372036854775808", "\"-9223372036854775808"]"#]],
    );
    check_literal("(bool, char, [char])", "(t, `a, \"x\\n\")", expect![[r#"(T, `a, "x\n")"#]]);
    check_literal("((int, int), int)", "((1, 2), 3)", expect!["((1, 2), 3)"]);
    check_literal("[[int]]", "[[1, 2], [], [] int] % note %", expect!["[[1, 2], [], []]"]);
    check_literal("[[char]]", "[\"a\", \"\"]", expect![[r#"["a", ""]"#]]);
    check_literal("[char]", "[`a, `b]", expect![[r#""ab""#]]);
    check_literal(
        "[point]",
        "[point(1.0, 2.0), Point(3.0, 4.0)]",
        expect!["[point(1.0, 2.0), point(3.0, 4.0)]"],
    );
}

#[test]
fn literals_that_do_not_fit() {
    check_literal(
        "[float]",
        "[1.0,\n 2]",
        expect!["input: `a`: line 2, column 2: this is an int, but a float is needed: write 2.0"],
    );
    check_literal(
        "int",
        "1 + 2",
        expect!["input: `a`: line 1, column 1: this is no literal of type int"],
    );
    check_literal(
        "(int, int, int)",
        "(1, 2)",
        expect!["input: `a`: line 1, column 1: this is no literal of type (int, int, int)"],
    );
    check_literal(
        "(int, int)",
        "(1, 2, 3)",
        expect!["input: `a`: line 1, column 5: this is no literal of type int"],
    );
    check_literal(
        "point",
        "(1.0, 2.0)",
        expect!["input: `a`: line 1, column 1: a point is needed: write point(...)"],
    );
    check_literal("int", "1; 2", expect!["input: `a`: one literal was expected"]);
    check_literal("int", "", expect!["input: `a`: the literal ends before it is complete"]);
    check_literal("[int]", "[1, 2", expect!["input: `a`: the literal ends before it is complete"]);
    check_literal("int", "x = 1", expect!["input: `a`: a literal was expected, not a definition"]);
    check_literal(
        "int",
        "--1",
        expect!["input: `a`: line 1, column 1: this is no literal of type int"],
    );
    check_literal(
        "int",
        &"[".repeat(100_000),
        expect!["input: `a`: line 1, column 49999: this is nested too deeply"],
    );
}
