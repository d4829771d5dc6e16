//! Passes: a program, and what they make of it.

use super::{int, ints, parse, run};
use crate::passes::{keep_segments, lift_out_of_arms, remove_dead_statements, sink_into_arms};
use crate::print_with_errors;
use base::Id;
use expect_test::{Expect, expect};

/// A write of all multiples of each element of `v2`, one sequence after the other, to `v3` flags.
fn multiples(reader: &str, yields: &str) -> String {
    format!(
        r"fn f0 multiples(v0: i64, v1: i64, v2: vec i64 [s1], v3: vec bool [s4]) {{
  s1 = [s0 > v0]
  s4 = [s0 > v1]
  v4: vec i64 offsets s1 = offsets [s1] \x0 x1 {{ x2 = read v2 x0; x3 = div v1 x2; yield x3 }}
  s2 = [s1 > offsets v4]
  v5: vec i64 [s2] = map [s2] \x0 x1 x2 {{ x3 = read v2 x0; x4 = mul x3 x2; yield x4 }}
  v6: i64, v7: i64 = map [s0] \{{ x0 = read v4 0; x1 = read v4 v0; x2 = sub x1 x0; yield x0 x2 }}
  s3 = [s0 > v7]
  v8: vec i64 [s3] = map [s3] \x0 x1 {{
    x2 = add v6 x1
    x3 = read v5 x2
    x4 = lt x3 v1
    require index x4 x3 v1 @0:5:6
    x5 = select x4 x3 -1
    yield x5
  }}
  v9: vec bool [s4] = scatter [s3] to [s4] write v3 \x0 x1 {{ x2 = read v8 x0; yield x2 F }}
{reader}  yield {yields}
}}

"
    )
}

fn check(text: &str, expected: &Expect) {
    let mut program = parse(text);
    let function = &mut program.funcs[Id::new(0)];
    keep_segments(function);
    remove_dead_statements(function);
    crate::verify(&program).unwrap_or_else(|e| panic!("{}", print_with_errors(&program, &e)));
    let made = program.to_string();
    expected.assert_eq(&made);
    let args = |n| [int(3), int(n), ints(&[2, 3, 4]), flags(n)];
    for n in [12, 13] {
        let value = |text| run(text, &args(n)).split(';').next().map(str::to_owned);
        assert_eq!(value(&made), value(text));
    }
}

fn flags(n: i64) -> crate::Data {
    crate::Data::vector((0..n).map(|_| prim::Const::Bool(true)))
}

#[test]
fn a_write_of_all_elements_runs_in_the_segments() {
    check(
        &multiples("", "v9"),
        &expect![[r#"
        fn f0 multiples(v0: i64, v1: i64, v2: vec i64 [s1], v3: vec bool [s4]) {
          s1 = [s0 > v0]
          s4 = [s0 > v1]
          v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; x3 = div v1 x2; yield x3 }
          s2 = [s1 > offsets v4]
          v5: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v2 x0; x4 = mul x3 x2; yield x4 }
          v8: vec i64 [s2] = map [s2] \x0 x1 x2 {
            x3 = read v5 x1
            x4 = lt x3 v1
            require index x4 x3 v1 @0:5:6
            x5 = select x4 x3 -1
            yield x5
          }
          v9: vec bool [s4] = scatter [s2] to [s4] write v3 \x0 x1 x2 { x3 = read v8 x1; yield x3 F }
          s3 = [s0 > v7]
          yield v9
        }

    "#]],
    );
}

/// What a sum reads would have to be in memory.
#[test]
fn what_others_read_stays() {
    let sum = "  v10: i64 = reduce [s3] add \\x0 x1 { x2 = read v8 x0; yield x2 }\n";
    check(
        &multiples(sum, "v9 v10"),
        &expect![[r#"
        fn f0 multiples(v0: i64, v1: i64, v2: vec i64 [s1], v3: vec bool [s4]) {
          s1 = [s0 > v0]
          s4 = [s0 > v1]
          v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; x3 = div v1 x2; yield x3 }
          s2 = [s1 > offsets v4]
          v5: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v2 x0; x4 = mul x3 x2; yield x4 }
          v7: i64 = map [s0] \{ x0 = read v4 v0; yield x0 }
          s3 = [s0 > v7]
          v8: vec i64 [s3] = map [s3] \x0 x1 {
            x2 = read v5 x1
            x3 = lt x2 v1
            require index x3 x2 v1 @0:5:6
            x4 = select x3 x2 -1
            yield x4
          }
          v9: vec bool [s4] = scatter [s3] to [s4] write v3 \x0 x1 { x2 = read v8 x0; yield x2 F }
          v10: i64 = reduce [s3] add \x0 x1 { x2 = read v8 x0; yield x2 }
          yield v9 v10
        }

    "#]],
    );
}

/// A parameter's offsets may start anywhere.
#[test]
fn offsets_from_outside_say_nothing() {
    let text = r"fn f0 given(v0: i64, v1: i64, v2: vec i64 offsets s1, v3: vec bool [s4]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v2]
  s4 = [s0 > v1]
  v4: vec i64 [s2] = map [s2] \x0 x1 x2 { yield x2 }
  v5: i64, v6: i64 = map [s0] \{ x0 = read v2 0; x1 = read v2 v0; x2 = sub x1 x0; yield x0 x2 }
  s3 = [s0 > v6]
  v7: vec bool [s4] = scatter [s3] to [s4] write v3 \x0 x1 {
    x2 = add v5 x0
    x3 = read v4 x2
    yield x3 F
  }
  yield v7
}

