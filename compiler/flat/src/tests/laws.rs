//! Laws of the algebra: for each rewrite a program, what the passes make of it, and that both mean
//! the same on generated data.

use crate::ir::{Domain, Function, SpaceKind};
use crate::passes::{self, ALL};
use crate::{Data, Evaluator, Failure, Operand, Program, Value, print_with_errors};
use base::Id;
use expect_test::{Expect, expect};
use prim::{Const, Ty};
use rustc_hash::FxHashMap;

/// How often each law is tried.
const TRIES: u64 = 200;

/// Runs passes on a program, which then is as expected and means the same.
#[track_caller]
fn law(text: &str, passes: &[&str], expected: &Expect) {
    let program = program(text);
    let mut made = program.clone();
    for name in passes {
        let found = ALL.iter().find(|(known, _)| known == name);
        let (_, pass) = found.unwrap_or_else(|| panic!("there is no pass {name}"));
        made.funcs.iter_mut().for_each(|(_, function)| pass(function));
        crate::verify(&made).unwrap_or_else(|e| panic!("{name}: {}", print_with_errors(&made, &e)));
    }
    expected.assert_eq(&made.to_string());
    means_the_same(&program, &made);
}

fn program(text: &str) -> Program {
    let program = crate::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    crate::verify(&program).unwrap_or_else(|e| panic!("{}", print_with_errors(&program, &e)));
    program
}

fn means_the_same(program: &Program, made: &Program) {
    for seed in 0..TRIES {
        let args = Generator::new(seed).arguments(&program.funcs[Id::new(0)]);
        let run = |program: &Program| {
            Evaluator::new(program).call(Id::new(0), args.clone()).map_err(|f| said(&f))
        };
        assert_eq!(run(made), run(program), "seed {seed}: {args:?}");
    }
}

/// What of a failure is told, apart from the lane, which may have another number.
fn said(failure: &Failure) -> String {
    let fault = &failure.fault;
    format!("{} {:?}{} {:?}", fault.site.name(), fault.args, fault.span, failure.message)
}

/// Makes arguments that fit the parameters of a function: short vectors of small numbers, so that
/// every way through a program is taken.
struct Generator {
    state: u64,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d }
    }
    /// A number from `low` to before `high`.
    fn draw(&mut self, low: i64, high: i64) -> i64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        low + ((self.state >> 33) % (high - low).unsigned_abs()) as i64
    }
    fn element(&mut self, ty: Ty) -> Const {
        match ty {
            Ty::I64 => Const::I64(self.draw(-3, 8)),
            // Sums of these are exact in any order.
            Ty::F64 => Const::F64(self.draw(-8, 20) as f64 / 4.0),
            Ty::Bool => Const::Bool(self.draw(0, 2) == 1),
            Ty::Char => Const::Char(self.draw(97, 101) as u8),
        }
    }

    fn arguments(&mut self, function: &Function) -> Vec<Data> {
        let lengths: Vec<Value> = function
            .spaces
            .iter()
            .filter_map(|(_, info)| match info.kind {
                SpaceKind::Regular(_, Operand::Value(v)) => Some(v),
                _ => None,
            })
            .collect();
        let mut known: FxHashMap<Value, Data> = FxHashMap::default();
        for &param in &function.params {
            let info = function.values[param];
            let data = match info.domain {
                Domain::Scalar if lengths.contains(&param) => {
                    Data::Scalar(Const::I64(self.draw(0, 7)))
                }
                Domain::Scalar => Data::Scalar(self.element(info.ty)),
                Domain::Lanes(space) => {
                    let count = lanes(function, space, &known);
                    Data::vector((0..count).map(|_| self.element(info.ty)))
                }
                Domain::Offsets(space) => {
                    let mut at = 0;
                    let count = lanes(function, space, &known);
                    let ends = (0..count).map(|_| {
                        at += self.draw(0, 4);
                        at
                    });
                    Data::ints([0].into_iter().chain(ends))
                }
                Domain::Pool => unreachable!("{param}: how long is a pool?"),
            };
            known.insert(param, data);
        }
        function.params.iter().map(|param| known[param].clone()).collect()
    }
}

