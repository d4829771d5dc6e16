//! Calls functions of NESL that were compiled when this program was built.

use nesl_data::{Error, Nested};

mod graph {
    nesl_data::include!("graph");
}

fn main() -> Result<(), Error> {
    // 0 -> 1 -> 3 and 0 -> 2 -> 3 -> 4; nothing leads to 5.
    let edges = Nested::from_rows([vec![1, 2], vec![3], vec![3], vec![4], vec![], vec![0]]);
    println!("{:?}", graph::depths(&edges, 0)?);

    // [[(0, 2.0), (1, 0.5)], [], [(1, 4.0)]]: offsets of the rows, columns and values.
    let matrix = Nested::new(vec![0, 2, 2, 3], (vec![0, 1, 1], vec![2.0, 0.5, 4.0]))?;
    println!("{:?}", graph::smxv(&matrix, &[1.0, 10.0])?);

    let error = graph::smxv(&matrix, &[1.0]).unwrap_err();
    println!("{error}");
    Ok(())
}
