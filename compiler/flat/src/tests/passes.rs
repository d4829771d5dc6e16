//! Passes: a program, and what they make of it.

use super::{int, ints, parse, program, rewrite, run};
use crate::passes::{
    keep_segments, lift_out_of_arms, make_regular, remove_checks, remove_dead_statements,
    share_equal_statements, sink_into_arms,
};
use crate::{Function, Program, print_with_errors};
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
    rewrite(&mut program, &[keep_segments, remove_dead_statements]);
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
              s3 = [s0 > 0]
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
              yield v9
            }

        "#]],
    );
}

/// What a scan reads would have to be in memory.
#[test]
fn what_others_read_stays() {
    let sum = "  v10: vec i64 [s3] = scan [s3] add \\x0 x1 { x2 = read v8 x0; yield x2 }\n";
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
          v10: vec i64 [s3] = scan [s3] add \x0 x1 { x2 = read v8 x0; yield x2 }
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
    rewrite(&mut program, &[keep_segments]);
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
    rewrite(&mut program, &[sink_into_arms]);
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
    rewrite(&mut program, &[lift_out_of_arms, remove_dead_statements]);
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

/// A program before and after passes, which gives the same for all arguments.
fn after(passes: &[fn(&mut Function)], text: &str, runs: &[Vec<crate::Data>], expected: &Expect) {
    after_all(|program| rewrite(program, passes), text, runs, expected);
}

pub(super) fn after_all(
    run_pass: impl FnOnce(&mut Program),
    text: &str,
    runs: &[Vec<crate::Data>],
    expected: &Expect,
) {
    let mut program = program(text);
    let text = program.to_string();
    run_pass(&mut program);
    crate::verify(&program).unwrap_or_else(|e| panic!("{}", print_with_errors(&program, &e)));
    let made = program.to_string();
    expected.assert_eq(&made);
    for args in runs {
        let value = |text: &str| run(text, args).split(';').next().map(str::to_owned);
        assert_eq!(value(&made), value(&text));
        for program in [&made, &text] {
            let tested = crate::shapes::check::check(&parse(program), Id::new(0), args.clone());
            assert!(tested.wrong.is_empty(), "{}\n{program}", tested.wrong.join("\n"));
        }
    }
}

/// `{a[i] : i in [0:#a]}` and `a[#a / 2]`; the last index may be anything.
#[test]
fn indices_inside_are_not_checked() {
    after(
        &[remove_checks],
        r"fn f0 indices(v0: i64, v1: vec i64 [s1], v2: i64) {
  s1 = [s0 > v0]
  v3: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = ge x1 0
    x3 = lt x1 v0
    x4 = and x2 x3
    require index x4 x1 v0 @0:1:2
    x5 = select x4 x1 0
    x6 = read v1 x5
    yield x6
  }
  v4: bool = map [s0] \{ x0 = lt v0 2; yield x0 }
  v5: i64, v6: i64 = if v4 {
    yield 0 0
  } else {
    v7: i64 = map [s0] \{
      x0 = div v0 2 @0:3:4
      x1 = ge x0 0
      x2 = lt x0 v0
      x3 = and x1 x2
      require index x3 x0 v0 @0:3:4
      x4 = select x3 x0 0
      x5 = read v1 x4
      yield x5
    }
    v8: i64 = map [s0] \{
      x0 = ge v2 0
      x1 = lt v2 v0
      x2 = and x0 x1
      require index x2 v2 v0 @0:5:6
      x3 = select x2 v2 0
      x4 = read v1 x3
      yield x4
    }
    yield v7 v8
  }
  yield v3 v5 v6
}",
        &[
            vec![int(3), ints(&[5, 6, 7]), int(2)],
            vec![int(3), ints(&[5, 6, 7]), int(3)],
            vec![int(1), ints(&[5]), int(-3)],
            vec![int(0), ints(&[]), int(0)],
        ],
        &expect![[r#"
            fn f0 indices(v0: i64, v1: vec i64 [s1], v2: i64) {
              s1 = [s0 > v0]
              v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x1; yield x2 }
              v4: bool = map [s0] \{ x0 = lt v0 2; yield x0 }
              v5: i64, v6: i64 = if v4 {
                yield 0 0
              } else {
                v7: i64 = map [s0] \{ x0 = div v0 2 @0:3:4; x1 = read v1 x0; yield x1 }
                v8: i64 = map [s0] \{
                  x0 = ge v2 0
                  x1 = lt v2 v0
                  x2 = and x0 x1
                  require index x2 v2 v0 @0:5:6
                  x3 = select x2 v2 0
                  x4 = read v1 x3
                  yield x4
                }
                yield v7 v8
              }
              yield v3 v5 v6
            }

        "#]],
    );
}

