//! Tests of scalar code, written in its text form.

use crate::*;
use base::{Id, IdMap, define_id};
use expect_test::{Expect, expect};
use prim::{Const, ScalarOp, Ty, Widths};

define_id!(Value, "v", "A value outside the code.");

/// `v0..v9` are float vectors, `v10..v19` int vectors, `v20..` int scalars.
struct World {
    functions: IdMap<Func, Function>,
}

impl World {
    fn new(functions: &str) -> World {
        let mut reader = base::text::Reader::new(functions).unwrap();
        let mut map = IdMap::new();
        while !reader.at_end() {
            let (id, function) = read_function(&mut reader).unwrap();
            assert_eq!(map.push(function), id);
        }
        World { functions: map }
    }
}

impl Scope<Value> for World {
    fn widths(&self) -> Widths {
        Widths::WIDE
    }
    fn outer(&self, name: Value) -> Option<Ty> {
        (name.index() >= 20).then_some(Ty::I64)
    }
    fn vector(&self, name: Value) -> Option<Ty> {
        match name.index() {
            0..10 => Some(Ty::F64),
            10..20 => Some(Ty::I64),
            _ => None,
        }
    }
    fn function(&self, func: Func) -> Option<&Function> {
        self.functions.get(func)
    }
}

impl Env<Value> for World {
    fn widths(&self) -> Widths {
        Widths::WIDE
    }
    fn outer(&self, name: Value) -> Const {
        Const::I64(name.index() as i64)
    }
    fn element(&self, vector: Value, index: i64) -> Option<Const> {
        let inside = (0..100).contains(&index);
        let float = vector.index() < 10;
        inside.then_some(if float { Const::F64(index as f64 / 2.0) } else { Const::I64(2 * index) })
    }
    fn function(&self, func: Func) -> &Function {
        &self.functions[func]
    }
}

const FIB: &str = "fn h0 fib(x0) -> i64 {
  x1 = lt x0 2
  x2 = if x1 {
    yield x0
  } else {
    x3 = sub x0 1
    x4 = call h0(x3) @0:3:9
    x5 = sub x0 2
    x6 = call h0(x5) @0:13:19
    x7 = add x4 x6
    yield x7
  }
  yield x2
}
";

/// The number of elements of a sorted vector that are below x1.
const SEARCH: &str = "fn h0 search(p0: vec f64, x0, x1: f64) -> i64 {
  x2 = loop x3 = 0, x4 = x0 {
    x5 = add x3 x4
    x6 = div x5 2
    x7: f64 = read p0 x6
    x8 = lt x7 x1
    x9 = add x6 1
    x10 = select x8 x9 x3
    x11 = select x8 x4 x6
    x12 = lt x10 x11
    yield x12 x10 x11 x10
  }
  yield x2
}
";

fn parse(text: &str) -> Code<Value> {
    let code = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(code.to_string(), text, "reading and printing gives the text back");
    assert_eq!(read::<Value>(&code.to_string()).unwrap(), code);
    code
}

fn run(functions: &str, text: &str, args: &[Const]) -> String {
    let world = World::new(functions);
    let code = parse(text);
    verify(&code, &world).unwrap_or_else(|e| panic!("{}", print_with_errors(&code, &e)));
    match eval(&code, args, &world) {
        Ok(values) => base::print::join(values, " "),
        Err(fault) => format!("{fault:?}"),
    }
}

fn changed(text: &str, change: impl FnOnce(&Code<Value>) -> Code<Value>, expect: &Expect) {
    let code = change(&parse(text));
    let world = World::new("");
    verify(&code, &world).unwrap_or_else(|e| panic!("{}", print_with_errors(&code, &e)));
    assert_eq!(read::<Value>(&code.to_string()).unwrap(), code);
    expect.assert_eq(&code.to_string());
}

#[test]
fn functions_print_as_read() {
    for text in [FIB, SEARCH] {
        let mut reader = base::text::Reader::new(text).unwrap();
        let (id, function) = read_function(&mut reader).unwrap();
        let mut printer = base::Printer::new();
        print_function(&mut printer, id, &function);
        assert_eq!(printer.text(), text);
    }
}

#[test]
fn straight_line() {
    let text = "\\x0 x1: f64 { x2: f64 = read v1 x0; x3 = mul x2 x1; yield x3 v20 nan }\n";
    assert_eq!(run("", text, &[Const::I64(3), Const::F64(4.0)]), "6.0 20 nan");
}

#[test]
fn types_that_do_not_follow_are_written() {
    let code =
        parse("\\x0: bool { x1: bool = read v0 x0; x2: f64 = add x1 3; yield x2 v3:char }\n");
    assert_eq!(code.vars.values().copied().collect::<Vec<_>>(), [Ty::Bool, Ty::Bool, Ty::F64]);
}

