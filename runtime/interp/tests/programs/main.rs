//! Programs and what they give: the language from its source text to its values.

#![expect(clippy::needless_pass_by_value, reason = "checks take their expectation by value")]

mod cost;
mod errors;
mod limits;
mod meaning;
mod random;
mod session;
