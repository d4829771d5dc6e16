//! Breadth-first search: the neighbours of each vertex are a row.

use nesl::{Error, Nested, Options, Session};

const TEXT: &str = "
    % Where several edges lead to one vertex, each writes its own number there, and the one that
      finds it unchanged carries on. %
    function fresh(graph, depths, frontier) =
      let reached = {v in flatten(graph -> frontier) | depths[v] < 0};
          numbers = index(#reached);
          claims = depths <- zip(reached, numbers)
      in {v in reached; i in numbers | claims[v] == i};

    function search(graph, depths, frontier, d) =
      if #frontier == 0 then depths
      else let next = fresh(graph, depths, frontier)
           in search(graph, depths <- {(v, d) : v in next}, next, d + 1);

    function depths(graph, from) =
      search(graph, dist(-1, #graph) <- [(from, 0)], [from], 1);";

pub(crate) fn main() -> Result<(), Error> {
    let program = Session::new(&Options::default())?.compile(TEXT)?;
    let depths = program.get::<fn(&Nested<i64>, i64) -> Vec<i64>>("depths")?;
    // A tree: the children of vertex i are 2i + 1 and 2i + 2; nothing leads back.
    let children = |i: i64| [2 * i + 1, 2 * i + 2].into_iter().filter(|&child| child < 1000);
    let tree = Nested::from_rows((0..1000).map(|i| children(i).collect()));
    let result = depths.call(&tree, 0)?;
    assert!((0..1000).all(|i| result[i] == i64::from((i + 1).ilog2())));
    assert_eq!(depths.call(&tree, 1)?[..5], [-1, 0, -1, 1, 1]);
    Ok(())
}