#[test]
fn recursion_and_loops() {
    assert_eq!(run(FIB, "\\{ x0 = call h0(15); yield x0 }\n", &[]), "610");
    let text = "\\x0: f64 { x1 = call h0(100, x0; v3); yield x1 }\n";
    assert_eq!(run(SEARCH, text, &[Const::F64(10.2)]), "21");
    assert_eq!(run(SEARCH, text, &[Const::F64(1e9)]), "100");
}

#[test]
fn runaway_recursion_is_reported() {
    let forever = "fn h0 forever(x0) -> i64 { x1 = call h0(x0) @1:2:3 yield x1 }";
    let fault = run(forever, "\\{ x0 = call h0(0); yield x0 }\n", &[]);
    expect!["Fault { site: Memory, span: Span { file: file1, start: 2, end: 3 }, args: [0, 0] }"]
        .assert_eq(&fault);
}

#[test]
fn faults() {
    let text = "\\x0 { x1 = div 7 x0 @0:4:9; yield x1 }\n";
    assert_eq!(run("", text, &[Const::I64(2)]), "3");
    expect!["Fault { site: Divide, span: Span { file: file0, start: 4, end: 9 }, args: [7, 0] }"]
        .assert_eq(&run("", text, &[Const::I64(0)]));
    let text = "\\x0 { x1 = lt x0 v20; require index x1 x0 v20 @0:1:5; yield x0 }\n";
    assert_eq!(run("", text, &[Const::I64(19)]), "19");
    expect!["Fault { site: Index, span: Span { file: file0, start: 1, end: 5 }, args: [20, 20] }"]
        .assert_eq(&run("", text, &[Const::I64(20)]));
}

#[test]
#[should_panic(expected = "bug: x1 reads element 100 outside v1")]
fn reads_are_inside() {
    run("", "\\x0 { x1: f64 = read v1 x0; yield x1 }\n", &[Const::I64(100)]);
}

