//! Partitions that units share.

use super::home::SORT;
use super::parse;
use crate::Func;
use crate::pieces::{Pieces, pieces};
use base::Id;

fn found(text: &str) -> Option<Pieces> {
    pieces(&parse(text), Func::new(1))
}

#[test]
fn the_partition_of_quicksort_is_those_of_its_pieces() {
    let wanted = Pieces { start: 0, len: 3, rooms: [7, 8], counts: vec![4, 5, 6], held: [0, 2] };
    assert_eq!(found(SORT), Some(wanted));
}

/// With this in place of that, which is there once, pieces differ from the whole.
#[track_caller]
fn not_in_pieces(that: &str, this: &str) {
    assert_eq!(SORT.matches(that).count(), 1, "{that}");
    assert_eq!(found(&SORT.replace(that, this)), None, "{this}");
}

#[test]
fn what_depends_on_the_place_of_an_element_is_not_done_in_pieces() {
    // Which elements are kept depends on their index, their place, or the number of elements.
    not_in_pieces("    x4 = eq x3 r2\n", "    x4 = eq x3 x0\n");
    not_in_pieces("    x4 = eq x3 r2\n", "    x4 = eq x3 x2\n");
    not_in_pieces("    x4 = eq x3 r2\n", "    x4 = eq x3 r3\n");
    not_in_pieces("    x4 = eq x3 r2\n", "    x4 = eq x3 r0\n");
}

#[test]
fn what_is_the_same_for_all_elements_does_not_matter() {
    let text = SORT.replace("    x4 = eq x3 r2\n", "    x5 = add r2 1\n    x4 = eq x3 x5\n");
    assert!(found(&text).is_some());
}

#[test]
fn what_has_no_rooms_at_home_is_not_done_in_pieces() {
    not_in_pieces("call f2(2, b10", "call f2(3, b10");
}
