//! The table as a ratchet.

use super::{Known, best, limits};
use crate::respelled::Figures;

const GOOD: Figures = Figures { launches: 20, waits: 10, touched: 1000, peak: 800, calls: 5 };
const SLOW: Figures = Figures { launches: 90, waits: 40, touched: 1100, peak: 2400, calls: 40 };

fn known() -> Known {
    let mut known = Known::default();
    known.learn("sort", "gpu", &[("plain".to_owned(), GOOD), ("lets".to_owned(), SLOW)]);
    known
}

fn judge(spelling: &str, figures: Figures) -> Vec<String> {
    known().judge(("sort", "gpu"), spelling, &figures)
}

#[test]
fn the_best_has_the_least_cost() {
    let measured = [("lets".to_owned(), SLOW), ("plain".to_owned(), GOOD)];
    assert_eq!(best(&measured).unwrap().0, "plain");
    assert_eq!(limits(&GOOD), [25, 15, 1150, 960]);
}

#[test]
fn a_table_is_read_as_it_is_shown() {
    let shown = known().show();
    assert_eq!(Known::parse(&shown).unwrap(), known(), "{shown}");
    let row = shown.lines().find(|line| line.starts_with("miss")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words, ["miss", "sort", "gpu", "90!", "40!", "1100", "2400!", "40", "lets"]);
    assert_eq!(Known::parse("best sort gpu 1 2 3 4 5"), Err("best sort gpu 1 2 3 4 5".into()));
}

#[test]
fn a_spelling_gets_no_worse() {
    assert!(judge("plain", GOOD).is_empty());
    assert_eq!(judge("plain", Figures { launches: 21, ..GOOD }).len(), 1);
    assert!(judge("lets", SLOW).is_empty());
    assert!(judge("lets", Figures { launches: 50, ..SLOW }).is_empty());
    assert_eq!(judge("lets", Figures { launches: 91, peak: 2401, ..SLOW }).len(), 2);
    // One that has no row is held to the best.
    assert!(judge("new", Figures { launches: 25, ..GOOD }).is_empty());
    assert_eq!(judge("new", SLOW).len(), 3);
}

#[test]
fn rows_that_are_not_needed_go() {
    let found = judge("lets", GOOD);
    assert!(found.len() == 1 && found[0].contains("its row must go"), "{found:?}");
    let found = judge("plain", Figures { waits: 9, ..GOOD });
    assert!(found.len() == 1 && found[0].contains("is a new best"), "{found:?}");
}
