//! Quicksort: recursion in parallel, and one function at two types.

use nesl::{Error, Options, Session};

const TEXT: &str = "
    function quicksort(a) =
      if #a < 2 then a
      else let p = a[#a / 2];
        parts = {quicksort(v) : v in [{x in a | x < p}, {x in a | x > p}]}
      in parts[0] ++ {x in a | x == p} ++ parts[1];";

pub(crate) fn main() -> Result<(), Error> {
    let program = Session::new(&Options::default())?.compile(TEXT)?;
    let ints = program.get::<fn(&[i64]) -> Vec<i64>>("quicksort")?;
    let floats = program.get::<fn(&[f64]) -> Vec<f64>>("quicksort")?;
    let mut keys: Vec<i64> = (0..10_000).map(|i| i * 7919 % 10_007).collect();
    let sorted = ints.call(&keys)?;
    keys.sort_unstable();
    assert_eq!(sorted, keys);
    assert_eq!(floats.call(&[0.5, -1.0, 0.25])?, [-1.0, 0.25, 0.5]);
    Ok(())
}