/// How many lanes a space of parameters has.
fn lanes(function: &Function, space: crate::Space, known: &FxHashMap<Value, Data>) -> i64 {
    let int = |c: Const| if let Const::I64(n) = c { n } else { unreachable!("an int") };
    match function.spaces[space].kind {
        SpaceKind::Root => 1,
        SpaceKind::Regular(parent, length) => {
            let each = match length {
                Operand::Const(c) => int(c),
                Operand::Value(v) => int(known[&v].scalar()),
            };
            lanes(function, parent, known) * each.max(0)
        }
        SpaceKind::Packed(_, offsets) => {
            known[&offsets].elements().last().map_or(0, |&end| int(end))
        }
    }
}

/// What stands after flattening is simplified like this.
const TIDY: [&str; 3] = ["pull_maps", "simplify_code", "remove_dead_statements"];

fn dissolve() -> Vec<&'static str> {
    [&["dissolve_filters"], TIDY.as_slice()].concat()
}

/// `sum (filter p (map f a)) = sum (map (\x -> if p x then f x else 0) a)`.
#[test]
fn a_sum_of_a_filter_is_a_guarded_sum() {
    law(
        r"fn f0 guarded(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = mul x3 x3
    yield x4
  }
  v5: i64 = reduce [s2] add \x0 x1 { x2 = read v4 x0; yield x2 }
  yield v5
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 guarded(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v5: i64 = reduce [s1] add \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 2
                x4 = mul x2 x2
                x5 = select x3 x4 0
                yield x5
              }
              yield v5
            }

        "#]],
    );
}

/// `length (filter p a) = sum (map (\x -> if p x then 1 else 0) a)`, also beside other uses.
#[test]
fn a_count_of_a_filter_needs_no_filter() {
    law(
        r"fn f0 mean(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: i64 = reduce [s2] max \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
  yield v4 v2
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 mean(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v2: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; x4 = btoi x3; yield x4 }
              v4: i64 = reduce [s1] max \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 2
                x4 = select x3 x2 -9223372036854775808
                yield x4
              }
              yield v4 v2
            }

        "#]],
    );
}

/// `filter q (filter p a) = filter (\x -> p x and q x) a`; `q` is not asked where `p` is not met.
#[test]
fn a_filter_of_a_filter_is_a_filter() {
    law(
        r"fn f0 twice(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 0; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; x4 = mul x3 2; yield x4 }
  v6: vec i64 [s3], v5: i64 = filter [s2] \x0 x1 {
    x2 = read v4 x0
    x3 = div 12 x2 @0:3:7
    x4 = lt x3 5
    yield x4
  }
  s3 = [s0 > v5] from s2 at v6
  v7: vec i64 [s3] = map [s3] \x0 x1 {
    x2 = read v6 x0
    x3 = read v4 x2
    x4 = read v3 x2
    x5 = add x3 x4
    yield x5
  }
  yield v5 v7
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 twice(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v6: vec i64 [s3], v5: i64 = filter [s1] \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 0
                x7 = if x3 {
                  x4 = mul x2 2
                  x5 = div 12 x4 @0:3:7
                  x6 = lt x5 5
                  yield x6
                } else {
                  yield F
                }
                yield x7
              }
              s3 = [s0 > v5] from s1 at v6
              v7: vec i64 [s3] = map [s3] \x0 x1 {
                x2 = read v6 x0
                x3 = read v1 x2
                x4 = mul x3 2
                x5 = add x4 x2
                yield x5
              }
              yield v5 v7
            }

        "#]],
    );
}

/// What costs more to compute than to read is written for the kept lanes alone.
#[test]
fn a_costly_map_that_is_read_later_stays() {
    let text = r"fn f0 costly(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 0; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = isqrt x3 @0:3:7
    yield x4
  }
  v6: vec i64 [s3], v5: i64 = filter [s2] \x0 x1 { x2 = read v4 x0; x3 = lt x2 5; yield x3 }
  s3 = [s0 > v5] from s2 at v6
  v7: vec i64 [s3] = map [s3] \x0 x1 { x2 = read v6 x0; x3 = read v4 x2; yield x3 }
  yield v5 v7
}

";
    let mut program = program(text);
    passes::dissolve_filters(&mut program.funcs[Id::new(0)]);
    assert_eq!(program.to_string(), text);
}

