//! What is known to be counted inside a tile.

use crate::{Arg, Program, read};
use base::Id;

/// The arrays of threads and of the block that hold counts, in a kernel of tiles of so many
/// elements for each of 32 threads.  `told` stores in a5.
fn counted(items: u32, told: &str) -> [Vec<Arg>; 2] {
    let len = items * 32;
    let text = format!(
        "kernel k0 keep(a0: in i64, a1: i64, a2: out i64, a3: private bool [{items}], a4: private i64 \
         [{items}], a5: shared i64 [{len}], a6: private i64 [{items}]) tiles of {len} over a1 each by 32 threads x3 as x0 x1 x2 {{
  for x4 in 0 .. {items} unroll {{
    store a3 x4 T
    store a6 x4 70000
  }}
  scan x5 = add a3 to a4, x6 = add a6 to a6
  chain x7 = add x5
  for x8 in 0 .. {items} unroll {{
    x9 = read a4 x8
    x10 = add x7 x9
    {told}
  }}
  barrier
  x11 = read a5 x3
  store a2 x3 x11
}}
"
    );
    let program: Program = read(&text).unwrap_or_else(|e| panic!("{e}"));
    let (_, kernel) = program.kernels.iter().next().unwrap_or_else(|| panic!("there is one"));
    let counted = kernel.counted();
    [counted.private, counted.shared].map(|arrays| arrays.into_iter().collect())
}

#[test]
fn counts_of_a_tile_are_small() {
    let [a4, a5] = [4, 5].map(Arg::new);
    for told in ["store a5 x8 x9", "store a5 x8 x5", "store a5 x8 65535"] {
        assert_eq!(counted(4, told), [vec![a4], vec![a5]], "{told}");
    }
    // What comes before the tile, other sums, a constant that is too large, and one of each.
    let two = "store a5 x8 x9\n    store a5 x8 x10";
    for told in ["store a5 x8 x10", "store a5 x8 x6", "store a5 x8 65536", two] {
        assert_eq!(counted(4, told), [vec![a4], vec![]], "{told}");
    }
    // A tile of more elements than half a word counts.
    assert_eq!(counted(2048, "store a5 x8 x9"), [vec![a4], vec![]]);
}
