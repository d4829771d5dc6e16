//! Arrays of NumPy.

use crate::support::{Folder, shape, shown};
use expect_test::{Expect, expect};
use prim::Widths;
use value::Budget;
use value::input::read;

/// A `.npy` file with this dictionary and data.
fn npy(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    file.extend_from_slice(dictionary.as_bytes());
    file.extend_from_slice(data);
    file
}

fn check_npy(ty: &str, dictionary: &str, data: &[u8], expected: Expect) {
    let folder = Folder::new();
    let path = folder.file("a.npy", &npy(dictionary, data));
    let shape = shape(ty);
    expected.assert_eq(&shown(
        read(&path, &shape, Widths::WIDE, "a", &Budget::unlimited()),
        &shape,
        &folder,
    ));
}

fn dictionary(descr: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}")
}

#[test]
fn npy_element_types() {
    let check = |ty: &str, descr: &str, data: &[u8], expected: Expect| {
        let count = data.len() / descr[2..].parse::<usize>().unwrap();
        check_npy(ty, &dictionary(descr, &format!("{count},")), data, expected);
    };
    check("[int]", "|i1", &[1, 255], expect!["[1, -1]"]);
    check("[int]", "|u1", &[1, 255], expect!["[1, 255]"]);
    check("[int]", "<i2", &[1, 0, 254, 255], expect!["[1, -2]"]);
    check("[int]", ">i2", &[0, 1, 255, 254], expect!["[1, -2]"]);
    check("[int]", ">u4", &[255, 255, 255, 255], expect!["[4294967295]"]);
    check("[int]", "<i8", &(-5_i64).to_le_bytes(), expect!["[-5]"]);
    check("[int]", ">i8", &(-5_i64).to_be_bytes(), expect!["[-5]"]);
    check("[int]", "<u8", &7_u64.to_le_bytes(), expect!["[7]"]);
    check(
        "[int]",
        "<u8",
        &u64::MAX.to_le_bytes(),
        expect![
            "input: `a.npy`: element 0 is 18446744073709551615, which is beyond the largest int"
        ],
    );
    check("[float]", "<f8", &2.5_f64.to_le_bytes(), expect!["[2.5]"]);
    check("[float]", ">f8", &2.5_f64.to_be_bytes(), expect!["[2.5]"]);
    check("[float]", "<f4", &0.5_f32.to_le_bytes(), expect!["[0.5]"]);
    check("[float]", ">f4", &0.5_f32.to_be_bytes(), expect!["[0.5]"]);
    let halves = [0x3c00_u16, 0xc000, 0x0001, 0x7c00, 0xfc00, 0x7e00, 0x7bff];
    let halves: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
    check(
        "[float]",
        "<f2",
        &halves,
        expect!["[1.0, -2.0, 5.960464477539063e-8, inf, -inf, nan, 65504.0]"],
    );
    check("[bool]", "|b1", &[0, 1, 2], expect!["[F, T, T]"]);
    check("[char]", "|S1", b"hi", expect![[r#""hi""#]]);
    check("[char]", "|u1", b"hi", expect![[r#""hi""#]]);
}

#[test]
fn npy_ranks_and_orders() {
    let ints = |n: u8| -> Vec<u8> { (0..n).collect() };
    check_npy("int", &dictionary("|i1", ""), &[5], expect!["5"]);
    check_npy("[[int]]", &dictionary("|i1", "2, 3"), &ints(6), expect!["[[0, 1, 2], [3, 4, 5]]"]);
    check_npy("[[int]]", &dictionary("|i1", "2, 0"), &[], expect!["[[], []]"]);
    check_npy("[[int]]", &dictionary("|i1", "0, 2"), &[], expect!["[]"]);
    check_npy(
        "[(int, int)]",
        &dictionary("|i1", "3, 2"),
        &ints(6),
        expect!["[(0, 1), (2, 3), (4, 5)]"],
    );
    check_npy("(int, int, int)", &dictionary("|i1", "3,"), &ints(3), expect!["(0, 1, 2)"]);
    check_npy(
        "[[(int, int)]]",
        &dictionary("|i1", "1, 2, 2"),
        &ints(4),
        expect!["[[(0, 1), (2, 3)]]"],
    );
    check_npy(
        "[[[int]]]",
        &dictionary("|i1", "2, 1, 3"),
        &ints(6),
        expect!["[[[0, 1, 2]], [[3, 4, 5]]]"],
    );
    let fortran =
        |shape: &str| format!("{{'shape': ({shape}), 'fortran_order': True, 'descr': \"|i1\"}}");
    check_npy("[[int]]", &fortran("2L, 3L"), &ints(6), expect!["[[0, 2, 4], [1, 3, 5]]"]);
    check_npy("[(int, int)]", &fortran("3, 2"), &ints(6), expect!["[(0, 3), (1, 4), (2, 5)]"]);
    check_npy("[[[int]]]", &fortran("2, 1, 3"), &ints(6), expect!["[[[0, 2, 4]], [[1, 3, 5]]]"]);
    check_npy("[int]", &fortran("4,"), &ints(4), expect!["[0, 1, 2, 3]"]);
}

#[test]
fn npy_that_does_not_fit() {
    let f8 = 1.0_f64.to_le_bytes();
    check_npy(
        "[int]",
        &dictionary("|b1", "8,"),
        &f8,
        expect![
            "input: `a.npy`: the file holds a 1-d array of bool with shape (8,), but a 1-d array of ints (int8 to int64, uint8 to uint64, whole floats) is needed"
        ],
    );
    check_npy(
        "[[float]]",
        &dictionary("<f8", "1,"),
        &f8,
        expect![
            "input: `a.npy`: the file holds a 1-d array of float64 with shape (1,), but a 2-d array of floats (float16, float32 or float64) is needed"
        ],
    );
    check_npy(
        "[(float, float)]",
        &dictionary("<f8", "1, 3"),
        &f8,
        expect![
            "input: `a.npy`: the file holds a 2-d array of float64 with shape (1, 3), but a 2-d array of floats (float16, float32 or float64) with 2 columns is needed"
        ],
    );
    check_npy(
        "[(float, int)]",
        &dictionary("<f8", "1, 2"),
        &f8,
        expect!["input: `a.npy`: an array cannot hold values of type [(float, int)]"],
    );
    check_npy(
        "[float]",
        &dictionary("<f8", "3,"),
        &f8,
        expect![
            "input: `a.npy`: the file is truncated: it ends after 8 bytes of data, and 24 were expected"
        ],
    );
    check_npy(
        "[float]",
        &dictionary("<f8", "9223372036854775807,"),
        &f8,
        expect!["input: `a.npy`: the array is larger than any memory"],
    );
    check_npy(
        "[[float]]",
        &dictionary("<f8", "4294967296, 4294967296"),
        &f8,
        expect!["input: `a.npy`: the array is larger than any memory"],
    );
    check_npy(
        "[[float]]",
        &dictionary("<f8", "1152921504606846976, 0"),
        &f8,
        expect![
            "runtime(memory): `a.npy`: out of memory for a vector of 9223372036854775808 bytes"
        ],
    );
    check_npy(
        "[float]",
        &dictionary("<c16", "1,"),
        &f8,
        expect!["input: `a.npy`: byte 26: arrays of element type '<c16' cannot be read"],
    );
    check_npy(
        "[float]",
        "{'descr': [('a', '<f8')], }",
        &f8,
        expect!["input: `a.npy`: byte 20: structured arrays cannot be read"],
    );
    check_npy(
        "[float]",
        "{'descr': '<f8'}",
        &f8,
        expect![
            "input: `a.npy`: byte 26: the header must tell 'descr', 'fortran_order' and 'shape'"
        ],
    );
    check_npy(
        "[float]",
        "{'descr: ",
        &f8,
        expect!["input: `a.npy`: byte 11: a quotation mark is not closed"],
    );
    check_npy("[float]", "", &[], expect!["input: `a.npy`: byte 10: `{` was expected"]);
    let folder = Folder::new();
    for (content, expected) in [
        (
            b"hello there".to_vec(),
            expect![
                "input: `a.npy`: byte 0: this is no .npy file (it does not begin with \\x93NUMPY)"
            ],
        ),
        (
            b"\x93NUMPY\x09\x00aaaa".to_vec(),
            expect!["input: `a.npy`: byte 6: unknown version 9 of .npy"],
        ),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
            expect!["input: `a.npy`: byte 8: a header of 4294967295 bytes is too long"],
        ),
        (
            b"\x93NUMPY\x01\x00\xff\xff{".to_vec(),
            expect!["input: `a.npy`: the file is truncated: it ends inside its header"],
        ),
        (
            b"\x93NUM".to_vec(),
            expect!["input: `a.npy`: the file is truncated: it ends inside its header"],
        ),
    ] {
        let path = folder.file("a.npy", &content);
        expected.assert_eq(&shown(
            read(&path, &shape("int"), Widths::WIDE, "a", &Budget::unlimited()),
            &shape("int"),
            &folder,
        ));
    }
    let absent = folder.0.join("b.npy");
    expect!["input: `b.npy`: No such file or directory (os error 2)"].assert_eq(&shown(
        read(&absent, &shape("int"), Widths::WIDE, "a", &Budget::unlimited()),
        &shape("int"),
        &folder,
    ));
    let strange = folder.file("b.png", b"");
    expect!["input: `b.png`: no .npy, .mtx, .txt or .nesl file"].assert_eq(&shown(
        read(&strange, &shape("int"), Widths::WIDE, "a", &Budget::unlimited()),
        &shape("int"),
        &folder,
    ));
}

#[test]
fn whole_floats_are_ints() {
    let check = |descr: &str, data: &[u8], widths: Widths, expected: Expect| {
        let folder = Folder::new();
        let count = data.len() / descr[2..].parse::<usize>().unwrap();
        let path = folder.file("a.npy", &npy(&dictionary(descr, &format!("{count},")), data));
        let shape = shape("[int]");
        expected.assert_eq(&shown(
            read(&path, &shape, widths, "a", &Budget::unlimited()),
            &shape,
            &folder,
        ));
    };
    let doubles = |list: &[f64]| -> Vec<u8> { list.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let (wide, narrow) = (Widths::WIDE, Widths::NARROW);
    check(
        "<f8",
        &doubles(&[1.0, -0.0, -9.223_372_036_854_776e18]),
        wide,
        expect!["[1, 0, -9223372036854775808]"],
    );
    check("<f8", &doubles(&[1.0, -2.0]), narrow, expect!["[1, -2]"]);
    check(
        "<f4",
        &[2.0_f32, 16_777_216.0].map(f32::to_le_bytes).concat(),
        wide,
        expect!["[2, 16777216]"],
    );
    check("<f2", &0x4200_u16.to_le_bytes(), narrow, expect!["[3]"]);
    check(
        "<f8",
        &doubles(&[1.0, 2.5]),
        wide,
        expect!["input: `a.npy`: element 1 is 2.5, but ints are needed"],
    );
    check(
        "<f8",
        &doubles(&[f64::NAN]),
        wide,
        expect!["input: `a.npy`: element 0 is nan, but ints are needed"],
    );
    check(
        "<f8",
        &doubles(&[9.223_372_036_854_776e18]),
        wide,
        expect!["input: `a.npy`: element 0 is 9.223372036854776e+18, but ints are needed"],
    );
    check(
        "<f8",
        &doubles(&[2_147_483_648.0]),
        narrow,
        expect!["input: `a.npy`: element 0 is 2147483648.0, but ints are needed"],
    );
}
