//! Laws that hold because of how sequences are flattened: what is left of a program, by its
//! operations over lanes, and that it means the same on generated data.

use super::{after, agree};
use flat::{Block, Function, Op, ScatterKind};
use nest::{Datum, Type};
use prim::{Const, Ty};

/// How often each law is tried.
const TRIES: u64 = 200;

/// What is left of the first entry after all passes is `expected`: the names of its operations over
/// more than one lane, in order.  It means the same on generated data.
#[track_caller]
fn law(text: &str, expected: &str) {
    let nest = nest::read(text).unwrap_or_else(|e| panic!("{e}"));
    nest::verify(&nest).unwrap_or_else(|e| panic!("{}", nest::print_with_errors(&nest, &e)));
    let mut flat = flatten::flatten(&nest);
    for (name, pass) in flat::passes::ALL {
        after(name, &mut flat, |flat| flat::passes::run(name, pass, flat));
    }
    let left = operations(&flat.funcs[flat.entries[0]].body).join(" ");
    assert_eq!(left, expected, "{flat}");
    let function = &nest.funcs[nest.entries[0]];
    for seed in 0..TRIES {
        let mut random = Random(seed);
        let args: Vec<Datum> =
            function.params.iter().map(|&p| random.datum(&function.values[p].ty)).collect();
        agree("all passes", &nest, &flat, &args);
    }
}

fn operations(block: &Block) -> Vec<&'static str> {
    let name = |op: &Op| match op {
        op if op.space() == Some(Function::root()) => Vec::new(),
        Op::Map { .. } => vec!["map"],
        Op::Reduce { .. } => vec!["reduce"],
        Op::Scan { .. } => vec!["scan"],
        Op::Filter { .. } => vec!["filter"],
        Op::Offsets { .. } => vec!["offsets"],
        Op::Scatter { kind: ScatterKind::Permute, .. } => vec!["permute"],
        Op::Scatter { kind: ScatterKind::Place, .. } => vec!["place"],
        Op::Scatter { kind: ScatterKind::Write(_), .. } => vec!["write"],
        Op::Scatter { kind: ScatterKind::Into(_), .. } => vec!["into"],
        Op::Sort { kind, .. } => vec![kind.name()],
        Op::Literal(..) => vec!["literal"],
        Op::Join(_) => vec!["join"],
        Op::Behind { .. } => vec!["behind"],
        Op::Grow { .. } => vec!["grow"],
        Op::If(_, then, els) => [vec!["if"], operations(then), operations(els)].concat(),
        Op::Fail { .. } | Op::Call(..) => unreachable!("{op:?} is in no law"),
    };
    block.stmts.iter().flat_map(|stmt| name(&stmt.op)).collect()
}

/// Small data of any type.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number from `low` to before `high`.
    fn draw(&mut self, low: i64, high: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        low + ((mixed >> 33) % (high - low).unsigned_abs()) as i64
    }

    pub(super) fn datum(&mut self, ty: &Type) -> Datum {
        match ty {
            Type::Scalar(Ty::I64) => Datum::int(self.draw(-2, 6)),
            Type::Scalar(Ty::F64) => Datum::Scalar(Const::F64(self.draw(-8, 20) as f64 / 4.0)),
            Type::Scalar(Ty::Bool) => Datum::Scalar(Const::Bool(self.draw(0, 2) == 1)),
            Type::Scalar(Ty::Char) => Datum::Scalar(Const::Char(self.draw(97, 101) as u8)),
            Type::Tuple(parts) => Datum::Tuple(parts.iter().map(|ty| self.datum(ty)).collect()),
            Type::Seq(element) => {
                let length = self.draw(0, 6);
                Datum::seq((0..length).map(|_| self.datum(element)).collect::<Vec<_>>())
            }
        }
    }
}

/// `dist(x, n)[i] = x`, `[0:n][i] = i`; what remains are checks.
#[test]
fn an_element_of_what_is_made_is_made_alone() {
    law(
        "entries f0 fn f0 element(v0: i64, v1: [i64], v2: i64) -> (i64, i64) {
  v3 = length v1
  v4 = index v3
  v5 = each v6 in v4 { yield v0 }
  v7 = element v5 v2 @0:1:2
  v8 = element v4 v2 @0:3:4
  v9 = tuple (v7, v8)
  yield v9 }",
        "",
    );
}