/// A check tells nothing of guards after it, as these run even where it fails.
#[test]
fn lengths_of_one_source_are_equal() {
    after(
        &[remove_checks],
        r"fn f0 zip(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: i64, v4: vec i64 [s4]) {
  s1 = [s0 > v0]
  s2 = [s1 > offsets v1]
  s4 = [s0 > v3]
  v5: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = add x0 1
    x3 = read v1 x2
    x4 = read v1 x0
    x5 = sub x3 x4
    yield x5
  }
  v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v5 x0; yield x2 }
  s3 = [s1 > offsets v6]
  v7: vec i64 [s3] = map [s3] \x0 x1 x2 { yield x2 }
  v8: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = add x0 1
    x3 = read v1 x2
    x4 = read v1 x0
    x5 = sub x3 x4
    x6 = read v6 x2
    x7 = read v6 x0
    x8 = sub x6 x7
    x9 = eq x5 x8
    require length x9 x5 x8 @0:1:2
    x10 = min x5 x8
    yield x10
  }
  v9: i64 = map [s0] \{
    x0 = eq v0 v3
    require length x0 v0 v3 @0:3:4
    x1 = min v0 v3
    yield x1
  }
  v10: i64 = map [s0] \{
    x0 = eq v3 v0
    require length x0 v3 v0 @0:5:6
    x1 = min v3 v0
    yield x1
  }
  yield v7 v8 v9 v10
}",
        &[
            vec![int(2), ints(&[0, 1, 3]), ints(&[5, 6, 7]), int(2), ints(&[1, 2])],
            vec![int(2), ints(&[0, 1, 3]), ints(&[5, 6, 7]), int(1), ints(&[1])],
            vec![int(0), ints(&[0]), ints(&[]), int(0), ints(&[])],
        ],
        &expect![[r#"
            fn f0 zip(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s2], v3: i64, v4: vec i64 [s4]) {
              s1 = [s0 > v0]
              s2 = [s1 > offsets v1]
              s4 = [s0 > v3]
              v5: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = add x0 1
                x3 = read v1 x2
                x4 = read v1 x0
                x5 = sub x3 x4
                yield x5
              }
              v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v5 x0; yield x2 }
              s3 = [s1 > offsets v6]
              v7: vec i64 [s3] = map [s3] \x0 x1 x2 { yield x2 }
              v8: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = add x0 1
                x3 = read v1 x2
                x4 = read v1 x0
                x5 = sub x3 x4
                yield x5
              }
              v9: i64 = map [s0] \{ x0 = eq v0 v3; require length x0 v0 v3 @0:3:4; x1 = min v0 v3; yield x1 }
              v10: i64 = map [s0] \{ x0 = eq v3 v0; require length x0 v3 v0 @0:5:6; x1 = min v3 v0; yield x1 }
              yield v7 v8 v9 v10
            }

        "#]],
    );
}

/// The rows that are kept have two elements or more; but what runs with a filter runs for the
/// others, too, and needs its guards there.
#[test]
fn a_filter_is_no_guard() {
    after(
        &[remove_checks],
        r"fn f0 kept(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1], v3: vec i64 pool) {
  s1 = [s0 > v0]
  v4: vec i64 [s2], v5: i64 = filter [s1] \x0 x1 {
    x2 = read v2 x0
    x3 = lt x2 2
    x4 = not x3
    yield x4
  }
  s2 = [s0 > v5] from s1 at v4
  v6: vec i64 [s2] = map [s2] \x0 x1 {
    x2 = read v4 x0
    x3 = read v2 x2
    x4 = div x3 2 @0:3:4
    x5 = ge x4 0
    x6 = lt x4 x3
    x7 = and x5 x6
    require index x7 x4 x3 @0:3:4
    x8 = select x7 x4 0
    x9 = read v1 x2
    x10 = add x9 x8
    x11 = read v3 x10
    yield x11
  }
  v7: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = read v2 x0
    x3 = div x2 2 @0:3:4
    x4 = lt x3 x2
    require index x4 x3 x2 @0:3:4
    yield x3
  }
  yield v6 v7
}",
        &[
            vec![int(3), ints(&[0, 1, 1]), ints(&[1, 0, 3]), ints(&[5, 6, 7, 8])],
            vec![int(1), ints(&[0]), ints(&[3]), ints(&[5, 6, 7, 8])],
        ],
        &expect![[r#"
            fn f0 kept(v0: i64, v1: vec i64 [s1], v2: vec i64 [s1], v3: vec i64 pool) {
              s1 = [s0 > v0]
              v4: vec i64 [s2], v5: i64 = filter [s1] \x0 x1 {
                x2 = read v2 x0
                x3 = lt x2 2
                x4 = not x3
                yield x4
              }
              s2 = [s0 > v5] from s1 at v4
              v6: vec i64 [s2] = map [s2] \x0 x1 {
                x2 = read v4 x0
                x3 = read v2 x2
                x4 = div x3 2 @0:3:4
                x5 = ge x4 0
                x6 = lt x4 x3
                x7 = and x5 x6
                require index x7 x4 x3 @0:3:4
                x8 = select x7 x4 0
                x9 = read v1 x2
                x10 = add x9 x8
                x11 = read v3 x10
                yield x11
              }
              v7: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = read v2 x0
                x3 = div x2 2 @0:3:4
                x4 = lt x3 x2
                require index x4 x3 x2 @0:3:4
                yield x3
              }
              yield v6 v7
            }

        "#]],
    );
}

