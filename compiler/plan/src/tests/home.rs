//! Rooms that can lie where the result belongs.

use super::parse;
use crate::home::{Home, Over, home};
use crate::{Arg, Buffer, ClusterId, Func, Slot};
use base::Id;

/// Quicksort with two calls for what is less and what is greater, as the compiler makes it.
pub(super) const SORT: &str = r#"entries f0

lanes l0 of f2 by f1

plan f0 main(n0: i64, b0: i64, b1: i64) {
  b2: i64 = call f1(0, n0, b0, 0, n0, b1)
  yield b2
}

plan f1 sort(n0: i64, n1: i64, b0: i64, n2: i64, n3: i64, b1: i64) layout (start 0 1, len 0 1, item 1, item 0, item 0, into 0) to (into 0) {
  n4: bool = eval \{ x0 = lt n1 2; yield x0 }
  b2: i64 = if n4 {
    b3: i64 = copy b1 n3
    free b1
    launch c1(n2, n0, b0, n1, n3, b3) work n1
    free b0
    yield b3
  } else {
    n5: i64 = eval \{ x0 = div n1 2 @0:1:2; x1 = add n0 x0; x2 = read b0 x1; yield x2 }
    b4: i64 = room n1
    b5: i64 = room n1
    launch c2(n0, b0, n5, n1, set n6: i64, set n7: i64, set n8: i64, b4, b5) work n1
    free b0
    b6: i64 = copy b4 n6
    free b4
    b7: i64 = copy b5 n8
    free b5
    n9: i64 = eval \{ x0 = add n6 n8; yield x0 }
    n10: i64 = eval \{ yield n6 }
    b8: i64 = buffer n9
    launch c3(n6, n9, b6, b7, b8) work n9
    free b6
    free b7
    n11: i64, n12: i64 = eval \{ x0 = add n2 n6; x1 = add x0 n7; yield x0 x1 }
    b9: i64 = copy b1 n3
    free b1
    launch c4(n11, n5, n7, n3, b9) work n7
    b10: i64 = buffer 2
    b11: i64 = buffer 2
    b12: i64 = buffer 2
    launch c5(n10, n6, n8, n12, n2, b10, b11, b12) work 2
    b13: i64 = call f2(2, b10, b11, b8, b12, n3, b9)
    free b8
    free b9
    free b10
    free b11
    free b12
    yield b13
  }
  yield b2
}

plan f2 sort^(n0: i64, b0: i64, b1: i64, b2: i64, b3: i64, n1: i64, b4: i64) {
  yield b4
}

cluster c0 sort() {
}

cluster c1 sort(r0: i64, r1: i64, r2: in i64, r3: i64, r4: i64, r6: out i64) {
  s1 = [s0 > r3] lanes r3
  s2 = [s0 > r4] lanes r4
  r5: i64 [s2] = scatter [s1] to r4 \x0 x1 {
    x2 = add r0 x0
    x3 = add r1 x0
    x4 = read r2 x3
    yield x2 x4
  } push r6
}

cluster c2 sort(r0: i64, r1: in i64, r2: i64, r3: i64, r6: set i64, r9: set i64, r12: set i64, r14: out i64, r16: out i64) {
  s1 = [s0 > r3] lanes r3
  s2 = [s0 > 0] lanes 0 from s1
  s3 = [s0 > 0] lanes 0 from s1
  s4 = [s0 > 0] lanes 0 from s1
  r4: i64 [s2], r5: i64 [s0] = filter [s1] to [s2] \x0 x1 {
    x2 = add r0 x0
    x3 = read r1 x2
    x4 = lt x3 r2
    yield x4
  } push none, r6
  r7: i64 [s3], r8: i64 [s0] = filter [s1] to [s3] \x0 x1 {
    x2 = add r0 x0
    x3 = read r1 x2
    x4 = eq x3 r2
    yield x4
  } push none, r9
  r10: i64 [s4], r11: i64 [s0] = filter [s1] to [s4] \x0 x1 {
    x2 = add r0 x0
    x3 = read r1 x2
    x4 = gt x3 r2
    yield x4
  } push none, r12
  r13: i64 [s2] = map [s2] \x0 x1 {
    x2 = read r4 x0
    x3 = add r0 x2
    x4 = read r1 x3
    yield x4
  } push r14
  r15: i64 [s4] = map [s4] \x0 x1 {
    x2 = read r10 x0
    x3 = add r0 x2
    x4 = read r1 x3
    yield x4
  } push r16
}

cluster c3 sort(r0: i64, r1: i64, r2: in i64, r3: in i64, r4: out i64) {
  s1 = [s0 > r1] lanes r1
  r5: i64 [s1] = map [s1] \x0 x1 {
    x2 = lt x0 r0
    x6 = if x2 {
      x3 = read r2 x0
      yield x3
    } else {
      x4 = sub x0 r0
      x5 = read r3 x4
      yield x5
    }
    yield x6
  } push r4
}

cluster c4 sort(r0: i64, r1: i64, r2: i64, r3: i64, r5: out i64) {
  s1 = [s0 > r2] lanes r2
  s2 = [s0 > r3] lanes r3
  r4: i64 [s2] = scatter [s1] to r3 \x0 x1 { x2 = add r0 x0; yield x2 r1 } push r5
}

cluster c5 sort(r0: i64, r1: i64, r2: i64, r3: i64, r4: i64, r6: out i64, r8: out i64, r10: out i64) {
  s1 = [s0 > 2] lanes 2
  r5: i64 [s1], r7: i64 [s1], r9: i64 [s1] = map [s1] \x0 x1 {
    x2 = lt x1 1
    x3 = select x2 0 r0
    x4 = select x2 r1 r2
    x5 = ge x1 1
    x6 = select x5 r3 r4
    yield x3 x4 x6
  } push r6, r8, r10
}

