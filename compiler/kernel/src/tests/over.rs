//! Outputs over inputs: which pairs are right, and what the evaluator sees of the others.

use super::check;
use crate::{Argument, Evaluator, Failure, read, verify};
use prim::Const;
use std::cell::RefCell;
use std::rc::Rc;

#[test]
fn an_output_may_be_over_an_input() {
    check(
        "\
kernel k0 map(a0: in i64, a1: in i64, a2: i64, a3: out i64 over a1, a4: out i64 over a0) tiles of 64 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a0 x3
    x5 = read a1 x3
    x6 = add x4 x5
    store a3 x3 x6
    store a4 x3 x6
  }
}

kernel k1 scan(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0 {
    x5 = read a0 x3
    x6 = add x4 x5
    next x6 add
  } gives x7
  chain x8 = add x7
  for x9 in x1 .. x2 carry x10 = x8 {
    x11 = read a0 x9
    store a2 x9 x10
    x12 = add x10 x11
    next x12
  } gives x13
}

kernel k2 rows(a0: in i64, a1: i64, a2: in i64, a3: out i64 over a0) tiles of 64 over a1 by a2 of a1 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = add x3 1
    x5 = read a2 x3
    x6 = read a2 x4
    for x7 in x5 .. x6 simd carry x8 = 0 {
      x9 = read a0 x7
      x10 = add x8 x9
      next x10 add
    } gives x11
    x12 = add x3 1
    x13 = read a2 x3
    x14 = read a2 x12
    for x15 in x13 .. x14 simd {
      x16 = read a0 x15
      x17 = sub x16 x11
      store a3 x15 x17
    }
  }
}

kernel k3 view(a0: i64, a1: in i64, a2: i64, a3: out i64 over a1 at a0) tiles of 64 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = add a0 x3
    x5 = read a1 x4
    store a3 x3 x5
  }
}
",
    );
}

/// Arguments and body of kernels, and what is wrong with them.
const WRONG: &[(&str, &str)] = &[
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a0 x3
    x5 = read a0 x4
    store a2 x3 x5
  }
}",
        "a2 is over a0, which is read elsewhere",
    ),
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a0 x3
    store a2 x3 x4
    x5 = read a0 x3
  }
}",
        "a2 is over a0, which is read elsewhere",
    ),
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a0 x3
    store a2 x3 x4
  }
  for x5 in x1 .. x2 simd carry x6 = 0 {
    x7 = read a0 x5
    x8 = add x6 x7
    next x8 add
  } gives x9
}",
        "a2 is over a0, which is read elsewhere",
    ),
    (
        "(a0: in i64, a1: in i64, a2: i64, a3: out i64 over a1) tiles of 64 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    positions x3
    x4 = read a0 x3
    x5 = read a1 x3
    x6 = div x4 x5 @0:1:2
    store a3 x3 x6
  }
}",
        "a3 is over a1, which is read again when the kernel fails",
    ),
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0, a3: out i64) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = read a0 x3
    store a2 x3 x4
  }
} finish {
  x5 = read a0 0
  store a3 0 x5
}",
        "a2 is over a0, which is used after the tiles",
    ),
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = read a0 x3
    x5 = lt x4 0
    when x5 {
      store a2 x3 x4
    }
  }
}",
        "a2 is over a0, which is not overwritten at the counter of a loop",
    ),
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0, a3: out i64 over a0) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = read a0 x3
    store a2 x3 x4
    store a3 x3 x4
  }
}",
        "a0 is overwritten twice",
    ),
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 64 over a1 by a0 of a1 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = read a0 x3
    store a2 x3 x4
  }
}",
        "a2 is over a0, which cuts the tiles",
    ),
    (
        "(a0: in i64, a1: i64, a2: out i64 over a0) owners over a1 as x0 x1 x2 {
  for x3 in 0 .. a1 {
    x4 = read a0 x3
    store a2 x3 x4
  }
}",
        "a2 is over a0, which is overwritten by several tiles",
    ),
    (
        "(a0: in i64, a1: i64, a2: in i64, a3: out i64 over a0) tiles of 64 over a1 cut by a2 of a1 as x0 x1 x2 x3 x4 x5 {
  for x6 in x1 .. x2 {
    x7 = read a0 x6
    store a3 x6 x7
  }
}",
        "a3 is over a0, which is overwritten by several tiles",
    ),
    (
        "(a0: i64, a1: in i64, a2: i64, a3: out i64 over a1) tiles of 64 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = add a0 x3
    x5 = read a1 x4
    store a3 x3 x5
  }
}",
        "a3 is over a1, which is read from another place on",
    ),
    (
        "(a0: i64, a1: in i64, a2: i64, a3: out i64 over a1 at a0) tiles of 64 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = add a0 x3
    x5 = read a1 x4
    x6 = add a2 x3
    x7 = read a1 x6
    x8 = add x5 x7
    store a3 x3 x8
  }
}",
        "a3 is over a1, which is read from several places on",
    ),
    (
        "(a0: in i64, a1: i64, a2: out f64 over a0) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    store a2 x3 0.5
  }
}",
        "a2 is over a0, which is no input of this type",
    ),
    (
        "(a0: i64, a1: out i64 over a9) tiles of 64 over a0 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    store a1 x3 x3
  }
}",
        "a1 is over a9, which is no argument",
    ),
];

#[test]
fn pairs_that_are_wrong() {
    for (text, message) in WRONG {
        let program = read(&format!("kernel k0 wrong{text}\n")).unwrap();
        let errors = verify(&program).expect_err(text);
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(messages, [*message], "{text}");
    }
}

/// The loop runs over all elements for each lane.
#[test]
fn the_evaluator_sees_segments_that_overlap() {
    let program = |over: &str| {
        format!(
            "\
kernel k0 all(a0: in i64, a1: i64, a2: i64, a3: out i64{over}) tiles of 1 over a1 as x0 x1 x2 {{
  for x3 in x1 .. x2 {{
    for x4 in 0 .. a2 simd {{
      x5 = read a0 x4
      store a3 x4 x5
    }}
  }}
}}
"
        )
    };
    let run = |over: &str, lanes: i64| {
        let text = program(over);
        check(&text);
        let ints = |n: usize| Argument::Buffer(Rc::new(RefCell::new(vec![Some(Const::I64(7)); n])));
        let int = |n: i64| Argument::Scalar(Const::I64(n));
        let program = read(&text).unwrap();
        let args = [ints(3), int(lanes), int(3), ints(3)];
        Evaluator::new(&program).launch(base::Id::new(0), &args)
    };
    assert_eq!(run(" over a0", 1), Ok(()));
    let wrong = |message: &str| Err(Failure::Wrong(format!("{message} in tile 1 of all")));
    assert_eq!(run(" over a0", 2), wrong("a0[0] is read but was overwritten"));
    assert_eq!(run("", 2), wrong("a3[0] was written by tile 0"));
}
