//! Passes that stay inside flat.

mod keep_segments;
mod pull_maps;
mod remove_dead;
mod simplify_code;

pub use keep_segments::keep_segments;
pub use pull_maps::pull_maps;
pub use remove_dead::remove_dead_statements;
pub use simplify_code::simplify_code;
