//! Flat programs, each with one thing to fuse or not to fuse.

/// `sum({x * x : x in v})`, the squares used once: one cluster without a vector in memory.
pub(crate) const SQUARES: &str = r"fn f0 squares(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 x2; yield x3 }
  v3: i64 = reduce [s1] add \x0 x1 { x2 = read v2 x1; yield x2 }
  yield v3
}
";

/// `{sum({a * x[j] : (j, a) in row}) : row in m}`: the gather of `x`, which is there already,
/// fuses.
pub(crate) const SPARSE: &str = r"fn f0 sparse(v0: i64, v1: vec i64 offsets s1, v2: vec f64 [s2], v3: vec i64 [s2], v4: i64, v5: vec f64 pool) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v6: vec f64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v3 x1
    x4 = ge x3 0
    x5 = lt x3 v4
    x6 = and x4 x5
    require index x6 x3 v4 @0:31:35
    x7 = min x3 v4
    x8 = select x6 x7 0
    x9: f64 = read v5 x8
    yield x9
  }
  v7: vec f64 [s1] = reduce [s2] add \x0 x1 x2 {
    x3: f64 = read v2 x1
    x4: f64 = read v6 x1
    x5 = mul x3 x4
    yield x5
  }
  yield v7
}
";

/// `{x * x : x in v | x > 2}`: the map runs where the filter keeps a lane.
pub(crate) const FILTER_MAP: &str = r"fn f0 keep(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 x2; yield x3 }
  v3: vec i64 [s2], v4: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v4] from s1 at v3
  v5: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v2 x2; x4 = add x3 x1; yield x4 }
  yield v4 v5
}
";

/// `{x in v | w[x] > 2}`: the index is checked once, though kept lanes are counted before they are
/// moved.
pub(crate) const CHECKED_FILTER: &str = r"fn f0 checked(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 {
    x2 = read v1 x0
    x3 = ge x2 0
    x4 = lt x2 v2
    x5 = and x3 x4
    require index x5 x2 v2 @0:3:4
    x6 = select x5 x2 0
    x7 = read v3 x6
    x8 = gt x7 2
    yield x8
  }
  s3 = [s0 > v5] from s1 at v4
  v6: vec i64 [s3] = map [s3] \x0 x1 { x2 = read v4 x0; x3 = read v1 x2; yield x3 }
  yield v5 v6
}
";

/// `(sum(v), max_val(v))`: one pass.
pub(crate) const TWO_REDUCTIONS: &str = r"fn f0 both(v0: i64, v1: vec f64 [s1]) {
  s1 = [s0 > v0]
  v2: f64 = reduce [s1] add \x0 x1 { x2: f64 = read v1 x0; yield x2 }
  v3: f64 = reduce [s1] max \x0 x1 { x2: f64 = read v1 x0; yield x2 }
  yield v2 v3
}
";

/// A scan with a producer pulled in and a consumer as epilogue.
pub(crate) const SCAN: &str = r"fn f0 scans(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = abs x2; yield x3 }
  v3: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v2 x0; yield x2 }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v3 x0; x3 = read v2 x0; x4 = add x2 x3; yield x4 }
  yield v4
}
";

/// `{(max_val(r), max_index(r), min_index(r)) : r in rows}` of what is twice as much.
pub(crate) const FIRST_GREATEST: &str = r"fn f0 greatest(v0: i64, v1: vec i64 offsets s1, v2: vec f64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec f64 [s2] = map [s2] \x0 x1 x2 {
    x3: f64 = read v2 x1
    x4 = mul x3 2.0
    yield x4
  }
  v4: vec f64 [s1] = reduce [s2] max \x0 x1 x2 { x3: f64 = read v3 x1; yield x3 }
  v5: vec f64 [s1] = reduce [s2] min \x0 x1 x2 { x3: f64 = read v3 x1; yield x3 }
  v6: vec i64 [s1] = reduce [s2] min \x0 x1 x2 {
    x3: f64 = read v3 x1
    x4: f64 = read v4 x0
    x5 = eq x3 x4
    x6 = select x5 x2 9223372036854775807
    yield x6
  }
  v7: vec i64 [s1] = reduce [s2] min \x0 x1 x2 {
    x3: f64 = read v3 x1
    x4: f64 = read v5 x0
    x5 = eq x4 x3
    x6 = select x5 x2 9223372036854775807
    yield x6
  }
  yield v4 v6 v7
}
";

