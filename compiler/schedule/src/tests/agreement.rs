//! Flat programs and their kernels give the same.

use super::programs::*;
use super::{agree, floats, int, ints};

#[test]
fn maps_and_reductions() {
    agree(SQUARES, &[int(3), ints(&[1, 2, 3])]);
    agree(SQUARES, &[int(0), ints(&[])]);
    agree(TWO_REDUCTIONS, &[int(3), floats(&[1.5, 2.5, -3.0])]);
    agree(GATHER, &[int(3), ints(&[1, 2, 3])]);
}

#[test]
fn segments() {
    let matrix = [int(3), ints(&[0, 2, 2, 3]), floats(&[1.0, 2.0, 3.0]), ints(&[0, 2, 1])];
    let vector = [int(3), floats(&[1.0, 10.0, 100.0])];
    agree(SPARSE, &[&matrix[..], &vector[..]].concat());
    let vector = [int(2), floats(&[1.0, 10.0])];
    agree(SPARSE, &[&matrix[..], &vector[..]].concat());
    let rows = [int(3), ints(&[0, 2, 2, 5]), floats(&[1.0, 3.0, 2.0, 4.0, 6.0])];
    agree(EPILOGUE, &rows);
}

#[test]
fn first_of_the_greatest() {
    let rows = |offsets: &[i64], elements: &[f64]| {
        [int(offsets.len() as i64 - 1), ints(offsets), floats(elements)]
    };
    let (nan, most) = (f64::NAN, f64::INFINITY);
    agree(FIRST_GREATEST, &rows(&[0, 0, 4, 4, 6, 9], &[1., 7., 7., 3., 2., 2., -1., 5., 5.]));
    agree(FIRST_GREATEST, &rows(&[0, 1, 3, 5], &[0.0, -0.0, 0.0, 0.0, -0.0]));
    // Without what is greater than nothing, and where nothing counts at all.
    agree(FIRST_GREATEST, &rows(&[0, 2, 4, 6], &[-most, -most, most, most, -most, most]));
    agree(FIRST_GREATEST, &rows(&[0, 3, 5, 6], &[1.0, -most, most, 2.0, 2.0, 8.0]));
    agree(FIRST_GREATEST, &rows(&[0, 3, 5, 6], &[nan, -most, most, nan, 2.0, nan]));
    agree(FIRST_GREATEST, &rows(&[0, 4, 7], &[nan, nan, 3.0, 3.0, 1.0, nan, 2.0]));
    agree(FIRST_GREATEST, &rows(&[0, 2, 5], &[nan, -most, nan, nan, nan]));
    let many: Vec<f64> = (0..500).map(|n| f64::from(n * n % 83 - n % 7)).collect();
    agree(FIRST_GREATEST, &rows(&[0, 0, 130, 131, 131, 499, 500], &many));
    agree(FIRST_GREATEST, &rows(&[0], &[]));
    let ends = [i64::MIN, i64::MIN, i64::MIN, 4, 4, i64::MAX, i64::MAX];
    agree(FIRST_INT, &[int(4), ints(&[0, 2, 5, 5, 7]), ints(&ends)]);
}

#[test]
fn filters() {
    agree(FILTER_MAP, &[int(5), ints(&[1, 5, 2, 3, 9])]);
    agree(FILTER_MAP, &[int(2), ints(&[1, 2])]);
    agree(CHECKED_FILTER, &[int(3), ints(&[1, 0, 1]), int(2), ints(&[2, 5])]);
    let rows = [int(3), ints(&[0, 2, 2, 5]), ints(&[1, 3, 2, 0, 6])];
    agree(KEPT_LATER, &rows);
    agree(KEPT_SCAN, &rows);
}

