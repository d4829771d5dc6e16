//! Types and classes (LANGUAGE 3.3).

use base::{FileId, Id};
use expect_test::{Expect, expect};

fn check(source: &str, expect: Expect) {
    let shown: Vec<String> = source
        .trim()
        .lines()
        .map(|line| match crate::parse_type(FileId::new(0), line.trim()) {
            Ok((ty, classes)) => crate::show::signature(&ty, &classes),
            Err(error) => format!("{}: {}", error.kind, error.message),
        })
        .collect();
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn types() {
    check(
        "int
         [float]
         (a, a) -> a
         a -> b -> c
         (a -> b) -> c
         a, b, c
         (a, (b, c)), d
         a -> b, c
         [[(int, char)]]
         kv(int, [char])
         box((int, int)) -> box(box(a))
         t -> F
         [t]",
        expect![[r#"
            int
            (seq float)
            (-> (pair a a) a)
            (-> a (-> b c))
            (-> (-> a b) c)
            (pair a (pair b c))
            (pair (pair a (pair b c)) d)
            (pair (-> a b) c)
            (seq (seq (pair int char)))
            (kv (pair int (seq char)))
            (-> (box (pair int int)) (box (box a)))
            (-> t f)
            (seq t)"#]],
    );
}

#[test]
fn classes() {
    check(
        "(a, a) -> a :: (a in number)
         a -> b :: (a in any; b in ordinal)
         a -> b :: a in any; t in Logical
         a :: (a in b)",
        expect![[r#"
            (-> (pair a a) a) (in a number)
            (-> a b) (in a any) (in b ordinal)
            (-> a b) (in a any) (in t logical)
            a (in a b)"#]],
    );
}

#[test]
fn errors() {
    check(
        "
         int ->
         (int
         [int)
         ()
         3
         int int
         int(a)
         t(a)
         a :: ()
         a :: a
         a :: (a in)
         a :: (a in any
         a :: a in any;
         ?",
        expect![[r#"
            parse: expected a type, found the end of the text
            parse: expected `)`, found the end of the text
            parse: expected `]`, found `)`
            parse: expected a type, found `)`
            parse: expected a type, found the number `3`
            parse: expected the end of the type, found the name `int`
            parse: expected the end of the type, found `(`
            parse: expected the end of the type, found `(`
            parse: expected a type variable, found `)`
            parse: expected `in`, found the end of the text
            parse: expected a class, found `)`
            parse: expected `)`, found the end of the text
            parse: expected the end of the type, found `;`
            parse: `?` has no meaning here"#]],
    );
}
