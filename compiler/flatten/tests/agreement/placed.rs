//! Which results are made where they belong, and that they are the same.

use super::laws::Random;
use super::{after, agree};
use nest::Datum;

const TRIES: u64 = 60;

/// The parts of a sequence by conditions, what runs after the calls, and how parts are put
/// together.
struct Recursion<'a> {
    ty: &'a str,
    conditions: [&'a str; 3],
    after: &'a str,
    result: &'a str,
}

const SORT: Recursion<'_> = Recursion {
    ty: "i64",
    conditions: ["lt v11 v6", "eq v41 v6", "gt v21 v6"],
    after: "",
    result: "v60 = append v34 v40 v61 = append v60 v35",
};

impl Recursion<'_> {
    fn text(&self) -> String {
        let Recursion { ty, conditions: [less, equal, more], after, result } = self;
        format!(
            "entries f0
fn f0 sort(v0: [{ty}]) -> [{ty}] {{ v1: [{ty}] = call f1(v0) yield v1 }}
fn f1 sort(v0: [{ty}]) -> [{ty}] {{
  v1 = length v0
  v2 = 2
  v3 = lt v1 v2
  v70 = if v3 {{ yield v0 }} else {{
    v4 = 0
    v5 = 1
    v6 = element v0 v5 @0:1:2
    v7 = element v0 v4 @0:3:4
    v10 = each v11 in v0 where {{ v12 = {less} yield v12 }} do {{ yield v11 }}
    v20 = each v21 in v0 where {{ v22 = {more} yield v22 }} do {{ yield v21 }}
    v30 = seq (v10, v20)
    v33 = each v31 in v30 {{ v32: [{ty}] = call f1(v31) yield v32 }}
    v34 = element v33 v4
    v35 = element v33 v5
    v40 = each v41 in v0 where {{ v42 = {equal} yield v42 }} do {{ yield v41 }}
    {after}
    {result}
    yield v61
  }}
  yield v70
}}"
        )
    }

    /// Whether the function is given the place of its result.
    #[track_caller]
    fn is_placed(&self) -> bool {
        let text = self.text();
        let nest = nest::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        nest::verify(&nest).unwrap_or_else(|e| panic!("{}", nest::print_with_errors(&nest, &e)));
        let mut flat = flatten::flatten(&nest);
        after("flatten", &mut flat, |_| ());
        let placed = flat.to_string().contains(" to (into 0)");
        for (name, pass) in [("flatten", None)]
            .into_iter()
            .chain(flat::passes::ALL.map(|(name, pass)| (name, Some(pass))))
        {
            if let Some(pass) = pass {
                after(name, &mut flat, |flat| flat::passes::run(name, pass, flat));
            }
            let function = &nest.funcs[nest.entries[0]];
            for seed in 0..TRIES {
                let mut random = Random(seed);
                let ty = |p| &function.values[p].ty;
                let args: Vec<Datum> =
                    function.params.iter().map(|&p| random.datum(ty(p))).collect();
                agree(name, &nest, &flat, &args);
            }
        }
        placed
    }
}

#[test]
fn parts_of_all_outcomes() {
    assert!(SORT.is_placed());
    assert!(Recursion { ty: "char", ..SORT }.is_placed());
    // The other way round, and the operands of a comparison exchanged.
    let result = "v60 = append v35 v40 v61 = append v60 v34";
    let conditions = ["gt v6 v11", "eq v6 v41", "lt v6 v21"];
    assert!(Recursion { conditions, result, ..SORT }.is_placed());
}

#[test]
fn parts_that_are_not_all() {
    // One outcome twice, another never.
    let conditions = ["lt v11 v6", "lt v41 v6", "gt v21 v6"];
    assert!(!Recursion { conditions, ..SORT }.is_placed());
    // Compared with different values.
    let conditions = ["lt v11 v6", "eq v41 v6", "gt v21 v7"];
    assert!(!Recursion { conditions, ..SORT }.is_placed());
    // Where there is no order between some, they are in no part.
    assert!(!Recursion { ty: "f64", ..SORT }.is_placed());
}

/// What may fail after a call must not fail before it.
#[test]
fn what_fails_later() {
    let after = "v50 = element v40 v4 @0:5:6";
    assert!(!Recursion { after, ..SORT }.is_placed());
}

/// A part that is needed elsewhere, too, is made for itself.
#[test]
fn parts_that_are_used_twice() {
    let result = "v60 = append v34 v40 v62 = append v60 v35 v63 = length v34 \
                  v64 = index v63 v61 = each v65 in v62 { v66 = add v65 v63 yield v66 }";
    assert!(!Recursion { result, ..SORT }.is_placed());
}