/// The same in each of several segments.
#[test]
fn filters_of_segments_are_guards_in_them() {
    law(
        r"fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s3], v3: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x1
    x4 = gt x3 x2
    yield x4
  }
  s3 = [s1 > offsets v3] from s2 at v4
  v5: vec i64 [s1] = reduce [s3] min \x0 x1 x2 { x3 = read v4 x1; x4 = read v2 x3; yield x4 }
  yield v5
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 rows(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              s3 = [s1 > 0]
              v5: vec i64 [s1] = reduce [s2] min \x0 x1 x2 {
                x3 = read v2 x1
                x4 = gt x3 x2
                x5 = select x4 x3 9223372036854775807
                yield x5
              }
              yield v5
            }

        "#]],
    );
}

/// `head (filter p a)` is the element at the least position that meets `p`.
#[test]
fn the_first_of_a_filter_is_searched() {
    law(
        r"fn f0 first(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: i64 = map [s0] \{
    x0 = lt 0 v2
    require index x0 0 v2 @0:3:7
    x1 = read v3 0
    x2 = read v1 x1
    yield x2
  }
  yield v4
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 first(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              s2 = [s0 > 0]
              v2: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; x4 = btoi x3; yield x4 }
              v6: i64 = reduce [s1] min \x0 x1 {
                x2 = read v1 x0
                x3 = gt x2 2
                x4 = select x3 x0 9223372036854775807
                yield x4
              }
              v4: i64 = map [s0] \{
                x0 = lt 0 v2
                require index x0 0 v2 @0:3:7
                x1 = ne v6 9223372036854775807
                x2 = select x1 v6 0
                x3 = read v1 x2
                yield x3
              }
              yield v4
            }

        "#]],
    );
}

/// Kept lanes that are wanted in memory are kept, and so are those with a number of their own.
#[test]
fn filters_that_somebody_needs_stay() {
    let filter = r"  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
";
    for rest in [
        // What is kept is given.
        r"  v4: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
  v5: i64 = reduce [s2] add \x0 x1 { x2 = read v4 x0; yield x2 }
  yield v5 v4
",
        // The number of a lane among those kept counts.
        r"  v4: i64 = reduce [s2] add \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = mul x3 x0
    yield x4
  }
  yield v4
",
        // Another kept lane is looked at.
        r"  v4: i64 = reduce [s2] add \x0 x1 {
    x2 = sub x0 1
    x3 = max x2 0
    x4 = read v3 x3
    x5 = read v1 x4
    yield x5
  }
  yield v4
",
        // Two may fail: which is told?
        r"  v4: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = div 12 x3 @0:3:7
    yield x4
  }
  v5: i64 = reduce [s2] add \x0 x1 {
    x2 = read v4 x0
    x3 = read v1 x0
    x4 = div x2 x3 @0:3:8
    yield x4
  }
  yield v5
",
        // Three passes over what is kept, which may be little.
        r"  v4: i64 = reduce [s2] max \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
  v5: i64 = reduce [s2] max \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = sub v4 x3
    yield x4
  }
  v6: i64 = reduce [s2] max \x0 x1 {
    x2 = read v3 x0
    x3 = read v1 x2
    x4 = sub v5 x3
    yield x4
  }
  yield v6
",
    ] {
        let text = format!("fn f0 stays(v0: i64, v1: vec i64 [s1]) {{\n{filter}{rest}}}\n\n");
        let mut program = program(&text);
        let before = program.to_string();
        passes::dissolve_filters(&mut program.funcs[Id::new(0)]);
        assert_eq!(program.to_string(), before);
    }
}