/// `(a ++ b)[i] = if i < #a then a[i] else b[i - #a]`, `reverse(v)[i] = v[#v - 1 - i]`.
#[test]
fn an_element_of_what_is_put_together_is_read_where_it_was() {
    law(
        "entries f0 fn f0 element(v0: [i64], v1: [i64], v2: i64) -> (i64, i64) {
  v3 = append v0 v1
  v4 = element v3 v2 @0:1:2
  v5 = length v0
  v6 = index v5
  v7 = 1
  v8 = sub v5 v7
  v9 = each v10 in v6 { v11 = sub v8 v10; v12 = element v0 v11 @0:3:4; yield v12 }
  v13 = element v9 v2 @0:5:6
  v14 = tuple (v4, v13)
  yield v14 }",
        "",
    );
}

/// `{f(x) : x in a ++ b}` is one map, which reads `a` and `b` where they are.
#[test]
fn a_map_over_what_is_put_together_is_one_map() {
    law(
        "entries f0 fn f0 double(v0: [i64], v1: [i64]) -> [i64] {
  v2 = append v0 v1
  v3 = each v4 in v2 { v5 = add v4 v4; yield v5 }
  yield v3 }",
        "map",
    );
}

/// `sum(a ++ b)` is one pass over both.
#[test]
fn a_sum_over_what_is_put_together_is_one_pass() {
    law(
        "entries f0 fn f0 total(v0: [i64], v1: [i64]) -> i64 {
  v2 = append v0 v1
  v3 = reduce add v2
  yield v3 }",
        "reduce",
    );
}

/// `unzip(zip(a, b)) = (a, b)`.
#[test]
fn zipped_sequences_are_what_they_were() {
    law(
        "entries f0 fn f0 unzip(v0: [i64], v9: f64) -> ([i64], [f64]) {
  v10 = each v11 in v0 { yield v9 }
  v1 = each v2 in v0, v3 in v10 { v4 = tuple (v2, v3); yield v4 }
  v5 = each v6 in v1 { v7 = field v6 0; yield v7 }
  v12 = each v13 in v1 { v14 = field v13 1; yield v14 }
  v8 = tuple (v5, v12)
  yield v8 }",
        "map",
    );
}

/// The length of a sequence is known without it; what nobody needs of nested sequences is not made.
#[test]
fn lengths_need_no_sequences() {
    law(
        "entries f0 fn f0 lengths(v0: [[i64]], v1: i64) -> (i64, i64) {
  v2 = each v3 in v0 {
    v4 = each v5 in v3 { v6 = mul v5 v1; yield v6 }
    v7 = append v4 v3
    yield v7
  }
  v8 = length v2
  v9 = each v10 in v0 { v11 = length v10; yield v11 }
  v12 = length v9
  v13 = tuple (v8, v12)
  yield v13 }",
        // The sum of two lengths is checked, though no vector of that length exists.
        "map",
    );
}

/// `{#row : row in m}` comes from the descriptor of `m`, whatever the rows hold.
#[test]
fn lengths_of_rows_need_no_elements() {
    law(
        "entries f0 fn f0 lengths(v0: [[i64]], v1: i64) -> [i64] {
  v2 = each v3 in v0 { v4 = each v5 in v3 { v6 = mul v5 v1; yield v6 } yield v4 }
  v8 = each v9 in v2 { v10 = length v9; yield v10 }
  yield v8 }",
        "map",
    );
}

/// `flatten(partition(v, l)) = v`, and in each lane.
#[test]
fn pieces_one_after_the_other_are_the_whole() {
    law(
        "entries f0 fn f0 whole(v0: [i64]) -> [i64] {
  v1 = length v0
  v2 = 0
  v3 = seq (v1, v2)
  v4 = partition v0 v3
  v5 = flatten v4
  yield v5 }",
        "",
    );
    law(
        "entries f0 fn f0 wholes(v0: [[i64]]) -> [i64] {
  v1 = each v2 in v0 {
    v3 = length v2
    v4 = 0
    v5 = seq (v4, v3)
    v6 = partition v2 v5
    v7 = flatten v6
    v8 = reduce add v7
    yield v8
  }
  yield v1 }",
        "reduce",
    );
}

