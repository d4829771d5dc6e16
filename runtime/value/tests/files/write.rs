//! Output files.

use crate::support::{Folder, shape};
use expect_test::{Expect, expect};
use prim::Widths;
use std::fs;
use value::Budget;
use value::input::{read, read_literal};
use value::output::write;
use value::print::Style;

/// Writes a literal to a file and gives the bytes, and that they read back as the same.
fn check_write(name: &str, ty: &str, source: &str, expected: Expect) {
    let folder = Folder::new();
    let shape = shape(ty);
    let value =
        read_literal(source.as_bytes(), &shape, Widths::WIDE, "a", &Budget::unlimited()).unwrap();
    let path = folder.0.join(name);
    let text = match write(&path, &value, &shape) {
        Ok(()) => fs::read(&path).unwrap().escape_ascii().to_string(),
        Err(error) => error.message.replace(&format!("{}/", folder.0.display()), ""),
    };
    expected.assert_eq(&text.replace("\\n", "\n"));
    if path.exists() {
        let again = read(&path, &shape, Widths::WIDE, "a", &Budget::unlimited()).unwrap();
        let (old, new) = (value.show(&shape, 0, Style::FULL), again.show(&shape, 0, Style::FULL));
        assert_eq!(String::from_utf8_lossy(&old), String::from_utf8_lossy(&new));
    }
    // Nothing else remains.
    let rest = fs::read_dir(&folder.0).unwrap().filter(|e| e.as_ref().unwrap().path() != path);
    assert_eq!(rest.count(), 0);
}

#[test]
fn writing() {
    check_write(
        "a.npy",
        "int",
        "7",
        expect![[r#"
        \x93NUMPY\x01\x00v\x00{\'descr\': \'<i8\', \'fortran_order\': False, \'shape\': (), }                                                              
        \x07\x00\x00\x00\x00\x00\x00\x00"#]],
    );
    check_write(
        "a.npy",
        "[(float, float)]",
        "[(1.0, 2.0), (3.0, 4.0)]",
        expect![[r#"
        \x93NUMPY\x01\x00v\x00{\'descr\': \'<f8\', \'fortran_order\': False, \'shape\': (2, 2), }                                                          
        \x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00@\x00\x00\x00\x00\x00\x00\x08@\x00\x00\x00\x00\x00\x00\x10@"#]],
    );
    check_write(
        "a.npy",
        "[[char]]",
        "[\"ab\", \"cd\"]",
        expect![[r#"
        \x93NUMPY\x01\x00v\x00{\'descr\': \'|S1\', \'fortran_order\': False, \'shape\': (2, 2), }                                                          
        abcd"#]],
    );
    check_write(
        "a.npy",
        "[[bool]]",
        "[[t], [f]]",
        expect![[r#"
        \x93NUMPY\x01\x00v\x00{\'descr\': \'|b1\', \'fortran_order\': False, \'shape\': (2, 1), }                                                          
        \x01\x00"#]],
    );
    check_write(
        "a.npy",
        "[[int]]",
        "[[1, 2], [3]]",
        expect![
            "`a.npy`: an array needs rows of one length, but along axis 1 row 0 has length 2 and row 1 has length 1: write a .nesl file"
        ],
    );
    check_write(
        "a.npy",
        "[(int, float)]",
        "[]",
        expect!["`a.npy`: an array cannot hold values of type [(int, float)]: write a .nesl file"],
    );
    check_write("a.txt", "[char]", "\"text\"", expect!["text"]);
    check_write(
        "a.txt",
        "[[char]]",
        "[\"a\", \"b c\"]",
        expect![[r#"
        a
        b c
    "#]],
    );
    check_write(
        "a.txt",
        "[[char]]",
        "[\"a\", \"b\\nc\"]",
        expect![
            "`a.txt`: string 1 has a line end, and a text file has a string on each line: write a .nesl file"
        ],
    );
    check_write(
        "a.txt",
        "[[char]]",
        "[\"a\\r\"]",
        expect![
            "`a.txt`: string 0 has a line end, and a text file has a string on each line: write a .nesl file"
        ],
    );
    check_write(
        "a.txt",
        "[float]",
        "[1.0, 1.0e20]",
        expect![[r#"
        1.0
        1.0e+20
    "#]],
    );
    check_write(
        "a.txt",
        "[bool]",
        "[t, f]",
        expect![[r#"
        T
        F
    "#]],
    );
    check_write(
        "a.txt",
        "[[int]]",
        "[]",
        expect![
            "`a.txt`: a text file holds scalars, strings, or sequences of these, but no [[int]]: write a .nesl file"
        ],
    );
    check_write(
        "a.nesl",
        "[([char], float)]",
        "[(\"a\", infinity), (\"\\\"\", 1.5)]",
        expect![[r#"
        [(\"a\", infinity), (\"\\\"\", 1.5)]
    "#]],
    );
    check_write(
        "a.bin",
        "int",
        "1",
        expect!["`a.bin`: values are written to .npy, .txt or .nesl files"],
    );
}