#[test]
fn loads_that_overlap() {
    let lent = |ends: &[i64], starts: &[i64], pool: &[i64]| {
        let rows = [int(starts.len() as i64), ints(ends), ints(starts), ints(pool)];
        agree(LENT, &rows);
        agree(LENT_SUMS, &rows);
        let base = vec![-1; pool.len() * 3];
        agree(LENT_WRITES, &[&rows[..], &[int(base.len() as i64), ints(&base)]].concat());
    };
    lent(&[0, 3, 3, 5], &[1, 4, 0], &[7, 1, 2, 9, 0, 5]);
    lent(&[0, 0, 0], &[1, 0], &[7, 3]);
    lent(&[0], &[], &[]);
    // Tiles that are cut, without elements of their own, and of one element.
    let len = |n: i64| if n % 17 == 0 { 40 } else { i64::from(n % 3 == 0) };
    let ends: Vec<i64> = (0..=130).map(|n| (0..n).map(len).sum()).collect();
    let starts: Vec<i64> = (0..130).collect();
    let pool: Vec<i64> = (0..170).map(|i| i * 7 % 11 - 3).collect();
    lent(&ends, &starts, &pool);
}

#[test]
fn offsets_of_kept_lanes() {
    let rows = |starts: &[i64], lens: &[i64], pool: &[i64]| {
        [int(starts.len() as i64), ints(starts), ints(lens), ints(pool)]
    };
    agree(KEPT_ROWS, &rows(&[0, 3, 3, 5, 1, 0], &[3, 0, 2, 1, 1, 5], &[7, 1, 2, 9, 4, 3]));
    agree(KEPT_ROWS, &rows(&[0, 1], &[1, 1], &[7, 1]));
    agree(KEPT_ROWS, &rows(&[9, 9, 9], &[0, 0, 0], &[7]));
    agree(KEPT_ROWS, &rows(&[], &[], &[]));
    let starts: Vec<i64> = (0..300).collect();
    let lens: Vec<i64> = (0..300).map(|n| n * n % 5).collect();
    let pool: Vec<i64> = (0..310).map(|n| n % 7).collect();
    agree(KEPT_ROWS, &rows(&starts, &lens, &pool));
}

#[test]
fn joined_parts() {
    agree(JOINED, &[int(6), ints(&[5, 1, 9, 2, 3, 4])]);
    agree(JOINED, &[int(2), ints(&[5, 9])]);
    agree(JOINED, &[int(2), ints(&[0, 1])]);
    agree(JOINED, &[int(0), ints(&[])]);
    let many: Vec<i64> = (0..300).map(|n| n * n % 7).collect();
    agree(JOINED, &[int(300), ints(&many)]);
}

#[test]
fn segments_that_tiles_cut() {
    let rows = |offsets: &[i64], elements: &[i64]| {
        [int(offsets.len() as i64 - 1), ints(offsets), ints(elements)]
    };
    agree(CUT, &rows(&[0, 0, 7, 7, 7, 8, 11], &[1, 0, 3, 3, 9, 5, 6, 2, 1, 0, 4]));
    agree(CUT, &rows(&[0, 0, 0], &[]));
    agree(CUT, &rows(&[0], &[]));
    agree(CUT, &rows(&[0, 3, 5], &[0, 1, 3, 4, 5]));
    agree(CUT_EVEN, &[int(3), int(4), ints(&[5, 1, 2, 9])]);
    agree(CUT_EVEN, &[int(1), int(9), ints(&[5, 1, 2, 9, 0, 0, 7, 1, 1])]);
    agree(CUT_EVEN, &[int(4), int(0), ints(&[])]);
    agree(CUT_EVEN, &[int(4), int(-3), ints(&[])]);
    agree(ROWS_EVEN, &[int(3), int(2), ints(&[5, 1, 2, 9, 3, 4])]);
    agree(ROWS_EVEN, &[int(1), int(3), ints(&[5, 1, 2])]);
    agree(ROWS_EVEN, &[int(4), int(0), ints(&[])]);
    agree(ROWS_EVEN, &[int(4), int(-3), ints(&[])]);
    agree(ROWS_EVEN, &[int(0), int(3), ints(&[])]);
}