/// `{max_index(r) : r in rows}` of ints.
pub(crate) const FIRST_INT: &str = r"fn f0 greatest(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec i64 [s1] = reduce [s2] max \x0 x1 x2 { x3 = read v2 x1; yield x3 }
  v4: vec i64 [s1] = reduce [s2] min \x0 x1 x2 {
    x3 = read v2 x1
    x4 = read v3 x0
    x5 = eq x3 x4
    x6 = select x5 x2 9223372036854775807
    yield x6
  }
  yield v4
}
";

/// `{x - mean(r) : x in r}` for each `r`: two loops over each segment, one cluster.
pub(crate) const EPILOGUE: &str = r"fn f0 center(v0: i64, v1: vec i64 offsets s1, v2: vec f64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec f64 [s1] = reduce [s2] add \x0 x1 x2 { x3: f64 = read v2 x1; yield x3 }
  v4: vec f64 [s1] = reduce [s2] add \x0 x1 x2 { yield 1.0 }
  v5: vec f64 [s1] = map [s1] \x0 x1 {
    x2: f64 = read v3 x0
    x3: f64 = read v4 x0
    x4 = div x2 x3
    yield x4
  }
  v6: vec f64 [s2] = map [s2] \x0 x1 x2 {
    x3: f64 = read v2 x1
    x4: f64 = read v5 x0
    x5 = sub x3 x4
    yield x5
  }
  yield v6
}
";

/// A vector that is read at other positions must be in memory: two clusters.
pub(crate) const GATHER: &str = r"fn f0 reverse(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 x2; yield x3 }
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = sub v0 x0
    x3 = sub x2 1
    x4 = read v2 x3
    yield x4
  }
  yield v3
}
";

/// A filter of what a scan gives waits for all of the scan: two clusters.
pub(crate) const TWO_CHAINS: &str = r"fn f0 chains(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s1] = scan [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
  v3: vec i64 [s2], v4: i64 = filter [s1] \x0 x1 { x2 = read v2 x0; x3 = and x2 1; x4 = eq x3 0; yield x4 }
  s2 = [s0 > v4] from s1 at v3
  v5: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v2 x2; yield x3 }
  yield v4 v5
}
";

/// The map of kept lanes needs a vector that is made after the filter: it cannot run with the
/// filter, nor with the maker of that vector, whose lanes are others.
pub(crate) const KEPT_LATER: &str = r"fn f0 later(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec i64 [s3], v4: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x1
    x4 = gt x3 1
    yield x4
  }
  s3 = [s1 > offsets v4] from s2 at v3
  v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v4 x0; yield x2 }
  v6: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v5 x0; x4 = add x3 x1; yield x4 }
  v7: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v3 x1; x4 = read v6 x3; x5 = add x4 x2; yield x5 }
  yield v4 v7
}
";

/// `{{x in p[s:s + n] | x > 1} : s in starts; n in lens}`: what is read says where to read.
pub(crate) const LENT: &str = r"fn f0 lent(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s1], v3: vec i64 pool) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s3], v5: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x0
    x4 = add x3 x2
    x5 = read v3 x4
    x6 = gt x5 1
    yield x6
  }
  s3 = [s1 > offsets v5] from s2 at v4
  yield v5 v4
}
";

/// `{plus_scan({x + p[s] : x in plus_scan(...)}) : s in starts; n in lens}`: the second scan has
/// something to read where the first has found, which chooses and takes a branch for each element.
pub(crate) const LENT_SUMS: &str = r"fn f0 sums(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s1], v3: vec i64 pool) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s2] = scan [s2] add \x0 x1 x2 {
    x3 = read v2 x0
    x4 = add x3 x2
    x5 = gt x2 0
    x6 = if x5 { x7 = read v3 x4; yield x7 } else { x8 = read v3 x3; x9 = mul x8 2; yield x9 }
    yield x6
  }
  v5: vec i64 [s2] = scan [s2] add \x0 x1 x2 {
    x3 = read v4 x1
    x4 = read v2 x0
    x5 = read v3 x4
    x6 = add x3 x5
    yield x6
  }
  yield v5
}
";

/// `q <- {(#q - 1 - i, p[s]) : ...}` for element i of all segments, in each of which s is one.
pub(crate) const LENT_WRITES: &str = r"fn f0 writes(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s1], v3: vec i64 pool, v4: i64, v5: vec i64 [s3]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  s3 = [s0 > v4]
  v6: vec i64 [s3] = scatter [s2] to [s3] into v5 \x0 x1 x2 {
    x3 = read v2 x0
    x4 = read v3 x3
    x5 = sub v4 1
    x6 = sub x5 x1
    yield x6 x4
  }
  yield v6
}
";

