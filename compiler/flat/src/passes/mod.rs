//! Passes that stay inside flat.

mod keep_segments;
mod lift_out_of_arms;
mod make_regular;
mod pull_maps;
mod remove_checks;
mod remove_dead;
mod share_equal;
mod simplify_code;
mod sink_into_arms;

pub use keep_segments::keep_segments;
pub use lift_out_of_arms::lift_out_of_arms;
pub use make_regular::make_regular;
pub use pull_maps::pull_maps;
pub use remove_checks::remove_checks;
pub use remove_dead::remove_dead_statements;
pub use share_equal::share_equal_statements;
pub use simplify_code::simplify_code;
pub use sink_into_arms::sink_into_arms;

use crate::ir::Function;

/// A pass.
pub type Pass = fn(&mut Function);

/// All passes by name, in the order in which the pipeline runs them.
pub const ALL: [(&str, Pass); 10] = [
    ("simplify_code", simplify_code),
    // First, as checked code is neither cheap nor pulled.
    ("remove_checks", remove_checks),
    // What is then at the own position can be pulled.
    ("keep_segments", keep_segments),
    ("pull_maps", pull_maps),
    ("simplify_code", simplify_code),
    // Readers of equal maps have become equal.
    ("share_equal_statements", share_equal_statements),
    ("remove_dead_statements", remove_dead_statements),
    // Behind the others: a cheap map that both arms read has become part of them.
    ("sink_into_arms", sink_into_arms),
    // And what could not sink because it runs with a filter meets there what comes back out.
    ("lift_out_of_arms", lift_out_of_arms),
    ("remove_dead_statements", remove_dead_statements),
];