/// `plus_scan` of `n` times `c` is `[0, c, 2 c, ...]`, also in segments.
#[test]
fn prefixes_of_a_constant_are_a_range() {
    law(
        r"fn f0 ranges(v0: i64, v1: i64, v2: vec i64 offsets s1) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v2]
  v3: vec i64 [s1], v4: vec i64 [s1] = scan [s1] add max \x0 x1 { yield 3 v1 }
  v5: vec i64 [s2], v6: vec bool [s2] = scan [s2] add and \x0 x1 x2 { yield v1 F }
  yield v3 v4 v5 v6
}

",
        &["scan_constants", "simplify_code"],
        &expect![[r#"
            fn f0 ranges(v0: i64, v1: i64, v2: vec i64 offsets s1) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v2]
              v3: vec i64 [s1], v4: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = mul x1 3
                x3 = gt x1 0
                x4 = select x3 v1 -9223372036854775808
                yield x2 x4
              }
              v5: vec i64 [s2], v6: vec bool [s2] = map [s2] \x0 x1 x2 {
                x3 = mul x2 v1
                x4 = gt x2 0
                x5 = select x4 F T
                yield x3 x5
              }
              yield v3 v4 v5 v6
            }

        "#]],
    );
}

/// `sum` of `n` times `c` is `n c`; the least of them is `c`, if there is one.
#[test]
fn a_sum_of_a_constant_is_a_product() {
    law(
        r"fn f0 products(v0: i64, v1: i64, v2: vec i64 offsets s1) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v2]
  s3 = [s1 > v1]
  v3: i64, v4: i64 = reduce [s1] add min \x0 x1 { yield 3 v1 }
  v5: vec i64 [s1] = reduce [s2] add \x0 x1 x2 { yield v1 }
  v6: vec i64 [s1], v7: vec bool [s1] = reduce [s3] max or \x0 x1 x2 { yield 7 T }
  yield v3 v4 v5 v6 v7
}

",
        &["scan_constants", "simplify_code"],
        &expect![[r#"
            fn f0 products(v0: i64, v1: i64, v2: vec i64 offsets s1) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v2]
              s3 = [s1 > v1]
              v3: i64, v4: i64 = map [s0] \{
                x0 = max v0 0
                x1 = mul x0 3
                x2 = gt x0 0
                x3 = select x2 v1 9223372036854775807
                yield x1 x3
              }
              v5: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = add x0 1
                x3 = read v2 x0
                x4 = read v2 x2
                x5 = sub x4 x3
                x6 = mul x5 v1
                yield x6
              }
              v6: vec i64 [s1], v7: vec bool [s1] = map [s1] \x0 x1 {
                x2 = max v1 0
                x3 = gt x2 0
                x4 = select x3 7 -9223372036854775808
                yield x4 x3
              }
              yield v3 v4 v5 v6 v7
            }

        "#]],
    );
}

/// Sums of floats are rounded at each step, and a product of ints is no multiple.
#[test]
fn other_sums_of_constants_stay() {
    let text = r"fn f0 rounded(v0: i64, v1: f64) {
  s1 = [s0 > v0]
  v2: f64 = reduce [s1] add \x0 x1 { yield v1:f64 }
  v3: i64 = reduce [s1] mul \x0 x1 { yield 3 }
  yield v2 v3
}

";
    let mut program = program(text);
    passes::scan_constants(&mut program.funcs[Id::new(0)]);
    assert_eq!(program.to_string(), text);
}