/// A filter over segments, of a scan in them, with the index of kept lanes and of their source.
pub(crate) const KEPT_SCAN: &str = r"fn f0 kept(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec i64 [s1] = reduce [s2] max \x0 x1 x2 { x3 = read v2 x1; yield x3 }
  v4: vec i64 [s2] = scan [s2] add \x0 x1 x2 { x3 = read v2 x1; yield x3 }
  v5: vec i64 [s3], v6: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v4 x1
    x4 = read v3 x0
    x5 = lt x3 x4
    yield x5
  }
  s3 = [s1 > offsets v6] from s2 at v5
  v7: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v5 x1; x4 = read v4 x3; x5 = add x4 x2; yield x5 }
  v8: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v7 x1; x4 = read v3 x0; x5 = mul x3 x4; yield x5 }
  yield v6 v5 v8
}
";

/// Two filters of rows; where the elements of those that each keeps start, how many these are, and
/// the first of each row: all in one pass over the rows.
pub(crate) const KEPT_ROWS: &str = r"fn f0 rows(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1], v3: vec i64 pool) {
  s1 = [s0 > v0]
  v4: vec i64 [s2], v5: i64 = filter [s1] \x0 x1 { x2 = read v2 x0; x3 = gt x2 1; yield x3 }
  s2 = [s0 > v5] from s1 at v4
  v6: vec i64 [s3], v7: i64 = filter [s1] \x0 x1 { x2 = read v2 x0; x3 = eq x2 1; yield x3 }
  s3 = [s0 > v7] from s1 at v6
  v8: vec i64 offsets s2 = offsets [s2] \x0 x1 { x2 = read v4 x0; x3 = read v2 x2; yield x3 }
  v9: vec i64 offsets s3 = offsets [s3] \x0 x1 {
    x2 = read v6 x0
    x3 = read v1 x2
    x4 = read v3 x3
    yield x4
  }
  v10: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v4 x0
    x3 = read v1 x2
    x4 = read v2 x2
    x5 = sub x4 2
    x6 = ge x5 0
    require index x6 x5 x4
    x7 = select x6 x5 0
    x8 = add x3 x7
    x9 = read v3 x8
    yield x9
  }
  v11: i64 = map [s0] \{ x0 = read v8 v5; x1 = read v9 v7; x2 = sub x0 x1; yield x2 }
  yield v4 v8 v9 v10 v11
}
";

/// What a filter keeps, and what it does not, with two columns each: joined, and read from there.
pub(crate) const JOINED: &str = r"fn f0 joined(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: vec i64 [s2], v3: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 3; yield x3 }
  s2 = [s0 > v3] from s1 at v2
  v4: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = le x2 3; yield x3 }
  s3 = [s0 > v5] from s1 at v4
  v6: vec i64 [s2], v7: vec bool [s2] = map [s2] \x0 x1 {
    x2 = read v2 x0
    x3 = read v1 x2
    x4 = eq x3 5
    yield x3 x4
  }
  v8: vec i64 [s3], v9: vec bool [s3] = map [s3] \x0 x1 { x2 = read v4 x0; yield x2 T }
  v10: vec i64 pool, v11: vec bool pool, v12: i64 = join (v6, v7) (v8, v9)
  v13: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = lt x0 v3
    x3 = sub x0 v3
    x4 = add v12 x3
    x5 = select x2 x0 x4
    x6 = read v10 x5
    x7: bool = read v11 x5
    x8 = neg x6
    x9 = select x7 x6 x8
    yield x9
  }
  yield v13
}
";

