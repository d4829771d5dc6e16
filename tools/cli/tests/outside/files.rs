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
    check(&folder, "run p.nesl --engine interp --entry edges m=m.mtx", &expect![[""]]);
}

#[test]
fn files_of_other_kinds() {
    let folder = folder("kinds", &[("p.nesl", PROGRAM), ("data.csv", b"1,2\n")]);
    for (name, expected) in
        [("data.csv", expect![[""]]), ("a/m.npz", expect![[""]]), ("m.mtx.gz", expect![[""]])]
    {
        check(&folder, &format!("run p.nesl --engine interp --entry total v={name}"), &expected);
    }
}

#[test]
fn strings_with_line_ends_are_no_text_file() {
    let folder = folder("ends", &[("p.nesl", PROGRAM)]);
    check(&folder, "run p.nesl --engine interp --entry lines -o a.txt n=2", &expect![[""]]);
    assert!(!folder.join("a.txt").exists());
}
