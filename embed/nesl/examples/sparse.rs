//! A sparse matrix times a vector: rows of different lengths, without a copy.
//!
//! The matrix lies as in CSR: `offsets` say where rows begin in the columns and the values.

use nesl::{Error, Nested, Options, Session};

const TEXT: &str = "function smxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};";

/// A matrix that takes differences between neighbours; of `n` rows, the last is empty.
fn differences(n: usize) -> Result<Nested<(i64, f64)>, Error> {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..n as i64 {
        if row + 1 < n as i64 {
            columns.extend([row, row + 1]);
            values.extend([-1.0, 1.0]);
        }
        offsets.push(columns.len() as i64);
    }
    Ok(Nested::new(offsets, (columns, values))?)
}

pub(crate) fn main() -> Result<(), Error> {
    let program = Session::new(&Options::default())?.compile(TEXT)?;
    let smxv = program.get::<fn(&Nested<(i64, f64)>, &[f64]) -> Vec<f64>>("smxv")?;
    let squares: Vec<f64> = (0..1000).map(|i| f64::from(i * i)).collect();
    let result = smxv.call(&differences(1000)?, &squares)?;
    assert_eq!(result[..3], [1.0, 3.0, 5.0]);
    assert_eq!(result[999], 0.0);
    Ok(())
}