/// What is the same in all lanes is computed once, if it cannot fail.
#[test]
fn what_is_dear_and_the_same_is_computed_once() {
    law(
        r"fn f0 scaled(v0: i64, v1: f64, v2: i64, v3: vec f64 [s1]) {
  s1 = [s0 > v0]
  v4: vec f64 [s1] = map [s1] \x0 x1 {
    x2 = mul v1:f64 v1:f64
    x3 = sqrt x2
    x4: f64 = read v3 x0
    x5 = div x4 x3
    x6 = div 12 v2 @0:3:7
    x7 = div x6 4 @0:3:8
    x8 = tofloat x7
    x9 = add x5 x8
    yield x9
  }
  yield v4
}

",
        &["hoist_invariants"],
        &expect![[r#"
            fn f0 scaled(v0: i64, v1: f64, v2: i64, v3: vec f64 [s1]) {
              s1 = [s0 > v0]
              v5: f64 = map [s0] \{ x0 = mul v1:f64 v1:f64; x1 = sqrt x0; yield x1 }
              v4: vec f64 [s1] = map [s1] \x0 x1 {
                x2: f64 = read v3 x0
                x3 = div x2 v5:f64
                x4 = div 12 v2 @0:3:7
                x5 = div x4 4 @0:3:8
                x6 = tofloat x5
                x7 = add x3 x6
                yield x7
              }
              yield v4
            }

        "#]],
    );
}

/// Parts of sequences that are computed where they are read: elements of what was distributed,
/// counted, joined, reversed, rotated, zipped.
#[test]
fn elements_are_computed_where_they_are_read() {
    law(
        r"fn f0 elements(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s0 > v2]
  v4: i64 = map [s0] \{ x0 = add v0 v2; yield x0 }
  s3 = [s0 > v4]
  v5: vec i64 [s1] = map [s1] \x0 x1 { yield v2 }
  v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = mul x1 3; x3 = add x2 v2; yield x3 }
  v7: vec i64 [s1] = map [s1] \x0 x1 { x2 = sub v0 1; x3 = sub x2 x1; x4 = read v1 x3; yield x4 }
  v8: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v5 x0
    x3 = read v6 x0
    x4 = read v7 x0
    x5 = add x2 x3
    x6 = add x5 x4
    yield x6
  }
  v9: vec i64 [s3] = map [s3] \x0 x1 {
    x2 = lt x0 v0
    x5 = if x2 {
      x3 = read v8 x0
      yield x3
    } else {
      x4 = sub x0 v0
      x6 = read v3 x4
      yield x6
    }
    yield x5
  }
  v10: i64 = reduce [s3] add \x0 x1 { x2 = read v9 x0; yield x2 }
  yield v10
}

",
        &TIDY,
        &expect![[r#"
            fn f0 elements(v0: i64, v1: vec i64 [s1], v2: i64, v3: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s0 > v2]
              v4: i64 = map [s0] \{ x0 = add v0 v2; yield x0 }
              s3 = [s0 > v4]
              v10: i64 = reduce [s3] add \x0 x1 {
                x2 = lt x0 v0
                x12 = if x2 {
                  x3 = mul x0 3
                  x4 = add x3 v2
                  x5 = sub v0 1
                  x6 = sub x5 x0
                  x7 = read v1 x6
                  x8 = add v2 x4
                  x9 = add x8 x7
                  yield x9
                } else {
                  x10 = sub x0 v0
                  x11 = read v3 x10
                  yield x11
                }
                yield x12
              }
              yield v10
            }

        "#]],
    );
}

/// How many of each segment are kept is a sum in each; offsets would be one over all.
#[test]
fn counts_of_filtered_segments_need_no_offsets() {
    law(
        r"fn f0 counts(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  v4: vec i64 [s3], v3: vec i64 offsets s1 = filter [s2] \x0 x1 x2 {
    x3 = read v2 x1
    x4 = gt x3 1
    yield x4
  }
  s3 = [s1 > offsets v3] from s2 at v4
  v5: vec i64 [s1] = reduce [s3] add \x0 x1 x2 { x3 = read v4 x1; x4 = read v2 x3; yield x4 }
  v6: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v3 x0
    x3 = add x0 1
    x4 = read v3 x3
    x5 = sub x4 x2
    x6 = read v5 x0
    x7 = mul x5 x6
    yield x7
  }
  yield v6
}

",
        &dissolve(),
        &expect![[r#"
            fn f0 counts(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              s3 = [s1 > 0]
              v8: vec i64 [s1] = reduce [s2] add \x0 x1 x2 {
                x3 = read v2 x1
                x4 = gt x3 1
                x5 = btoi x4
                yield x5
              }
              v5: vec i64 [s1] = reduce [s2] add \x0 x1 x2 {
                x3 = read v2 x1
                x4 = gt x3 1
                x5 = select x4 x3 0
                yield x5
              }
              v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v8 x0; x3 = read v5 x0; x4 = mul x2 x3; yield x4 }
              yield v6
            }

        "#]],
    );
}