/// Lengths to offsets, and reductions over the segments that they make.
pub(crate) const CUT: &str = r"fn f0 cut(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = mul x0 10; yield x2 }
  v4: vec i64 [s3], v5: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x1
    x4 = gt x3 x2
    yield x4
  }
  s3 = [s1 > offsets v5] from s2 at v4
  v6: vec i64 [s3] = map [s3] \x0 x1 x2 {
    x3 = read v4 x1
    x4 = read v2 x3
    x5 = read v3 x0
    x6 = mul x4 x5
    yield x6
  }
  yield v3 v5 v6
}
";
pub(crate) const CUT_EVEN: &str = r"fn f0 even(v0: i64, v1: i64, v2: vec i64 pool) {
  s1 = [s0 > v0]
  s2 = [s1 > v1]
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = add x0 x0; yield x2 }
  v4: vec i64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v2 x2
    x4 = read v3 x0
    x5 = mul x3 x4
    x6 = add x5 x1
    yield x6
  }
  yield v3 v4
}
";
/// Two results of segments that go through to the lanes, and elements that ask for their lane.
pub(crate) const THROUGH: &str = r"fn f0 through(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v2 x1; x4 = mul x3 x0; yield x4 }
  v4: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v3 x1; yield x3 }
  v5: vec i64 [s1] = reduce [s2] max \x0 x1 x2 { x3 = read v3 x1; x4 = sub x3 x2; yield x4 }
  v6: i64, v7: i64 = reduce [s1] max add \x0 x1 { x2 = read v5 x0; x3 = read v4 x0; yield x2 x3 }
  yield v6 v7
}
";
pub(crate) const THROUGH_EVEN: &str = r"fn f0 through(v0: i64, v1: i64, v2: vec i64 pool) {
  s1 = [s0 > v0]
  s2 = [s1 > v1]
  v3: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v2 x1; x4 = mul x3 x0; yield x4 }
  v4: i64 = reduce [s1] add \x0 x1 { x2 = read v3 x0; yield x2 }
  yield v4
}
";
/// Rows of a pool, each from a place of its own, and a factor for each.
pub(crate) const SHIFTED: &str = r"fn f0 shifted(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s1], v3: vec i64 pool, v4: vec i64 [s1]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v5: vec i64 [s1] = reduce [s2] add \x0 x1 x2 {
    x3 = read v2 x0
    x4 = abs x3
    x5 = add x4 x2
    x6 = read v3 x5
    x7 = read v4 x0
    x8 = mul x6 x7
    yield x8
  }
  yield v5
}
";
pub(crate) const ROWS_EVEN: &str = r"fn f0 rows(v0: i64, v1: i64, v2: vec i64 pool) {
  s1 = [s0 > v0]
  s2 = [s1 > v1]
  v3: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = read v2 x1; yield x3 }
  yield v3
}
";
pub(crate) const OFFSETS: &str = r"fn f0 triangle(v0: i64) {
  s1 = [s0 > v0]
  v1: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = sub x0 1; yield x2 }
  s2 = [s1 > offsets v1]
  v2: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { x3 = add x1 x2; yield x3 }
  v3: vec i64 [s1] = scan [s1] max \x0 x1 { x2 = read v2 x0; yield x2 }
  v4: vec bool [s1] = reduce [s2] or \x0 x1 x2 { x3 = eq x2 3; yield x3 }
  yield v1 v3 v4
}
";

/// A permutation runs with what makes its values, a write after what makes its base; sorts stand
/// alone.
pub(crate) const SCATTERS: &str = r"fn f0 scatters(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 10; yield x3 }
  v4: vec i64 [s1], v5: vec bool [s1] = scatter [s1] to [s1] permute \x0 x1 {
    x2 = read v2 x0
    x3 = read v3 x0
    x4 = gt x3 20
    yield x2 x3 x4
  } @0:1:9
  v6: vec i64 [s1] = scatter [s1] to [s1] write v4 \x0 x1 { x2 = div x0 2; yield x2 x0 }
  v7: vec i64 [s1] = rank_down [s1] \x0 x1 { x2 = read v6 x0; yield x2 }
  v8: i64 = reduce [s1] add \x0 x1 { x2 = read v7 x0; x3 = mul x2 x0; yield x3 }
  yield v4 v5 v6 v7 v8
}
";

/// `v <- {(i, F) : i in flatten({[a:n:a] : a in s})}`: positions are made, checked and written to
/// as one.  Several lanes write to one position, but the same.
pub(crate) const SIEVE: &str = r"fn f0 sieve(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s1], v3: i64) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  s3 = [s0 > v3]
  v4: vec bool [s3] = map [s3] \x0 x1 { yield T }
  v5: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v2 x0; x4 = add x2 1; x5 = mul x3 x4; yield x5 }
  v6: vec i64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v5 x1
    x4 = ge x3 0
    x5 = lt x3 v3
    x6 = and x4 x5
    require index x6 x3 v3 @0:3:4
    x7 = select x6 x3 -1
    yield x7
  }
  v7: vec bool [s3] = scatter [s2] to [s3] write v4 \x0 x1 x2 { x3 = read v6 x1; yield x3 F }
  yield v7
}
";