#[test]
fn equal_descriptors_are_one() {
    after(
        &[share_equal_statements, remove_dead_statements],
        r"fn f0 shared(v0: i64, v1: vec i64 [s1], v2: bool) {
  s1 = [s0 > v0]
  v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
  s2 = [s1 > offsets v3]
  v4: vec i64 [s2] = map [s2] \x0 x1 x2 { yield x2 }
  v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v1 x1; yield x2 }
  v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v5 x0; yield x2 }
  s3 = [s1 > offsets v6]
  v7: vec i64 [s3] = map [s3] \x0 x1 x2 { x3 = read v4 x1; x4 = add x3 1; yield x4 }
  v8: vec i64 [s4], v9: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = lt x2 2; yield x3 }
  s4 = [s0 > v9] from s1 at v8
  v10: vec i64 [s5], v11: i64 = filter [s1] \x0 x1 { x2 = read v5 x0; x3 = lt x2 2; yield x3 }
  s5 = [s0 > v11] from s1 at v10
  v12: vec i64 [s5] = map [s5] \x0 x1 { x2 = read v10 x0; x3 = read v1 x2; yield x3 }
  v13: vec i64 [s4] = map [s4] \x0 x1 { x2 = read v8 x0; x3 = mul x2 2; yield x3 }
  v14: i64 = if v2 {
    v15: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
    v16: i64 = reduce [s1] add \x0 x1 { x2 = read v5 x0; yield x2 }
    v17: i64 = map [s0] \{ x0 = add v15 v16; yield x0 }
    yield v17
  } else {
    v18: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
    yield v18
  }
  yield v7 v12 v13 v11 v14
}",
        &[
            vec![int(3), ints(&[2, 0, 1]), crate::Data::Scalar(prim::Const::Bool(true))],
            vec![int(3), ints(&[2, 0, 1]), crate::Data::Scalar(prim::Const::Bool(false))],
            vec![int(0), ints(&[]), crate::Data::Scalar(prim::Const::Bool(false))],
        ],
        &expect![[r#"
            fn f0 shared(v0: i64, v1: vec i64 [s1], v2: bool) {
              s1 = [s0 > v0]
              v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
              s2 = [s1 > offsets v3]
              s3 = [s1 > offsets v3]
              v4: vec i64 [s2] = map [s2] \x0 x1 x2 { yield x2 }
              v7: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v4 x1; x4 = add x3 1; yield x4 }
              v8: vec i64 [s4], v9: i64 = filter [s1] \x0 x1 { x2 = read v1 x0; x3 = lt x2 2; yield x3 }
              s4 = [s0 > v9] from s1 at v8
              s5 = [s0 > v9]
              v12: vec i64 [s4] = map [s4] \x0 x1 { x2 = read v8 x0; x3 = read v1 x2; yield x3 }
              v13: vec i64 [s4] = map [s4] \x0 x1 { x2 = read v8 x0; x3 = mul x2 2; yield x3 }
              v14: i64 = if v2 {
                v15: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
                v17: i64 = map [s0] \{ x0 = add v15 v15; yield x0 }
                yield v17
              } else {
                v18: i64 = reduce [s1] add \x0 x1 { x2 = read v1 x0; yield x2 }
                yield v18
              }
              yield v7 v12 v13 v9 v14
            }

        "#]],
    );
}