"#;

fn found(text: &str) -> Option<Home> {
    home(&parse(text), Func::new(1))
}

/// With this in place of that, which is there once, no room can.
#[track_caller]
fn never(that: &str, this: &str) {
    assert_eq!(SORT.matches(that).count(), 1, "{that}");
    assert_eq!(found(&SORT.replace(that, this)), None, "{this}");
}

#[test]
fn what_the_first_call_is_given_can() {
    let [room, part] = [4, 6].map(Buffer::new);
    let wanted = Home {
        room: [room, part],
        out: Buffer::new(1),
        at: Slot::new(2),
        partition: ClusterId::new(2),
        over: Some(Over {
            room: [5, 7].map(Buffer::new),
            pool: Buffer::new(0),
            start: Slot::new(0),
            len: Slot::new(1),
            held: [6, 8].map(Slot::new).map(Arg::Slot),
        }),
    };
    assert_eq!(found(SORT), Some(wanted));
}

/// With this in place of that, which is there once, only the first room can.
#[track_caller]
fn first_only(that: &str, this: &str) {
    assert_eq!(SORT.matches(that).count(), 1, "{that}");
    let home = found(&SORT.replace(that, this)).unwrap_or_else(|| panic!("{this}"));
    assert_eq!(home.over, None, "{this}");
}

#[test]
fn what_others_use_is_not_written_over() {
    // The parts are looked at after the call.
    first_only(
        "    free b8\n    free b9\n",
        "    n13: i64 = eval \\{ x0 = read b8 0; yield x0 }\n    free b8\n    free b9\n",
    );
    // The second call's lane begins elsewhere, or has another length than the second part.
    first_only("x3 = select x2 0 r0", "x3 = select x2 0 r1");
    first_only("x4 = select x2 r1 r2", "x4 = select x2 r1 r0");
    // There are more calls than parts.
    first_only("call f2(2, b10", "call f2(3, b10");
}

#[test]
fn what_others_give_is_not_written_over() {
    let caller =
        "plan f3 g(n0: i64, b0: i64, b1: i64) layout (len 0 1, item 1, into 0) to (into 0) {
  b2: i64 = call f1(0, n0, b0, 0, n0, b1)
  yield b2
}

plan f4 g^(n0: i64, b0: i64, b1: i64, b2: i64) {
  yield b2
}

cluster c0";
    let text = SORT.replace("by f1\n", "by f1\nlanes l1 of f4 by f3\n");
    let home = found(&text.replace("cluster c0", caller)).unwrap();
    assert_eq!(home.over, None);
}

#[test]
fn what_lies_below_other_memory_is_not_given_back() {
    first_only("    b5: i64 = room n1\n", "    b5: i64 = room n1\n    b14: i64 = room n1\n");
}

#[test]
fn what_is_changed_is_not_written_over() {
    first_only(
        "x4 = read r1 x3\n    yield x4\n  } push r16",
        "x4 = read r1 x3\n    x5 = add x4 1\n    yield x5\n  } push r16",
    );
}

#[test]
fn what_belongs_elsewhere_cannot() {
    // The first call's result begins behind the other's.
    never(
        "launch c5(n10, n6, n8, n12, n2, b10, b11, b12)",
        "launch c5(n10, n6, n8, n2, n12, b10, b11, b12)",
    );
    // It is given what is greater, and that begins behind.
    never(
        "launch c5(n10, n6, n8, n12, n2, b10, b11, b12)",
        "launch c5(n10, n8, n6, n12, n2, b10, b11, b12)",
    );
    // It is given all but the first element.
    never("x3 = select x2 0 r0", "x3 = select x2 1 r0");
    // Nobody knows which.
    never("x2 = lt x1 1\n    x3 = select", "x2 = lt x1 r1\n    x3 = select");
}

#[test]
fn what_is_read_out_of_order_cannot() {
    // A neighbour.
    never("x3 = read r1 x2\n    x4 = lt x3 r2", "x3 = read r1 r0\n    x4 = lt x3 r2");
    // What is kept comes from another place.
    never("x2 = read r4 x0\n    x3 = add r0 x2", "x2 = read r4 x0\n    x3 = add r2 x2");
    never("x2 = read r4 x0\n    x3 = add r0 x2", "x2 = read r4 x0\n    x3 = add r0 x0");
    // Only part of the sequence is looked at.
    never(
        "cluster c2 sort(r0: i64, r1: in i64, r2: i64, r3: i64,",
        "cluster c2 sort(r0: i64, r1: in i64, r3: i64, r2: i64,",
    );
}

#[test]
fn what_is_changed_cannot() {
    never(
        "x4 = read r1 x3\n    yield x4\n  } push r14",
        "x4 = read r1 x3\n    x5 = add x4 1\n    yield x5\n  } push r14",
    );
}

#[test]
fn what_is_read_again_cannot() {
    never(
        "    n9: i64 = eval \\{ x0 = add n6 n8; yield x0 }\n",
        "    n9: i64 = eval \\{ x0 = read b0 n0; yield x0 }\n",
    );
    // A leaf moves its elements to other places.
    never("x3 = add r1 x0\n    x4 = read r2 x3", "x3 = add r0 x0\n    x4 = read r2 x3");
    never(
        "x4 = read r2 x3\n    yield x2 x4\n  } push r6",
        "x4 = read r2 x3\n    yield x3 x4\n  } push r6",
    );
}
