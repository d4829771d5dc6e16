//! Tokens (LANGUAGE section 2).

use super::{check, check_bytes, check_lines};
use expect_test::expect;

#[test]
fn int_literals() {
    check_lines(
        "0\n 007\n 9223372036854775807\n 9223372036854775808\n 1_000",
        expect![[r#"
        0
        7
        9223372036854775807
        (error parse: this number does not fit an int)
        (apply 1 _000)"#]],
    );
}

#[test]
fn float_literals() {
    check_lines(
        "1.
         .5
         1e3
         1.e2
         1.5E-3
         1e+2
         1.5.2
         0..3
         1e
         1e+x
         1e400
         1.7976931348623157e308",
        expect![[r#"
            1.0
            0.5
            1000.0
            100.0
            0.0015
            100.0
            (apply 1.5 0.2)
            (apply 0.0 0.3)
            (apply 1 e)
            (+ (apply 1 e) x)
            (error parse: this number does not fit a float)
            1.7976931348623157e308"#]],
    );
}

#[test]
fn characters() {
    check_lines(
        "`a\n ``\n `\"\n `;\n `%\n `\\n\n `\\0\n `\\\\\n `\\q\n `\\\n h `a`b",
        expect![[r#"
            (char 97)
            (char 96)
            (char 34)
            (char 59)
            (char 37)
            (char 10)
            (char 0)
            (char 92)
            (error parse: there is no such escape)
            (error parse: there is no such escape; parse: expected `;`, found the end of the text)
            (apply (apply h (char 97)) (char 98))"#]],
    );
    check(
        "` ;`\n;",
        expect![[r#"
        (char 32)
        (char 10)"#]],
    );
    check(
        "1; `",
        expect![[r#"
            1
            (error parse: a character is missing)"#]],
    );
}

#[test]
fn strings() {
    check(
        r#"""; "a b"; "say \"%\" \n\t\r\0\\"; "two
lines"; "\q \z"; "$;" $ "open; 1;"#,
        expect![[r#"
            ""
            "a b"
            "say \22%\22 \0a\09\0d\00\5c"
            "two\0alines"
            (error parse: there is no such escape; parse: there is no such escape)
            "$;"
            (error parse: this string is not closed)"#]],
    );
    check(r#""open \"#, expect!["(error parse: this string is not closed)"]);
}

#[test]
fn bytes_outside_ascii() {
    check(
        "\"\u{e9}\"; % \u{e9} % 1; \u{e9} + 1; x\u{20ac}y; `\u{e9}; `\\\u{e9}; 2;",
        expect![[r#"
        "\c3\a9"
        1
        (error parse: this character is outside ASCII)
        (error parse: this character is outside ASCII)
        (error parse: this character is outside ASCII)
        (error parse: there is no such escape)
        2"#]],
    );
    check_bytes(
        b"\"\xff\"; `\xff; % \xff % 1; \xff; 2;",
        expect![[r#"
        "\ff"
        (char 255)
        1
        (error parse: this character is outside ASCII)
        2"#]],
    );
}

#[test]
fn comments_and_space() {
    check(
        "% one; % 1 %two%+%three\nlines% 2;\t3\r\x0c;% last %",
        expect![[r#"
        (+ 1 2)
        3"#]],
    );
    check(
        "1; % open ; 2;",
        expect![[r#"
        1
        (error parse: this comment is not closed)"#]],
    );
    check("a%%b;", expect!["(apply a b)"]);
}

#[test]
fn case_is_ignored() {
    check(
        "LET Ab = T iN aB AND f; {X : x IN \"Ab\"}; SET Print_Length 3; DataType P(INT);",
        expect![[r#"
            (let (ab T) (and ab F))
            (each x (x "Ab"))
            (command set print_length 3)
            (datatype p int)"#]],
    );
}

#[test]
fn longest_operator_first() {
    check_lines(
        "a<-1
         a < -1
         a<=b
         a< =b
         a->b
         a- >b
         a++b
         a+ +b
         a||b
         a=>b
         a==b
         a/=b
         a>=b",
        expect![[r#"
            (<- a 1)
            (< a (negate 1))
            (<= a b)
            (error parse: expected an expression, found `=`)
            (-> a b)
            (error parse: expected an expression, found `>`)
            (++ a b)
            (error parse: expected an expression, found `+`)
            (|| a b)
            (=> a b)
            (== a b)
            (/= a b)
            (>= a b)"#]],
    );
}

#[test]
fn names() {
    check_lines(
        "_\n _u\n __\n a1b2\n tt\n infix\n t\n F\n _1",
        expect![[r#"
        _
        _u
        __
        a1b2
        tt
        infix
        T
        F
        _1"#]],
    );
}

#[test]
fn stray_characters() {
    check_lines(
        "a != b\n a & b\n ~3\n 'a'\n \\x\n a.b\n a ? b\n a \x01 b",
        expect![[r#"
            (error parse: `!=` has no meaning here)
            (error parse: `&` has no meaning here)
            (error parse: `~` has no meaning here)
            (error parse: `'a'` has no meaning here)
            (error parse: `\` has no meaning here)
            (error parse: `.b` has no meaning here)
            (error parse: `?` has no meaning here)
            (error parse: `\x01` has no meaning here)"#]],
    );
}