#[test]
fn segments_that_go_through() {
    let rows = |offsets: &[i64], elements: &[i64]| {
        [int(offsets.len() as i64 - 1), ints(offsets), ints(elements)]
    };
    agree(THROUGH, &rows(&[0, 0, 7, 7, 7, 8, 11], &[1, 0, 3, 3, 9, 5, 6, 2, 1, 0, 4]));
    agree(THROUGH, &rows(&[0, 0, 0], &[]));
    agree(THROUGH, &rows(&[0], &[]));
    let many: Vec<i64> = (0..500).map(|n| n * n % 83 - n % 7).collect();
    agree(THROUGH, &rows(&[0, 0, 130, 131, 131, 499, 500], &many));
    agree(THROUGH_EVEN, &[int(3), int(2), ints(&[5, 1, 2, 9, 3, 4])]);
    agree(THROUGH_EVEN, &[int(1), int(500), ints(&many)]);
    agree(THROUGH_EVEN, &[int(100), int(5), ints(&many)]);
    agree(THROUGH_EVEN, &[int(4), int(0), ints(&[])]);
    agree(THROUGH_EVEN, &[int(4), int(-3), ints(&[])]);
    agree(THROUGH_EVEN, &[int(0), int(3), ints(&[])]);
}

/// What empty rows would read is nowhere.
#[test]
fn reads_that_rows_share() {
    let rows = |offsets: &[i64], starts: &[i64], factors: &[i64]| {
        let count = offsets.len() as i64 - 1;
        let [offsets, starts, factors] = [offsets, starts, factors].map(ints);
        [int(count), offsets, starts, ints(&[5, 1, 2, 9, 3, 4]), factors]
    };
    agree(SHIFTED, &rows(&[0, 2, 2, 5], &[-4, 100, 1], &[2, 3, -1]));
    agree(SHIFTED, &rows(&[0, 0, 6], &[7, 0], &[2, 3]));
    agree(SHIFTED, &rows(&[0], &[], &[]));
}

#[test]
fn chains() {
    agree(SCAN, &[int(4), ints(&[1, -5, 2, 3])]);
    agree(TWO_CHAINS, &[int(4), ints(&[1, 5, 2, 3])]);
    agree(OFFSETS, &[int(5)]);
}

#[test]
fn writes() {
    let args = [int(3), ints(&[0, 3, 3, 5]), ints(&[2, 7, 4])];
    agree(SIEVE, &[&args[..], &[int(12)]].concat());
    agree(SIEVE, &[&args[..], &[int(7)]].concat());
    let args = [int(4), ints(&[3, 0, 3, 1]), ints(&[5, 6, 7, 8]), int(5), ints(&[1; 5])];
    agree(LAST_WRITES, &args);
    let crowd: Vec<i64> = (0..200).map(|i| i * i % 11).collect();
    let values: Vec<i64> = (0..200).collect();
    agree(LAST_WRITES, &[int(200), ints(&crowd), ints(&values), int(11), ints(&[-1; 11])]);
    agree(LAST_WRITES, &[int(0), ints(&[]), ints(&[]), int(0), ints(&[])]);
    agree(LAST_WRITES, &[int(2), ints(&[-1, 7]), ints(&[1, 2]), int(3), ints(&[4, 5, 6])]);
    agree(LATE_BASE, &[int(4), ints(&[1, 9, -1, 1]), int(3)]);
    let xs = [floats(&[0.0; 3]), int(2), floats(&[2.0, 3.0])];
    agree(HEAVY_VALUES, &[&[int(3), ints(&[1, 0, 1])], &xs[..]].concat());
    agree(OWN_BASE, &[int(3), ints(&[2, 0, 3]), int(4), ints(&[10, 11, 12, 13])]);
}

#[test]
fn steps() {
    let args = [int(4), ints(&[1, 5, 2, 3]), ints(&[3, 0, 1, 2])];
    agree(SCATTERS, &args);
    let args = [int(4), ints(&[1, 5, 2, 3]), ints(&[3, 0, 1, 4])];
    agree(SCATTERS, &args);
    agree(HALVE, &[int(3), ints(&[9, 1, 5])]);
    agree(FAILS, &[int(2), ints(&[1, 2])]);
    agree(FAILS, &[int(2), ints(&[1, 3])]);
    agree(FAILS, &[int(5), ints(&[1, 2, 1, 1, 1])]);
}