";
    let mut program = parse(text);
    keep_segments(&mut program.funcs[Id::new(0)]);
    assert_eq!(program.to_string(), text);
}

#[test]
fn what_one_arm_needs_sinks_into_it() {
    let mut program = parse(
        r"fn f0 arms(v0: i64, v1: vec i64 [s1], v2: bool) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = add x2 1; yield x3 }
  v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v3 x0; x3 = mul x2 x2; yield x3 }
  v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = sub x2 1; yield x3 }
  v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = div 1 x2 @0:1:2; yield x3 }
  v7: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
  s2 = [s0 > v7]
  v8: i64, v9: vec i64 pool = if v2 {
    yield 1 v4
  } else {
    v10: i64 = map [s0] \{ x0 = add v7 1; yield x0 }
    v11: i64 = if v2 {
      yield v10
    } else {
      v12: i64 = map [s0] \{ x0 = read v6 0; yield x0 }
      yield v12
    }
    yield v11 v5
  }
  yield v8 v9 v5
}

",
    );
    sink_into_arms(&mut program.funcs[Id::new(0)]);
    crate::verify(&program).unwrap_or_else(|e| panic!("{}", print_with_errors(&program, &e)));
    expect![[r#"
            fn f0 arms(v0: i64, v1: vec i64 [s1], v2: bool) {
              s1 = [s0 > v0]
              v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = sub x2 1; yield x3 }
              v6: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = div 1 x2 @0:1:2; yield x3 }
              v7: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
              s2 = [s0 > v7]
              v8: i64, v9: vec i64 pool = if v2 {
                v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x0; x3 = add x2 1; yield x3 }
                v4: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v3 x0; x3 = mul x2 x2; yield x3 }
                yield 1 v4
              } else {
                v11: i64 = if v2 {
                  v10: i64 = map [s0] \{ x0 = add v7 1; yield x0 }
                  yield v10
                } else {
                  v12: i64 = map [s0] \{ x0 = read v6 0; yield x0 }
                  yield v12
                }
                yield v11 v5
              }
              yield v8 v9 v5
            }

        "#]]
    .assert_eq(&program.to_string());
}

#[test]
fn what_needs_only_its_lanes_comes_out_of_an_arm() {
    let text = r"fn f0 arms(v0: i64, v1: vec i64 [s1], v2: vec i64 pool) {
  s1 = [s0 > v0]
  v3: vec i64 [s2], v4: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
  s2 = [s0 > v4] from s1 at v3
  v5: bool = map [s0] \{ x0 = gt v4 0; yield x0 }
  v6: vec i64 [s2], v7: vec i64 pool, v8: i64 = if v5 {
    v9: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; x4 = div 9 x3; yield x4 }
    v10: vec i64 offsets s2 = offsets [s2] \x0 x1 { x2 = read v9 x0; yield x2 }
    s3 = [s2 > offsets v10]
    v11: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v9 x0; x4 = mul x3 x2; yield x4 }
    v12: i64 = reduce [s2] add \x0 x1 { x2 = read v9 x0; yield x2 }
    yield v9 v11 v12
  } else {
    v13: vec i64 pool = literal i64 ()
    v14: vec i64 pool = literal i64 ()
    yield v13 v14 0
  }
  yield v6 v7 v8
}

";
    let mut program = parse(text);
    let function = &mut program.funcs[Id::new(0)];
    lift_out_of_arms(function);
    remove_dead_statements(function);
    crate::verify(&program).unwrap_or_else(|e| panic!("{}", print_with_errors(&program, &e)));
    let made = program.to_string();
    expect![[r#"
        fn f0 arms(v0: i64, v1: vec i64 [s1], v2: vec i64 pool) {
          s1 = [s0 > v0]
          v3: vec i64 [s2], v4: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = gt x2 1; yield x3 }
          s2 = [s0 > v4] from s1 at v3
          v5: bool = map [s0] \{ x0 = gt v4 0; yield x0 }
          v9: vec i64 [s2] = map [s2] \x0 x1 { x2 = read v3 x0; x3 = read v1 x2; x4 = div 9 x3; yield x4 }
          v7: vec i64 pool, v8: i64 = if v5 {
            v10: vec i64 offsets s2 = offsets [s2] \x0 x1 { x2 = read v9 x0; yield x2 }
            s3 = [s2 > offsets v10]
            v11: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v9 x0; x4 = mul x3 x2; yield x4 }
            v12: i64 = reduce [s2] add \x0 x1 { x2 = read v9 x0; yield x2 }
            yield v11 v12
          } else {
            v14: vec i64 pool = literal i64 ()
            yield v14 0
          }
          yield v9 v7 v8
        }

    "#]].assert_eq(&made);
    for lens in [&[1, 2, 3, 0][..], &[1, 0], &[]] {
        let count = i64::try_from(lens.len()).unwrap_or_default();
        let args = [int(count), ints(lens), ints(&[])];
        let value = |text| run(text, &args).split(';').next().map(str::to_owned);
        assert_eq!(value(&made), value(text));
    }
}
