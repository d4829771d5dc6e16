//! Flat programs and their plans, fused and not, give the same.

use super::programs::*;
use super::{agree, floats, int, ints};
use expect_test::{Expect, expect};
use flat::Data;

fn check(text: &str, args: &[Data], expected: &Expect) {
    expected.assert_eq(&agree(text, args));
}

#[test]
fn maps_and_reductions() {
    check(
        SQUARES,
        &[int(3), ints(&[1, 2, 3])],
        &expect!["2 launches, 10 touched; 1 launches, 4 touched"],
    );
    check(SQUARES, &[int(0), ints(&[])], &expect!["2 launches, 1 touched; 1 launches, 1 touched"]);
    check(
        TWO_REDUCTIONS,
        &[int(3), floats(&[1.5, 2.5, -3.0])],
        &expect!["2 launches, 8 touched; 1 launches, 8 touched"],
    );
    check(GATHER, &[int(3), ints(&[1, 2, 3])], &expect!["2 launches, 12 touched"]);
}

#[test]
fn segments() {
    let matrix = [int(3), ints(&[0, 2, 2, 3]), floats(&[1.0, 2.0, 3.0]), ints(&[0, 2, 1])];
    let vector = [int(3), floats(&[1.0, 10.0, 100.0])];
    check(
        SPARSE,
        &[&matrix[..], &vector[..]].concat(),
        &expect!["2 launches, 18 touched; 1 launches, 12 touched"],
    );
    let vector = [int(2), floats(&[1.0, 10.0])];
    check(
        SPARSE,
        &[&matrix[..], &vector[..]].concat(),
        &expect!["1 launches, 3 touched; 1 launches, 3 touched"],
    );
    check(
        CHECKED_FILTER,
        &[int(3), ints(&[1, 0, 1]), int(2), ints(&[2, 5])],
        &expect!["2 launches, 15 touched; 1 launches, 11 touched"],
    );
    let rows = [int(3), ints(&[0, 2, 2, 5]), floats(&[1.0, 3.0, 2.0, 4.0, 6.0])];
    check(EPILOGUE, &rows, &expect!["4 launches, 35 touched; 1 launches, 15 touched"]);
    let rows = [int(3), ints(&[0, 2, 2, 5]), ints(&[1, 3, 2, 0, 6])];
    check(THROUGH, &rows, &expect!["4 launches, 34 touched; 1 launches, 7 touched"]);
    check(
        THROUGH_EVEN,
        &[int(2), int(3), ints(&[4, 5, 6, 7, 8, 9])],
        &expect!["2 launches, 11 touched; 1 launches, 7 touched"],
    );
    let starts = [ints(&[-4, 100, 1]), ints(&[5, 1, 2, 9, 3, 4]), ints(&[2, 3, -1])];
    check(SHIFTED, &[&rows[..2], &starts[..]].concat(), &expect!["1 launches, 18 touched"]);
}

#[test]
fn filters() {
    check(
        CUT,
        &[int(3), ints(&[0, 3, 3, 5]), ints(&[1, 0, 3, 2, 1])],
        &expect!["3 launches, 27 touched; 1 launches, 18 touched"],
    );
    check(
        CUT_EVEN,
        &[int(2), int(3), ints(&[4, 5, 6])],
        &expect!["2 launches, 20 touched; 1 launches, 14 touched"],
    );
    check(
        ROWS_EVEN,
        &[int(2), int(3), ints(&[4, 5, 6, 7, 8, 9])],
        &expect!["1 launches, 8 touched"],
    );
    check(
        FILTER_MAP,
        &[int(5), ints(&[1, 5, 2, 3, 9])],
        &expect!["3 launches, 28 touched; 1 launches, 14 touched"],
    );
    check(
        FILTER_MAP,
        &[int(2), ints(&[1, 2])],
        &expect!["3 launches, 7 touched; 1 launches, 5 touched"],
    );
    let rows = [int(3), ints(&[0, 2, 2, 5]), ints(&[1, 3, 2, 0, 6])];
    check(FIRST_INT, &rows, &expect!["2 launches, 21 touched; 1 launches, 13 touched"]);
    let floats = [1.0, 3.0, 2.0, 3.0, 6.0].map(prim::Const::F64);
    let floats = [int(3), ints(&[0, 2, 2, 5]), Data::vector(floats)];
    check(FIRST_GREATEST, &floats, &expect!["5 launches, 52 touched; 1 launches, 14 touched"]);
    check(KEPT_LATER, &rows, &expect!["4 launches, 37 touched; 3 launches, 29 touched"]);
    let rows = [int(3), ints(&[0, 1, 3]), ints(&[1, 2, 3]), ints(&[4, 5, 6, 7, 8, 9])];
    check(KEPT_ROWS, &rows, &expect!["5 launches, 33 touched; 1 launches, 27 touched"]);
    check(
        JOINED,
        &[int(4), ints(&[5, 1, 9, 2])],
        &expect!["6 launches, 56 touched; 3 launches, 48 touched"],
    );
    let rows = [int(3), ints(&[0, 2, 2, 5]), ints(&[1, 3, 2, 0, 6])];
    check(KEPT_SCAN, &rows, &expect!["5 launches, 67 touched; 1 launches, 24 touched"]);
    let lent = [int(3), ints(&[0, 3, 3, 5]), ints(&[1, 4, 0]), ints(&[7, 1, 2, 9, 0, 5])];
    check(LENT, &lent, &expect!["1 launches, 17 touched"]);
    check(LENT_SUMS, &lent, &expect!["2 launches, 35 touched; 1 launches, 25 touched"]);
    let base = [int(6), ints(&[-1; 6])];
    check(LENT_WRITES, &[&lent[..], &base[..]].concat(), &expect!["1 launches, 15 touched"]);
}