/// The length of a segment is what its offsets were made of; an element of sequences put together
/// is computed from its row and index.  Nobody needs the offsets then.
#[test]
fn segments_are_known_by_their_rows() {
    law(
        r"fn f0 chosen(v0: i64, v1: vec i64 [s1], v2: vec bool [s1]) {
  s1 = [s0 > v0]
  v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 2; yield x3 }
  s2 = [s1 > offsets v4]
  v5: vec i64 [s2] = map [s2] \x0 x1 x2 {
    x3 = read v1 x0
    x4 = mul x3 10
    x5 = add x4 x2
    yield x5
  }
  v6: vec i64 offsets s1 = offsets [s1] \x0 x1 {
    x2: bool = read v2 x0
    x3 = read v4 x0
    x4 = add x0 1
    x5 = read v4 x4
    x6 = sub x5 x3
    x7 = select x2 x6 0
    yield x7
  }
  s3 = [s1 > offsets v6]
  v7: vec i64 [s3] = map [s3] \x0 x1 x2 {
    x3 = read v4 x0
    x4 = add x3 x2
    x5 = read v5 x4
    yield x5
  }
  yield v6 v7
}

",
        &TIDY,
        &expect![[r#"
            fn f0 chosen(v0: i64, v1: vec i64 [s1], v2: vec bool [s1]) {
              s1 = [s0 > v0]
              v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; x3 = mul x2 2; yield x3 }
              s2 = [s1 > offsets v4]
              v6: vec i64 offsets s1 = offsets [s1] \x0 x1 {
                x2: bool = read v2 x0
                x3 = read v1 x0
                x4 = mul x3 2
                x5 = max x4 0
                x6 = select x2 x5 0
                yield x6
              }
              s3 = [s1 > offsets v6]
              v7: vec i64 [s3] = map [s3] \x0 x1 x2 {
                x3 = read v1 x0
                x4 = mul x3 10
                x5 = add x4 x2
                yield x5
              }
              yield v6 v7
            }

        "#]],
    );
}

/// What an arm puts together last needs no condition, and is then copied once.
#[test]
fn what_an_arm_puts_together_is_lifted() {
    law(
        r"fn f0 doubled(v0: i64, v1: vec i64 [s1]) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
  s2 = [s0 > v2] from s1 at v3
  v4: bool = map [s0] \{ x0 = gt v2 0; yield x0 }
  v9: vec i64 [s2], v10: vec i64 pool = if v4 {
    v5: vec i64 [s2] = rank [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
    v6: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v5 x0; x3 = rem x2 3; yield x3 }
    v7: vec i64 offsets s2 = offsets [s2] \x0 x1 { x2 = read v6 x0; yield x2 }
    s3 = [s2 > offsets v7]
    v8: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v5 x0; x4 = add x3 x2; yield x4 }
    v13: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v7 x0; yield x2 }
    yield v13 v8
  } else {
    v11: vec i64 pool = literal i64 ()
    v12: vec i64 pool = literal i64 ()
    yield v11 v12
  }
  v14: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v9 x0
    x3 = lt 0 x2
    x4 = if x3 {
      x5 = sub x2 1
      x6 = read v10 x5
      yield x6
    } else {
      yield 7
    }
    yield x4
  }
  yield v2 v14
}

",
        &["lift_tails", "remove_dead_statements"],
        &expect![[r#"
            fn f0 doubled(v0: i64, v1: vec i64 [s1]) {
              s1 = [s0 > v0]
              v3: vec i64 [s2], v2: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 2; yield x3 }
              s2 = [s0 > v2] from s1 at v3
              v4: bool = map [s0] \{ x0 = gt v2 0; yield x0 }
              v15: vec i64 [s2] = if v4 {
                v5: vec i64 [s2] = rank [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; yield x3 }
                yield v5
              } else {
                v16: vec i64 pool = literal i64 ()
                yield v16
              }
              v6: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v15 x0; x3 = rem x2 3; yield x3 }
              v7: vec i64 offsets s2 = offsets [s2] \x0 x1 { x2 = read v6 x0; yield x2 }
              s3 = [s2 > offsets v7]
              v8: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v15 x0; x4 = add x3 x2; yield x4 }
              v13: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v7 x0; yield x2 }
              v14: vec i64 [s2] = map [s2] \x0 x1 {
                x2 = read v13 x0
                x3 = lt 0 x2
                x4 = if x3 {
                  x5 = sub x2 1
                  x6 = read v8 x5
                  yield x6
                } else {
                  yield 7
                }
                yield x4
              }
              yield v2 v14
            }

        "#]],
    );
}
