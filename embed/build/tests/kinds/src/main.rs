//! Checks what each function gives; it prints nothing.

#![deny(warnings)]

use nesl_data::{Error, Nested};

mod kinds {
    nesl_data::include!("kinds");
}

/// Libraries do not get in each other's way.
mod more {
    nesl_data::include!("some_more");
}

fn main() -> Result<(), Error> {
    values()?;
    nests()?;
    errors();
    assert_eq!(more::total(&[0.5, 1.0])?, 1.5);
    assert_eq!(more::twice(&[1, i64::MAX])?, [2, -2]);
    let threads: Vec<_> = (0..8)
        .map(|n| std::thread::spawn(move || more::total(&vec![f64::from(n); 10_000])))
        .collect();
    for (n, thread) in threads.into_iter().enumerate() {
        assert_eq!(thread.join().unwrap()?, n as f64 * 10_000.0);
    }
    Ok(())
}

fn values() -> Result<(), Error> {
    assert_eq!(kinds::scalars(-1, 0.5, true, 0xe9)?, (0xe9, true, 0.5, -1));
    assert_eq!(kinds::next(b"HAL\xfe")?, b"IBM\xff");
    assert_eq!(kinds::none(&[true, false])?, [false, true]);
    assert_eq!(kinds::swapped(&[(1, 0.5), (2, 1.5)])?, [(0.5, 1), (1.5, 2)]);
    assert_eq!(kinds::swapped(&[])?, []);
    assert_eq!(kinds::moved((1.0, 2.0), 0.5)?, (1.5, 2.5));
    assert_eq!(kinds::centre(&[(0.0, 2.0), (2.0, 4.0)])?, (1.0, 3.0));
    assert_eq!(kinds::r#match(5, 2)?, 3);
    let draws = kinds::draws(7, 3)?;
    assert_eq!((draws.len(), &draws), (3, &kinds::draws(7, 3)?));
    assert_ne!(draws, kinds::draws(8, 3)?);
    Ok(())
}

fn nests() -> Result<(), Error> {
    let pieces = kinds::pieces(3)?;
    // [[], [[]], [[], [0]]]
    assert_eq!(pieces, Nested::new(vec![0, 0, 1, 3], Nested::from_rows([vec![], vec![], vec![0]]))?);
    assert_eq!(kinds::pieces(0)?, Nested::default());
    let sums = kinds::sums(&pieces)?;
    assert_eq!(sums.rows().collect::<Vec<_>>(), [&[][..], &[0], &[0, 0]]);
    let rows = Nested::new(vec![0, 2, 2, 3], (vec![1, 2, 3], vec![0.5, 1.5, 2.5]))?;
    let weights: Nested<(f64, i64)> = kinds::weights(&rows)?;
    assert_eq!(weights.offsets(), rows.offsets());
    assert_eq!(*weights.elements(), (vec![0.5, 1.5, 2.5], vec![1, 2, 3]));
    let nest = Nested::from_rows([vec![1.0], vec![], vec![2.0, 4.0]]);
    let (numbers, halves) = kinds::groups(&(nest.clone(), vec![7, 8, 9]))?;
    assert_eq!(numbers, [7, 8, 9]);
    assert_eq!(halves, Nested::from_rows([vec![0.5], vec![], vec![1.0, 2.0]]));
    assert_eq!(kinds::both((&[1, 2], &nest), true)?, (nest, vec![1, 2], true));
    Ok(())
}

fn errors() {
    let told = |error: Error| (error.code(), error.message().to_owned());
    let outside = told(kinds::at(&[1, 2], &[0, 9]).unwrap_err());
    assert_eq!(outside.0, "N0502");
    let place = "kinds.nesl:21:48: runtime(index): ";
    assert_eq!(outside.1, format!("{place}index 9 is outside a sequence of length 2, in element 1"));
    assert_eq!(told(kinds::draws(0, 1 << 50).unwrap_err()).0, "N0509");
    let uneven = told(kinds::groups(&(Nested::default(), vec![1])).unwrap_err());
    assert_eq!(uneven, ("N0601", "`a`: the vectors have different lengths".to_owned()));
    assert_eq!(kinds::at(&[1, 2], &[1]), Ok(vec![2]));
}
