//! Files: what is written reads back, and what does not fit is told.

#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    reason = "tables of checks, each with its expectation"
)]

mod literal;
mod npy;
mod support;
mod text;
mod write;