/// `v <- {(i, x * x) : i in is; x in xs}`: the last lane's write must stay, so every unit runs what
/// is fused with it.  The first is; the second is not, because its squares are wanted in memory.
pub(crate) const LAST_WRITES: &str = r"fn f0 last(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1], v3: i64, v4: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v3]
  v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; x3 = mul x2 x2; yield x3 }
  v6: vec i64 [s2] = scatter [s1] to [s2] write v4 \x0 x1 {
    x2 = read v1 x0
    x3 = read v5 x0
    yield x2 x3
  }
  v7: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; x3 = add x2 1; yield x3 }
  v8: vec i64 [s2] = scatter [s1] to [s2] write v6 \x0 x1 {
    x2 = read v1 x0
    x3 = read v7 x0
    yield x2 x3
  }
  v9: i64 = reduce [s1] add \x0 x1 { x2 = read v7 x0; yield x2 }
  yield v7 v8 v9
}
";

/// `v <- {(i, v[i] + 1) : i in is}` for indices that are all different but unknown to be, then
/// `{v[i] : i in is}`: who reads the base runs before the write or after it, never with it.
pub(crate) const OWN_BASE: &str = r"fn f0 own(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = read v3 x2; x4 = add x3 1; yield x4 }
  v5: vec i64 [s2] = scatter [s1] to [s2] write v3 \x0 x1 {
    x2 = read v1 x0
    x3 = read v4 x0
    yield x2 x3
  }
  v6: vec bool [s2] = map [s2] \x0 x1 { yield F }
  v7: vec i64 [s2] = scatter [s2] to [s2] write v5 \x0 x1 { x2 = sub x0 1; yield x2 0 }
  v8: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v5 x0; x3 = mul x2 10; yield x3 }
  yield v6 v7 v8
}
";

/// `dist(F, n) <- {(i * i, T) : i in is}`, the base after the positions: it is made before them.
pub(crate) const LATE_BASE: &str = r"fn f0 late(v0: i64, v1: vec i64 [s1], v2: i64) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 x2; yield x3 }
  v4: vec bool [s2] = map [s2] \x0 x1 { yield F }
  v5: vec bool [s2] = scatter [s1] to [s2] write v4 \x0 x1 { x2 = read v3 x0; yield x2 T }
  yield v5
}
";

/// `v <- {(i, exp(x)) : i in is; x in xs}`: exponentials are fast in a loop without guarded stores.
pub(crate) const HEAVY_VALUES: &str = r"fn f0 heavy(v0: i64, v1: vec i64 [s1], v2: vec f64 [s1], v3: i64, v4: vec f64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v3]
  v5: vec f64 [s1] = map [s1] \x0 x1 { x2: f64 = read v2 x0; x3 = exp x2; yield x3 }
  v6: vec f64 [s2] = scatter [s1] to [s2] write v4 \x0 x1 {
    x2 = read v1 x0
    x3: f64 = read v5 x0
    yield x2 x3
  }
  yield v6
}
";

/// A function over lanes that calls itself while some are left.
pub(crate) const HALVE: &str = r"fn f0 halve(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v2: bool = map [s0] \{ x0 = gt v0 0; yield x0 }
  v3: i64, v10: vec i64 pool = if v2 {
    v4: vec i64 [s2], v5: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
    s2 = [s0 > v5] from s1 at v4
    v6: vec i64 [s2] = map [s2] \x0 x1 {
      x2 = read v4 x0
      x3 = read v1 x2
      x4 = div x3 2 @1:2:3
      yield x4
    }
    v7: i64, v11: vec i64 pool = call f0(v5, v6) @1:0:9
    v8: i64 = map [s0] \{ x0 = add v7 1; yield x0 }
    yield v8 v11
  } else {
    v9: vec i64 pool = literal i64 (7)
    yield 0 v9
  }
  yield v3 v10
}
";

/// A message where a lane has one, and a check by the host.
pub(crate) const FAILS: &str = r#"fn f0 fails(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  map [s0] \{ x0 = lt v0 5; require length x0 v0 5 @0:7:8 }
  v2: vec i64 [s2], v3: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v3] from s1 at v2
  v4: vec char pool = literal char "big"
  fail [s2] v4 \x0 x1 { yield 1 2 } @0:4:5
  v5: i64 = map [s0] \{
    x0 = loop x1 = 0 {
      x2 = add x1 1
      x3 = lt x2 v0
      yield x3 x2 x2
    }
    yield x0
  }
  yield v5
}
"#;