#[test]
fn errors_stand_under_their_lines() {
    let text = "\\x0 {
  x1 = add x0 T
  x1 = read v0 x0
  x2: f64 = read v20 x9
  x3, x4 = if x0 {
    x5 = neg x0
    yield x5
  } else {
    yield x5 1.0
  }
  x6 = loop x7 = 0.5, x8 = 1 {
    yield x7 x8
  }
  require index x0 v20:f64 v1
  x9 = call h0(1, 2; v0)
  x10 = call h7()
  yield x5
}
";
    let code = parse(text);
    let errors = verify(&code, &World::new(SEARCH)).unwrap_err();
    expect![[r#"
        \x0 {
          x1 = add x0 T
          -- error: x1: add is not defined on (i64, bool)
          x1 = read v0 x0
          -- error: x1: the elements of v0 are f64, not i64
          -- error: x1: is defined twice
          x2: f64 = read v20 x9
          -- error: x2: x9 is not defined here
          -- error: x2: v20 is no vector here
          x3, x4 = if x0 {
          -- error: if: condition: expected (bool), found (i64)
            x5 = neg x0
            yield x5
            -- error: yield: expected (i64, i64), found (i64)
          } else {
            yield x5 1.0
            -- error: yield: x5 is not defined here
            -- error: yield: expected (i64, i64), found (i64, f64)
          }
          x6 = loop x7 = 0.5, x8 = 1 {
            yield x7 x8
            -- error: yield: expected (bool, f64, i64, i64), found (f64, i64)
          }
          require index x0 v20:f64 v1
          -- error: require: v20 has type i64, not f64
          -- error: require: v1 is no scalar here
          -- error: require: operands: expected (bool, i64, i64), found (i64, f64, i64)
          x9 = call h0(1, 2; v0)
          -- error: h0: arguments: expected (i64, f64), found (i64, i64)
          x10 = call h7()
          -- error: h7: there is no such function
          yield x5
          -- error: yield: x5 is not defined here
        }
    "#]]
    .assert_eq(&print_with_errors(&code, &errors));
}

#[test]
fn errors_of_functions() {
    let world = World::new("fn h0 f(p0: vec f64, x0) -> bool { x1: f64 = read p1 x0 yield x1 }");
    let mut errors = Vec::new();
    verify_function(Func::new(0), Widths::WIDE, &world.functions, &mut 0, &mut errors);
    let text: Vec<String> = errors.iter().map(|e| format!("{} {e}", e.item)).collect();
    expect![[r#"
        1 x1: p1 is no vector here
        0 h0: yields (f64), but its results are (bool)"#]]
    .assert_eq(&text.join("\n"));
}

#[test]
fn what_cannot_be_read() {
    let message = |text: &str| read::<Value>(text).unwrap_err().to_string();
    expect!["line 1: expected an id such as v0, found `}`"]
        .assert_eq(&message("\\x0 { x1 = add x0 }"));
    expect!["line 2: expected an operation, found `plus`"]
        .assert_eq(&message("\\x0 {\n x1 = plus x0"));
    expect!["line 1: the statement has 1 results"]
        .assert_eq(&message("\\ { x1 = require index T 1 2 }"));
    expect!["line 1: x99999999 is above x1048576"].assert_eq(&message("\\x99999999 { }"));
    let deep = format!("\\x0 {{ {}", "if T { ".repeat(100_000));
    expect!["line 1: blocks are nested more than 200 deep"].assert_eq(&message(&deep));
}

#[test]
fn references() {
    let refs = parse(
        "\\x0 { x1: f64 = read v3 v21; x2: f64 = read v1 x0; x3 = add v22 v21; yield x3 x1 x2 }\n",
    )
    .refs();
    assert_eq!(base::print::join(refs.vectors, " "), "v3 v1");
    assert_eq!(base::print::join(refs.outers, " "), "v21 v22");
}

#[test]
fn names_are_replaced() {
    changed(
        "\\x0 { x1: f64 = read v3 v21; x2: f64 = read v1 x0; yield x1 x2 }\n",
        |code| code.map_refs(|v| Value::new(v.index() + 1)),
        &expect![[r#"
            \x0 { x1: f64 = read v4 v22; x2: f64 = read v2 x0; yield x1 x2 }
        "#]],
    );
}

#[test]
fn inlining_into_a_builder() {
    let square = parse("\\x0: f64 { x1 = mul x0 x0; yield x1 }\n");
    let mut builder = Builder::new();
    let index = Atom::Var(builder.param(Ty::I64));
    let element = builder.read(Ty::F64, Value::new(0), index);
    let once = builder.inline(&square, &[element]);
    let twice = builder.inline(&square, &once);
    let code = builder.finish(twice);
    expect![[r#"
        \x0 { x1: f64 = read v0 x0; x2 = mul x1 x1; x3 = mul x2 x2; yield x3 }
    "#]]
    .assert_eq(&code.to_string());
}

#[test]
fn producers_are_pulled_in() {
    // v0[i] is sqrt(float(i)); v1 stays.
    let supply = |builder: &mut Builder<Value>, vector: Value, index: Atom<Value>| {
        (vector == Value::new(0)).then(|| {
            let float = builder.scalar(ScalarOp::ToFloat, &[index], Span::none());
            builder.scalar(ScalarOp::Sqrt, &[float], Span::none())
        })
    };
    changed(
        "\\x0 {
  x1: f64 = read v0 x0
  x2: f64 = read v1 x0
  x3 = lt x1 x2
  x4 = if x3 {
    x5 = add x0 1
    x6: f64 = read v0 x5
    yield x6
  } else {
    yield x2
  }
  yield x4
}
",
        |code| code.replace_reads(supply),
        &expect![[r#"
            \x0 {
              x1 = tofloat x0
              x2 = sqrt x1
              x3: f64 = read v1 x0
              x4 = lt x2 x3
              x8 = if x4 {
                x5 = add x0 1
                x6 = tofloat x5
                x7 = sqrt x6
                yield x7
              } else {
                yield x3
              }
              yield x8
            }
        "#]],
    );
}

#[test]
fn known_outer_scalars_are_constants() {
    changed(
        "\\x0 { x1 = add v20 x0; x2 = add v21 x1; x3 = mul v20 v20; yield x2 v20 x3 }\n",
        |code| code.replace_outers(|v| (v == Value::new(20)).then_some(Const::I64(0))),
        &expect![[r#"
            \x0 { x1 = add v21 x0; yield x1 0 0 }
        "#]],
    );
}

#[test]
fn dead_code() {
    changed(
        "\\x0 {
  x1 = mul x0 2
  x2 = div x0 3
  x3 = div 3 x0 @0:1:2
  x4, x5, x6 = loop x7 = 0, x8 = 1, x9 = x1 {
    x10 = add x7 1
    x11 = mul x8 x7
    x12 = add x9 x9
    x13 = lt x10 x0
    yield x13 x10 x11 x12 x10 x11 x12
  }
  x14 = lt x4 x6
  yield x5
}
",
        Code::remove_dead_code,
        &expect![[r#"
            \x0 {
              x1 = div 3 x0 @0:1:2
              x7 = loop x2 = 0, x3 = 1 {
                x4 = add x2 1
                x5 = mul x3 x2
                x6 = lt x4 x0
                yield x6 x4 x5 x5
              }
              yield x7
            }
        "#]],
    );
}

#[test]
fn yields_are_chosen() {
    changed(
        "\\x0 { x1 = mul x0 2; x2 = neg x0; x3 = add x2 1; yield x1 x2 x3 }\n",
        |code| code.keep_yields(&[2, 1]),
        &expect![[r#"
            \x0 { x1 = neg x0; x2 = add x1 1; yield x2 x1 }
        "#]],
    );
}

#[test]
fn simplification() {
    changed(
        "\\x0 x1: bool {
  x2 = add x0 1
  x3 = mul 2 3
  x4 = if x1 {
    x5 = add x0 1
    x6 = sub x0 x3
    x7 = add x5 x6
    yield x7
  } else {
    x8 = sub x0 x3
    yield x8
  }
  x9 = if x1 {
    yield x2
  } else {
    yield x4
  }
  x10 = lt 2 x3
  x11 = if x10 {
    x12 = mul x9 x9
    yield x12
  } else {
    yield 0
  }
  require index x10 x0 x0
  x13, x14 = loop x15 = 0, x16 = x3 {
    x17 = add x15 x16
    x18 = lt x17 x0
    yield x18 x17 x16 x17 x16
  }
  yield x11 x13 x14
}
",
        Code::simplify,
        &expect![[r#"
            \x0 x1: bool {
              x2 = add x0 1
              x6 = if x1 {
                x3 = sub x0 6
                x4 = add x2 x3
                yield x4
              } else {
                x5 = sub x0 6
                yield x5
              }
              x7 = select x1 x2 x6
              x8 = mul x7 x7
              x12 = loop x9 = 0 {
                x10 = add x9 6
                x11 = lt x10 x0
                yield x11 x10 x10
              }
              yield x8 x12 6
            }
        "#]],
    );
}

/// A place that is chosen, and what an arm of the same condition gave, are computed in the arm.
#[test]
fn what_is_the_same_need_not_be_compared() {
    changed(
        "\\x0 x1: f64 {
  x2 = eq x0 x0
  require length x2 x0 x0
  x3 = sub x0 x0
  x4 = max x0 x0
  x5 = lt x4 x0
  x6 = eq x1 x1
  yield x3 x4 x5 x6
}
",
        Code::simplify,
        &expect![[r#"
            \x0 x1: f64 { x2 = eq x1 x1; yield 0 x0 F x2 }
        "#]],
    );
}

#[test]
fn arms_know_their_condition() {
    let text = "\\x0 x1: bool {
  x2 = not x1
  x3 = btoi x2
  x4 = eq x3 1
  x5 = if x4 {
    yield 0
  } else {
    x6 = read v11 x0
    yield x6
  }
  x7 = select x2 8 x5
  x8 = add x7 x0
  x9 = lt x3 1
  x10 = if x9 {
    x11 = read v12 x8
    yield x11
  } else {
    x12 = read v13 x8
    x13 = neg x12
    yield x13
  }
  yield x10
}
";
    let special = |code: &Code<Value>| code.simplify().specialise_arms().simplify();
    changed(
        text,
        special,
        &expect![[r#"
        \x0 x1: bool {
          x8 = if x1 {
            x2 = read v11 x0
            x3 = add x2 x0
            x4 = read v12 x3
            yield x4
          } else {
            x5 = add 8 x0
            x6 = read v13 x5
            x7 = neg x6
            yield x7
          }
          yield x8
        }
    "#]],
    );
    let made = special(&parse(text)).to_string();
    for (place, flag) in [(0, true), (1, true), (0, false), (2, false)] {
        let args = [Const::I64(place), Const::Bool(flag)];
        assert_eq!(run("", &made, &args), run("", text, &args));
    }
}

#[test]
fn checks_are_left_out_where_they_end_nothing() {
    changed(
        "\\x0 x1: bool {
  x2 = lt x0 1
  require index x2 x0 1
  x3 = if x1 {
    x4 = lt x0 2
    require index x4 x0 2
    yield 3
  } else {
    yield x0
  }
  yield x3
}
",
        Code::without_checks,
        &expect![[r#"
            \x0 x1: bool { x2 = select x1 3 x0; yield x2 }
        "#]],
    );
    changed(
        "\\x0 {
  x1 = ge x0 0
  require domain x1 x0 x0
  x2 = loop x3 = x0 {
    x4 = sub x3 1
    x5 = eq x4 0
    x6 = not x5
    yield x6 x4 x4
  }
  yield x2
}
",
        Code::without_checks,
        &expect![[r#"
            \x0 {
              x1 = ge x0 0
              require domain x1 x0 x0
              x2 = loop x3 = x0 {
                x4 = sub x3 1
                x5 = eq x4 0
                x6 = not x5
                yield x6 x4 x4
              }
              yield x2
            }
        "#]],
    );
    changed(
        "\\x0 { x1 = ge x0 1; require domain x1 x0 1; x2 = div 2 x0; yield x2 }\n",
        Code::without_checks,
        &expect![[r#"
            \x0 { x1 = ge x0 1; require domain x1 x0 1; x2 = div 2 x0; yield x2 }
        "#]],
    );
}