#[test]
fn segments_of_one_length_are_regular() {
    after(
        &[make_regular, remove_dead_statements],
        r"fn f0 regular(v0: i64, v1: vec i64 [s1], v2: i64) {
  s1 = [s0 > v0]
  v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield v0 }
  s2 = [s1 > offsets v3]
  v4: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x2; yield x3 }
  v5: vec i64 [s1] = map [s1] \x0 x1 { yield 3 }
  v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v5 x0; yield x2 }
  s3 = [s1 > offsets v6]
  v7: vec i64 [s1] = reduce [s3] add \x0 x1 x2 { x3 = add x1 x2; yield x3 }
  v8: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield v2 }
  s4 = [s1 > offsets v8]
  v9: vec i64 [s4] = map [s4] \x0 x1 x2 { yield x2 }
  v10: i64 = map [s0] \{ x0 = read v6 v0; yield x0 }
  yield v4 v7 v9 v10
}",
        &[
            vec![int(2), ints(&[8, 9]), int(2)],
            vec![int(2), ints(&[8, 9]), int(-1)],
            vec![int(0), ints(&[]), int(2)],
        ],
        &expect![[r#"
            fn f0 regular(v0: i64, v1: vec i64 [s1], v2: i64) {
              s1 = [s0 > v0]
              s2 = [s1 > v0]
              s3 = [s1 > 3]
              v4: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v1 x2; yield x3 }
              v5: vec i64 [s1] = map [s1] \x0 x1 { yield 3 }
              v6: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v5 x0; yield x2 }
              v7: vec i64 [s1] = reduce [s3] add \x0 x1 x2 { x3 = add x1 x2; yield x3 }
              v8: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield v2 }
              s4 = [s1 > offsets v8]
              v9: vec i64 [s4] = map [s4] \x0 x1 x2 { yield x2 }
              v10: i64 = map [s0] \{ x0 = read v6 v0; yield x0 }
              yield v4 v7 v9 v10
            }

        "#]],
    );
}

/// Ranges need not be in memory, so that the sum of two lengths may wrap: what is inside the first
/// is not inside both together.  What is inside both is.
#[test]
fn sums_of_lengths_are_not_exact() {
    after(
        &[remove_checks],
        r"fn f0 joined(v0: i64, v1: i64) {
  v2: i64, v3: i64 = map [s0] \{ x0 = max v0 0; x1 = max v1 0; yield x0 x1 }
  s1 = [s0 > v2]
  s2 = [s0 > v3]
  v4: vec i64 [s1] = map [s1] \x0 x1 {
    x2 = add v2 v3
    x3 = lt x1 x2
    require index x3 x1 x2 @0:1:2
    yield x1
  }
  v5: i64 = map [s0] \{
    x0 = gt v2 0
    x1 = add v2 v3
    x2 = if x0 {
      x3 = lt 0 x1
      require index x3 0 x1 @0:1:2
      yield 0
    } else {
      yield 1
    }
    yield x2
  }
  v6: i64 = map [s0] \{
    x0 = add v2 v3
    x1 = sub 140737488355328 v3
    x2 = le v2 x1
    require memory x2 x0 -1 @0:1:2
    yield x0
  }
  s3 = [s0 > v6]
  v7: i64 = reduce [s3] add \x0 x1 {
    x2 = add v2 v3
    x3 = lt x1 x2
    require index x3 x1 x2 @0:1:2
    yield 1
  }
  yield v4 v5 v7
}",
        &[vec![int(2), int(1)], vec![int(0), int(-3)]],
        &expect![[r#"
            fn f0 joined(v0: i64, v1: i64) {
              v2: i64, v3: i64 = map [s0] \{ x0 = max v0 0; x1 = max v1 0; yield x0 x1 }
              s1 = [s0 > v2]
              s2 = [s0 > v3]
              v4: vec i64 [s1] = map [s1] \x0 x1 {
                x2 = add v2 v3
                x3 = lt x1 x2
                require index x3 x1 x2 @0:1:2
                yield x1
              }
              v5: i64 = map [s0] \{
                x0 = gt v2 0
                x1 = add v2 v3
                x2 = if x0 {
                  x3 = lt 0 x1
                  require index x3 0 x1 @0:1:2
                  yield 0
                } else {
                  yield 1
                }
                yield x2
              }
              v6: i64 = map [s0] \{
                x0 = add v2 v3
                x1 = sub 140737488355328 v3
                x2 = le v2 x1
                require memory x2 x0 -1 @0:1:2
                yield x0
              }
              s3 = [s0 > v6]
              v7: i64 = reduce [s3] add \x0 x1 { yield 1 }
              yield v4 v5 v7
            }

        "#]],
    );
}