#[test]
fn chains() {
    check(
        SCAN,
        &[int(4), ints(&[1, -5, 2, 3])],
        &expect!["3 launches, 28 touched; 1 launches, 8 touched"],
    );
    check(
        TWO_CHAINS,
        &[int(4), ints(&[1, 5, 2, 3])],
        &expect!["3 launches, 25 touched; 2 launches, 19 touched"],
    );
    check(OFFSETS, &[int(5)], &expect!["4 launches, 26 touched; 2 launches, 16 touched"]);
}

#[test]
fn writes() {
    let args = [int(3), ints(&[0, 3, 3, 5]), ints(&[2, 7, 4])];
    let sieve = |n: i64| [&args[..], &[int(n)]].concat();
    check(SIEVE, &sieve(12), &expect!["4 launches, 42 touched; 2 launches, 22 touched"]);
    check(SIEVE, &sieve(7), &expect!["3 launches, 22 touched; 2 launches, 12 touched"]);
    let args = [int(4), ints(&[3, 0, 3, 1]), ints(&[5, 6, 7, 8]), int(5), ints(&[1; 5])];
    check(LAST_WRITES, &args, &expect!["5 launches, 45 touched; 3 launches, 33 touched"]);
    let args = [int(4), ints(&[1, 9, -1, 1]), int(3)];
    check(LATE_BASE, &args, &expect!["3 launches, 18 touched; 2 launches, 10 touched"]);
    let xs = [floats(&[0.0; 3]), int(2), floats(&[2.0, 3.0])];
    let args = [&[int(3), ints(&[1, 0, 1])], &xs[..]].concat();
    check(HEAVY_VALUES, &args, &expect!["2 launches, 15 touched"]);
    let args = [int(3), ints(&[2, 0, 3]), int(4), ints(&[10, 11, 12, 13])];
    check(OWN_BASE, &args, &expect!["5 launches, 33 touched; 4 launches, 33 touched"]);
}

#[test]
fn steps() {
    let args = [int(4), ints(&[1, 5, 2, 3]), ints(&[3, 0, 1, 2])];
    check(SCATTERS, &args, &expect!["6 launches, 51 touched; 5 launches, 39 touched"]);
    let args = [int(4), ints(&[1, 5, 2, 3]), ints(&[3, 0, 1, 4])];
    check(SCATTERS, &args, &expect!["3 launches, 32 touched; 2 launches, 20 touched"]);
    check(
        HALVE,
        &[int(3), ints(&[9, 1, 5])],
        &expect!["8 launches, 32 touched; 4 launches, 22 touched"],
    );
    check(FAILS, &[int(2), ints(&[1, 2])], &expect!["2 launches, 4 touched"]);
    check(FAILS, &[int(2), ints(&[1, 3])], &expect!["1 launches, 3 touched"]);
    check(FAILS, &[int(5), ints(&[1, 2, 1, 1, 1])], &expect!["0 launches, 0 touched"]);
}
