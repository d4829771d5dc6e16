//! Passes that stay inside flat.

mod dissolve_filters;
mod equal_elements;
mod finish_leaves;
mod hand_over_offsets;
mod hoist_invariants;
mod keep_segments;
mod lengths;
mod lift_out_of_arms;
mod lift_tails;
mod make_regular;
mod own_positions;
mod place_by_rank;
mod pull_maps;
mod remove_checks;
mod remove_dead;
mod scan_constants;
mod share_equal;
mod simplify_code;
mod single_elements;
mod sink_into_arms;
mod sort_once;
mod trace;
mod widen_reductions;

pub use dissolve_filters::dissolve_filters;
pub use equal_elements::equal_elements;
pub use finish_leaves::finish_leaves;
pub use hand_over_offsets::hand_over_offsets;
pub use hoist_invariants::hoist_invariants;
pub use keep_segments::keep_segments;
pub use lift_out_of_arms::lift_out_of_arms;
pub use lift_tails::lift_tails;
pub use make_regular::make_regular;
pub use own_positions::own_positions;
pub use place_by_rank::place_by_rank;
pub use pull_maps::pull_maps;
pub use remove_checks::remove_checks;
pub use remove_dead::remove_dead_statements;
pub use scan_constants::scan_constants;
pub use share_equal::share_equal_statements;
pub use simplify_code::simplify_code;
pub use single_elements::single_elements;
pub use sink_into_arms::sink_into_arms;
pub use sort_once::sort_once;
pub use widen_reductions::widen_reductions;

use crate::ir::{Function, Op, Program};
use crate::shapes::calls::{Summary, summaries};
use prim::Widths;

/// A pass.
#[derive(Clone, Copy, Debug)]
pub enum Pass {
    /// It looks at one function after the other.
    Each(fn(&mut Function)),
    /// The same, and it makes constants that depend on the widths of the program's numbers.
    Sized(fn(&mut Function, Widths)),
    /// It changes what functions hand to each other.
    Whole(fn(&mut Program)),
}

/// All passes by name, in the order in which the pipeline runs them.
pub const ALL: [(&str, Pass); 25] = [
    ("simplify_code", Pass::Each(simplify_code)),
    // First, as checked code is neither cheap nor pulled.
    ("remove_checks", Pass::Each(remove_checks)),
    // Sorts and permutations still name what they order, and maps what they read.
    ("place_by_rank", Pass::Each(place_by_rank)),
    ("sort_once", Pass::Each(sort_once)),
    // What is then at the own position can be pulled.
    ("keep_segments", Pass::Each(keep_segments)),
    // Offsets that say where all elements of a nested sequence end have been looked for.
    ("make_regular", Pass::Each(make_regular)),
    ("single_elements", Pass::Each(single_elements)),
    // Tests of filters are still beside what they test.
    ("equal_elements", Pass::Each(equal_elements)),
    // Maps are still apart from what reads them: those of kept lanes become maps of all.
    ("dissolve_filters", Pass::Sized(dissolve_filters)),
    // What arms put together can then be pulled into those who choose between arms.
    ("lift_tails", Pass::Each(lift_tails)),
    ("pull_maps", Pass::Each(pull_maps)),
    ("simplify_code", Pass::Each(simplify_code)),
    // Where an arm reads shows when its code is simple.
    ("pull_maps", Pass::Each(pull_maps)),
    ("simplify_code", Pass::Each(simplify_code)),
    // What is the same in all lanes shows when everything is pulled.
    ("scan_constants", Pass::Sized(scan_constants)),
    ("hoist_invariants", Pass::Each(hoist_invariants)),
    // Readers of equal maps have become equal.
    ("share_equal_statements", Pass::Each(share_equal_statements)),
    // What is zipped has then one descriptor.
    ("own_positions", Pass::Each(own_positions)),
    // Arms are still together with what they alone need.
    ("widen_reductions", Pass::Each(widen_reductions)),
    ("remove_dead_statements", Pass::Each(remove_dead_statements)),
    // Behind the others: a cheap map that both arms read has become part of them.
    ("sink_into_arms", Pass::Each(sink_into_arms)),
    // And what could not sink because it runs with a filter meets there what comes back out.
    ("lift_out_of_arms", Pass::Each(lift_out_of_arms)),
    // What is left in the arm of short lanes then is what they write.
    ("finish_leaves", Pass::Each(finish_leaves)),
    ("remove_dead_statements", Pass::Each(remove_dead_statements)),
    // Nobody looks at lengths any more.
    ("hand_over_offsets", Pass::Whole(hand_over_offsets)),
];

/// A pass that is told what calls give.
type PassAfter = fn(&mut Function, Option<&[Summary]>);

/// Of the passes above those that use what is known of calls.
const AFTER_CALLS: [(&str, PassAfter); 3] = [
    ("remove_checks", remove_checks::remove_checks_after),
    ("make_regular", make_regular::make_regular_after),
    ("share_equal_statements", share_equal::share_equal_after),
];

/// Runs a pass of this name on all functions of a program.
pub fn run(name: &str, pass: Pass, program: &mut Program) {
    let pass = match pass {
        Pass::Each(pass) => pass,
        Pass::Sized(pass) => {
            let widths = program.widths;
            return program.funcs.iter_mut().for_each(|(_, function)| pass(function, widths));
        }
        Pass::Whole(pass) => return pass(program),
    };
    let after = AFTER_CALLS.iter().find(|(known, _)| *known == name && calls_something(program));
    match after {
        Some((_, pass)) => {
            let calls = summaries(program);
            program.funcs.iter_mut().for_each(|(_, function)| pass(function, Some(&calls)));
        }
        None => program.funcs.iter_mut().for_each(|(_, function)| pass(function)),
    }
}

fn calls_something(program: &Program) -> bool {
    fn calls(block: &crate::ir::Block) -> bool {
        block.stmts.iter().any(|stmt| match &stmt.op {
            Op::Call(..) => true,
            Op::If(_, then, els) => calls(then) || calls(els),
            _ => false,
        })
    }
    program.funcs.values().any(|function| calls(&function.body))
}
