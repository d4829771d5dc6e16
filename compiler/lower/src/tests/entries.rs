//! Entries: parameters, inputs, results.

use super::{session, without_spans};
use crate::{Entry, Free, Part};
use expect_test::{Expect, expect};
use types::Type;
use types::tree::{DefinitionKind, PatternKind};

/// How the function `f`, at these types, is to be called.
#[track_caller]
fn check(source: &str, types: Vec<Type>, expect: &Expect) {
    let session = session(source);
    let global = session.checker.lookup("go").expect("a definition of go");
    let text = match session.lower(&Entry::Function(global, types)) {
        Ok(lowered) => {
            let entry = &lowered.entries[0];
            let program = &session.checker.program;
            let params: Vec<String> = entry
                .params
                .iter()
                .map(|(name, ty)| format!("{name}: {}", types::show_type(program, ty)))
                .collect();
            let inputs: Vec<&str> =
                entry.inputs.iter().map(|g| program.globals[*g].name.as_str()).collect();
            format!(
                "({}) inputs {inputs:?} key {} -> {}\n{}",
                params.join(", "),
                entry.key,
                types::show_type(program, &entry.result),
                without_spans(&lowered.program.to_string())
            )
        }
        Err(diagnostics) => session.short(&diagnostics),
    };
    expect.assert_eq(&text);
}

fn int() -> Type {
    Type::Base(prim::Ty::I64)
}

#[test]
fn named_parameters() {
    check(
        "function go(a, (b, c), d) = a + b * c + sum(d); 0;",
        vec![int()],
        &expect![[r#"
        (a: int, _1: int, int, d: [int]) inputs [] key false -> int
        entries f0

        fn f0 go(v0: i64, v1: (i64, i64), v2: [i64]) -> i64 {
          v3 = field v1 0
          v4 = field v1 1
          v5 = mul v3 v4
          v6 = add v0 v5
          v7 = reduce add v2
          v8 = add v6 v7
          yield v8
        }

    "#]],
    );
    check(
        "function go(x) = #x; 0;",
        vec![int()],
        &expect![[r#"
        (x: [int]) inputs [] key false -> int
        entries f0

        fn f0 go(v0: [i64]) -> i64 {
          v1 = length v0
          yield v1
        }

    "#]],
    );
}

#[test]
fn a_recursive_entry_is_called() {
    check(
        "function go(n) = if n < 2 then 1 else n * go(n - 1); 0;",
        vec![],
        &expect![[r#"
        (n: int) inputs [] key false -> int
        entries f0

        fn f0 go(v0: i64) -> i64 {
          v1: i64 = call f1(v0)
          yield v1
        }

        fn f1 go(v0: i64) -> i64 {
          v1 = 2
          v2 = lt v0 v1
          v8 = if v2 {
            v3 = 1
            yield v3
          } else {
            v4 = 1
            v5 = sub v0 v4
            v6: i64 = call f1(v5)
            v7 = mul v0 v6
            yield v7
          }
          yield v8
        }

    "#]],
    );
}

#[test]
fn top_level_values_are_parameters() {
    check(
        "k = 3; (s, n) = ([1.0], 2); function h(x) = x + k + n;
         function go(x) = h(x) * rand(k); 0;",
        vec![],
        &expect![[r#"
            (x: int) inputs ["k", "n"] key true -> int
            entries f0

            fn f0 go(v0: i64, v1: i64, v2: i64, v3: i64) -> i64 {
              v4: i64 = call f1(v0, v1, v2)
              v5 = 0
              v6 = gt v1 v5
              v7 = 0
              v8 = 0
              v9 = require domain v6 v1 v8
              v10 = 0
              v11 = 0
              v12 = mix v3 v11
              v13 = 30064771079
              v14 = mix v12 v13
              v15 = 352187318286
              v16 = mix v14 v15
              v17 = F
              v18 = 0
              v19 = mulhigh v16 v1
              v20 = lt v19 v1
              v22 = if v20 { yield v19 } else { v21 = 0 yield v21 }
              v23 = mul v4 v22
              yield v23
            }

            fn f1 h(v0: i64, v1: i64, v2: i64) -> i64 {
              v3 = add v0 v1
              v4 = add v3 v2
              yield v4
            }

        "#]],
    );
}

#[test]
fn functions_do_not_cross_the_border() {
    check(
        "function go(g) = g(1); 0;",
        vec![int()],
        &expect![[r#"
        test:1:1: limit: `go` takes a function
    "#]],
    );
    check(
        "function go(x) = y => x; 0;",
        vec![int(), int()],
        &expect![[r#"
        test:1:1: limit: the result contains a function
    "#]],
    );
}

/// The body of a function as a part: its free names are parameters, a known function is none.
#[test]
fn parts() {
    let session = session(
        "function twice(x) = x + x; k = 5;
         function go(g, v) : (int -> int, [int]) -> [int] = {g(x) + k + rand(x) : x in v}; 0;",
    );
    let program = &session.checker.program;
    let [go, twice] =
        ["go", "twice"].map(|name| session.checker.lookup(name).expect("it is there"));
    let DefinitionKind::Function(function) = &program.globals[go].kind else {
        unreachable!("a function")
    };
    let PatternKind::Pair(g, v) = &function.param.kind else { unreachable!("two parameters") };
    let [g, v] = [g, v].map(|pattern| match pattern.kind {
        PatternKind::Local(local) => local,
        _ => unreachable!("a name"),
    });
    let ints = Type::Seq(int().into());
    let part = Part {
        exp: &function.body,
        locals: &function.locals,
        types: Vec::new(),
        origin: function.body.span.start,
        free: vec![(g, Free::Function(twice, vec![int()])), (v, Free::Value(ints))],
    };
    let lowered = session.lower(&Entry::Part(part)).expect("it can be compiled");
    let entry = &lowered.entries[0];
    let params: Vec<&str> = entry.params.iter().map(|(name, _)| name.as_str()).collect();
    let inputs: Vec<&str> =
        entry.inputs.iter().map(|g| program.globals[*g].name.as_str()).collect();
    assert_eq!((params, inputs, entry.key), (vec!["v"], vec!["k"], true));
    assert_eq!(lowered.program.funcs[entry.func].params.len(), 3);
}
