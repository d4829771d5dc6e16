//! Files that are read and written.

use crate::{check, folder};
use expect_test::expect;

const PROGRAM: &[u8] = b"function edges(m) : [(int, int)] -> [(int, int)] = m;
function total(v) : [float] -> float = sum(v);
function lines(n) : int -> [[char]] = dist(\"a\\nb\", n);
";

#[test]
fn positions_may_be_far_apart() {
    let matrix = b"%%MatrixMarket matrix coordinate unsigned-integer general\n\
                   1099511627776 1099511627776 2\n1 1099511627776 18446744073709551615\n5 6 2\n";
    let folder = folder("far", &[("p.nesl", PROGRAM), ("m.mtx", matrix)]);
    check(
        &folder,
        "run p.nesl --engine interp --entry edges m=m.mtx",
        &expect![[r#"
        it = [(0, 1099511627775), (4, 5)] : [(int, int)]
        -- exit 0
    "#]],
    );
}

#[test]
fn files_of_other_kinds() {
    let folder = folder("kinds", &[("p.nesl", PROGRAM), ("data.csv", b"1,2\n")]);
    for (name, expected) in [
        (
            "data.csv",
            expect![[r#"
            -- stderr
            error[N0601]: `data.csv`: no .npy, .mtx, .txt or .nesl file
             |
             = note: `v` has type [float]
             = help: Python converts it: `numpy.save("data.npy", numpy.loadtxt("data.csv", delimiter=","))`

            more about N0601: nesl explain N0601
            -- exit 1
        "#]],
        ),
        (
            "a/m.npz",
            expect![[r#"
            -- stderr
            error[N0601]: `a/m.npz`: no .npy, .mtx, .txt or .nesl file
             |
             = note: `v` has type [float]
             = help: Python converts it: `numpy.save("a/m.npy", numpy.load("a/m.npz")["NAME"])`, for each array in it; a sparse matrix: `scipy.io.mmwrite("a/m.mtx", scipy.sparse.load_npz("a/m.npz"))`

            more about N0601: nesl explain N0601
            -- exit 1
        "#]],
        ),
        (
            "m.mtx.gz",
            expect![[r#"
            -- stderr
            error[N0601]: `m.mtx.gz`: no .npy, .mtx, .txt or .nesl file
             |
             = note: `v` has type [float]
             = help: decompress it: `gunzip -k m.mtx.gz`

            more about N0601: nesl explain N0601
            -- exit 1
        "#]],
        ),
    ] {
        check(&folder, &format!("run p.nesl --engine interp --entry total v={name}"), &expected);
    }
}

#[test]
fn strings_with_line_ends_are_no_text_file() {
    let folder = folder("ends", &[("p.nesl", PROGRAM)]);
    check(
        &folder,
        "run p.nesl --engine interp --entry lines -o a.txt n=2",
        &expect![[r#"
        -- stderr
        error[N0601]: `a.txt`: string 0 has a line end, and a text file has a string on each line: write a .nesl file

        more about N0601: nesl explain N0601
        -- exit 1
    "#]],
    );
    assert!(!folder.join("a.txt").exists());
}