/// Pieces in another order, or other pieces of the same lengths, are no whole.
#[test]
fn other_pieces_are_no_whole() {
    law(
        "entries f0 fn f0 turned(v0: [i64]) -> [i64] {
  v1 = length v0
  v2 = 0
  v3 = seq (v1, v2)
  v4 = partition v0 v3
  v10 = each v11 in v0 { v12 = add v11 v1; yield v12 }
  v13 = partition v10 v3
  v14 = append v4 v13
  v5 = flatten v14
  yield v5 }",
        "scan map map",
    );
}

/// `partition(flatten(m), {#r : r in m})` moves no element: lengths are added up.
#[test]
fn a_whole_in_pieces_is_not_copied() {
    law(
        "entries f0 fn f0 again(v0: [[i64]], v8: i64) -> i64 {
  v1 = flatten v0
  v2 = each v3 in v0 { v4 = length v3; yield v4 }
  v5 = partition v1 v2
  v6 = element v5 v8 @0:1:2
  v7 = length v6
  yield v7 }",
        "scan",
    );
}

/// `{x in a | p(x)}[0]` searches.
#[test]
fn the_first_that_is_kept_is_searched() {
    law(
        "entries f0 fn f0 first(v0: [i64], v1: i64) -> i64 {
  v2 = each v3 in v0 where { v4 = lt v1 v3; yield v4 } do { yield v3 }
  v5 = 0
  v6 = element v2 v5 @0:1:2
  yield v6 }",
        "reduce reduce",
    );
}

/// `{y in {x in a | p(x)} | q(y)}` is one filter.
#[test]
fn a_filter_of_a_filter_is_one() {
    law(
        "entries f0 fn f0 between(v0: [i64], v1: i64, v2: i64) -> [i64] {
  v3 = each v4 in v0 where { v5 = lt v1 v4; yield v5 } do { yield v4 }
  v6 = each v7 in v3 where { v8 = lt v7 v2; yield v8 } do { yield v7 }
  yield v6 }",
        "filter map",
    );
}

/// A sum and a count of what is kept are two sums over all lanes.
#[test]
fn sums_of_what_is_kept_need_no_filter() {
    law(
        "entries f0 fn f0 mean(v0: [i64], v1: i64) -> (i64, i64) {
  v2 = each v3 in v0 where { v4 = lt v1 v3; yield v4 } do { yield v3 }
  v5 = reduce add v2
  v6 = length v2
  v7 = tuple (v5, v6)
  yield v7 }",
        "reduce reduce",
    );
}

/// `permute(v, rank(v)) = sort(v)`, and in each lane.
#[test]
fn a_permutation_by_the_own_ranks_is_a_sort() {
    law(
        "entries f0 fn f0 sorted(v0: [f64]) -> [f64] {
  v1 = rank v0
  v2 = permute v0 v1 @0:1:2
  yield v2 }",
        "sort",
    );
    law(
        "entries f0 fn f0 rows(v0: [[i64]]) -> [i64] {
  v1 = each v2 in v0 {
    v3 = rank v2
    v4 = permute v2 v3 @0:1:2
    v5 = reduce max v4
    yield v5
  }
  yield v1 }",
        "sort reduce",
    );
}

/// `permute(v, rank(k))` is not checked.
#[test]
fn a_permutation_by_ranks_is_not_checked() {
    law(
        "entries f0 fn f0 ordered(v0: [(i64, f64)]) -> [f64] {
  v1 = each v2 in v0 { v3 = field v2 0; yield v3 }
  v4 = each v5 in v0 { v6 = field v5 1; yield v6 }
  v7 = rank_down v1
  v8 = permute v4 v7 @0:1:2
  yield v8 }",
        "rank_down place",
    );
}
