//! The parts around a session that the command and notebooks share: what can be typed at a place,
//! and how costs, profiles and statistics are shown.
//!
//! ```text
//! what is typed     whole       can it be run?
//!                   completion  how may its last word go on?
//!                   place       which names does it speak of there?
//! what was run      cost        work and depth: tables, an object
//!                   stats       times, launches, bytes: tables, an object
//!                   profile     what happened when: a file for Perfetto
//! ```
//!
//! Knows neither terminals nor options of commands.

pub mod completion;
pub mod cost;
pub mod place;
pub mod profile;
pub mod stats;
pub mod whole;

use base::Files;
use syntax::Tree;

/// The lossless tree of a text, for looking at it only.
pub fn tree(text: &str) -> Tree {
    syntax::parse_tree(Files::new().add("", text), text.as_bytes())
}
